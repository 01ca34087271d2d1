package ecs

import (
	"reflect"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

// Swap lets two entities of one archetype, and of equal shared values, change places:
// each has its id and its values as before, the enabled bits, elements of buffers and
// managed components among them, in the row where the other one was. Values of chunks
// stay with their chunks. With it rows are brought into an order of one's own: the
// order of loops, and of what lies side by side in memory.
//
// It is a structural change, though no row comes or goes: handles to buffers and views
// end, both chunks count as changed, and OrderChanged and OrderCount tell of it, since
// whoever remembers places must look again. An entity changes places with itself
// without any of that. The error is of category ErrArgument, and nothing is changed, if
// one of the two does not exist, or they have other components or other shared values.
func (w *World) Swap(a, b Entity) error {
	const op = "Swap"
	if err := w.open(op); err != nil {
		return err
	}
	from, to := w.entities.find(a), w.entities.find(b)
	switch {
	case from == nil:
		return w.lost(op, a)
	case to == nil:
		return w.lost(op, b)
	}
	r, s := w.records[from.record], w.records[to.record]
	if err := w.mayEdit(op, r.arch); err != nil {
		return err
	}
	if err := w.mayEdit(op, s.arch); err != nil {
		return err
	}
	switch {
	case r.arch != s.arch:
		return w.fault(ErrArgument, op, "it has %v and %v has %v: rows of one archetype change places", r.arch, b, s.arch).of(a)
	case r.group != s.group:
		return w.fault(ErrArgument, op, "its shared values are not those of %v: rows of chunks with equal shared values change places", b).of(a)
	}
	if a == b {
		return w.may(op)
	}
	if err := w.settled(op); err != nil {
		return err
	}
	if err := w.commit(op); err != nil {
		return err
	}
	r.swapRows(int(from.row), s, int(to.row))
	*from, *to = slot{from.version, to.record, to.row}, slot{to.version, from.record, from.row}
	w.moved(r)
	w.touchAll(r)
	if s != r {
		w.moved(s)
		w.touchAll(s)
	}
	w.finish()
	return nil
}

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
