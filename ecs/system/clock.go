package system

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/ecs"
)

// Time is a moment of a world: the time since the world began and the length of the current step,
// both in seconds.
type Time struct{ Elapsed, Delta float64 }

// DefaultMaximumDelta is the MaximumDelta of a new world's Clock, in seconds. It limits the step
// that one slow frame of a real clock makes.
const DefaultMaximumDelta = 1.0 / 3

// Clock is the time of a world. It is a stack of moments, and systems see the top one. A group with
// a [Rate] pushes the time of its own steps, so that its members see that time. The clocks of two
// worlds are independent. Only the owner of the world may use a clock.
type Clock struct {
	// MaximumDelta is in seconds. It limits the delta of one frame of a real clock, and the time
	// that a fixed rate catches up in one update. Without it, a slow frame would cause more steps,
	// which would make the next frame slower still.
	MaximumDelta float64

	now      Time
	pushed   []Time // the moments that Push has covered, the oldest first
	advanced bool
	scaleSet bool
	scale    float64 // valid if scaleSet
}

// Scale returns the speed of the world's time in a loop. At 1, which is the default, the world's
// time runs as fast as the loop's.
func (c *Clock) Scale() float64 {
	if !c.scaleSet {
		return 1
	}
	return c.scale
}

// SetScale sets the speed of the world's time in a loop, from the next frame on: the loop limits
// the delta of a frame by MaximumDelta and multiplies it by scale. For example, 0.5 is slow motion,
// and at 0 the time does not move. [Clock.Advance] does not use the scale. SetScale panics if scale
// is negative or not finite.
func (c *Clock) SetScale(scale float64) {
	if !(scale >= 0) || math.IsInf(scale, 1) {
		panic(fmt.Sprintf("system: Clock.SetScale: scale is %v, must be a finite number from 0 on", scale))
	}
	c.scaleSet, c.scale = scale != 1, scale
}

// Now returns the current moment. In a new world it is zero.
func (c *Clock) Now() Time { return c.now }

// SetNow replaces the current moment. The moments that Push has covered stay as they are. It panics
// if t has a number that is not finite.
func (c *Clock) SetNow(t Time) {
	t.mustBeFinite("SetNow")
	c.now, c.advanced = t, true
}

// Advance moves the time of the world by delta seconds. Unlike a loop, it does not limit delta. The
// first call on a new world sets only Delta, because the first frame of a world is at time 0. It
// panics if delta is negative or not finite, or if the sum would not be finite, because no fixed
// step would ever be due after that.
func (c *Clock) Advance(delta float64) {
	if !(delta >= 0) || math.IsInf(c.now.Elapsed+delta, 1) {
		panic(fmt.Sprintf("system: Clock.Advance: delta is %v at %v seconds, must be from 0 on and leave a finite time; Clock.SetNow goes back to an earlier time", delta, c.now.Elapsed))
	}
	c.now.Delta = delta
	if c.advanced {
		c.now.Elapsed += delta
	}
	c.advanced = true
}

// Push makes t the current moment until the matching Pop. It panics if t has a number that is not
// finite.
func (c *Clock) Push(t Time) {
	t.mustBeFinite("Push")
	c.pushed = append(c.pushed, c.now)
	c.now = t
}

// mustBeFinite panics if t has a number that is not finite, because no step can be computed from
// it.
func (t Time) mustBeFinite(method string) {
	if sum := t.Elapsed - t.Elapsed + (t.Delta - t.Delta); sum != 0 { // sum is NaN if one of the two is not finite
		panic(fmt.Sprintf("system: Clock.%s: the moment has Elapsed %v and Delta %v, must be finite numbers of seconds", method, t.Elapsed, t.Delta))
	}
}

// deltaLimit returns MaximumDelta, or a valid limit in place of it: the field is exported, so it may hold
// any number.
func (c *Clock) deltaLimit() float64 {
	if c.MaximumDelta != c.MaximumDelta {
		panic("system: Clock.MaximumDelta is NaN, must be a number of seconds, or +Inf for no limit: no fixed step would be due")
	}
	return c.MaximumDelta
}

// Pop restores the moment that the last Push covered. Without such a Push it returns an error that
// wraps [ecs.ErrState].
func (c *Clock) Pop() error {
	if len(c.pushed) == 0 {
		return fmt.Errorf("system: Clock.Pop: nothing was pushed: %w", ecs.ErrState)
	}
	c.popIfPushed()
	return nil
}

// popIfPushed is Pop for a rate that has pushed a moment. It does nothing if no moment is pushed, because
// a member may have popped it.
func (c *Clock) popIfPushed() {
	if last := len(c.pushed) - 1; last >= 0 {
		c.now, c.pushed = c.pushed[last], c.pushed[:last]
	}
}

// depth returns the number of moments below the current one.
func (c *Clock) depth() int { return len(c.pushed) }

// unwind pops moments until depth of them are left below the current one. It returns the number of
// moments that it popped.
func (c *Clock) unwind(depth int) (extra int) {
	for ; len(c.pushed) > depth; extra++ {
		c.popIfPushed()
	}
	return extra
}

// moments returns the state of the clock except for its limit and scale: the current moment, the
// moments below it, and whether the clock was advanced at least once. The caller must not change
// the list, because it is the clock's own.
func (c *Clock) moments() (now Time, outer []Time, ticked bool) { return c.now, c.pushed, c.advanced }

// setMoments restores a state that [Clock.moments] has returned.
func (c *Clock) setMoments(now Time, outer []Time, ticked bool) {
	c.now, c.pushed, c.advanced = now, append(c.pushed[:0], outer...), ticked
}
