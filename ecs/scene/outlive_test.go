package scene

import (
	"errors"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// TestScenesOutlive checks that all calls about the scenes of a world still work after a Restore. After
// Close, the calls that would use the world return ErrDisposed. Failure and Find still return results
// from the remaining data.
func TestScenesOutlive(t *testing.T) {
	w, err := system.NewWorld(t.Name())
	must(t, err)
	must(t, Configure(w, Config{Files: filesOf("a.scene", textOf(9, 1), "bad.scene", "{")}))
	good, bad := Load(w, "a.scene", 0), Load(w, "bad.scene", 0)
	if err := Wait(w); err == nil || Failure(w, bad) == nil {
		t.Fatal("a scene that is no text was loaded")
	}
	image, err := ecs.Capture(w, nil)
	must(t, err)
	must(t, w.Destroy(bad))
	must(t, Wait(w))
	must(t, ecs.Restore(w, image))
	streaming, link := system.Find[Streaming](w), system.Find[LiveLink](w)
	if err := Configure(w, Config{Files: filesOf("a.scene", textOf(9, 1), "bad.scene", "{")}); err != nil {
		t.Errorf("after Restore: Configure: %v", err)
	}
	if err := Refresh(w); err != nil {
		t.Errorf("after Restore: Refresh: %v", err)
	}
	_ = Wait(w) // the error of the broken scene
	if err := Failure(w, good); err != nil {
		t.Errorf("after Restore: Failure: %v", err)
	}
	state := streaming.AppendState(nil)
	must(t, w.Close())

	for name, call := range map[string]func() error{
		"Configure":        func() error { return Configure(w, Config{}) },
		"Refresh":          func() error { return Refresh(w) },
		"Wait":             func() error { return Wait(w) },
		"Load":             func() error { Load(w, "a.scene", 0); return nil },
		"Streaming.Update": func() error { return streaming.Update(nil) },
		"LiveLink.Update":  func() error { return link.Update(nil) },
		"openIn":           func() error { _, err := openScene(w, openedScene{path: "a.scene"}); return err },
	} {
		err := func() (err error) {
			defer func() {
				if v := recover(); v != nil {
					err = v.(error)
					if name != "Load" { // Load panics as Spawn does
						t.Errorf("after Close: %s panics with %v", name, v)
					}
				}
			}()
			return call()
		}()
		if !errors.Is(err, ecs.ErrDisposed) {
			t.Errorf("after Close: %s: got %v, want ErrDisposed", name, err)
		}
	}
	if Failure(w, bad) == nil || Failure(w, good) != nil || Find(w, good, "x") != (ecs.Entity{}) {
		t.Errorf("after Close: %v and %v have failed", Failure(w, bad), Failure(w, good))
	}
	_ = streaming.AppendState(nil)
	_ = streaming.LoadState(state)
	other := ecs.NewWorld("closed before")
	must(t, other.Close())
	if err := Wait(other); !errors.Is(err, ecs.ErrDisposed) {
		t.Errorf("a world that never had scenes: got %v, want ErrDisposed", err)
	}
	if err := errors.Join(Failure(nil, good), Failure(other, good)); err != nil {
		t.Error(err)
	}
}
