package ecs

import (
	"errors"
	"fmt"
	"slices"
)

// recording holds a buffer that is being filled, and functions that do the same operations to the
// model.
type recording struct {
	*model
	play []func() bool // does one command to the model; returns false if it must fail
	made []Entity      // by placeholder
	many bool          // a command for many entities is there: they take long
	full bool          // nothing can be recorded after the last command
}

// entityAtPlayback returns the entity to which e refers at playback.
func (r *recording) entityAtPlayback(e Entity) Entity {
	if e.Index < 0 {
		return r.made[-1-e.Index]
	}
	return e
}

// runCommands records some operations, plays them, and does the same to the model. Later commands use
// deferred entities of the buffer.
func (m *model) runCommands() {
	r := recording{model: m}
	c := m.cmd
	c.Reset()
	n := m.byte() % 12
	m.last = fmt.Sprint("Playback of ", n)
	for range n {
		code, i, e := m.byte()%26, m.byte()%len(kit), m.pickRoot()
		v := m.number(i)
		if last, err := c.Last(); err == nil && m.byte()%2 == 0 {
			e = last
		}
		if e.IsZero() && code > 1 {
			continue
		}
		var f func() bool
		switch {
		case code < 3:
			f = r.recordCreation(code, i, e, v)
		case code < 16:
			f = r.ofOne(code, i, e, v)
		case !r.many:
			r.many = true
			f = r.ofMany(code, i, e, v)
		default:
			continue
		}
		if r.play = append(r.play, f); r.full {
			break
		}
	}
	err := c.Playback(m.w)
	free := 0 // ids before the last command
	for k, f := range r.play {
		free = len(m.free)
		if f() {
			continue
		}
		// A failing command stops the playback, and has changed nothing.
		if !errors.Is(err, ErrArgument) {
			m.t.Fatalf("%s: command %d should fail, got %v", m.last, k, err)
		}
		return
	}
	m.ok(err)
	if r.full {
		m.freeInOrder(free)
	}
}

// freeInOrder copies the order of the free ids from the world to the model, from a given index on. The
// model cannot predict this order, because a query has found the destroyed entities, in an order that
// depends on earlier commands of the buffer.
func (m *model) freeInOrder(from int) {
	got := m.w.tables.entities.freeSlots
	if len(got) != len(m.free) {
		m.t.Fatalf("%s: %d ids are free, want %d", m.last, len(got), len(m.free))
	}
	free := map[int32]Entity{}
	for _, e := range m.free[from:] {
		free[e.Index] = e
	}
	for k, i := range got[from:] {
		m.free[from+k] = free[i]
		if free[i].IsZero() {
			m.t.Fatalf("%s: id %d is free", m.last, i)
		}
	}
}

// recordCreation records a command that creates an entity. It returns a function that does the same to
// the model.
func (r *recording) recordCreation(code, i int, e Entity, v int32) func() bool {
	m, c := r.model, r.cmd
	born := func(row modelEntity) bool {
		id := m.id()
		m.enter(id, row)
		r.made = append(r.made, id)
		return true
	}
	switch code {
	case 0:
		set := m.set()
		_, err := c.Create(m.w.Archetype(terms(set)...))
		m.ok(err)
		return func() bool { return born(m.fresh(set)) }
	case 1:
		_, err := c.Spawn(kit[i].value(v))
		m.ok(err)
		return func() bool {
			var row modelEntity
			row.give(i, v)
			return born(row)
		}
	}
	_, err := c.Instantiate(e)
	m.ok(err)
	return func() bool {
		members, ok := m.members(r.entityAtPlayback(e))
		if ok {
			r.made = append(r.made, m.addCopies(m, members, 1, true)[0])
		}
		return ok
	}
}

// ofOne records a command for e. It returns a function that does the same to the model.
func (r *recording) ofOne(code, i int, e Entity, v int32) func() bool {
	m, c := r.model, r.cmd
	on := v%2 == 0
	row := func(f func(row *modelEntity) bool) func() bool {
		return func() bool {
			row := m.rows[r.entityAtPlayback(e)]
			return row != nil && f(row)
		}
	}
	switch code {
	case 3:
		m.ok(c.Destroy(e))
		return func() bool { m.applyDestroyAll([]Entity{r.entityAtPlayback(e)}); return true }
	case 4, 5:
		m.ok(kit[i].addLater(c, e, v))
		return row(func(row *modelEntity) bool { row.give(i, v); return true })
	case 6:
		m.ok(kit[i].setLater(c, e, v))
		return row(func(row *modelEntity) bool {
			if !row.has[i] || kit[i].tag {
				return false
			}
			row.give(i, v)
			return true
		})
	case 7:
		_, err := kit[i].ensureLater(c, e)
		m.ok(err)
		return row(func(row *modelEntity) bool { row.has[i] = true; return true })
	case 8:
		_, err := kit[i].removeLater(c, e)
		m.ok(err)
		return func() bool { m.removeComponents(r.entityAtPlayback(e), []int{i}); return true }
	case 9:
		m.ok(kit[i].turnLater(c, e, on))
		return row(func(row *modelEntity) bool {
			if !row.has[i] || !kit[i].switched {
				return false
			}
			row.off[i] = !on
			return true
		})
	case 10, 11:
		return r.link(e)
	case 12:
		m.ok(c.SetActive(e, on))
		return func() bool { return m.applySetActive(r.entityAtPlayback(e), on) }
	case 13:
		mask := m.mask()
		if mask != nil {
			m.ok(kit[i].addLinkedLater(c, e, mask.q, v))
		} else {
			m.ok(kit[i].setLinkedLater(c, e, v))
		}
		return func() bool { return m.gaveLinked(r.entityAtPlayback(e), mask, i, v) }
	case 14:
		set := m.set()
		m.ok(c.SetArchetype(e, m.w.Archetype(terms(set)...)))
		return func() bool { return m.applySetArchetype(r.entityAtPlayback(e), set) }
	}
	set := m.set()
	if on {
		m.ok(RemoveTypes(c, One(e), terms(set)...))
		return func() bool { m.removeComponents(r.entityAtPlayback(e), set); return true }
	}
	m.ok(AddTypes(c, One(e), terms(set)...))
	return row(func(row *modelEntity) bool { row.add(set); return true })
}

// link records a command that gives e a linked group. The parts of the group may be deferred
// entities.
func (r *recording) link(e Entity) func() bool {
	m := r.model
	group := m.group(e)
	if last, err := r.cmd.Last(); err == nil && m.byte()%2 == 0 {
		group = append(group, last)
	}
	if e.Index < 0 && !slices.Contains(group, e) {
		group = slices.Insert(group, 0, e)
	}
	m.ok(Add(r.cmd, e, linkedGroup(group)))
	return func() bool {
		row := m.rows[r.entityAtPlayback(e)]
		if row == nil {
			return false
		}
		row.give(groupAt, 0)
		row.group = group
		row.redirect(r.entityAtPlayback)
		return true
	}
}

// ofMany records a command for many entities. It returns a function that does the same to the model. If
// the command is for a slice, the slice contains e.
func (r *recording) ofMany(code, i int, e Entity, v int32) func() bool {
	m, c, q := r.model, r.cmd, r.query()
	list := append(slices.DeleteFunc(m.pickSome(), Entity.IsZero), e)
	set := slices.DeleteFunc(m.set(), func(i int) bool { return kit[i].cleanup })
	real := func() (all []Entity) {
		for _, e := range list {
			all = append(all, r.entityAtPlayback(e))
		}
		return all
	}
	each := func(f func(row *modelEntity)) func() bool {
		return func() bool {
			all := real()
			for _, e := range all {
				if m.rows[e] == nil {
					return false
				}
			}
			for _, e := range all {
				f(m.rows[e])
			}
			return true
		}
	}
	matching := func(f func(row *modelEntity)) func() bool {
		return func() bool {
			for _, row := range m.rows {
				if q.matches(row) {
					f(row)
				}
			}
			return true
		}
	}
	add := func(row *modelEntity) { row.add(set) }
	give := func(row *modelEntity) { row.give(i, v) }
	switch code {
	case 16:
		m.ok(DestroyAll(c, Entities(list)))
		return func() bool { m.applyDestroyAll(real()); return true }
	case 17:
		m.ok(AddTypes(c, Entities(list), terms(set)...))
		return each(add)
	case 18:
		m.ok(AddTypes(c, Matching(q.q), terms(set)...))
		return matching(add)
	case 19:
		m.ok(RemoveTypes(c, Matching(q.q), terms(set)...))
		return matching(func(row *modelEntity) {
			for _, i := range set {
				row.drop(i)
			}
		})
	case 20:
		m.ok(RemoveTypes(c, Entities(list), terms(set)...))
		return func() bool {
			for _, e := range real() {
				m.removeComponents(e, set)
			}
			return true
		}
	case 21:
		m.ok(kit[i].addAllLater(c, list, v))
		return each(give)
	case 22:
		m.ok(kit[i].addMatchingLater(c, q.q, v))
		return matching(give)
	case 23:
		r.full = true
		m.ok(DestroyAll(c, Matching(q.q)))
		return func() bool {
			if !m.matchesGroup(q) {
				return false
			}
			for _, e := range slices.Clone(m.alive) {
				if q.matches(m.rows[e]) {
					m.destroyAlone(e)
				}
			}
			return true
		}
	}
	if code == 24 {
		i = firstSwitch + i%2
	}
	m.ok(kit[i].turnMatchingLater(c, q.q, v%2 == 0))
	return func() bool { return m.applySetEnabledAll(q, i, v%2 == 0) }
}
