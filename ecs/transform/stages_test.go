package transform

import (
	"math/rand/v2"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

// trunk makes one tree whose rows all hang on one child of the root.
func trunk(b *bench, n int) (nodes []ecs.Entity) {
	nodes = append(nodes, b.child(b.root(Translation{X: 1}), Translation{Y: 1}))
	for i := range n {
		nodes = append(nodes, b.child(nodes[i/4], Translation{Z: float32(i)}))
	}
	return nodes
}

// mixed makes trees whose rows lie among each other.
func mixed(b *bench, n int) (nodes []ecs.Entity) {
	r := rand.New(rand.NewPCG(1, 2))
	level := []ecs.Entity{b.root(Translation{X: 1}), b.root(Translation{X: 2})}
	for range 3 {
		next := make([]ecs.Entity, n)
		for i := range next {
			next[i] = b.child(level[r.IntN(len(level))], Translation{Y: float32(i)}, Scale{0.5})
		}
		nodes, level = append(nodes, next...), next
	}
	return nodes
}

// shapes are hierarchies of some hundred to some thousand rows, and whether two
// workers are given trees of them.
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
				e = b.child(e, Translation{X: 1})
				nodes = append(nodes, e)
			}
		}
		return nodes
	}},
	{"trunk", false, func(b *bench) []ecs.Entity { return trunk(b, 3000) }},
	{"mixed", false, func(b *bench) []ecs.Entity { return mixed(b, 800) }},
	{"few", false, func(b *bench) []ecs.Entity { return forest(b, 5, 3, 3) }},
}

// check checks that every row is in one segment, and that its parent's matrix is there
// when its turn comes, whichever worker does which blocks at a time. It reports whether there is
// a stage of trees.
func (p *plan[T]) check(t *testing.T) (trees bool) {
	t.Helper()
	type turn struct{ stage, block, segment int }
	turns := make(map[int]turn)
	for i, st := range p.stages {
		for block := range len(st.bounds) - 1 {
			for at := st.bounds[block]; at < st.bounds[block+1]; at++ {
				s, now := &p.segments[at], turn{i, block, int(at)}
				trees = trees || len(st.bounds) > 2 && s.Level != p.segments[st.bounds[0]].Level
				for place := range p.placesOf(s) {
					if _, twice := turns[place]; twice {
						t.Fatalf("place %d is in two segments", place)
					}
					turns[place] = now
					up := int(p.Up[place])
					if s.Level == 1 {
						continue
					}
					if is, ok := turns[up]; !ok || is.stage == i && (is.block != block || is.segment == now.segment) {
						t.Fatalf("place %d, done at %v, needs place %d, done at %v", place, now, up, is)
					}
				}
			}
		}
	}
	if len(turns) != p.Rows(false) {
		t.Fatalf("%d rows are in segments, of %d", len(turns), p.Rows(false))
	}
	return trees
}

// Hierarchies of all shapes have the same matrices for any number of workers, of
// which some change in a frame, and every row is done once, after its parent.
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
						b.ok(ecs.Set(b.w, nodes[r.IntN(len(nodes))], Translation{X: r.Float32()}))
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
					parent, local := get[LocalToWorld](b, get[Parent](b, e).Entity), get[LocalToParent](b, e)
					multiply(&local.M, &parent.M, &local.M)
					if got := get[LocalToWorld](b, e); got.M != local.M {
						t.Errorf("entity %v has %v, want %v", e, got.M, local.M)
					}
				}
				trees := system.Find[HierarchyOf[float32]](b.w).plan.check(t)
				if n := pool.Workers(); n == 1 && trees || n == 2 && trees != shape.trees {
					t.Errorf("blocks of trees for %d workers: %v", n, trees)
				}
			})
		})
	}
}
