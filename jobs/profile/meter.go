package profile

import (
	"sync/atomic"
	"time"
)

// Meter adds up how long workers are at the jobs that bear it, while their pool is metered: see
// Metered and Recorder.Meter. It takes two looks at the clock for each job, and for each worker's
// part of a loop, however many blocks that has. What a job runs while it waits counts as
// its own time, and as that of what is run, if that bears a meter too.
type Meter struct {
	own    []pieces // of the pool's own workers
	others pieces   // of goroutines that wait at the same time as one that sits in the first seat
}

// pieces is what one worker was at, alone on its cache line: no other writes there, except
// for those that share others.
type pieces struct {
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
		sum += m.own[i].until(at)
	}
	return sum + m.others.until(at)
}

// until is Busy of one worker.
func (w *pieces) until(at time.Duration) time.Duration {
	busy := w.busy.Load()
	return time.Duration(busy>>openBits + int64(at)*(busy&(1<<openBits-1)))
}

// Take returns how long workers were at the jobs so far, when the first piece since the last Take
// began, and when the last ended: 0 if there was none. The jobs must be done.
func (m *Meter) Take() (busy, first, last time.Duration) {
	take := func(w *pieces) {
		busy += w.until(0)
		if from := time.Duration(w.first.Load()); from != 0 {
			if first == 0 || from < first {
				first = from
			}
			last = max(last, time.Duration(w.last.Load()))
			w.first.Store(0)
			w.last.Store(0)
		}
	}
	for i := range m.own {
		take(&m.own[i])
	}
	take(&m.others)
	return busy, first, last
}

// at returns where the times of a worker go.
func (m *Meter) at(worker int) *pieces {
	if worker < len(m.own) {
		return &m.own[worker]
	}
	return &m.others
}

// begin takes note that a piece begins.
func (w *pieces) begin(at time.Duration) {
	w.busy.Add(1 - int64(at)<<openBits)
	if w.first.Load() == 0 {
		w.first.CompareAndSwap(0, int64(at))
	}
}

// end takes note that it has ended.
func (w *pieces) end(at time.Duration) {
	w.busy.Add(int64(at)<<openBits - 1)
	for old := w.last.Load(); int64(at) > old; old = w.last.Load() {
		if w.last.CompareAndSwap(old, int64(at)) {
			break
		}
	}
}
