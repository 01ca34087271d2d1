package host

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
)

// thing is a node of a scene graph.
type thing[T kernels.Float] struct {
	m          [16]T
	dead       bool
	reads      int
	writes     int
	below      []*thing[T]
	components []any
}

func newThing[T kernels.Float](x T, below ...*thing[T]) *thing[T] {
	o := &thing[T]{m: transform.IdentityMatrix[T](), below: below}
	o.m[12] = x
	return o
}

func (o *thing[T]) WorldMatrix() [16]T     { o.reads++; return o.m }
func (o *thing[T]) SetWorldMatrix(m [16]T) { o.writes++; o.m = m }
func (o *thing[T]) Alive() bool            { return !o.dead }
func (o *thing[T]) Components() []any      { return o.components }
func (o *thing[T]) Children() iter.Seq[NodeOf[T]] {
	return func(yield func(NodeOf[T]) bool) {
		for _, c := range o.below {
			if c == nil && !yield(nil) || c != nil && !yield(c) {
				return
			}
		}
	}
}

func newWorld(t testing.TB) *ecs.World {
	t.Helper()
	w, err := system.NewWorld(t.Name())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { check(t, w.Close()) })
	return w
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func at[T kernels.Float](t testing.TB, w *ecs.World, e ecs.Entity) T {
	t.Helper()
	l, err := ecs.Get[transform.LocalToWorldOf[T]](w, e)
	check(t, err)
	return l.M[12]
}

func testCopies[T kernels.Float](t *testing.T) {
	w := newWorld(t)
	world := transform.LocalToWorldOf[T]{}
	first, from, to := newThing[T](1), newThing[T](2), newThing[T](3)
	initial := w.Spawn(CopyInitialTransform{}, transform.TranslationOf[T]{}, transform.RotationOf[T]{}, transform.NonUniformScaleOf[T]{}, world)
	follows := w.Spawn(CopyTransformFrom{}, transform.TranslationOf[T]{X: 99}, world)
	child := w.Spawn(transform.Parent{Entity: follows}, transform.TranslationOf[T]{X: 10}, transform.LocalToParentOf[T]{}, world)
	leads := w.Spawn(CopyTransformTo{}, transform.TranslationOf[T]{X: 4}, world)
	for e, o := range map[ecs.Entity]*thing[T]{initial: first, follows: from, leads: to} {
		check(t, Bind(w, e, o))
	}
	check(t, system.Update(w))
	if got := at[T](t, w, initial); got != 1 {
		t.Errorf("the initial transform is %v, want 1", got)
	}
	if ecs.Has[CopyInitialTransform](w, initial) {
		t.Error("the tag of the initial copy stays")
	}
	if got := at[T](t, w, child); got != 12 {
		t.Errorf("the child of the copy is at %v, want 12", got)
	}
	if to.m[12] != 4 || to.writes != 1 {
		t.Errorf("the object is at %v after %d writes, want 4 after 1", to.m[12], to.writes)
	}
	first.m[12], from.m[12] = 50, 60
	check(t, ecs.Set(w, leads, transform.TranslationOf[T]{X: 5}))
	check(t, system.Update(w))
	if x, y := at[T](t, w, initial), at[T](t, w, child); x != 1 || y != 70 || to.m[12] != 5 {
		t.Errorf("at %v, %v and %v, want 1, 70 and 5", x, y, to.m[12])
	}
	versions := func() [2]uint32 {
		return [2]uint32{ecs.ChangeVersion[transform.LocalToWorldOf[T]](w, follows), ecs.ChangeVersion[transform.LocalToWorldOf[T]](w, child)}
	}
	before, reads := versions(), from.reads
	for range 3 {
		check(t, system.Update(w))
	}
	if versions() != before || from.reads != reads+3 || to.writes != 2 {
		t.Errorf("nothing moved, and the versions went from %v to %v; %d reads, %d writes", before, versions(), from.reads-reads, to.writes-2)
	}
}

func TestCopies(t *testing.T) {
	t.Run("float32", testCopies[float32])
	t.Run("float64", testCopies[float64])
}

func TestGone(t *testing.T) {
	w := newWorld(t)
	var objects []*thing[float32]
	var entities []ecs.Entity
	for i := range 12 {
		o := newThing(float32(i))
		objects = append(objects, o)
		entities = append(entities, w.Spawn(CopyTransformFrom{}, CopyTransformTo{}, transform.LocalToWorld{}))
		check(t, Bind(w, entities[i], o))
	}
	check(t, system.Update(w))
	for _, o := range objects[2:] {
		o.dead = true
	}
	objects[0].m[12] = 20
	err := system.Update(w)
	var gone *GoneError
	if !errors.As(err, &gone) || !errors.Is(err, ecs.ErrDisposed) || !slices.Equal(gone.Entities, entities[2:]) {
		t.Fatalf("error %v, want the entities %v", err, entities[2:])
	}
	if text := err.Error(); !strings.Contains(text, "and 2 more") || strings.Count(text, "host:") != 1 {
		t.Errorf("error %q", text)
	}
	if got := at[float32](t, w, entities[0]); got != 20 {
		t.Errorf("the others stop: one is at %v, want 20", got)
	}
	check(t, system.Update(w)) // reported once
	objects[3].dead = false    // and it is back
	objects[3].m[12] = 30
	check(t, system.Update(w))
	if got := at[float32](t, w, entities[3]); got != 30 {
		t.Errorf("one that is back is at %v, want 30", got)
	}
}

// function is an object whose matrix is computed by a function.
type function func() [16]float32

func (f function) WorldMatrix() [16]float32   { return f() }
func (f function) SetWorldMatrix([16]float32) {}
func (f function) Alive() bool                { return f != nil }

func TestBindAndUnbind(t *testing.T) {
	w := newWorld(t)
	e := w.Spawn(CopyTransformFrom{}, transform.LocalToWorld{})
	one, two := newThing[float32](1), newThing[float32](2)
	for _, none := range []Object{nil, (*thing[float32])(nil), function(nil)} {
		if err := Bind(w, e, none); !errors.Is(err, ecs.ErrArgument) {
			t.Errorf("nil: error %v", err)
		}
	}
	check(t, Bind(w, e, one))
	check(t, Bind(w, e, two))
	if o, ok := BoundTo[float32](w, e); !ok || o != Object(two) {
		t.Errorf("the object is %v", o)
	}
	if _, ok := BoundTo[float64](w, e); ok {
		t.Error("there is one of the other width")
	}
	copies, err := w.Instantiate(e, 1)
	check(t, err)
	check(t, system.Update(w)) // the copy has no object
	if _, ok := BoundTo[float32](w, copies[0]); ok {
		t.Error("a copy has the object too")
	}
	had, err := Unbind[float32](w, e)
	check(t, err)
	if !had || ecs.Has[Bound](w, e) || ecs.Has[CopyTransformFrom](w, e) || !w.Exists(e) {
		t.Errorf("after Unbind: had %v, the entity is %v", had, w.ArchetypeOf(e))
	}
	if had, err := Unbind[float32](w, e); had || err != nil {
		t.Errorf("Unbind, once more: %v, %v", had, err)
	}
	check(t, w.Destroy(e))
	if err := Bind(w, e, one); !errors.Is(err, ecs.ErrArgument) && !errors.Is(err, ecs.ErrState) && !errors.Is(err, ecs.ErrDisposed) {
		t.Errorf("an entity that is no more: error %v", err)
	}
	f := w.Spawn(transform.LocalToWorld{})
	check(t, Bind(w, f, one))
	check(t, w.Destroy(f))
	table := bindingsOf[float32](w)
	check(t, system.Update(w))
	if b := table.byIndex[f.Index]; b.object != nil {
		t.Error("the object of an entity that ended is kept")
	}
	if had, err := Unbind[float32](w, f); had || err != nil {
		t.Errorf("Unbind of one that ended: %v, %v", had, err)
	}
}

// An object that replaces another object must get the matrix of its entity although the entity
// does not move. No other object may get a matrix.
func TestBindAtRest(t *testing.T) {
	w := newWorld(t)
	one, two, other := newThing[float32](0), newThing[float32](0), newThing[float32](0)
	e := w.Spawn(CopyTransformTo{}, transform.Translation{X: 4}, transform.LocalToWorld{})
	check(t, Bind(w, e, one))
	check(t, Bind(w, w.Spawn(CopyTransformTo{}, transform.LocalToWorld{}), other))
	for range 2 {
		check(t, system.Update(w))
	}
	check(t, Bind(w, e, two))
	before := other.writes
	for range 2 {
		check(t, system.Update(w))
	}
	if two.m[12] != 4 || two.writes != 1 || other.writes != before {
		t.Errorf("the new object is at %v after %d writes, want 4 after 1; %d writes of another", two.m[12], two.writes, other.writes-before)
	}
}

// The object of a destroyed entity must be released even if queries skip the entity.
func TestHiddenEntityEnds(t *testing.T) {
	for name, hide := range map[string]ecs.Term{"inactive": ecs.With[ecs.Inactive](), "prefab": ecs.With[ecs.Prefab]()} {
		w := newWorld(t)
		e := w.Spawn(transform.LocalToWorld{})
		check(t, Bind(w, e, newThing[float32](1)))
		err := ecs.AddTypes(w, ecs.One(e), hide)
		check(t, err)
		check(t, system.Update(w))
		check(t, w.Destroy(e))
		check(t, system.Update(w))
		if bindingsOf[float32](w).byIndex[e.Index].object != nil {
			t.Errorf("%s: the object of an entity that ended is kept", name)
		}
	}
}

func testConvert[T kernels.Float](t *testing.T) {
	w := newWorld(t)
	leaf, second := newThing[T](4), newThing[T](5)
	middle := newThing(3, leaf)
	root := newThing(2, middle, second)
	leaf.components = []any{transform.LocalToParentOf[T]{}, transform.TranslationOf[T]{X: 100}, CopyTransformTo{}}
	list, err := Convert(w, NodeOf[T](root))
	check(t, err)
	if len(list) != 4 {
		t.Fatalf("%d entities, want 4", len(list))
	}
	parents := []int{-1, 0, 1, 0}
	for i, o := range []*thing[T]{root, middle, leaf, second} {
		if got, ok := BoundTo[T](w, list[i]); !ok || got != ObjectOf[T](o) {
			t.Errorf("entity %d has the object %v", i, got)
		}
		if !ecs.Has[CopyInitialTransform](w, list[i]) {
			t.Errorf("entity %d lacks the tag", i)
		}
		if has := ecs.Has[transform.Parent](w, list[i]); has != (parents[i] >= 0) {
			t.Errorf("entity %d has a parent: %v", i, has)
		} else if has {
			p, err := ecs.Get[transform.Parent](w, list[i])
			if check(t, err); p.Entity != list[parents[i]] {
				t.Errorf("entity %d is below %v, want %v", i, p.Entity, list[parents[i]])
			}
		}
	}
	middle.m[12] = 7
	check(t, system.Update(w))
	if x, y := at[T](t, w, list[1]), leaf.m[12]; x != 7 || y != 4 {
		t.Errorf("at %v and %v, want 7 and 4", x, y)
	}
	l, err := ecs.Get[transform.LocalToWorldOf[T]](w, list[1])
	check(t, err)
	l.M[12] = 9
	check(t, ecs.Set(w, list[1], l))
	check(t, system.Update(w))
	if leaf.m[12] != 6 {
		t.Errorf("the parent has moved by 2, and the child is at %v, want 6", leaf.m[12])
	}
}

func TestConvert(t *testing.T) {
	t.Run("float32", testConvert[float32])
	t.Run("float64", testConvert[float64])
}

// A long chain of nodes does not overflow the stack.
func TestConvertLong(t *testing.T) {
	w := newWorld(t)
	n := 2_000
	root := newThing[float32](0)
	for range n {
		root = newThing(0, root)
	}
	list, err := Convert(w, Node(root))
	if check(t, err); len(list) != n+1 {
		t.Errorf("%d entities, want %d", len(list), n+1)
	}
}

// valued is a node that is not comparable.
type valued []Node

func (valued) WorldMatrix() [16]float32   { return transform.IdentityMatrix[float32]() }
func (valued) SetWorldMatrix([16]float32) {}
func (valued) Alive() bool                { return true }
func (valued) Children() iter.Seq[Node]   { return nil }

// lonely is a node whose Children returns nil.
type lonely struct{ thing[float32] }

func (*lonely) Children() iter.Seq[Node] { return nil }

func TestConvertWithoutChildren(t *testing.T) {
	list, err := Convert(newWorld(t), Node(&lonely{}))
	if check(t, err); len(list) != 1 {
		t.Errorf("%d entities, want 1", len(list))
	}
}

// titled and worded are nodes with names.
type (
	titled struct{ thing[float32] }
	worded struct{ thing[float32] }
)

func (*titled) Name() string   { return "torso" }
func (*titled) String() string { return "not this" }
func (*worded) String() string { return "left leg" }

// After an error, the world must be unchanged.
func TestConvertErrors(t *testing.T) {
	twice, dead := newThing[float32](0), newThing[float32](0)
	dead.dead = true
	wrong, double := newThing[float32](0), newThing[float32](0)
	wrong.components, double.components = []any{7}, []any{Bound{}}
	bound := newThing[float32](0)
	for name, c := range map[string]struct {
		root Node
		err  error
		text string
	}{
		"nil":         {nil, ecs.ErrArgument, "node 0 is nil"},
		"nil below":   {newThing(0, newThing[float32](0), nil), ecs.ErrArgument, "node 0, a *host.thing[float32]: one of its children is nil"},
		"twice":       {newThing(0, twice, twice), ecs.ErrArgument, "node 2, a *host.thing[float32]: it stands in the tree twice, the first time as node 1"},
		"no pointer":  {valued{}, ecs.ErrArgument, "node 0, a host.valued: it cannot be told from another"},
		"gone":        {newThing(0, dead), ecs.ErrDisposed, "node 1, a *host.thing[float32]: it is gone"},
		"no type":     {newThing(0, wrong), ecs.ErrArgument, "node 1, a *host.thing[float32]: ecs: "},
		"a type more": {newThing(0, double), ecs.ErrArgument, "node 1, a *host.thing[float32]: ecs: "},
		"nil pointer": {(*thing[float32])(nil), ecs.ErrArgument, "node 0 is nil"},
		"bound":       {newThing(0, bound), ecs.ErrState, "node 1, a *host.thing[float32]: it is bound to entity 0:1: Unbind lets it go"},
		"a name":      {&titled{thing[float32]{dead: true}}, ecs.ErrDisposed, `node 0, a *host.titled "torso": it is gone`},
		"a string":    {&worded{thing[float32]{dead: true}}, ecs.ErrDisposed, `node 0, a *host.worded "left leg": it is gone`},
	} {
		w := newWorld(t)
		check(t, Bind(w, w.Spawn(transform.LocalToWorld{}), Object(bound)))
		hash := w.Hash()
		list, err := Convert(w, c.root)
		if list != nil || !errors.Is(err, c.err) || !strings.Contains(fmt.Sprint(err), c.text) {
			t.Errorf("%s: %v, error %v, want one of %q that says %q", name, list, err, c.err, c.text)
		}
		if w.Hash() != hash {
			t.Errorf("%s: the world has changed", name)
		}
	}
	w := newWorld(t)
	w.Spawn(transform.LocalToWorld{})
	for range w.Query(ecs.Read[transform.LocalToWorld]()).Chunks() {
		if _, err := Convert(w, Node(newThing[float32](0))); !errors.Is(err, ecs.ErrState) {
			t.Errorf("in a loop over chunks: error %v", err)
		}
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	if guard || raceEnabled {
		t.Skip("race and guard builds allocate for their checks")
	}
	w := newWorld(t)
	for i := range 100 {
		o := newThing(float32(i))
		check(t, Bind(w, w.Spawn(CopyTransformFrom{}, CopyTransformTo{}, transform.LocalToWorld{}), o))
	}
	frame := func() { check(t, system.Update(w)) }
	for range 5 {
		frame()
	}
	n := testing.AllocsPerRun(20, frame)
	for round := 0; n > 0 && round < 10; round++ {
		n = testing.AllocsPerRun(20, frame) // a worker that has slept allocates once
	}
	if n > 0 {
		t.Errorf("%v allocations a frame", n)
	}
}

// With many objects, each object must get the matrix of its own entity, and each entity the
// matrix of its own object.
func TestCopiesOfMany(t *testing.T) {
	w := newWorld(t)
	var to, from []*thing[float32]
	var leads, follows []ecs.Entity
	for i := range 200 {
		x := float32(i)
		to, from = append(to, newThing[float32](-1)), append(from, newThing(1000+x))
		leads = append(leads, w.Spawn(CopyTransformTo{}, transform.Translation{X: x}, transform.LocalToWorld{}))
		follows = append(follows, w.Spawn(CopyTransformFrom{}, transform.LocalToWorld{}))
		check(t, Bind(w, leads[i], to[i]))
		check(t, Bind(w, follows[i], from[i]))
	}
	for round := range 2 {
		check(t, system.Update(w))
		for i := range to {
			want := float32(i + 7*round)
			if to[i].m[12] != want {
				t.Errorf("round %d: object %d is at %v, want %v", round, i, to[i].m[12], want)
			}
			if got := at[float32](t, w, follows[i]); got != 1000+want {
				t.Errorf("round %d: entity %d is at %v, want %v", round, i, got, 1000+want)
			}
			check(t, ecs.Set(w, leads[i], transform.Translation{X: float32(i + 7)}))
			from[i].m[12] = float32(1000 + i + 7)
		}
	}
}

// A new entity that has the index of a destroyed entity must not have the object of that entity.
func TestIndexIsUsedAgain(t *testing.T) {
	w := newWorld(t)
	old := w.Spawn(CopyTransformTo{}, transform.Translation{}, transform.LocalToWorld{})
	o := newThing[float32](1)
	check(t, Bind(w, old, o))
	check(t, system.Update(w))
	check(t, w.Destroy(old))
	again := w.Spawn(CopyTransformTo{}, transform.Translation{X: 5}, transform.LocalToWorld{})
	if again.Index != old.Index {
		t.Fatalf("entity %v has not the index of %v", again, old)
	}
	if got, ok := BoundTo[float32](w, again); ok {
		t.Errorf("the new entity has the object %v", got)
	}
	if ok, err := Unbind[float32](w, again); ok || err != nil {
		t.Errorf("the new entity lets go an object: %v, %v", ok, err)
	}
	check(t, system.Update(w))
	if o.m[12] == 5 {
		t.Error("the object follows the new entity")
	}
}

// After a Restore, each object must get the matrix of its entity exactly once.
func TestRestore(t *testing.T) {
	w := newWorld(t)
	o := newThing[float32](0)
	e := w.Spawn(CopyTransformTo{}, transform.Translation{X: 4}, transform.LocalToWorld{})
	check(t, Bind(w, e, Object(o)))
	check(t, system.Update(w))
	m, err := ecs.Capture(w, nil)
	check(t, err)
	check(t, ecs.Set(w, e, transform.Translation{X: 9}))
	check(t, system.Update(w))
	if o.m[12] != 9 {
		t.Fatalf("the object is at %v, want 9", o.m[12])
	}
	check(t, ecs.Restore(w, m))
	writes := o.writes
	for range 3 {
		check(t, system.Update(w))
	}
	if o.m[12] != 4 || o.writes != writes+1 {
		t.Errorf("the object is at %v after %d writes, want 4 after 1", o.m[12], o.writes-writes)
	}
}
