package ecs_test

import (
	"reflect"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

type (
	Larger struct{ A [10000]byte }
	Second struct{ A [10000]byte }

	HasPointer struct{ Inner struct{ P *int32 } }
	HasInt     struct{ N int }
	BadView    struct{ X float32 }
	NoView     struct{ X float32 }

	Incomparable struct {
		ecs.Shared
		List []int
	}
	ElemPointer struct{ P *int32 }
	ElemLess    struct{ Value int32 }
	ElemHuge    struct{ Value int32 }
	ElemEmpty   struct{}
)

func (BadView) Column() (c struct{ Y []float32 })   { return }
func (NoView) Column(int) (c struct{ Y []float32 }) { return }

func (ElemLess) InlineCapacity() int { return -1 }
func (ElemHuge) InlineCapacity() int { return 5000 }

// marks is a tag with a view: the view is a slice of tags, which take no memory.
type marks struct{}

func (marks) Column() (c []marks) { return }

func TestViewOfTag(t *testing.T) {
	w := newWorld(t, 1)
	panics(t, ecs.ErrArgument, func() { w.Spawn(ghost{}) })
	w.Spawn(marks{}, Tag{})
	for c := range w.Query(ecs.Read[marks](), ecs.Read[Tag]()).Chunks() {
		ecs.Column[marks](c)
		ecs.Column[Tag](c)
	}
}

func TestArchetypeIsASet(t *testing.T) {
	w := newWorld(t, 1)
	a := w.Archetype(ecs.With[A](), ecs.With[B](), ecs.With[Tag]())
	for _, b := range []ecs.Archetype{
		w.Archetype(ecs.With[Tag](), ecs.With[B](), ecs.With[A]()),
		w.Archetype(ecs.Read[B](), ecs.Write[A](), ecs.Read[Tag]()),
		w.ArchetypeOf(w.Spawn(Tag{}, A{}, B{})),
	} {
		if a != b {
			t.Errorf("%v is not %v", a, b)
		}
	}
	if a == w.Archetype(ecs.With[A](), ecs.With[B]()) || a == (ecs.Archetype{}) {
		t.Error("different sets are one archetype")
	}
}

// Conformance: 19
func TestTagTakesNoRoom(t *testing.T) {
	w := newWorld(t, 1)
	a, b := w.Archetype(ecs.With[A]()), w.Archetype(ecs.With[A](), ecs.With[Tag]())
	if a.Capacity() != b.Capacity() || !relabels(a, b) {
		t.Errorf("capacities %d and %d", a.Capacity(), b.Capacity())
	}
	if relabels(a, w.Archetype(ecs.With[A](), ecs.With[D]())) {
		t.Error("two components are compatible with one")
	}
}

// TestCapacities checks that archetypes have the published capacities.
func TestCapacities(t *testing.T) {
	w := newWorld(t, 1)
	for _, tc := range []struct {
		terms []ecs.Term
		want  int
	}{
		{nil, 2048},
		{[]ecs.Term{ecs.With[Position]()}, 816},
		{[]ecs.Term{ecs.With[Position](), ecs.With[Velocity]()}, 512},
		{[]ecs.Term{ecs.With[Position](), ecs.With[Spin](), ecs.With[Matrix]()}, 160},
		{[]ecs.Term{ecs.With[Position](), ecs.With[Spin](), ecs.With[Velocity](), ecs.With[Matrix]()}, 144},
		{[]ecs.Term{ecs.With[Lone]()}, 1},
		{[]ecs.Term{ecs.With[Buf]()}, 336},  // 8 + 8 + 8·4
		{[]ecs.Term{ecs.With[BufD]()}, 112}, // 8 + 8 + 32·4
	} {
		if got := w.Archetype(tc.terms...).Capacity(); got != tc.want {
			t.Errorf("%v: capacity %d, want %d", tc.terms, got, tc.want)
		}
	}
}

// Conformance: 20
func TestTooLargeForAChunk(t *testing.T) {
	w := newWorld(t, 1)
	panics(t, ecs.ErrArgument, func() { w.Spawn(Large{}) })
	panics(t, ecs.ErrArgument, func() { w.Archetype(ecs.With[Larger](), ecs.With[Second]()) })
	panics(t, ecs.ErrArgument, func() { w.Spawn(Larger{}, Second{}) })
	e := w.Spawn(Larger{}, A{1})
	hash := w.Hash()
	fails(t, ecs.ErrArgument, ecs.Add(w, e, Second{}))
	err := ecs.AddTypes(w, ecs.One(e), ecs.With[Tag](), ecs.With[Second]())
	fails(t, ecs.ErrArgument, err)
	fails(t, ecs.ErrArgument, ecs.AddTypes(w, ecs.Entities([]ecs.Entity{e}), ecs.With[Second]()))
	fails(t, ecs.ErrArgument, ecs.AddTypes(w, ecs.Matching(w.Query()), ecs.With[Second]()))
	if w.Hash() != hash || w.Len() != 1 {
		t.Error("a failed change has changed something")
	}
	must(t, integrity(w))
}

// Conformance: 22
func TestSharedKeepsTheLayout(t *testing.T) {
	w := newWorld(t, 1)
	if !relabels(w.Archetype(), w.Archetype(ecs.With[Sh]())) {
		t.Error("a shared component changes the layout")
	}
	if relabels(w.Archetype(), w.Archetype(ecs.With[Sh1]())) {
		t.Error("a limit does not change the layout")
	}
}

// Conformance: 23
func TestChunksAreCounted(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1})
	must(t, ecs.Add(w, e, B{}))
	a, ab := w.Archetype(ecs.With[A]()), w.Archetype(ecs.With[A](), ecs.With[B]())
	if a.ChunkCount() != 0 || a.Len() != 0 || ab.ChunkCount() != 1 || ab.Len() != 1 {
		t.Errorf("%d %d %d %d", a.ChunkCount(), a.Len(), ab.ChunkCount(), ab.Len())
	}
}

// Conformance: 25
func TestRowsFollowOnAdd(t *testing.T) {
	w := newWorld(t, 1)
	var e [4]ecs.Entity
	for i := range e {
		e[i] = w.Spawn(A{int32(i)})
	}
	must(t, ecs.AddTypes(w, ecs.Entities([]ecs.Entity{e[0], e[2]}), ecs.With[B]()))
	for i := range e {
		if got := get[A](t, w, e[i]); got.Value != int32(i) {
			t.Errorf("entity %d holds %v", i, got)
		}
		if ecs.Has[B](w, e[i]) != (i%2 == 0) {
			t.Errorf("entity %d has B: %v", i, i%2 != 0)
		}
	}
	must(t, integrity(w))
}

// Conformance: 27
func TestNewComponentIsZero(t *testing.T) {
	w := newWorld(t, 1)
	dirty := w.Archetype(ecs.With[A]())
	for c := range w.Create(dirty, 100).Chunks() {
		a := *ecs.Column[A](c)
		for i := range a {
			a[i] = -1
		}
	}
	must(t, ecs.DestroyAll(w, ecs.Matching(w.Query(ecs.With[A]()))))
	for range 100 {
		e := w.Spawn()
		if _, err := ecs.Ensure[A](w, e); err != nil {
			t.Fatal(err)
		}
		if got := get[A](t, w, e); got != (A{}) {
			t.Fatalf("got %v", got)
		}
	}
}

// Conformance: 28
func TestDuplicateTypes(t *testing.T) {
	w := newWorld(t, 1)
	panics(t, ecs.ErrArgument, func() { w.Archetype(ecs.With[A](), ecs.With[B](), ecs.With[A]()) })
	panics(t, ecs.ErrArgument, func() { w.Spawn(A{}, A{}) })
	panics(t, ecs.ErrArgument, func() { w.Archetype(ecs.Without[A]()) })
	panics(t, ecs.ErrArgument, func() { w.Query(ecs.Read[A](), ecs.Without[A]()) })
	err := ecs.AddTypes(w, ecs.One(w.Spawn()), ecs.With[A](), ecs.Read[A]())
	fails(t, ecs.ErrArgument, err)
	var many []ecs.Term
	many = append(many, ecs.With[Sh]())
	panics(t, ecs.ErrArgument, func() { w.Archetype(append(many, ecs.With[Sh]())...) })
}

// Conformance: 32, 129
func TestRegistrationRefuses(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn()
	for _, value := range []any{
		int32(1), struct{ X float32 }{}, []int32{1}, HasPointer{}, HasInt{}, BadView{}, NoView{}, BadLimit{}, e,
		BothKinds{}, CleanupEnableable{}, Incomparable{}, ecs.BufferOf[ElemPointer](), ecs.BufferOf[ElemLess](), ecs.BufferOf[ElemEmpty](), nil,
	} {
		err := panics(t, ecs.ErrArgument, func() { w.Spawn(value) })
		if e, ok := err.(*ecs.Error); !ok || e.Component == "" || e.Err == nil {
			t.Errorf("%T: %v", value, err)
		}
		_, err = w.NewCommands().Spawn(value)
		fails(t, ecs.ErrArgument, err)
	}
	fails(t, ecs.ErrArgument, ecs.Add(w, e, int32(1)))
	_, err := ecs.Remove[int32](w, e)
	fails(t, ecs.ErrArgument, err)
	_, err = ecs.Ensure[HasPointer](w, e)
	fails(t, ecs.ErrArgument, err)
	panics(t, ecs.ErrArgument, func() { w.Query(ecs.Read[HasInt]()) })
	panics(t, ecs.ErrArgument, func() { w.Archetype(ecs.With[ecs.Entity]()) })
	panics(t, ecs.ErrArgument, func() { ecs.NewWorldLookup[HasInt](w) })
	must(t, integrity(w))
}

// Conformance: 115
func TestInlineCapacityTooLarge(t *testing.T) {
	w := newWorld(t, 1)
	panics(t, ecs.ErrArgument, func() { w.Spawn(ecs.BufferOf[ElemHuge]()) })
	if w.Len() != 0 {
		t.Error("an entity was made")
	}
}

func TestTwoTypesOfOneName(t *testing.T) {
	w := newWorld(t, 1)
	first := func() any { type local struct{ X float32 }; return local{} }()
	second := func() any { type local struct{ X float32 }; return local{} }()
	w.Spawn(first)
	w.Spawn(first)
	panics(t, ecs.ErrArgument, func() { w.Spawn(second) })
	newWorld(t, 1).Spawn(second) // another world accepts it
}

// Components are ordered by category, then by full name. This also applies to instantiations of generic
// types.
type Box[T any] struct{ Value T }

func TestOrderInArchetype(t *testing.T) {
	w := newWorld(t, 1)
	a := w.Archetype(ecs.With[Sh](), ecs.With[Tag](), ecs.With[Buf](), ecs.With[Cl](), ecs.With[ClTag](), ecs.With[B](), ecs.With[A](),
		ecs.With[Box[float64]](), ecs.With[Box[float32]](), ecs.With[ClSh](), ecs.With[ecs.Buffer[ElemCl]]())
	want := []reflect.Type{
		reflect.TypeFor[A](), reflect.TypeFor[B](), reflect.TypeFor[Box[float32]](), reflect.TypeFor[Box[float64]](), reflect.TypeFor[Cl](),
		reflect.TypeFor[Buf](), reflect.TypeFor[ecs.Buffer[ElemCl]](),
		reflect.TypeFor[Tag](), reflect.TypeFor[ClTag](),
		reflect.TypeFor[Sh](), reflect.TypeFor[ClSh](),
	}
	if got := a.Types(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestChunkCapacityLimitsRows(t *testing.T) {
	w := newWorld(t, 1)
	n := 0
	for c := range w.Create(w.Archetype(ecs.With[Lone]()), 5).Chunks() {
		if c.Len() != 1 {
			t.Errorf("%d rows", c.Len())
		}
		n++
	}
	if n != 5 {
		t.Errorf("%d chunks", n)
	}
}
