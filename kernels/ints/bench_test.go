package ints

import (
	"math/rand/v2"
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

// BenchmarkInts measures a kernel of every kind on 4,096 rows, and the plain loop for comparison.
func BenchmarkInts(b *testing.B) {
	b.Run("type=int32", benchmark[int32])
	b.Run("type=uint64", benchmark[uint64])
}

func benchmark[T Integer](b *testing.B) {
	const n = 4096
	r := rand.New(rand.NewPCG(1, 1))
	x, y, dst := make([]T, n), make([]T, n), make([]T, n)
	for i := range x {
		x[i], y[i] = T(r.IntN(1000)), T(r.IntN(1000))
	}
	mask, counts := make([]uint64, kernels.MaskLen(n)), make([]int, 1000)
	Below(mask, x, 500)
	var sink int64
	for _, k := range []struct {
		name string
		run  func()
	}{
		{"Add", func() { Add(dst, x, y) }},
		{"AddPlain", func() { add(dst, x, y) }},
		{"Mul", func() { Mul(dst, x, y) }},
		{"Minimum", func() { Minimum(dst, x, y) }},
		{"Clamp", func() { Clamp(dst, x, 3, 300) }},
		{"Xor", func() { Xor(dst, x, y) }},
		{"Less", func() { Less(mask, x, y) }},
		{"LessPlain", func() { lessPlain(mask, x, y) }},
		{"Below", func() { Below(mask, x, 500) }},
		{"Select", func() { Select(dst, mask, x, y) }},
		{"Compress", func() { Compress(dst, x, mask) }},
		{"Sum", func() { sink += Sum(x) }},
		{"SumPlain", func() { sink += sumPlain(x) }},
		{"Max", func() { sink += int64(Max(x)) }},
		{"PrefixSum", func() { PrefixSum(dst, x) }},
		{"Histogram", func() { Histogram(counts, x, 0) }},
	} {
		b.Run("kernel="+k.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				k.run()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
		})
	}
	_ = sink
}

func lessPlain[T Integer](mask []uint64, x, y []T) {
	clear(mask)
	for i, v := range x {
		if v < y[i] {
			mask[i/64] |= 1 << (i % 64)
		}
	}
}

func sumPlain[T Integer](x []T) (sum int64) {
	for _, v := range x {
		sum += int64(v)
	}
	return sum
}
