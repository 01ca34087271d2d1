package random

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

// BenchmarkDraw draws lanes of 1024 rows, in cache.
func BenchmarkDraw(b *testing.B) {
	const n = 1024
	ids := spread(n)
	ints, mask := make([]int32, n), make([]uint64, n/64)
	f32, f64 := make([]float32, n), make([]float64, n)
	v := kernels.Vec3s[float32]{X: make([]float32, n), Y: make([]float32, n), Z: make([]float32, n)}
	for _, rows := range []struct {
		by string
		r  Rows
	}{{"index", key.Rows(0)}, {"id", key.IDs(ids)}} {
		r := rows.r
		for _, c := range []struct {
			name string
			draw func()
		}{
			{"Uniform/type=f32", func() { Uniform(f32, r) }},
			{"Uniform/type=f64", func() { Uniform(f64, r) }},
			{"Uniform4/type=f32", func() { Uniform4(f32, v.X, v.Y, v.Z, r) }},
			{"Normal/type=f32", func() { Normal(f32, r, 0, 1) }},
			{"Normal/type=f64", func() { Normal(f64, r, 0, 1) }},
			{"Exponential/type=f32", func() { Exponential(f32, r, 1) }},
			{"Exponential/type=f64", func() { Exponential(f64, r, 1) }},
			{"Below/type=i32", func() { Below(ints, r, 52) }},
			{"Bernoulli", func() { Bernoulli(mask, n, r, 0.3) }},
			{"Directions3/type=f32", func() { Directions3(&v, r) }},
		} {
			b.Run(fmt.Sprintf("%s/by=%s", c.name, rows.by), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					c.draw()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
			})
		}
	}
}

// BenchmarkStandard draws the same distributions from math/rand/v2, one number after another.
func BenchmarkStandard(b *testing.B) {
	const n = 1024
	r := rand.New(rand.NewPCG(1, 2))
	f32, f64 := make([]float32, n), make([]float64, n)
	for _, c := range []struct {
		name string
		draw func()
	}{
		{"Uniform/type=f32", func() { each(f32, r.Float32) }},
		{"Uniform/type=f64", func() { each(f64, r.Float64) }},
		{"Normal/type=f64", func() { each(f64, r.NormFloat64) }},
		{"Exponential/type=f64", func() { each(f64, r.ExpFloat64) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.draw()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
		})
	}
}

func each[T any](dst []T, draw func() T) {
	for i := range dst {
		dst[i] = draw()
	}
}

// BenchmarkPermutation shuffles 100,000 numbers.
func BenchmarkPermutation(b *testing.B) {
	p := make([]int32, 100_000)
	for b.Loop() {
		Permutation(p, key)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(p)), "ns/row")
}

// BenchmarkNoise evaluates 1024 points.
func BenchmarkNoise(b *testing.B) {
	const n = 1024
	dst, x := make([]float32, n), make([]float32, n)
	Range(x, key.Rows(0), -100, 100)
	for _, c := range []struct {
		name string
		run  func()
	}{
		{"Noise2", func() { Noise2(dst, x, x, 1) }},
		{"Noise3", func() { Noise3(dst, x, x, x, 1) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.run()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
		})
	}
}

// BenchmarkSource draws words one after another.
func BenchmarkSource(b *testing.B) {
	s := key.ID(1).Source()
	for b.Loop() {
		s.Uint64()
	}
}
