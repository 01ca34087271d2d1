package profile

import (
	"fmt"
	"sync/atomic"
	"time"
)

// Meter adds up how long workers are at the jobs that bear it, while their pool is metered: see
// Metered and Recorder.Meter. It takes two looks at the clock for each job, and for each worker's
// part of a loop, however many blocks that has. What a job runs while it waits counts as
// its own time, and as that of what is run, if that bears a meter too.
type Meter struct {
	own    []workerTimes // of the pool's own workers
	others workerTimes   // of goroutines that wait at the same time as one that sits in the first seat
}

// pieces is what one worker was at, alone on its cache line: no other writes there, except
// for those that share others.
type workerTimes struct {
	busy  atomic.Int64 // ends minus beginnings, in ns, and in the low bits how many have not ended; written by the worker, read by all
	first atomic.Int64 // beginning of the first piece since it was taken, and end of the last; 0 is none; both as busy
	last  atomic.Int64
	_     [40]byte
}

// openBits is how many bits of busy count pieces that have not ended: those of one worker that
// waits in jobs for others of the same meter.
const openBits = 6

// Metered is implemented by jobs that bear a meter, or none: then JobMeter returns nil. It is asked
// when a worker begins with the job or with its part of it. Where it panics the job bears none: what
// looks at jobs does not make them fail.
type Metered interface {
	JobMeter() *Meter
}

// Busy returns how long workers were at the jobs up to a time by Clock, which is about now: pieces that
// have not ended count as far as they have come. It may be called while jobs run.
func (m *Meter) Busy(at time.Duration) (sum time.Duration) {
	for i := range m.own {
		sum += m.own[i].busyUntil(at)
	}
	return sum + m.others.busyUntil(at)
}

// until is Busy of one worker.
func (wt *workerTimes) busyUntil(at time.Duration) time.Duration {
	busy := wt.busy.Load()
	return time.Duration(busy>>openBits + int64(at)*(busy&(1<<openBits-1)))
}

// Take returns how long workers were at the jobs so far, when the first piece since the last Take
// began, and when the last ended: 0 if there was none. The jobs must be done.
func (m *Meter) Take() (busy, first, last time.Duration) {
	take := func(wt *workerTimes) {
		busy += wt.busyUntil(0)
		if from := time.Duration(wt.first.Load()); from != 0 {
			if first == 0 || from < first {
				first = from
			}
			last = max(last, time.Duration(wt.last.Load()))
			wt.first.Store(0)
			wt.last.Store(0)
		}
	}
	for i := range m.own {
		take(&m.own[i])
	}
	take(&m.others)
	return busy, first, last
}

// at returns where the times of a worker go.
func (m *Meter) timesOf(worker int) *workerTimes {
	if worker < len(m.own) {
		return &m.own[worker]
	}
	return &m.others
}

// begin takes note that a piece begins.
func (wt *workerTimes) beginPiece(at time.Duration) {
	wt.busy.Add(1 - int64(at)<<openBits)
	if wt.first.Load() == 0 {
		wt.first.CompareAndSwap(0, int64(at))
	}
}

// end takes note that it has ended.
func (wt *workerTimes) endPiece(at time.Duration) {
	wt.busy.Add(int64(at)<<openBits - 1)
	for old := wt.last.Load(); int64(at) > old; old = wt.last.Load() {
		if wt.last.CompareAndSwap(old, int64(at)) {
			break
		}
	}
}

// Spread says how a pool runs the loops of one job that take about as long as each
// other, and why: what such loops were seen to take in both ways. Loops of less than
// 2.5 µs are run by one worker and those of more than 10 ms opened to all, untried.
type Spread struct {
	Job      string
	From, To time.Duration // what one worker takes for such a loop
	Pause    bool          // they come after a pause in which the workers have fallen asleep
	Alone    bool          // one worker runs it; else it is opened to all
	Trying   bool          // that is being tried, and not known to be best
	One, All float64       // nanoseconds an index, waking and waiting included; 0 where it was not tried
}

// String says how the loops are run, and why.
func (s Spread) String() string {
	way, took, other := "all workers", s.All, s.One
	if s.Alone {
		way, took, other = "one worker", s.One, s.All
	}
	if s.Trying {
		way += ", on trial"
	}
	text := fmt.Sprintf("loops of %v to %v", s.From, s.To)
	if s.Pause {
		text += " after a pause"
	}
	text += ": " + way
	switch {
	case took == 0:
		return text
	case other != 0:
		other := map[bool]string{false: "one takes ", true: "all take "}[s.Alone] + nanoseconds(other)
		return fmt.Sprintf("%s, %s an index; %s", text, nanoseconds(took), other)
	case s.Trying:
		return fmt.Sprintf("%s, %s an index", text, nanoseconds(took))
	}
	return fmt.Sprintf("%s, %s an index; one was not tried, since that is plainly less", text, nanoseconds(took))
}

// nanoseconds is a time with three digits.
func nanoseconds(ns float64) string {
	if ns < 100 {
		return fmt.Sprintf("%.3gns", ns)
	}
	d, unit := time.Duration(ns), time.Duration(1)
	for d >= 1000*unit {
		unit *= 10
	}
	return d.Round(unit).String()
}
