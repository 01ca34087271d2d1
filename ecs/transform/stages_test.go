package transform_test

import (
	"math/rand/v2"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// trunk makes one tree in which all rows are below one child of the root.
func trunk(b *bench, n int) (nodes []ecs.Entity) {
	nodes = append(nodes, b.child(b.root(transform.Translation{X: 1}), transform.Translation{Y: 1}))
	for i := range n {
		nodes = append(nodes, b.child(nodes[i/4], transform.Translation{Z: float32(i)}))
	}
	return nodes
}

// newMixedTrees makes trees whose rows are mixed in memory.
func newMixedTrees(b *bench, n int) (nodes []ecs.Entity) {
	r := rand.New(rand.NewPCG(1, 2))
	level := []ecs.Entity{b.root(transform.Translation{X: 1}), b.root(transform.Translation{X: 2})}
	for range 3 {
		next := make([]ecs.Entity, n)
		for i := range next {
			next[i] = b.child(level[r.IntN(len(level))], transform.Translation{Y: float32(i)}, transform.Scale{Value: 0.5})
		}
		nodes, level = append(nodes, next...), next
	}
	return nodes
}

// shapes are hierarchies of some hundred to some thousand rows. The field trees says whether blocks of
// whole trees are used for two workers.
var shapes = []struct {
	name  string
	trees bool
	build func(*bench) []ecs.Entity
}{
	{"trees", true, func(b *bench) []ecs.Entity { return forest(b, 40, 2, 6) }},
	{"chains", true, func(b *bench) []ecs.Entity { return forest(b, 400, 8, 1) }},
	{"chains of two lengths", true, func(b *bench) []ecs.Entity { return append(forest(b, 400, 8, 1), forest(b, 3, 100, 1)...) }},
	{"large", false, func(b *bench) []ecs.Entity { return forest(b, 3000, 2, 2) }},
	{"chains below wide levels", true, func(b *bench) []ecs.Entity {
		nodes := forest(b, 3000, 2, 2)
		for _, e := range nodes[:300] {
			for range 10 {
				e = b.child(e, transform.Translation{X: 1})
				nodes = append(nodes, e)
			}
		}
		return nodes
	}},
	{"trunk", false, func(b *bench) []ecs.Entity { return trunk(b, 3000) }},
	{"mixed", false, func(b *bench) []ecs.Entity { return newMixedTrees(b, 800) }},
	{"few", false, func(b *bench) []ecs.Entity { return forest(b, 5, 3, 3) }},
}

// Hierarchies of all shapes have the same matrices for any number of workers. Some rows change in each
// frame. Every row is computed exactly once, and after its parent.
func TestStages(t *testing.T) {
	workers := []int{1, 2, 8}
	if *full {
		workers = anyWorkers
	}
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			var want [4]uint64
			eachOf(t, workers, func(t *testing.T, pool *jobs.Pool) {
				b := newBench(t, system.OnPool(pool))
				nodes := shape.build(b)
				r := rand.New(rand.NewPCG(3, 4))
				for frame := range want {
					for range 20 * frame {
						b.ok(ecs.Set(b.w, nodes[r.IntN(len(nodes))], transform.Translation{X: r.Float32()}))
					}
					b.update()
					hash := b.w.Hash()
					if want[frame] == 0 {
						want[frame] = hash
					}
					if hash != want[frame] {
						t.Errorf("frame %d: hash %x, with one worker %x", frame, hash, want[frame])
					}
				}
				for range 100 {
					e := nodes[r.IntN(len(nodes))]
					parent, local := get[transform.LocalToWorld](b, get[transform.Parent](b, e).Entity), get[transform.LocalToParent](b, e)
					want := kernels.Mat4s[float32]{M: make([][16]float32, 1)}
					want.MulAffine(&kernels.Mat4s[float32]{M: [][16]float32{parent.M}}, &kernels.Mat4s[float32]{M: [][16]float32{local.M}})
					if got := get[transform.LocalToWorld](b, e); got.M != want.M[0] {
						t.Errorf("entity %v has %v, want %v", e, got.M, want.M[0])
					}
				}
				if fault := transform.StagesFault[float32](b.w); fault != "" {
					t.Fatal(fault)
				}
				trees := transform.PlanOf[float32](b.w).StagesOfTree
				if n := pool.Workers(); n == 1 && trees || n == 2 && trees != shape.trees {
					t.Errorf("blocks of trees for %d workers: %v", n, trees)
				}
			})
		})
	}
}
