package system

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"
)

// Rate decides how often a group runs its members in one update. The group calls Next before each
// pass. The group stops when Next returns false. If the members of the group must see another
// time, Next pushes that time, and the following call of Next pops it. If the rate has not popped
// its time after the last pass, the group pops it. After a call of Frame.Quit, the group does not
// call Next again in that update.
//
// A Rate may have more methods, which this package calls if they exist. Group.SetStep calls
// SetStep(float64), and Group.Alpha calls Alpha() float64. When an image is restored, Due(*Clock)
// float64 returns the number of steps that are due. If Frame.Quit ends an update between two calls
// of Next, BreakOff() is called. If the Rate is a [Saver], images contain its state.
type Rate interface {
	Next(c *Clock) bool
}

// BreakOff is called when Frame.Quit ends an update between two calls of Next.
func (r *catchUpRate) BreakOff() { r.running = false }

// BreakOff is called when Frame.Quit ends an update between two calls of Next.
func (r *simpleRate) BreakOff() { r.running = false }

// BreakOff is called when Frame.Quit ends an update between two calls of Next.
func (r *intervalRate) BreakOff() { r.running = false }

// These are the limits of a fixed step in seconds. The comment of CatchUpRate contains them.
const (
	minimumStep = 0.0001
	maximumStep = 10
)

// latestReading is the largest time, in nanoseconds, that an interval rate reads from the clock. It
// is about 146 years. The limit is needed because a float64 beyond the range of an integer converts
// to different integers on different CPUs.
const latestReading = 1 << 62

// CatchUpRate returns a rate that runs a group at a fixed step of world time. The step is in
// seconds. A step outside of [0.0001, 10] is clamped. In each update, the members run once for each
// step that is due. The steps of one update cover at most Clock.MaximumDelta, or one step if that
// is longer. The following updates run the remaining steps. The first step is at time 0. For
// example, for 50 steps a second, write CatchUpRate(1.0/50). CatchUpRate panics if step is NaN. A
// Rate must be used for only one group.
func CatchUpRate(step float64) Rate { return newCatchUpRate(step) }

// SimpleRate returns a rate that runs a group once in each update. Each time, it advances the
// group's time by a fixed step in seconds. SimpleRate ignores the time of the world. A step
// outside of [0.0001, 10] is clamped. The first step is at time 0. SimpleRate panics if step is
// NaN. A Rate must be used for only one group.
func SimpleRate(step float64) Rate { return newSimpleRate(step) }

// IntervalRate returns a rate that runs a group in an update if at least interval has passed since
// the group's last run. An interval below a millisecond means a millisecond. The delta of the group
// is the time that has passed. If updates are late, the rate does not run the group more often to
// make up for it. The rate reads the time by calling now, or from the world's clock if now is nil.
// If the rate uses the world's clock, two runs of a program that advances its world by a fixed step
// have the same result.
func IntervalRate(interval time.Duration, now func() time.Duration) Rate {
	return newIntervalRate(interval, now)
}

// catchUpRate implements the Rate of [CatchUpRate].
type catchUpRate struct {
	step       float64
	lastStep   float64 // time of the last step
	limit      float64 // latest time of a step that may run in this update
	lastUpdate float64 // time of the world in the last update
	steps      int
	running    bool // the last call of Next has pushed a Time
}

func newCatchUpRate(step float64) *catchUpRate {
	r := new(catchUpRate)
	r.SetStep(step)
	return r
}

// SetStep sets the step in seconds. It clamps the step. The time of the last step does not change.
func (r *catchUpRate) SetStep(step float64) { r.step = clampStep(step) }

// Next implements [Rate].
func (r *catchUpRate) Next(c *Clock) bool {
	if r.running {
		c.popIfPushed()
	} else {
		r.limit = r.lastStep + max(c.deltaLimit(), r.step)
		r.lastUpdate = c.now.Elapsed
	}
	next := r.lastStep + r.step
	switch {
	case r.steps == 0:
	case next > r.lastStep && next <= min(r.limit, c.now.Elapsed): // requires next > r.lastStep, because a step that is too small to change the time would always be due again
		r.lastStep = next
	default:
		r.running = false
		return false
	}
	r.running = true
	r.steps++
	c.Push(Time{r.lastStep, r.step})
	return true
}

// simpleRate implements the Rate of [SimpleRate].
type simpleRate struct {
	step    float64
	base    float64 // time of step 0
	steps   int     // number of steps after base
	running bool
}

func newSimpleRate(step float64) *simpleRate { return &simpleRate{step: clampStep(step)} }

// SetStep sets the step in seconds. It clamps the step. The time of the next step does not change.
func (r *simpleRate) SetStep(step float64) {
	r.base, r.steps = r.nextStepTime(), 0
	r.step = clampStep(step)
}

func (r *simpleRate) nextStepTime() float64 { return r.base + float64(float64(r.steps)*r.step) }

// Next implements [Rate].
func (r *simpleRate) Next(c *Clock) bool {
	if r.running {
		c.popIfPushed()
		r.running = false
		return false
	}
	r.running = true
	c.Push(Time{r.nextStepTime(), r.step})
	r.steps++
	return true
}

// intervalRate implements the Rate of [IntervalRate].
type intervalRate struct {
	interval      time.Duration
	now           func() time.Duration
	lastReading   time.Duration // the time at the last reading
	sinceLastPass time.Duration // time since the last pass
	elapsed       time.Duration // time of the group
	started       bool
	running       bool
}

func newIntervalRate(interval time.Duration, now func() time.Duration) *intervalRate {
	return &intervalRate{interval: max(interval, time.Millisecond), now: now}
}

// Next implements [Rate].
func (r *intervalRate) Next(c *Clock) bool {
	if r.running {
		c.popIfPushed()
		r.running = false
		return false
	}
	now := time.Duration(min(max(c.now.Elapsed*float64(time.Second), -latestReading), latestReading))
	if r.now != nil {
		now = r.now()
	}
	if r.started {
		r.sinceLastPass += now - r.lastReading
	}
	r.lastReading = now
	if r.started && r.sinceLastPass < r.interval {
		return false
	}
	r.started, r.running = true, true
	r.elapsed += r.sinceLastPass
	c.Push(Time{r.elapsed.Seconds(), r.sinceLastPass.Seconds()})
	r.sinceLastPass = 0
	return true
}

// Due returns the number of steps that the next update would run. If that number is so large that
// the update would not end in reasonable time, Restore refuses the image.
func (r *catchUpRate) Due(c *Clock) float64 {
	return (min(r.lastStep+max(c.MaximumDelta, r.step), c.now.Elapsed) - r.lastStep) / r.step
}

func clampStep(step float64) float64 {
	if step != step {
		panic("system: a fixed step or its rate is NaN, must be a number of seconds, or of steps a second")
	}
	return min(max(step, minimumStep), maximumStep)
}

// Alpha implements Group.Alpha: it returns how far the time of the group's last update is past
// the last step, as a fraction of a step. Alpha returns 0 before the first step and while the
// members of the group run. If a whole step or more is due, it returns 1.
func (r *catchUpRate) Alpha() float64 {
	if r.running || r.steps == 0 {
		return 0
	}
	return min(max((r.lastUpdate-r.lastStep)/r.step, 0), 1)
}

// The rates of this package are Savers, so that images contain their times, steps and intervals.
// The state consists of a letter, which identifies the kind of rate, and of little-endian numbers.

// AppendState implements [Saver].
func (r *catchUpRate) AppendState(out []byte) []byte {
	out = append(out, 'C')
	for _, v := range [...]float64{r.step, r.lastStep, r.lastUpdate} {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	return binary.LittleEndian.AppendUint64(out, uint64(r.steps))
}

// LoadState implements [Saver].
func (r *catchUpRate) LoadState(in []byte) error {
	w, err := rateWords(in, 'C', 4)
	if err != nil {
		return err
	}
	*r = catchUpRate{step: math.Float64frombits(w[0]), lastStep: math.Float64frombits(w[1]), lastUpdate: math.Float64frombits(w[2]), steps: int(w[3])}
	return nil
}

// AppendState implements [Saver].
func (r *simpleRate) AppendState(out []byte) []byte {
	out = append(out, 'S')
	for _, v := range [...]float64{r.step, r.base} {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	return binary.LittleEndian.AppendUint64(out, uint64(r.steps))
}

// LoadState implements [Saver].
func (r *simpleRate) LoadState(in []byte) error {
	w, err := rateWords(in, 'S', 3)
	if err != nil {
		return err
	}
	*r = simpleRate{step: math.Float64frombits(w[0]), base: math.Float64frombits(w[1]), steps: int(w[2])}
	return nil
}

// AppendState implements [Saver]. If the rate has its own function for the time, the last reading of
// that function is not saved, because it has no meaning in another process.
func (r *intervalRate) AppendState(out []byte) []byte {
	seen := r.lastReading
	if r.now != nil {
		seen = 0
	}
	out = append(out, 'V')
	for _, v := range [...]time.Duration{r.interval, seen, r.sinceLastPass, r.elapsed} {
		out = binary.LittleEndian.AppendUint64(out, uint64(v))
	}
	started := uint64(0)
	if r.started {
		started = 1
	}
	return binary.LittleEndian.AppendUint64(out, started)
}

// LoadState implements [Saver].
func (r *intervalRate) LoadState(in []byte) error {
	w, err := rateWords(in, 'V', 5)
	if err != nil {
		return err
	}
	own := intervalRate{
		interval: time.Duration(w[0]), now: r.now, lastReading: time.Duration(w[1]), sinceLastPass: time.Duration(w[2]), elapsed: time.Duration(w[3]),
		started: w[4] != 0,
	}
	if own.now != nil {
		own.lastReading = own.now()
	}
	*r = own
	return nil
}

// rateWords reads n words that follow the letter of a rate.
func rateWords(in []byte, letter byte, n int) ([]uint64, error) {
	if len(in) != 1+8*n || in[0] != letter {
		return nil, fmt.Errorf("it is of another kind of rate: give the group the one that it had")
	}
	words := make([]uint64, n)
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(in[1+8*i:])
	}
	if step := math.Float64frombits(words[0]); letter != 'V' && !(step >= minimumStep && step <= maximumStep) || letter == 'V' && time.Duration(words[0]) < time.Millisecond {
		return nil, fmt.Errorf("its step is out of bounds")
	}
	if letter != 'V' {
		// If a step is too small to change the time, it would always be due again.
		step, at := math.Float64frombits(words[0]), math.Float64frombits(words[1])
		if !(at >= 0 && at+step > at) || words[n-1] > math.MaxInt {
			return nil, fmt.Errorf("its time or its number of steps is out of bounds")
		}
	}
	return words, nil
}
