package snapshot

import (
	"bytes"
	"testing"
)

// An option that is nil is named by its place.
func TestNilOption(t *testing.T) {
	defer func() {
		if got, want := recover(), "snapshot: Read: option 0 is nil"; got != want {
			t.Errorf("got panic %v, want %q", got, want)
		}
	}()
	_, _ = Read(bytes.NewReader(nil), nil)
}
