package transform_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/replay"
	"github.com/lanewise/lanewise/ecs/rollback"
	"github.com/lanewise/lanewise/ecs/snapshot"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

var (
	waysSteps = flag.Int("steps", 50, "how many `steps` TestWaysBack and TestSyncTest do with each seed")
	waysSeeds = flag.Int("seeds", 1, "how many `seeds` these have")
	waysFirst = flag.Uint64("seed", 0, "the first `seed` of these")
)

// seen counts how often the LocalToWorld of an entity's chunk was marked as changed. So the hash of a
// world also depends on whether a matrix was computed again without a change.
type seen struct{ Times int32 }

func (seen) Column() (c struct{ Times []int32 }) { return }

// elsewhere is a component without data that puts entities into other archetypes.
type elsewhere struct{}

// watcher updates seen.
type watcher[T kernels.Float] struct {
	_ system.In[system.Simulation]
	_ system.After[transform.Group]
	q *ecs.Query
}

func (s *watcher[T]) Create(u *system.Setup) error {
	s.q = u.Query(ecs.Write[seen](), ecs.With[transform.LocalToWorldOf[T]](), ecs.Changed[transform.LocalToWorldOf[T]]())
	return nil
}
func (s *watcher[T]) Update(f *system.Frame) error { f.ParallelFor(s.q, s); return nil }
func (s *watcher[T]) Chunk(c *ecs.Chunk) {
	n := ecs.Column[seen](c).Times
	for i := range n {
		n[i]++
	}
}

// fault makes a job of trap panic in the next update if the value Left is not 0.
type fault struct{ Left int32 }

// trap is a job that reads matrices inside of the group, and may fail.
type trap[T kernels.Float] struct {
	_     system.In[transform.Group]
	_     system.After[transform.Parents]
	_     system.Before[transform.HierarchyOf[T]]
	q     *ecs.Query
	fault *ecs.Query
	fails bool
}

func (s *trap[T]) Create(u *system.Setup) error {
	s.q = u.Query(ecs.Read[transform.LocalToWorldOf[T]]())
	s.fault = u.Query(ecs.Write[fault]())
	return nil
}

func (s *trap[T]) Update(f *system.Frame) error {
	s.fails = false
	if e, ok := s.fault.FindSingle(); ok {
		v, err := ecs.Get[fault](f.World(), e)
		if err != nil {
			return err
		}
		if s.fails = v.Left > 0; s.fails {
			if err := ecs.Set(f.World(), e, fault{v.Left - 1}); err != nil {
				return err
			}
		}
	}
	f.ParallelFor(s.q, s)
	return nil
}

func (s *trap[T]) Chunk(*ecs.Chunk) {
	if s.fails {
		panic(errTrap)
	}
}

var errTrap = errors.New("the trap")

// mine is a component that claims LocalToWorld while it is enabled. theirs is a component that always
// claims it.
type mine[T kernels.Float] struct {
	ecs.Enableable
	Value int32
}

func (mine[T]) WriteGroups() []ecs.Term { return []ecs.Term{ecs.With[transform.LocalToWorldOf[T]]()} }

type theirs[T kernels.Float] struct{}

func (theirs[T]) WriteGroups() []ecs.Term { return []ecs.Term{ecs.With[transform.LocalToWorldOf[T]]()} }

// label keeps entities in separate archetypes.
type label struct{}

// woods is a world of trees. The future of the woods depends only on the world and on the
// numbers that are drawn.
type woods[T kernels.Float] struct {
	testing.TB
	w    *ecs.World
	pool *jobs.Pool
	all  *ecs.Query
}

func newWoods[T kernels.Float](t testing.TB, pool *jobs.Pool) *woods[T] {
	t.Helper()
	w, err := system.NewWorld("woods", woodsOptions[T](pool)...)
	if err != nil {
		t.Fatal(err)
	}
	f := &woods[T]{TB: t, w: w, pool: pool}
	w.Spawn(fault{})
	f.find()
	return f
}

func woodsTypes[T kernels.Float]() []*system.Type {
	return []*system.Type{system.Of[watcher[T]](), system.Of[trap[T]]()}
}

func woodsOptions[T kernels.Float](pool *jobs.Pool) []system.Option {
	return []system.Option{system.OnPool(pool), system.Only(woodsTypes[T]()...), system.WithPlugins(transform.Systems())}
}

func (f *woods[T]) find() {
	f.all = f.w.Query(ecs.With[seen](), ecs.IncludeHidden())
}

func (f *woods[T]) ok(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// update runs one frame. Errors because of cycles of parents, and errors of trap, do not count as
// failures.
func (f *woods[T]) update() error {
	err := system.Update(f.w)
	var circle *transform.CycleError
	if errors.As(err, &circle) || err != nil && bytes.Contains([]byte(err.Error()), []byte(errTrap.Error())) {
		return nil
	}
	return err
}

// tree returns the components of an entity that is created below another, or as a root.
func tree[T kernels.Float](r *rand.Rand, parent ecs.Entity) []any {
	number := func() T { return T(r.IntN(64)) / 8 }
	values := []any{transform.LocalToWorldOf[T]{}, seen{}}
	child := parent != (ecs.Entity{})
	if child {
		values = append(values, transform.Parent{Entity: parent})
	}
	switch r.IntN(5) {
	case 0, 1:
		values = append(values, transform.LocalTransformOf[T]{X: number(), Y: number(), Scale: 1, QX: 0.6, QW: 0.8})
		if r.IntN(2) == 0 {
			values = append(values, post[T](r))
		}
	case 2, 3:
		values = append(values, transform.TranslationOf[T]{X: number(), Z: number()})
		if r.IntN(2) == 0 {
			values = append(values, transform.NonUniformScaleOf[T]{X: 1 + number(), Y: 1, Z: 2})
		}
		if child {
			values = append(values, transform.LocalToParentOf[T]{})
		}
	case 4: // matrices that the program sets
		m := transform.IdentityMatrix[T]()
		m[12] = number()
		if child {
			values = append(values, transform.LocalToParentOf[T]{M: m})
		} else {
			values[0] = transform.LocalToWorldOf[T]{M: m}
		}
	}
	if r.IntN(4) == 0 {
		values = append(values, elsewhere{})
	}
	switch r.IntN(8) {
	case 0:
		values = append(values, mine[T]{})
	case 1:
		values = append(values, theirs[T]{})
	case 2:
		values = append(values, label{})
	}
	return values
}

func post[T kernels.Float](r *rand.Rand) transform.PostTransformMatrixOf[T] {
	return transform.PostTransformMatrixOf[T]{M: [16]T{0: T(1 + r.IntN(3)), 5: 2, 10: 1, 12: T(r.IntN(4)), 15: 1}}
}

// toggle removes a component of an entity, or adds it.
func toggle[C any](w *ecs.World, e ecs.Entity, c C) error {
	if ecs.Has[C](w, e) {
		_, err := ecs.Remove[C](w, e)
		return err
	}
	return ecs.Add(w, e, c)
}

// addAgain removes a component of an entity that has it, and adds it again without its value.
func addAgain[C any](w *ecs.World, e ecs.Entity) error {
	if !ecs.Has[C](w, e) {
		return nil
	}
	if _, err := ecs.Remove[C](w, e); err != nil {
		return err
	}
	_, err := ecs.Ensure[C](w, e)
	return err
}

// edit makes one random change.
func (f *woods[T]) edit(r *rand.Rand) error {
	w, all := f.w, f.all.AppendEntities(nil)
	number := func() T { return T(r.IntN(64)) / 8 }
	if len(all) < 6 {
		w.Spawn(tree[T](r, ecs.Entity{})...)
		return nil
	}
	e, other := all[r.IntN(len(all))], all[r.IntN(len(all))]
	what := r.IntN(30)
	if len(all) > 300 && what < 8 {
		what = 12
	}
	switch what {
	case 0:
		w.Spawn(tree[T](r, ecs.Entity{})...)
	case 1, 2, 3:
		w.Spawn(tree[T](r, e)...)
	case 4: // a tree, or a second chunk
		values := tree[T](r, e)
		for range r.IntN(12) {
			w.Spawn(values...)
		}
	case 5:
		_, err := w.Instantiate(e, 1+r.IntN(2))
		return err
	case 6, 7, 8, 9:
		if err := ecs.Add(w, e, transform.Parent{Entity: other}); err != nil {
			return err
		}
		if !ecs.Has[transform.LocalTransformOf[T]](w, e) {
			_, err := ecs.Ensure[transform.LocalToParentOf[T]](w, e)
			return err
		}
	case 10:
		return ecs.RemoveTypes(w, ecs.One(e), ecs.With[transform.Parent](), ecs.With[transform.LocalToParentOf[T]]())
	case 11:
		_, err := ecs.Remove[transform.Parent](w, e)
		return err
	case 12, 13:
		return w.Destroy(e)
	case 14, 15, 16:
		if ecs.Has[transform.LocalTransformOf[T]](w, e) {
			return ecs.Set(w, e, transform.LocalTransformOf[T]{X: number(), Y: number(), Scale: 1, QZ: 0.6, QW: 0.8})
		}
		return ecs.Add(w, e, transform.TranslationOf[T]{X: number()})
	case 17:
		return toggle(w, e, post[T](r))
	case 18:
		return toggle(w, e, transform.NonUniformScaleOf[T]{X: 2, Y: 1 + number(), Z: 1})
	case 19, 20:
		return w.SetActive(e, ecs.Has[ecs.Inactive](w, e))
	case 21:
		return addAgain[transform.LocalToWorldOf[T]](w, e)
	case 22:
		return addAgain[transform.LocalToParentOf[T]](w, e)
	case 23:
		return toggle(w, e, theirs[T]{})
	case 24:
		if ecs.Has[mine[T]](w, e) {
			return ecs.SetEnabled[mine[T]](w, e, r.IntN(2) == 0)
		}
		return ecs.Add(w, e, mine[T]{})
	case 25:
		return toggle(w, e, label{})
	case 26: // by the program
		m := transform.IdentityMatrix[T]()
		m[13] = number()
		return ecs.Add(w, e, transform.LocalToWorldOf[T]{M: m})
	case 27:
		return toggle(w, e, transform.LocalToWorldOf[T]{})
	case 28:
		if o, ok := w.Query(ecs.With[fault]()).FindSingle(); ok && r.IntN(3) == 0 {
			return ecs.Set(w, o, fault{int32(r.IntN(3))})
		}
	case 29:
		return toggle(w, e, elsewhere{})
	}
	return nil
}

// step makes the edits of a step and sometimes runs an update, in some of which a system of the hierarchies does not run. step calls the function between at each
// point at which the world may be restored, and passes the number of edits made so far.
func (f *woods[T]) step(seed, step uint64, between func(edits int)) {
	f.Helper()
	r := rand.New(rand.NewPCG(seed, step))
	n, updates, rests := r.IntN(5), r.IntN(3) > 0, r.IntN(8)
	if r.IntN(10) == 0 {
		n += 20
	}
	for i := range n {
		between(i)
		if err := f.edit(r); err != nil {
			f.Fatalf("seed %d, step %d, edit %d: %v", seed, step, i, err)
		}
	}
	between(n)
	if !updates {
		return
	}
	hierarchy, parents := system.InstanceOf(f.w, system.Find[transform.HierarchyOf[T]](f.w)), system.InstanceOf(f.w, system.Find[transform.Parents](f.w))
	hierarchy.SetEnabled(rests > 1)
	parents.SetEnabled(rests != 2)
	if err := f.update(); err != nil {
		f.Fatalf("seed %d, step %d: %v", seed, step, err)
	}
	hierarchy.SetEnabled(true)
	parents.SetEnabled(true)
}

// spoil makes changes that a Restore undoes later.
func (f *woods[T]) spoil(r *rand.Rand) {
	f.Helper()
	for range r.IntN(4) {
		for range r.IntN(8) {
			f.ok(f.edit(r))
		}
		f.ok(f.update())
	}
}

// ways returns the different ways to restore a world. Each function stores the state of the world,
// changes the world with spoil, and restores it.
func ways[T kernels.Float]() []func(f *woods[T], r *rand.Rand) {
	capture := func(f *woods[T]) *ecs.Image {
		m, err := ecs.Capture(f.w, nil)
		f.ok(err)
		return m
	}
	write := func(f *woods[T], m *ecs.Image) *bytes.Buffer {
		var b bytes.Buffer
		_, err := snapshot.Write(&b, m)
		f.ok(err)
		return &b
	}
	other := func(f *woods[T], w *ecs.World) {
		f.ok(f.w.Close())
		f.w = w
		f.find()
	}
	return []func(f *woods[T], r *rand.Rand){
		func(f *woods[T], r *rand.Rand) { // ecs.Restore
			m := capture(f)
			f.spoil(r)
			f.ok(ecs.Restore(f.w, m))
		},
		func(f *woods[T], r *rand.Rand) { // system.Restore, of an image on which a later one is based
			m := capture(f)
			f.spoil(r)
			later, err := ecs.Capture(f.w, m)
			f.ok(err)
			f.spoil(r)
			f.ok(system.Restore(f.w, later))
			f.ok(system.Restore(f.w, m))
		},
		func(f *woods[T], r *rand.Rand) { // rollback
			ring, err := rollback.NewRing(f.w, 4)
			f.ok(err)
			for tick := range uint64(3) {
				f.ok(ring.Keep(tick))
				f.spoil(r)
			}
			f.ok(ring.Back(0))
			f.spoil(r)
			f.ok(ring.Back(0))
		},
		func(f *woods[T], r *rand.Rand) { // Read and Restore
			b := write(f, capture(f))
			f.spoil(r)
			m, err := snapshot.Read(b)
			f.ok(err)
			f.ok(system.Restore(f.w, m))
		},
		func(f *woods[T], r *rand.Rand) { // LoadFrom
			b := write(f, capture(f))
			f.spoil(r)
			f.ok(snapshot.LoadFrom(f.w, b))
		},
		func(f *woods[T], r *rand.Rand) { // LoadFrom, into another world
			b := write(f, capture(f))
			w := newWoods[T](f, f.pool).w
			if r.IntN(2) == 0 {
				(&woods[T]{TB: f, w: w, all: w.Query(ecs.With[seen](), ecs.IncludeHidden())}).spoil(r)
			}
			f.ok(snapshot.LoadFrom(w, b))
			other(f, w)
		},
		func(f *woods[T], r *rand.Rand) { // a fork
			m := capture(f)
			w, err := ecs.Fork(m, "fork", ecs.OnPool(f.pool))
			f.ok(err)
			var types []*system.Type
			for _, in := range system.Instances(f.w) {
				types = append(types, in.Type())
			}
			f.ok(system.AddSystems(w, types...))
			f.ok(system.RestoreState(w, m))
			f.spoil(r)
			other(f, w)
		},
	}
}

// The test spoils a world and restores it, at any point between two updates and in every way. The
// world must then continue like a world that was never changed: with the same matrices, the same
// hash, and the same chunks marked as changed.
func TestWaysBack(t *testing.T) {
	t.Run("float32/workers=3", func(t *testing.T) { testWaysBack[float32](t, 3) })
	t.Run("float64/workers=1", func(t *testing.T) { testWaysBack[float64](t, 1) })
}

func testWaysBack[T kernels.Float](t *testing.T, workers int) {
	pool := jobs.New(jobs.Workers(workers))
	defer pool.Close()
	back, entities := 0, 0
	for seed := *waysFirst; seed < *waysFirst+uint64(*waysSeeds); seed++ {
		plain, other := newWoods[T](t, pool), newWoods[T](t, pool)
		spoil := rand.New(rand.NewPCG(seed, 1<<40))
		for step := range uint64(*waysSteps) {
			way := -1
			plain.step(seed, step, func(int) {})
			other.step(seed, step, func(int) {
				if spoil.IntN(3) == 0 {
					way = spoil.IntN(len(ways[T]()))
					ways[T]()[way](other, spoil)
					back++
				}
			})
			if a, b := plain.w.Hash(), other.w.Hash(); a != b {
				for _, e := range plain.all.AppendEntities(nil) {
					x, y := describe[T](plain.w, e), describe[T](other.w, e)
					if x != y {
						t.Errorf("entity %v: %s\nafter it was put back %s", e, x, y)
					}
				}
				t.Fatalf("seed %d, step %d: the hash is %x, and %x after the world was put back, the last time by way %d", seed, step, a, b, way)
			}
			entities = max(entities, plain.w.Len())
		}
		plain.ok(plain.w.Close())
		other.ok(other.w.Close())
	}
	t.Logf("%d seeds × %d steps, %d times back, up to %d entities", *waysSeeds, *waysSteps, back, entities)
}

func describe[T kernels.Float](w *ecs.World, e ecs.Entity) string {
	m, _ := ecs.Get[transform.LocalToWorldOf[T]](w, e)
	n, _ := ecs.Get[seen](w, e)
	p, err := ecs.Get[transform.Parent](w, e)
	return fmt.Sprint(m.M, n, p, err == nil, w.ArchetypeOf(e))
}

// replay.SyncTest runs each step twice, with a Restore in between, and compares the results.
func TestSyncTest(t *testing.T) {
	pool := jobs.New(jobs.Workers(2))
	defer pool.Close()
	for seed := *waysFirst; seed < *waysFirst+uint64(*waysSeeds); seed++ {
		f := newWoods[float32](t, pool)
		d, err := replay.SyncTest(replay.Run{World: f.w, Step: func(tick uint64) error {
			r := rand.New(rand.NewPCG(seed, tick))
			for i := range r.IntN(4) {
				if err := f.edit(r); err != nil || i == 2 {
					return err
				}
			}
			return f.update()
		}}, uint64(*waysSteps))
		f.ok(err)
		if d != nil {
			t.Fatalf("seed %d: %v", seed, d)
		}
		f.ok(f.w.Close())
	}
}

// After a Restore, an update in which nothing has changed runs no job of the hierarchy. So if a job that reads matrices fails
// in this update, no other system fails with it because of the hierarchy, as it is without a Restore.
func TestRestoreUnchanged(t *testing.T) {
	pool := jobs.New(jobs.Workers(1))
	defer pool.Close()
	var counts [2]int32
	for restores := range counts {
		f := newWoods[float32](t, pool)
		root := f.w.Spawn(transform.LocalToWorld{}, transform.LocalTransform{X: 1, Scale: 1, QW: 1})
		f.w.Spawn(transform.LocalToWorld{}, transform.LocalTransform{X: 2, Scale: 1, QW: 1}, transform.Parent{Entity: root}, seen{})
		other := f.w.Spawn(transform.LocalToWorld{}, seen{})
		f.ok(f.update())
		f.ok(f.update())
		for range restores {
			m, err := ecs.Capture(f.w, nil)
			f.ok(err)
			f.ok(system.Restore(f.w, m))
		}
		f.ok(ecs.Set(f.w, other, transform.LocalToWorld{M: transform.IdentityMatrix[float32]()}))
		e, _ := f.w.Query(ecs.With[fault]()).FindSingle()
		f.ok(ecs.Set(f.w, e, fault{1}))
		f.ok(f.update())
		n, err := ecs.Get[seen](f.w, other)
		f.ok(err)
		counts[restores] = n.Times
		f.ok(f.w.Close())
	}
	if counts[0] < 2 || counts[0] != counts[1] {
		t.Errorf("the watcher has seen %d changes, and %d after a restore; want the same number, of 2 or more", counts[0], counts[1])
	}
}
