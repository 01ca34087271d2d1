package inspect

import (
	"sync/atomic"
	"time"
)

// A pace limits the speed of a world.
type pace struct {
	paused      atomic.Bool   // written by requests, read by the owner
	steps       atomic.Int64  // frames to run before the next pause: incremented by requests, decremented by the owner
	minInterval atomic.Int64  // least time from frame to frame; 0 means no limit; written by requests, read by the owner
	lastEnd     time.Duration // end of the last wait of the owner; 0 while there is no limit; only the owner uses it
}

// free reports whether nothing limits the world.
func (p *pace) free() bool { return p.minInterval.Load() == 0 && !p.paused.Load() }

// isHalted reports whether the world is paused and has no requested steps left.
func (p *pace) isHalted() bool { return p.paused.Load() && p.steps.Load() == 0 }

// step uses up one of the requested steps. It reports whether a requested step
// was left.
func (p *pace) step() bool {
	for n := p.steps.Load(); n > 0; n = p.steps.Load() {
		if p.steps.CompareAndSwap(n, n-1) {
			return true
		}
	}
	return false
}

// tooEarly returns nil if the next frame may begin. Otherwise it returns a
// function that reports whether it is still too early.
func (p *pace) tooEarly() func() bool {
	least := time.Duration(p.minInterval.Load())
	early := func() bool { return now()-p.lastEnd < least && p.minInterval.Load() == int64(least) }
	if least <= 0 || p.lastEnd <= 0 || !early() {
		return nil
	}
	return early
}

// perSecond returns the largest number of frames per second. It returns 0 if there
// is no limit.
func (p *pace) perSecond() float64 {
	least := p.minInterval.Load()
	if least <= 0 {
		return 0
	}
	return float64(time.Second) / float64(least)
}
