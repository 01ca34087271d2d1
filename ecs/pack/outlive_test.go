package pack_test

import (
	"errors"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/pack"
)

// TestPackerOutlives: a packer continues after a Restore of its world. After Close it returns
// ErrDisposed, and its earlier messages can go to another world.
func TestPackerOutlives(t *testing.T) {
	w, other := ecs.NewWorld("w"), ecs.NewWorld("other")
	e := w.Spawn(Position{X: 1})
	image, err := ecs.Capture(w, nil)
	must(t, err)
	p, to := pack.New(w), pack.New(other)
	late := w.Spawn(Position{X: 2})
	message, err := p.Take(nil, []ecs.Entity{e, late})
	must(t, err)
	must(t, ecs.Restore(w, image))
	if _, err := p.Pack(nil, []ecs.Entity{late}); !errors.Is(err, ecs.ErrArgument) {
		t.Errorf("after Restore: an entity that is undone: got %v, want ErrArgument", err)
	}
	again, err := p.Pack(nil, []ecs.Entity{e})
	must(t, err)
	came, err := p.Unpack(again)
	must(t, err)
	if len(came) != 1 || w.Len() != 2 {
		t.Errorf("after Restore: %d came, there are %d", len(came), w.Len())
	}
	must(t, w.Close())
	for name, call := range map[string]func() error{
		"Pack":             func() error { _, err := p.Pack(nil, []ecs.Entity{e}); return err },
		"Pack of nothing":  func() error { _, err := p.Pack(nil, nil); return err },
		"Take":             func() error { _, err := p.Take(nil, []ecs.Entity{e}); return err },
		"Unpack":           func() error { _, err := p.Unpack(message); return err },
		"a Packer of then": func() error { _, err := pack.New(w).Unpack(message); return err },
	} {
		if err := call(); !errors.Is(err, ecs.ErrDisposed) {
			t.Errorf("after Close: %s: got %v, want ErrDisposed", name, err)
		}
	}
	came, err = to.Unpack(message)
	must(t, err)
	if len(came) != 2 || other.Len() != 2 {
		t.Errorf("%d came to the other world, there are %d", len(came), other.Len())
	}
}
