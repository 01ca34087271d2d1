package inspect

import (
	"testing"
)

// An option that is nil is named by its place.
func TestNilOption(t *testing.T) {
	defer func() {
		if got, want := recover(), "inspect: New: option 0 is nil"; got != want {
			t.Errorf("got panic %v, want %q", got, want)
		}
	}()
	New(nil)
}
