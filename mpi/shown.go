package mpi

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// clear removes all rows.
func (r *points[T]) clear() {
	r.ids = r.ids[:0]
	for a := range r.at {
		r.at[a] = r.at[a][:0]
	}
}

// add appends the given rows of p, and returns the appended rows.
func (r *points[T]) add(p *points[T], rows []int32, axes []int) (added points[T]) {
	n := len(r.ids)
	r.ids = appendRows(r.ids, p.ids, rows)
	added.axes, added.ids = p.axes, r.ids[n:]
	for _, a := range axes {
		r.at[a] = appendRows(r.at[a], p.at[a], rows)
		added.at[a] = r.at[a][n:]
	}
	return added
}

// appendRows appends the elements of a lane at the given rows.
func appendRows[E any](list, lane []E, rows []int32) []E {
	n := len(list)
	list = slices.Grow(list, len(rows))[:n+len(rows)]
	to := list[n:]
	for i, row := range rows {
		to[i] = lane[row]
	}
	return list
}

// mapInside maps coordinates into the space, if it is periodic.
func (r *points[T]) mapInside() {
	for a, x := range r.at {
		if len(x) == 0 {
			continue
		}
		l := &r.axes[a]
		low, high := T(l.low), T(l.high)
		if low == high {
			continue
		}
		for i, v := range x {
			if !(v >= low && v < high) {
				x[i] = image(l, v)
			}
		}
	}
}

// appendValues appends the elements of a lane for some rows.
func appendValues(b, lane []byte, rows []int32, size int) []byte {
	n := len(b)
	b = slices.Grow(b, len(rows)*size)[:n+len(rows)*size]
	to := b[n:]
	switch size {
	case 4:
		for i, row := range rows {
			binary.NativeEndian.PutUint32(to[4*i:4*i+4], binary.NativeEndian.Uint32(lane[4*int(row):4*int(row)+4]))
		}
	case 8:
		for i, row := range rows {
			binary.NativeEndian.PutUint64(to[8*i:8*i+8], binary.NativeEndian.Uint64(lane[8*int(row):8*int(row)+8]))
		}
	default:
		for i, row := range rows {
			copy(to[size*i:size*i+size], lane[size*int(row):])
		}
	}
	return b
}

// resizeList returns a list of length n, which reuses the memory of the given list.
func resizeList[E any](list []E, n int) []E { return slices.Grow(list[:0], n)[:n] }

// moveValues copies elements from one lane to another. The lists from and to
// hold the rows.
func moveValues(lane, other []byte, to, from []int32, size int) {
	from = from[:len(to)]
	switch size {
	case 4:
		for i, row := range to {
			binary.NativeEndian.PutUint32(lane[4*int(row):4*int(row)+4], binary.NativeEndian.Uint32(other[4*int(from[i]):4*int(from[i])+4]))
		}
	case 8:
		for i, row := range to {
			binary.NativeEndian.PutUint64(lane[8*int(row):8*int(row)+8], binary.NativeEndian.Uint64(other[8*int(from[i]):8*int(from[i])+8]))
		}
	default:
		for i, row := range to {
			copy(lane[size*int(row):size*int(row)+size], other[size*int(from[i]):])
		}
	}
}

// takeValues copies elements into the given rows of a lane; it skips rows of
// -1.
func takeValues(lane, from []byte, rows []int32, size int) {
	switch size {
	case 4:
		for i, row := range rows {
			if row >= 0 {
				binary.NativeEndian.PutUint32(lane[4*i:4*i+4], binary.NativeEndian.Uint32(from[4*int(row):4*int(row)+4]))
			}
		}
	case 8:
		for i, row := range rows {
			if row >= 0 {
				binary.NativeEndian.PutUint64(lane[8*i:8*i+8], binary.NativeEndian.Uint64(from[8*int(row):8*int(row)+8]))
			}
		}
	default:
		for i, row := range rows {
			if row >= 0 {
				copy(lane[size*i:size*i+size], from[size*int(row):])
			}
		}
	}
}

// count sets before[k] to the number of set bits before word k.
func count(before []int32, words []uint64) []int32 {
	before = append(before[:0], make([]int32, len(words))...)
	n := 0
	for i, w := range words {
		before[i] = int32(n)
		n += bits.OnesCount64(w)
	}
	return before
}
