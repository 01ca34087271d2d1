package profile

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Recorder switches the recording of a pool's jobs on and off, and reads the recorded events. Any
// number of goroutines may use it at the same time, while jobs run.
type Recorder struct{ source *Source }

// Record makes each worker keep its last n events from now on, for AppendEvents. If n is 0, it
// stops the recording and drops the events. It panics if n is below 0.
func (r Recorder) Record(n int) { r.source.setRecording("Record", n, true) }

// RecordMetered is like Record, but records only the jobs that begin while the pool is metered; see
// Meter. At other times it records only sleep, and jobs cost as much as without a recording.
func (r Recorder) RecordMetered(n int) { r.source.setRecording("RecordMetered", n, false) }

// setRecording begins to record all jobs, or only those that begin while the pool is metered.
func (s *Source) setRecording(call string, n int, all bool) {
	if n < 0 {
		panic(fmt.Sprintf("profile: Recorder.%s: n is %d", call, n))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if all = all && n > 0; all != s.recordsAll {
		s.recordsAll = all
		if all {
			s.watchers.Add(1)
		} else {
			s.watchers.Add(-1)
		}
	}
	s.ringSize = n
	for _, w := range s.workers {
		w.events.Store(newEventRing(n))
	}
}

// Recording returns how many events of each worker are kept; 0 if nothing is recorded.
func (r Recorder) Recording() int {
	r.source.mu.Lock()
	defer r.source.mu.Unlock()
	return r.source.ringSize
}

// AppendEvents appends to list the recorded events that ended after since, by Clock: worker by
// worker, and for each worker the oldest first. Events that have not ended are left out.
func (r Recorder) AppendEvents(list []Event, since time.Duration) []Event {
	r.source.mu.Lock()
	defer r.source.mu.Unlock()
	for _, w := range r.source.workers {
		if kept := w.events.Load(); kept != nil {
			list = kept.appendSince(list, since, w.index, w.caller)
		}
	}
	return list
}

// NewMeter returns a meter for jobs of the pool. A job has the meter if its JobMeter returns it;
// see Metered.
func (r Recorder) NewMeter() *Meter {
	return &Meter{perWorker: make([]workerTimes, r.source.workerCount)}
}

// Meter switches the meters of jobs on or off. Each call with true needs a call with false. While
// meters are off, a pool spends no time on them. Jobs that are running at the switch are not
// measured.
func (r Recorder) Meter(on bool) {
	if on {
		r.source.watchers.Add(1)
	} else {
		r.source.watchers.Add(-1)
	}
}

// Source is a pool's side of the recording. The zero Source is ready after Init.
type Source struct {
	// watchers is the number of reasons to look at jobs: a recording of all jobs, and each call that
	// switched meters on. Workers load it wherever a job begins. A change is not ordered with the
	// start of a job, so a job that begins at the time of a change may be recorded or not.
	watchers atomic.Int32

	workerCount int // number of workers; set by Init

	mu         sync.Mutex
	workers    []*Worker
	ringSize   int  // events that each worker keeps, see Recorder.Record
	recordsAll bool // not only jobs that begin while the pool is metered
}

// Init sets the number of the pool's workers, including its first caller.
func (s *Source) Init(workers int) { s.workerCount = workers }

// Watched reports whether jobs are recorded or measured.
func (s *Source) Watched() bool { return s.watchers.Load() != 0 }

// Recorder returns the recorder for tools.
func (s *Source) Recorder() Recorder { return Recorder{s} }

// Worker records the events of one worker or waiting goroutine.
type Worker struct {
	index  int
	caller bool

	// events is the ring of kept events, or nil. The pointer is stored by setRecording, under the
	// source's lock, and loaded by the worker. The worker may add an event to an old ring that is
	// no longer read.
	events atomic.Pointer[eventRing]
}

// NewWorker adds the worker with the given index. Parameter caller is true if the worker is not a
// goroutine of the pool.
func (s *Source) NewWorker(index int, caller bool) *Worker {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := &Worker{index: index, caller: caller}
	w.events.Store(newEventRing(s.ringSize))
	s.workers = append(s.workers, w)
	return w
}

// Piece is a job, one worker's part of a loop, or a sleep, from Begin to End. The zero Piece is not
// recorded.
type Piece struct {
	events *eventRing   // where it is kept; nil for nowhere
	times  *workerTimes // where its time is added; nil for nowhere
	start  time.Duration
}

// Begin begins a Piece. The meter is the job's meter, or nil if the job has none.
func (w *Worker) Begin(m *Meter) (p Piece) {
	if m != nil {
		p.times = m.timesOf(w.index)
	}
	if p.events = w.events.Load(); p.events != nil || p.times != nil {
		p.start = Clock()
	}
	if p.times != nil {
		p.times.beginPiece(p.start)
	}
	return p
}

// End ends the Piece. Parameter n is the number of blocks of a loop that were run, or 0 for a
// single job and for a sleep. A sleep has no name.
func (p *Piece) End(name string, n int) {
	if p.events == nil && p.times == nil {
		return
	}
	end := Clock()
	if p.times != nil {
		p.times.endPiece(end)
	}
	if p.events != nil {
		p.events.appendEvent(event{name: name, start: p.start, end: end, blocks: n})
	}
}

// Event is one action of a worker or of a goroutine that waited: it ran a job, ran blocks of a
// loop, or slept.
type Event struct {
	Worker int    // as in jobs.Task.Worker
	Caller bool   // the worker is not a goroutine of the pool, but one that waits for its jobs
	Name   string // of the job; "" for sleep
	Start  time.Duration
	End    time.Duration
	Blocks int // of a loop; 0 for a single job
}

var processStart = time.Now()

// Clock returns the current time of the clock that measures events. The clock begins with the
// process and is never 0.
func Clock() time.Duration { return time.Since(processStart) }

// event is an Event as its worker stores it.
type event struct {
	name       string
	start, end time.Duration
	blocks     int
}

// eventRing is a ring of the last events of a worker.
type eventRing struct {
	mu         sync.Mutex
	ring       []event
	eventCount uint64 // number of events so far
}

func newEventRing(n int) *eventRing {
	if n == 0 {
		return nil
	}
	return &eventRing{ring: make([]event, n)}
}

func (r *eventRing) appendEvent(ev event) {
	r.mu.Lock()
	r.ring[r.eventCount%uint64(len(r.ring))] = ev
	r.eventCount++
	r.mu.Unlock()
}

// appendSince appends the events that ended after a time. The events are in the order of their
// ends, so the search begins at the newest event.
func (r *eventRing) appendSince(list []Event, since time.Duration, worker int, caller bool) []Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	size := uint64(len(r.ring))
	first := r.eventCount
	for oldest := r.eventCount - min(r.eventCount, size); first > oldest && r.ring[(first-1)%size].end > since; first-- {
	}
	for ; first < r.eventCount; first++ {
		ev := &r.ring[first%size]
		list = append(list, Event{Worker: worker, Caller: caller, Name: ev.name, Start: ev.start, End: ev.end, Blocks: ev.blocks})
	}
	return list
}
