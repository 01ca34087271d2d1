package app

import (
	"context"
	"syscall/js"
	"time"
)

// A program on this port has one thread. The page cannot draw or handle an event before all goroutines
// block. So a run blocks between its frames.

const (
	// animationJitter is how much earlier than its time a frame of a paced run may begin, because the
	// times of animation frames vary.
	animationJitter = 2 * time.Millisecond

	// timerDelay is how much later than asked for a timer may expire. For example, browsers round times up to 4 ms.
	timerDelay = 4 * time.Millisecond

	// hiddenFrame is the time after which a frame begins without an animation frame. A hidden tab has
	// none. Browsers let its timers expire about once a second.
	hiddenFrame = 250 * time.Millisecond

	// busyTime is how long a run without Pace computes frames before it blocks, if there are no animation frames.
	// It would lose a millisecond if it blocked after each frame, because this is the shortest time of a timer.
	busyTime = 10 * time.Millisecond
)

// pauses waits between the frames of a run. If the global object has the function
// requestAnimationFrame, each frame begins in an animation frame. Otherwise, as in node, timers pace the run.
type pauses struct {
	request  js.Value // requestAnimationFrame, or undefined
	callback js.Func
	begun    chan struct{} // buffers the signal of one animation frame
	timer    *time.Timer
	blocked  time.Time // the end of the last pause
}

func newPauses() *pauses {
	p := &pauses{request: js.Global().Get("requestAnimationFrame"), begun: make(chan struct{}, 1), timer: time.NewTimer(time.Hour), blocked: time.Now()}
	p.callback = js.FuncOf(func(js.Value, []js.Value) any {
		p.begun <- struct{}{} // does not block, because animationFrame has emptied the channel
		return nil
	})
	return p
}

func (p *pauses) close() {
	p.timer.Stop()
	p.callback.Release()
}

// wait waits for the time left, which may be negative, and for an animation frame. It returns false if ctx has ended.
func (p *pauses) wait(ctx context.Context, l *Loop, left time.Duration) bool {
	if p.request.Type() != js.TypeFunction {
		if left <= 0 && time.Since(p.blocked) < busyTime {
			return true
		}
		defer func() { p.blocked = time.Now() }()
		return sleep(ctx, max(left, time.Millisecond), l, l.Worlds)
	}
	due := time.Now().Add(left - animationJitter)
	if d := left - animationJitter - timerDelay; d > 0 && !sleep(ctx, d, l, l.Worlds) {
		return false
	}
	for {
		if !p.animationFrame(ctx) {
			return false
		}
		if !time.Now().Before(due) {
			return true
		}
	}
}

// animationFrame waits for an animation frame, but not longer than hiddenFrame. Its caller then runs inside
// of the JavaScript callback, because the callback returns when all goroutines block.
func (p *pauses) animationFrame(ctx context.Context) bool {
	id := p.request.Invoke(p.callback)
	p.timer.Reset(hiddenFrame)
	select {
	case <-p.begun:
		return true
	case <-p.timer.C:
	case <-ctx.Done():
	}
	js.Global().Call("cancelAnimationFrame", id)
	select {
	case <-p.begun:
	default:
	}
	return ctx.Err() == nil
}
