package mpi

import (
	"cmp"
	"fmt"
	"math/bits"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/order"
)

// rows says in which row of the grid's input an entity is: rows are in the order of IDs, those of ghosts among them. A grid that
// is built of them has the rows of a cell in that order, and so whoever adds up neighbours does it in one order on any number of ranks.
type rows struct {
	ids    []uint64
	index  []int32  // of the entities
	at     []int32  // the row, by the index of an entity
	ghost  []uint64 // a bit for each row
	n      int
	marks  []uint64 // a bit for each ID that is here
	before []int32  // how many are before each word of marks
	sorter order.Sorter[uint64, int32]
	places []int32
}

// Order numbers the rows that are here, own ones and ghosts, in the order of their IDs, after Migrate and Halo.
func (d *Domain[T]) Order() error {
	o := &d.order
	o.ids, o.index = o.ids[:0], o.index[:0]
	most, top, own := uint64(0), int32(0), 0
	for _, q := range []*ecs.Query{d.own, d.halo.ghosts} {
		for c := range q.Chunks() {
			ids := numbers(ecs.LaneOf(c, d.split.ID, 0))
			o.ids = append(o.ids, ids...)
			for _, id := range ids {
				most = max(most, id)
			}
			for _, e := range c.Entities() {
				o.index = append(o.index, e.Index)
				top = max(top, e.Index)
			}
		}
		if q == d.own {
			own = len(o.ids)
		}
	}
	if o.n = len(o.ids); len(o.at) <= int(top) {
		o.at = make([]int32, int(top)+int(top)/4+1)
	}
	o.ghost = append(o.ghost[:0], make([]uint64, (o.n+63)/64)...)
	var twice uint64
	var unique bool
	if most/64 <= uint64(4*o.n) {
		twice, unique = o.count(int(most/64) + 1)
	} else {
		twice, unique = o.sort()
	}
	if !unique {
		return d.comm.fail("Order", fmt.Errorf("%w, %d: each row has one of its own; rows that ranks make are numbered apart", ErrID, twice))
	}
	for _, i := range o.index[own:] {
		row := o.at[i]
		o.ghost[row/64] |= 1 << (row % 64)
	}
	return nil
}

// count numbers rows by a bit for each ID there may be.
func (o *rows) count(words int) (twice uint64, unique bool) {
	o.marks = append(o.marks[:0], make([]uint64, words)...)
	o.before = append(o.before[:0], make([]int32, words)...)
	for _, id := range o.ids {
		o.marks[id/64] |= 1 << (id % 64)
	}
	n := int32(0)
	for w, m := range o.marks {
		o.before[w] = n
		n += int32(bits.OnesCount64(m))
	}
	if int(n) != len(o.ids) {
		return o.sort()
	}
	for i, id := range o.ids {
		o.at[o.index[i]] = o.before[id/64] + int32(bits.OnesCount64(o.marks[id/64]&(1<<(id%64)-1)))
	}
	return 0, true
}

// sort numbers rows whose IDs are far apart.
func (o *rows) sort() (twice uint64, unique bool) {
	o.places = append(o.places[:0], o.index...)
	o.sorter.SortPairs(o.ids, o.places)
	for row, i := range o.places {
		if row > 0 && cmp.Compare(o.ids[row-1], o.ids[row]) == 0 {
			return o.ids[row], false
		}
		o.at[i] = int32(row)
	}
	return 0, true
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
