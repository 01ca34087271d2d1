package ecs

import (
	"reflect"
	"testing"
)

// TestProbe checks that for every chunk, a probe gives the same results as a query with the same
// terms. New archetypes and calls of the probe come in any order. It also checks that the world does
// not keep the probe.
func TestProbe(t *testing.T) {
	w := newWorld(t, 1)
	choices := [][]Term{
		{}, {With[A]()}, {With[A](), Without[B]()}, {With[En]()}, {Without[En]()}, {Disabled[En]()}, {Present[En]()}, {With[En](), IgnoreEnabled()}, {AnyOf(With[A](), With[En]())}, {With[A](), IncludePrefabs()},
	}
	var probes []*Probe
	var queries []*Query
	for _, terms := range choices {
		probes, queries = append(probes, NewProbe(w, terms...)), append(queries, w.Query(terms...))
	}
	known := len(w.queries.list)
	check := func(from, step int) {
		t.Helper()
		var room [32]uint64
		for k, p := range probes {
			count := 0
			for at := from; at >= 0 && at < len(w.tables.archetypes); at += step {
				a := w.ArchetypeAt(at)
				takes := p.MatchesArchetype(a)
				if takes != queries[k].MatchesArchetype(a) {
					t.Errorf("%v takes %v: %v", choices[k], a, takes)
				}
				rows := 0
				for c := range a.ChunkCount() {
					n, mask := p.Rows(a, c, room[:])
					if alone, _ := p.Rows(a, c, nil); alone != n {
						t.Errorf("%v: %d rows without room, %d with it", choices[k], alone, n)
					}
					if info, _ := chunkAt(a, c); mask == nil && n != 0 && n != info.Rows {
						t.Errorf("%v: %d rows, and no mask", choices[k], n)
					}
					rows += n
				}
				if all := p.MatchesAll(a); all && rows != a.Len() || !takes && rows != 0 {
					t.Errorf("%v: %d rows of %v, which has %d; takes all: %v", choices[k], rows, a, a.Len(), all)
				}
				count += rows
			}
			for e := range w.Entities() {
				if p.Matches(e) != queries[k].Matches(e) {
					t.Errorf("%v matches %v: %v", choices[k], e, p.Matches(e))
				}
			}
			if p.Matches(Entity{Index: 1 << 20, Version: 1}) {
				t.Errorf("%v matches an entity that does not exist", choices[k])
			}
			if count != queries[k].Count() {
				t.Errorf("%v: %d match, want %d", choices[k], count, queries[k].Count())
			}
		}
	}
	check(0, 1)
	for k := range 300 {
		e := w.Spawn(A{}, En{})
		must(t, SetEnabled[En](w, e, k%3 == 0))
		w.Spawn(A{}, B{})
		w.Spawn(En{})
	}
	check(len(w.tables.archetypes)-1, -1)
	w.Spawn(A{}, C{}, Prefab{})
	w.Spawn(A{}, D{})
	check(0, 1)
	if n, _ := NewProbe(w).Rows(w.ArchetypeAt(0), 999, nil); n != 0 {
		t.Error("rows of a chunk that is not there")
	}
	if len(w.queries.list) != known {
		t.Errorf("the world has %d queries, had %d", len(w.queries.list), known)
	}
	must(t, integrity(w))
}

// TestHeadOf checks that Head copies only the beginning of a long buffer.
func TestHeadOf(t *testing.T) {
	w := newWorld(t, 1)
	list := make([]Elem, 100)
	for k := range list {
		list[k] = Elem{int32(k)}
	}
	e := w.Spawn(BufferOf(list...), A{3})
	for _, n := range []int{-1, 0, 1, 99, 100, 1000} {
		v, all, err := w.Untyped().Head(e, reflect.TypeFor[Buffer[Elem]](), n)
		must(t, err)
		if got := v.([]Elem); all != 100 || len(got) != min(max(n, 0), 100) || len(got) > 0 && got[len(got)-1] != list[len(got)-1] {
			t.Errorf("the first %d: %d of %d", n, len(got), all)
		}
	}
	v, all, err := w.Untyped().Head(e, reflect.TypeFor[A](), 1)
	must(t, err)
	if v != (A{3}) || all != 0 {
		t.Errorf("%v, %d elements", v, all)
	}
}
