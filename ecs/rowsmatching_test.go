package ecs_test

import (
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// bulk and bulk2 are so large that no chunk can hold a row with both.
type (
	En3 struct{ ecs.Enableable }

	bulk2 struct{ Data [2100]float32 }
)

// matchingOps holds all operations on the matches of a query that may be refused because of one
// archetype.
var matchingOps = map[string]func(w *ecs.World, q *ecs.Query) error{
	"AddTypes(Matching)": func(w *ecs.World, q *ecs.Query) error { return ecs.AddTypes(w, ecs.Matching(q), ecs.With[Sh2]()) },
	"AddTypes(Matching), 2": func(w *ecs.World, q *ecs.Query) error {
		return ecs.AddTypes(w, ecs.Matching(q), ecs.With[Tag](), ecs.With[bulk2]())
	},
	"AddAll(Matching)":         func(w *ecs.World, q *ecs.Query) error { return ecs.AddAll(w, ecs.Matching(q), bulk2{}) },
	"AddAll(Matching), shared": func(w *ecs.World, q *ecs.Query) error { return ecs.AddAll(w, ecs.Matching(q), Sh2{Value: 3}) },
	"RemoveTypes(Matching)":    func(w *ecs.World, q *ecs.Query) error { return ecs.RemoveTypes(w, ecs.Matching(q), ecs.With[B]()) },
	"SetEnabledAll(Matching)":  func(w *ecs.World, q *ecs.Query) error { return ecs.SetEnabledAll[En2](w, ecs.Matching(q), false) },
	"DestroyAll(Matching)":     func(w *ecs.World, q *ecs.Query) error { return ecs.DestroyAll(w, ecs.Matching(q)) },
	"Commands: AddTypes(Matching)": later(func(c *ecs.Commands, q *ecs.Query) error {
		return ecs.AddTypes(c, ecs.Matching(q), ecs.With[Sh2]())
	}),
	"Commands: AddAll(Matching)":         later(func(c *ecs.Commands, q *ecs.Query) error { return ecs.AddAll(c, ecs.Matching(q), bulk2{}) }),
	"Commands: AddAll(Matching), shared": later(func(c *ecs.Commands, q *ecs.Query) error { return ecs.AddAll(c, ecs.Matching(q), Sh2{Value: 3}) }),
	"Commands: RemoveTypes(Matching)":    later(func(c *ecs.Commands, q *ecs.Query) error { return ecs.RemoveTypes(c, ecs.Matching(q), ecs.With[B]()) }),
	"Commands: SetEnabledAll(Matching)":  later(func(c *ecs.Commands, q *ecs.Query) error { return ecs.SetEnabledAll[En2](c, ecs.Matching(q), false) }),
	"Commands: DestroyAll(Matching)":     later(func(c *ecs.Commands, q *ecs.Query) error { return ecs.DestroyAll(c, ecs.Matching(q)) }),
}

func later(record func(c *ecs.Commands, q *ecs.Query) error) func(w *ecs.World, q *ecs.Query) error {
	return func(w *ecs.World, q *ecs.Query) error {
		c := w.NewCommands()
		if err := record(c, q); err != nil {
			return err
		}
		return c.Playback(w)
	}
}

// TestOnlyRowsThatMatchAreAsked checks operations on the matches of a query. They must not be
// refused because of an archetype in which no row passes the filters. As soon as one row of such
// an archetype passes, they must be refused and change nothing.
func TestOnlyRowsThatMatchAreAsked(t *testing.T) {
	const rows = 150
	for filter, terms := range map[string][]ecs.Term{
		"Changed":      {ecs.With[A](), ecs.Changed[A]()},
		"ChangedAny":   {ecs.AnyOf(ecs.With[A](), ecs.With[ecs.ChunkHeader]()), ecs.ChangedAny(ecs.With[A]())},
		"OrderChanged": {ecs.AnyOf(ecs.With[A](), ecs.With[ecs.ChunkHeader]()), ecs.OrderChanged()},
		"WithShared":   {ecs.With[A](), ecs.WithShared(Sh{Value: 1})},
		"on":           {ecs.With[A](), ecs.With[En]()},
		"off":          {ecs.With[A](), ecs.Without[En3]()},
		"one of":       {ecs.With[A](), ecs.AnyOf(ecs.With[En](), ecs.With[En2]())},
		"all of":       {ecs.AnyOf(ecs.AllOf(ecs.With[A](), ecs.With[En]()), ecs.AllOf(ecs.With[A](), ecs.Disabled[En3]()))},
	} {
		for name, op := range matchingOps {
			if strings.Contains(name, "SetEnabled") && !strings.Contains(filter, "Changed") && filter != "WithShared" {
				continue // it moves whole chunks
			}
			for _, refused := range []bool{false, true} {
				w := newWorld(t, 1)
				make := func(n int, terms ...ecs.Term) []ecs.Entity {
					ids := make([]ecs.Entity, n)
					must(t, w.CreateInto(w.Archetype(append(terms, ecs.With[A](), ecs.With[Sh](), ecs.With[En](), ecs.With[En3]())...), ids))
					return ids
				}
				good := append(make(rows, ecs.With[B](), ecs.With[En2]()), make(rows, ecs.With[Matrix](), ecs.With[En2](), ecs.With[B]())...) // some chunks
				bad := append(make(5, ecs.With[bulk](), ecs.With[S[A]](), ecs.With[S[B]](), ecs.With[S[C]](), ecs.With[S[D]](), ecs.With[S[Tag]](), ecs.With[S[Tag2]](), ecs.With[S[Ref]](), ecs.With[S[Cl]](),
					ecs.With[S[ClTag]](), ecs.With[S[Sh]](), ecs.With[S[Sh2]](), ecs.With[S[ClSh]](), ecs.With[S[Elem]](), ecs.With[S[ElemD]](), ecs.With[S[ElemCl]]()), make(3, ecs.With[ecs.PerChunk[D]]())...)
				for _, e := range bad {
					must(t, ecs.SetEnabled[En](w, e, false))
				}
				setVersion(w, 9)
				for i, e := range good {
					if i%3 > 0 {
						must(t, ecs.Set(w, e, Sh{Value: 1}))
						must(t, ecs.Set(w, e, A{1}))
						must(t, ecs.SetEnabled[En3](w, e, false))
					} else {
						must(t, ecs.SetEnabled[En](w, e, false))
					}
				}
				q := w.Query(terms...)
				q.SetSince(8)
				n := q.Count()
				if n < 2*rows*2/3 {
					t.Fatalf("%s: %d rows match", filter, n)
				}
				if refused {
					e := bad[4]
					must(t, ecs.Set(w, e, Sh{Value: 1}))
					must(t, ecs.Set(w, e, A{1}))
					must(t, ecs.SetEnabled[En](w, e, true))
					must(t, ecs.SetEnabled[En3](w, e, false))
					if !q.Matches(e) {
						t.Fatalf("%s: the row does not match", filter)
					}
				}
				hash := w.Hash()
				err := op(w, q)
				if never := strings.Contains(name, "Remove") || strings.Contains(name, "Destroy"); never || !refused {
					if err != nil || w.Hash() == hash {
						t.Errorf("%s, %s: error %v, or nothing was changed", filter, name, err)
					}
				} else if fails(t, ecs.ErrArgument, err); w.Hash() != hash {
					t.Errorf("%s, %s: refused, but something was changed", filter, name)
				}
				must(t, integrity(w))
			}
		}
	}
}

// TestMoveMatchingAsksRowsOnly checks that a move is not refused because of meta entities that do
// not pass the filters.
func TestMoveMatchingAsksRowsOnly(t *testing.T) {
	w, src := twoWorlds(t)
	src.Spawn(A{1}, ecs.PerChunk[D]{})
	setVersion(src, 9)
	src.Spawn(A{2}, B{})
	q := src.Query(ecs.AnyOf(ecs.With[A](), ecs.With[ecs.ChunkHeader]()), ecs.OrderChanged())
	q.SetSince(8)
	must(t, ecs.MoveMatching(w, q, nil))
	if w.Len() != 1 || src.Len() != 1 {
		t.Errorf("%d entities were moved, %d are left", w.Len(), src.Len())
	}
	q.SetSince(0)
	fails(t, ecs.ErrArgument, ecs.MoveMatching(w, q, nil))
	whole(t, w, src)
}
