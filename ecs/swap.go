package ecs

import (
	"reflect"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

// swapRows exchanges a row of r with one of a chunk of the same archetype.
func (r *record) swapRows(i int, s *record, j int) {
	own, other := r.idAt(i), s.idAt(j)
	*own, *other = *other, *own
	for _, l := range r.arch.copy.Pairs() {
		a := r.Bytes(table.Lane{Index: l.To, Size: l.Size}, i, 1)
		b := s.Bytes(table.Lane{Index: l.To, Size: l.Size}, j, 1)
		for k := range a {
			a[k], b[k] = b[k], a[k]
		}
	}
	for k := range r.spills {
		swapSpills(&r.spills[k], i, r.Rows(), &s.spills[k], j, s.Rows())
	}
	for k := range r.arch.switches {
		a, b := &r.switches[k], &s.switches[k]
		on := a.on(i)
		a.set(i, b.on(j))
		b.set(j, on)
	}
	for k := range r.arch.managed {
		a, b := r.objects[k].rows.Index(i), s.objects[k].rows.Index(j)
		own := reflect.New(a.Type()).Elem()
		own.Set(a)
		a.Set(b)
		b.Set(own)
	}
}

// swapSpills exchanges the heap blocks of two buffers.
func swapSpills(l *spill, i, rows int, m *spill, j, others int) {
	if l.rows == nil && m.rows == nil {
		return
	}
	if l.rows == nil {
		l.rows = make([][]uint64, rows)
	}
	if m.rows == nil {
		m.rows = make([][]uint64, others)
	}
	l.rows[i], m.rows[j] = m.rows[j], l.rows[i]
}
