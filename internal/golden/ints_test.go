package golden

import (
	"testing"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/ints"
)

// intsRow runs all kernels on lanes of each type of integers.
func intsRow(_ *testing.T, _ *jobs.Pool) uint64 {
	s := newSum()
	for _, n := range []int{1, 15, 157, 1000, 2500} {
		throughInts[int32](s, n)
		throughInts[uint32](s, n)
		throughInts[int64](s, n)
		throughInts[uint64](s, n)
	}
	return s.Sum64()
}

func throughInts[T ints.Integer](s sum, n int) {
	d := draw(n)
	x, y, z := make([]T, n), make([]T, n), make([]T, n)
	for i := range x {
		x[i], y[i] = T(uint64(d.next())<<32|uint64(d.next()))>>(i%33), T(d.next())>>(i%30)
	}
	add := func() {
		for _, v := range z {
			s.add(uint64(v))
		}
	}
	for _, f := range []func(dst, x, y []T){ints.Add[T], ints.Sub[T], ints.Mul[T], ints.Minimum[T], ints.Maximum[T], ints.And[T], ints.Or[T], ints.Xor[T], ints.AndNot[T]} {
		f(z, x, y)
		add()
	}
	ints.AddScalar(z, x, y[0])
	ints.Scale(z, z, 7)
	ints.Neg(z, z)
	ints.Abs(z, z)
	ints.Not(z, z)
	ints.ShiftLeft(z, z, 3)
	ints.ShiftRight(z, z, 7)
	ints.Clamp(z, z, x[0], y[0])
	add()
	mask := make([]uint64, kernels.MaskLen(n))
	for _, f := range []func(mask []uint64, x, y []T){ints.Less[T], ints.LessEqual[T], ints.Equal[T]} {
		f(mask, x, y)
		s.add(mask...)
	}
	for _, f := range []func(mask []uint64, x []T, s T){ints.Below[T], ints.AtMost[T], ints.Above[T], ints.AtLeast[T], ints.EqualTo[T]} {
		f(mask, x, y[n/2])
		s.add(mask...)
	}
	ints.Below(mask, x, y[0])
	ints.Select(z, mask, x, y)
	add()
	s.add(uint64(ints.Compress(z, x, mask)))
	add()
	ints.PrefixSum(z, x)
	add()
	counts := make([]int, 50)
	s.add(uint64(ints.Histogram(counts, y, 3)), uint64(ints.Sum(x)), uint64(ints.Min(x)), uint64(ints.Max(x)))
	for _, c := range counts {
		s.add(uint64(c))
	}
}
