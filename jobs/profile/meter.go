package profile

import (
	"fmt"
	"sync/atomic"
	"time"
)

// Meter adds up the time that workers spend on the jobs that have this meter, while their pool is
// metered: see Metered and Recorder.Meter. It costs two readings of the clock for each job and for
// each worker's part of a loop, no matter how many blocks that part has. If a job waits and
// meanwhile runs other jobs, their time counts as time of the waiting job. It also counts as time
// of the other jobs if they have a meter.
type Meter struct {
	perWorker []workerTimes // of the pool's workers
	others    workerTimes   // of goroutines that wait while another one is the first caller
}

// workerTimes holds the times of one worker, alone on its cache line. Only that worker writes it,
// except in Meter.others, which several goroutines share.
type workerTimes struct {
	busyNs     atomic.Int64 // ends minus beginnings in ns; the low bits count the pieces that have not ended; written by the worker, read by all
	firstStart atomic.Int64 // first is the beginning of the first piece since Take, last the end of the last; 0 for none; both accessed as busy is
	lastEnd    atomic.Int64
	_          [40]byte
}

// openBits is the number of bits of busy that count the pieces that have not ended. A worker has
// several such pieces if it waits in a job for another job with the same meter.
const openBits = 6

// Metered is implemented by jobs that may have a meter; JobMeter returns nil for none. It is
// called when a worker begins the job or its part of a loop. If it panics, the job has no meter,
// because observing a job must not make it fail.
type Metered interface {
	JobMeter() *Meter
}

// Busy returns how long workers have run the jobs so far. Parameter at is the current time by
// Clock. Pieces that have not ended count up to at. Busy may be called while jobs run.
func (m *Meter) Busy(at time.Duration) (sum time.Duration) {
	for i := range m.perWorker {
		sum += m.perWorker[i].busyUntil(at)
	}
	return sum + m.others.busyUntil(at)
}

// busyUntil is Busy for one worker.
func (wt *workerTimes) busyUntil(at time.Duration) time.Duration {
	busy := wt.busyNs.Load()
	return time.Duration(busy>>openBits + int64(at)*(busy&(1<<openBits-1)))
}

// Take returns how long workers have run the jobs so far, when the first piece since the last Take
// began, and when the last piece ended. Each time is 0 if there was no piece. The jobs must be
// done.
func (m *Meter) Take() (busy, first, last time.Duration) {
	take := func(wt *workerTimes) {
		busy += wt.busyUntil(0)
		if from := time.Duration(wt.firstStart.Load()); from != 0 {
			if first == 0 || from < first {
				first = from
			}
			last = max(last, time.Duration(wt.lastEnd.Load()))
			wt.firstStart.Store(0)
			wt.lastEnd.Store(0)
		}
	}
	for i := range m.perWorker {
		take(&m.perWorker[i])
	}
	take(&m.others)
	return busy, first, last
}

// timesOf returns the times of a worker.
func (m *Meter) timesOf(worker int) *workerTimes {
	if worker < len(m.perWorker) {
		return &m.perWorker[worker]
	}
	return &m.others
}

// beginPiece records that a piece begins.
func (wt *workerTimes) beginPiece(at time.Duration) {
	wt.busyNs.Add(1 - int64(at)<<openBits)
	if wt.firstStart.Load() == 0 {
		wt.firstStart.CompareAndSwap(0, int64(at))
	}
}

// endPiece records that a piece has ended.
func (wt *workerTimes) endPiece(at time.Duration) {
	wt.busyNs.Add(int64(at)<<openBits - 1)
	for old := wt.lastEnd.Load(); int64(at) > old; old = wt.lastEnd.Load() {
		if wt.lastEnd.CompareAndSwap(old, int64(at)) {
			break
		}
	}
}

// LoopMode says how a pool runs those loops of one job that have about the same length. It also
// gives the reason: the measured durations with one worker and with all workers. Loops of less
// than 2.5 µs run on one worker without a trial. Loops of more than 10 ms run on all workers
// without a trial.
type LoopMode struct {
	Job      string
	From, To time.Duration // the duration of such a loop on one worker
	Pause    bool          // the loops come after a pause in which the workers have fallen asleep
	Alone    bool          // one worker runs the loop; otherwise it is opened to all
	Trying   bool          // that is on trial, and not known to be better
	One, All float64       // nanoseconds an index, including waking and waiting; 0 if not tried
}

// String describes how the loops are run, and why.
func (s LoopMode) String() string {
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
		other := map[bool]string{false: "one takes ", true: "all take "}[s.Alone] + formatTime(other)
		return fmt.Sprintf("%s, %s an index; %s", text, formatTime(took), other)
	case s.Trying:
		return fmt.Sprintf("%s, %s an index", text, formatTime(took))
	}
	return fmt.Sprintf("%s, %s an index; one was not tried, since that is plainly less", text, formatTime(took))
}

// formatTime formats a time with three digits.
func formatTime(ns float64) string {
	if ns < 100 {
		return fmt.Sprintf("%.3gns", ns)
	}
	d, unit := time.Duration(ns), time.Duration(1)
	for d >= 1000*unit {
		unit *= 10
	}
	return d.Round(unit).String()
}
