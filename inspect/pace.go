package inspect

import (
	"sync/atomic"
	"time"
)

// pace is how fast a world may go.
type pace struct {
	paused  atomic.Bool   // written by requests, read by the owner
	steps   atomic.Int64  // frames to run before the next pause: added by requests, taken by the owner
	least   atomic.Int64  // the least time from frame to frame; 0 is none; written by requests, read by the owner
	lastEnd time.Duration // when the owner went on last; 0 while the world is free; his alone
}

// free reports whether nothing holds up the world.
func (p *pace) free() bool { return p.least.Load() == 0 && !p.paused.Load() }

// halted reports whether the world waits for somebody to let it go on.
func (p *pace) halted() bool { return p.paused.Load() && p.steps.Load() == 0 }

// step takes one of the steps that were asked for.
func (p *pace) step() bool {
	for n := p.steps.Load(); n > 0; n = p.steps.Load() {
		if p.steps.CompareAndSwap(n, n-1) {
			return true
		}
	}
	return false
}

// early returns what reports whether it is too early for the next frame; nil if it is not now.
func (p *pace) early() func() bool {
	least := time.Duration(p.least.Load())
	early := func() bool { return now()-p.lastEnd < least && p.least.Load() == int64(least) }
	if least <= 0 || p.lastEnd <= 0 || !early() {
		return nil
	}
	return early
}

// perSecond is how many frames a second there may be; 0 is as many as there are.
func (p *pace) perSecond() float64 {
	least := p.least.Load()
	if least <= 0 {
		return 0
	}
	return float64(time.Second) / float64(least)
}
