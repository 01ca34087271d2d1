package system

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/ecs"
)

// Time is a moment of a world: how long it has run, and how long the present step is, in seconds.
type Time struct{ Elapsed, Delta float64 }

// DefaultMaximumDelta is what the field of a new world's Clock says: the longest step in seconds that a real clock
// makes of one frame.
const DefaultMaximumDelta = 1.0 / 3

// Clock is a world's time: a stack of moments of which the systems see the top
// one. A group with a [Rate] pushes the time of its own steps. Times of two
// worlds have nothing to do with each other.
type Clock struct {
	// MaximumDelta limits what one frame of a real clock can add, and how far a
	// fixed rate may catch up in one.
	MaximumDelta float64

	now    Time
	outer  []Time // the moments below now
	ticked bool
	scaled bool
	scale  float64 // if scaled
}

// Scale returns how fast the world's time goes in a loop: 1 is as fast as what the loop
// steps by.
func (c *Clock) Scale() float64 {
	if !c.scaled {
		return 1
	}
	return c.scale
}

// SetScale makes the world's time go faster or slower in a loop than what the loop steps
// by, from the next frame on: a frame's delta, limited by MaximumDelta, is multiplied by
// scale. At 0 it stands still. Advance is not concerned. It panics if scale is negative, or
// no finite number.
func (c *Clock) SetScale(scale float64) {
	if !(scale >= 0) || math.IsInf(scale, 1) {
		panic(fmt.Sprintf("system: Clock.SetScale: scale is %v, must be a finite number from 0 on", scale))
	}
	c.scaled, c.scale = scale != 1, scale
}

// Now returns the present moment. At first it is zero.
func (c *Clock) Now() Time { return c.now }

// SetNow replaces the present moment. What was pushed below it stays. It panics if a number
// of t is not finite.
func (c *Clock) SetNow(t Time) {
	t.mustBeFinite("SetNow")
	c.now, c.ticked = t, true
}

// Advance steps the world's time by delta seconds, which it does not limit.
// The first step of a new world sets the delta alone: the world begins at 0. It panics if
// delta is negative or not finite, or if the time would not be finite after it, because
// then no fixed step would ever be due again.
func (c *Clock) Advance(delta float64) {
	if !(delta >= 0) || math.IsInf(c.now.Elapsed+delta, 1) {
		panic(fmt.Sprintf("system: Clock.Advance: delta is %v at %v seconds, must be from 0 on and leave a finite time; Clock.SetNow goes back to an earlier time", delta, c.now.Elapsed))
	}
	c.now.Delta = delta
	if c.ticked {
		c.now.Elapsed += delta
	}
	c.ticked = true
}

// Push makes t the present moment until the next Pop. It panics if a number of t is not
// finite.
func (c *Clock) Push(t Time) {
	t.mustBeFinite("Push")
	c.outer = append(c.outer, c.now)
	c.now = t
}

// mustBeFinite panics if a moment has a number that no step can be reckoned from.
func (t Time) mustBeFinite(method string) {
	if sum := t.Elapsed - t.Elapsed + (t.Delta - t.Delta); sum != 0 { // NaN where one is not finite
		panic(fmt.Sprintf("system: Clock.%s: the moment has Elapsed %v and Delta %v, must be finite numbers of seconds", method, t.Elapsed, t.Delta))
	}
}

// most returns MaximumDelta, which is a field that any code may set.
func (c *Clock) most() float64 {
	if c.MaximumDelta != c.MaximumDelta {
		panic("system: Clock.MaximumDelta is NaN, must be a number of seconds, or +Inf for no limit: no fixed step would be due")
	}
	return c.MaximumDelta
}

// Pop brings back the moment that the last Push covered. Without one it
// returns an error that wraps [ecs.ErrState].
func (c *Clock) Pop() error {
	if len(c.outer) == 0 {
		return fmt.Errorf("system: Clock.Pop: nothing was pushed: %w", ecs.ErrState)
	}
	c.drop()
	return nil
}

// drop is Pop for a rate that has pushed, if nothing has popped in between.
func (c *Clock) drop() {
	if last := len(c.outer) - 1; last >= 0 {
		c.now, c.outer = c.outer[last], c.outer[:last]
	}
}

// depth returns the number of moments below the present one.
func (c *Clock) depth() int { return len(c.outer) }

// unwind pops until depth moments are left and reports how many there were too many.
func (c *Clock) unwind(depth int) (extra int) {
	for ; len(c.outer) > depth; extra++ {
		c.drop()
	}
	return extra
}

// moments is all that a clock knows of time except for its limit and scale: the present moment, those below it, and
// whether it has gone on once. The list must not be changed.
func (c *Clock) moments() (now Time, outer []Time, ticked bool) { return c.now, c.outer, c.ticked }

// setMoments puts back what [Clock.moments] has returned.
func (c *Clock) setMoments(now Time, outer []Time, ticked bool) {
	c.now, c.outer, c.ticked = now, append(c.outer[:0], outer...), ticked
}
