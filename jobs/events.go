package jobs

import (
	"fmt"
	"time"
)

// Event is one thing that a worker did, or a goroutine that waited, as tools see it: it ran
// a job, or blocks of a loop, or slept.
type Event struct {
	Worker int    // as Task.Worker has it
	Caller bool   // the worker is no goroutine of the pool, but one that waits for its jobs
	Name   string // of the job; "" is sleep
	Start  time.Duration
	End    time.Duration
	Blocks int // of a loop; 0 is a single job
}

// Clock returns the time that events bear. It begins with the process and is never 0.
func Clock() time.Duration { return clock() }

// Record begins to keep the last n things that each worker does from now on, for
// AppendEvents; 0 ends it, and forgets them. It may be called while jobs run, and panics if n is below 0.
func (p *Pool) Record(n int) { p.keep("Pool.Record", n, true) }

// RecordMetered is Record of the jobs that begin while the pool is metered: see Pool.Meter. At other
// times it keeps sleep alone, and jobs cost what they cost unrecorded.
func (p *Pool) RecordMetered(n int) { p.keep("Pool.RecordMetered", n, false) }

// keep begins to record all jobs, or those while the pool is metered.
func (p *Pool) keep(call string, n int, all bool) {
	p.made(call)
	if n < 0 {
		panic(fmt.Sprintf("jobs: %s: n is %d", call, n))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if all = all && n > 0; all != p.recordAll {
		p.recordAll = all
		if all {
			p.watched.Add(1)
		} else {
			p.watched.Add(-1)
		}
	}
	p.record = n
	for _, s := range *p.seats.Load() {
		s.events.Store(newEvents(n))
	}
}

// Recording returns how many things of each worker are kept; 0 is none.
func (p *Pool) Recording() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.record
}

// AppendEvents appends to list what the workers have done that ended after since, by Clock, of
// what is kept: worker by worker, and of each the oldest first. What is going on still is not
// among it.
func (p *Pool) AppendEvents(list []Event, since time.Duration) []Event {
	p.made("Pool.AppendEvents")
	for _, s := range *p.seats.Load() {
		if kept := s.events.Load(); kept != nil {
			list = kept.since(list, since, s.index, s.index == 0 || s.index >= p.workers)
		}
	}
	return list
}

// since appends the events that ended after a time. They were added in the order of their
// ends, so it begins at the newest.
func (e *events) since(list []Event, since time.Duration, worker int, caller bool) []Event {
	e.mu.Lock()
	defer e.mu.Unlock()
	size := uint64(len(e.ring))
	first := e.next
	for oldest := e.next - min(e.next, size); first > oldest && e.ring[(first-1)%size].end > since; first-- {
	}
	for ; first < e.next; first++ {
		ev := &e.ring[first%size]
		one := Event{Worker: worker, Caller: caller, Start: ev.start, End: ev.end, Blocks: ev.blocks}
		if ev.kind != nil {
			one.Name = ev.kind.name
		}
		list = append(list, one)
	}
	return list
}
