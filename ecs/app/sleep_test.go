package app_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/system"
)

// sleepy creates a world without systems of a program.
func sleepy(t *testing.T) *ecs.World {
	w, err := system.NewWorld(t.Name(), system.Only())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// TestSleepCallsTools checks that the functions of OnSleep are called at the beginning of each sleep,
// after a wake-up, and as long as they have more to do; and that none is called after its removal.
func TestSleepCallsTools(t *testing.T) {
	w := sleepy(t)
	calls, more := 0, 3
	remove := app.OnSleep(func(s *app.Sleeping) bool {
		calls++
		if len(s.Worlds) != 1 || s.Worlds[0] != w {
			t.Errorf("call %d: worlds %v", calls, s.Worlds)
		}
		if s.Left <= 0 || s.Left > time.Minute {
			t.Errorf("call %d: %v are left", calls, s.Left)
		}
		more--
		return more > 0
	})
	if err := app.Run(t.Context(), w, app.Frames(1), app.Pace(200)); err != nil {
		t.Fatal(err)
	}
	if calls != 3 {
		t.Errorf("%d calls, want 3: the first, and two because there was more to do", calls)
	}
	remove()
	if err := app.Run(t.Context(), w, app.Frames(1), app.Pace(200)); err != nil {
		t.Fatal(err)
	}
	if calls != 3 {
		t.Errorf("%d calls after the removal", calls)
	}
}

// TestWakeSleepers wakes a loop in a long sleep, by a new function and by WakeSleepers. The sleep must
// still end only with its context.
func TestWakeSleepers(t *testing.T) {
	w := sleepy(t)
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
	w := sleepy(t)
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
	if err := app.Run(t.Context(), w, app.Frames(3), app.Pace(100)); err != nil {
		t.Fatal(err)
	}
	took, elapsed := time.Since(begin), system.ClockOf(w).Now().Elapsed
	if real := took.Seconds() - 0.3; elapsed > real+0.001 {
		t.Errorf("the world's time advanced by %v s in %v s without the pause", elapsed, real)
	}
}

// TestSleep checks Sleep for a program with a main loop of its own: closed and nil worlds are left
// out, and the end of the context ends the sleep.
func TestSleep(t *testing.T) {
	w, closed := sleepy(t), sleepy(t)
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

// TestSleepAllocatesNothing checks that a frame of a paced loop allocates nothing for its sleep.
func TestSleepAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	if n := testing.AllocsPerRun(50, func() { app.Sleep(context.Background(), time.Microsecond) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
