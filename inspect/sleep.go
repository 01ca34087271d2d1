package inspect

import (
	"time"

	"github.com/lanewise/lanewise/ecs/app"
)

// sleepMargin is the last part of a sleep. No step begins in it, because a step
// that takes longer than expected would delay the next frame.
const sleepMargin = 100 * time.Microsecond

// answerAsleep answers requests while a paced loop sleeps between two frames. The
// owner of the loop's worlds calls it. It reports whether there is more to do.
func (i *views) answerAsleep(s *app.Sleeping) (more bool) {
	if !i.isWanted() {
		return false
	}
	end := now() + s.Left
	for _, v := range i.join(s.Loop, s.Worlds) {
		if v.pace.paused.Load() {
			v.holdWhilePaused(s.Pause, s.Done, s.Worlds)
		}
		if v.recording && now() < end-sleepMargin { // otherwise the end of the next frame answers
			more = v.answerInSleep(end) || more
		}
	}
	return more
}

// answerInSleep answers requests until a short time before the end of a sleep.
// It reports whether requests are left that it can still answer in this sleep.
func (v *view) answerInSleep(end time.Duration) (more bool) {
	v.slept = true
	begin := now()
	if len(v.asks.asked)+len(v.asks.waiting) == 0 {
		return false
	}
	look := 10 * time.Millisecond
	if v.inspector.budget > 0 {
		look = v.inspector.budget
	}
	v.asks.serve(v.sliceUntil(min(begin+look, end-sleepMargin)))
	at := now()
	if late := at - end; late > 0 {
		v.held.add(late)
	}
	return len(v.asks.waiting) > 0 && at < end-sleepMargin
}
