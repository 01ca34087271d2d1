package kernels

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkExact compares SumExact with Sum, in the first-level cache and in memory. There are three
// kinds of numbers. Numbers of one size are added with two parts per block; other numbers have a
// normal distribution; numbers of all sizes are added one by one.
func BenchmarkExact(b *testing.B) {
	b.Run("type=f32", benchmarkExact[float32])
	b.Run("type=f64", benchmarkExact[float64])
}

func benchmarkExact[T Float](b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	var sink T
	for _, kind := range []struct {
		name string
		make func() T
	}{
		{"uniform", func() T { return T(r.Float64()) }},
		{"normal", func() T { return T(r.NormFloat64()) }},
		{"wide", func() T { return ofAllSizes[T](r, false) }},
	} {
		for _, n := range []int{1 << 12, 1 << 24} {
			if kind.name == "wide" && n > 1<<12 {
				continue
			}
			x := make([]T, n)
			for i := range x[:min(n, 1<<20)] {
				x[i] = kind.make()
			}
			for i := 1 << 20; i < n; i++ {
				x[i] = x[i-1<<20]
			}
			for _, f := range []struct {
				name string
				sum  func([]T) T
			}{{"Sum", Sum[T]}, {"SumExact", SumExact[T]}} {
				b.Run(pairs("of", kind.name, "n", n, "kernel", f.name), func(b *testing.B) {
					for b.Loop() {
						sink += f.sum(x)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
				})
			}
		}
	}
	_ = sink
}

// pairs returns the name of a benchmark, which is made of keys and values.
func pairs(list ...any) (name string) {
	for i := 0; i < len(list); i += 2 {
		name += fmt.Sprintf("/%v=%v", list[i], list[i+1])
	}
	return name[1:]
}
