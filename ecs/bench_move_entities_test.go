package ecs_test

import (
	"fmt"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// BenchmarkMoveEntities moves a million entities back and forth between two worlds.
func BenchmarkMoveEntities(b *testing.B) {
	const n = 1_000_000
	for _, c := range []struct {
		name string
		fill func(*ecs.World)
		out  *ecs.EntityMap
	}{
		{"plain", func(w *ecs.World) { w.Create(w.Archetype(ecs.With[Position](), ecs.With[Velocity]()), n) }, nil},
		{"told", func(w *ecs.World) { w.Create(w.Archetype(ecs.With[Position](), ecs.With[Velocity]()), n) }, new(ecs.EntityMap)},
		{"references", func(w *ecs.World) {
			for c := range w.Create(w.Archetype(ecs.With[Position](), ecs.With[Ref]()), n).Chunks() {
				copy(ecs.Column[Ref](c).To, c.Entities())
			}
		}, nil},
	} {
		b.Run(fmt.Sprint("with=", c.name), func(b *testing.B) {
			w, src := newWorld(b, 1), newWorld(b, 1)
			c.fill(src)
			move := func(to, from *ecs.World) {
				if err := ecs.MoveEntities(to, from, c.out); err != nil {
					b.Fatal(err)
				}
			}
			move(w, src) // there and back, so that memory is reused
			move(src, w)
			b.ReportAllocs()
			for b.Loop() {
				move(w, src)
				w, src = src, w
			}
			perEntity(b, n)
		})
	}
}
