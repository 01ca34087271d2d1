package transform_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
)

// A chain of very many levels must have the correct matrices. No function may be recursive, because the
// depth is not limited.
func TestLongChain(t *testing.T) {
	n := 10_000
	if *full {
		n = 100_000
	}
	for _, backwards := range []bool{false, true} {
		b := newBench(t)
		ids := make([]ecs.Entity, n)
		b.ok(b.w.CreateInto(b.w.Archetype(ecs.With[transform.LocalToParent64](), ecs.With[transform.LocalToWorld64](), ecs.With[transform.Translation64](), ecs.With[transform.Parent]()), ids))
		root := b.w.Spawn(transform.LocalToWorld64{M: transform.IdentityMatrix[float64]()})
		for i, e := range ids {
			up := i - 1
			if backwards {
				up = i + 1
			}
			parent := root
			if up >= 0 && up < n {
				parent = ids[up]
			}
			b.ok(ecs.Set(b.w, e, transform.Parent{Entity: parent}))
			b.ok(ecs.Set(b.w, e, transform.Translation64{X: 1}))
		}
		for step := range 2 {
			b.update()
			for i, e := range ids {
				l := get[transform.LocalToWorld64](b, e)
				want := float64(i + 1)
				if backwards {
					want = float64(n - i)
				}
				if x, _, _ := l.Position(); x != want+float64(step) {
					t.Fatalf("link %d is at %v, want %v", i, x, want+float64(step))
				}
			}
			root := transform.LocalToWorld64{M: transform.IdentityMatrix[float64]()}
			root.M[12] = 1
			b.ok(ecs.Set(b.w, ids[0], transform.Translation64{X: 1}))
			first := ids[0]
			if backwards {
				first = ids[n-1]
			}
			b.ok(ecs.Set(b.w, first, transform.Translation64{X: 2})) // the whole chain moves
		}
	}
}

func TestCycle(t *testing.T) {
	b := newBench(t)
	root := b.root(transform.Translation{X: 1})
	good := b.child(root, transform.Translation{X: 1})
	x := b.child(root, transform.Translation{X: 1})
	y := b.child(x, transform.Translation{X: 1})
	z := b.child(y, transform.Translation{X: 1})
	below := b.child(z, transform.Translation{X: 1})
	self := b.child(root, transform.Translation{X: 1})
	b.update()
	b.wantAt(below, 5, 0, 0)

	b.ok(ecs.Set(b.w, x, transform.Parent{Entity: z}))
	b.ok(ecs.Set(b.w, good, transform.Translation{X: 10}))
	err := b.group.Update()
	b.ok(b.w.Sync())
	var cycle *transform.CycleError
	if !errors.As(err, &cycle) || !errors.Is(err, ecs.ErrState) || !strings.Contains(err.Error(), "Hierarchy") {
		t.Fatalf("error %v, want a cycle", err)
	}
	if want := fmt.Sprint([]ecs.Entity{x, z, y}); fmt.Sprint(cycle.Entities) != want {
		t.Errorf("circle of %v, want %v", cycle.Entities, want)
	}
	if want := fmt.Sprintf("%v → %v → %v → %v; give one of them another Parent", x, z, y, x); !strings.Contains(err.Error(), want) {
		t.Errorf("error %q does not say %q", err, want)
	}
	b.wantAt(good, 11, 0, 0) // the other entities are computed
	b.wantAt(below, 5, 0, 0) // an entity below the cycle stays in place
	b.update()               // reported once

	b.ok(ecs.Set(b.w, self, transform.Parent{Entity: self}))
	if err := b.group.Update(); !errors.As(err, &cycle) {
		t.Errorf("an entity that is its own parent: %v", err)
	}
	b.ok(ecs.Set(b.w, self, transform.Parent{Entity: root}))
	b.ok(ecs.Set(b.w, x, transform.Parent{Entity: root}))
	b.ok(ecs.Set(b.w, z, transform.Translation{X: 2}))
	b.update()
	b.wantAt(below, 6, 0, 0)
	b.wantAt(self, 2, 0, 0)
}

// A cycle is reported once, even if the trees around it change. If the cycle disappears and comes back,
// it is reported again.
func TestCycleReportedOnce(t *testing.T) {
	b := newBench(t)
	root := b.root(transform.Translation{X: 1})
	pairs := [2][2]ecs.Entity{}
	for i := range pairs {
		first := b.child(root, transform.Translation{X: 1})
		pairs[i] = [2]ecs.Entity{first, b.child(first, transform.Translation{X: 1})}
	}
	tie := func(i int) { b.ok(ecs.Set(b.w, pairs[i][0], transform.Parent{Entity: pairs[i][1]})) }
	want := func(when string, is ...int) {
		t.Helper()
		b.child(root, transform.Translation{X: 2}) // changes the trees each time
		err := b.group.Update()
		b.ok(b.w.Sync())
		text := fmt.Sprint(err)
		if (err != nil) != (len(is) > 0) || strings.Count(text, "in a circle") != len(is) {
			t.Errorf("%s: error %v, want %d circles", when, err, len(is))
		}
		for _, i := range is {
			if !strings.Contains(text, fmt.Sprintf("%v → %v → %v;", pairs[i][0], pairs[i][1], pairs[i][0])) {
				t.Errorf("%s: error %v does not tell of %v", when, err, pairs[i])
			}
		}
	}
	want("no circle")
	tie(0)
	want("one", 0)
	want("the same")
	tie(1)
	want("another", 1)
	want("both known")
	b.ok(ecs.Set(b.w, pairs[0][0], transform.Parent{Entity: root}))
	b.ok(ecs.Set(b.w, pairs[1][0], transform.Parent{Entity: root}))
	want("resolved")
	tie(0)
	tie(1)
	want("back", 0, 1)
	want("both known again")
}

func TestLongCycleError(t *testing.T) {
	e := &transform.CycleError{}
	for i := range int32(20) {
		e.Entities = append(e.Entities, ecs.Entity{Index: i, Version: 1})
	}
	if err := e.Error(); !strings.Contains(err, "7:1 → 12 more → 0:1; give") || strings.Contains(err, "8:1") {
		t.Errorf("error %q", err)
	}
}

// A child without LocalToParent keeps its matrix, and its children use it.
func TestChildWithGivenMatrix(t *testing.T) {
	b := newBench(t)
	root := b.root(transform.Translation{X: 1})
	middle := b.child(root)
	leaf := b.child(middle, transform.Translation{X: 1})
	b.ok(ecs.Set(b.w, middle, transform.LocalToParent{M: transform.IdentityMatrix[float32]()}))
	b.update()
	b.wantAt(leaf, 2, 0, 0)
	_, err := ecs.Remove[transform.LocalToParent](b.w, middle)
	b.ok(err)
	for _, x := range []float32{7, 8} {
		m := transform.LocalToWorld{M: transform.IdentityMatrix[float32]()}
		m.M[12] = x
		b.ok(ecs.Set(b.w, middle, m))
		b.ok(ecs.Set(b.w, root, transform.Translation{X: -x}))
		b.update()
		b.wantAt(middle, x, 0, 0)
		b.wantAt(leaf, x+1, 0, 0)
	}
}

// forest makes trees of the given shape and returns all entities except for the roots.
func forest(b *bench, trees, depth, fanOut int) (nodes []ecs.Entity) {
	roots := make([]ecs.Entity, trees)
	b.ok(b.w.CreateInto(b.w.Archetype(ecs.With[transform.Translation](), ecs.With[transform.Rotation](), ecs.With[transform.LocalToWorld]()), roots))
	arch := b.w.Archetype(ecs.With[transform.Translation](), ecs.With[transform.Rotation](), ecs.With[transform.LocalToWorld](), ecs.With[transform.LocalToParent](), ecs.With[transform.Parent]())
	level := roots
	for range depth {
		next := make([]ecs.Entity, len(level)*fanOut)
		b.ok(b.w.CreateInto(arch, next))
		for i, e := range next {
			b.ok(ecs.Set(b.w, e, transform.Parent{Entity: level[i/fanOut]}))
		}
		nodes = append(nodes, next...)
		level = next
	}
	i := 0
	for c := range b.w.Query(ecs.Write[transform.Translation](), ecs.Write[transform.Rotation]()).Chunks() {
		pos, rot := ecs.Column[transform.Translation](c), ecs.Column[transform.Rotation](c)
		for row := range c.Len() {
			i++
			pos.X[row], pos.Y[row], pos.Z[row] = float32(i%7), float32(i%5)-2, float32(i%3)
			r := rotationAbout[float32](0, 0.6, 0.8, float64(i%100)/10)
			rot.X[row], rot.Y[row], rot.Z[row], rot.W[row] = r.X, r.Y, r.Z, r.W
		}
	}
	return nodes
}

// turner turns everything a little in every frame.
type turner struct {
	_  system.Before[transform.Group]
	q  *ecs.Query
	dt float32
}

func (s *turner) Create(u *system.Setup) error {
	s.q = u.Query(ecs.Write[transform.Rotation](), ecs.Read[transform.Translation]())
	return nil
}

func (s *turner) Update(f *system.Frame) error {
	s.dt = float32(f.Delta())
	f.ParallelFor(s.q, s)
	return nil
}

func (s *turner) Chunk(c *ecs.Chunk) {
	rot, pos := ecs.Column[transform.Rotation](c), ecs.Column[transform.Translation](c)
	rot.Spin(rot, 0, 1, 0, pos.X, s.dt)
}

func newTurning(t testing.TB, pool *jobs.Pool) *bench {
	w, err := system.NewWorld(t.Name(), system.OnPool(pool), system.Only(append(transforms(), system.Of[turner]())...))
	if err != nil {
		t.Fatal(err)
	}
	return &bench{t, w, system.InstanceOf(w, system.Find[transform.Group](w))}
}

// The matrices are the same for any number of workers.
func TestDeterministic(t *testing.T) {
	var want uint64
	eachPool(t, func(t *testing.T, pool *jobs.Pool) {
		b := newTurning(t, pool)
		nodes := forest(b, 50, 3, 6)
		forest(b, 3, 40, 1)
		for i, e := range nodes[:300] { // the other components, below those that turn
			if i%2 == 0 {
				b.spawnLocal(e, transform.LocalTransform{X: 1, Scale: 2, QW: 1}, transform.PostTransformMatrix{M: transform.IdentityMatrix[float32]()})
				continue
			}
			b.child(e, transform.Translation{X: float32(i)}, rotationAbout[float32](0, 0.6, 0.8, float64(i)), transform.NonUniformScale{X: 1, Y: 2, Z: 0.5})
		}
		for i := range 10 {
			b.ok(app.Run(t.Context(), b.w, app.Frames(2), app.Step(0.1)))
			b.ok(ecs.Set(b.w, nodes[300*i+50], transform.Parent{Entity: nodes[i]}))
			b.ok(b.w.Destroy(nodes[1000+i]))
		}
		hash := b.w.Hash()
		if want == 0 {
			want = hash
		}
		if hash != want {
			t.Errorf("hash %x, with one worker %x", hash, want)
		}
	})
}

// saboteur is a system whose job writes a component that other systems read. On demand, the job fails.
type saboteur[C any] struct {
	_     system.Before[transform.Group]
	q     *ecs.Query
	fails bool
}

func (s *saboteur[C]) Create(u *system.Setup) error {
	s.q = u.Query(ecs.Write[C]())
	return nil
}

func (s *saboteur[C]) Update(f *system.Frame) error {
	f.ParallelFor(s.q, s)
	return nil
}

func (s *saboteur[C]) Chunk(c *ecs.Chunk) {
	if s.fails {
		panic("sabotage")
	}
}

// If a frame fails, the next frame does the work that was not done.
func TestAfterFailure(t *testing.T) {
	w, err := system.NewWorld(t.Name(), system.Only(append(transforms(), system.Of[saboteur[transform.Translation]]())...))
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{TB: t, w: w}
	root := b.root(transform.Translation{X: 1})
	child := b.child(root, transform.Translation{X: 1})
	leaf := b.child(child, transform.Translation{X: 1})
	other := b.root(transform.Translation{Y: 1})
	spy := system.Find[saboteur[transform.Translation]](w)
	for i := range 4 {
		b.ok(system.Update(w))
		b.wantAt(leaf, 3+float32(i), 0, 0)
		b.ok(ecs.Set(w, root, transform.Translation{X: 2 + float32(i)}))
		if i == 2 { // with a new plan too
			late := b.child(other, transform.Translation{})
			b.ok(ecs.Set(w, late, transform.Parent{Entity: leaf}))
		}
		spy.fails = true
		for range 2 {
			if err := system.Update(w); err == nil {
				t.Fatal("no error of the failed job")
			}
		}
		spy.fails = false
	}
}
