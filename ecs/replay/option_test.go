package replay

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// An option that is nil is named by its place.
func TestNilOption(t *testing.T) {
	defer func() {
		if got, want := recover(), "replay: Record: option 0 is nil"; got != want {
			t.Errorf("got panic %v, want %q", got, want)
		}
	}()
	_, _ = Record(&bytes.Buffer{}, ecs.NewWorld(t.Name()), nil)
}

// A stream, a world or a recorder that is not there is named.
func TestNothing(t *testing.T) {
	_, noStream := Record(nil, ecs.NewWorld(t.Name()))
	_, noWorld := Record(&bytes.Buffer{}, nil)
	_, noFile := Read(nil)
	for want, err := range map[string]error{"Record: the stream is nil": noStream, "Record: the world is nil": noWorld, "the stream is nil": noFile} {
		if !errors.Is(err, ecs.ErrArgument) || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want %q", err, want)
		}
	}
	var r Recorder
	if err := r.Tick(); !errors.Is(err, ecs.ErrState) || !strings.Contains(err.Error(), "make it with Record") {
		t.Errorf("the zero Recorder: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}
