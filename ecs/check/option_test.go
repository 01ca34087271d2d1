package check

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// An option that is nil is named by its place.
func TestNilOption(t *testing.T) {
	defer func() {
		if got, want := recover(), "check: Finite: option 0 is nil"; got != want {
			t.Errorf("got panic %v, want %q", got, want)
		}
	}()
	Finite(ecs.NewWorld(t.Name()), nil)
}

// A check of nothing can be stopped.
func TestZeroCheck(t *testing.T) {
	var c Check
	if c.Stop(); len(c.Faults()) != 0 {
		t.Error("nothing has faults")
	}
}
