package system

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"
)

// Rate says how often a group runs its members in one update. The group calls
// Next before each pass and stops when it returns false. A Rate that shows its
// members another time pushes it in Next and pops it in the following one, or
// leaves that to the group after the last pass. After Frame.Quit there is no
// following one in that update.
//
// A rate may have more methods, which this package looks for: SetStep(float64) is called by
// Group.SetStep, Alpha() float64 by Group.Alpha, Due(*Clock) float64 when an image is restored, BreakOff() when Frame.Quit ends an update between two
// Nexts, and those of a Saver keep what it has come to with images.
type Rate interface {
	Next(c *Clock) bool
}

// BreakOff is told when Frame.Quit ends an update between two Nexts.
func (r *catchUpRate) BreakOff() { r.running = false }

// BreakOff does what that of catchUpRate does.
func (r *simpleRate) BreakOff() { r.running = false }

// BreakOff does what that of catchUpRate does.
func (r *intervalRate) BreakOff() { r.running = false }

// The limits of a fixed step, in seconds, which the comment of CatchUpRate names.
const (
	minimumStep = 0.0001
	maximumStep = 10
)

// latestReading is the time in nanoseconds, some 146 years, up to which an interval rate reads the clock: of a float64 that is too large for it
// an integer is another one on other CPUs.
const latestReading = 1 << 62

// CatchUpRate returns a rate that runs a group at a fixed step of world time, in seconds, within
// 0.0001 and 10: as often as steps have become due since, at most Clock.MaximumDelta (or
// one step) in one update, with the rest in the next ones. The first step is at 0. For 50 steps a second
// write CatchUpRate(1.0/50). It panics if step is NaN.
func CatchUpRate(step float64) Rate { return newCatchUpRate(step) }

// SimpleRate returns a rate that runs a group once in every update, each time a fixed step further,
// in seconds, within 0.0001 and 10, however much time has passed for the world. The first step is at 0. It panics if step is NaN.
func SimpleRate(step float64) Rate { return newSimpleRate(step) }

// IntervalRate returns a rate that runs a group once whenever at least an interval has passed, and
// at least a millisecond, with the time that has passed as its delta. It does not catch up.
// It reads the time from now, or from the world's clock when now is nil: that
// is the same for every run of a program that steps its world by a fixed step.
func IntervalRate(interval time.Duration, now func() time.Duration) Rate {
	return newIntervalRate(interval, now)
}

// catchUpRate is the rate of [CatchUpRate].
type catchUpRate struct {
	step    float64
	last    float64 // the last step's time
	limit   float64 // of this update
	seen    float64 // the time of the world in the last update
	steps   int
	running bool // the last Next pushed
}

func newCatchUpRate(step float64) *catchUpRate {
	r := new(catchUpRate)
	r.SetStep(step)
	return r
}

// SetStep changes the step.
func (r *catchUpRate) SetStep(step float64) { r.step = clampStep(step) }

// Next implements [Rate].
func (r *catchUpRate) Next(c *Clock) bool {
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

// simpleRate is the rate of [SimpleRate].
type simpleRate struct {
	step    float64
	base    float64 // the time of step 0
	steps   int     // since base
	running bool
}

func newSimpleRate(step float64) *simpleRate { return &simpleRate{step: clampStep(step)} }

// SetStep changes the step. The next one
// is where it would have been.
func (r *simpleRate) SetStep(step float64) {
	r.base, r.steps = r.at(), 0
	r.step = clampStep(step)
}

func (r *simpleRate) at() float64 { return r.base + float64(float64(r.steps)*r.step) }

// Next implements [Rate].
func (r *simpleRate) Next(c *Clock) bool {
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

// intervalRate is the rate of [IntervalRate].
type intervalRate struct {
	interval time.Duration
	now      func() time.Duration
	seen     time.Duration // the last reading of the time
	due      time.Duration // gathered since the last pass
	elapsed  time.Duration // of the group's own time
	started  bool
	running  bool
}

func newIntervalRate(interval time.Duration, now func() time.Duration) *intervalRate {
	return &intervalRate{interval: max(interval, time.Millisecond), now: now}
}

// Next implements [Rate].
func (r *intervalRate) Next(c *Clock) bool {
	if r.running {
		c.drop()
		r.running = false
		return false
	}
	now := time.Duration(min(max(c.now.Elapsed*float64(time.Second), -latestReading), latestReading))
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

// Due is how many steps have become due, as far as the next update would come. Restore refuses
// images of worlds that would catch up for ever.
func (r *catchUpRate) Due(c *Clock) float64 {
	return (min(r.last+max(c.MaximumDelta, r.step), c.now.Elapsed) - r.last) / r.step
}

func clampStep(step float64) float64 {
	if step != step {
		panic("system: a fixed step or its rate is NaN, must be a number of seconds, or of steps a second")
	}
	return min(max(step, minimumStep), maximumStep)
}

// Alpha makes Group.Alpha of the group what it returns: it is what is left of the time that the last update of
// the group came to, in steps. It is 0 before the first step, and for members of
// the group while they run, and 1 where the group is behind by a step or more.
func (r *catchUpRate) Alpha() float64 {
	if r.running || r.steps == 0 {
		return 0
	}
	return min(max((r.seen-r.last)/r.step, 0), 1)
}

// The rates of this package are Savers: images keep how far they have come, and the step or interval
// that they go by. Numbers are little end first, behind a letter that names the rate.

// AppendState is that of a Saver.
func (r *catchUpRate) AppendState(out []byte) []byte {
	out = append(out, 'C')
	for _, v := range [...]float64{r.step, r.last, r.seen} {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	return binary.LittleEndian.AppendUint64(out, uint64(r.steps))
}

// LoadState is that of a Saver.
func (r *catchUpRate) LoadState(in []byte) error {
	w, err := rateWords(in, 'C', 4)
	if err != nil {
		return err
	}
	*r = catchUpRate{step: math.Float64frombits(w[0]), last: math.Float64frombits(w[1]), seen: math.Float64frombits(w[2]), steps: int(w[3])}
	return nil
}

// AppendState is that of a Saver.
func (r *simpleRate) AppendState(out []byte) []byte {
	out = append(out, 'S')
	for _, v := range [...]float64{r.step, r.base} {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	return binary.LittleEndian.AppendUint64(out, uint64(r.steps))
}

// LoadState is that of a Saver.
func (r *simpleRate) LoadState(in []byte) error {
	w, err := rateWords(in, 'S', 3)
	if err != nil {
		return err
	}
	*r = simpleRate{step: math.Float64frombits(w[0]), base: math.Float64frombits(w[1]), steps: int(w[2])}
	return nil
}

// AppendState is that of a Saver. Of an interval rate that reads a time of its own what it has
// read last is not state: the time of another process says nothing.
func (r *intervalRate) AppendState(out []byte) []byte {
	seen := r.seen
	if r.now != nil {
		seen = 0
	}
	out = append(out, 'V')
	for _, v := range [...]time.Duration{r.interval, seen, r.due, r.elapsed} {
		out = binary.LittleEndian.AppendUint64(out, uint64(v))
	}
	started := uint64(0)
	if r.started {
		started = 1
	}
	return binary.LittleEndian.AppendUint64(out, started)
}

// LoadState is that of a Saver.
func (r *intervalRate) LoadState(in []byte) error {
	w, err := rateWords(in, 'V', 5)
	if err != nil {
		return err
	}
	own := intervalRate{
		interval: time.Duration(w[0]), now: r.now, seen: time.Duration(w[1]), due: time.Duration(w[2]), elapsed: time.Duration(w[3]),
		started: w[4] != 0,
	}
	if own.now != nil {
		own.seen = own.now()
	}
	*r = own
	return nil
}

// rateWords reads n words behind the letter of a rate.
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
		// A time to which a step adds nothing would be due for ever.
		step, at := math.Float64frombits(words[0]), math.Float64frombits(words[1])
		if !(at >= 0 && at+step > at) || words[n-1] > math.MaxInt {
			return nil, fmt.Errorf("its time or its number of steps is out of bounds")
		}
	}
	return words, nil
}
