package ecs

import (
	"errors"
	"strings"
	"testing"
)

// Calls without a world fail and say so, by an error where there is one to
// return, else by a panic with one.
func TestNoWorld(t *testing.T) {
	real := NewWorld(t.Name())
	e, q := real.Spawn(B{}), real.Query(With[B]())
	second := func(_ any, err error) error { return err }
	for op, err := range map[string]error{
		"Get":             second(Get[B](nil, e)),
		"GetBuffer":       second(GetBuffer[B](nil, e)),
		"Enabled":         second(Enabled[B](nil, e)),
		"Set":             Set((*World)(nil), e, B{}),
		"Add":             Add((*World)(nil), e, B{}),
		"Append":          Append((*World)(nil), e, B{}),
		"Ensure":          second(Ensure[B]((*World)(nil), e)),
		"Remove":          second(Remove[B]((*World)(nil), e)),
		"SetEnabled":      SetEnabled[B]((*World)(nil), e, true),
		"SetEnabledAll":   SetEnabledAll[B]((*World)(nil), Matching(q), true),
		"AddAll":          AddAll((*World)(nil), List([]Entity{e}), B{}),
		"AddTypes":        AddTypes((*World)(nil), Matching(q), With[B]()),
		"RemoveTypes":     RemoveTypes((*World)(nil), One(e), With[B]()),
		"DestroyAll":      DestroyAll((*World)(nil), Matching(q)),
		"Exchange":        Exchange[A]((*World)(nil), LinkedTo(e, q), B{}),
		"SetAll":          SetAll((*World)(nil), LinkedTo(e, nil), B{}),
		"CreateSingleton": second(CreateSingleton(nil, B{})),
		"Playback":        real.Commands().Playback(nil),
		"MoveFrom":        real.moveFrom(nil, nil),
		"CopyFrom":        second(real.copyFrom(nil, nil)),
		"Begin":           second(lending.Begin(nil)),
		"Compact":         mem.Compact(nil),
		"Defragment":      mem.Defragment(nil),
		"CanBegin":        panics(t, ErrArgument, func() { lending.CanBegin(nil) }),
		"Lent":            panics(t, ErrArgument, func() { lending.Lent(nil) }),
		"LookupOf":        panics(t, ErrArgument, func() { LookupOf[B](nil) }),
		"SharedValues": panics(t, ErrArgument, func() {
			for range SharedValues[int](nil) {
				t.Error("a value of no world")
			}
		}),
	} {
		if !errors.Is(err, ErrArgument) || !strings.Contains(err.Error(), op) || !strings.Contains(err.Error(), "world is nil") {
			t.Errorf("%s without a world: %v", op, err)
		}
	}
}

// nowhere is what calls without a world are told.
func (c *collector) nowhere() {
	_, err := Get[B](nil, Entity{})
	c.err(err)
	c.err(NewWorld("").Commands().Playback(nil))
}
