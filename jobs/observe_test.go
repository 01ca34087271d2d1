package jobs

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/trace"
	"sync/atomic"
	"testing"
	"time"
)

func TestRecordKeepsWhatWorkersDo(t *testing.T) {
	limit(t)
	p := New(Workers(2))
	p.Profile().Record(100)
	sc := p.Scope(context.Background())
	for range 10 {
		sc.Schedule(&namedJob{Func: func(*Task) {}, name: "one"})
	}
	sc.ParallelFor(&nothing{}, 100, 1)
	if err := sc.End(); err != nil {
		t.Fatal(err)
	}
	soon(t, "the worker has slept", func() bool { return p.lot.Count() == 1 })
	sc.Begin(context.Background())
	if err := sc.ParallelFor(RangeFunc(func(*Task, int, int) { time.Sleep(time.Millisecond) }), 4, 1).Wait(); err != nil {
		t.Error(err)
	}
	sc.End()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	found := map[string]int{}
	for _, ev := range p.Profile().AppendEvents(nil, 0) {
		if ev.Start <= 0 || ev.End < ev.Start {
			t.Errorf("event %+v", ev)
		}
		if ev.Blocks > 0 {
			ev.Name = "loop " + ev.Name
		}
		found[ev.Name]++
	}
	if found["one"] != 10 || found["loop jobs.nothing"] == 0 || found[""] == 0 {
		t.Errorf("events %v", found)
	}
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
	p := New(Workers(2))
	sc := p.Scope(context.Background())
	sc.Schedule(&namedJob{Func: func(*Task) {}, name: "traced one"})
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

func (j *namedLoop) JobName() string          { return j.name }
func (j *namedLoop) RunRange(*Task, int, int) { runtime.Gosched() }

func TestStatsCount(t *testing.T) {
	limit(t)
	p := New(Workers(2))
	soon(t, "the worker sleeps", func() bool { return p.lot.Count() == 1 })
	sc := p.Scope(context.Background())
	var n atomic.Int64
	for range 200 {
		sc.Schedule(Func(func(*Task) { n.Add(1) }))
	}
	// The loop stays open until the worker is in it.
	if err := p.Range(2, 1, func(int, int) {
		soon(t, "the worker has joined", func() bool { return p.Stats().Joined > 0 })
	}); err != nil {
		t.Fatal(err)
	}
	sc.End()
	soon(t, "the worker sleeps", func() bool { return p.lot.Count() == 1 })
	s := p.Stats()
	p.Close()
	if s.Jobs < 201 || s.Loops != 1 || s.Joined != 1 || s.Sleeps == 0 || s.Wakes == 0 {
		t.Errorf("%+v", s)
	}
}

// TestStatsCountAll: what is done is counted, also of workers that have done little.
func TestStatsCountAll(t *testing.T) {
	limit(t)
	for _, workers := range counts {
		p := New(Workers(workers))
		var inside uint64
		for n := range uint64(10) {
			if err := p.Schedule(Func(func(*Task) { inside = p.Stats().Jobs })).Wait(); err != nil {
				t.Error(err)
			}
			if goroutine() != 0 && inside < n+1 && workers == 1 {
				t.Errorf("job %d counts %d", n, inside)
			}
		}
		soon(t, "ten jobs are counted", func() bool { return p.Stats().Jobs == 10 })
		h := p.Schedule(&nothing{})
		if err := p.Close(); err != nil || !h.Done() || p.Stats().Jobs != 11 {
			t.Errorf("%d workers: %+v, %v", workers, p.Stats(), err)
		}
	}
}

// TestStatsTakesNoSeat: reading the counts does not drive a caller from its seat.
func TestStatsTakesNoSeat(t *testing.T) {
	limit(t)
	p := New(Workers(1))
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				p.Stats()
			}
		}
	}()
	for range 20_000 {
		if err := p.Schedule(Func(func(task *Task) {
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

func TestEstimatesLearn(t *testing.T) {
	limit(t)
	stats := &jobStats{name: "k"}
	if stats.estimate(5) != -1 {
		t.Error("known before it ran")
	}
	stats.recordCost(1000, 10)
	if got := stats.estimate(20); got != 2000 {
		t.Errorf("20 indices of 100 ns take %d", got)
	}
	stats.recordCost(time.Second, 10)
	if got := stats.estimate(1); got > 130 {
		t.Errorf("one outlier makes 100 ns %d", got)
	}
	for range 100 {
		stats.recordCost(10_000, 10)
	}
	if got := stats.estimate(1); got < 900 {
		t.Errorf("after a hundred runs of 1000 ns the estimate is %d", got)
	}
	if stats.estimate(math.MaxInt) < 1<<39 {
		t.Error("overflow")
	}
}

func TestKindsAreBounded(t *testing.T) {
	limit(t)
	var m statsMap[int]
	for i := range maxStats + 10 {
		if stats := m.getOrCreate(i, func(int) string { return "k" }); (stats == otherStats) != (i >= maxStats) {
			t.Fatalf("key %d", i)
		}
	}
}

// TestKindsAreKept looks for kinds again at once, and after others came: whatever is found once is found again.
func TestKindsAreKept(t *testing.T) {
	limit(t)
	var m statsMap[int]
	var list []*jobStats
	name := func(i int) string { return fmt.Sprint(i % 7) }
	for i := range maxStats {
		list = append(list, m.getOrCreate(i, name))
		for k := i; k >= 0; k = k/2 - 1 {
			if m.getOrCreate(k, name) != list[k] {
				t.Fatalf("of %d kinds %d is another one", i+1, k)
			}
		}
		if i%500 != 0 {
			continue
		}
		if n := len(appendNamed(nil, &m, "3")); n != (i+4)/7 {
			t.Fatalf("%d of %d kinds have a name that every seventh has", n, i+1)
		}
	}
	if len(m.fresh) != 0 || len(m.publishedStats()) != maxStats {
		t.Errorf("%d kinds are found without a lock, %d with one", len(m.publishedStats()), len(m.fresh))
	}
}

// TestKindsGrow counts what thousands of kinds allocate: a copy of the map for each would be hundreds of MB.
func TestKindsGrow(t *testing.T) {
	limit(t)
	var m statsMap[int]
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range maxStats {
		m.getOrCreate(i, func(int) string { return "k" })
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 4<<20 {
		t.Errorf("%d bytes", got)
	}
}
