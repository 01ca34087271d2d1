package profile

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Recorder switches what is kept of a pool's jobs, and reads it. Any number of goroutines may use it
// at a time, while jobs run.
type Recorder struct{ source *Source }

// Record begins to keep the last n things that each worker does from now on, for
// AppendEvents; 0 ends it, and forgets them. It panics if n is below 0.
func (r Recorder) Record(n int) { r.source.setRecording("Record", n, true) }

// RecordMetered is Record of the jobs that begin while the pool is metered: see Meter. At other
// times it keeps sleep alone, and jobs cost what they cost unrecorded.
func (r Recorder) RecordMetered(n int) { r.source.setRecording("RecordMetered", n, false) }

// keep begins to record all jobs, or those while the pool is metered.
func (s *Source) setRecording(call string, n int, all bool) {
	if n < 0 {
		panic(fmt.Sprintf("profile: Recorder.%s: n is %d", call, n))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if all = all && n > 0; all != s.recordsAll {
		s.recordsAll = all
		if all {
			s.watched.Add(1)
		} else {
			s.watched.Add(-1)
		}
	}
	s.ringSize = n
	for _, w := range s.workers {
		w.events.Store(newEventRing(n))
	}
}

// Recording returns how many things of each worker are kept; 0 is none.
func (r Recorder) Recording() int {
	r.source.mu.Lock()
	defer r.source.mu.Unlock()
	return r.source.ringSize
}

// AppendEvents appends to list what the workers have done that ended after since, by Clock, of
// what is kept: worker by worker, and of each the oldest first. What is going on still is not
// among it.
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

// NewMeter returns a meter for jobs on the pool.
func (r Recorder) NewMeter() *Meter { return &Meter{own: make([]workerTimes, r.source.own)} }

// Meter begins to take the times of jobs that bear a meter, or ends it: as often as it began. Until
// then a pool spends nothing on meters. Of the jobs that are under way nothing is taken.
func (r Recorder) Meter(on bool) {
	if on {
		r.source.watched.Add(1)
	} else {
		r.source.watched.Add(-1)
	}
}

// Source is what a pool has for those who look. The zero Source is ready once Init was called.
type Source struct {
	// watched is how many reasons there are to look at jobs: a Record of all, and each Meter. These
	// add, workers load it wherever a job begins. Nothing orders the two: a job that begins meanwhile
	// is looked at or not.
	watched atomic.Int32

	own int // workers of the pool; from Init on

	mu         sync.Mutex
	workers    []*Worker
	ringSize   int  // see Recorder.Record
	recordsAll bool // not only while the pool is metered
}

// Init says how many workers the pool has, its first caller among them.
func (s *Source) Init(workers int) { s.own = workers }

// Watched reports whether anybody looks at jobs.
func (s *Source) Watched() bool { return s.watched.Load() != 0 }

// Recorder is what tools use.
func (s *Source) Recorder() Recorder { return Recorder{s} }

// Worker is a place from which jobs are run.
type Worker struct {
	index  int
	caller bool

	// events is where they are kept, nil while none are: stored by keep, under the source's lock, and
	// loaded by the worker, which may add to an old ring what will not be read.
	events atomic.Pointer[eventRing]
}

// NewWorker enters the place with an index; a caller's is no goroutine of the pool.
func (s *Source) NewWorker(index int, caller bool) *Worker {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := &Worker{index: index, caller: caller}
	w.events.Store(newEventRing(s.ringSize))
	s.workers = append(s.workers, w)
	return w
}

// Piece is a job, one worker's part of a loop or a sleep, from Begin to End. The zero Piece is one at
// which nobody looks.
type Piece struct {
	events *eventRing   // where it is kept; nil is nowhere
	busy   *workerTimes // where its time is added; the same
	start  time.Duration
}

// Begin begins one. The meter is the job's; nil is none.
func (w *Worker) Begin(m *Meter) (p Piece) {
	if m != nil {
		p.busy = m.timesOf(w.index)
	}
	if p.events = w.events.Load(); p.events != nil || p.busy != nil {
		p.start = Clock()
	}
	if p.busy != nil {
		p.busy.beginPiece(p.start)
	}
	return p
}

// End ends it: it was n blocks of a loop, or 0, or a sleep without a name.
func (p *Piece) End(name string, n int) {
	if p.events == nil && p.busy == nil {
		return
	}
	end := Clock()
	if p.busy != nil {
		p.busy.endPiece(end)
	}
	if p.events != nil {
		p.events.appendEvent(event{name: name, start: p.start, end: end, blocks: n})
	}
}

// Event is one thing that a worker did, or a goroutine that waited, as tools see it: it ran
// a job, or blocks of a loop, or slept.
type Event struct {
	Worker int    // as jobs.Task.Worker has it
	Caller bool   // the worker is no goroutine of the pool, but one that waits for its jobs
	Name   string // of the job; "" is sleep
	Start  time.Duration
	End    time.Duration
	Blocks int // of a loop; 0 is a single job
}

var start = time.Now()

// Clock returns the time that events bear. It begins with the process and is never 0.
func Clock() time.Duration { return time.Since(start) }

// event is an Event as its worker keeps it.
type event struct {
	name       string
	start, end time.Duration
	blocks     int
}

// events is a ring of the last events of a worker.
type eventRing struct {
	mu   sync.Mutex
	ring []event
	next uint64 // number of events so far
}

func newEventRing(n int) *eventRing {
	if n == 0 {
		return nil
	}
	return &eventRing{ring: make([]event, n)}
}

func (r *eventRing) appendEvent(ev event) {
	r.mu.Lock()
	r.ring[r.next%uint64(len(r.ring))] = ev
	r.next++
	r.mu.Unlock()
}

// since appends the events that ended after a time. They were added in the order of their
// ends, so it begins at the newest.
func (r *eventRing) appendSince(list []Event, since time.Duration, worker int, caller bool) []Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	size := uint64(len(r.ring))
	first := r.next
	for oldest := r.next - min(r.next, size); first > oldest && r.ring[(first-1)%size].end > since; first-- {
	}
	for ; first < r.next; first++ {
		ev := &r.ring[first%size]
		list = append(list, Event{Worker: worker, Caller: caller, Name: ev.name, Start: ev.start, End: ev.end, Blocks: ev.blocks})
	}
	return list
}
