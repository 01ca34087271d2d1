package main

import (
	"testing"

	"github.com/lanewise/lanewise/ecs/app"
)

// TestShow checks that a run with the inspector ends.
func TestShow(t *testing.T) {
	if err := show(t.Context(), "localhost:0", 200, app.Pace(10_000), app.Frames(50)); err != nil {
		t.Error(err)
	}
	if err := show(t.Context(), "0.0.0.0:0", 10); err == nil {
		t.Error("it listens everywhere")
	}
}
