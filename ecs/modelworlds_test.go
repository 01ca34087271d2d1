package ecs

import (
	"fmt"
	"slices"
)

// changePlaces swaps the two worlds of the model.
func (m *model) changePlaces() {
	o := m.peer
	*m, *o = *o, *m
	m.peer, o.peer = o, nil
	m.in, m.used, m.last = o.in, o.used, "changePlaces"
}

// moveFrom moves entities from the peer's world to the world of m.
func (m *model) moveFrom() {
	src := m.peer
	q := &src.queries[m.byte()%len(src.queries)]
	all := m.byte()%4 == 0
	m.last = fmt.Sprint("MoveEntities ", q.q, all)
	var list []Entity // in order
	if all {
		list = slices.Collect(src.w.Entities())
	} else if len(q.q.enableables) == 0 {
		list = q.q.AppendEntities(nil)
	}
	var moved EntityMap
	if all {
		m.ok(MoveEntities(m.w, src.w, &moved))
	} else if err := MoveMatching(m.w, q.q, &moved); len(q.q.enableables) > 0 {
		m.refused(err)
		return
	} else {
		m.ok(err)
	}
	if len(moved.Entities) != len(list) {
		m.t.Fatalf("%s: %d entities were moved, want %d", m.last, len(moved.Entities), len(list))
	}
	became := map[Entity]Entity{}
	for i, e := range list {
		row := *src.rows[e]
		src.removeEntity(e)
		m.addEntity(moved.Entities[i], row)
		became[e] = moved.Entities[i]
		if moved.NewID(e) != moved.Entities[i] {
			m.t.Fatalf("%s: %v is %v, want %v", m.last, e, moved.NewID(e), moved.Entities[i])
		}
	}
	for _, e := range moved.Entities {
		m.rows[e].redirect(func(e Entity) Entity { return became[e] })
	}
}

// copyFrom copies entities from the peer's world to the world of m.
func (m *model) copyFrom() {
	m.createCopies("CopyFrom", m.peer, false, func(list []Entity) ([]Entity, error) { return CopyEntities(m.w, m.peer.w, list) })
}

func (m *model) instantiateAll() { m.createCopies("InstantiateAll", m, true, m.w.InstantiateAll) }

func (m *model) copyAll() { m.createCopies("CloneAll", m, false, m.w.CloneAll) }

// createCopies creates copies of some entities of a world.
func (m *model) createCopies(op string, src *model, use bool, f func([]Entity) ([]Entity, error)) {
	src.in, src.used = m.in, m.used
	list := src.pickSome()
	if e := src.pickRoot(); len(list) > 0 && !e.IsZero() {
		list = append(list, src.rows[e].group...)
	}
	m.used = src.used
	if m.byte()%8 > 0 { // mostly without entities that are refused
		slices.SortFunc(list, Entity.Compare)
		list = slices.DeleteFunc(slices.Compact(list), func(e Entity) bool { return !src.copyable(e) })
	}
	m.last = fmt.Sprint(op, list)
	made, err := f(list)
	if !src.copyableAll(list) {
		m.refused(err)
		return
	}
	m.ok(err)
	if want := m.addCopies(src, list, 1, use); !slices.Equal(made, want) {
		m.t.Fatalf("%s: got %v, want %v", m.last, made, want)
	}
}

// transaction creates entities in jobs.
func (m *model) transaction() {
	set, n := m.set(), m.byte()%64
	m.last = fmt.Sprint("Transaction ", set, n)
	x, err := BeginTransaction(m.w)
	m.ok(err)
	ids := make([]Entity, n)
	for lo := 0; lo < n; lo += 16 {
		part := ids[lo:min(n, lo+16)]
		x.Schedule(TransactionFunc(func(w *World) error {
			return w.CreateInto(w.Archetype(terms(set)...), part)
		}))
	}
	m.ok(x.End())
	for _, e := range ids {
		m.addEntity(e, m.fresh(set))
	}
}
