package ecs

import (
	"fmt"
	"testing"
)

// BenchmarkMoveEntities moves a million entities back and forth between two worlds.
func BenchmarkMoveEntities(b *testing.B) {
	const n = 1_000_000
	for _, c := range []struct {
		name string
		fill func(*World)
		out  *EntityMap
	}{
		{"plain", func(w *World) { w.Create(w.Archetype(With[Position](), With[Velocity]()), n) }, nil},
		{"told", func(w *World) { w.Create(w.Archetype(With[Position](), With[Velocity]()), n) }, new(EntityMap)},
		{"references", func(w *World) {
			for c := range w.Create(w.Archetype(With[Position](), With[Ref]()), n).Chunks() {
				copy(Column[Ref](c).To, c.Entities())
			}
		}, nil},
	} {
		b.Run(fmt.Sprint("with=", c.name), func(b *testing.B) {
			w, src := newWorld(b, 1), newWorld(b, 1)
			c.fill(src)
			move := func(to, from *World) {
				if err := to.moveFrom(from, c.out); err != nil {
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
