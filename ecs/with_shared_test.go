package ecs

import (
	"strings"
	"testing"
)

// A query can have WithShared together with a term that requires the same component. Together with
// a term that does not require the component, WithShared must be refused, because it is a filter.
func TestOnlyBesideOtherTerms(t *testing.T) {
	w := newWorld(t, 1)
	for i := range int32(300) {
		w.Spawn(A{i}, Sh{Value: i % 3})
	}
	for _, terms := range [][]Term{
		{WithShared(Sh{Value: 1})}, {With[Sh](), WithShared(Sh{Value: 1})}, {WithShared(Sh{Value: 1}), With[Sh]()},
		{Present[Sh](), WithShared(Sh{Value: 1})}, {WithShared(Sh{Value: 1}), Present[Sh]()},
		{WithShared(Sh{Value: 1}), AnyOf(With[A](), With[B]())},
	} {
		if n := w.Query(terms...).Count(); n != 100 {
			t.Errorf("%v matches %d, want 100", terms, n)
		}
	}
	queries := len(w.queries.list)
	for _, terms := range [][]Term{
		{Without[Sh](), WithShared(Sh{Value: 1})}, {WithShared(Sh{Value: 1}), Without[Sh]()}, {Absent[Sh](), WithShared(Sh{Value: 1})},
		{AnyOf(With[Sh](), With[A]()), WithShared(Sh{Value: 1})}, {AnyOf(AllOf(With[Sh](), With[A]()), With[B]()), WithShared(Sh{Value: 1})},
		{AnyOf(AllOf(Without[Sh](), With[A]()), With[B]()), WithShared(Sh{Value: 1})},
		{AnyOf(WithShared(Sh{Value: 1}), With[A]())}, {AnyOf(AllOf(WithShared(Sh{Value: 1})), With[A]())}, {AnyOf(AllOf(With[A](), With[B]()), WithShared(Sh{Value: 1}))},
	} {
		err := wantPanic(t, ErrState, func() { w.Query(terms...) })
		if err == nil || !strings.Contains(err.Error(), "filter") {
			t.Errorf("%v: got %v", terms, err)
		}
	}
	if len(w.queries.list) != queries {
		t.Errorf("%d queries, %d before", len(w.queries.list), queries)
	}
	must(t, integrity(w))
}

// If the matches of a query get a shared value, even a chunk with one row gets the value in place. But
// if the call names the entity itself, its row moves to a chunk with free rows.
func TestOneRowIsRelabelled(t *testing.T) {
	for _, rows := range []int{1, 2, 70} {
		w := newWorld(t, 1)
		for range rows {
			w.Spawn(A{1}, Sh{Value: 1})
		}
		w.Spawn(A{9}, Sh{Value: 2})
		q := w.Query(With[A](), WithShared(Sh{Value: 1}))
		e := q.AppendEntities(nil)[0]
		r := w.tables.chunks[w.tables.entities.find(e).chunk]
		order := orderCount[A](w)
		must(t, AddAll(w, Matching(q), Sh{Value: 2}))
		if w.tables.chunks[w.tables.entities.find(e).chunk] != r || w.ArchetypeOf(e).ChunkCount() != 2 || orderCount[A](w) == order {
			t.Errorf("%d rows: the chunk was not relabelled", rows)
		}
		must(t, integrity(w))
	}
	w := newWorld(t, 1)
	e := w.Spawn(A{1}, Sh{Value: 1})
	w.Spawn(A{9}, Sh{Value: 2})
	must(t, Set(w, e, Sh{Value: 2}))
	if w.ArchetypeOf(e).ChunkCount() != 1 {
		t.Error("an entity did not go to the chunk with room")
	}
}

// OrderCount of a query with WithShared must count the rows that come to the shared value or
// leave it. The count must never decrease, even if no row has the value any more.
func TestOrderCountWithShared(t *testing.T) {
	w := newWorld(t, 1)
	one, two := w.Query(With[A](), WithShared(Sh{Value: 1})), w.Query(WithShared(Sh{Value: 2}), Present[Sh2]())
	all := w.Query(With[Sh]())
	var before [3]uint32
	changed := func(what string, want [3]bool) {
		t.Helper()
		for i, q := range []*Query{one, two, all} {
			now := q.OrderCount()
			if now < before[i] || (now > before[i]) != want[i] {
				t.Errorf("%s: query %d counts %d, before %d", what, i, now, before[i])
			}
			before[i] = now
		}
		must(t, integrity(w))
	}
	changed("nothing", [3]bool{})
	e := w.Spawn(A{1}, Sh{Value: 1})
	changed("Spawn", [3]bool{true, false, true})
	f := w.Spawn(A{1}, Sh{Value: 2}, Sh2{Value: 5})
	changed("Spawn of the other", [3]bool{false, true, true})
	w.Spawn(A{1}, Sh{Value: 2}, Sh2{Value: 6})
	changed("another group", [3]bool{false, true, true})
	must(t, Set(w, e, A{2}))
	changed("Set", [3]bool{})
	must(t, w.Destroy(e))
	changed("the last row", [3]bool{true, false, true})
	w.Spawn(A{1}, Sh{Value: 1})
	changed("the first again", [3]bool{true, false, true})
	must(t, Set(w, f, Sh{Value: 3}))
	changed("another value", [3]bool{false, true, true})
	must(t, AddAll(w, Matching(one), Sh{Value: 3}))
	changed("relabelled", [3]bool{true, false, true})
	must(t, Set(w, f, Sh{Value: 2}))
	changed("back", [3]bool{false, true, true})
	other := newWorld(t, 1)
	must(t, MoveMatching(other, two, nil))
	changed("moved away", [3]bool{false, true, true})
	must(t, MoveEntities(w, other, nil))
	changed("moved back", [3]bool{false, true, true})
	tallies := func() (n, places int) {
		for _, a := range w.tables.archetypes {
			all, _ := a.groupObserver.(sharedFilterCounts)
			places += len(all)
			for _, list := range all {
				n += len(list)
			}
		}
		return n, places
	}
	if n, places := tallies(); n < 3 || places < 2 {
		t.Errorf("%d tallies in %d places", n, places)
	}
	must(t, two.Close())
	w.Query(WithShared(Sh{Value: 2}))
	must(t, w.Scheduler().CloseQueries(""))
	if n, places := tallies(); n+places != 0 {
		t.Errorf("%d tallies in %d places for queries that are closed", n, places)
	}
}

// A query for two shared values must count only the groups that have both. The count must not change when
// a group with only one of the values ends.
func TestOrderCountOfTwoValues(t *testing.T) {
	w := newWorld(t, 1)
	type other struct {
		Shared
		N int32
	}
	both := w.Query(With[A](), WithShared(Sh{Value: 1}), WithShared(other{N: 5}))
	w.Spawn(A{1}, Sh{Value: 1}, other{N: 5})
	half := w.Spawn(A{2}, Sh{Value: 1}, other{N: 6})
	more := w.Spawn(A{3}, Sh{Value: 2}, other{N: 5})
	count := both.OrderCount()
	must(t, w.Destroy(half))
	must(t, w.Destroy(more))
	if got := both.OrderCount(); got != count {
		t.Errorf("the count went from %d to %d, and nothing has changed that has both", count, got)
	}
	must(t, DestroyAll(w, Matching(both)))
	if got := both.OrderCount(); got <= count {
		t.Errorf("the count went from %d to %d as its group ended", count, got)
	}
}
