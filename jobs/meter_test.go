package jobs

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lanewise/lanewise/jobs/profile"
)

// metered is a job of any shape that bears a meter, or none.
type metered struct {
	meter *profile.Meter
	run   func(*Task)
}

func (j *metered) JobMeter() *profile.Meter   { return j.meter }
func (j *metered) Run(t *Task)                { j.run(t) }
func (j *metered) RunRange(t *Task, _, _ int) { j.run(t) }

// leaver is a metered job of a kind of its own, for one that ends its goroutine.
type leaver struct{ metered }

// takes returns a body that takes so long at least.
func takes(d time.Duration) func(*Task) {
	return func(*Task) {
		for begin := clock(); clock()-begin < d; {
			runtime.Gosched()
		}
	}
}

// TestMeter: what workers are at adds up, of single jobs and of loops, whatever way they end.
func TestMeter(t *testing.T) {
	limit(t)
	const d = 200 * time.Microsecond
	for _, workers := range []int{1, 2, 3, 8, 64} {
		p := New(Workers(workers))
		m, other := p.Profile().NewMeter(), p.Profile().NewMeter()
		if err := p.Schedule(&metered{m, takes(d)}).Wait(); err != nil {
			t.Error(err)
		}
		if busy, first, last := m.Take(); busy != 0 || first != 0 || last != 0 {
			t.Errorf("%d workers: a pool that is not metered has taken %v", workers, busy)
		}
		p.Profile().Meter(true)
		for _, c := range []struct {
			name   string
			do     func() Handle
			pieces int
			fails  bool
		}{
			{"job", func() Handle { return p.Schedule(&metered{m, takes(d)}) }, 1, false},
			{"loop", func() Handle { return p.ParallelFor(&metered{m, takes(d)}, 20, 1) }, 20, false},
			{"one block", func() Handle { return p.ParallelFor(&metered{m, takes(d)}, 20, 20) }, 1, false},
			{"inside", func() Handle {
				return p.Schedule(&metered{m, func(t *Task) {
					_ = t.Wait(t.Schedule(&metered{m, takes(d)}))
				}})
			}, 1, false},
			{"no meter", func() Handle { return p.Schedule(&metered{nil, takes(d)}) }, 0, false},
			{"no meters", func() Handle { return p.Schedule(Func(takes(d))) }, 0, false},
			{"panic", func() Handle { return p.Schedule(&metered{m, func(t *Task) { takes(d)(t); panic("x") }}) }, 1, true},
			{"panic in a loop", func() Handle {
				return p.ParallelFor(&metered{m, func(t *Task) {
					if takes(d)(t); t.Lo() == 7 {
						panic("x")
					}
				}}, 20, 1)
			}, 8, true},
			{"exit", func() Handle { return p.Schedule(&leaver{metered{m, func(t *Task) { takes(d)(t); runtime.Goexit() }}}) }, 1, true},
		} {
			before, _, _ := m.Take()
			begin := clock()
			err := c.do().Wait()
			end := clock()
			if (err != nil) != c.fails {
				t.Errorf("%s: %v", c.name, err)
			}
			if busy := m.Busy(end) - before; busy != m.Busy(0)-before {
				t.Errorf("%d workers, %s: a piece has not ended", workers, c.name)
			}
			busy, first, last := m.Take()
			busy -= before
			if least, most := time.Duration(c.pieces)*d, time.Duration(min(workers, 20)+1)*(end-begin); busy < least || busy > most {
				t.Errorf("%d workers, %s: busy for %v, want %v to %v", workers, c.name, busy, least, most)
			}
			if c.pieces == 0 {
				if busy != 0 || first != 0 || last != 0 {
					t.Errorf("%d workers, %s: %v, from %v to %v", workers, c.name, busy, first, last)
				}
			} else if first < begin || last > end || last-first < d {
				t.Errorf("%d workers, %s: from %v to %v in %v to %v", workers, c.name, first, last, begin, end)
			}
		}
		if other.Busy(clock()) != 0 {
			t.Error("another meter has run")
		}
		p.Profile().Meter(false)
		before := m.Busy(0)
		_ = p.Schedule(&metered{m, takes(d)}).Wait()
		if m.Busy(0) != before || p.observed() {
			t.Error("the pool is metered after the end")
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestMeterWhileRunning: pieces that have not ended count as far as they have come.
func TestMeterWhileRunning(t *testing.T) {
	limit(t)
	p := New(Workers(2))
	defer p.Close()
	p.Profile().Meter(true)
	m := p.Profile().NewMeter()
	begun, hold := make(chan time.Duration), make(chan bool)
	h := p.Schedule(&metered{m, func(*Task) { begun <- clock(); <-hold }})
	at := <-begun
	const d = time.Millisecond
	takes(d)(nil)
	now := clock()
	if busy := m.Busy(now); busy < now-at || busy > now {
		t.Errorf("busy for %v, %v after the body began", busy, now-at)
	}
	p.Profile().Meter(false) // what has begun is taken to its end
	close(hold)
	if err := h.Wait(); err != nil {
		t.Error(err)
	}
	if busy, first, last := m.Take(); busy < d || busy != last-first || first > at {
		t.Errorf("busy for %v, from %v to %v", busy, first, last)
	}
}

// TestMeterManyCallers: goroutines that wait at the same time share what is not the pool's own.
func TestMeterManyCallers(t *testing.T) {
	limit(t)
	p := New(Workers(1))
	defer p.Close()
	p.Profile().Meter(true)
	m := p.Profile().NewMeter()
	const callers, d = 8, 100 * time.Microsecond
	var ready atomic.Int32
	done := make(chan error)
	for range callers {
		go func() {
			ready.Add(1)
			for ready.Load() < callers {
				runtime.Gosched()
			}
			done <- p.Schedule(&metered{m, takes(d)}).Wait()
		}()
	}
	for range callers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if busy, first, last := m.Take(); busy < callers*d || last-first < d || busy != m.Busy(clock()) {
		t.Errorf("busy for %v, from %v to %v", busy, first, last)
	}
}

// TestRecordMetered: events are kept while the pool is metered, and only then.
func TestRecordMetered(t *testing.T) {
	limit(t)
	p := New(Workers(2))
	defer p.Close()
	work := func(name string) {
		if err := p.Schedule(&namedJob{Func: func(*Task) {}, name: name}).Wait(); err != nil {
			t.Error(err)
		}
	}
	jobs := func() (names []string) {
		for _, e := range p.Profile().AppendEvents(nil, 0) {
			if e.Name != "" {
				names = append(names, e.Name)
			}
		}
		return names
	}
	p.Profile().RecordMetered(8)
	if work("unseen"); len(jobs()) != 0 || p.Profile().Recording() != 8 || p.observed() {
		t.Errorf("kept: %q", jobs())
	}
	p.Profile().Meter(true)
	p.Profile().Meter(true)
	work("one")
	p.Profile().Meter(false)
	work("two")
	p.Profile().Meter(false)
	if work("unseen"); len(jobs()) != 2 || p.observed() {
		t.Errorf("kept: %q", jobs())
	}
	p.Profile().Record(8)
	if work("three"); len(jobs()) != 1 || !p.observed() {
		t.Errorf("kept: %q", jobs())
	}
	p.Profile().RecordMetered(8)
	if work("unseen"); len(jobs()) != 0 || p.observed() {
		t.Errorf("kept: %q", jobs())
	}
	p.Profile().Record(8)
	p.Profile().Record(0)
	if work("unseen"); len(jobs()) != 0 || p.observed() || p.Profile().Recording() != 0 {
		t.Errorf("kept: %q", jobs())
	}
}

// TestMeterAllocates nothing.
func TestMeterAllocates(t *testing.T) {
	limit(t)
	p := New(Workers(1))
	defer p.Close()
	p.Profile().Meter(true)
	j := &metered{p.Profile().NewMeter(), func(*Task) {}}
	one := func() { _ = p.Schedule(j).Wait(); _ = p.ParallelFor(j, 10, 1).Wait() }
	for range 100 {
		one()
	}
	if n := testing.AllocsPerRun(100, one); n > 0 && !raceEnabled {
		t.Errorf("%v allocations", n)
	}
}

// sick is a job of any shape whose JobMeter panics.
type sick struct{ blocks atomic.Int32 }

func (j *sick) JobMeter() *profile.Meter { panic("sick") }
func (j *sick) Run(*Task)                { j.blocks.Add(1) }
func (j *sick) RunRange(*Task, int, int) { j.blocks.Add(1) }

// TestMeterPanics: to meter a pool makes no job fail, whatever its JobMeter does.
func TestMeterPanics(t *testing.T) {
	limit(t)
	for _, workers := range counts {
		p := New(Workers(workers))
		p.Profile().Meter(true)
		j := new(sick)
		for range 20 {
			if err := WaitAll(p.Schedule(j), p.ParallelFor(j, 100, 1), p.ParallelFor(j, 10, 10)); err != nil {
				t.Error(err)
			}
		}
		if n := j.blocks.Load(); n != 20*102 {
			t.Errorf("%d workers: %d blocks of %d were run", workers, n, 20*102)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}
