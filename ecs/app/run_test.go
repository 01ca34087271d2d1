package app

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

func TestRunFrames(t *testing.T) {
	w, s := newStepper(t)
	if err := Run(t.Context(), w, Frames(3), Step(0.5)); err != nil {
		t.Fatal(err)
	}
	want := []system.Time{{Elapsed: 0, Delta: 0.5}, {Elapsed: 0.5, Delta: 0.5}, {Elapsed: 1, Delta: 0.5}}
	if !slices.Equal(s.seen, want) {
		t.Errorf("times %v, want %v", s.seen, want)
	}
	for _, n := range []int{0, -1} {
		if err := Run(t.Context(), w, Frames(n), Step(0.5)); err != nil || len(s.seen) != 3 {
			t.Errorf("%d frames: %v, %d updates", n, err, len(s.seen)-3)
		}
	}
	if err := Run(t.Context(), w, Frames(1), Step(0.25)); err != nil { // continues at the time that it had
		t.Fatal(err)
	}
	if last := s.seen[3]; last != (system.Time{Elapsed: 1.25, Delta: 0.25}) {
		t.Errorf("second run: time %v", last)
	}
}

func TestRunRealTime(t *testing.T) {
	w, s := newStepper(t)
	now := time.Duration(0)
	clk := func() time.Duration { return now }
	passed := []time.Duration{100 * time.Millisecond, 5 * time.Second, 50 * time.Millisecond}
	s.then = func(*system.Frame) error { now += passed[len(s.seen)-1]; return nil }
	var missed []int
	err := Run(t.Context(), w, Frames(3), RealTime(clk), Budget(time.Second, func(frame int, took time.Duration) {
		missed = append(missed, frame)
		if took != 5*time.Second {
			t.Errorf("frame %d took %v", frame, took)
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	want := []system.Time{{Elapsed: 0, Delta: 0}, {Elapsed: 0.1, Delta: 0.1}, {Elapsed: 0.1 + system.DefaultMaximumDelta, Delta: system.DefaultMaximumDelta}}
	if !slices.Equal(s.seen, want) {
		t.Errorf("times %v, want %v", s.seen, want)
	}
	if !slices.Equal(missed, []int{1}) {
		t.Errorf("frames over budget: %v", missed)
	}
}

// A frame that takes exactly its budget must not count as missed.
func TestBudget(t *testing.T) {
	w, s := newStepper(t)
	now := time.Duration(0)
	passed := []time.Duration{time.Second, time.Second + 1, time.Second - 1, time.Second, 0}
	s.then = func(*system.Frame) error { now += passed[len(s.seen)-1]; return nil }
	var missed []int
	err := Run(t.Context(), w, Frames(len(passed)), Step(1), RealTime(func() time.Duration { return now }), Budget(time.Second, func(frame int, took time.Duration) {
		if missed = append(missed, frame); took != passed[frame] {
			t.Errorf("frame %d took %v, want %v", frame, took, passed[frame])
		}
	}))
	if err != nil || !slices.Equal(missed, []int{1}) {
		t.Errorf("frames over budget: %v, want the second only (%v)", missed, err)
	}
}

func TestRunPace(t *testing.T) {
	w, s := newStepper(t)
	start := time.Now()
	if err := Run(t.Context(), w, Frames(5), Step(1), Pace(1000)); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took < 5*time.Millisecond {
		t.Errorf("5 frames at 1000 Hz took %v", took)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	s.then = func(*system.Frame) error { cancel(errBroken); return nil }
	start = time.Now()
	if err := Run(ctx, w, Pace(0.2), Step(1)); !errors.Is(err, errBroken) || time.Since(start) >= 5*time.Second {
		t.Errorf("cancelled while waiting for 5s: %v, after %v", err, time.Since(start))
	}
}

// The argument of Step may be zero but not negative.
func TestStepChecks(t *testing.T) {
	for seconds, want := range map[float64]string{
		-1: "app: Step: seconds is -1,", math.NaN(): "app: Step: seconds is NaN,", math.Inf(1): "app: Step: seconds is +Inf,", math.Inf(-1): "app: Step: seconds is -Inf,",
	} {
		func() {
			defer func() {
				if v := fmt.Sprint(recover()); !strings.HasPrefix(v, want) {
					t.Errorf("Step(%v) panics with %q, want %q", seconds, v, want)
				}
			}()
			Step(seconds)
		}()
	}
	for _, seconds := range []float64{0, math.SmallestNonzeroFloat64, 1e300} {
		if p := newRunOptions("Run", []RunOption{Step(seconds)}); p.step != seconds || !p.stepSet {
			t.Errorf("Step(%v): %v", seconds, p.step)
		}
	}
}

func TestPaceChecks(t *testing.T) {
	for hz, want := range map[float64]string{
		0: "app: Pace: hz is 0,", -60: "app: Pace: hz is -60,",
		math.NaN(): "app: Pace: hz is NaN,", math.Inf(-1): "app: Pace: hz is -Inf,",
	} {
		func() {
			defer func() {
				if v := fmt.Sprint(recover()); !strings.HasPrefix(v, want) {
					t.Errorf("Pace(%v) panics with %q, want %q", hz, v, want)
				}
			}()
			Pace(hz)
		}()
	}
	for hz, want := range map[float64]time.Duration{
		50: 20 * time.Millisecond, 1e-300: math.MaxInt64, math.SmallestNonzeroFloat64: math.MaxInt64, math.Inf(1): 0,
	} {
		if got := newRunOptions("Run", []RunOption{Pace(hz)}).minFrameTime; got != want {
			t.Errorf("Pace(%v): %v a frame, want %v", hz, got, want)
		}
	}
}

// Run must return an error if the world cannot be updated.
func TestRunChecks(t *testing.T) {
	if err := Run(t.Context(), nil, Frames(1)); !errors.Is(err, ecs.ErrArgument) || !strings.Contains(err.Error(), "app: Run: ") {
		t.Errorf("no world: %v", err)
	}
	w, s := newStepper(t)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	err := Run(t.Context(), w, Frames(1))
	if !errors.Is(err, ecs.ErrDisposed) || !strings.Contains(err.Error(), "cannot run: the world is closed") || len(s.seen) != 0 {
		t.Errorf("a closed world: %v, %d updates", err, len(s.seen))
	}
	bare := ecs.NewWorld("bare") // without systems, only ecs knows that it is closed
	if err := bare.Close(); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{"Run": Run(t.Context(), bare, Frames(1)), "Update": system.Update(bare), "Adopt": system.Adopt(bare, new(stepper)), "Append": NewLoop().Append(bare)} {
		if !errors.Is(err, ecs.ErrDisposed) || !strings.Contains(err.Error(), `world "bare"`) {
			t.Errorf("%s of a closed world without systems: %v", what, err)
		}
	}
	if slices.Contains(system.Worlds(), bare) {
		t.Error("a closed world is listed")
	}
}

func TestRunEnds(t *testing.T) {
	w, s := newStepper(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	s.then = func(*system.Frame) error {
		if len(s.seen) == 4 {
			cancel(errBroken)
		}
		return nil
	}
	bound := Frames(20) // a limit, so that a run that does not end fails the test
	if err := Run(ctx, w, Step(1), bound); !errors.Is(err, errBroken) || len(s.seen) != 4 {
		t.Errorf("cancelled: %v after %d frames", err, len(s.seen))
	}
	s.then = func(f *system.Frame) error { f.Quit(); return nil }
	if err := Run(t.Context(), w, Step(1), bound); err != nil || len(s.seen) != 5 {
		t.Errorf("quit: %v after %d frames", err, len(s.seen)-4)
	}
	s.then = func(*system.Frame) error { return errBroken }
	if err := Run(t.Context(), w, Step(1), bound); !errors.Is(err, errBroken) || len(s.seen) != 6 {
		t.Errorf("failed: %v after %d frames", err, len(s.seen)-5)
	}
	var frames []int
	err := Run(t.Context(), w, Step(1), bound, OnError(func(frame int, err error) error {
		frames = append(frames, frame)
		if frame == 2 {
			return err
		}
		return nil
	}))
	if !errors.Is(err, errBroken) || !slices.Equal(frames, []int{0, 1, 2}) {
		t.Errorf("failing on: %v in frames %v", err, frames)
	}
}
