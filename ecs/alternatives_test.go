package ecs

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAllOf: a query with alternatives matches the entities of each, every entity once.
func TestAllOf(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn(A{1}, B{1, 1})
	w.Spawn(A{2}, C{})
	w.Spawn(A{3}, B{3, 3}, C{})
	w.Spawn(D{4})
	w.Spawn(D{5}, Tag{})
	w.Spawn(A{6}, B{6, 6}, Prefab{})
	q := w.Query(AnyOf(AllOf(Read[A](), Write[B](), Without[C]()), AllOf(Read[D](), Absent[Tag]()), With[Matrix]()))
	late := w.Spawn(Matrix{}, A{7})
	var got []int32
	for c := range q.Chunks() {
		if HasColumn[A](c) {
			got = append(got, *Column[A](c)...)
		} else {
			got = append(got, (*Column[D](c))[0].Value)
		}
	}
	if want := []int32{1, 4, 7}; !slices.Equal(got, want) || q.Count() != 3 || !q.Matches(late) {
		t.Errorf("got %v, want %v", got, want)
	}
	if q != w.Query(AnyOf(With[Matrix](), AllOf(Absent[Tag](), Read[D]()), AllOf(Write[B](), Without[C](), Read[A]()))) {
		t.Error("the order of terms makes another query")
	}
	if got, want := w.Query(AnyOf(AllOf(With[A](), With[B]()))).String(), "Query(AnyOf(AllOf(With[ecs.A](), With[ecs.B]())))"; got != want {
		t.Error(got)
	}
	// Only alternatives that ask for prefabs match a prefab.
	models := w.Query(AnyOf(AllOf(With[A](), With[Prefab]()), AllOf(With[D]())))
	w.Spawn(D{}, Prefab{})
	if models.Count() != 3 { // A with B, and two D
		t.Errorf("%v matches %d", models, models.Count())
	}
	// FilterWriteGroup does not leave out components that an alternative names.
	w.Spawn(Made{}, Part{}, Rival{})
	w.Spawn(Made{}, Rival{}, RivalTag{})
	made := w.Query(Write[Made](), AnyOf(AllOf(With[Part](), Read[Rival]()), AllOf(With[Matrix]())), FilterWriteGroup())
	if made.Count() != 1 {
		t.Errorf("%v matches %d", made, made.Count())
	}
}

// TestAllOfRefuses: terms that an alternative cannot have.
func TestAllOfRefuses(t *testing.T) {
	w := newWorld(t, 1)
	for _, terms := range [][]Term{
		{AllOf(With[A]())},
		{AnyOf(AllOf())},
		{AnyOf(AllOf(Changed[A]()))},
		{AnyOf(AllOf(AnyOf(With[A]())))},
		{AnyOf(AllOf(With[A]()), Without[B](), IncludePrefabs())},
		{AnyOf(AllOf(With[A](), Without[A]()))},
		{AnyOf(AllOf(Read[A]()), AllOf(Write[A]()))},
		{With[A](), AnyOf(AllOf(With[A]()), AllOf(With[B]()))},
		{AnyOf(AllOf(With[A]())), AnyOf(AllOf(With[A]()))},
		{AnyOf(AllOf(Read[Sh]()))},
		{AnyOf(AllOf(Read[A]())), Optional(Read[A]())},
		{AnyOf(AllOf(With[int32]()))},
	} {
		panics(t, ErrArgument, func() { w.Query(terms...) })
	}
	panics(t, ErrState, func() { w.Query(AnyOf(AllOf(Disabled[A]()))) })
	panics(t, ErrState, func() { w.Query(AnyOf(AllOf(With[A]())), Changed[A]()) })
}

// askedFor is a term of an alternative, and a function that reports whether it holds for an entity that
// has the component, and has it on.
type askedFor struct {
	term func() Term
	ok   func(has, on bool) bool
}

func asksFor[T any](switched bool) []askedFor {
	list := []askedFor{
		{With[T], func(has, on bool) bool { return has && on }},
		{Read[T], func(has, on bool) bool { return has && on }},
		{Without[T], func(has, on bool) bool { return !has || !on }},
		{Absent[T], func(has, on bool) bool { return !has }},
		{Present[T], func(has, on bool) bool { return has }},
	}
	if switched {
		list = append(list, askedFor{Disabled[T], func(has, on bool) bool { return has && !on }})
	}
	return list
}

// TestAllOfAtRandom compares queries with alternatives with a check of every entity.
func TestAllOfAtRandom(t *testing.T) {
	w := newWorld(t, 1)
	rng := rand.New(rand.NewPCG(5, 6))
	kinds := [][]askedFor{asksFor[A](false), asksFor[Tag](false), asksFor[En](true), asksFor[En2](true), asksFor[EnTag](true)}
	has := []func(*World, Entity) bool{Has[A], Has[Tag], Has[En], Has[En2], Has[EnTag]}
	enabled := []func(*World, Entity) (bool, error){2: Enabled[En], Enabled[En2], Enabled[EnTag]}
	turn := []func(*World, Entity, bool) error{2: SetEnabled[En, *World], SetEnabled[En2, *World], SetEnabled[EnTag, *World]}
	all := []Term{With[A](), With[Tag](), With[En](), With[En2](), With[EnTag]()}
	var entities []Entity
	for set := range 1 << len(all) {
		var terms []Term
		for k := range all {
			if set>>k&1 != 0 {
				terms = append(terms, all[k])
			}
		}
		list := make([]Entity, 70)
		must(t, w.CreateInto(w.Archetype(terms...), list))
		for _, e := range list {
			for k := 2; k < len(all); k++ {
				if has[k](w, e) {
					must(t, turn[k](w, e, rng.IntN(3) > 0))
				}
			}
		}
		entities = append(entities, list...)
	}
	rounds := 150
	if race || guard {
		rounds = 30
	}
	for range rounds {
		var ways [][]askedFor
		var kindsOf [][]int
		var terms []Term
		for range 1 + rng.IntN(3) {
			var way []askedFor
			var of []int
			var inner []Term
			for _, k := range rng.Perm(len(kinds))[:1+rng.IntN(3)] {
				one := kinds[k][rng.IntN(len(kinds[k]))]
				way, of, inner = append(way, one), append(of, k), append(inner, one.term())
			}
			ways, kindsOf, terms = append(ways, way), append(kindsOf, of), append(terms, AllOf(inner...))
		}
		q := w.Query(AnyOf(terms...))
		var want []Entity
		for _, e := range entities {
			match := false
			for i, way := range ways {
				holds := true
				for j, one := range way {
					k := kindsOf[i][j]
					there, on := has[k](w, e), true
					if there && k >= 2 {
						on, _ = enabled[k](w, e)
					}
					holds = holds && one.ok(there, on)
				}
				match = match || holds
			}
			if match {
				want = append(want, e)
			}
			if q.Matches(e) != match {
				t.Fatalf("%v matches %v: %v", q, e, !match)
			}
		}
		if got := q.AppendEntities(nil); !slices.Equal(got, want) || q.Count() != len(want) {
			t.Fatalf("%v: %d entities, counted %d, want %d", q, len(got), q.Count(), len(want))
		}
	}
}
