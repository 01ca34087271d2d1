package kernels

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkFunctions measures the functions on numbers between 0 and 1 that fit the first-level cache.
func BenchmarkFunctions(b *testing.B) {
	benchFunctions[float32](b, "f32")
	benchFunctions[float64](b, "f64")
}

func benchFunctions[T Float](b *testing.B, element string) {
	const n = 1024
	r := rand.New(rand.NewPCG(1, 1))
	x, y, dst := make([]T, n), make([]T, n), make([]T, n)
	for i := range x {
		x[i], y[i] = T(r.Float64()), T(r.Float64())
	}
	defer use(Path())
	for _, f := range functionTable[T]() {
		for _, path := range Paths() {
			use(path)
			b.Run(fmt.Sprintf("f=%s/type=%s/path=%s/n=%d", f.name, element, path, n), func(b *testing.B) {
				for b.Loop() {
					f.run(dst, x, y)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
			})
		}
	}
}
