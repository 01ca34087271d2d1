package profile

import (
	"sync"
	"time"
)

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
type events struct {
	mu   sync.Mutex
	ring []event
	next uint64 // number of events so far
}

func newEvents(n int) *events {
	if n == 0 {
		return nil
	}
	return &events{ring: make([]event, n)}
}

func (e *events) add(ev event) {
	e.mu.Lock()
	e.ring[e.next%uint64(len(e.ring))] = ev
	e.next++
	e.mu.Unlock()
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
		list = append(list, Event{Worker: worker, Caller: caller, Name: ev.name, Start: ev.start, End: ev.end, Blocks: ev.blocks})
	}
	return list
}
