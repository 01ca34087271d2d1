package ecs

import (
	"fmt"
	"slices"
	"testing"
)

// twoWorlds returns a world and a source of entities to move.
func twoWorlds(t testing.TB) (w, src *World) {
	t.Helper()
	return newWorld(t, 1), newWorld(t, 2)
}

// checkWorlds checks the invariants of several worlds.
func checkWorlds(t testing.TB, worlds ...*World) {
	t.Helper()
	for _, w := range worlds {
		must(t, integrity(w))
		must(t, integrityQueries(w))
	}
}

// Conformance: 171.
func TestMoveEntitiesItself(t *testing.T) {
	w, src := twoWorlds(t)
	w.Spawn(A{1})
	hash := w.Hash()
	wantCategory(t, ErrArgument, MoveEntities(w, w, nil))
	wantCategory(t, ErrArgument, MoveEntities(w, nil, nil))
	wantCategory(t, ErrArgument, MoveMatching(w, w.Query(With[A]()), nil))
	wantCategory(t, ErrArgument, MoveMatching(w, nil, nil))
	_, err := CopyEntities(w, w, nil)
	wantCategory(t, ErrArgument, err)
	closed := NewWorld("closed")
	q := closed.Query()
	must(t, closed.Close())
	wantCategory(t, ErrDisposed, MoveEntities(w, closed, nil))
	wantCategory(t, ErrDisposed, MoveMatching(w, q, nil))
	for range src.Query().Chunks() {
		t.Error("a chunk")
	}
	src.Spawn(A{2})
	for range src.Query().Chunks() {
		wantCategory(t, ErrState, MoveEntities(w, src, nil))
		wantCategory(t, ErrState, MoveEntities(src, w, nil))
	}
	if w.Hash() != hash || src.Len() != 1 {
		t.Error("something has changed")
	}
}

// Conformance: 172, 176.
func TestMoveEntities(t *testing.T) {
	w, src := twoWorlds(t)
	const n = 10_000
	a := src.Archetype(With[A](), With[B]())
	row, old := int32(0), []Entity(nil)
	for c := range src.Create(a, n).Chunks() {
		values, b := *Column[A](c), Column[B](c)
		for i := range values {
			values[i], b.Y[i] = row, -row
			row++
		}
		old = append(old, c.Entities()...)
	}
	chunks := a.ChunkCount()
	kept := w.Spawn(A{-5}, B{})
	q := w.Query(Read[A](), Read[B]())
	var moved EntityMap
	must(t, MoveEntities(w, src, &moved))
	if src.Len() != 0 || a.ChunkCount() != 0 || w.Len() != n+1 {
		t.Errorf("%d entities in %d chunks are left, %d are there", src.Len(), a.ChunkCount(), w.Len())
	}
	if to := w.ArchetypeOf(kept); to.ChunkCount() != chunks+1 {
		t.Errorf("%d chunks, want %d more than 1", to.ChunkCount(), chunks)
	}
	if len(moved.Entities) != n || !slices.Equal(moved.Entities, q.AppendEntities(nil)[1:]) {
		t.Errorf("%d new ids, or not those of the rows in order", len(moved.Entities))
	}
	values, err := AppendValues[A](q, nil)
	must(t, err)
	for i, v := range values {
		if want := int32(i) - 1; i > 0 && v.Value != want || i == 0 && v.Value != -5 {
			t.Fatalf("row %d holds %d", i, v.Value)
		}
	}
	for i, e := range old {
		now := moved.NewID(e)
		if src.Exists(e) || get[B](t, w, now).Y != -int32(i) || now != moved.Entities[i] {
			t.Fatalf("entity %v, now %v: exists %v, holds %v", e, now, src.Exists(e), get[B](t, w, now))
		}
		if never := (Entity{e.Index, e.Version + 1}); !moved.NewID(never).IsZero() {
			t.Fatalf("%v, which never was, is %v", never, moved.NewID(never))
		}
	}
	checkWorlds(t, w, src)
	must(t, MoveEntities(w, src, &moved)) // an empty world
	if len(moved.Entities) != 0 || !moved.NewID(old[0]).IsZero() {
		t.Error("an empty world has something to move")
	}
}

// Conformance: 175.
func TestMoveMatchingFrom(t *testing.T) {
	w, src := twoWorlds(t)
	var stay []Entity
	for i := range int32(3000) {
		e := src.Spawn(A{i}, Sh{Value: i % 3})
		if i%3 != 1 {
			stay = append(stay, e)
		}
	}
	must(t, MoveMatching(w, src.Query(With[A](), WithShared(Sh{Value: 1})), nil))
	if src.Len() != 2000 || w.Len() != 1000 {
		t.Errorf("%d entities are left, %d are there", src.Len(), w.Len())
	}
	for c := range w.Query(Read[A](), With[Sh]()).Chunks() {
		if SharedValue[Sh](c).Value != 1 {
			t.Errorf("a chunk with %v", SharedValue[Sh](c))
		}
		for _, v := range *Column[A](c) {
			if v%3 != 1 {
				t.Fatalf("%d was moved", v)
			}
		}
	}
	for _, e := range stay {
		if v := get[A](t, src, e).Value; v%3 != get[Sh](t, src, e).Value {
			t.Fatalf("%v holds %d", e, v)
		}
	}
	checkWorlds(t, w, src)

	// The enabled bits of a single row do not decide whether it moves. Filters by change apply.
	on := src.Spawn(En{Value: 1}, D{})
	wantCategory(t, ErrArgument, MoveMatching(w, src.Query(With[En]()), nil))
	must(t, SetEnabled[En](src, on, false))
	must(t, MoveMatching(w, src.Query(With[En](), IgnoreEnabled()), nil))
	if src.Exists(on) || w.Query(With[En](), IgnoreEnabled()).Count() != 1 || w.Query(With[En]()).Count() != 0 {
		t.Error("what is off must come, and be off")
	}
	changed := src.Query(With[A](), Changed[A]())
	src.Scheduler().EndUpdate(src.Scheduler().BeginUpdate("system"))
	changed.SetSince(src.Version())
	src.Scheduler().EndUpdate(src.Scheduler().BeginUpdate("system"))
	must(t, MoveMatching(w, changed, nil))
	if src.Len() != 2000 {
		t.Error("chunks without change were moved")
	}
	must(t, Set(src, stay[0], A{3}))
	must(t, MoveMatching(w, changed, nil))
	if n := src.Len(); n == 0 || n == 2000 || src.Exists(stay[0]) {
		t.Errorf("%d entities are left", n)
	}
	checkWorlds(t, w, src)
}

// MoveEntities refuses to move all entities while a query of the source holds a shared value.
func TestMoveEntitiesQueryWithShared(t *testing.T) {
	w, src := twoWorlds(t)
	src.Spawn(Sh{Value: 4})
	q := src.Query(WithShared(Sh{Value: 4}))
	wantCategory(t, ErrArgument, MoveEntities(w, src, nil))
	if src.Len() != 1 || w.Len() != 0 {
		t.Error("something was moved")
	}
	must(t, q.Close())
	src.Query(WithShared(Sh{})) // the default needs no entity
	must(t, MoveEntities(w, src, nil))
	checkWorlds(t, w, src)
}

// Every reference to a moved entity is updated; other references become null.
func TestMoveRedirects(t *testing.T) {
	for _, n := range []int{2, 50, 3000} { // sizes below and above the limit for linear search
		w, src := twoWorlds(t)
		w.CreateChunks(w.Archetype(With[D]()), 77) // so that ids differ
		gone, stays := src.Spawn(), src.Spawn(D{})
		must(t, src.Destroy(gone))
		ids := make([]Entity, n)
		for i := range ids {
			ids[i] = src.Spawn(Ref{Value: int32(i)}, Buffer[Link]{}, Obj{}, Sh{Value: int32(i) % 3})
		}
		for i, e := range ids {
			next := ids[(i+1)%n]
			must(t, Set(src, e, Ref{int32(i), next}))
			list := []Link{{e}, {stays}, {gone}, {Entity{}}}
			for k := range i % 40 { // some on the heap
				list = append(list, Link{ids[k%n]})
			}
			must(t, Set(src, e, BufferOf(list...)))
			must(t, Set(src, e, Obj{Self: next}))
			must(t, Add(src, e, ShRef{To: ids[0]}))
		}
		var moved EntityMap
		q := src.Query(With[Ref]())
		must(t, MoveMatching(w, q, &moved))
		for i, e := range ids {
			now, next := moved.NewID(e), moved.NewID(ids[(i+1)%n])
			if get[Ref](t, w, now) != (Ref{int32(i), next}) || get[Obj](t, w, now).Self != next {
				t.Fatalf("entity %d leads to %v and %v, want %v", i, get[Ref](t, w, now), get[Obj](t, w, now).Self, next)
			}
			want := []Link{{now}, {}, {}, {}}
			for k := range i % 40 {
				want = append(want, Link{moved.NewID(ids[k%n])})
			}
			if links := get[Buffer[Link]](t, w, now).Slice(); !slices.Equal(links, want) {
				t.Fatalf("entity %d: links %v, want %v", i, links, want)
			}
			if get[ShRef](t, w, now).To != moved.NewID(ids[0]) || get[Sh](t, w, now).Value != int32(i)%3 {
				t.Fatalf("entity %d: shared %v, %v", i, get[ShRef](t, w, now), get[Sh](t, w, now))
			}
		}
		checkWorlds(t, w, src)
		values := 0
		for range SharedValues[ShRef](src) {
			values++
		}
		if values != 1 {
			t.Errorf("%d shared values are left behind", values)
		}
	}
}

// Conformance: 178.
func TestMoveChunkComponents(t *testing.T) {
	for _, all := range []bool{true, false} {
		w, src := twoWorlds(t)
		target := src.Spawn(D{})
		e := src.Spawn(A{1}, PerChunk[B]{B{1, 2}}, PerChunk[Ref]{Ref{Value: 3, To: target}}, Ref{})
		must(t, Set(src, e, Ref{To: src.MetaOf(e)}))
		over := src.Spawn(D{}, PerChunk[Cl]{Cl{Value: 9}}) // outlives its chunk
		must(t, src.Destroy(over))
		wantCategory(t, ErrArgument, MoveMatching(w, src.Query(With[ChunkHeader]()), nil))
		var moved EntityMap
		if all {
			must(t, MoveEntities(w, src, &moved))
		} else {
			must(t, MoveMatching(w, src.Query(AnyOf(With[D](), With[A](), With[Cl]())), &moved))
		}
		now := moved.NewID(e)
		if get[PerChunk[B]](t, w, now).Value != (B{1, 2}) || get[PerChunk[Ref]](t, w, now).Value != (Ref{3, moved.NewID(target)}) {
			t.Errorf("the chunk has %v and %v", get[PerChunk[B]](t, w, now), get[PerChunk[Ref]](t, w, now))
		}
		if get[Ref](t, w, now).To != w.MetaOf(now) || len(moved.Entities) != 3 || src.Len() != 0 {
			t.Errorf("a reference to the meta entity leads to %v, want %v; %d moved, %d left", get[Ref](t, w, now).To, w.MetaOf(now), len(moved.Entities), src.Len())
		}
		if n := w.Query(With[Cl]()).Count(); n != 1 {
			t.Errorf("%d meta entities wait for their cleanup", n)
		}
		checkWorlds(t, w, src)
	}
}

// Cleanup components, including those of destroyed entities, enabled bits and values move too.
func TestMoveKeeps(t *testing.T) {
	w, src := twoWorlds(t)
	one := int32(1)
	dead := src.Spawn(Cl{Value: 5}, ClSh{Value: 6}, A{1})
	must(t, src.Destroy(dead))
	live := src.Spawn(Cl{Value: 7}, En{Value: 8}, EnTag{}, Obj{Number: &one}, Prefab{}, Inactive{})
	must(t, SetEnabled[En](src, live, false))
	var moved EntityMap
	must(t, MoveEntities(w, src, &moved))
	d, l := moved.NewID(dead), moved.NewID(live)
	if get[Cl](t, w, d).Value != 5 || get[ClSh](t, w, d).Value != 6 || Has[A](w, d) {
		t.Errorf("the residue is of %v", w.ArchetypeOf(d))
	}
	off, err := Enabled[En](w, l)
	must(t, err)
	on, err := Enabled[EnTag](w, l)
	must(t, err)
	if off || !on || get[Obj](t, w, l).Number != &one || !Has[Prefab](w, l) || !Has[Inactive](w, l) {
		t.Errorf("En on %v, EnTag on %v, %v, %v", off, on, get[Obj](t, w, l), w.ArchetypeOf(l))
	}
	for _, remove := range []func(*World, Entity) (bool, error){Remove[Cl, *World], Remove[ClSh, *World]} {
		_, err := remove(w, d)
		must(t, err)
	}
	if w.Exists(d) {
		t.Error("the residue outlives its last cleanup component")
	}
	checkWorlds(t, w, src)
}

// Moved rows must count as changed exactly once.
func TestMoveVersions(t *testing.T) {
	w, src := twoWorlds(t)
	for range 5 {
		src.Scheduler().EndUpdate(src.Scheduler().BeginUpdate("system"))
	}
	w.Spawn(A{1})
	q := w.Query(Read[A](), Changed[A]())
	order := w.Query(With[A](), OrderChanged())
	see := func() (n, k int) {
		w.Scheduler().BeginUpdate("system")
		n, k = q.Count(), order.Count()
		last := w.Scheduler().EndUpdate("")
		q.SetSince(last)
		order.SetSince(last)
		return n, k
	}
	see()
	src.Spawn(A{2}, B{})
	must(t, MoveEntities(w, src, nil))
	if n, k := see(); n != 1 || k != 1 {
		t.Errorf("%d and %d entities have changed, want 1", n, k)
	}
	if n, k := see(); n != 0 || k != 0 {
		t.Errorf("%d and %d entities have changed again", n, k)
	}
}

// The same moves create the same worlds, no matter how many workers have filled them.
func TestMoveDeterministic(t *testing.T) {
	var hashes []uint64
	for _, workers := range []int{1, 2, 3, 8, 64} {
		w, src := newWorld(t, workers), newWorld(t, workers)
		for round := range int32(4) {
			for i := range int32(200) {
				src.Spawn(A{i}, Ref{}, Sh{Value: (i + round) % 3})
				src.Spawn(Position{}, Velocity{X: float32(i)})
			}
			src.Query(Write[Position](), Read[Velocity]()).ParallelFor(&advance{1})
			src.Query(Write[Ref]()).ParallelFor(chunkFunc(func(c *Chunk) {
				refs := c.Entities()
				for i := range Column[Ref](c).To {
					Column[Ref](c).To[i] = refs[len(refs)-1-i]
				}
			}))
			if round%2 == 0 {
				must(t, MoveMatching(w, src.Query(With[Sh]()), nil))
			} else {
				must(t, MoveEntities(w, src, nil))
			}
			must(t, DestroyAll(w, Matching(w.Query(With[Velocity]()))))
		}
		checkWorlds(t, w, src)
		hashes = append(hashes, w.Hash(), src.Hash())
	}
	for i := range hashes {
		if hashes[i] != hashes[i%2] {
			t.Errorf("hashes %x", hashes)
		}
	}
}

// Moving entities from one world to another again and again must not allocate memory.
func TestMoveAllocs(t *testing.T) {
	w, src := twoWorlds(t)
	a := src.Archetype(With[Position](), With[Ref](), With[En]())
	all := w.Query(With[Ref]())
	var moved EntityMap
	trip := func() {
		src.Create(a, 2000)
		must(t, MoveEntities(w, src, &moved))
		must(t, DestroyAll(w, Matching(all)))
	}
	for range 20 {
		trip()
	}
	if n := testing.AllocsPerRun(20, trip); n > 0 && !guard && !raceEnabled { // race and guard builds allocate for their checks
		t.Errorf("%v allocations a round trip", n)
	}
}

func TestCopyEntities(t *testing.T) {
	w, src := twoWorlds(t)
	w.Spawn()
	outside := src.Spawn(D{})
	first := src.Spawn(Ref{Value: 1}, Cl{Value: 4}, Prefab{}, Sh{Value: 5}, En{Value: 6})
	second := src.Spawn(Ref{Value: 2, To: first}, BufferOf(Link{outside}, Link{first}), ShRef{To: first}, PerChunk[B]{B{1, 2}})
	must(t, Set(src, first, Ref{1, second}))
	must(t, SetEnabled[En](src, first, false))
	hash := src.Hash()
	list, err := CopyEntities(w, src, []Entity{second, first})
	must(t, err)
	s, f := list[0], list[1]
	if get[Ref](t, w, f) != (Ref{1, s}) || get[Ref](t, w, s) != (Ref{2, f}) || get[ShRef](t, w, s).To != f {
		t.Errorf("the copies %v lead to %v, %v and %v", list, get[Ref](t, w, s), get[Ref](t, w, f), get[ShRef](t, w, s))
	}
	if links := get[Buffer[Link]](t, w, s).Slice(); !slices.Equal(links, []Link{{}, {f}}) {
		t.Errorf("links %v", links)
	}
	if on, err := Enabled[En](w, f); on || err != nil || get[Sh](t, w, f).Value != 5 || Has[Cl](w, f) || !Has[Prefab](w, f) {
		t.Errorf("the copy is of %v, on %v, error %v", w.ArchetypeOf(f), on, err)
	}
	if src.Hash() != hash || w.Len() != 3 {
		t.Error("the source has changed")
	}
	n := w.Len()
	residue := src.Spawn(Cl{})
	must(t, src.Destroy(residue))
	for _, ids := range [][]Entity{{first, {}}, {first, first}, {residue}, {first, src.MetaOf(second)}} {
		_, err := CopyEntities(w, src, ids)
		wantCategory(t, ErrArgument, err)
		if slices.ContainsFunc(src.editScratch.copySources, func(s copySource) bool { return s.move != nil }) {
			t.Errorf("the source keeps the other world alive after %v", err)
		}
	}
	none, err := CopyEntities(w, src, nil)
	if len(none) != 0 || err != nil || w.Len() != n {
		t.Errorf("%v, error %v, %d entities", none, err, w.Len())
	}
	checkWorlds(t, w, src)
}

// The new world must call Retain of a shared value before the old world calls Release.
func TestMoveCounted(t *testing.T) {
	w, src := twoWorlds(t)
	var log []string
	src.Spawn(ShCounted{Log: &log})
	must(t, MoveEntities(w, src, nil))
	if got := fmt.Sprint(log); got != "[retain retain release]" {
		t.Errorf("the value saw %s", got)
	}
	must(t, DestroyAll(w, Matching(w.Query(With[ShCounted]()))))
	if got := fmt.Sprint(log); got != "[retain retain release release]" {
		t.Errorf("the value saw %s", got)
	}
}

// ShCounted is a shared value that logs the calls of its methods Retain and Release.
type ShCounted struct {
	Shared
	Log *[]string
}

func (s ShCounted) Retain()  { *s.Log = append(*s.Log, "retain") }
func (s ShCounted) Release() { *s.Log = append(*s.Log, "release") }

// MoveCount counts the rows that are moved to or from a world, including those of a transaction's jobs,
// and nothing else.
func TestCrossingCount(t *testing.T) {
	w, src := twoWorlds(t)
	withA, withB := w.Query(With[A]()), w.Query(With[B]())
	gone := src.Query(With[A]())
	w.Spawn(A{}, B{})
	must(t, w.Destroy(w.Spawn(A{})))
	check := func(step string, inA, inB, outA uint32) {
		t.Helper()
		if a, b, c := withA.MoveCount(), withB.MoveCount(), gone.MoveCount(); a != inA || b != inB || c != outA {
			t.Errorf("%s: %d, %d came and %d went, want %d, %d and %d", step, a, b, c, inA, inB, outA)
		}
	}
	check("none yet", 0, 0, 0)
	must(t, MoveEntities(w, src, nil))
	check("none there", 0, 0, 0)
	src.Spawn(A{}, B{})
	src.Spawn(A{}, B{})
	src.Spawn(A{}, C{})
	src.Spawn(B{})
	must(t, MoveMatching(w, gone, nil))
	check("three of four", 3, 2, 3)
	must(t, MoveMatching(src, withB, nil))
	check("there and back", 6, 5, 6)
	src.Spawn(A{}, D{})
	tx, err := BeginTransaction(w)
	must(t, err)
	tx.Schedule(TransactionFunc(func(inner *World) error { return MoveEntities(inner, src, nil) }))
	must(t, tx.End())
	check("in a transaction", 10, 9, 10)
}

// A new chunk may get a chunkData that was used for meta entities before. Such a chunkData has a
// second list of versions, which it must drop.
func TestMoveEntitiesAfterMeta(t *testing.T) {
	w, src := twoWorlds(t)
	e := w.Spawn(A{}, PerChunk[B]{})
	v := w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate(""))
	must(t, Set(w, e, PerChunk[B]{B{1, 2}})) // newer than the version that is read below
	must(t, w.Destroy(e))
	old := src.Spawn(A{}, B{}, C{}, D{})
	var moved EntityMap
	must(t, MoveEntities(w, src, &moved))
	checkWorlds(t, w, src)
	e = moved.NewID(old)
	for i, version := range []uint32{ChangeVersion[A](w, e), ChangeVersion[B](w, e), ChangeVersion[C](w, e), ChangeVersion[D](w, e)} {
		if version != w.Version() || version <= v {
			t.Errorf("component %d is of version %d, the world's is %d", i, version, w.Version())
		}
	}
}
