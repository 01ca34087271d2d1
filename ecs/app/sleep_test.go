package app_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/system"
)

// newIdleWorld creates a world that has only the default groups.
func newIdleWorld(t *testing.T) *ecs.World {
	w, err := system.NewWorld(t.Name(), system.Only())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// TestSleepCallsTools checks that the functions of OnSleep are called at the beginning of each sleep,
// after a wake-up, and as long as they have more to do. After its removal, a function must not be called.
// The sleeps would take 50 s, so that a slow machine has time for every call, and a context ends them.
func TestSleepCallsTools(t *testing.T) {
	w := newIdleWorld(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	calls, more := 0, 3
	remove := app.OnSleep(func(s *app.Sleeping) bool {
		calls++
		if len(s.Worlds) != 1 || s.Worlds[0] != w {
			t.Errorf("call %d: worlds %v", calls, s.Worlds)
		}
		if s.Left <= 0 || s.Left > time.Minute {
			t.Errorf("call %d: %v are left", calls, s.Left)
		}
		if more--; more == 0 {
			time.AfterFunc(20*time.Millisecond, stop) // time for a call too many
		}
		return more > 0
	})
	if err := app.Run(ctx, w, app.Pace(0.02)); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if calls != 3 {
		t.Errorf("%d calls, want 3: the first, and two because there was more to do", calls)
	}
	remove()
	ctx, stop = context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	if err := app.Run(ctx, w, app.Pace(0.02)); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	if calls != 3 {
		t.Errorf("%d calls after the removal", calls)
	}
}

// TestWakeSleepers wakes a loop in a long sleep, by a new function and by WakeSleepers. The loop must call
// the functions, but its sleep must end only with its context.
func TestWakeSleepers(t *testing.T) {
	w := newIdleWorld(t)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- app.Run(ctx, w, app.Pace(0.001)) }()
	var calls atomic.Int32
	time.Sleep(10 * time.Millisecond)
	remove := app.OnSleep(func(*app.Sleeping) bool { calls.Add(1); return false })
	defer remove()
	for want := int32(1); want < 4; want++ {
		for begin := time.Now(); calls.Load() < want; time.Sleep(time.Millisecond) {
			if time.Since(begin) > 20*time.Second {
				t.Fatalf("%d calls, want %d", calls.Load(), want)
			}
		}
		app.WakeSleepers()
	}
	if n := system.FrameNumber(w); n != 1 {
		t.Errorf("frame %d, want 1: a wake-up must not begin a frame", n)
	}
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestPauseInSleep checks that the time of a world does not advance while a tool pauses its loop in a
// sleep, and that the next frame begins after the pause.
func TestPauseInSleep(t *testing.T) {
	w := newIdleWorld(t)
	paused := false
	remove := app.OnSleep(func(s *app.Sleeping) bool {
		if !paused {
			paused = true
			s.Pause(func() { time.Sleep(300 * time.Millisecond) })
		}
		return false
	})
	defer remove()
	begin := time.Now()
	system.ClockOf(w).MaximumDelta = 10
	for round := 0; round == 0 || !paused; round++ { // a busy machine may leave no time for a sleep
		if round == 100 {
			t.Fatal("no loop slept in 100 runs")
		}
		if err := app.Run(t.Context(), w, app.Frames(3), app.Pace(100)); err != nil {
			t.Fatal(err)
		}
	}
	took, elapsed := time.Since(begin), system.ClockOf(w).Now().Elapsed
	if real := took.Seconds() - 0.3; elapsed > real+0.001 {
		t.Errorf("the world's time advanced by %v s in %v s without the pause", elapsed, real)
	}
}

// TestSleep checks Sleep for a program with its own main loop. Sleep must leave out closed and nil worlds,
// and must return when the context ends.
func TestSleep(t *testing.T) {
	w, closed := newIdleWorld(t), newIdleWorld(t)
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	var seen []*ecs.World
	remove := app.OnSleep(func(s *app.Sleeping) bool {
		seen = s.Worlds
		s.Pause(func() {})
		return false
	})
	defer remove()
	if !app.Sleep(t.Context(), 5*time.Millisecond, w, nil, closed) {
		t.Error("the sleep was cut short")
	}
	if len(seen) != 1 || seen[0] != w {
		t.Errorf("worlds %v, want one", seen)
	}
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer stop()
	if app.Sleep(ctx, time.Hour, w) {
		t.Error("an hour has passed")
	}
	if app.Sleep(t.Context(), -time.Second) != true {
		t.Error("a sleep of no time was cut short")
	}
}

// TestSleepAllocatesNothing checks that neither a call of Sleep with a world nor a frame of a paced loop
// allocates memory for its sleep. A run allocates its loop and its options, so the test compares a long
// run with a short run.
func TestSleepAllocatesNothing(t *testing.T) {
	if allocates {
		t.Skip("race and guard builds allocate for their checks, and a timer of JavaScript allocates")
	}
	w := newIdleWorld(t)
	if n := testing.AllocsPerRun(50, func() { app.Sleep(context.Background(), time.Microsecond, w, nil) }); n > 0 {
		t.Errorf("%v allocations in a call of Sleep", n)
	}
	run := func(frames int) func() {
		return func() {
			if err := app.Run(context.Background(), w, app.Frames(frames), app.Step(0.01), app.Pace(5000)); err != nil {
				t.Error(err)
			}
		}
	}
	if short, long := testing.AllocsPerRun(20, run(2)), testing.AllocsPerRun(20, run(12)); long > short {
		t.Errorf("%v allocations in 12 frames, %v in 2", long, short)
	}
}

// panicValue calls f and returns the value of its panic.
func panicValue(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

// TestPanicInSleep checks that a panic of a function of OnSleep ends the run or the sleep. The function panics
// in its first or in a later call, inside or outside of Pause. A later run of the same loop must sleep and
// pause as before, and the list of sleeping loops must not contain the loop.
func TestPanicInSleep(t *testing.T) {
	for _, c := range []struct {
		name           string
		inPause, alone bool
	}{{name: "run"}, {name: "pause of a run", inPause: true}, {name: "call of Sleep", alone: true}, {name: "pause in a call of Sleep", inPause: true, alone: true}} {
		for k := 1; k <= 3; k++ {
			t.Run(fmt.Sprintf("%s, call %d", c.name, k), func(t *testing.T) {
				w, l := newIdleWorld(t), app.NewLoop()
				if err := l.Append(w); err != nil {
					t.Fatal(err)
				}
				system.ClockOf(w).MaximumDelta = 10
				sleeps := func() bool {
					if c.alone {
						return app.Sleep(t.Context(), 2*time.Millisecond, w)
					}
					return l.Run(t.Context(), app.Frames(3), app.Pace(500)) == nil
				}
				calls := 0
				fail := func() {
					if calls++; calls == k {
						panic(errors.ErrUnsupported)
					}
				}
				remove := app.OnSleep(func(s *app.Sleeping) bool {
					if c.inPause {
						s.Pause(fail)
					} else {
						fail()
					}
					return calls < k
				})
				defer remove()
				for round := 0; ; round++ { // a busy machine may leave no time for k calls in one sleep
					if got := panicValue(func() { sleeps() }); got == errors.ErrUnsupported {
						break
					} else if got != nil || round == 100 {
						t.Fatalf("the panic is %v after %d calls", got, calls)
					}
				}
				remove()
				if n := app.Sleepers(); n != 0 {
					t.Errorf("%d loops still sleep", n)
				}
				paused := false
				defer app.OnSleep(func(s *app.Sleeping) bool {
					if !paused {
						s.Pause(func() { paused = true; time.Sleep(20 * time.Millisecond) })
					}
					return false
				})()
				before, begin := system.ClockOf(w).Now().Elapsed, time.Now()
				for round := 0; !paused && round < 100; round++ {
					if !sleeps() {
						t.Fatal("a later sleep was cut short")
					}
				}
				if took, elapsed := time.Since(begin).Seconds(), system.ClockOf(w).Now().Elapsed-before; !paused || !c.alone && elapsed > took-0.02+0.001 {
					t.Errorf("paused: %v; the world's time advanced by %v s in %v s", paused, elapsed, took)
				}
			})
		}
	}
}
