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
	at     []int32  // the row, by the index of an entity
	ghost  []uint64 // a bit for each row
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
	o := &d.order
	own := d.own.Count()
	o.n = own + d.halo.ghosts.Count()
	o.ghost = append(o.ghost[:0], make([]uint64, (o.n+63)/64)...)
	o.marks = append(o.marks[:0], make([]uint64, len(o.marks))...)
	for _, q := range []*ecs.Query{d.own, d.halo.ghosts} {
		for c := range q.Chunks() {
			if !o.mark(numbers(ecs.LaneOf(c, d.split.ID, 0))) {
				return d.sortOrder()
			}
		}
	}
	o.before = append(o.before[:0], make([]int32, len(o.marks))...)
	n := 0
	for w, m := range o.marks {
		o.before[w] = int32(n)
		n += bits.OnesCount64(m)
	}
	if n != o.n { // sorting finds the ID that is there twice
		return d.sortOrder()
	}
	for c := range d.own.Chunks() {
		o.number(numbers(ecs.LaneOf(c, d.split.ID, 0)), c.Entities())
	}
	for c := range d.halo.ghosts.Chunks() {
		o.number(numbers(ecs.LaneOf(c, d.split.ID, 0)), c.Entities())
		o.mine(c.Entities())
	}
	return nil
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
	marks, before, entities := o.marks, o.before[:len(o.marks)], entities[:len(ids)]
	for i, id := range ids {
		w, e := id/64, entities[i].Index
		if int(e) >= len(o.at) {
			o.at = append(o.at, make([]int32, int(e)+1-len(o.at))...)
		}
		o.at[e] = before[w] + int32(bits.OnesCount64(marks[w]&(1<<(id%64)-1)))
	}
}

// mine notes that rows are those of ghosts.
func (o *rows) mine(ghosts []ecs.Entity) {
	for _, e := range ghosts {
		row := o.at[e.Index]
		o.ghost[row/64] |= 1 << (row % 64)
	}
}

// sortOrder numbers rows whose IDs are far apart.
func (d *Domain[T]) sortOrder() error {
	o := &d.order
	o.marks, o.ids, o.places = o.marks[:0], o.ids[:0], o.places[:0]
	for _, q := range []*ecs.Query{d.own, d.halo.ghosts} {
		for c := range q.Chunks() {
			o.ids = append(o.ids, numbers(ecs.LaneOf(c, d.split.ID, 0))...)
			for _, e := range c.Entities() {
				o.places = append(o.places, e.Index)
			}
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
		o.at[e] = int32(row)
	}
	for c := range d.halo.ghosts.Chunks() {
		o.mine(c.Entities())
	}
	return nil
}

// Len is how many rows there are here, own ones and ghosts, as of Order.
func (d *Domain[T]) Len() int { return d.order.n }

// AppendRows appends the rows of entities in the order of IDs, as of Order. It may be called by any goroutine.
func (d *Domain[T]) AppendRows(rows []int32, entities []ecs.Entity) []int32 {
	at := d.order.at
	for _, e := range entities {
		rows = append(rows, at[e.Index])
	}
	return rows
}

// Ghost reports whether a row is of another rank. It may be called by any goroutine.
func (d *Domain[T]) Ghost(row int32) bool { return d.order.ghost[row/64]>>(row%64)&1 != 0 }
