package app

import (
	"errors"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// A function that a loop calls may change the loop, but must not be able to tick it.
func TestLoopInside(t *testing.T) {
	h := new(hooked)
	w, added := newSimulation(t, h), newWorld(t, system.Only(system.Of[stepper]()))
	l := NewLoop()
	must(t, l.Append(w))
	calls := 0
	update := l.Phase(PhaseUpdate)
	update.Call(func() error { calls++; return nil })
	var inner error
	h.update = func(*system.Frame) error {
		l.Remove(w)
		inner = l.Tick(1)
		return l.Append(added)
	}
	must(t, l.Tick(1))
	if s := system.Find[stepper](added); !errors.Is(inner, ecs.ErrState) || calls != 1 || len(s.seen) != 0 || l.Has(w) {
		t.Errorf("inner tick %v, %d calls, %d updates of the world that was added", inner, calls, len(s.seen))
	}
	h.update = nil
	ended := false
	update.Call(func() error {
		if ended {
			return nil
		}
		ended = true
		return added.Close()
	})
	must(t, l.Tick(1))
	must(t, l.Tick(1))
	must(t, system.Update(w))
	if calls != 3 {
		t.Errorf("%d calls", calls)
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for a nil function")
		}
	}()
	update.Call(nil)
}

// A system must not be able to replace its world by Play, or to close it by Shutdown. Both
// calls must keep the world.
func TestPlayInside(t *testing.T) {
	cleanBoot(t)
	h := new(hooked)
	try := func(w *ecs.World, run func() error) {
		t.Helper()
		must(t, system.Adopt(w, h))
		must(t, system.GetOrCreate[system.Simulation](w).Add(h))
		var played *ecs.World
		var errs [2]error
		h.update = func(*system.Frame) error {
			played, errs[0] = Play("second", system.Only())
			errs[1] = Shutdown()
			return nil
		}
		must(t, run())
		if played != nil || !errors.Is(errs[0], ecs.ErrArgument) || !errors.Is(errs[1], ecs.ErrArgument) {
			t.Errorf("world %v, errors %v", played, errs)
		}
	}
	e, err := EditorWorld()
	must(t, err)
	try(e, func() error { return system.Update(e) })
	if again, err := EditorWorld(); again != e || err != nil {
		t.Error("the editor world is forgotten")
	}
	must(t, system.Destroy(e, h))
	w, err := Play("first", system.Only())
	must(t, err)
	try(w, func() error { return RunCurrent(t.Context(), Frames(1), Step(1)) })
	if Default() != w {
		t.Error("the default world is forgotten")
	}
	must(t, w.Close())
	defer func() {
		if err, _ := recover().(error); !errors.Is(err, ecs.ErrDisposed) {
			t.Errorf("SetDefault of a closed world panics with %v", err)
		}
	}()
	SetDefault(w)
}

// A loop must end the frame of each world that has begun a frame, even if a function of the
// loop panics.
func TestFrameEndsAnyhow(t *testing.T) {
	w := newSimulation(t, new(hooked))
	l := NewLoop()
	must(t, l.Append(w))
	l.Phase(PhaseUpdate).Call(func() error { panic(errBroken) })
	func() {
		defer func() {
			if v := recover(); v != errBroken {
				t.Errorf("the loop's function panics with %v", v)
			}
		}()
		_ = l.Tick(1)
	}()
	must(t, system.Update(w))
	must(t, w.Close())
}
