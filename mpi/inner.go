package mpi

import (
	"math"
	"math/bits"

	"github.com/lanewise/lanewise/kernels"
)

// inner is where rows are that only this rank has, and that no other one needs: a row that is not in it is looked at closer. It may
// be empty.
type inner struct{ lo, hi [3]float64 }

// has reports whether a point is in it. A NaN is nowhere.
func (in *inner) has(p *[3]float64) bool {
	return p[0] >= in.lo[0] && p[0] < in.hi[0] && p[1] >= in.lo[1] && p[1] < in.hi[1] && p[2] >= in.lo[2] && p[2] < in.hi[2]
}

// innerOf returns it, for rows that others see from within some reaches of their border.
func (b *bricks) innerOf(rank int, reaches float64) (in inner) {
	for a := range b.axes {
		low, high, off := b.edges(rank, a, reaches)
		in.lo[a], in.hi[a] = low+off, high-off
	}
	return in
}

// edges returns where a brick ends along an axis, infinite where there is no other one, and how far rows see across it.
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
	return low, high, float64(reaches*l.reach) + float64(l.wide*0x1p-10) // the latter is far more than what is rounded
}

// view is where rows are that a rank may see: along each axis in one run or in another, as some are seen across the border of a
// periodic space. Points are in the space.
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

// has reports whether a point is in it.
func (v *view) has(p *[3]float64) bool {
	for a, x := range p {
		if !(x >= v[0].lo[a] && x < v[0].hi[a] || x >= v[1].lo[a] && x < v[1].hi[a]) {
			return false
		}
	}
	return true
}

// A sieve finds the rows of chunks that are not in an inner part: some at the border, so that all are compared by kernels.
type sieve[T kernels.Float] struct {
	axes      []int  // along which it ends
	lo, hi    [3]T   // where
	los, his  [3][]T // the same for each row of a chunk
	in, other []uint64
	rows      []int32
}

// set makes it that of an inner part. Ends are rounded up, both: a T is below an end if and only if it is below the next T that is not.
func (s *sieve[T]) set(in *inner) {
	s.axes = s.axes[:0]
	for a := range s.lo {
		if math.IsInf(in.lo[a], -1) && math.IsInf(in.hi[a], 1) {
			continue
		}
		s.axes = append(s.axes, a)
		s.lo[a], s.hi[a] = roundUp[T](in.lo[a]), roundUp[T](in.hi[a])
		s.los[a], s.his[a] = s.los[a][:0], s.his[a][:0]
	}
}

// roundUp returns the least T that is not less than x.
func roundUp[T kernels.Float](x float64) T {
	y := T(x)
	if float64(y) < x { // a T of 32 bits
		y = T(math.Nextafter32(float32(y), float32(math.Inf(1))))
	}
	return y
}

// outside returns the rows of a chunk that are not in it, in order. They are good until the next call.
func (s *sieve[T]) outside(p *points[T]) []int32 {
	if len(s.axes) == 0 {
		return nil
	}
	n := len(p.ids)
	words := kernels.MaskLen(n)
	if len(s.in) < words {
		s.in, s.other, s.rows = make([]uint64, words), make([]uint64, words), make([]int32, 64*words)
	}
	in, other, found := s.in[:words], s.other[:words], 0
	for k, a := range s.axes {
		for len(s.los[a]) < n {
			s.los[a], s.his[a] = append(s.los[a], s.lo[a]), append(s.his[a], s.hi[a])
		}
		kernels.LessEqual(other, s.los[a][:n], p.at[a])
		for w := range in {
			if k == 0 {
				in[w] = ^uint64(0)
			}
			in[w] &= other[w]
		}
		kernels.Less(other, p.at[a], s.his[a][:n])
		for w := range in {
			in[w] &= other[w]
		}
	}
	for w, bit := range in {
		for out := ^bit & (^uint64(0) >> max(0, 64*(w+1)-n)); out != 0; out &= out - 1 {
			s.rows[found] = int32(64*w + bits.TrailingZeros64(out))
			found++
		}
	}
	return s.rows[:found]
}
