package inspect

import (
	"testing"
)

// TestNilOption checks that the panic names a nil option by its position.
func TestNilOption(t *testing.T) {
	defer func() {
		if got, want := recover(), "inspect: New: option 0 is nil"; got != want {
			t.Errorf("got panic %v, want %q", got, want)
		}
	}()
	New(nil)
}
