package system

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/ecs"
)

// Time is a point in time of a world. A Time consists of the time since the world began and the length
// of the current step, both in seconds.
type Time struct{ Elapsed, Delta float64 }

// DefaultMaximumDelta is the MaximumDelta of a new world's Clock, in seconds. If a real clock drives
// the world, this is the longest step after a slow frame.
const DefaultMaximumDelta = 1.0 / 3

// Clock holds the time of a world. A Clock is a stack of Times, and systems use the top one. A
// group with a [Rate] pushes the Time of its own steps, so that the group's members use that
// Time. The clocks of two worlds are independent. Only the owner of the world may use its clock.
type Clock struct {
	// MaximumDelta is in seconds. If a real clock drives the world, MaximumDelta limits the delta
	// of a frame. MaximumDelta also limits the time that a fixed rate catches up in one update.
	// Without this limit, a slow frame would cause more steps, which would make the next frame
	// slower still.
	MaximumDelta float64

	now      Time
	pushed   []Time // the Times that Push has covered, the oldest first
	advanced bool
	scaleSet bool
	scale    float64 // valid only if scaleSet is true
}

// Scale returns the speed of the world's time relative to the time of the loop. The default is 1:
// the world's time passes as fast as the time of the loop.
func (c *Clock) Scale() float64 {
	if !c.scaleSet {
		return 1
	}
	return c.scale
}

// SetScale sets the speed of the world's time, from the next frame on. The loop limits the delta of
// a frame by MaximumDelta, and then multiplies it by scale. For example, 0.5 means slow motion, and
// 0 stops the time. [Clock.Advance] does not use the scale. SetScale panics if scale is negative or
// not finite.
func (c *Clock) SetScale(scale float64) {
	if !(scale >= 0) || math.IsInf(scale, 1) {
		panic(fmt.Sprintf("system: Clock.SetScale: scale is %v, must be a finite number from 0 on", scale))
	}
	c.scaleSet, c.scale = scale != 1, scale
}

// Now returns the current Time. In a new world, both fields of the Time are zero.
func (c *Clock) Now() Time { return c.now }

// SetNow replaces the current Time. The Times below the current one, which Push has saved, do not
// change. SetNow panics if a field of t is not finite.
func (c *Clock) SetNow(t Time) {
	t.mustBeFinite("SetNow")
	c.now, c.advanced = t, true
}

// Advance advances the time of the world by delta seconds. Unlike a loop, Advance does not limit
// delta. The first call for a new world sets only Delta, because the first frame of a world is at
// time 0. Advance panics if delta is negative or not finite. Advance also panics if the world's
// time would become infinite, because then no fixed step would ever be due again.
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

// Push makes t the current Time until the matching Pop. Push panics if a field of t is not finite.
func (c *Clock) Push(t Time) {
	t.mustBeFinite("Push")
	c.pushed = append(c.pushed, c.now)
	c.now = t
}

// mustBeFinite panics if a field of t is not finite, because no step can be computed from such a
// number.
func (t Time) mustBeFinite(method string) {
	if sum := t.Elapsed - t.Elapsed + (t.Delta - t.Delta); sum != 0 { // x - x is NaN if x is not finite, and so is the sum
		panic(fmt.Sprintf("system: Clock.%s: the moment has Elapsed %v and Delta %v, must be finite numbers of seconds", method, t.Elapsed, t.Delta))
	}
}

// deltaLimit returns MaximumDelta if it is valid, and otherwise a valid limit. MaximumDelta is an
// exported field, so it may hold any number.
func (c *Clock) deltaLimit() float64 {
	if c.MaximumDelta != c.MaximumDelta {
		panic("system: Clock.MaximumDelta is NaN, must be a number of seconds, or +Inf for no limit: no fixed step would be due")
	}
	return c.MaximumDelta
}

// Pop restores the Time that was current before the last Push. If there was no such Push, Pop returns
// an error that wraps [ecs.ErrState].
func (c *Clock) Pop() error {
	if len(c.pushed) == 0 {
		return fmt.Errorf("system: Clock.Pop: nothing was pushed: %w", ecs.ErrState)
	}
	c.popIfPushed()
	return nil
}

// popIfPushed calls Pop for a rate that has pushed a Time. popIfPushed does nothing if no Time is
// pushed, because a member has already popped it.
func (c *Clock) popIfPushed() {
	if last := len(c.pushed) - 1; last >= 0 {
		c.now, c.pushed = c.pushed[last], c.pushed[:last]
	}
}

// depth returns the number of Times below the current one.
func (c *Clock) depth() int { return len(c.pushed) }

// unwind pops Times until only depth Times are left below the current one, and returns the number of
// popped Times.
func (c *Clock) unwind(depth int) (extra int) {
	for ; len(c.pushed) > depth; extra++ {
		c.popIfPushed()
	}
	return extra
}

// moments returns the state of the clock without its limit and scale: the current Time, the Times
// below it, and whether Advance was called at least once. The caller must not change the list
// outer, because the clock continues to use it.
func (c *Clock) moments() (now Time, outer []Time, ticked bool) { return c.now, c.pushed, c.advanced }

// setMoments restores a state that [Clock.moments] returned.
func (c *Clock) setMoments(now Time, outer []Time, ticked bool) {
	c.now, c.pushed, c.advanced = now, append(c.pushed[:0], outer...), ticked
}
