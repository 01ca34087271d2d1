package ecs_test

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// Conformance: 206
func TestLinkedValues(t *testing.T) {
	for _, later := range []bool{false, true} {
		w := newWorld(t, 1)
		c := w.NewCommands()
		plain, other, foreign := w.Spawn(A{1}), w.Spawn(B{}), w.Spawn(A{1})
		gone := w.Spawn(A{1})
		root := w.Spawn(A{1}, D{1})
		must(t, ecs.Add(w, root, ecs.BufferOf(ecs.Linked{root}, ecs.Linked{plain}, ecs.Linked{other}, ecs.Linked{gone})))
		bare := w.Spawn(A{1})
		must(t, w.Destroy(gone))
		mask := w.Query(ecs.With[A](), ecs.Without[D](), ecs.WithShared(Sh{Value: 9})) // filters are ignored
		if later {
			must(t, ecs.AddAll(c, ecs.LinkedTo(root, w.Query(ecs.With[B]())), Tag{}))
			must(t, ecs.AddAll(c, ecs.LinkedTo(bare, w.Query(ecs.With[A]())), C{1, 2, 3}))
			must(t, ecs.SetAll(c, ecs.LinkedTo(root, nil), A{5}))
			must(t, ecs.SetAll(c, ecs.LinkedTo(bare, nil), A{5}))
			must(t, ecs.Add(c, plain, Sh{Value: 1}))
			must(t, ecs.AddAll(c, ecs.LinkedTo(root, w.Query(ecs.With[Sh]())), C{1, 2, 3}))
			must(t, ecs.SetAll(c, ecs.LinkedTo(root, nil), Sh{Value: 4}))
			must(t, c.Playback(w))
		} else {
			must(t, ecs.Add(w, plain, Sh{Value: 1}))
			must(t, ecs.AddAll(w, ecs.LinkedTo(root, w.Query(ecs.With[B]())), Tag{}))
			must(t, ecs.AddAll(w, ecs.LinkedTo(bare, w.Query(ecs.With[A]())), C{1, 2, 3}))
			must(t, ecs.AddAll(w, ecs.LinkedTo(root, mask), C{1, 2, 3}))
			must(t, ecs.SetAll(w, ecs.LinkedTo(root, nil), A{5}))
			must(t, ecs.SetAll(w, ecs.LinkedTo(bare, nil), A{5}))
			must(t, ecs.SetAll(w, ecs.LinkedTo(root, nil), Sh{Value: 4}))
		}
		if !ecs.Has[Tag](w, other) || ecs.Has[Tag](w, root) || ecs.Has[C](w, bare) || ecs.Has[C](w, root) {
			t.Errorf("later: %v: not those that match have it", later)
		}
		if ecs.Has[C](w, foreign) || ecs.Has[A](w, other) || ecs.Has[Sh](w, root) {
			t.Errorf("later: %v: what is not in the group, or lacks the component, has it", later)
		}
		if get[A](t, w, root).Value != 5 || get[A](t, w, plain).Value != 5 || get[A](t, w, bare).Value != 1 || get[A](t, w, foreign).Value != 1 || get[Sh](t, w, plain).Value != 4 {
			t.Errorf("later: %v: values are wrong", later)
		}
		if later && get[C](t, w, plain).Z != 3 {
			t.Error("a component that an earlier command has added is not seen")
		}
		must(t, integrity(w))
	}
}

// Errors of AddAll(LinkedTo) and SetAll(LinkedTo).
func TestLinkedValuesRefuse(t *testing.T) {
	w, other := newWorld(t, 1), newWorld(t, 1)
	c := w.NewCommands()
	e, dead := w.Spawn(A{}), w.Spawn()
	must(t, w.Destroy(dead))
	q := w.Query(ecs.With[A]())
	fails(t, ecs.ErrArgument, ecs.AddAll(w, ecs.LinkedTo(dead, q), A{}))
	fails(t, ecs.ErrArgument, ecs.SetAll(w, ecs.LinkedTo(dead, nil), A{}))
	fails(t, ecs.ErrArgument, ecs.AddAll(w, ecs.LinkedTo(e, other.Query()), A{}))
	fails(t, ecs.ErrArgument, ecs.AddAll(c, ecs.LinkedTo(e, other.Query()), A{}))
	fails(t, ecs.ErrArgument, ecs.SetAll(w, ecs.LinkedTo(e, nil), int32(1)))
	fails(t, ecs.ErrArgument, ecs.AddAll(c, ecs.LinkedTo(e, q), int32(1)))
	fails(t, ecs.ErrState, ecs.AddAll(c, ecs.LinkedTo(ecs.Entity{}, q), A{}))
	fails(t, ecs.ErrState, ecs.SetAll(c, ecs.LinkedTo(ecs.Entity{}, nil), A{}))
	for range q.Chunks() {
		fails(t, ecs.ErrState, ecs.AddAll(w, ecs.LinkedTo(e, q), A{}))
		fails(t, ecs.ErrState, ecs.SetAll(w, ecs.LinkedTo(e, nil), A{}))
	}
	must(t, ecs.AddAll(c, ecs.LinkedTo(dead, q), A{}))
	fails(t, ecs.ErrArgument, c.Playback(w))
	c.Reset()
	must(t, ecs.AddAll(c, ecs.LinkedTo(e, q), A{}))
	must(t, q.Close())
	fails(t, ecs.ErrDisposed, c.Playback(w))
	fails(t, ecs.ErrState, ecs.SetAll(c, ecs.LinkedTo(e, nil), A{}))
	must(t, integrity(w))
}
