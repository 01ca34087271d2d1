package ecs

import "testing"

// Conformance: 206
func TestLinkedValues(t *testing.T) {
	for _, later := range []bool{false, true} {
		w := newWorld(t, 1)
		c := w.NewCommands()
		plain, other, foreign := w.Spawn(A{1}), w.Spawn(B{}), w.Spawn(A{1})
		gone := w.Spawn(A{1})
		root := w.Spawn(A{1}, D{1})
		must(t, Add(w, root, BufferOf(Linked{root}, Linked{plain}, Linked{other}, Linked{gone})))
		bare := w.Spawn(A{1})
		must(t, w.Destroy(gone))
		mask := w.Query(With[A](), Without[D](), WithShared(Sh{Value: 9})) // filters are ignored
		if later {
			must(t, AddAll(c, LinkedTo(root, w.Query(With[B]())), Tag{}))
			must(t, AddAll(c, LinkedTo(bare, w.Query(With[A]())), C{1, 2, 3}))
			must(t, SetAll(c, LinkedTo(root, nil), A{5}))
			must(t, SetAll(c, LinkedTo(bare, nil), A{5}))
			must(t, Add(c, plain, Sh{Value: 1}))
			must(t, AddAll(c, LinkedTo(root, w.Query(With[Sh]())), C{1, 2, 3}))
			must(t, SetAll(c, LinkedTo(root, nil), Sh{Value: 4}))
			must(t, c.Playback(w))
		} else {
			must(t, Add(w, plain, Sh{Value: 1}))
			must(t, AddAll(w, LinkedTo(root, w.Query(With[B]())), Tag{}))
			must(t, AddAll(w, LinkedTo(bare, w.Query(With[A]())), C{1, 2, 3}))
			must(t, AddAll(w, LinkedTo(root, mask), C{1, 2, 3}))
			must(t, SetAll(w, LinkedTo(root, nil), A{5}))
			must(t, SetAll(w, LinkedTo(bare, nil), A{5}))
			must(t, SetAll(w, LinkedTo(root, nil), Sh{Value: 4}))
		}
		if !Has[Tag](w, other) || Has[Tag](w, root) || Has[C](w, bare) || Has[C](w, root) {
			t.Errorf("later: %v: not those that match have it", later)
		}
		if Has[C](w, foreign) || Has[A](w, other) || Has[Sh](w, root) {
			t.Errorf("later: %v: what is not in the group, or lacks the component, has it", later)
		}
		if get[A](t, w, root).Value != 5 || get[A](t, w, plain).Value != 5 || get[A](t, w, bare).Value != 1 || get[A](t, w, foreign).Value != 1 || get[Sh](t, w, plain).Value != 4 {
			t.Errorf("later: %v: values are wrong", later)
		}
		if later && get[C](t, w, plain).Z != 3 {
			t.Error("a component that an earlier command has added is not seen")
		}
		must(t, w.integrity())
	}
}

// Errors of AddAll(LinkedTo) and SetAll(LinkedTo).
func TestLinkedValuesRefuse(t *testing.T) {
	w, other := newWorld(t, 1), newWorld(t, 1)
	c := w.NewCommands()
	e, dead := w.Spawn(A{}), w.Spawn()
	must(t, w.Destroy(dead))
	q := w.Query(With[A]())
	fails(t, ErrArgument, AddAll(w, LinkedTo(dead, q), A{}))
	fails(t, ErrArgument, SetAll(w, LinkedTo(dead, nil), A{}))
	fails(t, ErrArgument, AddAll(w, LinkedTo(e, other.Query()), A{}))
	fails(t, ErrArgument, AddAll(c, LinkedTo(e, other.Query()), A{}))
	fails(t, ErrArgument, SetAll(w, LinkedTo(e, nil), int32(1)))
	fails(t, ErrArgument, AddAll(c, LinkedTo(e, q), int32(1)))
	fails(t, ErrState, AddAll(c, LinkedTo(Entity{}, q), A{}))
	fails(t, ErrState, SetAll(c, LinkedTo(Entity{}, nil), A{}))
	for range q.Chunks() {
		fails(t, ErrState, AddAll(w, LinkedTo(e, q), A{}))
		fails(t, ErrState, SetAll(w, LinkedTo(e, nil), A{}))
	}
	must(t, AddAll(c, LinkedTo(dead, q), A{}))
	fails(t, ErrArgument, c.Playback(w))
	c.Reset()
	must(t, AddAll(c, LinkedTo(e, q), A{}))
	must(t, q.Close())
	fails(t, ErrDisposed, c.Playback(w))
	fails(t, ErrState, SetAll(c, LinkedTo(e, nil), A{}))
	must(t, w.integrity())
}
