package ecs_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// Values of every kind are added and overwritten by commands for types that are known at run time. The world then equals one that
// Untyped has changed at once.
func TestUntypedCommands(t *testing.T) {
	later, now := newWorld(t, 1), newWorld(t, 1)
	c := later.NewCommands()
	e, other := later.Spawn(A{}), later.Spawn(A{5})
	now.Spawn(A{})
	now.Spawn(A{5})
	compare := func(what string) {
		t.Helper()
		must(t, c.Playback(later))
		c.Reset()
		must(t, integrity(later))
		if later.Hash() != now.Hash() {
			t.Errorf("%s: the hash is %016x, want %016x", what, later.Hash(), now.Hash())
		}
	}
	for _, two := range [][2]any{
		{A{1}, A{2}}, {Position{X: 1}, Position{X: 2}}, {Tag{}, Tag{}}, {Sh{Value: 1}, Sh{Value: 2}}, {En{Value: 1}, En{Value: 2}},
		{Obj{Self: e}, Obj{Self: other}}, {ecs.PerChunk[B]{}, ecs.PerChunk[B]{B{Y: 1}}}, {Cl{Value: 1}, Cl{Value: 2}},
	} {
		typ := reflect.TypeOf(two[0])
		must(t, c.Untyped().Add(e, typ, two[0]))
		must(t, now.Untyped().Add(e, typ, two[0]))
		compare(fmt.Sprintf("Add %v", typ))
		err := c.Untyped().Set(e, typ, two[1])
		must(t, err)
		if _, tag := two[0].(Tag); tag {
			if err := c.Playback(later); !errors.Is(err, ecs.ErrArgument) {
				t.Errorf("Set of a tag: %v", err)
			}
			c.Reset()
			continue
		}
		must(t, now.Untyped().Add(e, typ, two[1]))
		compare(fmt.Sprintf("Set %v", typ))
		if got, err := later.Untyped().Get(e, typ); err != nil || got != two[1] {
			t.Errorf("%v, want %v: %v", got, two[1], err)
		}
	}
	for _, n := range []int{0, 3, 20, 1} {
		list := make([]Elem, n)
		for i := range list {
			list[i].Value = int32(i + 1)
		}
		must(t, c.Untyped().Add(e, reflect.TypeFor[Buf](), list))
		must(t, now.Untyped().Add(e, reflect.TypeFor[Buf](), list))
		if n > 0 {
			list[0].Value = 99 // the buffer has its own copy
		}
		compare(fmt.Sprintf("a buffer of %d", n))
	}
	must(t, c.Untyped().SetEnabled(e, reflect.TypeFor[En](), false))
	must(t, now.Untyped().SetEnabled(e, reflect.TypeFor[En](), false))
	compare("SetEnabled")
	must(t, c.Untyped().SetEnabled(e, reflect.TypeFor[En](), true))
	must(t, now.Untyped().SetEnabled(e, reflect.TypeFor[En](), true))
	compare("SetEnabled again")

	for what, err := range map[string]error{
		"a nil type": c.Untyped().Add(e, nil, 1), "another type": c.Untyped().Add(e, reflect.TypeFor[A](), B{}), "no component": c.Untyped().SetEnabled(e, reflect.TypeFor[map[int]int](), true),
		"a buffer instead of its elements": c.Untyped().Set(e, reflect.TypeFor[Buf](), Buf{}), "nil": c.Untyped().Set(e, reflect.TypeFor[A](), nil),
	} {
		if !errors.Is(err, ecs.ErrArgument) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := c.Untyped().Set(ecs.Entity{}, reflect.TypeFor[A](), A{}); !errors.Is(err, ecs.ErrState) {
		t.Errorf("the null entity: %v", err)
	}
	if c.Len() != 0 {
		t.Errorf("%d commands are recorded, although all had errors", c.Len())
	}
}

// Created returns the entities that a playback has created. A value of a type that is known at run time may refer to one of them.
func TestCreated(t *testing.T) {
	w := newWorld(t, 1)
	first := w.Spawn(A{1})
	c := w.NewCommands()
	var ids []ecs.Entity
	for range 3 {
		id, err := c.Instantiate(first)
		must(t, err)
		ids = append(ids, id)
	}
	must(t, c.Untyped().Add(ids[0], reflect.TypeFor[Obj](), Obj{Self: ids[2]}))
	if _, err := c.Created(ids[0]); !errors.Is(err, ecs.ErrState) {
		t.Errorf("before Playback: %v", err)
	}
	must(t, c.Playback(w))
	var made []ecs.Entity
	for _, id := range ids {
		e, err := c.Created(id)
		must(t, err)
		if a, err := ecs.Get[A](w, e); err != nil || a.Value != 1 || e == first {
			t.Errorf("%v is %v: %v", e, a, err)
		}
		made = append(made, e)
	}
	if o, err := ecs.Get[Obj](w, made[0]); err != nil || o.Self != made[2] {
		t.Errorf("the reference is %v, want %v: %v", o.Self, made[2], err)
	}
	if e, err := c.Created(first); e != first || err != nil {
		t.Errorf("an existing entity: %v, %v", e, err)
	}
	other := w.NewCommands()
	foreign, err := other.Instantiate(first)
	must(t, err)
	if _, err := c.Created(foreign); !errors.Is(err, ecs.ErrState) {
		t.Errorf("the id of another buffer: %v", err)
	}
	c.Reset()
	if _, err := c.Created(ids[0]); !errors.Is(err, ecs.ErrState) {
		t.Errorf("after Reset: %v", err)
	}
	if _, err := new(ecs.Commands).Created(ids[0]); !errors.Is(err, ecs.ErrState) {
		t.Errorf("the zero Commands: %v", err)
	}
}
