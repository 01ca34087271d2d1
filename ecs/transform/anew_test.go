package transform_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/ecs/transform/internal/trees"
	"github.com/lanewise/lanewise/kernels"
)

// checkPlan checks that the plan, which was changed step by step, equals a new one.
func checkPlan[T kernels.Float](b *bench) {
	b.Helper()
	if fault := transform.PlanFault[T](b.w); fault != "" {
		b.Fatal(fault)
	}
}

// family makes trees with all sources of matrices: TRS, LocalTransform with and without
// PostTransformMatrix, and matrices of another system.
func family(b *bench) (nodes []ecs.Entity) {
	level := []ecs.Entity{b.root(transform.Translation{X: 1}), b.spawnLocal(ecs.Entity{}, transform.At[float32](2, 3, 4)), b.root(transform.Translation{Y: 2}, rotationAbout[float32](0, 0.6, 0.8, 1))}
	for depth := range 5 {
		var next []ecs.Entity
		for i, e := range level {
			x := float32(i%7) - 3
			next = append(next, b.child(e, transform.Translation{X: x}, rotationAbout[float32](0.6, 0, 0.8, float64(i)), transform.Scale{Value: 1 + x/16}),
				b.spawnLocal(e, transform.LocalTransform{X: x, Y: 1, Z: 2, Scale: 0.5, QX: 0.6, QY: 0, QZ: 0, QW: 0.8}))
			if i%5 == 0 {
				next = append(next, b.spawnLocal(e, transform.At(x, 1, 0), transform.PostTransformMatrix{M: [16]float32{0: 2, 5: 1, 10: 1, 15: 1}}))
			}
			if i%13 == 3 {
				next = append(next, b.child(e, transform.Translation{Z: 2}, claim[transform.LocalToWorld]{}))
				b.ok(ecs.SetEnabled[claim[transform.LocalToWorld]](b.w, next[len(next)-1], i%2 == 0))
			}
			if i%11 == depth {
				next = append(next, b.child(e, transform.Translation{Z: 1}, owned{}))
			}
		}
		nodes, level = append(nodes, next...), next
	}
	return nodes
}

// The test checks that a few nodes have the same bits whether jobs compute them or not. It has two
// worlds. In both worlds, the same nodes get the same new parents. One world has additional work
// in each frame, so that it uses jobs.
func TestFew(t *testing.T) {
	var worlds [2]*bench
	var nodes [2][]ecs.Entity
	var busy [2]ecs.Entity
	for i := range worlds {
		worlds[i] = newBench(t, system.OnPool(newPool(t, 2)))
		busy[i] = worlds[i].child(worlds[i].root(transform.Translation{}), transform.Translation{X: 1})
		nodes[i] = family(worlds[i])
		worlds[i].update()
	}
	r, alone, steps := rand.New(rand.NewPCG(5, 6)), 0, 0
	for frame := range 60 {
		var moves [][2]int
		for range 1 + r.IntN(4) {
			child, parent := r.IntN(len(nodes[0])), r.IntN(len(nodes[0]))
			if parent < child { // parents come first
				moves = append(moves, [2]int{child, parent})
			}
		}
		for i, b := range worlds {
			for _, m := range moves {
				b.ok(ecs.Set(b.w, nodes[i][m[0]], transform.Parent{Entity: nodes[i][m[1]]}))
			}
			if i == 1 {
				b.ok(ecs.Set(b.w, busy[i], transform.Translation{X: 1}))
			}
			b.update()
			checkPlan[float32](b)
		}
		if p := transform.PlanOf[float32](worlds[0].w); !p.Jobs && len(moves) > 0 {
			alone++
			steps += p.Steps
		}
		if a, b := worlds[0].w.Hash(), worlds[1].w.Hash(); a != b {
			t.Fatalf("frame %d: hash %x without jobs, %x with them", frame, a, b)
		}
	}
	if !transform.PlanOf[float32](worlds[1].w).Jobs || alone < 10 || steps < 40 {
		t.Errorf("%d frames without jobs, in which %d nodes were looked at", alone, steps)
	}
}

// The plan keeps copies of parents' matrices. The copies must be equal to the matrices in
// the rows, no matter which code path has computed the rows. Children of many parents, in
// two chunks, must still be computed correctly after their parents were computed without
// jobs, and after other entities of a chunk became parents.
func TestCopies(t *testing.T) {
	b := newBench(t)
	root := b.root(transform.Translation{X: 100})
	var parents, children []ecs.Entity
	for i := range 600 {
		parents = append(parents, b.child(root, transform.Translation{X: float32(i)}))
	}
	for i := range 600 {
		children = append(children, b.child(parents[i*7%600], transform.Translation{Y: 1}))
	}
	b.update()
	b.update()
	away := b.root(transform.Translation{X: 200})
	b.child(away, transform.Translation{})
	b.update()
	for i, p := range parents[:20] { // computed without jobs
		b.ok(ecs.Set(b.w, p, transform.Parent{Entity: away}))
		b.update()
		c := slices.Index(children, b.children(p)[0])
		b.ok(ecs.Set(b.w, children[c], transform.Translation{Y: 2})) // and its child too
		b.update()
		b.wantAt(children[c], 200+float32(i), 2, 0)
	}
	late := b.child(children[5], transform.Translation{Z: 1}) // its first child
	b.update()
	b.ok(ecs.Set(b.w, late, transform.Translation{Z: 2}))
	b.update()
	l, up := get[transform.LocalToWorld](b, late), get[transform.LocalToWorld](b, children[5])
	if up.M[14] += 2; l.M != up.M {
		t.Errorf("the last child has %v, want %v", l.M, up.M)
	}
}

// One child of a root gets another parent, so that the children in one chunk have parents in two
// chunks. The roots do not change, but from then on the plan copies their matrices.
func TestCopiesOfRoots(t *testing.T) {
	b := newBench(t)
	roots := []ecs.Entity{b.root(transform.Translation{X: 10}), b.root(transform.Translation{X: 20}, transform.Scale{Value: 1})}
	var children []ecs.Entity
	for range 6 {
		children = append(children, b.child(roots[0], transform.Translation{X: 1}))
	}
	b.child(roots[1], transform.Translation{}, transform.Scale{Value: 1}) // in another chunk
	b.update()
	b.update()
	b.ok(ecs.Set(b.w, children[3], transform.Parent{Entity: roots[1]}))
	b.update()
	b.ok(ecs.Set(b.w, children[5], transform.Translation{X: 2}))
	b.update()
	for i, x := range []float32{11, 11, 11, 21, 11, 12} {
		b.wantAt(children[i], x, 0, 0)
	}
}

// Many nodes are computed by jobs.
func TestManyReparented(t *testing.T) {
	b := newBench(t)
	roots := []ecs.Entity{b.root(transform.Translation{X: 10}), b.root(transform.Translation{X: 20})}
	b.child(roots[1], transform.Translation{})
	var nodes []ecs.Entity
	for range 3 * transform.FewNodes {
		nodes = append(nodes, b.child(roots[0], transform.Translation{X: 1}))
	}
	b.update()
	for _, e := range nodes {
		b.ok(ecs.Set(b.w, e, transform.Parent{Entity: roots[1]}))
	}
	b.child(roots[0], transform.Translation{})
	b.update()
	for _, e := range nodes {
		b.wantAt(e, 21, 0, 0)
	}
}

// The cost of changing the plan is proportional to the changed nodes and those below them, for any
// number of trees.
func TestReplanGrowth(t *testing.T) {
	const fan = 8
	for _, k := range []int{1, 10} {
		for what, node := range map[string]func(nodes []ecs.Entity, trees, i int) (child, other int){
			"leaves": func(nodes []ecs.Entity, trees, i int) (int, int) {
				return fan*trees + fan*i*fan, i*fan + 1 // to a sister of its parent
			},
			"inner": func(nodes []ecs.Entity, trees, i int) (int, int) {
				return i * fan, i*fan + 1
			},
		} {
			t.Run(fmt.Sprintf("%s/k=%d", what, k), func(t *testing.T) {
				var first trees.Work
				for _, n := range []int{40, 80, 200} {
					b := newBench(t)
					nodes := forest(b, n, 2, fan)
					b.update()
					b.update()
					before := transform.PlanOf[float32](b.w).Work
					for i := range k {
						child, other := node(nodes, n, i)
						b.ok(ecs.Set(b.w, nodes[child], transform.Parent{Entity: nodes[other]}))
					}
					b.update()
					checkPlan[float32](b)
					p := transform.PlanOf[float32](b.w)
					got := trees.Work{Rows: p.Work.Rows - before.Rows, Nodes: p.Work.Nodes - before.Nodes, Cut: p.Work.Cut - before.Cut}
					below := 1
					if strings.HasPrefix(what, "inner") {
						below += fan
					}
					if got.Nodes > k*below {
						t.Errorf("%d trees: %d nodes were measured, of %d that were moved", n, got.Nodes, k*below)
					}
					rows := b.w.ArchetypeOf(nodes[0]).Capacity()
					if most := k * (below + 2) * rows; got.Rows > most || got.Cut > most {
						t.Errorf("%d trees: %d rows were compared and %d cut, want at most %d", n, got.Rows, got.Cut, most)
					}
					if first == (trees.Work{}) {
						first = got
					}
					if got.Nodes != first.Nodes || got.Rows > 2*first.Rows+2*k*rows {
						t.Errorf("%d trees: %+v, of the first %+v", n, got, first)
					}
					if p.Jobs {
						t.Errorf("%d trees: jobs were scheduled", n)
					}
				}
			})
		}
	}
}

// faultyReader fails on demand, in a job that reads matrices.
type faultyReader struct {
	_     system.In[transform.Group]
	_     system.After[transform.Parents]
	_     system.Before[transform.HierarchyOf[float32]]
	q     *ecs.Query
	fails bool
}

func (s *faultyReader) Create(u *system.Setup) error {
	s.q = u.Query(ecs.Read[transform.LocalToWorld]())
	return nil
}
func (s *faultyReader) Update(f *system.Frame) error { f.ParallelFor(s.q, s); return nil }
func (s *faultyReader) Chunk(*ecs.Chunk) {
	if s.fails {
		panic("no")
	}
}

// A node that could not be computed, because a job that reads matrices has failed, is computed in
// the next frame.
func TestFewAfterFailure(t *testing.T) {
	w, err := system.NewWorld(t.Name(), system.Only(append(transforms(), system.Of[faultyReader]())...))
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{TB: t, w: w}
	roots := []ecs.Entity{b.root(transform.Translation{X: 10}), b.root(transform.Translation{X: 20})}
	child := b.child(roots[0], transform.Translation{X: 1})
	for _, r := range roots {
		b.child(r, transform.Translation{})
	}
	b.ok(system.Update(w))
	spy := system.Find[faultyReader](w)
	spy.fails = true
	b.ok(ecs.Set(w, child, transform.Parent{Entity: roots[1]}))
	if err := system.Update(w); err == nil {
		t.Fatal("no error of the failed job")
	}
	spy.fails = false
	b.ok(system.Update(w))
	b.wantAt(child, 21, 0, 0)
}

// The plan does not keep the memory of freed chunks alive.
func TestPlanPinsNothing(t *testing.T) {
	b := newBench(t)
	root := b.root(transform.Translation{X: 1})
	last := b.child(root, transform.Translation{X: 1})
	var all []ecs.Entity
	for range 300 {
		r := b.root(transform.Translation{}, transform.Scale{Value: 1})
		all = append(all, r, b.child(r, transform.Translation{}, transform.Scale{Value: 1}), b.spawnLocal(r, transform.At[float32](1, 0, 0)),
			b.spawnLocal(r, transform.At[float32](1, 0, 0), transform.PostTransformMatrix{M: transform.IdentityMatrix[float32]()}))
	}
	b.update()
	b.ok(ecs.DestroyAll(b.w, ecs.Entities(all)))
	b.update()
	b.update()
	b.wantAt(last, 2, 0, 0)
	p := transform.PlanOf[float32](b.w)
	if p.KeptOfEnded > 0 {
		t.Errorf("%d chunks have ended, and their columns are kept", p.KeptOfEnded)
	}
	if p.Ended < 4 {
		t.Errorf("%d chunks have ended", p.Ended)
	}
}

// The test repeats this after all trees were removed and the hierarchy no longer updates. Later trees
// work as usual.
func TestPlanOfNothingPinsNothing(t *testing.T) {
	for _, workers := range []int{1, 3} {
		b := newBench(t, system.OnPool(newPool(t, workers)))
		for round := range 3 {
			var all []ecs.Entity
			var last ecs.Entity
			for i := range 200 {
				r := b.root(transform.Translation{X: float32(i)})
				last = b.spawnLocal(r, transform.At[float32](1, 0, 0))
				all = append(all, r, last, b.child(last, transform.Translation{X: float32(round)}))
			}
			b.update()
			b.wantAt(all[len(all)-1], float32(200+round), 0, 0)
			b.ok(ecs.Set(b.w, all[len(all)-3], transform.Translation{X: 7}))
			b.update()
			b.wantAt(all[len(all)-1], float32(8+round), 0, 0)
			b.ok(ecs.DestroyAll(b.w, ecs.Entities(all)))
			b.update()
			p := transform.PlanOf[float32](b.w)
			if p.Kept > 0 {
				t.Errorf("round %d: %d chunks have ended, and their columns are kept", round, p.Kept)
			}
			if p.Chunks < 2 {
				t.Errorf("%d chunks were planned", p.Chunks)
			}
		}
	}
}
