package ecs

import (
	"slices"
	"strings"
	"testing"
)

// checkTypes checks which components e has.
func checkTypes(t *testing.T, w *World, e Entity, terms ...Term) {
	t.Helper()
	if got, want := w.ArchetypeOf(e), w.Archetype(terms...); got != want {
		t.Errorf("%v has %v, want %v", e, got, want)
	}
}

// Conformance: 31
func TestAddAndRemove(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1}, B{2, 3})
	must(t, Add(w, e, C{3, 4, 5}))
	did, err := Remove[B](w, e)
	if !did || err != nil {
		t.Error(did, err)
	}
	checkTypes(t, w, e, With[A](), With[C]())
	if got := get[C](t, w, e); got != (C{3, 4, 5}) {
		t.Errorf("got %v", got)
	}
	did, err = Remove[B](w, e)
	if did || err != nil {
		t.Error(did, err)
	}
}

// Conformance: 33, 34
func TestEnsureKeepsAndAddOverwrites(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{3})
	for _, want := range []int32{3, 4} {
		must(t, Set(w, e, A{want}))
		did, err := Ensure[A](w, e)
		if did || err != nil || get[A](t, w, e).Value != want {
			t.Error(did, err, get[A](t, w, e))
		}
	}
	must(t, Add(w, e, A{9}))
	if got := get[A](t, w, e); got.Value != 9 {
		t.Errorf("got %v", got)
	}
	wantCategory(t, ErrArgument, Set(w, e, B{}))
}

// Conformance: 35, 131
func TestTags(t *testing.T) {
	w := newWorld(t, 1)
	e, q := w.Spawn(A{}), w.Query(With[A]())
	for range 2 {
		must(t, Add(w, e, Tag{}))
		_, err := Ensure[Tag](w, e)
		must(t, err)
		must(t, AddTypes(w, Matching(q), With[Tag]()))
		must(t, AddAll(w, Matching(q), Tag{}))
	}
	checkTypes(t, w, e, With[A](), With[Tag]())
	_, err := Get[Tag](w, e)
	wantCategory(t, ErrArgument, err)
	wantCategory(t, ErrArgument, Set(w, e, Tag{}))
	if v, ok := NewWorldLookup[Tag](w).Get(e); !ok || v != (Tag{}) {
		t.Error(v, ok)
	}
	for c := range w.Query(Read[Tag]()).Chunks() {
		if Column[Tag](c) == nil {
			t.Error("a tag has no column")
		}
	}
}

// Conformance: 36, 38
func TestSetsOfTypes(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1}, B{}, C{}, D{})
	must(t, RemoveTypes(w, One(e), With[B](), With[D]()))
	checkTypes(t, w, e, With[A](), With[C]())
	order := orderVersion(w, e)
	w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate(""))
	for _, set := range [][]Term{nil, {With[B](), With[D]()}} {
		if err := RemoveTypes(w, One(e), set...); err != nil || orderVersion(w, e) != order {
			t.Error(err, orderVersion(w, e))
		}
	}
	must(t, AddTypes(w, One(e), With[A](), With[B](), With[C]()))
	checkTypes(t, w, e, With[A](), With[B](), With[C]())
	order = orderVersion(w, e)
	must(t, AddTypes(w, One(e), With[A](), With[B]()))
	if get[A](t, w, e).Value != 1 || orderVersion(w, e) != order {
		t.Error("what is there already was added")
	}
}

// Conformance: 43
func TestRemoveTypesLeavesOthersAlone(t *testing.T) {
	w := newWorld(t, 1)
	a, ab, ac := w.Spawn(A{1}), w.Spawn(A{2}, B{}), w.Spawn(A{3}, C{})
	w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate(""))
	must(t, RemoveTypes(w, Matching(w.Query(With[A]())), With[B]()))
	checkTypes(t, w, a, With[A]())
	checkTypes(t, w, ab, With[A]())
	checkTypes(t, w, ac, With[A](), With[C]())
	if orderVersion(w, ac) != 1 || orderVersion(w, ab) != w.Version() {
		t.Errorf("order versions %d and %d", orderVersion(w, ac), orderVersion(w, ab))
	}
	for i, e := range []Entity{a, ab, ac} {
		if got := get[A](t, w, e); got.Value != int32(i+1) {
			t.Errorf("entity %d holds %v", i, got)
		}
	}
}

// Conformance: 45
func TestEntityIsNoType(t *testing.T) {
	w := newWorld(t, 1)
	q := w.Query()
	wantCategory(t, ErrArgument, AddTypes(w, Matching(q), With[Entity]()))
	wantCategory(t, ErrArgument, RemoveTypes(w, Matching(q), With[Entity]()))
	err := AddTypes(w, One(w.Spawn()), With[Entity]())
	wantCategory(t, ErrArgument, err)
}

// Conformance: 46
func TestSetArchetype(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1}, Sh{Value: 7}, D{5})
	must(t, w.SetArchetype(e, w.Archetype(With[A](), With[B](), With[Sh]())))
	if a, s, b := get[A](t, w, e), get[Sh](t, w, e), get[B](t, w, e); a.Value != 1 || s.Value != 7 || b != (B{}) {
		t.Error(a, s, b)
	}
	cl := w.Spawn(Cl{Value: 1})
	wantCategory(t, ErrArgument, w.SetArchetype(cl, w.Archetype(With[A]())))
	checkTypes(t, w, cl, With[Cl]())
	must(t, w.SetArchetype(cl, w.Archetype(With[Cl]())))
}

// Conformance: 48
func TestWithoutReacts(t *testing.T) {
	w := newWorld(t, 1)
	q := w.Query(With[B](), Without[A]())
	e := w.Spawn(A{}, B{})
	counts := []int{q.Count()}
	if _, err := Remove[A](w, e); err != nil {
		t.Fatal(err)
	}
	counts = append(counts, q.Count())
	must(t, Add(w, e, A{}))
	if counts = append(counts, q.Count()); !slices.Equal(counts, []int{0, 1, 0}) {
		t.Errorf("got %v", counts)
	}
}

// Conformance: 51
func TestLookupEndsAtStructuralChange(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1})
	l := NewWorldLookup[A](w)
	if v, ok := l.Get(e); !ok || v.Value != 1 {
		t.Error(v, ok)
	}
	must(t, Add(w, e, B{}))
	for _, f := range []func(){
		func() { l.Get(e) }, func() { l.Set(e, A{}) }, func() { l.Ref(e) }, func() { l.Has(e) },
	} {
		err := wantPanic(t, ErrDisposed, f)
		if s := err.Error(); !strings.Contains(s, "ecs.A") || !strings.Contains(s, "structural change") {
			t.Errorf("the message is %q", s)
		}
	}
	must(t, l.Refresh())
	if v, ok := l.Get(e); !ok || v.Value != 1 {
		t.Error(v, ok)
	}
}

func TestViewsEndAtStructuralChange(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn(A{1})
	var kept *Chunk
	for c := range w.Query(Write[A]()).Chunks() {
		kept = c
	}
	for _, f := range []func(){
		func() { Column[A](kept) }, func() { kept.Entities() }, func() { HasColumn[A](kept) }, func() { ReadColumn[A](kept) },
	} {
		wantPanic(t, ErrDisposed, f)
	}
	made := w.Create(w.Archetype(With[A]()), 3)
	w.Spawn()
	wantPanic(t, ErrDisposed, func() {
		for range made.Chunks() {
		}
	})
}

func TestNoStructuralChangeWhileVisiting(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1}, Sh{Value: 1})
	q := w.Query(Read[A]())
	a := w.Archetype(With[A]())
	cmd := w.NewCommands()
	must(t, cmd.Destroy(e))
	check := func() {
		t.Helper()
		wantPanic(t, ErrState, func() { w.Spawn() })
		wantPanic(t, ErrState, func() { w.Create(a, 1) })
		wantCategory(t, ErrState, w.CreateInto(a, make([]Entity, 1)))
		wantCategory(t, ErrState, w.Destroy(e))
		wantCategory(t, ErrState, DestroyAll(w, Entities([]Entity{e})))
		wantCategory(t, ErrState, DestroyAll(w, Matching(q)))
		wantCategory(t, ErrState, Add(w, e, B{}))
		wantCategory(t, ErrState, Set(w, e, Sh{Value: 2}))
		_, err := Remove[A](w, e)
		wantCategory(t, ErrState, err)
		wantCategory(t, ErrState, AddTypes(w, Matching(q), With[B]()))
		_, err = w.Instantiate(e, 1)
		wantCategory(t, ErrState, err)
		wantCategory(t, ErrState, cmd.Playback(w))
		wantCategory(t, ErrState, w.Close())
		wantPanic(t, ErrState, func() { q.ParallelFor(&advance{}) })
		must(t, Set(w, e, A{2}))         // values may be set
		must(t, Set(w, e, Sh{Value: 1})) // it has this value already
		must(t, Add(w, e, A{3}))         // and this component
	}
	for range q.Chunks() {
		check()
	}
	for range w.Create(a, 1).Chunks() {
		check()
	}
	for range w.Entities() {
		check()
		break
	}
	func() {
		defer func() { recover() }()
		for range q.Chunks() {
			panic("a body")
		}
	}()
	must(t, cmd.Playback(w)) // no loop is open any more
	must(t, integrity(w))
}

// TestFillOrder checks the order of rows. New rows go first to the chunk that was the first to
// have free rows. Removing rows does not move the rows before them, and fills the gap from the
// end, in order.
func TestFillOrder(t *testing.T) {
	w := newWorld(t, 1)
	a := w.Archetype(With[Matrix]())
	capacity := a.Capacity()
	list := make([]Entity, 3*capacity-1)
	must(t, w.CreateInto(a, list))
	chunks := func() (got [][]Entity) {
		for c := range w.Query(With[Matrix]()).Chunks() {
			got = append(got, slices.Clone(c.Entities()))
		}
		return got
	}
	if got := chunks(); len(got) != 3 || len(got[0]) != capacity || len(got[2]) != capacity-1 || !slices.Equal(slices.Concat(got...), list) {
		t.Fatalf("%d chunks", len(got))
	}
	must(t, DestroyAll(w, Entities(list[capacity+2:capacity+5]))) // a gap in chunk 1
	must(t, DestroyAll(w, Entities(list[:2])))                    // and one in chunk 0
	got := chunks()
	if !slices.Equal(got[1][:5], []Entity{list[capacity], list[capacity+1], list[2*capacity-3], list[2*capacity-2], list[2*capacity-1]}) {
		t.Errorf("chunk 1 begins with %v", got[1][:5])
	}
	if !slices.Equal(got[0][:2], list[capacity-2:capacity]) {
		t.Errorf("chunk 0 begins with %v", got[0][:2])
	}
	// Chunk 2 was the first to have free rows, then chunk 1, and then chunk 0.
	fresh := make([]Entity, 6)
	must(t, w.CreateInto(a, fresh))
	got = chunks()
	if got[2][capacity-1] != fresh[0] {
		t.Error("the last chunk was not filled first")
	}
	// A full chunk leaves the list of chunks with free rows, and the last chunk of the list takes
	// its place.
	if !slices.Equal(got[0][capacity-2:], fresh[1:3]) || !slices.Equal(got[1][capacity-3:], fresh[3:]) {
		t.Errorf("rows went to %v and %v", got[0][capacity-2:], got[1][capacity-3:])
	}
	// An empty chunk is removed, and the last chunk takes its place.
	must(t, DestroyAll(w, Entities(got[0])))
	if now := chunks(); len(now) != 2 || !slices.Equal(now[0], got[2]) || !slices.Equal(now[1], got[1]) {
		t.Errorf("%d chunks are left", len(now))
	}
	must(t, integrity(w))
}

func TestCreateChunksFillsNoHole(t *testing.T) {
	w := newWorld(t, 1)
	a := w.Archetype(With[Matrix]())
	w.Spawn(Matrix{})
	n := 0
	for c := range w.CreateChunks(a, a.Capacity()+1).Chunks() {
		if c.firstRow != 0 || c.Len() != []int{a.Capacity(), 1}[n] {
			t.Errorf("chunk %d: rows %d from %d", n, c.Len(), c.firstRow)
		}
		n++
	}
	if n != 2 || a.ChunkCount() != 3 {
		t.Errorf("%d chunks of %d", n, a.ChunkCount())
	}
	must(t, integrity(w))
}

// TestRelabel checks that adding a tag to the matches of a query leaves rows in place.
func TestRelabel(t *testing.T) {
	w := newWorld(t, 1)
	a := w.Archetype(With[A](), With[Buf]())
	list := make([]Entity, 1000)
	must(t, w.CreateInto(a, list))
	long := make([]Elem, 30)
	must(t, Set(w, list[999], BufferOf(long...)))
	q := w.Query(With[A]())
	record := func(e Entity) *chunkData { return w.tables.chunks[w.tables.entities.find(e).chunk] }
	before, last := record(list[0]), record(list[999])
	w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate(""))
	must(t, AddTypes(w, Matching(q), With[Tag]()))
	if record(list[0]) != before || record(list[999]) != last {
		t.Error("rows have moved")
	}
	if b := get[Buf](t, w, list[999]); b.Len() != 30 {
		t.Errorf("the buffer has %d elements", b.Len())
	}
	if v := ChangeVersion[A](w, list[0]); v != 1 {
		t.Errorf("version of A is %d", v)
	}
	if v := ChangeVersion[Tag](w, list[0]); v != w.Version() || orderVersion(w, list[0]) != v {
		t.Errorf("version of Tag is %d, order version %d", v, orderVersion(w, list[0]))
	}
	if ta := w.Archetype(With[A](), With[Buf](), With[Tag]()); ta.Len() != 1000 || a.Len() != 0 {
		t.Errorf("%d and %d rows", ta.Len(), a.Len())
	}
	must(t, integrity(w))
	must(t, AddTypes(w, Matching(q), With[D]())) // moves rows
	must(t, integrity(w))
	if q.Count() != 1000 {
		t.Errorf("%d entities", q.Count())
	}
}
