package app

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/driver"
)

// RunOption is an option of [Run], [Loop.Run] and [RunCurrent].
type RunOption func(*runOptions)

// runOptions holds the options of a run.
type runOptions struct {
	frames       int // negative for no limit
	step         float64
	minFrameTime time.Duration // shortest time from frame to frame
	budget       time.Duration
	onOverBudget func(frame int, took time.Duration)
	onError      func(frame int, err error) error
	now          func() time.Duration
	stepSet      bool
	signals      bool
}

// Frames ends the run after n frames; a negative n means 0.
func Frames(n int) RunOption { return func(p *runOptions) { p.frames = max(n, 0) } }

// Step advances the world's time by the given number of seconds in every frame, however long the
// frame took. A run with Step has the same result every time. Step panics if seconds is
// negative or NaN.
func Step(seconds float64) RunOption {
	if !(seconds >= 0 && seconds <= math.MaxFloat64) {
		panic(fmt.Sprintf("app: Step: seconds is %v, must be 0 or above, and finite", seconds))
	}
	return func(p *runOptions) { p.step, p.stepSet = seconds, true }
}

// Pace limits the run to hz frames a second of real time. Pace panics unless hz is positive. In a
// browser tab, each frame begins in an animation frame, so one second has at most as many frames as the display
// shows. A frame may then begin 2 ms too early.
func Pace(hz float64) RunOption {
	if !(hz > 0) {
		panic(fmt.Sprintf("app: Pace: hz is %v, must be above 0", hz))
	}
	least := time.Duration(math.MaxInt64)
	if ns := float64(time.Second) / hz; ns < math.MaxInt64 {
		least = time.Duration(ns)
	}
	return func(p *runOptions) { p.minFrameTime = least }
}

// Budget makes the run call missed after every frame that took longer than d. The arguments are
// the number of the frame and the time that it took. Use Budget for logs and meters. The run
// continues.
func Budget(d time.Duration, missed func(frame int, took time.Duration)) RunOption {
	return func(p *runOptions) { p.budget, p.onOverBudget = d, missed }
}

// OnError makes the run call f with the joined errors of a frame. If f returns nil, the run
// continues. Otherwise the run ends with the error that f returned. If f is nil, the run ends
// with the error of the frame.
func OnError(f func(frame int, err error) error) RunOption {
	return func(p *runOptions) { p.onError = f }
}

// RealTime makes the run call now for the real time, instead of reading the system clock.
func RealTime(now func() time.Duration) RunOption { return func(p *runOptions) { p.now = now } }

// Signals makes an interrupt or a termination signal end the run in the same way as the end of its
// context.
func Signals() RunOption { return func(p *runOptions) { p.signals = true } }

// Run advances the time of w and updates it, frame after frame, on the calling goroutine.
// Without [Step], the time advances by the real time, but by at most the clock's
// MaximumDelta in one frame.
//
// It returns nil after the last of its [Frames], and after a system has called Frame.Quit. If ctx
// ends, Run stops between two frames and returns the cause of the end. If w is the default world
// of [Play], Run also calls [Shutdown] before it returns. If a frame fails, Run returns the
// joined errors, unless [OnError] says otherwise.
//
// If w is nil, the error wraps [ecs.ErrArgument]. If w is closed, the error wraps
// [ecs.ErrDisposed].
func Run(ctx context.Context, w *ecs.World, opts ...RunOption) error {
	if w == nil {
		return fmt.Errorf("app: Run: the world is nil; make one with system.NewWorld, and look at its error: %w", ecs.ErrArgument)
	}
	if err := driver.Of(w).Open("run"); err != nil {
		return err
	}
	l := NewLoop()
	if err := l.Append(w); err != nil {
		return err
	}
	return l.Run(ctx, opts...)
}

// Run ticks the loop until it has run its [Frames], a system has called Frame.Quit, a frame fails,
// or ctx ends. The function [Run] does the same for a single world.
func (l *Loop) Run(ctx context.Context, opts ...RunOption) error {
	return newRunOptions("Run", opts).run(ctx, func() *Loop { return l })
}

// RunCurrent runs the loop of the process in the same way as [Loop.Run]. If [SetCurrentLoop] sets
// another loop during the run, that loop runs from the next frame on.
func RunCurrent(ctx context.Context, opts ...RunOption) error {
	return newRunOptions("RunCurrent", opts).run(ctx, func() *Loop {
		current.Lock()
		defer current.Unlock()
		if current.loop == nil {
			current.loop = NewLoop()
		}
		return current.loop
	})
}

// newRunOptions applies the options. newRunOptions panics if an option is nil.
func newRunOptions(call string, opts []RunOption) *runOptions {
	p := &runOptions{frames: -1}
	for i, o := range opts {
		if o == nil {
			panic(fmt.Sprintf("app: %s: option %d is nil", call, i))
		}
		o(p)
	}
	if p.onError == nil {
		p.onError = func(_ int, err error) error { return err }
	}
	if p.now == nil {
		start := time.Now()
		p.now = func() time.Duration { return time.Since(start) }
	}
	return p
}

// run calls next before every frame and ticks the loop that next returns.
func (p *runOptions) run(ctx context.Context, next func() *Loop) error {
	if ctx == nil {
		return fmt.Errorf("app: Run: the context is nil: give context.Background(): %w", ecs.ErrArgument)
	}
	if p.signals {
		var stop func()
		ctx, stop = signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		defer stop()
	}
	between := newPauses()
	defer between.close()
	last := p.now()
	var l *Loop
	defer func() { l.endRun() }()
	for frame := 0; frame != p.frames; frame++ {
		if n := next(); n != l {
			l.endRun()
			l = n
		}
		if ctx.Err() != nil {
			return runResult(ctx, l)
		}
		begin := p.now()
		delta, real := p.step, false
		if !p.stepSet {
			delta, real = (begin - last).Seconds(), true
		}
		l.now, l.pausedTime, l.done = p.now, 0, ctx.Done()
		err := l.tick(delta, real)
		last = begin + l.pausedTime
		if err != nil {
			if err := p.onError(frame, err); err != nil {
				return err
			}
		}
		if l.quitRequested() {
			return nil
		}
		took := p.now() - last
		if p.onOverBudget != nil && took > p.budget {
			p.onOverBudget(frame, took)
		}
		if !between.wait(ctx, l, p.minFrameTime-took) {
			return runResult(ctx, l)
		}
		last = begin + l.pausedTime // a tool may have paused the loop in the sleep
	}
	return nil
}

// runResult returns the result of a run of the loop l that ended because ctx ended.
func runResult(ctx context.Context, l *Loop) error {
	if !l.Has(Default()) {
		return context.Cause(ctx)
	}
	if err := Shutdown(); err != nil {
		return errors.Join(context.Cause(ctx), err)
	}
	return context.Cause(ctx)
}
