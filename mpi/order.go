package mpi

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/order"
)

// rows says in which row of the grid's input an entity is: rows are in the order of IDs, those of ghosts among them. A grid that
// is built of them has the rows of a cell in that order, and so whoever adds up neighbours does it in one order on any number of ranks.
type rows struct {
	at     []int32  // the row, from 1, by the index of an entity: 0 of those that have none
	ghost  []uint64 // a bit for each row
	late   []uint64 // the same, of rows whose results do not count: all ghosts, and those of the other half of a tick
	n      int
	marks  []mark   // of the IDs that are here
	ids    []uint64 // where they are far apart
	lists  []list   // of those that are numbered
	places []int32
	sorter order.Sorter[uint64, int32]
}

// list is some rows: their IDs, and the entities.
type list struct {
	ids      []uint64
	entities []ecs.Entity
}

// mark has a bit for each of 64 IDs, and how many rows are before them.
type mark struct {
	bits   uint64
	other  [3]uint64 // of rows in turn, until they are counted: who writes a word again at once waits for it
	before int32
}

// wordsOfRow is how many words of marks there may be for each row: beyond that IDs are sorted.
const wordsOfRow = 4

// Order numbers the rows that are here, own ones and ghosts, in the order of their IDs, after Migrate and Halo.
func (d *Domain[T]) Order() error {
	d.look()
	if err := d.number(true); err != nil {
		return err
	}
	for c := range d.halo.ghosts.Chunks() {
		d.order.note(d.order.ghost, c.Entities())
		d.order.note(d.order.late, c.Entities())
	}
	return nil
}

// look notes what own rows there are, chunk by chunk, until rows come or go: several loops go through them.
func (d *Domain[T]) look() {
	d.chunks = d.chunks[:0]
	for c := range d.own.Chunks() {
		n := len(d.chunks)
		d.chunks = slices.Grow(d.chunks, 1)[:n+1] // with the memory for its lanes
		o := &d.chunks[n]
		o.points, o.list, o.lanes = d.points(c, d.early.inner.axes), c.Entities(), o.lanes[:0]
		for _, l := range d.halo.lanes {
			o.lanes = append(o.lanes, ecs.LaneOf(c, l.of, l.at))
		}
	}
}

// number numbers own rows, and ghosts.
func (d *Domain[T]) number(ghosts bool) error {
	o := &d.order
	o.lists = o.lists[:0]
	n := 0
	for i := range d.chunks {
		c := &d.chunks[i]
		o.lists = append(o.lists, list{c.ids, c.list})
		n += len(c.ids)
	}
	if ghosts {
		for c := range d.halo.ghosts.Chunks() {
			o.lists = append(o.lists, list{numbers(ecs.LaneOf(c, d.split.ID, 0)), c.Entities()})
			n += c.Len()
		}
	}
	return d.numberLists(n)
}

// numberLists numbers the n rows of all lists.
func (d *Domain[T]) numberLists(n int) error {
	o := &d.order
	o.begin(n)
	for _, l := range o.lists {
		if !o.mark(l.ids) {
			return d.sortLists()
		}
	}
	if !o.counted() { // sorting finds the ID that is there twice
		return d.sortLists()
	}
	for _, l := range o.lists {
		o.number(l.ids, l.entities)
	}
	return nil
}

// begin begins to number n rows.
func (o *rows) begin(n int) {
	o.n = n
	o.ghost = append(o.ghost[:0], make([]uint64, (n+63)/64)...)
	o.late = append(o.late[:0], make([]uint64, (n+63)/64)...)
	clear(o.marks)
}

// counted counts what was marked, and reports whether that is all rows.
func (o *rows) counted() bool {
	n := 0
	for i := range o.marks {
		m := &o.marks[i]
		m.before = int32(n)
		m.bits |= m.other[0] | m.other[1] | m.other[2]
		n += bits.OnesCount64(m.bits)
	}
	return n == o.n
}

// mark marks IDs, and reports whether there is room for their marks.
func (o *rows) mark(ids []uint64) bool {
	marks := o.marks
	for len(ids) >= 4 {
		a, b, c, d := ids[0], ids[1], ids[2], ids[3]
		if max(a, b, c, d)/64 >= uint64(len(marks)) {
			break
		}
		marks[a/64].bits |= 1 << (a % 64)
		marks[b/64].other[0] |= 1 << (b % 64)
		marks[c/64].other[1] |= 1 << (c % 64)
		marks[d/64].other[2] |= 1 << (d % 64)
		ids = ids[4:]
	}
	for _, id := range ids {
		w := id / 64
		if w >= uint64(len(marks)) {
			if w >= uint64(wordsOfRow*o.n) {
				return false
			}
			marks = append(marks, make([]mark, int(w)+1-len(marks))...)
			o.marks = marks
		}
		marks[w].bits |= 1 << (id % 64)
	}
	return true
}

// number numbers entities by the marks before theirs.
func (o *rows) number(ids []uint64, entities []ecs.Entity) {
	at, marks, entities := o.at, o.marks, entities[:len(ids)]
	for i, id := range ids {
		m, e := &marks[id/64], entities[i].Index
		if int(e) >= len(at) {
			at = append(at, make([]int32, int(e)+1-len(at))...)
			o.at = at
		}
		at[e] = m.before + int32(bits.OnesCount64(m.bits&(2<<(id%64)-1))) // itself with them
	}
}

// note sets the bits of rows.
func (o *rows) note(words []uint64, entities []ecs.Entity) {
	for _, e := range entities {
		row := o.at[e.Index] - 1
		words[row/64] |= 1 << (row % 64)
	}
}

// sortLists numbers rows whose IDs are far apart.
func (d *Domain[T]) sortLists() error {
	o := &d.order
	o.marks, o.ids, o.places = o.marks[:0], o.ids[:0], o.places[:0]
	for _, l := range o.lists {
		o.ids = append(o.ids, l.ids...)
		for _, e := range l.entities {
			o.places = append(o.places, e.Index)
		}
	}
	o.sorter.SortPairs(o.ids, o.places)
	for row, e := range o.places {
		if row > 0 && o.ids[row-1] == o.ids[row] {
			return d.comm.fail("Order", fmt.Errorf("%w, %d: each row has one of its own; rows that ranks make are numbered apart", ErrID, o.ids[row]))
		}
		if int(e) >= len(o.at) {
			o.at = append(o.at, make([]int32, int(e)+1-len(o.at))...)
		}
		o.at[e] = int32(row) + 1
	}
	return nil
}

// Len is how many rows are numbered: those that are here, own ones and ghosts, as of Order, or of [Domain.Start] or [Domain.Finish].
func (d *Domain[T]) Len() int { return d.order.n }

// AppendRows appends the rows of entities in the order of IDs, as of Order, or −1 of those that Finish leaves out. It may be called by any
// goroutine. It panics if an entity was made after the rows were numbered.
func (d *Domain[T]) AppendRows(rows []int32, entities []ecs.Entity) []int32 {
	at := d.order.at
	for _, e := range entities {
		if uint(e.Index) >= uint(len(at)) {
			panic(fmt.Sprintf("mpi: Domain.AppendRows: %v is beyond the %d entities that were there when rows were numbered: make rows before Exchange or Start, or after all is computed", e, len(at)))
		}
		rows = append(rows, at[e.Index]-1)
	}
	return rows
}

// Ghost reports whether a row is of another rank. It may be called by any goroutine.
func (d *Domain[T]) Ghost(row int32) bool { return d.order.ghost[row/64]>>(row%64)&1 != 0 }

// Counts reports whether what is computed for a row is to be kept: not for a ghost, which another rank computes; after [Domain.Start]
// for rows that see no ghosts, and after [Domain.Finish] for the others. It may be called by any goroutine.
func (d *Domain[T]) Counts(row int32) bool { return d.order.late[row/64]>>(row%64)&1 == 0 }
