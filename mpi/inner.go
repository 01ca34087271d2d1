package mpi

import (
	"math"
	"math/bits"
	"slices"

	"github.com/lanewise/lanewise/kernels"
)

// inner is a box inside a brick. No other rank needs the rows in this box, so that only
// rows outside of it must be checked individually. The box may be empty.
type inner struct{ lo, hi [3]float64 }

// innerOf returns the inner part of a brick, for rows that other ranks see
// across a border up to some multiple of the reach.
func (b *bricks) innerOf(rank int, reaches float64) (in inner) {
	for a := range b.axes {
		low, high, off := b.edges(rank, a, reaches)
		in.lo[a], in.hi[a] = low+off, high-off
	}
	return in
}

// edges returns the two ends of a brick along an axis, and how far rows see across them. An
// end is infinite if no other brick follows there.
func (b *bricks) edges(rank, a int, reaches float64) (low, high, off float64) {
	lo, hi := b.box(rank)
	l := &b.axes[a]
	low, high = math.Inf(-1), math.Inf(1)
	if lo[a] == 0 && hi[a] == l.cells {
		return low, high, 0
	}
	if b.periodic || lo[a] > 0 {
		low = l.low + float64(float64(lo[a])*l.wide)
	}
	if b.periodic || hi[a] < l.cells {
		high = l.low + float64(float64(hi[a])*l.wide)
	}
	return low, high, float64(reaches*l.reach) + float64(l.wide*0x1p-10) // the second term is far more than the rounding error
}

// view is the region whose rows a rank may see. Along each axis it has one or
// two ranges, because a rank may see rows across the border of a periodic
// space. Points are inside the space.
type view [2]inner

func (b *bricks) viewOf(rank int) (v view) {
	for a := range b.axes {
		low, high, off := b.edges(rank, a, 1)
		side := b.axes[a].high - b.axes[a].low
		low, high = low-off, high+off
		v[0].lo[a], v[0].hi[a] = low, high
		v[1].lo[a] = math.Inf(1) // nowhere
		switch {
		case !b.periodic || math.IsInf(low, 0):
		case high-low >= side:
			v[0].lo[a], v[0].hi[a] = math.Inf(-1), math.Inf(1)
		case low < b.axes[a].low:
			v[1].lo[a], v[1].hi[a] = low+side, math.Inf(1)
		case high > b.axes[a].high:
			v[1].lo[a], v[1].hi[a] = math.Inf(-1), high-side
		}
	}
	return v
}

// A sieve finds the rows that are not in an inner part, or in a view. Few rows
// are outside, so kernels compare all rows quickly.
type sieve[T kernels.Float] struct {
	axes      []int           // axes along which the brick ends
	parts     [3][]stretch[T] // ranges of each axis: a row is in one of them
	in, other []uint64
	rows      []int32
	numbers   []int32 // 0, 1, 2, …
}

// A stretch is a range of an axis. Each end of a stretch is repeated in a lane, so that
// kernels can compare many rows with this end at once.
type stretch[T kernels.Float] struct{ lo, hi []T }

// compared holds the number of rows that are compared at once.
const compared = 512

// set sets the ranges to the ranges of inner parts.
func (s *sieve[T]) set(parts ...inner) {
	s.axes = s.axes[:0]
	for a := range s.parts {
		s.parts[a] = s.parts[a][:0]
		if math.IsInf(parts[0].lo[a], -1) && math.IsInf(parts[0].hi[a], 1) {
			continue
		}
		s.axes = append(s.axes, a)
		for _, in := range parts {
			if !math.IsInf(in.lo[a], 1) { // that would be nowhere
				s.parts[a] = append(s.parts[a], stretch[T]{repeatEnd[T](in.lo[a]), repeatEnd[T](in.hi[a])})
			}
		}
	}
}

// repeatEnd repeats an end. The end is rounded up to the next T, which does not
// change the result of a comparison with a T.
func repeatEnd[T kernels.Float](x float64) []T {
	end := roundUp[T](x)
	all := make([]T, compared)
	for i := range all {
		all[i] = end
	}
	return all
}

// roundUp returns the smallest T that is not less than x.
func roundUp[T kernels.Float](x float64) T {
	y := T(x)
	if float64(y) < x { // T is float32
		y = T(math.Nextafter32(float32(y), float32(math.Inf(1))))
	}
	return y
}

// insideMask returns a mask of n points, in which the bit of each point that is inside is
// set. The mask is valid until the next call.
func (s *sieve[T]) insideMask(at *[3][]T, n int) []uint64 {
	words := kernels.MaskLen(n)
	if len(s.in) < words {
		s.in, s.other = make([]uint64, words+words/4), make([]uint64, words+words/4)
	}
	in, other := s.in[:words], s.other[:words]
	for i := range in {
		in[i] = ^uint64(0)
	}
	for _, a := range s.axes {
		for k := range s.parts[a] {
			s.parts[a][k].mark(other, at[a][:n], k > 0)
		}
		for i := range in {
			in[i] &= other[i]
		}
	}
	return in
}

// mark sets the bits of the rows in a stretch. Other bits keep their value, or
// are cleared.
func (p *stretch[T]) mark(mask []uint64, x []T, leave bool) {
	const words = compared / 64
	var low, high [words]uint64
	for len(x) > 0 {
		n := min(len(x), compared)
		k := kernels.MaskLen(n)
		kernels.LessEqual(low[:k], p.lo[:n], x[:n])
		kernels.Less(high[:k], x[:n], p.hi[:n])
		for i := range mask[:k] {
			m := low[i] & high[i]
			if leave {
				m |= mask[i]
			}
			mask[i] = m
		}
		x, mask = x[n:], mask[k:]
	}
}

// outsideRows returns the rows of a chunk that are not inside, in ascending order.
// The result is valid until the next call.
func (s *sieve[T]) outsideRows(p *points[T]) []int32 {
	n := len(p.ids)
	if len(s.axes) == 0 || n == 0 {
		return nil
	}
	in := s.insideMask(&p.at, n)
	for i := range in {
		in[i] = ^in[i]
	}
	in[len(in)-1] &= ^uint64(0) >> (64*len(in) - n)
	for i := len(s.numbers); i < n; i++ {
		s.numbers = append(s.numbers, int32(i))
	}
	if len(s.rows) < n {
		s.rows = make([]int32, n+n/4)
	}
	return s.rows[:kernels.Compress(floats(s.rows), floats(s.numbers[:n]), in)]
}

// appendBits appends the indices of set bits.
func appendBits(list []int32, words []uint64) []int32 {
	n := len(list)
	for _, w := range words {
		n += bits.OnesCount64(w)
	}
	at := len(list)
	list = slices.Grow(list, n-at)[:n]
	for i, w := range words {
		for ; w != 0; w &= w - 1 {
			list[at] = int32(64*i + bits.TrailingZeros64(w))
			at++
		}
	}
	return list
}
