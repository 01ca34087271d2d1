package mpi

import (
	"math/bits"

	"github.com/lanewise/lanewise/order"
)

// far numbers IDs that are too sparse for bit marks. The numbering sorts the IDs, and finds
// them with a hash table.
type far struct {
	ids    []uint64 // in their order
	table  []int32  // rows plus 1, at or after the hash of their ID; 0 is free
	shift  int
	sorter order.Sorter[uint64, struct{}]
}

// number numbers the IDs of all lists. If an ID occurs twice, it returns that
// ID.
func (f *far) number(lists [][]uint64) (id uint64, twice bool) {
	f.ids = f.ids[:0]
	for _, l := range lists {
		f.ids = append(f.ids, l...)
	}
	f.sorter.Sort(f.ids)
	f.shift = 64 - bits.Len(uint(2*len(f.ids)))
	f.table = resizeList(f.table, 1<<(64-f.shift))
	clear(f.table)
	for row, id := range f.ids {
		if row > 0 && f.ids[row-1] == id {
			return id, true
		}
		at := f.first(id)
		for f.table[at] != 0 {
			at = (at + 1) & (len(f.table) - 1)
		}
		f.table[at] = int32(row) + 1
	}
	return 0, false
}

// first returns the index in the table at which the search for an ID begins.
// The ID is at this index or after it. The factor is 2^64 divided by the golden
// ratio (Knuth, volume 3, 6.4).
func (f *far) first(id uint64) int { return int(id * 0x9e3779b97f4a7c15 >> f.shift) }

// row returns the row of an ID, or -1 if the ID has none.
func (f *far) row(id uint64) int32 {
	for at := f.first(id); ; at = (at + 1) & (len(f.table) - 1) {
		if row := f.table[at] - 1; row < 0 || f.ids[row] == id {
			return row
		}
	}
}
