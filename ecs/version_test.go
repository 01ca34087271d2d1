package ecs

import (
	"math"
	"runtime"
	"testing"
)

// setVersion sets the version of the world.
func setVersion(w *World, version uint32) { w.gate.changeVersion = version }

// checkVersions checks the change versions of A and B in the chunk of e, and the chunk's order version. 0
// means that e does not have the component.
func checkVersions(t *testing.T, w *World, e Entity, a, b, order uint32) {
	t.Helper()
	if va, vb, vo := ChangeVersion[A](w, e), ChangeVersion[B](w, e), orderVersion(w, e); va != a || vb != b || vo != order {
		t.Errorf("versions of %v: A %d, B %d, order %d; want %d, %d, %d", e, va, vb, vo, a, b, order)
	}
}

// Conformance: 42
func TestVersionsOnAddTag(t *testing.T) {
	w := newWorld(t, 1)
	setVersion(w, 42)
	e := w.Spawn(A{})
	setVersion(w, 43)
	must(t, Add(w, e, Tag{}))
	checkVersions(t, w, e, 42, 0, 43)
	if v := ChangeVersion[Tag](w, e); v != 43 {
		t.Errorf("version of Tag is %d", v)
	}
}

// Conformance: 54, 55
func TestVersionsOnCreateAndSet(t *testing.T) {
	w := newWorld(t, 1)
	setVersion(w, 42)
	e0 := w.Spawn(A{}, B{})
	setVersion(w, 43)
	e1 := w.Spawn(A{}, B{})
	checkVersions(t, w, e0, 43, 43, 43)
	setVersion(w, 44)
	must(t, Set(w, e1, A{1}))
	checkVersions(t, w, e1, 44, 43, 43)
	checkVersions(t, w, e0, 44, 43, 43) // its neighbour is in the same chunk
	get[B](t, w, e1)
	checkVersions(t, w, e1, 44, 43, 43) // reading is no change
}

// Conformance: 58
func TestVersionsOnMove(t *testing.T) {
	w := newWorld(t, 1)
	setVersion(w, 42)
	e0, e1 := w.Spawn(A{}, B{}), w.Spawn(A{}, B{})
	setVersion(w, 43)
	must(t, Add(w, e1, C{}))
	checkVersions(t, w, e0, 42, 42, 43)
	checkVersions(t, w, e1, 42, 42, 43)
	if v := ChangeVersion[C](w, e1); v != 43 {
		t.Errorf("version of C is %d", v)
	}
	// If a row moves to a chunk with rows, the newer version must remain.
	setVersion(w, 44)
	must(t, Set(w, e0, A{1}))
	must(t, Add(w, e0, C{}))
	checkVersions(t, w, e1, 44, 42, 44)
}

// Conformance: 61, 63
func TestChangedFilter(t *testing.T) {
	w := newWorld(t, 1)
	q := w.Query(Read[A](), Changed[A]())
	last := uint32(0)
	update := func() bool {
		outer := w.Scheduler().BeginUpdate("reader")
		q.SetSince(last)
		n := q.Count()
		last = w.Scheduler().EndUpdate(outer)
		return n > 0
	}
	e := w.Spawn(A{})
	for i, want := range []bool{true, false, false} {
		if got := update(); got != want {
			t.Errorf("update %d sees a change: %v", i, got)
		}
	}
	must(t, Set(w, e, A{1})) // between two updates
	for i, want := range []bool{true, false, false} {
		if got := update(); got != want {
			t.Errorf("update %d after Set sees a change: %v", i, got)
		}
	}
	if last == 0 {
		t.Error("the last version is 0")
	}
}

// Conformance: 66
func TestSharedAndChangedFilter(t *testing.T) {
	w := newWorld(t, 1)
	q := w.Query(Read[A](), WithShared(Sh{Value: 1}), Changed[A]())
	e1, e2 := w.Spawn(A{}, Sh{Value: 1}), w.Spawn(A{}, Sh{Value: 2})
	q.SetSince(w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate("")))
	check := func(want int) {
		t.Helper()
		if n := q.Count(); n != want {
			t.Errorf("%d entities, want %d", n, want)
		}
	}
	check(0)
	must(t, Set(w, e2, A{1}))
	check(0)
	must(t, Set(w, e1, A{1}))
	check(1)
	if !q.Matches(e1) || q.Matches(e2) {
		t.Error("Matches does not heed the filters")
	}
}

// If a query has Changed and OrderChanged, a chunk passes if one of them holds.
func TestChangedOrOrderChanged(t *testing.T) {
	w := newWorld(t, 1)
	q := w.Query(Read[A](), Changed[A](), OrderChanged())
	order := w.Query(With[A](), OrderChanged())
	e := w.Spawn(A{})
	since := w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate(""))
	q.SetSince(since)
	order.SetSince(since)
	must(t, Set(w, e, A{1}))
	if q.Count() != 1 || order.Count() != 0 {
		t.Error(q.Count(), order.Count())
	}
	since = w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate(""))
	q.SetSince(since)
	order.SetSince(since)
	must(t, Add(w, e, Tag{}))
	if q.Count() != 1 || order.Count() != 1 {
		t.Error(q.Count(), order.Count())
	}
}

// Conformance: 70
func TestOrderCounts(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn(A{}, C{})
	e := w.Spawn(A{}, B{})
	if _, err := Remove[B](w, e); err != nil {
		t.Fatal(err)
	}
	if a, b, c := orderCount[A](w), orderCount[B](w), orderCount[C](w); a != 4 || b != 2 || c != 1 {
		t.Errorf("got %d %d %d, want 4 2 1", a, b, c)
	}
}

// Conformance: 72
func TestTooManyFilters(t *testing.T) {
	w := newWorld(t, 1)
	wantPanic(t, ErrArgument, func() {
		w.Query(Read[A](), Read[B](), Read[C](), Changed[A](), Changed[B](), Changed[C]())
	})
	wantPanic(t, ErrArgument, func() { w.Query(WithShared(Sh{}), WithShared(Sh2{}), WithShared(ClSh{})) })
	wantPanic(t, ErrState, func() { w.Query(Changed[A]()) })
	wantPanic(t, ErrState, func() { w.Query(Optional(Read[A]()), Changed[A]()) })
	wantPanic(t, ErrArgument, func() { w.Query(WithShared(A{})) })
	must(t, integrity(w))
}

// Conformance: 73
func TestLookupChangedSince(t *testing.T) {
	w := newWorld(t, 1)
	var list []Entity
	for i := range 10 {
		e := w.Spawn(A{})
		if i%2 == 0 {
			must(t, Add(w, e, Tag{}))
		}
		list = append(list, e)
	}
	last := w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate(""))
	for c := range w.Query(Write[A](), With[Tag]()).Chunks() {
		Column[A](c)
	}
	l := NewWorldLookup[A](w)
	for i, e := range list {
		if got := l.ChangedSince(e, last); got != (i%2 == 0) {
			t.Errorf("entity %d changed: %v", i, got)
		}
	}
}

func TestWriteAccessIsAChange(t *testing.T) {
	w := newWorld(t, 2)
	e := w.Spawn(A{}, B{}, BufferOf[Elem]())
	q := w.Query(Write[A](), Read[B](), Read[Buf]())
	setVersion(w, 50)
	for c := range q.Chunks() {
		ReadColumn[A](c)
		Column[B](c)
		Column[Buf](c).At(0).Len()
	}
	checkVersions(t, w, e, 1, 1, 1)
	for c := range q.Chunks() {
		Column[A](c)
	}
	checkVersions(t, w, e, 50, 1, 1)
	if _, err := Get[Buf](w, e); err != nil || ChangeVersion[Buf](w, e) != 1 {
		t.Error("reading a buffer is a change", err)
	}
	if _, err := GetBuffer[Elem](w, e); err != nil || ChangeVersion[Buf](w, e) != 50 {
		t.Error("GetBuffer is no change", err)
	}
	// A job marks columns with the version that the world had when the job was scheduled.
	h := q.ParallelFor(chunkFunc(func(c *Chunk) { Column[A](c) }))
	setVersion(w, 51)
	must(t, h.Wait())
	checkVersions(t, w, e, 50, 1, 1)
	l := NewWorldLookup[A](w)
	l.Get(e)
	checkVersions(t, w, e, 50, 1, 1)
	l.Set(e, A{})
	checkVersions(t, w, e, 51, 1, 1)
	// A new shared value changes the version of the shared component, and the order version.
	must(t, Add(w, e, Sh{}))
	setVersion(w, 52)
	must(t, Set(w, e, Sh{Value: 1}))
	checkVersions(t, w, e, 51, 1, 52)
	if v := ChangeVersion[Sh](w, e); v != 52 {
		t.Errorf("version of Sh is %d", v)
	}
}

// chunkFunc makes a function a ChunkJob.
type chunkFunc func(c *Chunk)

func (f chunkFunc) Chunk(c *Chunk) { f(c) }

func TestVersionsWrap(t *testing.T) {
	for _, tc := range []struct {
		v, required uint32
		want        bool
	}{
		{1, 0, true}, {5, 5, false}, {6, 5, true}, {5, 6, false},
		{1, math.MaxUint32, true}, {math.MaxUint32, 1, false}, {0, 0, true},
	} {
		if got := changedSince(tc.v, tc.required); got != tc.want {
			t.Errorf("changedSince(%d, %d) is %v", tc.v, tc.required, got)
		}
	}
	w := newWorld(t, 1)
	setVersion(w, math.MaxUint32)
	if last := w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate("")); last != 1 || w.Version() != 2 {
		t.Errorf("after the largest version comes %d", last)
	}
}

// TestChangeAfterHalfTheVersions checks that an old version hides no change, even if it is so
// old that it seems to be in the future.
func TestChangeAfterHalfTheVersions(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{})
	q := w.Query(Read[A](), Changed[A]())
	setVersion(w, 2)
	must(t, Set(w, e, A{1}))
	now := uint32(1<<31 + 100)
	q.SetSince(now - 1)
	setVersion(w, now)
	must(t, Set(w, e, A{2}))
	if n := q.Count(); n != 1 {
		t.Errorf("%d rows changed, want 1", n)
	}
	// A job that stores an older version late must not decrease the version of the archetype.
	a := w.ArchetypeOf(e).arch
	a.raiseNewestVersion(0, now-5)
	if v := a.newestVersions[0]; v != now {
		t.Errorf("the newest version is %d, want %d", v, now)
	}
}

// TestOwnedLookupIsOfNow checks a lookup of the owner that is kept over several frames. Each
// write must use the present version, and each access must wait for jobs that were scheduled in
// the meantime.
func TestOwnedLookupIsOfNow(t *testing.T) {
	w := newWorld(t, 2)
	e := w.Spawn(A{}, B{})
	look := NewWorldLookup[A](w)
	setVersion(w, 50)
	look.Set(e, A{1})
	checkVersions(t, w, e, 50, 1, 1)
	setVersion(w, 51)
	must(t, Set(w, e, A{2}))
	look.Set(e, A{3})
	checkVersions(t, w, e, 51, 1, 1)
	done := false
	h := w.Query(Write[A]()).ParallelFor(chunkFunc(func(c *Chunk) {
		runtime.Gosched()
		(*Column[A](c))[0] = 4
		done = true
	}))
	if v, ok := look.Get(e); !ok || v.Value != 4 || !done {
		t.Errorf("the look-up does not wait: it shows %v", v)
	}
	must(t, h.Wait())
	w.Query(Write[A]()).ParallelFor(chunkFunc(func(*Chunk) { panic("it fails") }))
	wantPanic(t, ErrState, func() { look.Set(e, A{5}) })
	if w.Sync() == nil {
		t.Error("Sync does not tell of the job that failed")
	}
}

// TestFilterOfWhatIsWrittenAnywhere checks that a job must not write a component Anywhere if the
// component affects which rows other jobs process.
func TestFilterOfWhatIsWrittenAnywhere(t *testing.T) {
	w := newWorld(t, 1)
	for _, terms := range [][]Term{
		{Read[A](), Changed[A](), Anywhere(Write[A]())},
		{Read[B](), ChangedAny(Read[A](), Read[B]()), Anywhere(Write[A]())},
		{With[En](), Anywhere(Write[En]())},
		{Write[En](), Anywhere(Write[A](), Write[En]())},
		{Without[En](), Anywhere(Write[En]())},
		{Disabled[En](), Anywhere(Write[En]())},
	} {
		wantPanic(t, ErrState, func() { w.Query(terms...) })
	}
	w.Query(Read[A](), Changed[A](), Anywhere(Read[A](), Write[B]()))
	w.Query(With[En](), IgnoreEnabled(), Anywhere(Write[En]()))
	w.Query(Present[En](), Anywhere(Write[En]()))
}
