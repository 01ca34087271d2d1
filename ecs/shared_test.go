package ecs

import (
	"errors"
	"math"
	"slices"
	"testing"
)

// values returns the shared values of T that are in use.
func values[T comparable](w *World) (list []T) {
	for _, v := range SharedValues[T](w) {
		list = append(list, v)
	}
	return list
}

func sh(list ...int32) (values []Sh) {
	for _, n := range list {
		values = append(values, Sh{Value: n})
	}
	return values
}

// gather returns the A of all entities that a query matches.
func gather(q *Query) (list []int32) {
	for c := range q.Chunks() {
		list = append(list, *Column[A](c)...)
	}
	return list
}

// Conformance: 74
func TestSharedFilter(t *testing.T) {
	w := newWorld(t, 1)
	a := w.Archetype(With[A](), With[Sh]())
	ids := make([]Entity, 2)
	must(t, w.CreateInto(a, ids))
	must(t, Set(w, ids[0], A{117}))
	must(t, Set(w, ids[1], A{243}))
	q0, q20 := w.Query(Read[A](), WithShared(Sh{})), w.Query(Read[A](), WithShared(Sh{Value: 20}))
	check := func(want0, want20 []int32) {
		t.Helper()
		if got := gather(q0); !slices.Equal(got, want0) {
			t.Errorf("0: got %v, want %v", got, want0)
		}
		if got := gather(q20); !slices.Equal(got, want20) {
			t.Errorf("20: got %v, want %v", got, want20)
		}
		must(t, integrity(w))
	}
	check([]int32{117, 243}, nil)
	must(t, Set(w, ids[0], Sh{Value: 20}))
	check([]int32{243}, []int32{117})
	must(t, Set(w, ids[1], Sh{Value: 20}))
	check(nil, []int32{117, 243})
	if q0 == q20 || q20 != w.Query(Read[A](), WithShared(Sh{Value: 20})) {
		t.Error("queries are told apart by the value of WithShared")
	}
}

// Conformance: 75
func TestSharedValues(t *testing.T) {
	w := newWorld(t, 1)
	check := func(want ...int32) {
		t.Helper()
		if got := values[Sh](w); !slices.Equal(got, sh(want...)) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	check(0)
	e := w.Spawn(Sh{Value: 17})
	check(0, 17)
	must(t, Set(w, e, Sh{Value: 34}))
	check(0, 34)
	must(t, w.Destroy(e))
	check(0)
	wantPanic(t, ErrArgument, func() { values[A](w) })
}

// counter is a shared value that counts how often it is held.
type counter struct {
	Shared
	held *int
	n    int
}

func (c counter) Retain()  { *c.held++ }
func (c counter) Release() { *c.held-- }

// Conformance: 77
func TestSharedValuesAreCounted(t *testing.T) {
	w := newWorld(t, 1)
	held := 0
	check := func(want int) {
		t.Helper()
		if held != want {
			t.Errorf("%d values are held, want %d", held, want)
		}
	}
	e1 := w.Spawn(counter{held: &held, n: 10})
	check(1)
	e2 := w.Spawn(counter{held: &held, n: 20})
	e3 := w.Spawn(counter{held: &held, n: 20})
	check(2)
	_, err := Remove[counter](w, e1)
	must(t, err)
	check(1)
	must(t, w.Destroy(e2))
	check(1)
	must(t, w.Destroy(e3))
	check(0)
	w.Spawn(counter{held: &held, n: 1})
	must(t, w.Close())
	check(0)
}

// Conformance: 79
func TestSharedThatIsNotThere(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{})
	_, err := Get[Sh](w, e)
	wantCategory(t, ErrArgument, err)
	wantCategory(t, ErrArgument, Set(w, e, Sh{Value: 1}))
	for c := range w.Query(Read[A]()).Chunks() {
		wantPanic(t, ErrState, func() { SharedValue[Sh](c) })
	}
	wantPanic(t, ErrArgument, func() { w.Query(Read[Sh]()) })
	wantPanic(t, ErrArgument, func() { NewWorldLookup[Sh](w) })
}

// Conformance: 80
func TestSharedSurvivesAdd(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{}, Sh{Value: 17})
	must(t, Add(w, e, B{}))
	if got := get[Sh](t, w, e); got.Value != 17 {
		t.Errorf("got %v", got)
	}
	for c := range w.Query(With[Sh](), Read[B]()).Chunks() {
		if got := SharedValue[Sh](c); got.Value != 17 {
			t.Errorf("the chunk has %v", got)
		}
	}
}

// Conformance: 81
func TestShareChunk(t *testing.T) {
	w := newWorld(t, 1)
	var e [3]Entity
	for i := range e {
		e[i] = w.Spawn(A{int32(i)}, Sh{Value: 1}, Sh2{Value: 5})
	}
	before := w.tables.chunks[w.tables.entities.find(e[0]).chunk]
	must(t, AddAll(w, Matching(w.Query(With[Sh]())), Sh{Value: 2}))
	for i, e := range e {
		if s, s2 := get[Sh](t, w, e), get[Sh2](t, w, e); s.Value != 2 || s2.Value != 5 || get[A](t, w, e).Value != int32(i) {
			t.Errorf("entity %d: %v %v", i, s, s2)
		}
	}
	if w.tables.chunks[w.tables.entities.find(e[0]).chunk] != before {
		t.Error("the chunk was not relabelled in place")
	}
	if got := values[Sh](w); !slices.Equal(got, sh(0, 2)) {
		t.Errorf("values in use are %v", got)
	}
	must(t, integrity(w))
}

// Conformance: 50
func TestShareNothing(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn(A{})
	q := w.Query(With[B]())
	must(t, AddAll(w, Matching(q), Sh{Value: 3}))
	must(t, AddAll(w, Entities(nil), Sh{Value: 3}))
	if got := values[Sh](w); len(got) != 1 {
		t.Errorf("values in use are %v", got)
	}
	must(t, integrity(w))
}

// Conformance: 83
func TestShareSlice(t *testing.T) {
	w := newWorld(t, 1)
	ids := make([]Entity, 100)
	must(t, w.CreateInto(w.Archetype(With[A]()), ids))
	must(t, AddAll(w, Entities(ids), Sh{Value: 17}))
	must(t, AddAll(w, Entities(append(ids, ids...)), Sh2{Value: 34}))
	must(t, AddAll(w, Entities(ids[10:20]), D{8}))
	for i, e := range ids {
		if s, s2 := get[Sh](t, w, e), get[Sh2](t, w, e); s.Value != 17 || s2.Value != 34 || Has[D](w, e) != (i >= 10 && i < 20) {
			t.Errorf("entity %d: %v %v", i, s, s2)
		}
	}
	must(t, AddAll(w, Matching(w.Query(With[A](), Without[D]())), D{9}))
	if get[D](t, w, ids[0]).Value != 9 || get[D](t, w, ids[15]).Value != 8 {
		t.Error(get[D](t, w, ids[0]), get[D](t, w, ids[15]))
	}
	must(t, integrity(w))
}

// Conformance: 85
func TestShareEqualValue(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{}, Sh{Value: 4})
	w.Spawn(A{}, Sh{Value: 4})
	setVersion(w, 9)
	must(t, Set(w, e, Sh{Value: 4}))
	must(t, AddAll(w, Matching(w.Query(With[Sh]())), Sh{Value: 4}))
	if s := w.tables.entities.find(e); s.row != 0 || orderVersion(w, e) != 1 {
		t.Errorf("row %d, order version %d", s.row, orderVersion(w, e))
	}
}

// Conformance: 86
func TestUnshare(t *testing.T) {
	w := newWorld(t, 1)
	q := w.Query(With[Sh]())
	list := []Entity{w.Spawn(A{}, Sh{Value: 4}), w.Spawn(A{}, Sh{Value: 4}), w.Spawn(A{}, Sh{Value: 5})}
	_, err := Remove[Sh](w, list[0])
	must(t, err)
	if q.Count() != 2 {
		t.Errorf("%d entities", q.Count())
	}
	must(t, RemoveTypes(w, Matching(q), With[Sh]()))
	if q.Count() != 0 || len(values[Sh](w)) != 1 {
		t.Errorf("%d entities", q.Count())
	}
	must(t, integrity(w))
}

// name is a shared value with a method Equal, because == would compare pointers.
type name struct {
	Shared
	text *string
}

func (n name) Equal(o name) bool {
	if n.text == nil || o.text == nil {
		return n.text == o.text
	}
	return *n.text == *o.text
}

func (n name) Hash() uint64 {
	if n.text == nil {
		return 0
	}
	return uint64(len(*n.text)) // many values collide
}

func TestSharedValuesWithTheirOwnEquality(t *testing.T) {
	w := newWorld(t, 1)
	of := func(s string) name { return name{text: &s} }
	e1, e2, e3 := w.Spawn(of("one")), w.Spawn(of("one")), w.Spawn(of("two"))
	if n := len(values[name](w)); n != 3 || w.ArchetypeOf(e1).ChunkCount() != 2 {
		t.Errorf("%d values, %d chunks", n, w.ArchetypeOf(e1).ChunkCount())
	}
	must(t, DestroyAll(w, Entities([]Entity{e1, e3})))
	if got := get[name](t, w, e2); *got.text != "one" || len(values[name](w)) != 2 {
		t.Errorf("got %v", *got.text)
	}
	must(t, integrity(w))
}

func TestTooManyShared(t *testing.T) {
	w := newWorld(t, 1)
	terms := []Term{
		With[S[A]](), With[S[B]](), With[S[C]](), With[S[D]](), With[S[Tag]](), With[S[Tag2]](), With[S[Ref]](), With[S[Cl]](), With[S[ClTag]](),
		With[S[Sh]](), With[S[Sh2]](), With[S[ClSh]](), With[S[Elem]](), With[S[ElemD]](), With[S[ElemCl]](), With[S[Link]](), With[S[Spin]](),
	}
	wantPanic(t, ErrArgument, func() { w.Archetype(terms...) })
	e := w.Spawn()
	err := AddTypes(w, One(e), terms...)
	wantCategory(t, ErrArgument, err)
	checkTypes(t, w, e)
	if a := w.Archetype(terms[:maxShared]...); a.Capacity() != 2048 {
		t.Errorf("capacity %d", a.Capacity())
	}
}

// TestShareAllOrNone checks that if one of many entities cannot get a shared value, none gets it, and the
// world does not keep the value.
func TestShareAllOrNone(t *testing.T) {
	w := newWorld(t, 1)
	plain, per := w.Spawn(A{1}), w.Spawn(A{2}, PerChunk[B]{})
	full := w.Spawn(A{3}, S[A]{}, S[B]{}, S[C]{}, S[D]{}, S[Tag]{}, S[Tag2]{}, S[Ref]{}, S[Cl]{}, S[ClTag]{}, S[Sh]{}, S[Sh2]{}, S[ClSh]{}, S[Elem]{}, S[ElemD]{}, S[ElemCl]{}, S[Link]{})
	root := w.Spawn(A{4}, Sh2{}, BufferOf[Linked]())
	must(t, Set(w, root, BufferOf(Linked{root}, Linked{plain}, Linked{full})))
	q := w.Query(With[A]())
	c := w.NewCommands()
	later := func(err error) error {
		must(t, err)
		defer c.Reset()
		return c.Playback(w)
	}
	hash := w.Hash()
	for name, f := range map[string]func() error{
		"AddAll, meta":               func() error { return AddAll(w, Entities([]Entity{plain, w.MetaOf(per)}), Sh{Value: 3}) },
		"AddAll":                     func() error { return AddAll(w, Entities([]Entity{plain, per, full}), Sh{Value: 3}) },
		"AddAll(Matching)":           func() error { return AddAll(w, Matching(q), Sh{Value: 3}) },
		"AddAll(LinkedTo)":           func() error { return AddAll(w, LinkedTo(root, q), Sh{Value: 3}) },
		"Commands, AddAll, meta":     func() error { return later(AddAll(c, Entities([]Entity{plain, w.MetaOf(per)}), Sh{Value: 3})) },
		"Commands, AddAll":           func() error { return later(AddAll(c, Entities([]Entity{plain, per, full}), Sh{Value: 3})) },
		"Commands, AddAll(Matching)": func() error { return later(AddAll(c, Matching(q), Sh{Value: 3})) },
		"Commands, AddAll(LinkedTo)": func() error { return later(AddAll(c, LinkedTo(root, q), Sh{Value: 3})) },
	} {
		if err := f(); !errors.Is(err, ErrArgument) {
			t.Errorf("%s: got error %v", name, err)
		}
		if w.Hash() != hash || Has[Sh](w, plain) || len(values[Sh](w)) != 1 {
			t.Errorf("%s has changed something", name)
		}
	}
	must(t, integrity(w))
}

// Adding a shared component must move the entity only once. It must not touch the chunks of
// entities with the default value.
func TestShareInOneMove(t *testing.T) {
	for _, later := range []bool{false, true} {
		w := newWorld(t, 1)
		other, e := w.Spawn(A{1}, Sh{}), w.Spawn(A{2})
		setVersion(w, 9)
		before := orderCount[Sh](w)
		if later {
			c := w.NewCommands()
			must(t, Add(c, e, Sh{Value: 1}))
			must(t, c.Playback(w))
		} else {
			must(t, Add(w, e, Sh{Value: 1}))
		}
		if orderVersion(w, other) != 1 || orderVersion(w, e) != 9 || orderCount[Sh](w) != before+1 {
			t.Errorf("later: %v: order versions %d and %d, %d changes", later, orderVersion(w, other), orderVersion(w, e), orderCount[Sh](w)-before)
		}
	}
}

// S[T] is a different shared component for each T.
type S[T any] struct {
	Shared
	_ [0]T
	N int32
}

// TestSharedOfWhileValuesAreAdded checks that jobs can read shared values while the owner stores new
// values. Some of the new values are of types that the world did not have before. The race detector
// must report nothing.
func TestSharedOfWhileValuesAreAdded(t *testing.T) {
	w := newWorld(t, 2)
	w.Spawn(A{1}, Sh{Value: 1})
	started, done := make(chan struct{}), make(chan struct{})
	h := w.Query(Read[A](), With[Sh]()).ParallelFor(chunkFunc(func(c *Chunk) {
		close(started)
		callUntil(done, func() {
			if v := SharedValue[Sh](c); v.Value != 1 {
				t.Errorf("the chunk has %v", v)
			}
			wantPanic(t, ErrState, func() { values[Sh](w) })
		})
	}))
	<-started
	for i := range int32(20) {
		w.Query(WithShared(Sh{Value: 5 + i}), WithShared(Sh2{Value: i}))
	}
	close(done)
	must(t, h.Wait())
	must(t, w.Sync())
	must(t, integrity(w))
}

// loose is a shared value with several fields that can hold a NaN.
type loose struct {
	Shared
	f    float32
	list [2]complex64
	some any
	_    float64
}

// TestSharedNaN checks that a shared value with a NaN equals itself, and that it is dropped when no
// entity has it.
func TestSharedNaN(t *testing.T) {
	w := newWorld(t, 1)
	nan, other := math.Float32frombits(0x7fc00000), math.Float32frombits(0xffc00123)
	list := []loose{
		{f: nan}, {list: [2]complex64{1: complex(1, nan)}}, {list: [2]complex64{1: complex(nan, 1)}}, {some: nan}, {some: float64(nan)},
		{f: nan, some: int8(1)}, {f: nan, some: "one"}, {f: 1},
	}
	for range 2 {
		var ids []Entity
		for i, v := range list {
			ids = append(ids, w.Spawn(A{int32(i)}, v), w.Spawn(A{int32(i)}))
			if v.f != v.f {
				v.f = other
			}
			must(t, Add(w, ids[2*i+1], v))
			q := w.Query(Read[A](), WithShared(v))
			if got := gather(q); !slices.Equal(got, []int32{int32(i), int32(i)}) || q != w.Query(WithShared(v), Read[A]()) {
				t.Errorf("%v has %v", v, got)
			}
			must(t, Set(w, ids[2*i], v))
			must(t, integrity(w))
			must(t, q.Close())
		}
		if n := w.Query(With[loose]()).ChunkCount(); n != len(list) || len(values[loose](w)) != len(list)+1 {
			t.Errorf("%d chunks, %d values, want %d", n, len(values[loose](w)), len(list))
		}
		must(t, DestroyAll(w, Entities(ids)))
		c, err := componentIn[loose](w, "test")
		must(t, err)
		if s := w.shared.storeOf(c); len(s.byKey) != 1 || len(s.nanValues) != 0 || len(s.values) != len(list)+1 || len(values[loose](w)) != 1 {
			t.Errorf("%d and %d values are left, in %d places", len(s.byKey), len(s.nanValues), len(s.values))
		}
	}
}

// All values of alwaysX are printed as the same text.
type alwaysX struct {
	Shared
	n int
}

func (alwaysX) GoString() string { return "x" }

// TestQueriesWithShared checks three rules. Terms in any order give the same query. Different values
// that are printed alike give different queries. A refused query keeps no value in use.
func TestQueriesWithShared(t *testing.T) {
	w := newWorld(t, 1)
	one, two := WithShared(Sh{Value: 1}), WithShared(Sh2{Value: 2})
	q, x1, x2 := w.Query(one, two), w.Query(WithShared(alwaysX{n: 1})), w.Query(WithShared(alwaysX{n: 2}))
	for range 3 {
		if w.Query(two, one) != q || w.Query(one, two) != q || w.Query(WithShared(alwaysX{n: 1})) != x1 || w.Query(WithShared(alwaysX{n: 2})) != x2 || x1 == x2 {
			t.Error("the same terms give another query")
		}
	}
	if len(w.queries.list) != 3 || len(w.queries.byID) != 3 {
		t.Errorf("%d queries, %d to be found, want 3", len(w.queries.list), len(w.queries.byID))
	}
	wantPanic(t, ErrState, func() { w.Query(WithShared(Sh{Value: 77}), Changed[D]()) })
	wantPanic(t, ErrArgument, func() { w.Query(WithShared(Sh{Value: 78}), With[A](), Without[A]()) })
	wantPanic(t, ErrArgument, func() { w.Query(WithShared(Sh{Value: 79}), WithShared(Sh2{Value: 79}), WithShared(alwaysX{n: 79})) })
	if got := values[Sh](w); !slices.Equal(got, sh(0, 1)) || len(values[Sh2](w)) != 2 || len(values[alwaysX](w)) != 3 {
		t.Errorf("refused queries keep %v", got)
	}
	must(t, q.Close())
	if got := values[Sh](w); !slices.Equal(got, sh(0)) || w.Query(two, one) == q {
		t.Errorf("a closed query keeps %v", got)
	}
	must(t, integrity(w))
}
