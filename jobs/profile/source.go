package profile

import (
	"sync"
	"sync/atomic"
	"time"
)

// Source is what a pool has for those who look. The zero Source is ready once Init was called.
type Source struct {
	// watched is how many reasons there are to look at jobs: a Record of all, and each Meter. These
	// add, workers load it wherever a job begins. Nothing orders the two: a job that begins meanwhile
	// is looked at or not.
	watched atomic.Int32

	own int // workers of the pool; from Init on

	mu      sync.Mutex
	workers []*Worker
	kept    int  // see Recorder.Record
	all     bool // not only while the pool is metered
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
	events atomic.Pointer[events]
}

// NewWorker enters the place with an index; a caller's is no goroutine of the pool.
func (s *Source) NewWorker(index int, caller bool) *Worker {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := &Worker{index: index, caller: caller}
	w.events.Store(newEvents(s.kept))
	s.workers = append(s.workers, w)
	return w
}

// Piece is a job, one worker's part of a loop or a sleep, from Begin to End. The zero Piece is one at
// which nobody looks.
type Piece struct {
	events *events // where it is kept; nil is nowhere
	busy   *pieces // where its time is added; the same
	start  time.Duration
}

// Begin begins one. The meter is the job's; nil is none.
func (w *Worker) Begin(m *Meter) (p Piece) {
	if m != nil {
		p.busy = m.at(w.index)
	}
	if p.events = w.events.Load(); p.events != nil || p.busy != nil {
		p.start = Clock()
	}
	if p.busy != nil {
		p.busy.begin(p.start)
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
		p.busy.end(end)
	}
	if p.events != nil {
		p.events.add(event{name: name, start: p.start, end: end, blocks: n})
	}
}
