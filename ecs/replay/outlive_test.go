package replay

import (
	"bytes"
	"errors"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// TestHandlesOutlive checks that a recorder continues after a Restore, and returns ErrDisposed
// after Close of its world. All functions that get a world must return ErrDisposed too if the
// world was closed before the call or in a step. If the recorder is closed, the recording ends,
// and it must be readable up to its last tick.
func TestHandlesOutlive(t *testing.T) {
	w, twin := ecs.NewWorld("w"), ecs.NewWorld("w")
	image, err := ecs.Capture(w, nil)
	ok(t, err)
	var plain, bySystem bytes.Buffer
	all, err := Record(&plain, w)
	ok(t, err)
	systems, err := Record(&bySystem, w, BySystem())
	ok(t, err)
	ok(t, errors.Join(all.Tick(), systems.Tick()))
	w.Spawn()
	ok(t, ecs.Restore(w, image))
	ok(t, errors.Join(all.Tick(), systems.Tick()))
	ok(t, w.Close())

	step := func(uint64) error { return nil }
	closes := func(w *ecs.World) Run {
		return Run{World: w, Step: func(tick uint64) error {
			if tick == 2 {
				return w.Close()
			}
			return nil
		}}
	}
	recording := func() *bytes.Buffer { return bytes.NewBuffer(plain.Bytes()) }
	for name, call := range map[string]func() error{
		"Recorder.Tick":           all.Tick,
		"Recorder.Tick, BySystem": systems.Tick,
		"Recorder.Tick again":     all.Tick,
		"Record":                  func() error { _, err := Record(&bytes.Buffer{}, w); return err },
		"Compare, the first":      func() error { _, err := Compare(Run{w, step}, Run{twin, step}, 1); return err },
		"Compare, the second":     func() error { _, err := Compare(Run{twin, step}, Run{w, step}, 1); return err },
		"Compare, in a step":      func() error { _, err := Compare(Run{twin, step}, closes(ecs.NewWorld("w")), 3); return err },
		"SyncTest":                func() error { _, err := SyncTest(Run{w, step}, 1); return err },
		"SyncTest, in a step":     func() error { _, err := SyncTest(closes(ecs.NewWorld("w")), 3); return err },
		"Replay":                  func() error { _, err := Replay(recording(), w, func(*Tick) error { return nil }); return err },
		"Replay, in a step": func() error {
			w := ecs.NewWorld("w")
			_, err := Replay(recording(), w, func(*Tick) error { return w.Close() })
			return err
		},
	} {
		if err := call(); !errors.Is(err, ecs.ErrDisposed) {
			t.Errorf("after Close: %s: got %v, want ErrDisposed", name, err)
		}
	}
	ok(t, errors.Join(all.Close(), systems.Close()))
	for name, file := range map[string]*bytes.Buffer{"plain": &plain, "by system": &bySystem} {
		d, err := Replay(file, twin, func(*Tick) error { return nil })
		if d != nil || err != nil {
			t.Errorf("the recording, %s: %v, %v", name, d, err)
		}
	}
	for name, call := range map[string]func() error{
		"Replay":   func() error { _, err := Replay(recording(), nil, func(*Tick) error { return nil }); return err },
		"SyncTest": func() error { _, err := SyncTest(Run{}, 1); return err },
		"Compare":  func() error { _, err := Compare(Run{}, Run{}, 1); return err },
	} {
		if err := call(); !errors.Is(err, ecs.ErrArgument) {
			t.Errorf("without a world: %s: got %v, want ErrArgument", name, err)
		}
	}
}
