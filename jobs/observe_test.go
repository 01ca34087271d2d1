package jobs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/trace"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/profile"
)

// metered is a job of any shape, with or without a meter.
type metered struct {
	meter *profile.Meter
	run   func(*jobs.Task)
}

func (j *metered) JobMeter() *profile.Meter { return j.meter }

func (j *metered) Run(t *jobs.Task) { j.run(t) }

func (j *metered) RunRange(t *jobs.Task, _, _ int) { j.run(t) }

// leaver is a metered job that ends its goroutine. A leaver has a separate type, because the pool
// remembers types whose jobs have ended their goroutines.
type leaver struct{ metered }

// bodyOfTime returns a body that runs for at least the given time.
func bodyOfTime(d time.Duration) func(*jobs.Task) {
	return func(*jobs.Task) {
		for begin := profile.Clock(); profile.Clock()-begin < d; {
			runtime.Gosched()
		}
	}
}

// TestMeter checks that the times of all workers add up, for single jobs and for loops, however they
// end.
func TestMeter(t *testing.T) {
	limit(t)
	const d = 200 * time.Microsecond
	for _, workers := range []int{1, 2, 3, 8, 64} {
		p := jobs.New(jobs.Workers(workers))
		m, other := p.Profile().NewMeter(), p.Profile().NewMeter()
		if err := p.Schedule(&metered{m, bodyOfTime(d)}).Wait(); err != nil {
			t.Error(err)
		}
		if busy, first, last := m.Take(); busy != 0 {
			t.Errorf("busy != 0: %d workers: a pool that is not metered has taken %v", workers, busy)
		} else if first != 0 {
			t.Errorf("first is %v, want 0: %d workers: a pool that is not metered has taken %v", first, workers, busy)
		} else if last != 0 {
			t.Errorf("last is %v, want 0: %d workers: a pool that is not metered has taken %v", last, workers, busy)
		}
		p.Profile().Meter(true)
		for _, c := range []struct {
			name   string
			do     func() jobs.Handle
			pieces int
			fails  bool
		}{
			{"job", func() jobs.Handle { return p.Schedule(&metered{m, bodyOfTime(d)}) }, 1, false},
			{"loop", func() jobs.Handle { return p.ParallelFor(&metered{m, bodyOfTime(d)}, 20, 1) }, 20, false},
			{"one block", func() jobs.Handle { return p.ParallelFor(&metered{m, bodyOfTime(d)}, 20, 20) }, 1, false},
			{"inside", func() jobs.Handle {
				return p.Schedule(&metered{m, func(t *jobs.Task) {
					_ = t.Wait(t.Schedule(&metered{m, bodyOfTime(d)}))
				}})
			}, 1, false},
			{"no meter", func() jobs.Handle { return p.Schedule(&metered{nil, bodyOfTime(d)}) }, 0, false},
			{"no meters", func() jobs.Handle { return p.Schedule(jobs.Func(bodyOfTime(d))) }, 0, false},
			{"panic", func() jobs.Handle {
				return p.Schedule(&metered{m, func(t *jobs.Task) { bodyOfTime(d)(t); panic("x") }})
			}, 1, true},
			{"panic in a loop", func() jobs.Handle {
				return p.ParallelFor(&metered{m, func(t *jobs.Task) {
					if bodyOfTime(d)(t); t.Lo() == 7 {
						panic("x")
					}
				}}, 20, 1)
			}, 8, true},
			{"exit", func() jobs.Handle {
				return p.Schedule(&leaver{metered{m, func(t *jobs.Task) { bodyOfTime(d)(t); runtime.Goexit() }}})
			}, 1, true},
		} {
			before, _, _ := m.Take()
			begin := profile.Clock()
			err := c.do().Wait()
			end := profile.Clock()
			if (err != nil) != c.fails {
				t.Errorf("%s: %v", c.name, err)
			}
			if busy := m.Busy(end) - before; busy != m.Busy(0)-before {
				t.Errorf("%d workers, %s: a piece has not ended", workers, c.name)
			}
			busy, first, last := m.Take()
			busy -= before
			if least, most := time.Duration(c.pieces)*d, time.Duration(min(workers, 20)+1)*(end-begin); busy < least {
				t.Errorf("busy < least: %d workers, %s: busy for %v, want %v to %v", workers, c.name, busy, least, most)
			} else if busy > most {
				t.Errorf("busy > most: %d workers, %s: busy for %v, want %v to %v", workers, c.name, busy, least, most)
			}
			if c.pieces == 0 {
				if busy != 0 {
					t.Errorf("busy != 0: %d workers, %s: %v, from %v to %v", workers, c.name, busy, first, last)
				} else if first != 0 {
					t.Errorf("first != 0: %d workers, %s: %v, from %v to %v", workers, c.name, busy, first, last)
				} else if last != 0 {
					t.Errorf("last != 0: %d workers, %s: %v, from %v to %v", workers, c.name, busy, first, last)
				}
			} else if first < begin {
				t.Errorf("first < begin: %d workers, %s: from %v to %v in %v to %v", workers, c.name, first, last, begin, end)
			} else if last > end {
				t.Errorf("last > end: %d workers, %s: from %v to %v in %v to %v", workers, c.name, first, last, begin, end)
			} else if last-first < d {
				t.Errorf("last-first is %v, want at least %v: %d workers, %s: from %v to %v in %v to %v", last-first, d, workers, c.name, first, last, begin, end)
			}
		}
		if other.Busy(profile.Clock()) != 0 {
			t.Error("another meter has run")
		}
		p.Profile().Meter(false)
		before := m.Busy(0)
		_ = p.Schedule(&metered{m, bodyOfTime(d)}).Wait()
		if m.Busy(0) != before {
			t.Errorf("the pool is metered after the end: m.Busy(0) is %v, want %v", m.Busy(0), before)
		} else if jobs.Observed(p) {
			t.Errorf("the pool is metered after the end: jobs.Observed(p)")
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestMeterWhileRunning checks that the meter of a running piece includes the time that the piece
// has taken so far.
func TestMeterWhileRunning(t *testing.T) {
	limit(t)
	p := jobs.New(jobs.Workers(2))
	defer p.Close()
	p.Profile().Meter(true)
	m := p.Profile().NewMeter()
	begun, hold := make(chan time.Duration), make(chan bool)
	h := p.Schedule(&metered{m, func(*jobs.Task) { begun <- profile.Clock(); <-hold }})
	at := <-begun
	const d = time.Millisecond
	bodyOfTime(d)(nil)
	now := profile.Clock()
	if busy := m.Busy(now); busy < now-at {
		t.Errorf("busy < now-at: busy for %v, %v after the body began", busy, now-at)
	} else if busy > now {
		t.Errorf("busy > now: busy for %v, %v after the body began", busy, now-at)
	}
	p.Profile().Meter(false) // jobs that have begun are measured until their end
	close(hold)
	if err := h.Wait(); err != nil {
		t.Error(err)
	}
	if busy, first, last := m.Take(); busy < d {
		t.Errorf("busy < d: busy for %v, from %v to %v", busy, first, last)
	} else if busy != last-first {
		t.Errorf("busy != last-first: busy for %v, from %v to %v", busy, first, last)
	} else if first > at {
		t.Errorf("first > at: busy for %v, from %v to %v", busy, first, last)
	}
}

// TestMeterManyCallers checks goroutines that wait at the same time and therefore share one meter.
// No time may be lost.
func TestMeterManyCallers(t *testing.T) {
	limit(t)
	p := jobs.New(jobs.Workers(1))
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
			done <- p.Schedule(&metered{m, bodyOfTime(d)}).Wait()
		}()
	}
	for range callers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if busy, first, last := m.Take(); busy < callers*d {
		t.Errorf("busy < callers*d: busy for %v, from %v to %v", busy, first, last)
	} else if last-first < d {
		t.Errorf("last-first is %v, want at least %v: busy for %v, from %v to %v", last-first, d, busy, first, last)
	} else if busy != m.Busy(profile.Clock()) {
		t.Errorf("busy != m.Busy(profile.Clock()): busy for %v, from %v to %v", busy, first, last)
	}
}

// TestRecordMetered checks that events are kept only while the pool is metered.
func TestRecordMetered(t *testing.T) {
	limit(t)
	p := jobs.New(jobs.Workers(2))
	defer p.Close()
	work := func(name string) {
		if err := p.Schedule(&namedJob{Func: func(*jobs.Task) {}, name: name}).Wait(); err != nil {
			t.Error(err)
		}
	}
	recorded := func() (names []string) {
		for _, e := range p.Profile().AppendEvents(nil, 0) {
			if e.Name != "" {
				names = append(names, e.Name)
			}
		}
		return names
	}
	p.Profile().RecordMetered(8)
	if work("unseen"); len(recorded()) != 0 {
		t.Errorf("len(recorded()) is %v, want 0: kept: %q", len(recorded()), recorded())
	} else if p.Profile().Recording() != 8 {
		t.Errorf("p.Profile().Recording() != 8: kept: %q", recorded())
	} else if jobs.Observed(p) {
		t.Errorf("jobs.Observed(p): kept: %q", recorded())
	}
	p.Profile().Meter(true)
	p.Profile().Meter(true)
	work("one")
	p.Profile().Meter(false)
	work("two")
	p.Profile().Meter(false)
	if work("unseen"); len(recorded()) != 2 {
		t.Errorf("len(recorded()) is %v, want 2: kept: %q", len(recorded()), recorded())
	} else if jobs.Observed(p) {
		t.Errorf("jobs.Observed(p): kept: %q", recorded())
	}
	p.Profile().Record(8)
	if work("three"); len(recorded()) != 1 {
		t.Errorf("len(recorded()) is %v, want 1: kept: %q", len(recorded()), recorded())
	} else if !jobs.Observed(p) {
		t.Errorf("!jobs.Observed(p): kept: %q", recorded())
	}
	p.Profile().RecordMetered(8)
	if work("unseen"); len(recorded()) != 0 {
		t.Errorf("len(recorded()) is %v, want 0: kept: %q", len(recorded()), recorded())
	} else if jobs.Observed(p) {
		t.Errorf("jobs.Observed(p): kept: %q", recorded())
	}
	p.Profile().Record(8)
	p.Profile().Record(0)
	if work("unseen"); len(recorded()) != 0 {
		t.Errorf("len(recorded()) is %v, want 0: kept: %q", len(recorded()), recorded())
	} else if jobs.Observed(p) {
		t.Errorf("jobs.Observed(p): kept: %q", recorded())
	} else if p.Profile().Recording() != 0 {
		t.Errorf("p.Profile().Recording() != 0: kept: %q", recorded())
	}
}

// TestMeterAllocates checks that metering allocates nothing.
func TestMeterAllocates(t *testing.T) {
	limit(t)
	p := jobs.New(jobs.Workers(1))
	defer p.Close()
	p.Profile().Meter(true)
	j := &metered{p.Profile().NewMeter(), func(*jobs.Task) {}}
	one := func() { _ = p.Schedule(j).Wait(); _ = p.ParallelFor(j, 10, 1).Wait() }
	for range 100 {
		one()
	}
	if n := testing.AllocsPerRun(100, one); n > 0 && !raceEnabled {
		t.Errorf("%v allocations", n)
	}
}

// sick is a job of any shape whose method JobMeter panics.
type sick struct{ blocks atomic.Int32 }

func (j *sick) JobMeter() *profile.Meter { panic("sick") }

func (j *sick) Run(*jobs.Task) { j.blocks.Add(1) }

func (j *sick) RunRange(*jobs.Task, int, int) { j.blocks.Add(1) }

// TestMeterPanics checks that metering makes no job fail, even if JobMeter panics.
func TestMeterPanics(t *testing.T) {
	limit(t)
	for _, workers := range counts {
		p := jobs.New(jobs.Workers(workers))
		p.Profile().Meter(true)
		j := new(sick)
		for range 20 {
			if err := jobs.WaitAll(p.Schedule(j), p.ParallelFor(j, 100, 1), p.ParallelFor(j, 10, 10)); err != nil {
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

// TestRecordSwitches turns recording on and off while jobs run, and checks the events.
func TestRecordSwitches(t *testing.T) {
	limit(t)
	for _, workers := range []int{1, 2, 3, 8} {
		p := jobs.New(jobs.Workers(workers))
		work := func(name string) {
			h := p.Schedule(&namedJob{Func: func(*jobs.Task) { time.Sleep(10 * time.Microsecond) }, name: name})
			if err := h.Wait(); err != nil {
				t.Error(err)
			}
		}
		named := func(list []profile.Event) (names []string) {
			for _, e := range list {
				if e.Start <= 0 {
					t.Errorf("e.Start is %v, want more than 0: event %+v", e.Start, e)
				} else if e.End < e.Start {
					t.Errorf("e.End is %v, want at least %v: event %+v", e.End, e.Start, e)
				} else if e.Worker < 0 {
					t.Errorf("e.Worker is %v, want at least 0: event %+v", e.Worker, e)
				} else if e.Caller != (e.Worker == 0 || e.Worker >= workers) {
					t.Errorf("e.Caller is %v, want %v: event %+v", e.Caller, (e.Worker == 0 || e.Worker >= workers), e)
				}
				if e.Name != "" {
					names = append(names, e.Name)
				}
			}
			slices.Sort(names)
			return names
		}
		work("unseen")
		if list := p.Profile().AppendEvents(nil, 0); len(list) != 0 {
			t.Errorf("len(list) != 0: %d events of a pool that records nothing", len(list))
		} else if p.Profile().Recording() != 0 {
			t.Errorf("p.Profile().Recording() != 0: %d events of a pool that records nothing", len(list))
		}
		p.Profile().Record(8)
		work("one")
		between := profile.Clock()
		work("two")
		if got := named(p.Profile().AppendEvents(nil, 0)); !slices.Equal(got, []string{"one", "two"}) {
			t.Errorf("!slices.Equal(got, []string{\"one\", \"two\"}): %d workers: %q", workers, got)
		} else if p.Profile().Recording() != 8 {
			t.Errorf("p.Profile().Recording() != 8: %d workers: %q", workers, got)
		}
		if got := named(p.Profile().AppendEvents(nil, between)); !slices.Equal(got, []string{"two"}) {
			t.Errorf("%d workers: since the second one %q", workers, got)
		}
		for i := range 20 {
			work(fmt.Sprint("many ", i))
		}
		got := p.Profile().AppendEvents(nil, 0)
		if n := len(named(got)); n == 0 {
			t.Errorf("n == 0: %d workers: %d events are kept", workers, n)
		} else if n > 8*(workers+1) {
			t.Errorf("n > 8*(workers+1): %d workers: %d events are kept", workers, n)
		}
		p.ParallelFor(&namedLoop{"a loop"}, 100, 1).Wait()
		if i := slices.IndexFunc(p.Profile().AppendEvents(nil, 0), func(e profile.Event) bool { return e.Name == "a loop" && e.Blocks > 0 }); i < 0 {
			t.Error("no blocks of the loop")
		}
		p.Profile().Record(0)
		work("unseen")
		if list := p.Profile().AppendEvents(nil, 0); len(list) != 0 {
			t.Errorf("len(list) != 0: %d events after the end", len(list))
		} else if p.Profile().Recording() != 0 {
			t.Errorf("p.Profile().Recording() != 0: %d events after the end", len(list))
		} else if jobs.Observed(p) {
			t.Errorf("jobs.Observed(p): %d events after the end", len(list))
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestRecordWhileRunning switches recording while workers run and sleep.
func TestRecordWhileRunning(t *testing.T) {
	limit(t)
	p := jobs.New(jobs.Workers(3))
	var wg sync.WaitGroup
	over := make(chan bool)
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
					_ = p.ParallelFor(&namedLoop{"loop"}, 50, 1).Wait()
				}
			}
		})
	}
	for i := range 200 {
		p.Profile().Record(i % 3 * 10)
		p.Profile().AppendEvents(nil, 0)
	}
	close(over)
	wg.Wait()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestRecordRefuses checks that Record panics for a negative number of events.
func TestRecordRefuses(t *testing.T) {
	limit(t)
	p := jobs.New(jobs.Workers(1))
	defer p.Close()
	defer func() {
		if v := recover(); !strings.Contains(fmt.Sprint(v), "profile: Recorder.Record: n is -1") {
			t.Errorf("panic %v", v)
		}
	}()
	p.Profile().Record(-1)
}

func TestTraceHasRegions(t *testing.T) {
	limit(t)
	if trace.IsEnabled() {
		t.Skip("go test -trace has the trace: there is one for a process")
	}
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Fatal(err)
	}
	p := jobs.New(jobs.Workers(2))
	sc := p.Scope(context.Background())
	sc.Schedule(&namedJob{Func: func(*jobs.Task) {}, name: "traced one"})
	sc.ParallelFor(&namedLoop{"traced loop"}, 100, 1)
	if err := sc.End(); err != nil {
		t.Error(err)
	}
	p.Close()
	trace.Stop()
	for _, want := range []string{"traced one", "traced loop", "jobs.Scope"} {
		if !bytes.Contains(out.Bytes(), []byte(want)) {
			t.Errorf("no %q in the trace", want)
		}
	}
}

type namedLoop struct{ name string }

func (j *namedLoop) JobName() string { return j.name }

func (j *namedLoop) RunRange(*jobs.Task, int, int) { runtime.Gosched() }

// TestStatsTakesNoContext checks that reading the counters does not make the caller use another
// context.
func TestStatsTakesNoContext(t *testing.T) {
	limit(t)
	p := jobs.New(jobs.Workers(1))
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				p.Stats()
				runtime.Gosched() // WebAssembly has one thread, and nothing interrupts a goroutine
			}
		}
	}()
	for range 20_000 {
		if err := p.Schedule(jobs.Func(func(task *jobs.Task) {
			if task.Worker() != 0 {
				t.Errorf("worker %d", task.Worker())
			}
		})).Wait(); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	<-stopped
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

func TestWatchdogDumpsLiveJobs(t *testing.T) {
	limit(t)
	dumps := make(chan jobs.LiveJobs, 1)
	p := jobs.New(jobs.Workers(3), jobs.Safety(jobs.Panic), jobs.Watchdog(20*time.Millisecond, func(l jobs.LiveJobs) {
		select {
		case dumps <- l:
		default:
		}
	}))
	body, release := held()
	stuck := p.Schedule(&namedJob{Func: func(t *jobs.Task) {
		t.Schedule(&namedJob{Func: body, name: "child"})
	}, name: "parent"})
	behind := p.Schedule(&namedJob{Func: func(*jobs.Task) {}, name: "behind"}, stuck, p.Schedule(&nothing{}))
	var text strings.Builder
	var last jobs.LiveJobs
	soon(t, "a dump of three jobs, two of them running", func() bool {
		last = <-dumps
		text.Reset()
		if err := last.WriteText(&text); err != nil {
			t.Fatal(err)
		}
		return len(last) == 3 && strings.Count(text.String(), ": running") == 2
	})
	id := map[string]uint64{}
	for _, j := range last {
		id[j.Name] = j.ID
	}
	for _, want := range []string{
		"parent: running, scheduled at",
		fmt.Sprintf("behind: waiting for [%d], ", id["parent"]),
		fmt.Sprintf("child: running, child of %d", id["parent"]),
		"observe_test.go:",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &text)
		}
	}
	release()
	if err := behind.Wait(); err != nil {
		t.Error(err)
	}
	if l := p.Live(); len(l) != 0 {
		t.Errorf("still live: %v", l)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestLiveNamesWhatIsOwned checks that the list of live jobs names the owner of a job that only its
// goroutine may run. To all other goroutines such a job looks as if no goroutine were going to run
// it.
func TestLiveNamesWhatIsOwned(t *testing.T) {
	limit(t)
	p := jobs.New(jobs.Workers(2), jobs.Safety(jobs.Panic))
	h := p.ScheduleHere(&namedJob{Func: func(*jobs.Task) {}, name: "here"})
	behind := p.ScheduleHere(&namedJob{Func: func(*jobs.Task) {}, name: "behind"}, h)
	live := p.Live()
	for i := range live {
		live[i].Site = ""
	}
	var text strings.Builder
	if err := live.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	const want = "job 1 here: ready, for its own goroutine\njob 2 behind: waiting for [1]\n"
	if text.String() != want {
		t.Errorf("%s, want\n%s", &text, want)
	}
	if err := errors.Join(behind.Wait(), p.Close()); err != nil {
		t.Error(err)
	}
}

// TestLiveAcrossPools checks a job that waits for a job of another pool. The list of live jobs must
// not show it as ready, and must name the job for which it waits.
func TestLiveAcrossPools(t *testing.T) {
	limit(t)
	a, b := jobs.New(jobs.Workers(1)), jobs.New(jobs.Workers(1), jobs.Watchdog(time.Hour, func(jobs.LiveJobs) {}))
	gate := a.Schedule(&named{name: "gate"})
	h := b.Schedule(&named{name: "behind"}, gate)
	var text strings.Builder
	if err := b.Live().WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if want := "job 1 behind: waiting for gate of another pool\n"; text.String() != want {
		t.Errorf("%q, want %q", text.String(), want)
	}
	if err := errors.Join(h.Wait(), a.Close(), b.Close()); err != nil {
		t.Error(err)
	}
}
