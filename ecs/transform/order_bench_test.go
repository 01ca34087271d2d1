package transform_test

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform"
)

// arms is the number of trees of a world. joints is the number of entities of each tree, one below
// the other.
const arms, joints = 10_000, 7

// byLevel creates all roots, then all their children, and so on: neighbours in memory have the same
// level.
func byLevel(b *bench) {
	above := make([]ecs.Entity, arms)
	for range joints {
		for i := range above {
			above[i] = b.spawnLocal(above[i], transform.At[float32](0, 1, 0))
		}
	}
}

// byArm creates one tree after the other: neighbours are parent and child.
func byArm(b *bench) {
	for range arms {
		var above ecs.Entity
		for range joints {
			above = b.spawnLocal(above, transform.At[float32](0, 1, 0))
		}
	}
}

// byCopy creates copies of one tree, n copies in each call. With several copies in one call, the rows
// are sorted by level.
func byCopy(n int) func(*bench) {
	return func(b *bench) {
		var above ecs.Entity
		var group []ecs.Linked
		for range joints {
			above = b.spawnLocal(above, transform.At[float32](0, 1, 0), ecs.Prefab{})
			group = append(group, ecs.Linked{Entity: above})
		}
		b.ok(ecs.Add(b.w, group[0].Entity, ecs.BufferOf(group...)))
		for range arms / n {
			_, err := b.w.Instantiate(group[0].Entity, n)
			b.ok(err)
		}
	}
}

// depth is the number of entities above an entity. Only entities of the same depth share chunks.
type depth struct {
	ecs.Shared
	Above int32
}

// byArmApart creates the trees as byArm does, but with separate chunks for each level.
func byArmApart(b *bench) {
	for range arms {
		var above ecs.Entity
		for i := range joints {
			above = b.spawnLocal(above, transform.At[float32](0, 1, 0), depth{Above: int32(i)})
		}
	}
}

// BenchmarkCreationOrder moves the same trees, created in different orders.
func BenchmarkCreationOrder(b *testing.B) {
	for _, order := range []struct {
		name string
		grow func(*bench)
	}{{"level", byLevel}, {"copies", byCopy(arms)}, {"arm", byArm}, {"copy", byCopy(1)}, {"arm-apart", byArmApart}} {
		b.Run("by="+order.name, func(b *testing.B) {
			bn := newMoving(b, newPool(b, 2), true)
			order.grow(bn)
			bn.measureFrames(b, arms*joints)
		})
	}
}
