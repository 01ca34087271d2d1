package ecs_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// own is a shared component with a method Equal, because its values may be not comparable with ==.
type own struct {
	ecs.Shared
	Value any
}

func (v own) Equal(o own) bool { return fmt.Sprint(v.Value) == fmt.Sprint(o.Value) }
func (v own) Hash() uint64     { return uint64(len(fmt.Sprint(v.Value))) }

// TestShareWhatCannotBeCompared checks that the error names the component and the type inside the
// value, and that nothing has changed.
func TestShareWhatCannotBeCompared(t *testing.T) {
	w := newWorld(t, 1)
	bare, has := w.Spawn(A{}), w.Spawn(A{}, ShAny{Value: int32(1)})
	root := w.Spawn(ShAny{Value: "root"}, ecs.BufferOf[ecs.Linked]())
	must(t, ecs.Set(w, root, ecs.BufferOf(ecs.Linked{root}, ecs.Linked{has}, ecs.Linked{bare})))
	q, all := w.Query(ecs.With[A]()), w.Query()
	c := w.NewCommands()
	later := func(err error) error {
		must(t, err)
		defer c.Reset()
		return c.Playback(w)
	}
	thrown := func(f func()) (err error) {
		defer func() { err, _ = recover().(error) }()
		f()
		return nil
	}
	hash := w.Hash()
	for kind, bad := range map[string]ShAny{
		"[]int":          {Value: []int{1}},
		"map[string]int": {Value: [2]any{1, struct{ m any }{map[string]int{}}}},
		"func()":         {Value: &[]int{}, More: [2]any{1: func() {}}},
	} {
		for name, f := range map[string]func() error{
			"Add":                        func() error { return ecs.Add(w, bare, bad) },
			"Set":                        func() error { return ecs.Set(w, has, bad) },
			"AddAll":                     func() error { return ecs.AddAll(w, ecs.Entities([]ecs.Entity{bare, has}), bad) },
			"AddAll, one run":            func() error { return ecs.AddAll(w, ecs.Entities([]ecs.Entity{bare}), bad) },
			"AddAll(Matching)":           func() error { return ecs.AddAll(w, ecs.Matching(q), bad) },
			"AddAll(LinkedTo)":           func() error { return ecs.AddAll(w, ecs.LinkedTo(root, all), bad) },
			"SetAll(LinkedTo)":           func() error { return ecs.SetAll(w, ecs.LinkedTo(root, nil), bad) },
			"Spawn":                      func() error { return thrown(func() { w.Spawn(A{}, Sh{Value: 7}, bad) }) },
			"Query":                      func() error { return thrown(func() { w.Query(ecs.WithShared(Sh{Value: 7}), ecs.WithShared(bad)) }) },
			"Commands, Spawn":            func() error { _, err := c.Spawn(Sh{Value: 7}, bad); return later(err) },
			"Commands, Add":              func() error { return later(ecs.Add(c, bare, bad)) },
			"Commands, AddAll":           func() error { return later(ecs.AddAll(c, ecs.Entities([]ecs.Entity{bare, has}), bad)) },
			"Commands, AddAll(Matching)": func() error { return later(ecs.AddAll(c, ecs.Matching(q), bad)) },
			"Commands, SetAll(LinkedTo)": func() error { return later(ecs.SetAll(c, ecs.LinkedTo(root, nil), bad)) },
		} {
			err := f()
			var e *ecs.Error
			for cause := err; errors.As(cause, &e) && e.Err != nil; {
				cause = e.Err // the cause from a buffer
			}
			if !errors.Is(err, ecs.ErrArgument) || e == nil || !strings.HasSuffix(e.Component, "ecs.ShAny") || !strings.Contains(e.Text, "a "+kind+",") {
				t.Errorf("%s of a %s: got error %v", name, kind, err)
			}
			if w.Hash() != hash || ecs.Has[ShAny](w, bare) || len(values[ShAny](w)) != 3 || len(values[Sh](w)) > 1 {
				t.Errorf("%s of a %s has changed something", name, kind)
			}
			must(t, integrity(w))
		}
	}
	must(t, ecs.Add(w, bare, own{Value: []int{1}}))
	must(t, ecs.Add(w, has, own{Value: []int{1}}))
	if w.Query(ecs.With[own]()).Count() != 2 || len(values[own](w)) != 2 {
		t.Errorf("%d values of a type that compares them itself", len(values[own](w)))
	}
	must(t, integrity(w))
}
