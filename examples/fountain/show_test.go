package main

import (
	"testing"

	"github.com/lanewise/lanewise/ecs/app"
)

// TestShow runs with the inspector, and checks that the number of sparks stays up and that the run
// ends.
func TestShow(t *testing.T) {
	if err := show(t.Context(), "localhost:0", 2000, app.Pace(10_000), app.Frames(400)); err != nil {
		t.Error(err)
	}
	if err := show(t.Context(), "0.0.0.0:0", 10); err == nil {
		t.Error("it listens everywhere")
	}
}
