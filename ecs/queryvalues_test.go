package ecs

import (
	"slices"
	"testing"
)

// Conformance: 68.
func TestSetValues(t *testing.T) {
	w := newWorld(t, 1)
	n := 2*w.Archetype(With[A]()).Capacity() + 10
	ids := make([]Entity, n)
	must(t, w.CreateInto(w.Archetype(With[A]()), ids))
	other := w.Spawn(A{5}, B{})
	for w.Version() < 42 {
		bump(w)
	}
	q := w.Query(Write[A](), Without[B]())
	values := make([]A, n)
	for i := range values {
		values[i].Value = int32(3 * i)
	}
	must(t, SetValues(q, values))
	got, err := AppendValues[A](q, nil)
	must(t, err)
	if !slices.Equal(got, values) || get[A](t, w, ids[n-1]).Value != int32(3*n-3) || get[A](t, w, other).Value != 5 {
		t.Error("the values are others")
	}
	for _, i := range []int{0, n / 2, n - 1} {
		if v := ChangeVersion[A](w, ids[i]); v != 42 {
			t.Errorf("entity %d: version %d, want 42", i, v)
		}
	}
	if v := ChangeVersion[A](w, other); v == 42 {
		t.Error("a chunk that does not match is marked as changed")
	}
	wantCategory(t, ErrArgument, SetValues(q, values[1:]))
	wantCategory(t, ErrState, SetValues(q, make([]B, n)))
	wantCategory(t, ErrArgument, SetValues(w.Query(With[Tag]()), []Tag{}))
	wantCategory(t, ErrArgument, SetValues(q, []int32{}))
	_, err = AppendValues[C](q, nil)
	wantCategory(t, ErrState, err)
	must(t, q.Close())
	wantCategory(t, ErrDisposed, SetValues(q, values))
}

// TestValuesOfSome checks AppendValues and SetValues if some rows are off, and for managed
// components.
func TestValuesOfSome(t *testing.T) {
	w := newWorld(t, 1)
	one, two := int32(1), int32(2)
	w.Spawn(En{Value: 1}, Obj{Number: &one})
	off := w.Spawn(En{Value: 2}, Obj{Number: &one})
	w.Spawn(En{Value: 3}, Obj{Number: &one})
	must(t, SetEnabled[En](w, off, false))
	q := w.Query(With[En](), With[Obj]())
	must(t, SetValues(q, []Obj{{Number: &two}, {Number: &two}}))
	must(t, SetValues(q, []En{{Value: 10}, {Value: 30}}))
	list, err := AppendValues(w.Query(Present[En]()), []En{{Value: 7}})
	must(t, err)
	if want := []En{{Value: 7}, {Value: 10}, {Value: 2}, {Value: 30}}; !slices.Equal(list, want) {
		t.Errorf("got %v, want %v", list, want)
	}
	objs, err := AppendValues[Obj](q, nil)
	must(t, err)
	if len(objs) != 2 || objs[1].number() != 2 || get[Obj](t, w, off).number() != 1 {
		t.Errorf("got %v", objs)
	}
}
