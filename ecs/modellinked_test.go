package ecs

import (
	"fmt"
	"slices"
)

// pickRoot returns an existing entity. In half of the cases it looks for an entity with a linked
// group.
func (m *model) pickRoot() Entity {
	e := m.pick()
	if e.IsZero() || m.byte()%2 == 0 {
		return e
	}
	at := m.rows[e].place
	for k := range min(256, len(m.alive)) {
		if root := m.alive[(at+k)%len(m.alive)]; m.rows[root].group != nil {
			return root
		}
	}
	return e
}

// group returns a linked group for e. It is usually a group that can be copied.
func (m *model) group(e Entity) []Entity {
	how := m.byte()
	list := []Entity{e}
	for range how % 5 {
		list = append(list, m.pick())
	}
	switch {
	case how >= 248:
		return list[1:] // without its root
	case how >= 240:
		return append(list, e)
	case how >= 232:
		return append(list, Entity{})
	case how >= 224 && len(m.free) > 0:
		dead := m.free[m.byte()%len(m.free)]
		return append(list, Entity{dead.Index, dead.Version - 1})
	case how >= 216:
		return list
	}
	var group []Entity
	for _, e := range list {
		if m.copyable(e) && !slices.Contains(group, e) {
			group = append(group, e)
		}
	}
	return group
}

// linkedGroup returns a LinkedGroup with the given members.
func linkedGroup(group []Entity) LinkedGroup {
	var list []Linked
	for _, e := range group {
		list = append(list, Linked{e})
	}
	return BufferOf(list...)
}

// link sets linked groups of some entities.
func (m *model) link() {
	for range 1 + m.byte()%8 {
		m.linkOne(m.pick())
	}
}

func (m *model) linkOne(e Entity) {
	group := m.group(e)
	m.last = fmt.Sprint("Add LinkedGroup ", e, group)
	err := Add(m.w, e, linkedGroup(group))
	m.applyAdd(err, e, groupAt, 0)
	if row := m.rows[e]; row != nil {
		row.group = group
	}
}

func (m *model) checkGroup(e Entity, row *modelEntity) error {
	if !row.has[groupAt] {
		return nil
	}
	b, err := Get[LinkedGroup](m.w, e)
	if err != nil {
		return fmt.Errorf("%v: %w", e, err)
	}
	if !slices.EqualFunc(b.Slice(), row.group, func(l Linked, e Entity) bool { return l.Entity == e }) {
		return fmt.Errorf("%v has the group %v, want %v", e, b.Slice(), row.group)
	}
	return nil
}

// applyDestroyAll does DestroyAll for the model. It removes the entities, then the members of their groups, and
// then the members of those groups.
func (m *model) applyDestroyAll(list []Entity) {
	list = slices.Clone(list)
	seen := map[Entity]bool{}
	for i := 0; i < len(list); i++ {
		e := list[i]
		if row := m.rows[e]; row != nil && !row.residue && len(row.group) > 0 && !seen[e] {
			seen[e] = true
			list = append(list, row.group[1:]...)
		}
	}
	for _, e := range list {
		m.destroyAlone(e)
	}
}

// matchesGroup reports whether a query that matches an entity also matches all existing members of its group.
func (m *model) matchesGroup(q *modelQuery) bool {
	for _, row := range m.rows {
		if row.residue || len(row.group) == 0 || !q.matches(row) {
			continue
		}
		for _, e := range row.group[1:] {
			if part := m.rows[e]; part != nil && !q.matches(part) {
				return false
			}
		}
	}
	return true
}

// members returns the entities that are copied with e. members returns false if e cannot be copied.
func (m *model) members(e Entity) ([]Entity, bool) {
	list := []Entity{e}
	if row := m.rows[e]; row != nil && row.has[groupAt] {
		if list = row.group; len(list) == 0 || list[0] != e {
			return nil, false
		}
	}
	return list, m.copyableAll(list)
}

func (m *model) copyable(e Entity) bool {
	row := m.rows[e]
	return row != nil && !row.residue
}

func (m *model) copyableAll(list []Entity) bool {
	seen := map[Entity]bool{}
	for _, e := range list {
		if !m.copyable(e) || seen[e] {
			return false
		}
		seen[e] = true
	}
	return true
}

// addCopies adds n copies of each listed entity of src, and returns their ids: first all copies of the
// first entity, then all copies of the second, and so on. If use is set, copies of prefabs are
// ordinary entities; otherwise they have all components of the originals.
func (m *model) addCopies(src *model, list []Entity, n int, use bool) []Entity {
	place := map[Entity]int{}
	for k, e := range list {
		place[e] = k
	}
	made := make([]Entity, n*len(list))
	for i := range made {
		made[i] = m.id()
	}
	for at, id := range made {
		row := *src.rows[list[at/n]]
		for i := range kit {
			if kit[i].cleanup || use && i == prefabAt {
				row.drop(i)
			}
		}
		if src == m && row.has[omitAt] && row.has[groupAt] {
			row.drop(omitAt)
			row.drop(groupAt)
		}
		row.redirect(func(e Entity) Entity {
			if k, ok := place[e]; ok {
				return made[k*n+at%n]
			}
			if src != m {
				return Entity{}
			}
			return e
		})
		m.enter(id, row)
	}
	return made
}

// redirect replaces each id in the linked group of e by to(id).
func (e *modelEntity) redirect(to func(Entity) Entity) {
	group := slices.Clone(e.group)
	for i, id := range group {
		group[i] = to(id)
	}
	e.group = group
}

func (m *model) setActive() {
	e, active := m.pickRoot(), m.byte()%2 == 0
	m.last = fmt.Sprint("SetActive ", e, active)
	err := m.w.SetActive(e, active)
	if !m.applySetActive(e, active) {
		m.refused(err)
		return
	}
	m.ok(err)
}

// applySetActive does SetActive for the model. applySetActive returns false if SetActive must fail.
func (m *model) applySetActive(e Entity, active bool) bool {
	row := m.rows[e]
	if row == nil || row.has[inactiveAt] != active {
		return row != nil
	}
	row.has[inactiveAt] = !active
	for _, e := range row.group {
		if part := m.rows[e]; part != nil && !part.residue {
			part.has[inactiveAt] = !active
		}
	}
	return true
}

func (m *model) linked() {
	e, i, mask := m.pickRoot(), m.byte()%len(kit), m.mask()
	n := m.number(i)
	var err error
	if mask != nil {
		m.last = fmt.Sprint("AddAll(LinkedTo) ", e, mask.q, kit[i].with, n)
		err = kit[i].addLinked(m.w, e, mask.q, n)
	} else {
		m.last = fmt.Sprint("SetAll(LinkedTo) ", e, kit[i].with, n)
		err = kit[i].setLinked(m.w, e, n)
	}
	if !m.gaveLinked(e, mask, i, n) {
		m.refused(err)
		return
	}
	m.ok(err)
}

// mask returns a query for AddAll with LinkedTo, or nil if the test is to call SetAll.
func (m *model) mask() *modelQuery {
	if m.byte()%2 == 0 {
		return nil
	}
	return m.query()
}

// gaveLinked does AddAll(LinkedTo) for the model, or SetAll(LinkedTo) if there is no mask. gaveLinked
// returns false if the call must fail.
func (m *model) gaveLinked(e Entity, mask *modelQuery, i int, n int32) bool {
	row := m.rows[e]
	if row == nil {
		return false
	}
	var meant []*modelEntity
	for _, e := range row.group {
		if part := m.rows[e]; part != nil && (mask == nil && part.has[i] || mask != nil && mask.reachesEntity(part)) {
			meant = append(meant, part)
		}
	}
	for _, part := range meant {
		part.give(i, n)
	}
	return true
}
