package ecs

import "testing"

// Conformance: 206
func TestLinkedValues(t *testing.T) {
	for _, later := range []bool{false, true} {
		w := newWorld(t, 1)
		c := w.Commands()
		plain, other, foreign := w.Spawn(A{1}), w.Spawn(B{}), w.Spawn(A{1})
		gone := w.Spawn(A{1})
		root := w.Spawn(A{1}, D{1})
		must(t, Add(w, root, BufferOf(Linked{root}, Linked{plain}, Linked{other}, Linked{gone})))
		bare := w.Spawn(A{1})
		must(t, w.Destroy(gone))
		mask := w.Query(With[A](), Without[D](), Only(Sh{Value: 9})) // filters are not heeded
		if later {
			must(t, AddLinked(c, root, w.Query(With[B]()), Tag{}))
			must(t, AddLinked(c, bare, w.Query(With[A]()), C{1, 2, 3}))
			must(t, SetLinked(c, root, A{5}))
			must(t, SetLinked(c, bare, A{5}))
			must(t, Add(c, plain, Sh{Value: 1}))
			must(t, AddLinked(c, root, w.Query(With[Sh]()), C{1, 2, 3}))
			must(t, SetLinked(c, root, Sh{Value: 4}))
			must(t, c.Playback(w))
		} else {
			must(t, Add(w, plain, Sh{Value: 1}))
			must(t, AddLinked(w, root, w.Query(With[B]()), Tag{}))
			must(t, AddLinked(w, bare, w.Query(With[A]()), C{1, 2, 3}))
			must(t, AddLinked(w, root, mask, C{1, 2, 3}))
			must(t, SetLinked(w, root, A{5}))
			must(t, SetLinked(w, bare, A{5}))
			must(t, SetLinked(w, root, Sh{Value: 4}))
		}
		if !HasComponent[Tag](w, other) || HasComponent[Tag](w, root) || HasComponent[C](w, bare) || HasComponent[C](w, root) {
			t.Errorf("later: %v: not those that match have it", later)
		}
		if HasComponent[C](w, foreign) || HasComponent[A](w, other) || HasComponent[Sh](w, root) {
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

// What AddLinked and SetLinked refuse.
func TestLinkedValuesRefuse(t *testing.T) {
	w, other := newWorld(t, 1), newWorld(t, 1)
	c := w.Commands()
	e, dead := w.Spawn(A{}), w.Spawn()
	must(t, w.Destroy(dead))
	q := w.Query(With[A]())
	fails(t, ErrArgument, AddLinked(w, dead, q, A{}))
	fails(t, ErrArgument, SetLinked(w, dead, A{}))
	fails(t, ErrArgument, AddLinked(w, e, other.Query(), A{}))
	fails(t, ErrArgument, AddLinked(c, e, other.Query(), A{}))
	fails(t, ErrArgument, SetLinked(w, e, int32(1)))
	fails(t, ErrArgument, AddLinked(c, e, q, int32(1)))
	fails(t, ErrState, AddLinked(c, Entity{}, q, A{}))
	fails(t, ErrState, SetLinked(c, Entity{}, A{}))
	for range q.Chunks() {
		fails(t, ErrState, AddLinked(w, e, q, A{}))
		fails(t, ErrState, SetLinked(w, e, A{}))
	}
	must(t, AddLinked(c, dead, q, A{}))
	fails(t, ErrArgument, c.Playback(w))
	c.Reset()
	must(t, AddLinked(c, e, q, A{}))
	must(t, q.Close())
	fails(t, ErrDisposed, c.Playback(w))
	fails(t, ErrState, SetLinked(c, e, A{}))
	must(t, w.integrity())
}
