package ecs_test

import (
	"reflect"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// The test adds a value of every kind to an entity that lacks the component, and then overwrites the
// value. Untyped.Get returns it.
func TestUntypedAdd(t *testing.T) {
	w := newWorld(t, 1)
	e, other := w.Spawn(A{}), w.Spawn(A{5})
	for _, two := range [][2]any{
		{A{1}, A{2}}, {Position{X: 1}, Position{X: 2}}, {Tag{}, Tag{}}, {Sh{Value: 1}, Sh{Value: 2}}, {En{Value: 1}, En{Value: 2}},
		{Obj{Self: e}, Obj{Self: other}}, {ecs.PerChunk[B]{}, ecs.PerChunk[B]{B{Y: 1}}}, {Cl{Value: 1}, Cl{Value: 2}},
	} {
		for _, v := range two {
			typ := reflect.TypeOf(v)
			must(t, w.Untyped().Add(e, typ, v))
			must(t, integrity(w))
			if got, err := w.Untyped().Get(e, typ); err != nil || got != v {
				t.Errorf("%v, want %v: %v", got, v, err)
			}
		}
	}
	for _, n := range []int{0, 3, 20, 1} {
		list := make([]Elem, n)
		for i := range list {
			list[i].Value = int32(i + 1)
		}
		typ := reflect.TypeFor[Buf]()
		must(t, w.Untyped().Add(e, typ, list))
		must(t, integrity(w))
		if got, err := w.Untyped().Get(e, typ); err != nil || !reflect.DeepEqual(got, list) {
			t.Errorf("%v, want %v: %v", got, list, err)
		}
	}
	if a, err := ecs.Get[A](w, other); err != nil || a.Value != 5 || w.Len() != 2 {
		t.Errorf("the other one is %v: %v", a, err)
	}
}
