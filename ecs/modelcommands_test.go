package ecs

import (
	"errors"
	"fmt"
	"slices"
)

// commands records some operations, plays them, and does the same to the model.
// Entities that the buffer has still to make are used by later commands.
func (m *model) commands() {
	c := m.cmd
	c.Reset()
	n := m.byte() % 12
	m.last = fmt.Sprint("Playback of ", n)
	var play []func() bool // does one command to the model; false if it must fail
	var made []Entity      // by placeholder
	many := 0
	real := func(e Entity) Entity {
		if e.Index < 0 {
			return made[-1-e.Index]
		}
		return e
	}
	make := func(e Entity, err error, row func() (modelEntity, bool)) {
		m.ok(err)
		play = append(play, func() bool {
			r, ok := row()
			if !ok {
				return false
			}
			id := m.id()
			m.enter(id, r)
			made = append(made, id)
			return true
		})
	}
	for range n {
		code, i, e := m.byte()%16, m.byte()%len(kit), m.pick()
		v := m.number(i)
		if last, err := c.Last(); err == nil && m.byte()%2 == 0 {
			e = last
		}
		if e.Null() && code > 1 {
			continue
		}
		switch code {
		case 0:
			set := m.set()
			id, err := c.Create(m.w.Archetype(terms(set)...))
			make(id, err, func() (modelEntity, bool) { return m.fresh(set), true })
		case 1:
			id, err := c.Spawn(kit[i].value(v))
			make(id, err, func() (modelEntity, bool) {
				r := m.fresh([]int{i})
				r.value[i] = v
				return r, true
			})
		case 2:
			id, err := c.Instantiate(e)
			make(id, err, func() (modelEntity, bool) {
				row := m.rows[real(e)]
				if row == nil || row.residue {
					return modelEntity{}, false
				}
				return row.copied(), true
			})
		case 3:
			m.ok(c.Destroy(e))
			play = append(play, func() bool { m.destroyed(real(e)); return true })
		case 4, 5:
			m.ok(kit[i].addLater(c, e, v))
			play = append(play, func() bool {
				row := m.rows[real(e)]
				if row == nil {
					return false
				}
				row.has[i], row.value[i] = true, v
				return true
			})
		case 6:
			m.ok(kit[i].setLater(c, e, v))
			play = append(play, func() bool {
				row := m.rows[real(e)]
				if row == nil || !row.has[i] || kit[i].tag {
					return false
				}
				row.value[i] = v
				return true
			})
		case 7:
			_, err := kit[i].ensureLater(c, e)
			m.ok(err)
			play = append(play, func() bool {
				row := m.rows[real(e)]
				if row == nil {
					return false
				}
				row.has[i] = true
				return true
			})
		case 9:
			on := v%2 == 0
			m.ok(kit[i].turnLater(c, e, on))
			play = append(play, func() bool {
				row := m.rows[real(e)]
				if row == nil || !row.has[i] || !kit[i].switched {
					return false
				}
				row.off[i] = !on
				return true
			})
		case 10, 11, 12, 13, 14, 15:
			if many++; many > 1 {
				continue // they take long
			}
			if f := m.commandOfMany(code, i, e, v, real); f != nil {
				play = append(play, f)
			}
		case 8:
			_, err := kit[i].removeLater(c, e)
			m.ok(err)
			play = append(play, func() bool { m.removed(real(e), []int{i}); return true })
		}
	}
	err := c.Playback(m.w)
	for k, f := range play {
		if f() {
			continue
		}
		// A command that fails stops playback: it has changed nothing.
		if !errors.Is(err, ErrArgument) {
			m.t.Fatalf("%s: command %d should fail, got %v", m.last, k, err)
		}
		return
	}
	m.ok(err)
}

// commandOfMany records a command of many entities, e among them where it is one of
// a slice, and returns what does it to the model.
func (m *model) commandOfMany(code, i int, e Entity, v int32, real func(Entity) Entity) func() bool {
	c, q := m.cmd, m.query()
	list := append(slices.DeleteFunc(m.some(), Entity.Null), e)
	set := slices.DeleteFunc(m.set(), func(i int) bool { return kit[i].cleanup })
	each := func(f func(row *modelEntity)) func() bool {
		return func() bool {
			for _, e := range list {
				if m.rows[real(e)] == nil {
					return false
				}
			}
			for _, e := range list {
				f(m.rows[real(e)])
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
	add := func(row *modelEntity) {
		for _, i := range set {
			row.has[i] = true
		}
	}
	give := func(row *modelEntity) { row.has[i], row.value[i] = true, v }
	switch code {
	case 10:
		m.ok(c.DestroyAll(list))
		return func() bool {
			for _, e := range list {
				m.destroyed(real(e))
			}
			return true
		}
	case 11:
		m.ok(c.AddTypesAll(list, terms(set)...))
		return each(add)
	case 12:
		m.ok(c.AddTypesMatching(q.q, terms(set)...))
		return matching(add)
	case 13:
		m.ok(c.RemoveTypesMatching(q.q, terms(set)...))
		return matching(func(row *modelEntity) {
			for _, i := range set {
				row.has[i], row.value[i], row.off[i] = false, 0, false
			}
		})
	case 14:
		m.ok(kit[i].addAllLater(c, list, v))
		return each(give)
	}
	m.ok(kit[i].addMatchingLater(c, q.q, v))
	return matching(give)
}
