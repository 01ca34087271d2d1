package ecs_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// A query with alternatives must match the entities of each alternative, and must show each
// entity only once.
func TestAllOf(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn(A{1}, B{1, 1})
	w.Spawn(A{2}, C{})
	w.Spawn(A{3}, B{3, 3}, C{})
	w.Spawn(D{4})
	w.Spawn(D{5}, Tag{})
	w.Spawn(A{6}, B{6, 6}, ecs.Prefab{})
	q := w.Query(ecs.AnyOf(ecs.AllOf(ecs.Read[A](), ecs.Write[B](), ecs.Without[C]()), ecs.AllOf(ecs.Read[D](), ecs.Absent[Tag]()), ecs.With[Matrix]()))
	late := w.Spawn(Matrix{}, A{7})
	var got []int32
	for c := range q.Chunks() {
		if ecs.HasColumn[A](c) {
			got = append(got, *ecs.Column[A](c)...)
		} else {
			got = append(got, (*ecs.Column[D](c))[0].Value)
		}
	}
	if want := []int32{1, 4, 7}; !slices.Equal(got, want) || q.Count() != 3 || !q.Matches(late) {
		t.Errorf("got %v, want %v", got, want)
	}
	if q != w.Query(ecs.AnyOf(ecs.With[Matrix](), ecs.AllOf(ecs.Absent[Tag](), ecs.Read[D]()), ecs.AllOf(ecs.Write[B](), ecs.Without[C](), ecs.Read[A]()))) {
		t.Error("the order of terms makes another query")
	}
	if got, want := w.Query(ecs.AnyOf(ecs.AllOf(ecs.With[A](), ecs.With[B]()))).String(), "Query(AnyOf(AllOf(With[ecs.A](), With[ecs.B]())))"; got != want {
		t.Error(got)
	}
	// Only alternatives that ask for prefabs match a prefab.
	models := w.Query(ecs.AnyOf(ecs.AllOf(ecs.With[A](), ecs.With[ecs.Prefab]()), ecs.AllOf(ecs.With[D]())))
	w.Spawn(D{}, ecs.Prefab{})
	if models.Count() != 3 { // A with B, and two D
		t.Errorf("%v matches %d", models, models.Count())
	}
	// FilterWriteGroup does not exclude entities because of a component that an alternative names.
	w.Spawn(Made{}, Part{}, Rival{})
	w.Spawn(Made{}, Rival{}, RivalTag{})
	made := w.Query(ecs.Write[Made](), ecs.AnyOf(ecs.AllOf(ecs.With[Part](), ecs.Read[Rival]()), ecs.AllOf(ecs.With[Matrix]())), ecs.FilterWriteGroup())
	if made.Count() != 1 {
		t.Errorf("%v matches %d", made, made.Count())
	}
}

// TestAllOfRefuses checks the terms that an alternative must not contain.
func TestAllOfRefuses(t *testing.T) {
	w := newWorld(t, 1)
	for _, terms := range [][]ecs.Term{
		{ecs.AllOf(ecs.With[A]())},
		{ecs.AnyOf(ecs.AllOf())},
		{ecs.AnyOf(ecs.AllOf(ecs.Changed[A]()))},
		{ecs.AnyOf(ecs.AllOf(ecs.AnyOf(ecs.With[A]())))},
		{ecs.AnyOf(ecs.AllOf(ecs.With[A]()), ecs.Without[B](), ecs.IncludePrefabs())},
		{ecs.AnyOf(ecs.AllOf(ecs.With[A](), ecs.Without[A]()))},
		{ecs.AnyOf(ecs.AllOf(ecs.Read[A]()), ecs.AllOf(ecs.Write[A]()))},
		{ecs.With[A](), ecs.AnyOf(ecs.AllOf(ecs.With[A]()), ecs.AllOf(ecs.With[B]()))},
		{ecs.AnyOf(ecs.AllOf(ecs.With[A]())), ecs.AnyOf(ecs.AllOf(ecs.With[A]()))},
		{ecs.AnyOf(ecs.AllOf(ecs.Read[Sh]()))},
		{ecs.AnyOf(ecs.AllOf(ecs.Read[A]())), ecs.Optional(ecs.Read[A]())},
		{ecs.AnyOf(ecs.AllOf(ecs.With[int32]()))},
	} {
		panics(t, ecs.ErrArgument, func() { w.Query(terms...) })
	}
	panics(t, ecs.ErrState, func() { w.Query(ecs.AnyOf(ecs.AllOf(ecs.Disabled[A]()))) })
	panics(t, ecs.ErrState, func() { w.Query(ecs.AnyOf(ecs.AllOf(ecs.With[A]())), ecs.Changed[A]()) })
}

// askedFor is a term of an alternative. Its function ok reports whether the term must accept an
// entity. The arguments say whether the entity has the component, and whether the component is on.
type askedFor struct {
	term func() ecs.Term
	ok   func(has, on bool) bool
}

func asksFor[T any](switched bool) []askedFor {
	list := []askedFor{
		{ecs.With[T], func(has, on bool) bool { return has && on }},
		{ecs.Read[T], func(has, on bool) bool { return has && on }},
		{ecs.Without[T], func(has, on bool) bool { return !has || !on }},
		{ecs.Absent[T], func(has, on bool) bool { return !has }},
		{ecs.Present[T], func(has, on bool) bool { return has }},
	}
	if switched {
		list = append(list, askedFor{ecs.Disabled[T], func(has, on bool) bool { return has && !on }})
	}
	return list
}

// TestAllOfAtRandom compares the matches of random queries with alternatives to the result of
// checking every entity.
func TestAllOfAtRandom(t *testing.T) {
	w := newWorld(t, 1)
	rng := rand.New(rand.NewPCG(5, 6))
	kinds := [][]askedFor{asksFor[A](false), asksFor[Tag](false), asksFor[En](true), asksFor[En2](true), asksFor[EnTag](true)}
	has := []func(*ecs.World, ecs.Entity) bool{ecs.Has[A], ecs.Has[Tag], ecs.Has[En], ecs.Has[En2], ecs.Has[EnTag]}
	enabled := []func(*ecs.World, ecs.Entity) (bool, error){2: ecs.Enabled[En], ecs.Enabled[En2], ecs.Enabled[EnTag]}
	turn := []func(*ecs.World, ecs.Entity, bool) error{2: ecs.SetEnabled[En, *ecs.World], ecs.SetEnabled[En2, *ecs.World], ecs.SetEnabled[EnTag, *ecs.World]}
	all := []ecs.Term{ecs.With[A](), ecs.With[Tag](), ecs.With[En](), ecs.With[En2](), ecs.With[EnTag]()}
	var entities []ecs.Entity
	for set := range 1 << len(all) {
		var terms []ecs.Term
		for k := range all {
			if set>>k&1 != 0 {
				terms = append(terms, all[k])
			}
		}
		list := make([]ecs.Entity, 70)
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
	if ecs.Race || ecs.Guard {
		rounds = 30
	}
	for range rounds {
		var ways [][]askedFor
		var kindsOf [][]int
		var terms []ecs.Term
		for range 1 + rng.IntN(3) {
			var way []askedFor
			var of []int
			var inner []ecs.Term
			for _, k := range rng.Perm(len(kinds))[:1+rng.IntN(3)] {
				one := kinds[k][rng.IntN(len(kinds[k]))]
				way, of, inner = append(way, one), append(of, k), append(inner, one.term())
			}
			ways, kindsOf, terms = append(ways, way), append(kindsOf, of), append(terms, ecs.AllOf(inner...))
		}
		q := w.Query(ecs.AnyOf(terms...))
		var want []ecs.Entity
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
