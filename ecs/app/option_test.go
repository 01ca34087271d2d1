package app

import (
	"context"
	"errors"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// The panic for a nil option must contain its index.
func TestNilOption(t *testing.T) {
	defer func() {
		if got, want := recover(), "app: Run: option 1 is nil"; got != want {
			t.Errorf("got panic %v, want %q", got, want)
		}
	}()
	_ = Run(context.Background(), ecs.NewWorld(t.Name()), Frames(1), nil)
}

// With a nil context, a run must run no frame.
func TestNilContext(t *testing.T) {
	var none context.Context
	if err := Run(none, ecs.NewWorld(t.Name()), Frames(1)); !errors.Is(err, ecs.ErrArgument) {
		t.Errorf("got error %v", err)
	}
}
