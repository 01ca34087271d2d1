package transform_test

import (
	"fmt"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// BenchmarkReparent runs a frame in which some children of many trees change between two parents.
// Nothing else has changed. In the runs "moving", all other entities have changed too. In the runs
// "first", the new parents had no children before.
func BenchmarkReparent(b *testing.B) {
	for _, trees := range []int{14, 137, 1370} {
		for _, k := range []int{0, 1, 10, 100} {
			for _, how := range []string{"", "/first", "/moving"} {
				b.Run(fmt.Sprintf("n=%d/k=%d%s", trees*73, k, how), func(b *testing.B) {
					bn := newMoving(b, newPool(b, 2), how == "/moving")
					nodes := forest(bn, trees, 2, 8)
					inner, leaves := nodes[:8*trees], nodes[8*trees:]
					if how == "/first" { // away from those that have got another
						inner = leaves[:len(leaves)/(k+2)]
					}
					measure(b, 1, reparent(bn, leaves, inner, k))
				})
			}
		}
	}
}

// reparent returns a function that runs a frame. In every second frame, k of the leaves get another
// parent, and in the other frames they get their own parent back.
func reparent(b *bench, leaves, inner []ecs.Entity, k int) func() {
	away, own := 0, make([]transform.Parent, k)
	for i := range own {
		own[i] = get[transform.Parent](b, leaves[(i+1)*len(leaves)/(k+2)])
	}
	return func() {
		away = 1 - away
		for i, p := range own {
			if away == 1 {
				p.Entity = inner[max((i+1)*len(inner)/(k+1)-1, 0)] // of few parents, some get several
			}
			b.ok(ecs.Set(b.w, leaves[(i+1)*len(leaves)/(k+2)], p))
		}
		b.ok(system.Update(b.w))
	}
}

// BenchmarkArchetypes runs a frame in which one of many entities has moved, and a frame in
// which all entities have moved. The entities are in one archetype or in many archetypes.
func BenchmarkArchetypes(b *testing.B) {
	const n = 100_000
	for _, archetypes := range []int{1, 1000, 10_000} {
		for _, moving := range []bool{false, true} {
			b.Run(fmt.Sprintf("archetypes=%d/moving=%v", archetypes, moving), func(b *testing.B) {
				bn := newMoving(b, newPool(b, 2), moving)
				e, x := makeArchetypes(bn, archetypes, n/archetypes), float32(0)
				measure(b, 1, func() {
					x++
					bn.ok(ecs.Set(bn.w, e, transform.Translation{X: x}))
					bn.ok(system.Update(bn.w))
				})
			})
		}
	}
}
