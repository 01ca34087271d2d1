package ecs

import (
	"reflect"
	"testing"
)

type (
	Large  struct{ A [32767]byte }
	Larger struct{ A [10000]byte }
	Second struct{ A [10000]byte }

	Lone struct{ Value int32 }
	Sh1  struct {
		Shared
		Value int32
	}
	HasPointer struct{ Inner struct{ P *int32 } }
	HasInt     struct{ N int }
	BadView    struct{ X float32 }
	NoView     struct{ X float32 }
	BadLimit   struct{ X float32 }
	BothKinds  struct {
		Shared
		Enableable
	}
	CleanupEnableable struct {
		Cleanup
		Enableable
	}
	Incomparable struct {
		Shared
		List []int
	}
	ElemPointer struct{ P *int32 }
	ElemLess    struct{ Value int32 }
	ElemHuge    struct{ Value int32 }
	ElemEmpty   struct{}
)

func (Lone) ChunkCapacity() int                     { return 1 }
func (Sh1) ChunkCapacity() int                      { return 1 }
func (BadView) Column() (c struct{ Y []float32 })   { return }
func (NoView) Column(int) (c struct{ Y []float32 }) { return }
func (BadLimit) ChunkCapacity() int                 { return 0 }
func (ElemLess) InlineCapacity() int                { return -1 }
func (ElemHuge) InlineCapacity() int                { return 5000 }

// Conformance: 17
// ghost is a tag whose view shows what no chunk stores.
type ghost struct{}

func (ghost) Column() (c []float32) { return }

// marks is a tag whose view is the tags themselves, which take no memory.
type marks struct{}

func (marks) Column() (c []marks) { return }

func TestViewOfTag(t *testing.T) {
	w := newWorld(t, 1)
	panics(t, ErrArgument, func() { w.Spawn(ghost{}) })
	w.Spawn(marks{}, Tag{})
	for c := range w.Query(Read[marks](), Read[Tag]()).Chunks() {
		Column[marks](c)
		Column[Tag](c)
	}
}

func TestArchetypeIsASet(t *testing.T) {
	w := newWorld(t, 1)
	a := w.Archetype(With[A](), With[B](), With[Tag]())
	for _, b := range []Archetype{
		w.Archetype(With[Tag](), With[B](), With[A]()),
		w.Archetype(Read[B](), Write[A](), Read[Tag]()),
		w.ArchetypeOf(w.Spawn(Tag{}, A{}, B{})),
	} {
		if a != b {
			t.Errorf("%v is not %v", a, b)
		}
	}
	if a == w.Archetype(With[A](), With[B]()) || a == (Archetype{}) {
		t.Error("different sets are one archetype")
	}
}

// Conformance: 19
func TestTagTakesNoRoom(t *testing.T) {
	w := newWorld(t, 1)
	a, b := w.Archetype(With[A]()), w.Archetype(With[A](), With[Tag]())
	if a.Capacity() != b.Capacity() || !relabels(a, b) {
		t.Errorf("capacities %d and %d", a.Capacity(), b.Capacity())
	}
	if relabels(a, w.Archetype(With[A](), With[D]())) {
		t.Error("two components are compatible with one")
	}
}

// TestCapacities checks that archetypes have the published capacities.
func TestCapacities(t *testing.T) {
	w := newWorld(t, 1)
	for _, tc := range []struct {
		terms []Term
		want  int
	}{
		{nil, 2048},
		{[]Term{With[Position]()}, 816},
		{[]Term{With[Position](), With[Velocity]()}, 512},
		{[]Term{With[Position](), With[Spin](), With[Matrix]()}, 160},
		{[]Term{With[Position](), With[Spin](), With[Velocity](), With[Matrix]()}, 144},
		{[]Term{With[Lone]()}, 1},
		{[]Term{With[Buf]()}, 336},  // 8 + 8 + 8·4
		{[]Term{With[BufD]()}, 112}, // 8 + 8 + 32·4
	} {
		if got := w.Archetype(tc.terms...).Capacity(); got != tc.want {
			t.Errorf("%v: capacity %d, want %d", tc.terms, got, tc.want)
		}
	}
}

// Conformance: 20
func TestTooLargeForAChunk(t *testing.T) {
	w := newWorld(t, 1)
	panics(t, ErrArgument, func() { w.Spawn(Large{}) })
	panics(t, ErrArgument, func() { w.Archetype(With[Larger](), With[Second]()) })
	panics(t, ErrArgument, func() { w.Spawn(Larger{}, Second{}) })
	e := w.Spawn(Larger{}, A{1})
	hash := w.Hash()
	fails(t, ErrArgument, Add(w, e, Second{}))
	err := AddTypes(w, One(e), With[Tag](), With[Second]())
	fails(t, ErrArgument, err)
	fails(t, ErrArgument, AddTypes(w, Entities([]Entity{e}), With[Second]()))
	fails(t, ErrArgument, AddTypes(w, Matching(w.Query()), With[Second]()))
	if w.Hash() != hash || w.Len() != 1 {
		t.Error("a failed change has changed something")
	}
	must(t, w.integrity())
}

// Conformance: 22
func TestSharedKeepsTheLayout(t *testing.T) {
	w := newWorld(t, 1)
	if !relabels(w.Archetype(), w.Archetype(With[Sh]())) {
		t.Error("a shared component changes the layout")
	}
	if relabels(w.Archetype(), w.Archetype(With[Sh1]())) {
		t.Error("a limit does not change the layout")
	}
}

// Conformance: 23
func TestChunksAreCounted(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1})
	must(t, Add(w, e, B{}))
	a, ab := w.Archetype(With[A]()), w.Archetype(With[A](), With[B]())
	if a.ChunkCount() != 0 || a.Len() != 0 || ab.ChunkCount() != 1 || ab.Len() != 1 {
		t.Errorf("%d %d %d %d", a.ChunkCount(), a.Len(), ab.ChunkCount(), ab.Len())
	}
}

// Conformance: 25
func TestRowsFollowOnAdd(t *testing.T) {
	w := newWorld(t, 1)
	var e [4]Entity
	for i := range e {
		e[i] = w.Spawn(A{int32(i)})
	}
	must(t, AddTypes(w, Entities([]Entity{e[0], e[2]}), With[B]()))
	for i := range e {
		if got := get[A](t, w, e[i]); got.Value != int32(i) {
			t.Errorf("entity %d holds %v", i, got)
		}
		if Has[B](w, e[i]) != (i%2 == 0) {
			t.Errorf("entity %d has B: %v", i, i%2 != 0)
		}
	}
	must(t, w.integrity())
}

// Conformance: 27
func TestNewComponentIsZero(t *testing.T) {
	w := newWorld(t, 1)
	dirty := w.Archetype(With[A]())
	for c := range w.Create(dirty, 100).Chunks() {
		a := *Column[A](c)
		for i := range a {
			a[i] = -1
		}
	}
	must(t, DestroyAll(w, Matching(w.Query(With[A]()))))
	for range 100 {
		e := w.Spawn()
		if _, err := Ensure[A](w, e); err != nil {
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
	panics(t, ErrArgument, func() { w.Archetype(With[A](), With[B](), With[A]()) })
	panics(t, ErrArgument, func() { w.Spawn(A{}, A{}) })
	panics(t, ErrArgument, func() { w.Archetype(Without[A]()) })
	panics(t, ErrArgument, func() { w.Query(Read[A](), Without[A]()) })
	err := AddTypes(w, One(w.Spawn()), With[A](), Read[A]())
	fails(t, ErrArgument, err)
	var many []Term
	many = append(many, With[Sh]())
	panics(t, ErrArgument, func() { w.Archetype(append(many, With[Sh]())...) })
}

// Conformance: 32, 129
func TestRegistrationRefuses(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn()
	for _, value := range []any{
		int32(1), struct{ X float32 }{}, []int32{1}, HasPointer{}, HasInt{}, BadView{}, NoView{}, BadLimit{}, e,
		BothKinds{}, CleanupEnableable{}, Incomparable{}, BufferOf[ElemPointer](), BufferOf[ElemLess](), BufferOf[ElemEmpty](), nil,
	} {
		err := panics(t, ErrArgument, func() { w.Spawn(value) })
		if e, ok := err.(*Error); !ok || e.Component == "" || e.Err == nil {
			t.Errorf("%T: %v", value, err)
		}
		_, err = w.NewCommands().Spawn(value)
		fails(t, ErrArgument, err)
	}
	fails(t, ErrArgument, Add(w, e, int32(1)))
	_, err := Remove[int32](w, e)
	fails(t, ErrArgument, err)
	_, err = Ensure[HasPointer](w, e)
	fails(t, ErrArgument, err)
	panics(t, ErrArgument, func() { w.Query(Read[HasInt]()) })
	panics(t, ErrArgument, func() { w.Archetype(With[Entity]()) })
	panics(t, ErrArgument, func() { NewWorldLookup[HasInt](w) })
	must(t, w.integrity())
}

// Conformance: 115
func TestInlineCapacityTooLarge(t *testing.T) {
	w := newWorld(t, 1)
	panics(t, ErrArgument, func() { w.Spawn(BufferOf[ElemHuge]()) })
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
	panics(t, ErrArgument, func() { w.Spawn(second) })
	newWorld(t, 1).Spawn(second) // another world accepts it
}

// Components are ordered by category, then by full name; this holds for types of generic instantiations
// too.
type Box[T any] struct{ Value T }

func TestOrderInArchetype(t *testing.T) {
	w := newWorld(t, 1)
	a := w.Archetype(With[Sh](), With[Tag](), With[Buf](), With[Cl](), With[ClTag](), With[B](), With[A](),
		With[Box[float64]](), With[Box[float32]](), With[ClSh](), With[Buffer[ElemCl]]())
	want := []reflect.Type{
		reflect.TypeFor[A](), reflect.TypeFor[B](), reflect.TypeFor[Box[float32]](), reflect.TypeFor[Box[float64]](), reflect.TypeFor[Cl](),
		reflect.TypeFor[Buf](), reflect.TypeFor[Buffer[ElemCl]](),
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
	for c := range w.Create(w.Archetype(With[Lone]()), 5).Chunks() {
		if c.Len() != 1 {
			t.Errorf("%d rows", c.Len())
		}
		n++
	}
	if n != 5 {
		t.Errorf("%d chunks", n)
	}
}
