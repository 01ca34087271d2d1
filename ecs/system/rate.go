package system

import "time"

// Rate says how often a group runs its members in one update. The group calls
// Next before each pass and stops when it returns false. A Rate that shows its
// members another time pushes it in Next and pops it in the following one, or
// leaves that to the group after the last pass. After Frame.Quit there is no
// following one in that update.
type Rate interface {
	Next(c *Clock) bool
}

// breaking is a rate that is told when Frame.Quit ends an update between two Nexts.
type breaking interface{ breakOff() }

func (r *CatchUp) breakOff()  { r.running = false }
func (r *Simple) breakOff()   { r.running = false }
func (r *Variable) breakOff() { r.running = false }

// The limits of a fixed step, in seconds, which docs of SetStep name.
const (
	minimumStep = 0.0001
	maximumStep = 10
)

// FixedRate returns a [CatchUp] of hz steps a second.
func FixedRate(hz float64) *CatchUp { return NewCatchUp(1 / hz) }

// CatchUp runs a group at a fixed step of world time: as often as steps have
// become due since, at most Clock.MaximumDelta (or one step) in one update,
// with the rest in the next ones. The first step is at 0.
type CatchUp struct {
	step    float64
	last    float64 // the last step's time
	limit   float64 // of this update
	seen    float64 // the time of the world in the last update
	steps   int
	running bool // the last Next pushed
}

// NewCatchUp returns a CatchUp of the given step in seconds.
func NewCatchUp(step float64) *CatchUp {
	r := new(CatchUp)
	r.SetStep(step)
	return r
}

// Step returns the step in seconds.
func (r *CatchUp) Step() float64 { return r.step }

// SetStep changes the step, within 0.0001 and 10.
func (r *CatchUp) SetStep(step float64) { r.step = clampStep(step) }

// Next implements [Rate].
func (r *CatchUp) Next(c *Clock) bool {
	if r.running {
		c.drop()
	} else {
		r.limit = r.last + max(c.MaximumDelta, r.step)
		r.seen = c.now.Elapsed
	}
	switch {
	case r.steps == 0:
	case r.last+r.step <= min(r.limit, c.now.Elapsed):
		r.last += r.step
	default:
		r.running = false
		return false
	}
	r.running = true
	r.steps++
	c.Push(Time{r.last, r.step})
	return true
}

// Simple runs a group once in every update, each time a fixed step further,
// however much time has passed for the world. The first step is at 0.
type Simple struct {
	step    float64
	base    float64 // the time of step 0
	steps   int     // since base
	running bool
}

// NewSimple returns a Simple of the given step in seconds.
func NewSimple(step float64) *Simple { return &Simple{step: clampStep(step)} }

// Step returns the step in seconds.
func (r *Simple) Step() float64 { return r.step }

// SetStep changes the step, within 0.0001 and 10. The next step
// is where it would have been.
func (r *Simple) SetStep(step float64) {
	r.base, r.steps = r.at(), 0
	r.step = clampStep(step)
}

func (r *Simple) at() float64 { return r.base + float64(float64(r.steps)*r.step) }

// Next implements [Rate].
func (r *Simple) Next(c *Clock) bool {
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

// Variable runs a group once whenever at least an interval has passed, with
// the time that has passed as its delta. It does not catch up.
type Variable struct {
	interval time.Duration
	now      func() time.Duration
	seen     time.Duration // the last reading of the time
	due      time.Duration // gathered since the last pass
	elapsed  time.Duration // of the group's own time
	started  bool
	running  bool
}

// NewVariable returns a Variable of the given interval, at least a millisecond.
// It reads the time from now, or from the world's clock when now is nil: that
// is the same for every run of a program that steps its world by a fixed step.
func NewVariable(interval time.Duration, now func() time.Duration) *Variable {
	return &Variable{interval: max(interval, time.Millisecond), now: now}
}

// Interval returns the interval.
func (r *Variable) Interval() time.Duration { return r.interval }

// Next implements [Rate].
func (r *Variable) Next(c *Clock) bool {
	if r.running {
		c.drop()
		r.running = false
		return false
	}
	now := time.Duration(c.now.Elapsed * float64(time.Second))
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

func clampStep(step float64) float64 { return min(max(step, minimumStep), maximumStep) }
