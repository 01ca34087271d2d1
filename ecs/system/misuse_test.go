package system

import (
	"errors"
	"runtime"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// hooked is a system whose methods call functions, if these are not nil.
type hooked struct {
	create, destroy func(*Setup) error
	update, stop    func(*Frame) error
}

func callIf[A any](f func(A) error, a A) error {
	if f == nil {
		return nil
	}
	return f(a)
}

func (h *hooked) Create(s *Setup) error      { return callIf(h.create, s) }
func (h *hooked) Destroy(s *Setup) error     { return callIf(h.destroy, s) }
func (h *hooked) Update(f *Frame) error      { return callIf(h.update, f) }
func (h *hooked) StopRunning(f *Frame) error { return callIf(h.stop, f) }

// newSimulation creates a world with the default groups and h in Simulation.
func newSimulation(t *testing.T, h *hooked) *ecs.World {
	t.Helper()
	w := newWorld(t, Only())
	must(t, Adopt(w, h))
	must(t, GetOrCreate[Simulation](w).Add(h))
	return w
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// No method of a system can close its world. A system in a group of another world cannot close this
// world either.
func TestCloseInside(t *testing.T) {
	var tried []error
	var h hooked
	closeSetup := func(s *Setup) error { tried = append(tried, s.World().Close()); return nil }
	closeFrame := func(f *Frame) error { return closeSetup(&f.Setup) }
	h = hooked{create: closeSetup, destroy: closeSetup, update: closeFrame, stop: closeFrame}
	w := newSimulation(t, &h)
	must(t, Update(w))
	guest := &hooked{update: func(*Frame) error { tried = append(tried, w.Close()); return nil }}
	other := ecs.NewWorld("guest")
	must(t, Adopt(other, guest))
	must(t, GetOrCreate[Simulation](w).Add(guest))
	must(t, Update(w))
	must(t, w.Close())
	for i, err := range tried {
		if !errors.Is(err, ecs.ErrArgument) {
			t.Errorf("attempt %d: %v", i, err)
		}
	}
	if len(tried) != 6 { // Create, two updates, the guest's, StopRunning and Destroy
		t.Errorf("%d attempts", len(tried))
	}
}

// A frame ends everything that it has begun, even if a test fails in a system and so ends the
// goroutine.
func TestFrameEndsAnyhow(t *testing.T) {
	h := &hooked{update: func(*Frame) error { runtime.Goexit(); return nil }}
	w := newSimulation(t, h)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_ = Update(w)
	}()
	<-gone
	h.update = nil
	must(t, Update(w))
	must(t, w.Close())
}

// If a system is created while other systems stop, closing the world also destroys the new system.
func TestCreateInStop(t *testing.T) {
	ended := 0
	late := &hooked{destroy: func(*Setup) error { ended++; return nil }}
	h := &hooked{stop: func(f *Frame) error { return Adopt(f.World(), late) }}
	w := newSimulation(t, h)
	must(t, Update(w))
	must(t, w.Close())
	if n := len(Instances(w)); ended != 1 || n != 0 {
		t.Errorf("Destroy was called %d times, %d systems are left", ended, n)
	}
}

// A system that is being destroyed does not update any more.
func TestUpdateInDestroy(t *testing.T) {
	var inner error
	h := &hooked{destroy: func(s *Setup) error { inner = s.Instance().Update(); return nil }}
	w := newSimulation(t, h)
	must(t, Destroy(w, h))
	if !errors.Is(inner, ecs.ErrState) {
		t.Errorf("Update in Destroy: %v", inner)
	}
}

// Commands of StopRunning are played back, unless it fails.
func TestFrameCommandsInStop(t *testing.T) {
	b := newBench(t)
	h := new(hooked)
	in := b.adopt(h)
	stop := func(err error) {
		h.stop = func(f *Frame) error { f.Commands().Spawn(alpha{}); return err }
		in.SetEnabled(true)
		b.ok(in.Update())
		in.SetEnabled(false)
		if got := in.Update(); !errors.Is(got, err) {
			t.Errorf("stop: %v", got)
		}
	}
	stop(nil)
	stop(errBroken)
	if n := b.w.Len(); n != 1 {
		t.Errorf("%d entities, want 1", n)
	}
}

// The members of a destroyed group do not have it as a group any more.
func TestDestroyGroup(t *testing.T) {
	b := newBench(t)
	p, in := b.add("p")
	g := b.group(p)
	b.ok(Destroy(b.w, g))
	if len(in.groups) != 0 || len(g.Members()) != 0 {
		t.Errorf("p is in %d groups, the group has %d members", len(in.groups), len(g.Members()))
	}
	if x := Explain(b.w); !slices.Contains(x.Advice, "system.probe stands in no group and is not updated: add it to one") {
		t.Errorf("advice: %q", x.Advice)
	}
}

// A system of one world cannot be adopted by another until it leaves the first.
func TestAdoptTwice(t *testing.T) {
	a, b := newBench(t), newBench(t)
	for _, s := range []System{new(plainGroup), new(EndSimulation)} {
		in := a.adopt(s)
		if err := Adopt(b.w, s); !errors.Is(err, ecs.ErrArgument) {
			t.Errorf("one %T in two worlds: %v", s, err)
		}
		a.ok(Destroy(a.w, s))
		b.ok(Adopt(b.w, s))
		if in.Update() == nil {
			t.Errorf("%T goes on in the world that it has left", s)
		}
	}
}

type (
	first struct {
		valueSystem
		_ Before[second]
	}
	second struct {
		valueSystem
		_ Before[first]
	}
)

// A cycle in a group further down does not prevent the updates of other systems, from the first frame
// on.
func TestNestedCircle(t *testing.T) {
	b := newBench(t)
	p, _ := b.add("p")
	x, y := new(first), new(second)
	b.adopt(x)
	b.adopt(y)
	inner := b.group(x, y)
	outer := b.group(inner, p)
	b.log = nil
	for range 2 {
		err := outer.instance().Update()
		var circle *CycleError
		if !errors.As(err, &circle) || len(unjoin(err)) != 1 {
			t.Errorf("error %v, want one circle", err)
		}
	}
	b.want("p start, p update, p update")
}

func unjoin(err error) []error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		return many.Unwrap()
	}
	return []error{err}
}

// A rate that Quit has interrupted begins again. If Quit ends a pass of a rate, the rate starts a new
// pass in the next update. If a member removes the rate, the rate ends with the current update.
func TestRateInside(t *testing.T) {
	for name, rate := range map[string]Rate{
		"Simple": SimpleRate(1), "CatchUp": CatchUpRate(1), "Variable": IntervalRate(1, nil),
	} {
		h := new(hooked)
		w := newSimulation(t, h)
		var times []float64
		h.update = func(f *Frame) error {
			times = append(times, f.Elapsed())
			f.Quit()
			return nil
		}
		GetOrCreate[Simulation](w).SetRate(rate)
		clk := ClockOf(w)
		for range 3 {
			clk.Advance(1)
			clk.Push(Time{Elapsed: clk.Now().Elapsed, Delta: 1}) // a moment that no group may pop
			must(t, Update(w))
			must(t, clk.Pop())
		}
		if !slices.Equal(times, []float64{0, 1, 2}) {
			t.Errorf("%s: steps at %v", name, times)
		}
		h.update = func(*Frame) error { GetOrCreate[Simulation](w).SetRate(nil); return nil }
		clk.Advance(1)
		must(t, Update(w))
		must(t, Update(w))
	}
}

// Only whole frames are measured.
func TestMeasureInside(t *testing.T) {
	h := new(hooked)
	w := newSimulation(t, h)
	h.update = func(f *Frame) error { Measure(f.World(), true); return nil }
	if err := Update(w); !errors.Is(err, ecs.ErrState) {
		t.Errorf("Measure in an update: %v", err)
	}
}

// angry is a shared value that cannot be compared.
type angry struct {
	ecs.Shared
	Value int
}

func (angry) Equal(angry) bool { panic(errBroken) }
func (angry) Hash() uint64     { panic(errBroken) }

// If the playback of a buffer panics, only this buffer fails.
func TestPlaybackPanics(t *testing.T) {
	h := new(hooked)
	w := newSimulation(t, h)
	h.update = func(f *Frame) error {
		Commands[EndSimulation](f).Spawn(alpha{})
		Commands[EndSimulation](f).Spawn(alpha{}, angry{Value: 1})
		Commands[EndSimulation](f).Spawn(alpha{})
		return nil
	}
	var panicked *PanicError
	if err := Update(w); !errors.As(err, &panicked) || !errors.Is(err, errBroken) {
		t.Errorf("error %v", err)
	}
	h.update = nil
	must(t, Update(w))
	if n := w.Len(); n != 2 {
		t.Errorf("%d entities, want 2", n)
	}
}
