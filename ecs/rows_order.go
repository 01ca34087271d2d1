package ecs

import (
	"encoding/binary"
	"slices"

	"github.com/lanewise/lanewise/ecs/internal/table"
	"github.com/lanewise/lanewise/order"
)

// OrderBy sorts the rows that a query matches by keys, the lowest first, so that entities that are used
// together are neighbours in memory. For example, sort along a curve through space (see
// near.Space.Hilbert), by a target, or by the time of an event. Rows with equal keys keep their order. The
// function keys is called once for each matching chunk, in the order of a loop, and sets keys[i] to the
// key of row i; the keys are 0 before.
//
// Rows are sorted within their archetype and their shared values, and only among rows that the query
// matches: chunks keep their number of rows, and other rows stay in place. Each entity keeps its id and
// all its values, with enabled bits, elements of buffers and managed components, and references to it stay
// valid. Chunk components stay with their chunks. Only the keys decide, so that the order is the same on
// every machine and with any number of workers.
//
// OrderBy is a structural change and a sync point. As in Defragment no value counts as written. A chunk
// with moved rows gets, for [Changed], the newest version of the chunks that the rows come from, and for
// [OrderChanged] its rows have come and gone. Chunks whose rows all stay in place have not changed, and if
// all rows are in order, nothing has. If the function panics, OrderBy changes nothing. The function must
// not change the world. The error is of category [ErrArgument] if keys is nil, [ErrDisposed] if the query
// is closed, and [ErrState] if w cannot be changed now.
//
// A row of k lanes takes about as long as k lookups and the sort of a key. The memory for a key and the
// longest lane of all rows is kept for the next call.
func OrderBy(w *World, q *Query, keys func(c *Chunk, keys []uint64)) error {
	const op = "OrderBy"
	if err := w.own(op, q); err != nil {
		return err
	}
	if keys == nil {
		return w.gate.fault(ErrArgument, op, "the function is nil: it sets the key of each row")
	}
	if err := w.may(op); err != nil {
		return err
	}
	if err := w.complete(op); err != nil {
		return err
	}
	o, ok := w.hooks.attached[orderingOf{}].(*ordering)
	if !ok {
		o = &ordering{}
		w.hooks.attach(orderingOf{}, o)
	}
	defer o.forget()
	if err := o.ask(q, keys); err != nil {
		return err
	}
	for _, s := range o.spans {
		if err := w.tables.mayEdit(op, s.rec.arch); err != nil {
			return err
		}
	}
	if err := w.canChange(op); err != nil {
		return err
	}
	defer w.gate.idle()
	if err := w.complete(op); err != nil { // jobs that the function has scheduled
		return err
	}
	o.sorter.Pool = w.gate.workers()
	begun := false
	for o.next() {
		if !begun {
			if err := w.commit(op); err != nil {
				return err
			}
			begun = true
		}
		o.place(&w.tables)
	}
	if begun {
		w.finish()
	}
	return nil
}

// orderingOf is the key of a world's ordering.
type orderingOf struct{}

// ordering is the state of OrderBy, and its memory.
type ordering struct {
	sorter order.Sorter[uint64, int32]
	keys   []uint64    // of all rows of all matching chunks
	spans  []keyedRows // the matching rows; those of a group are neighbours
	groups map[*group]int
	left   []keyedRows // groups that are not yet sorted

	own    []keyedRows // those of one group
	sorted []uint64    // their keys
	index  []int32     // which of its rows comes first, second and so on
	moved  []keyedRows // those of own in which a row moves

	bytes   []byte // a lane of them
	ids     []Entity
	blocks  [][]uint64
	on      []bool
	version []uint32
}

// keyedRows is a range of rows with keys.
type keyedRows struct {
	span
	at    int // its first key in keys, and later its first row in the group
	group int
}

// forget drops references to memory that the world may free.
func (o *ordering) forget() {
	clear(o.spans)
	clear(o.own)
	clear(o.moved)
	clear(o.groups)
	clear(o.blocks)
	o.spans, o.left, o.own, o.moved, o.blocks = o.spans[:0], nil, o.own[:0], o.moved[:0], o.blocks[:0]
}

// ask calls the function for the keys of all matching rows.
func (o *ordering) ask(q *Query, keys func(c *Chunk, keys []uint64)) error {
	if err := q.ready("OrderBy"); err != nil {
		return err
	}
	if o.groups == nil {
		o.groups = map[*group]int{}
	}
	o.keys, o.spans = o.keys[:0], o.spans[:0]
	q.loop(func(c *Chunk) bool {
		first := len(o.keys)
		o.keys = slices.Grow(o.keys, c.n)[:first+c.n]
		clear(o.keys[first:])
		g, known := o.groups[c.rec.group]
		if !known {
			g = len(o.groups)
			o.groups[c.rec.group] = g
		}
		for lo, hi := range c.Runs() {
			o.spans = append(o.spans, keyedRows{span{c.rec, c.first + lo, hi - lo}, first + lo, g})
		}
		keys(c, o.keys[first:])
		return true
	})
	slices.SortStableFunc(o.spans, func(a, b keyedRows) int { return a.group - b.group })
	o.left = o.spans
	return nil
}

// next sorts the next group that is not in order, and reports whether there is one.
func (o *ordering) next() bool {
	for len(o.left) > 0 {
		n := slices.IndexFunc(o.left, func(s keyedRows) bool { return s.group != o.left[0].group })
		if n < 0 {
			n = len(o.left)
		}
		o.own, o.sorted = append(o.own[:0], o.left[:n]...), o.sorted[:0]
		o.left = o.left[n:]
		for i := range o.own {
			s := &o.own[i]
			k := s.at
			s.at = len(o.sorted)
			o.sorted = append(o.sorted, o.keys[k:k+s.n]...)
		}
		if slices.IsSorted(o.sorted) {
			continue
		}
		o.index = resize(o.index, len(o.sorted))
		order.Argsort(&o.sorter, o.index, o.sorted)
		o.moved = o.moved[:0]
		for _, s := range o.own {
			for i, from := range o.index[s.at : s.at+s.n] {
				if int(from) != s.at+i {
					o.moved = append(o.moved, s)
					break
				}
			}
		}
		return true
	}
	return false
}

// place moves the rows of a group to their new places.
func (o *ordering) place(w *tables) {
	r := o.moved[0].rec
	rows := len(o.index)
	o.placeIDs(w, rows)
	for _, l := range r.arch.copy.Pairs() {
		o.placeLane(table.Lane{Index: l.To, Size: l.Size}, rows)
	}
	for k := range r.spills {
		o.placeBlocks(k, rows)
	}
	for k := range r.arch.switches {
		o.placeSwitches(k, rows)
	}
	for k := range r.arch.managed {
		o.placeObjects(k, rows)
	}
	o.version = append(o.version[:0], r.versions...)
	for _, s := range o.moved {
		for i, v := range s.rec.versions {
			o.version[i] = newest(o.version[i], v)
		}
	}
	var last *record
	for _, s := range o.moved {
		if s.rec == last {
			continue
		}
		last = s.rec
		copy(last.versions, o.version)
		w.moved(last)
	}
}

func (o *ordering) placeIDs(w *tables, rows int) {
	o.ids = slices.Grow(o.ids[:0], rows)[:rows]
	for _, s := range o.moved {
		copy(o.ids[s.at:], s.ids())
	}
	for _, s := range o.moved {
		ids := s.ids()
		for i, from := range o.index[s.at : s.at+s.n] {
			ids[i] = o.ids[from]
		}
		w.entities.place(ids, s.rec.id, s.first)
	}
}

func (o *ordering) placeLane(l table.Lane, rows int) {
	size := int(l.Size)
	o.bytes = slices.Grow(o.bytes[:0], rows*size)[:rows*size]
	for _, s := range o.moved {
		copy(o.bytes[s.at*size:], s.rec.Bytes(l, s.first, s.n))
	}
	for _, s := range o.moved {
		to, index := s.rec.Bytes(l, s.first, s.n), o.index[s.at:s.at+s.n]
		switch size {
		case 4:
			for i, from := range index {
				binary.NativeEndian.PutUint32(to[4*i:], binary.NativeEndian.Uint32(o.bytes[4*int(from):]))
			}
		case 8:
			for i, from := range index {
				binary.NativeEndian.PutUint64(to[8*i:], binary.NativeEndian.Uint64(o.bytes[8*int(from):]))
			}
		default:
			for i, from := range index {
				copy(to[size*i:size*(i+1)], o.bytes[size*int(from):])
			}
		}
	}
}

// placeBlocks moves the heap blocks of a buffer.
func (o *ordering) placeBlocks(k, rows int) {
	if !slices.ContainsFunc(o.moved, func(s keyedRows) bool { return s.rec.spills[k].rows != nil }) {
		return
	}
	o.blocks = resize(o.blocks, rows)
	for _, s := range o.moved {
		if list := s.rec.spills[k].rows; list != nil {
			copy(o.blocks[s.at:], list[s.first:s.first+s.n])
		}
	}
	for _, s := range o.moved {
		l := &s.rec.spills[k]
		for i, from := range o.index[s.at : s.at+s.n] {
			if l.rows == nil && o.blocks[from] != nil {
				l.rows = make([][]uint64, s.rec.Rows())
			}
			if l.rows != nil {
				l.rows[s.first+i] = o.blocks[from]
			}
		}
	}
}

func (o *ordering) placeSwitches(k, rows int) {
	o.on = slices.Grow(o.on[:0], rows)[:rows]
	for _, s := range o.moved {
		for i := range s.n {
			o.on[s.at+i] = s.rec.switches[k].on(s.first + i)
		}
	}
	for _, s := range o.moved {
		for i, from := range o.index[s.at : s.at+s.n] {
			s.rec.switches[k].set(s.first+i, o.on[from])
		}
	}
}

// placeObjects moves managed components.
func (o *ordering) placeObjects(k, rows int) {
	all := newObjects(o.moved[0].rec.objects[k].rows.Type().Elem(), rows)
	for _, s := range o.moved {
		all.copy(s.at, &s.rec.objects[k], s.first, s.n)
	}
	for _, s := range o.moved {
		for i, from := range o.index[s.at : s.at+s.n] {
			s.rec.objects[k].rows.Index(s.first + i).Set(all.rows.Index(int(from)))
		}
	}
}
