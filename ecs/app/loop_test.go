package app

import (
	"context"
	"errors"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs/access"
)

// listPhases lists the steps of a loop by phase.
func listPhases(l *Loop) string {
	var b strings.Builder
	l.each(func(p *Phase) {
		for _, s := range p.steps {
			switch {
			case s.call != nil:
				b.WriteString(p.Name + ":func ")
			case s.group == nil:
				b.WriteString(p.Name + ":" + s.world.Name() + " ")
			default:
				b.WriteString(p.Name + ":" + s.world.Name() + "." + s.group.Type().String()[strings.LastIndexByte(s.group.Type().String(), '.')+1:] + " ")
			}
		}
	})
	return strings.TrimSpace(b.String())
}

func namedWorld(t *testing.T, name string, opts ...system.Option) *ecs.World {
	t.Helper()
	w, err := system.NewWorld(name, append(opts, system.Only(system.Of[stepper]()))...)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestLoopAppend(t *testing.T) {
	l := NewLoop()
	a, b := namedWorld(t, "a"), namedWorld(t, "b")
	bare := ecs.NewWorld("bare")
	if _, err := system.Create[system.Simulation](bare); err != nil {
		t.Fatal(err)
	}
	for _, w := range []*ecs.World{a, nil, b, bare} {
		if err := l.Append(w); err != nil {
			t.Fatal(err)
		}
	}
	want := "Time:a Time:b Time:bare Initialization:a.Initialization Initialization:b.Initialization " +
		"Update:a.Simulation Update:b.Simulation Update:bare.Simulation PreLateUpdate:a.Presentation PreLateUpdate:b.Presentation"
	if got := listPhases(l); got != want {
		t.Errorf("loop\n%s\nwant\n%s", got, want)
	}
	if !l.Has(a) || !l.Has(bare) || l.Has(namedWorld(t, "c")) || l.Has(nil) {
		t.Error("the loop has the wrong worlds")
	}
	l.Remove(a)
	l.Remove(bare)
	if got, want := listPhases(l), "Time:b Initialization:b.Initialization Update:b.Simulation PreLateUpdate:b.Presentation"; got != want || l.Has(a) {
		t.Errorf("loop %s, want %s", got, want)
	}
	names := []string{}
	l.each(func(p *Phase) { names = append(names, p.Name) })
	if got, want := strings.Join(names, " "), "Time Initialization EarlyUpdate FixedUpdate PreUpdate Update PreLateUpdate PostLateUpdate"; got != want {
		t.Errorf("phases %s, want %s", got, want)
	}
}

func TestLoopWithoutPhase(t *testing.T) {
	for _, missing := range []string{PhaseInitialization, PhaseUpdate, PhasePreLateUpdate} {
		l := NewLoop()
		l.Phases = slices.DeleteFunc(l.Phases, func(p *Phase) bool { return p.Name == missing })
		if err := l.Append(namedWorld(t, "w")); !errors.Is(err, ecs.ErrArgument) || !strings.Contains(err.Error(), missing) {
			t.Errorf("%s: error %v", missing, err)
		}
		if got := listPhases(l); got != "" {
			t.Errorf("%s: loop %s", missing, got)
		}
	}
	// A loop may have no phase Time, and a phase may be inside of another phase.
	l := &Loop{Phases: []*Phase{{Name: "Frame", Phases: NewLoop().Phases[1:]}}}
	w := namedWorld(t, "w")
	if err := l.Append(w); err != nil {
		t.Fatal(err)
	}
	if err := l.Tick(1); err != nil {
		t.Fatal(err)
	}
	if seen := system.Find[stepper](w).seen; !slices.Equal(seen, []system.Time{{}}) {
		t.Errorf("updates at %v", seen)
	}
}

func TestTick(t *testing.T) {
	l := NewLoop()
	a, b := namedWorld(t, "a"), namedWorld(t, "b")
	for _, w := range []*ecs.World{a, b} {
		if err := l.Append(w); err != nil {
			t.Fatal(err)
		}
	}
	var order []string
	note := func(what string) func() error {
		return func() error { order = append(order, what); return nil }
	}
	l.Phase(PhaseUpdate).Call(note("after the simulations"))
	l.Phase(PhasePreUpdate).Call(note("before"))
	l.Phase(PhasePostLateUpdate).Call(func() error { return errBroken })
	for _, w := range []*ecs.World{a, b} {
		system.Find[stepper](w).then = func(f *system.Frame) error { order = append(order, f.World().Name()); return nil }
	}
	for range 2 {
		if err := l.Tick(0.5); !errors.Is(err, errBroken) {
			t.Errorf("error %v", err)
		}
	}
	if got, want := strings.Join(order, ", "), "before, a, b, after the simulations, before, a, b, after the simulations"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	want := []system.Time{{Elapsed: 0, Delta: 0.5}, {Elapsed: 0.5, Delta: 0.5}}
	if got := system.Find[stepper](b).seen; !slices.Equal(got, want) {
		t.Errorf("times %v, want %v", got, want)
	}
	// The steps of a closed world must do nothing.
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := system.Destroy(b, system.Find[system.Presentation](b)); err != nil {
		t.Fatal(err)
	}
	order = nil
	if err := l.Tick(0.5); !errors.Is(err, errBroken) || strings.Join(order, ", ") != "before, b, after the simulations" {
		t.Errorf("%v, error %v", order, err)
	}
}

func TestTickInUpdate(t *testing.T) {
	l := NewLoop()
	w := namedWorld(t, "w")
	if err := l.Append(w); err != nil {
		t.Fatal(err)
	}
	system.Find[stepper](w).then = func(*system.Frame) error { return l.clone().Tick(1) }
	if err := l.Tick(1); !errors.Is(err, ecs.ErrState) {
		t.Errorf("a tick inside a tick: %v", err)
	}
	if n := len(system.Find[stepper](w).seen); n != 1 {
		t.Errorf("%d updates", n)
	}
}

func TestCurrentLoop(t *testing.T) {
	defer SetCurrentLoop(nil)
	SetCurrentLoop(nil)
	w := namedWorld(t, "w")
	l := CurrentLoop()
	if err := l.Append(w); err != nil {
		t.Fatal(err)
	}
	if CurrentLoop().Has(w) {
		t.Error("appending changed the current loop")
	}
	SetCurrentLoop(l)
	l.Remove(w)
	if !CurrentLoop().Has(w) {
		t.Error("the current loop does not have what was set")
	}
	s := system.Find[stepper](w)
	s.then = func(*system.Frame) error { SetCurrentLoop(nil); return nil } // from the next frame on
	if err := RunCurrent(t.Context(), Frames(3), Step(1)); err != nil || len(s.seen) != 1 {
		t.Errorf("%v, %d updates", err, len(s.seen))
	}
}

func TestSignals(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOARCH == "wasm" {
		t.Skipf("a process cannot send itself a signal on %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	w, s := newStepper(t)
	s.then = func(*system.Frame) error {
		p, err := os.FindProcess(os.Getpid())
		if err != nil {
			return err
		}
		return p.Signal(syscall.SIGTERM)
	}
	if err := Run(t.Context(), w, Signals(), Step(1), Pace(20)); !errors.Is(err, context.Canceled) && !strings.Contains(err.Error(), "terminated") {
		t.Errorf("error %v", err)
	}
}

// If a tool panics while it waits at the end of a frame, the frames of all worlds must end, and
// the next frame must be able to begin.
func TestFrameEndsThoughAToolPanics(t *testing.T) {
	var worlds []*ecs.World
	armed := false
	loop := NewLoop()
	for range 3 {
		w, err := system.NewWorld("", system.Only())
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		w.Hooks().OnWait(func(*access.Access) func() {
			if armed {
				armed = false
				panic("the tool")
			}
			return func() {}
		})
		w.Spawn(alpha{})
		p := new(hooked)
		p.update = func(f *system.Frame) error {
			f.ParallelFor(f.Query(ecs.Write[alpha]()), chunkFunc(func(c *ecs.Chunk) { (*ecs.Column[alpha](c))[0]++ }))
			return nil
		}
		if err := errors.Join(system.Adopt(w, p), system.GetOrCreate[system.Simulation](w).Add(p), loop.Append(w)); err != nil {
			t.Fatal(err)
		}
		worlds = append(worlds, w)
	}
	for name, frame := range map[string]func() error{
		"Update": func() error { return system.Update(worlds[0]) },
		"Tick":   func() error { return loop.Tick(0.1) },
	} {
		panicked := func() (v any) {
			defer func() { v = recover() }()
			armed = true
			_ = frame()
			return nil
		}()
		if panicked != "the tool" {
			t.Errorf("%s: the panic is %v", name, panicked)
		}
		armed = false
		if err := frame(); err != nil {
			t.Errorf("%s: the next frame fails: %v", name, err)
		}
		for i, w := range worlds {
			done := make(chan error)
			go func() { done <- ecs.Set(w, w.Spawn(alpha{}), alpha{}) }() // no goroutine owns it any more
			if err := <-done; err != nil {
				t.Errorf("%s: world %d: %v", name, i, err)
			}
		}
	}
}
