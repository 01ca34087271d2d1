package mpi

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// nearby are rows, near the border in the end, with their coordinates along the axes that are cut.
type nearby[T kernels.Float] struct {
	points[T]
	list []ecs.Entity
}

// clear takes all out.
func (r *nearby[T]) clear() {
	r.ids, r.list = r.ids[:0], r.list[:0]
	for a := range r.at {
		r.at[a] = r.at[a][:0]
	}
}

// add adds some rows of others, and returns what was added.
func (r *nearby[T]) add(p *nearby[T], rows []int32, axes []int) (added nearby[T]) {
	n := len(r.ids)
	r.ids, r.list = appendRows(r.ids, p.ids, rows), appendRows(r.list, p.list, rows)
	added.axes, added.ids, added.list = p.axes, r.ids[n:], r.list[n:]
	for _, a := range axes {
		r.at[a] = appendRows(r.at[a], p.at[a], rows)
		added.at[a] = r.at[a][n:]
	}
	return added
}

// appendRows appends some rows of a lane.
func appendRows[E any](list, lane []E, rows []int32) []E {
	n := len(list)
	list = append(list, make([]E, len(rows))...)
	to := list[n:][:len(rows)]
	for i, row := range rows {
		to[i] = lane[row]
	}
	return list
}

// inside brings coordinates into the space, if that is periodic.
func (r *nearby[T]) inside() {
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

// appendValues appends what a lane has in some rows.
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

// has reports whether a bit is set.
func has(words []uint64, k int32) bool { return words[k/64]>>(k%64)&1 != 0 }

// count counts those before each word.
func count(before []int32, words []uint64) []int32 {
	before = append(before[:0], make([]int32, len(words))...)
	n := 0
	for i, w := range words {
		before[i] = int32(n)
		n += bits.OnesCount64(w)
	}
	return before
}
