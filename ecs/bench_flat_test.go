package ecs_test

import (
	"fmt"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// addHalf is not inlined, so that its code is the same for lanes at any address.
//
//go:noinline
func addHalf(a, b []float32) {
	b = b[:len(a)]
	for i := range a {
		a[i] += float32(b[i] * 0.5)
	}
}

// BenchmarkFlat adds six lanes of float32, in flat arrays and in chunks of entities.
func BenchmarkFlat(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000, 1_000_000, 4_000_000} {
		b.Run(fmt.Sprint("flat/", n), func(b *testing.B) {
			var p, v [3][]float32
			for i := range p {
				p[i], v[i] = make([]float32, n), make([]float32, n)
			}
			for b.Loop() {
				for i := range p {
					addHalf(p[i], v[i])
				}
			}
			perEntity(b, n)
		})
		b.Run(fmt.Sprint("ecs/", n), func(b *testing.B) {
			w := newWorld(b, 1)
			w.Create(w.Archetype(ecs.With[Position](), ecs.With[Velocity]()), n)
			q := w.Query(ecs.Write[Position](), ecs.Read[Velocity]())
			for b.Loop() {
				for c := range q.Chunks() {
					p, v := ecs.Column[Position](c), ecs.Column[Velocity](c)
					addHalf(p.X, v.X)
					addHalf(p.Y, v.Y)
					addHalf(p.Z, v.Z)
				}
			}
			perEntity(b, n)
		})
	}
}
