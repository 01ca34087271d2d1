package pack

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// An option that is nil is named by its place.
func TestNilOption(t *testing.T) {
	defer func() {
		if got, want := recover(), "pack: New: option 0 is nil"; got != want {
			t.Errorf("got panic %v, want %q", got, want)
		}
	}()
	New(ecs.NewWorld(t.Name()), nil)
}
