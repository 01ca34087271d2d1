package profile

import (
	"fmt"
	"time"
)

// Recorder switches what is kept of a pool's jobs, and reads it. Any number of goroutines may use it
// at a time, while jobs run.
type Recorder struct{ source *Source }

// Record begins to keep the last n things that each worker does from now on, for
// AppendEvents; 0 ends it, and forgets them. It panics if n is below 0.
func (r Recorder) Record(n int) { r.source.keep("Record", n, true) }

// RecordMetered is Record of the jobs that begin while the pool is metered: see Meter. At other
// times it keeps sleep alone, and jobs cost what they cost unrecorded.
func (r Recorder) RecordMetered(n int) { r.source.keep("RecordMetered", n, false) }

// keep begins to record all jobs, or those while the pool is metered.
func (s *Source) keep(call string, n int, all bool) {
	if n < 0 {
		panic(fmt.Sprintf("profile: Recorder.%s: n is %d", call, n))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if all = all && n > 0; all != s.all {
		s.all = all
		if all {
			s.watched.Add(1)
		} else {
			s.watched.Add(-1)
		}
	}
	s.kept = n
	for _, w := range s.workers {
		w.events.Store(newEvents(n))
	}
}

// Recording returns how many things of each worker are kept; 0 is none.
func (r Recorder) Recording() int {
	r.source.mu.Lock()
	defer r.source.mu.Unlock()
	return r.source.kept
}

// AppendEvents appends to list what the workers have done that ended after since, by Clock, of
// what is kept: worker by worker, and of each the oldest first. What is going on still is not
// among it.
func (r Recorder) AppendEvents(list []Event, since time.Duration) []Event {
	r.source.mu.Lock()
	defer r.source.mu.Unlock()
	for _, w := range r.source.workers {
		if kept := w.events.Load(); kept != nil {
			list = kept.since(list, since, w.index, w.caller)
		}
	}
	return list
}

// NewMeter returns a meter for jobs on the pool.
func (r Recorder) NewMeter() *Meter { return &Meter{own: make([]pieces, r.source.own)} }

// Meter begins to take the times of jobs that bear a meter, or ends it: as often as it began. Until
// then a pool spends nothing on meters. Of the jobs that are under way nothing is taken.
func (r Recorder) Meter(on bool) {
	if on {
		r.source.watched.Add(1)
	} else {
		r.source.watched.Add(-1)
	}
}
