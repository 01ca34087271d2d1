package ecs_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// Conformance: 139, 140
func TestPrefabsAndInactive(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn()
	prefabs := w.Query(ecs.With[A](), ecs.With[ecs.Prefab]())
	inactive := w.Query(ecs.With[A](), ecs.With[ecs.Inactive]())
	w.Spawn(A{})
	w.Spawn(A{}, ecs.Prefab{})
	w.Spawn(A{}, ecs.Prefab{})
	w.Spawn(A{}, ecs.Inactive{})
	w.Spawn(A{}, ecs.Inactive{})
	a := w.Query(ecs.With[A]())
	if a.Count() != 1 || prefabs.Count() != 2 || inactive.Count() != 2 {
		t.Error(a.Count(), prefabs.Count(), inactive.Count())
	}
	w = newWorld(t, 1)
	w.Spawn()
	w.Spawn(A{}, ecs.Prefab{})
	w.Spawn(A{}, ecs.Inactive{})
	w.Spawn(A{}, ecs.Inactive{}, ecs.Prefab{})
	w.Spawn(A{}, ecs.Ghost{})
	w.Spawn(A{}, ecs.Ghost{}, ecs.Prefab{})
	w.Spawn(A{}, ecs.Ghost{}, ecs.Inactive{}, ecs.Prefab{})
	for _, c := range []struct {
		terms []ecs.Term
		want  int
	}{
		{nil, 0},
		{[]ecs.Term{ecs.IncludePrefabs()}, 1},
		{[]ecs.Term{ecs.IncludeInactive()}, 1},
		{[]ecs.Term{ecs.IncludePrefabs(), ecs.IncludeInactive()}, 3},
		{[]ecs.Term{ecs.IncludeGhosts()}, 1},
		{[]ecs.Term{ecs.With[ecs.Ghost]()}, 1},
		{[]ecs.Term{ecs.Without[ecs.Ghost](), ecs.IncludeHidden()}, 3},
		{[]ecs.Term{ecs.IncludePrefabs(), ecs.IncludeGhosts()}, 3},
		{[]ecs.Term{ecs.IncludeHidden()}, 6},
	} {
		if q := w.Query(append(c.terms, ecs.With[A]())...); q.Count() != c.want {
			t.Errorf("%v matches %d, want %d", q, q.Count(), c.want)
		}
	}
}

// Conformance: 148
func TestValuesOfAQuery(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn(A{1}, B{})
	w.Spawn(A{2})
	q := w.Query(ecs.Write[A]())
	_, err := ecs.AppendValues[B](q, nil)
	fails(t, ecs.ErrState, err)
	fails(t, ecs.ErrState, ecs.SetValues(q, []B{{}, {}}))
	fails(t, ecs.ErrArgument, ecs.SetValues(q, []A{{}}))
	fails(t, ecs.ErrArgument, ecs.SetValues(q, make([]A, 3)))
	if list, err := ecs.AppendValues[A](q, nil); err != nil || !slices.Equal(list, []A{{1}, {2}}) {
		t.Error(list, err)
	}
}

// Conformance: 154
func TestMatchesUnfiltered(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1}, Sh{Value: 1}, En{})
	q := w.Query(ecs.With[A](), ecs.With[En](), ecs.WithShared(Sh{Value: 2}), ecs.Changed[A]())
	q.SetSince(w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate("")))
	must(t, ecs.SetEnabled[En](w, e, false))
	late := w.Spawn(A{1}, Sh{Value: 3}, En{}, B{}) // its archetype is new
	bare := w.Spawn(A{1})
	if q.Matches(e) || !q.MatchesUnfiltered(e) || q.Matches(late) || !q.MatchesUnfiltered(late) {
		t.Error("filters are heeded where they must not be, or the other way round")
	}
	if q.MatchesUnfiltered(bare) || q.MatchesUnfiltered(ecs.Entity{}) || q.MatchesArchetype(w.ArchetypeOf(bare)) || q.MatchesArchetype(ecs.Archetype{}) || !q.MatchesArchetype(w.ArchetypeOf(late)) {
		t.Error("an archetype matches that lacks a component")
	}
	other := newWorld(t, 1)
	other.Spawn(A{1}, Sh{Value: 1}, En{})
	for a := range other.Archetypes() {
		if q.MatchesArchetype(a) {
			t.Error("the query takes an archetype of another world")
		}
	}
	must(t, w.Destroy(late))
	if q.MatchesUnfiltered(late) {
		t.Error("an entity that is gone matches")
	}
}

// TestOffsets checks that jobs fill a slice that has one element for each matching entity.
func TestOffsets(t *testing.T) {
	w := newWorld(t, 3)
	for _, terms := range [][]ecs.Term{{ecs.With[A](), ecs.With[En]()}, {ecs.With[A](), ecs.With[B]()}, {ecs.With[A](), ecs.With[Matrix](), ecs.With[En](), ecs.With[En2]()}} {
		row := 0
		for c := range w.Create(w.Archetype(terms...), 1500).Chunks() {
			for i := range *ecs.Column[A](c) {
				(*ecs.Column[A](c))[i] = int32(row)
				row++
			}
		}
	}
	for i, e := range w.Query(ecs.With[En]()).AppendEntities(nil) {
		must(t, ecs.SetEnabled[En](w, e, i%3 != 0))
		if i > 1600 && i%5 == 0 {
			must(t, ecs.SetEnabled[En2](w, e, false))
		}
	}
	must(t, ecs.AddAll(w, ecs.Matching(w.Query(ecs.With[B]())), Sh{Value: 4}))
	for _, terms := range [][]ecs.Term{
		{},
		{ecs.With[En]()},
		{ecs.Without[En]()},
		{ecs.Without[En](), ecs.With[En2]()},
		{ecs.With[En](), ecs.With[En2]()},
		{ecs.AnyOf(ecs.With[En](), ecs.With[En2]())},
		{ecs.AnyOf(ecs.With[En](), ecs.With[B]())},
		{ecs.WithShared(Sh{Value: 4})},
		{ecs.With[B]()},
	} {
		q := w.Query(append(terms, ecs.Read[A]())...)
		want, err := ecs.AppendValues[A](q, nil)
		must(t, err)
		offsets := q.AppendOffsets(nil)
		got := make([]A, offsets[len(offsets)-1])
		must(t, q.ParallelFor(chunkFunc(func(c *ecs.Chunk) {
			at, v := offsets[c.Index()], *ecs.Column[A](c)
			for i := range c.Rows() {
				got[at] = A{v[i]}
				at++
			}
			if at != offsets[c.Index()+1] {
				t.Errorf("%v: chunk %d ends at %d, the next begins at %d", q, c.Index(), at, offsets[c.Index()+1])
			}
		})).Wait())
		if !slices.Equal(got, want) || q.Count() != len(want) || len(want) != len(q.AppendEntities(nil)) {
			t.Errorf("%v: %d values of %d, counted %d", q, len(got), len(want), q.Count())
		}
	}
	q := w.Query(ecs.With[A](), ecs.Changed[A]())
	q.SetSince(w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate("")))
	if list := q.AppendOffsets(nil); fmt.Sprint(list[len(list)-1]) != "0" || q.Count() != 0 || len(list) != q.World().Query(ecs.With[A]()).ChunkCount()+1 {
		t.Errorf("nothing changed: %v", list)
	}
	must(t, w.Sync())
	must(t, q.Close())
	panics(t, ecs.ErrDisposed, func() { q.AppendOffsets(nil) })
}

// TestMatchesWhileArchetypesAreMade checks that jobs may ask whether a query matches while the owner
// makes matching archetypes. The race detector must report nothing.
func TestMatchesWhileArchetypesAreMade(t *testing.T) {
	w := newWorld(t, 2)
	e, other := w.Spawn(A{1}), w.Spawn(B{})
	q, a := w.Query(ecs.With[A]()), w.ArchetypeOf(e)
	started, done := make(chan struct{}), make(chan struct{})
	h := q.ParallelFor(chunkFunc(func(*ecs.Chunk) {
		close(started)
		until(done, func() {
			if !q.MatchesUnfiltered(e) || q.MatchesUnfiltered(other) || !q.MatchesArchetype(a) {
				t.Error("the query does not match what it should")
			}
		})
	}))
	<-started
	for _, with := range []ecs.Term{ecs.With[B](), ecs.With[C](), ecs.With[D](), ecs.With[Tag](), ecs.With[Sh](), ecs.With[En]()} {
		if a := w.Archetype(ecs.With[A](), with); !q.MatchesArchetype(a) || q.MatchesArchetype(w.Archetype(with)) {
			t.Errorf("the query does not match %v, or too much", a)
		}
	}
	close(done)
	must(t, h.Wait())
	must(t, w.Sync())
	must(t, integrity(w))
}
