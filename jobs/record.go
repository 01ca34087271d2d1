package jobs

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// Record keeps the last n things that each worker did, for WriteTrace. Pool.Record does so
// later on.
func Record(n int) Option {
	if n < 1 {
		panic(fmt.Sprintf("jobs: Record: n is %d", n))
	}
	return func(p *Pool) { p.record = n }
}

// event is one thing that a worker did. The kind of sleep is nil.
type event struct {
	kind       *kind
	start, end time.Duration // by clock
	lo, blocks int           // of a loop: first index of the last block, number of blocks
}

// events is a ring of the last events of a seat.
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

// list copies the events, the oldest first.
func (e *events) list() []event {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := uint64(len(e.ring))
	if e.next <= n {
		return append([]event(nil), e.ring[:e.next]...)
	}
	at := e.next % n
	return append(append([]event(nil), e.ring[at:]...), e.ring[:at]...)
}

// traceEvent is an event in the format that Perfetto and Chrome read.
type traceEvent struct {
	Name     string         `json:"name"`
	Category string         `json:"cat,omitempty"`
	Phase    string         `json:"ph"`
	Start    float64        `json:"ts"`  // µs
	Duration float64        `json:"dur"` // µs
	Process  int            `json:"pid"`
	Thread   int            `json:"tid"`
	Args     map[string]any `json:"args,omitempty"`
}

// WriteTrace writes what the workers of a pool made with Record did last, as
// JSON for ui.perfetto.dev or chrome://tracing: one line a worker, with its
// jobs, its parts of loops and its sleep. Of a pool made without Record it writes a
// trace in which nothing happens, and returns an error.
func (p *Pool) WriteTrace(w io.Writer) error {
	p.made("Pool.WriteTrace")
	out := bufio.NewWriter(w)
	out.WriteString(`{"displayTimeUnit":"ns","traceEvents":[`)
	first := true
	put := func(ev traceEvent) error {
		text, err := json.Marshal(ev)
		if err != nil {
			return err
		}
		if !first {
			out.WriteByte(',')
		}
		first = false
		out.WriteByte('\n')
		out.Write(text)
		return nil
	}
	for _, s := range *p.seats.Load() {
		name := fmt.Sprintf("worker %d", s.index)
		if s.index == 0 || s.index >= p.workers {
			name = fmt.Sprintf("caller %d", s.index)
		}
		if err := put(traceEvent{Name: "thread_name", Phase: "M", Process: 1, Thread: s.index, Args: map[string]any{"name": name}}); err != nil {
			return err
		}
		kept := s.events.Load()
		if kept == nil {
			continue
		}
		for _, ev := range kept.list() {
			if err := put(ev.trace(s.index)); err != nil {
				return err
			}
		}
	}
	out.WriteString("\n]}\n")
	if err := out.Flush(); err != nil {
		return err
	}
	if p.Recording() == 0 {
		return errors.New("jobs: Pool.WriteTrace: nothing was recorded: make the pool with jobs.New(jobs.Record(n))")
	}
	return nil
}

func (ev event) trace(thread int) traceEvent {
	t := traceEvent{
		Name:     "sleep",
		Category: "idle",
		Phase:    "X",
		Start:    float64(ev.start) / 1e3,
		Duration: float64(ev.end-ev.start) / 1e3,
		Process:  1,
		Thread:   thread,
	}
	if ev.kind != nil {
		t.Name, t.Category = ev.kind.name, "job"
	}
	if ev.blocks > 0 {
		t.Category = "loop"
		t.Args = map[string]any{"blocks": ev.blocks, "last": ev.lo}
	}
	return t
}
