package clock

import "time"

// Rate says how often a group runs its members in one update. The group calls
// Next before each pass and stops when it returns false. A Rate that shows its
// members another time pushes it in Next and pops it in the following one, or
// leaves that to the group after the last pass. After Frame.Quit there is no
// following one in that update.
//
// A rate may have more methods, which package system looks for: SetStep(float64) is called by
// Group.SetStep, Alpha() float64 by Group.Alpha, Due(*Clock) float64 when an image is restored, BreakOff() when Frame.Quit ends an update between two
// Nexts, and those of a Saver keep what it has come to with images.
type Rate interface {
	Next(c *Clock) bool
}

// BreakOff is told when Frame.Quit ends an update between two Nexts.
func (r *catchUp) BreakOff() { r.running = false }

// BreakOff does what that of catchUp does.
func (r *simple) BreakOff() { r.running = false }

// BreakOff does what that of catchUp does.
func (r *variable) BreakOff() { r.running = false }

// The limits of a fixed step, in seconds, which docs of NewCatchUp name.
const (
	minimumStep = 0.0001
	maximumStep = 10
)

// latest is the time in nanoseconds, some 146 years, up to which a variable rate reads the clock: of a float64 that is too large for it
// an integer is another one on other CPUs.
const latest = 1 << 62

// FixedRate returns [NewCatchUp] of hz steps a second. It panics if hz is NaN, as NewCatchUp and NewSimple do for such a step.
func FixedRate(hz float64) Rate { return newCatchUp(1 / hz) }

// NewCatchUp returns a rate that runs a group at a fixed step of world time, in seconds, within
// 0.0001 and 10: as often as steps have become due since, at most Clock.MaximumDelta (or
// one step) in one update, with the rest in the next ones. The first step is at 0.
func NewCatchUp(step float64) Rate { return newCatchUp(step) }

// NewSimple returns a rate that runs a group once in every update, each time a fixed step further,
// in seconds, within 0.0001 and 10, however much time has passed for the world. The first step is at 0.
func NewSimple(step float64) Rate { return newSimple(step) }

// NewVariable returns a rate that runs a group once whenever at least an interval has passed, and
// at least a millisecond, with the time that has passed as its delta. It does not catch up.
// It reads the time from now, or from the world's clock when now is nil: that
// is the same for every run of a program that steps its world by a fixed step.
func NewVariable(interval time.Duration, now func() time.Duration) Rate {
	return newVariable(interval, now)
}

// catchUp is the rate of [NewCatchUp].
type catchUp struct {
	step    float64
	last    float64 // the last step's time
	limit   float64 // of this update
	seen    float64 // the time of the world in the last update
	steps   int
	running bool // the last Next pushed
}

func newCatchUp(step float64) *catchUp {
	r := new(catchUp)
	r.SetStep(step)
	return r
}

// SetStep changes the step.
func (r *catchUp) SetStep(step float64) { r.step = clampStep(step) }

// Next implements [Rate].
func (r *catchUp) Next(c *Clock) bool {
	if r.running {
		c.drop()
	} else {
		r.limit = r.last + max(c.most(), r.step)
		r.seen = c.now.Elapsed
	}
	next := r.last + r.step
	switch {
	case r.steps == 0:
	case next > r.last && next <= min(r.limit, c.now.Elapsed): // a time to which a step adds nothing would be due for ever
		r.last = next
	default:
		r.running = false
		return false
	}
	r.running = true
	r.steps++
	c.Push(Time{r.last, r.step})
	return true
}

// simple is the rate of [NewSimple].
type simple struct {
	step    float64
	base    float64 // the time of step 0
	steps   int     // since base
	running bool
}

func newSimple(step float64) *simple { return &simple{step: clampStep(step)} }

// SetStep changes the step. The next one
// is where it would have been.
func (r *simple) SetStep(step float64) {
	r.base, r.steps = r.at(), 0
	r.step = clampStep(step)
}

func (r *simple) at() float64 { return r.base + float64(float64(r.steps)*r.step) }

// Next implements [Rate].
func (r *simple) Next(c *Clock) bool {
	if r.running {
		c.drop()
		r.running = false
		return false
	}
	r.running = true
	c.Push(Time{r.at(), r.step})
	r.steps++
	return true
}

// variable is the rate of [NewVariable].
type variable struct {
	interval time.Duration
	now      func() time.Duration
	seen     time.Duration // the last reading of the time
	due      time.Duration // gathered since the last pass
	elapsed  time.Duration // of the group's own time
	started  bool
	running  bool
}

func newVariable(interval time.Duration, now func() time.Duration) *variable {
	return &variable{interval: max(interval, time.Millisecond), now: now}
}

// Next implements [Rate].
func (r *variable) Next(c *Clock) bool {
	if r.running {
		c.drop()
		r.running = false
		return false
	}
	now := time.Duration(min(max(c.now.Elapsed*float64(time.Second), -latest), latest))
	if r.now != nil {
		now = r.now()
	}
	if r.started {
		r.due += now - r.seen
	}
	r.seen = now
	if r.started && r.due < r.interval {
		return false
	}
	r.started, r.running = true, true
	r.elapsed += r.due
	c.Push(Time{r.elapsed.Seconds(), r.due.Seconds()})
	r.due = 0
	return true
}

// Due is how many steps have become due, as far as the next update would come. Package system refuses
// images of worlds that would catch up for ever.
func (r *catchUp) Due(c *Clock) float64 {
	return (min(r.last+max(c.MaximumDelta, r.step), c.now.Elapsed) - r.last) / r.step
}

func clampStep(step float64) float64 {
	if step != step {
		panic("clock: a fixed step or its rate is NaN, must be a number of seconds, or of steps a second")
	}
	return min(max(step, minimumStep), maximumStep)
}

// Alpha makes Group.Alpha of the group what it returns: it is what is left of the time that the last update of
// the group came to, in steps. It is 0 before the first step, and for members of
// the group while they run, and 1 where the group is behind by a step or more.
func (r *catchUp) Alpha() float64 {
	if r.running || r.steps == 0 {
		return 0
	}
	return min(max((r.seen-r.last)/r.step, 0), 1)
}
