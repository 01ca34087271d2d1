package ecs

import (
	"strings"
	"testing"
)

// bulk and bulk2 are too large for one row of a chunk together.
type (
	En3   struct{ Enableable }
	bulk  struct{ Data [2100]float32 }
	bulk2 struct{ Data [2100]float32 }
)

// matchingOps is every operation on the matches of a query that can be refused for an archetype.
var matchingOps = map[string]func(w *World, q *Query) error{
	"AddTypes(Matching)":       func(w *World, q *Query) error { return AddTypes(w, Matching(q), With[Sh2]()) },
	"AddTypes(Matching), 2":    func(w *World, q *Query) error { return AddTypes(w, Matching(q), With[Tag](), With[bulk2]()) },
	"AddAll(Matching)":         func(w *World, q *Query) error { return AddAll(w, Matching(q), bulk2{}) },
	"AddAll(Matching), shared": func(w *World, q *Query) error { return AddAll(w, Matching(q), Sh2{Value: 3}) },
	"RemoveTypes(Matching)":    func(w *World, q *Query) error { return RemoveTypes(w, Matching(q), With[B]()) },
	"SetEnabledAll(Matching)":  func(w *World, q *Query) error { return SetEnabledAll[En2](w, Matching(q), false) },
	"DestroyAll(Matching)":     func(w *World, q *Query) error { return DestroyAll(w, Matching(q)) },
	"Commands: AddTypes(Matching)": later(func(c *Commands, q *Query) error {
		return AddTypes(c, Matching(q), With[Sh2]())
	}),
	"Commands: AddAll(Matching)":         later(func(c *Commands, q *Query) error { return AddAll(c, Matching(q), bulk2{}) }),
	"Commands: AddAll(Matching), shared": later(func(c *Commands, q *Query) error { return AddAll(c, Matching(q), Sh2{Value: 3}) }),
	"Commands: RemoveTypes(Matching)":    later(func(c *Commands, q *Query) error { return RemoveTypes(c, Matching(q), With[B]()) }),
	"Commands: SetEnabledAll(Matching)":  later(func(c *Commands, q *Query) error { return SetEnabledAll[En2](c, Matching(q), false) }),
	"Commands: DestroyAll(Matching)":     later(func(c *Commands, q *Query) error { return DestroyAll(c, Matching(q)) }),
}

func later(record func(c *Commands, q *Query) error) func(w *World, q *Query) error {
	return func(w *World, q *Query) error {
		c := w.NewCommands()
		if err := record(c, q); err != nil {
			return err
		}
		return c.Playback(w)
	}
}

// TestOnlyRowsThatMatchAreAsked: an operation on the matches of a query is not refused because of an
// archetype in which no row passes the filters. As soon as one row passes, it is refused and changes
// nothing.
func TestOnlyRowsThatMatchAreAsked(t *testing.T) {
	const rows = 150
	for filter, terms := range map[string][]Term{
		"Changed":      {With[A](), Changed[A]()},
		"ChangedAny":   {AnyOf(With[A](), With[ChunkHeader]()), ChangedAny(With[A]())},
		"OrderChanged": {AnyOf(With[A](), With[ChunkHeader]()), OrderChanged()},
		"WithShared":   {With[A](), WithShared(Sh{Value: 1})},
		"on":           {With[A](), With[En]()},
		"off":          {With[A](), Without[En3]()},
		"one of":       {With[A](), AnyOf(With[En](), With[En2]())},
		"all of":       {AnyOf(AllOf(With[A](), With[En]()), AllOf(With[A](), Disabled[En3]()))},
	} {
		for name, op := range matchingOps {
			if strings.Contains(name, "SetEnabled") && !strings.Contains(filter, "Changed") && filter != "WithShared" {
				continue // it moves whole chunks
			}
			for _, refused := range []bool{false, true} {
				w := newWorld(t, 1)
				make := func(n int, terms ...Term) []Entity {
					ids := make([]Entity, n)
					must(t, w.CreateInto(w.Archetype(append(terms, With[A](), With[Sh](), With[En](), With[En3]())...), ids))
					return ids
				}
				good := append(make(rows, With[B](), With[En2]()), make(rows, With[Matrix](), With[En2](), With[B]())...) // some chunks
				bad := append(make(5, With[bulk](), With[S[A]](), With[S[B]](), With[S[C]](), With[S[D]](), With[S[Tag]](), With[S[Tag2]](), With[S[Ref]](), With[S[Cl]](),
					With[S[ClTag]](), With[S[Sh]](), With[S[Sh2]](), With[S[ClSh]](), With[S[Elem]](), With[S[ElemD]](), With[S[ElemCl]]()), make(3, With[PerChunk[D]]())...)
				for _, e := range bad {
					must(t, SetEnabled[En](w, e, false))
				}
				w.at(9)
				for i, e := range good {
					if i%3 > 0 {
						must(t, Set(w, e, Sh{Value: 1}))
						must(t, Set(w, e, A{1}))
						must(t, SetEnabled[En3](w, e, false))
					} else {
						must(t, SetEnabled[En](w, e, false))
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
					must(t, Set(w, e, Sh{Value: 1}))
					must(t, Set(w, e, A{1}))
					must(t, SetEnabled[En](w, e, true))
					must(t, SetEnabled[En3](w, e, false))
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
				} else if fails(t, ErrArgument, err); w.Hash() != hash {
					t.Errorf("%s, %s: refused, but something was changed", filter, name)
				}
				must(t, w.integrity())
			}
		}
	}
}

// TestMoveMatchingAsksRowsOnly: a move is not refused because of meta entities that do not pass the
// filters.
func TestMoveMatchingAsksRowsOnly(t *testing.T) {
	w, src := twoWorlds(t)
	src.Spawn(A{1}, PerChunk[D]{})
	src.at(9)
	src.Spawn(A{2}, B{})
	q := src.Query(AnyOf(With[A](), With[ChunkHeader]()), OrderChanged())
	q.SetSince(8)
	must(t, w.moveMatchingFrom(q, nil))
	if w.Len() != 1 || src.Len() != 1 {
		t.Errorf("%d entities were moved, %d are left", w.Len(), src.Len())
	}
	q.SetSince(0)
	fails(t, ErrArgument, w.moveMatchingFrom(q, nil))
	whole(t, w, src)
}
