package mpi

import (
	"fmt"
	"math/bits"

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
	marks  []uint64 // a bit for each ID that is here
	before []int32  // how many are before each word of marks
	ids    []uint64 // where they are far apart
	places []int32
	sorter order.Sorter[uint64, int32]
}

// wordsOfRow is how many words of marks there may be for each row: beyond that IDs are sorted.
const wordsOfRow = 4

// Order numbers the rows that are here, own ones and ghosts, in the order of their IDs, after Migrate and Halo.
func (d *Domain[T]) Order() error {
	if err := d.number([]*ecs.Query{d.own, d.halo.ghosts}); err != nil {
		return err
	}
	for c := range d.halo.ghosts.Chunks() {
		d.order.note(d.order.ghost, c.Entities())
		d.order.note(d.order.late, c.Entities())
	}
	return nil
}

// number numbers the rows of some queries.
func (d *Domain[T]) number(of []*ecs.Query) error {
	o := &d.order
	n := 0
	for _, q := range of {
		n += q.Count()
	}
	o.begin(n)
	for _, q := range of {
		for c := range q.Chunks() {
			if !o.mark(numbers(ecs.LaneOf(c, d.split.ID, 0))) {
				return d.sortOrder(of)
			}
		}
	}
	if !o.counted() { // sorting finds the ID that is there twice
		return d.sortOrder(of)
	}
	for _, q := range of {
		for c := range q.Chunks() {
			o.number(numbers(ecs.LaneOf(c, d.split.ID, 0)), c.Entities())
		}
	}
	return nil
}

// begin begins to number n rows.
func (o *rows) begin(n int) {
	o.n = n
	o.ghost = append(o.ghost[:0], make([]uint64, (n+63)/64)...)
	o.late = append(o.late[:0], make([]uint64, (n+63)/64)...)
	o.marks = append(o.marks[:0], make([]uint64, len(o.marks))...)
}

// counted counts what was marked, and reports whether that is all rows.
func (o *rows) counted() bool {
	o.before = append(o.before[:0], make([]int32, len(o.marks))...)
	n := 0
	for w, m := range o.marks {
		o.before[w] = int32(n)
		n += bits.OnesCount64(m)
	}
	return n == o.n
}

// mark marks IDs, and reports whether there is room for their marks.
func (o *rows) mark(ids []uint64) bool {
	marks := o.marks
	for _, id := range ids {
		w := id / 64
		if w >= uint64(len(marks)) {
			if w >= uint64(wordsOfRow*o.n) {
				return false
			}
			marks = append(marks, make([]uint64, int(w)+1-len(marks))...)
			o.marks = marks
		}
		marks[w] |= 1 << (id % 64)
	}
	return true
}

// number numbers entities by the marks before theirs.
func (o *rows) number(ids []uint64, entities []ecs.Entity) {
	at, marks, before, entities := o.at, o.marks, o.before[:len(o.marks)], entities[:len(ids)]
	for i, id := range ids {
		w, e := id/64, entities[i].Index
		if int(e) >= len(at) {
			at = append(at, make([]int32, int(e)+1-len(at))...)
			o.at = at
		}
		at[e] = before[w] + int32(bits.OnesCount64(marks[w]&(2<<(id%64)-1))) // itself with them
	}
}

// note sets the bits of rows.
func (o *rows) note(words []uint64, entities []ecs.Entity) {
	for _, e := range entities {
		row := o.at[e.Index] - 1
		words[row/64] |= 1 << (row % 64)
	}
}

// sortOrder numbers rows whose IDs are far apart.
func (d *Domain[T]) sortOrder(of []*ecs.Query) error {
	o := &d.order
	o.marks, o.ids, o.places = o.marks[:0], o.ids[:0], o.places[:0]
	for _, q := range of {
		for c := range q.Chunks() {
			o.ids = append(o.ids, numbers(ecs.LaneOf(c, d.split.ID, 0))...)
			for _, e := range c.Entities() {
				o.places = append(o.places, e.Index)
			}
		}
	}
	return d.sortIDs()
}

// sortIDs numbers what is in ids and places.
func (d *Domain[T]) sortIDs() error {
	o := &d.order
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
// goroutine.
func (d *Domain[T]) AppendRows(rows []int32, entities []ecs.Entity) []int32 {
	at := d.order.at
	for _, e := range entities {
		rows = append(rows, at[e.Index]-1)
	}
	return rows
}

// Ghost reports whether a row is of another rank. It may be called by any goroutine.
func (d *Domain[T]) Ghost(row int32) bool { return d.order.ghost[row/64]>>(row%64)&1 != 0 }

// Counts reports whether what is computed for a row is to be kept: not for a ghost, which another rank computes; after [Domain.Start]
// for rows that see no ghosts, and after [Domain.Finish] for the others. It may be called by any goroutine.
func (d *Domain[T]) Counts(row int32) bool { return d.order.late[row/64]>>(row%64)&1 == 0 }
