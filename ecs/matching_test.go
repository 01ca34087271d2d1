package ecs

import (
	"fmt"
	"slices"
	"testing"
)

// Conformance: 139, 140
func TestPrefabsAndInactive(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn()
	prefabs := w.Query(With[A](), With[Prefab]())
	inactive := w.Query(With[A](), With[Inactive]())
	w.Spawn(A{})
	w.Spawn(A{}, Prefab{})
	w.Spawn(A{}, Prefab{})
	w.Spawn(A{}, Inactive{})
	w.Spawn(A{}, Inactive{})
	a := w.Query(With[A]())
	if a.Count() != 1 || prefabs.Count() != 2 || inactive.Count() != 2 {
		t.Error(a.Count(), prefabs.Count(), inactive.Count())
	}
	w = newWorld(t, 1)
	w.Spawn()
	w.Spawn(A{}, Prefab{})
	w.Spawn(A{}, Inactive{})
	w.Spawn(A{}, Inactive{}, Prefab{})
	w.Spawn(A{}, Ghost{})
	w.Spawn(A{}, Ghost{}, Prefab{})
	w.Spawn(A{}, Ghost{}, Inactive{}, Prefab{})
	for _, c := range []struct {
		terms []Term
		want  int
	}{
		{nil, 0},
		{[]Term{IncludePrefabs()}, 1},
		{[]Term{IncludeInactive()}, 1},
		{[]Term{IncludePrefabs(), IncludeInactive()}, 3},
		{[]Term{IncludeGhosts()}, 1},
		{[]Term{With[Ghost]()}, 1},
		{[]Term{Without[Ghost](), IncludeHidden()}, 3},
		{[]Term{IncludePrefabs(), IncludeGhosts()}, 3},
		{[]Term{IncludeHidden()}, 6},
	} {
		if q := w.Query(append(c.terms, With[A]())...); q.Count() != c.want {
			t.Errorf("%v matches %d, want %d", q, q.Count(), c.want)
		}
	}
}

// Conformance: 148
func TestValuesOfAQuery(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn(A{1}, B{})
	w.Spawn(A{2})
	q := w.Query(Write[A]())
	_, err := AppendValues[B](q, nil)
	fails(t, ErrState, err)
	fails(t, ErrState, SetValues(q, []B{{}, {}}))
	fails(t, ErrArgument, SetValues(q, []A{{}}))
	fails(t, ErrArgument, SetValues(q, make([]A, 3)))
	if list, err := AppendValues[A](q, nil); err != nil || !slices.Equal(list, []A{{1}, {2}}) {
		t.Error(list, err)
	}
}

// Conformance: 154
func TestMatchesUnfiltered(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1}, Sh{Value: 1}, En{})
	q := w.Query(With[A](), With[En](), WithShared(Sh{Value: 2}), Changed[A]())
	q.SetSince(w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate("")))
	must(t, SetEnabled[En](w, e, false))
	late := w.Spawn(A{1}, Sh{Value: 3}, En{}, B{}) // its archetype is new
	bare := w.Spawn(A{1})
	if q.Matches(e) || !q.MatchesUnfiltered(e) || q.Matches(late) || !q.MatchesUnfiltered(late) {
		t.Error("filters are heeded where they must not be, or the other way round")
	}
	if q.MatchesUnfiltered(bare) || q.MatchesUnfiltered(Entity{}) || q.MatchesArchetype(w.ArchetypeOf(bare)) || q.MatchesArchetype(Archetype{}) || !q.MatchesArchetype(w.ArchetypeOf(late)) {
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

// TestOffsets: jobs fill a slice that has one element for each matching entity.
func TestOffsets(t *testing.T) {
	w := newWorld(t, 3)
	for _, terms := range [][]Term{{With[A](), With[En]()}, {With[A](), With[B]()}, {With[A](), With[Matrix](), With[En](), With[En2]()}} {
		row := 0
		for c := range w.Create(w.Archetype(terms...), 1500).Chunks() {
			for i := range *Column[A](c) {
				(*Column[A](c))[i] = int32(row)
				row++
			}
		}
	}
	for i, e := range w.Query(With[En]()).AppendEntities(nil) {
		must(t, SetEnabled[En](w, e, i%3 != 0))
		if i > 1600 && i%5 == 0 {
			must(t, SetEnabled[En2](w, e, false))
		}
	}
	must(t, AddAll(w, Matching(w.Query(With[B]())), Sh{Value: 4}))
	for _, terms := range [][]Term{
		{},
		{With[En]()},
		{Without[En]()},
		{Without[En](), With[En2]()},
		{With[En](), With[En2]()},
		{AnyOf(With[En](), With[En2]())},
		{AnyOf(With[En](), With[B]())},
		{WithShared(Sh{Value: 4})},
		{With[B]()},
	} {
		q := w.Query(append(terms, Read[A]())...)
		want, err := AppendValues[A](q, nil)
		must(t, err)
		offsets := q.AppendOffsets(nil)
		got := make([]A, offsets[len(offsets)-1])
		must(t, q.ParallelFor(chunkFunc(func(c *Chunk) {
			at, v := offsets[c.Index()], *Column[A](c)
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
	q := w.Query(With[A](), Changed[A]())
	q.SetSince(w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate("")))
	if list := q.AppendOffsets(nil); fmt.Sprint(list[len(list)-1]) != "0" || q.Count() != 0 || len(list) != q.World().Query(With[A]()).ChunkCount()+1 {
		t.Errorf("nothing changed: %v", list)
	}
	must(t, w.Sync())
	must(t, q.Close())
	panics(t, ErrDisposed, func() { q.AppendOffsets(nil) })
}

// TestMatchesWhileArchetypesAreMade: jobs check whether a query matches while the owner makes matching
// archetypes. The race detector must report nothing.
func TestMatchesWhileArchetypesAreMade(t *testing.T) {
	w := newWorld(t, 2)
	e, other := w.Spawn(A{1}), w.Spawn(B{})
	q, a := w.Query(With[A]()), w.ArchetypeOf(e)
	started, done := make(chan struct{}), make(chan struct{})
	h := q.ParallelFor(chunkFunc(func(*Chunk) {
		close(started)
		until(done, func() {
			if !q.MatchesUnfiltered(e) || q.MatchesUnfiltered(other) || !q.MatchesArchetype(a) {
				t.Error("the query does not match what it should")
			}
		})
	}))
	<-started
	for _, with := range []Term{With[B](), With[C](), With[D](), With[Tag](), With[Sh](), With[En]()} {
		if a := w.Archetype(With[A](), with); !q.MatchesArchetype(a) || q.MatchesArchetype(w.Archetype(with)) {
			t.Errorf("the query does not match %v, or too much", a)
		}
	}
	close(done)
	must(t, h.Wait())
	must(t, w.Sync())
	must(t, w.integrity())
}
