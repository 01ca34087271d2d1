package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// TestLoopFrameEnds checks that a loop calls the functions of OnFrameEnd only after the frames
// of all its worlds have ended. The time of such a function, in which a tool may pause the loop, is no part of the frame of another world.
func TestLoopFrameEnds(t *testing.T) {
	one, _ := newStepper(t)
	two, _ := newStepper(t)
	l := NewLoop()
	for _, w := range []*ecs.World{one, two} {
		if err := l.Append(w); err != nil {
			t.Fatal(err)
		}
	}
	calls, first := 0, time.Duration(0)
	clock, _ := newStepper(t) // a frame of this world begins at the time of the first call
	system.OnFrameEnd(clock, func(x *system.FrameEnd) { first = x.Start })
	for _, w := range []*ecs.World{one, two} {
		system.OnFrameEnd(w, func(x *system.FrameEnd) {
			if calls++; calls == 1 {
				if err := system.Update(clock); err != nil {
					t.Error(err)
				}
			}
			if x.End < x.Start || x.End > first {
				t.Errorf("call %d: the frame took from %v to %v, and the first call was at %v", calls, x.Start, x.End, first)
			}
			if x.World != w || x.By != system.Pauser(l) {
				t.Errorf("the end of a frame of %q", x.World.Name())
			}
			for _, other := range []*ecs.World{one, two} { // none is in the middle of a frame
				system.Measure(other, false)
			}
		})
	}
	if err := l.Tick(1); err != nil || calls != 2 {
		t.Errorf("%v, %d calls", err, calls)
	}
	if ws := l.Worlds(); !slices.Equal(ws, []*ecs.World{one, two}) {
		t.Errorf("worlds %v", ws)
	}
	steps := l.Phase(PhaseUpdate).Steps()
	if len(steps) != 2 || steps[0].World != one || steps[1].Group == nil || steps[1].Group.World() != two {
		t.Errorf("steps %+v", steps)
	}
	l.Phase(PhaseUpdate).Call(func() error { return nil })
	if steps = l.Phase(PhaseUpdate).Steps(); len(steps) != 3 || steps[2] != (PhaseStep{}) {
		t.Errorf("steps %+v", steps)
	}
	if steps = l.Phase(PhaseTime).Steps(); len(steps) != 2 || steps[1] != (PhaseStep{World: two}) {
		t.Errorf("steps %+v", steps)
	}
}

// TestDone checks that a tool which pauses the loop learns that the context of the run has ended, in a frame and in a
// sleep, and that the loop forgets the context after the run.
func TestDone(t *testing.T) {
	for _, inSleep := range []bool{false, true} {
		w, _ := newStepper(t)
		l := NewLoop()
		if err := l.Append(w); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		waits := 0
		wait := func(pause func(func()), done <-chan struct{}) {
			waits++
			cancel()
			pause(func() { <-done })
		}
		if inSleep {
			remove := OnSleep(func(s *Sleeping) bool {
				if s.Loop == l {
					wait(s.Pause, s.Done)
				}
				return false
			})
			defer remove()
		} else {
			system.OnFrameEnd(w, func(x *system.FrameEnd) { wait(x.Pause, l.Done()) })
		}
		start, asked := time.Now(), 0
		clock := func() time.Duration { asked++; return time.Since(start) }
		if err := l.Run(ctx, Step(1), Pace(0.001), RealTime(clock)); !errors.Is(err, context.Canceled) || waits != 1 {
			t.Errorf("in sleep %v: %v, %d waits", inSleep, err, waits)
		}
		if l.Done() != nil {
			t.Errorf("in sleep %v: the loop has a context after its run", inSleep)
		}
		before := asked
		if l.Pause(func() {}); asked != before {
			t.Errorf("in sleep %v: a pause after the run asks the clock of the run", inSleep)
		}
	}
}

// TestRunInPause runs a loop in a pause of the same loop. The inner run fails, and the outer one continues.
func TestRunInPause(t *testing.T) {
	w, _ := newStepper(t)
	l := NewLoop()
	if err := l.Append(w); err != nil {
		t.Fatal(err)
	}
	inner := 0
	system.OnFrameEnd(w, func(x *system.FrameEnd) {
		x.Pause(func() {
			if err := l.Run(t.Context()); !errors.Is(err, ecs.ErrState) {
				t.Errorf("the inner run: %v, want ErrState", err)
			}
			inner++
		})
	})
	if err := l.Run(t.Context(), Frames(2)); err != nil || inner != 2 {
		t.Errorf("%v, %d inner runs, want 2", err, inner)
	}
}

// TestPause checks that a pause does not count as time: the time of the world does not advance,
// and a frame does not miss its budget. Other time does.
func TestPause(t *testing.T) {
	w, s := newStepper(t)
	now := time.Duration(0)
	frame := 0
	system.OnFrameEnd(w, func(b *system.FrameEnd) {
		now += 10 * time.Millisecond
		if frame++; frame == 2 {
			b.Pause(func() {
				now += time.Hour
				b.Pause(func() { now += time.Hour }) // a pause inside of a pause is part of it
			})
			b.Pause(func() { now += time.Hour })
		}
	})
	missed := 0
	s.then = func(*system.Frame) error { now += 20 * time.Millisecond; return nil }
	err := Run(t.Context(), w, Frames(4), RealTime(func() time.Duration { return now }), Budget(time.Second, func(int, time.Duration) { missed++ }))
	if err != nil {
		t.Fatal(err)
	}
	for i, at := range s.seen {
		if want := float64(min(i, 1)) * 0.03; at.Delta != want {
			t.Errorf("frame %d: delta %v, want %v", i, at.Delta, want)
		}
	}
	if missed != 0 {
		t.Errorf("%d frames have missed their budget", missed)
	}
	held := false
	system.OnFrameEnd(w, func(b *system.FrameEnd) { b.Pause(func() { held = true }) })
	if err := system.Update(w); err != nil || !held {
		t.Errorf("outside of a loop: %v, held %v", err, held)
	}
}

// TestScale checks that a clock multiplies the time of a frame by its scale, after it has
// limited this time.
func TestScale(t *testing.T) {
	w, s := newStepper(t)
	c := system.ClockOf(w)
	if c.Scale() != 1 {
		t.Errorf("scale %v", c.Scale())
	}
	for _, scale := range []float64{2, 0.5, 0, 1} {
		c.SetScale(scale)
		s.seen = nil
		if err := Run(t.Context(), w, Frames(2), Step(0.25)); err != nil {
			t.Fatal(err)
		}
		if got := s.seen[1]; got.Delta != 0.25*scale || c.Scale() != scale || got.Elapsed-s.seen[0].Elapsed != got.Delta {
			t.Errorf("at %v: %+v", scale, s.seen)
		}
	}
	now := time.Duration(0)
	c.SetScale(3)
	s.seen = nil
	s.then = func(*system.Frame) error { now += time.Hour; return nil }
	if err := Run(t.Context(), w, Frames(2), RealTime(func() time.Duration { return now })); err != nil {
		t.Fatal(err)
	}
	if got := s.seen[1].Delta; got != 3*system.DefaultMaximumDelta {
		t.Errorf("a long frame: %v", got)
	}
	for _, wrong := range []float64{-1, nan(), 1 / zero()} {
		func() {
			defer func() {
				if v := recover(); !strings.Contains(fmt.Sprint(v), "system: Clock.SetScale") {
					t.Errorf("%v: %v", wrong, v)
				}
			}()
			c.SetScale(wrong)
		}()
	}
}

func zero() float64 { return 0 }
func nan() float64  { return zero() / zero() }
