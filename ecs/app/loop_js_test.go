package app_test

import (
	"context"
	"errors"
	"syscall/js"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/system"
)

// display replaces the animation frames of the global object by those of a display with a frame each
// period. With a period of 0, the tab is hidden and has none. An animation frame that is requested is open until it is
// shown or canceled.
type display struct{ open, shown, canceled int }

func newDisplay(t *testing.T, period time.Duration) *display {
	d := &display{}
	global := js.Global()
	last := time.Now()
	request := js.FuncOf(func(_ js.Value, args []js.Value) any {
		d.open++
		if period == 0 {
			return 0
		}
		due := last.Add((time.Since(last)/period + 1) * period)
		var fire js.Func
		fire = js.FuncOf(func(js.Value, []js.Value) any {
			fire.Release()
			last = due
			d.open--
			d.shown++
			args[0].Invoke(float64(d.shown))
			return nil
		})
		return global.Call("setTimeout", fire, float64(time.Until(due).Microseconds())/1000)
	})
	cancel := js.FuncOf(func(_ js.Value, args []js.Value) any {
		d.open--
		d.canceled++
		global.Call("clearTimeout", args[0])
		return nil
	})
	global.Set("requestAnimationFrame", request)
	global.Set("cancelAnimationFrame", cancel)
	t.Cleanup(func() {
		global.Delete("requestAnimationFrame")
		global.Delete("cancelAnimationFrame")
		request.Release()
		cancel.Release()
		if d.open != 0 {
			t.Errorf("%d animation frames were requested and not used", d.open)
		}
	})
	return d
}

// TestAnimationFrames checks that each frame of a run waits for an animation frame, and that a paced run leaves
// out animation frames.
func TestAnimationFrames(t *testing.T) {
	d := newDisplay(t, 5*time.Millisecond)
	w := newIdleWorld(t)
	if err := app.Run(t.Context(), w, app.Frames(6)); err != nil {
		t.Fatal(err)
	}
	if d.shown+d.canceled != 6 || d.shown == 0 { // a very busy machine cancels some
		t.Errorf("6 frames in %d animation frames, and %d are canceled", d.shown, d.canceled)
	}
	begin := time.Now()
	if err := app.Run(t.Context(), w, app.Frames(4), app.Pace(1000.0/30)); err != nil { // 6 animation frames each, of which a sleep takes some
		t.Fatal(err)
	}
	if took := time.Since(begin); took < 4*28*time.Millisecond {
		t.Errorf("4 frames of 30 ms took %v", took)
	}
	if n := d.shown + d.canceled - 6; n < 4 || n > 4*6 {
		t.Errorf("4 frames of 30 ms in %d animation frames of 5 ms", n)
	}
}

// TestHiddenTab checks that frames begin without animation frames too, and that the end of the context ends the
// wait for one.
func TestHiddenTab(t *testing.T) {
	newDisplay(t, 0)
	w := newIdleWorld(t)
	if err := app.Run(t.Context(), w, app.Frames(2)); err != nil || system.FrameNumber(w) != 2 {
		t.Errorf("%v after %d frames, want 2", err, system.FrameNumber(w))
	}
	later := false // a timer, because the time that the run takes depends on the load of the machine
	timer := js.FuncOf(func(js.Value, []js.Value) any { later = true; return nil })
	defer timer.Release()
	id := js.Global().Call("setTimeout", timer, 200)
	defer js.Global().Call("clearTimeout", id)
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	if err := app.Run(ctx, w); !errors.Is(err, context.DeadlineExceeded) || later {
		t.Errorf("the run ended later than its context: %v; error %v", later, err)
	}
}

// TestRunYields checks that JavaScript handles events during a run without animation frames and without Pace.
func TestRunYields(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	pressed := errors.New("a key was pressed")
	event := js.FuncOf(func(js.Value, []js.Value) any { stop(pressed); return nil })
	defer event.Release()
	js.Global().Call("setTimeout", event, 30)
	begin := time.Now()
	tooLong := func(int, error) error { return errors.New("the event was not handled in 10 s") }
	l := app.NewLoop()
	l.Phase(app.PhaseUpdate).Call(func() error {
		if time.Since(begin) > 10*time.Second {
			return context.DeadlineExceeded
		}
		return nil
	})
	if err := l.Run(ctx, app.OnError(tooLong)); err != pressed {
		t.Error(err)
	}
}
