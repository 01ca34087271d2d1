package jobs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

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

func TestJobStatsAreBounded(t *testing.T) {
	limit(t)
	var m statsMap[int]
	for i := range maxStats + 10 {
		if stats := m.getOrCreate(i, func(int) string { return "k" }); (stats == otherStats) != (i >= maxStats) {
			t.Fatalf("key %d", i)
		}
	}
}

// TestEstimatesRise checks that two long samples in a row raise a tiny job's estimate, and that single
// outliers between ordinary samples do not.
func TestEstimatesRise(t *testing.T) {
	limit(t)
	stats := &jobStats{name: "k"}
	stats.recordCost(100, 1)
	for range 50 {
		stats.recordCost(5*time.Millisecond, 1)
		for range 4 {
			stats.recordCost(100, 1)
		}
	}
	if got := stats.estimate(1); got >= tinyJob {
		t.Errorf("outliers between samples of 100 ns make the estimate %d", got)
	}
	stats.recordCost(time.Second, 1)
	stats.recordCost(5*time.Millisecond, 1)
	if got := stats.estimate(1); got != int64(5*time.Millisecond) {
		t.Errorf("after samples of 1 s and of 5 ms the estimate is %d, want that of the smaller one", got)
	}
}

// TestSamplesAreFair runs tiny jobs of several kinds in turn. It checks that each kind is timed in
// about one of 64 jobs, and that no kind waits long for its next sample.
func TestSamplesAreFair(t *testing.T) {
	limit(t)
	stats := &jobStats{name: "k"}
	stats.cost.Store(1)
	p := New(Workers(1))
	defer p.Close()
	node := &jobNode{stats: stats}
	for _, kinds := range []int{1, 2, 3, 16, 64, 100} {
		wc := newWorkerContext(p, 0)
		const rounds = 6400
		count, last := make([]int, kinds), make([]int, kinds)
		for round := range rounds {
			for kind := range kinds {
				wc.pushTask(node)
				wc.stack.popTask()
				if wc.timing.shouldTime(stats, 1) {
					count[kind]++
					if gap := round - last[kind]; gap > 64*16 {
						t.Errorf("%d kinds: kind %d is not timed for %d rounds", kinds, kind, gap)
					}
					last[kind] = round
				}
			}
		}
		for kind, n := range count {
			if n < rounds/64/2 || n > rounds/64*2 {
				t.Errorf("%d kinds: kind %d is timed %d times, want about %d", kinds, kind, n, rounds/64)
			}
		}
	}
}

// TestOtherStatsFollowNoJob checks that contexts never guess that otherStats follows another job, or
// that another job follows otherStats.
func TestOtherStatsFollowNoJob(t *testing.T) {
	limit(t)
	full := make(map[string]*jobStats, maxStats)
	for i := range maxStats {
		name := fmt.Sprint("full ", i)
		full[name] = &jobStats{name: name}
	}
	before := statsByName.snapshot.Swap(&full)
	defer statsByName.snapshot.Store(before)
	var c statsCache
	for range 2 {
		for _, name := range []string{"full 1", "full 2", "none 1", "full 3", "none 2", "none 3"} {
			want := full[name]
			if want == nil {
				want = otherStats
			}
			if got := c.statsOfName(name); got != want {
				t.Errorf("%s: got the statistics of %s", name, got.name)
			}
		}
	}
	if otherStats.follower.Load() != nil || full["full 2"].follower.Load() != nil || full["full 3"].follower.Load() != nil {
		t.Error("a guess leads from or to otherStats")
	}
	if full["full 1"].follower.Load() != full["full 2"] {
		t.Error("there is no guess after full 1")
	}
}

// TestCompactionKnowsTop checks that a deque seems empty at once after a compaction has dropped all
// of its entries.
func TestCompactionKnowsTop(t *testing.T) {
	limit(t)
	var d deque
	d.init()
	for range dequeSize {
		d.push(new(jobNode)) // not ready, as if a goroutine that waits had claimed the job
	}
	d.compactOrGrow()
	if d.size() != 0 || d.knownTop != d.top.Load() || !d.seemsEmpty() {
		t.Errorf("size %d, known top %d, top %d after a compaction that dropped all entries", d.size(), d.knownTop, d.top.Load())
	}
}

// TestJobStatsAreKept looks up job statistics again, at once and after other statistics were added.
// Each look-up of a key must find the same statistics, because a second copy would lose measurements.
func TestJobStatsAreKept(t *testing.T) {
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
	if len(m.unpublished) != 0 {
		t.Errorf("len(m.fresh) != 0: %d kinds are found without a lock, %d with one", len(m.publishedStats()), len(m.unpublished))
	} else if len(m.publishedStats()) != maxStats {
		t.Errorf("len(m.publishedStats()) != maxStats: %d kinds are found without a lock, %d with one", len(m.publishedStats()), len(m.unpublished))
	}
}

// TestJobStatsGrow measures the allocations for thousands of job statistics. Copying the map for each
// entry would take hundreds of MB.
func TestJobStatsGrow(t *testing.T) {
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

// TestFramesKeepNothing runs many frames whose jobs are only waited for and never stolen. Neither
// entries of the deque nor jobs that combine readers may accumulate.
//
// Each round runs as many frames as all earlier rounds together. A leak therefore grows in each round,
// even if it grows by doubling. If a worker fills a list for the first time, or another test has a
// goroutine running, memory grows in one round only.
func TestFramesKeepNothing(t *testing.T) {
	limit(t)
	const systems, readers, warm, rounds = 100, 10, 100, 5
	for _, workers := range []int{1, 2} {
		p := New(Workers(workers))
		s := p.Scope(context.Background())
		if err := s.End(); err != nil {
			t.Fatal(err)
		}
		var all [systems + systems/readers]Handle
		body := RangeFunc(func(*Task, int, int) {})
		run := func(frames int) {
			for range frames {
				s.Begin(context.Background())
				handles := all[:0]
				for i := range systems {
					handles = append(handles, s.ParallelFor(body, 1, 1))
					if n := len(handles); i%readers == readers-1 { // one job combines the readers since the last
						handles = append(handles, Combine(handles[n-readers:]...))
					}
				}
				if err := WaitAll(handles...); err != nil {
					t.Fatal(err)
				}
				if err := s.End(); err != nil {
					t.Fatal(err)
				}
			}
		}
		run(warm)
		leastBytes, leastEdges := math.Inf(1), math.Inf(1) // kept per frame
		for round := range rounds {
			frames := warm << round
			bytes, used := heapBytes(), edgesUsed()
			run(frames)
			leastBytes = min(leastBytes, float64(heapBytes()-bytes)/float64(frames))
			leastEdges = min(leastEdges, float64(edgesUsed()-used)/float64(frames))
		}
		if leastBytes > 64 || leastEdges > 2 { // a context keeps some hundred edges, and a frame uses that many
			t.Errorf("%d workers: a frame keeps %.1f bytes and %.2f edges", workers, leastBytes, leastEdges)
		}
		for _, wc := range *p.contexts.Load() {
			if got := len(wc.queue.deque.ring.Load().items); got != dequeSize {
				t.Errorf("%d workers: the deque of seat %d has grown to %d entries", workers, wc.index, got)
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func heapBytes() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func edgesUsed() int {
	edges.mu.Lock()
	defer edges.mu.Unlock()
	return int(edges.used)
}

// TestClosedPoolsKeepNothing opens and closes pools. Each pool must return the edges that its contexts
// have kept for themselves.
func TestClosedPoolsKeepNothing(t *testing.T) {
	limit(t)
	round := func() {
		p := New(Workers(2))
		if err := WaitAll(p.Schedule(&nothing{}, p.Schedule(&nothing{})), p.Schedule(&nothing{})); err != nil {
			t.Fatal(err)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	round()
	before := edgesUsed()
	for range 20 {
		round()
	}
	if grown := edgesUsed() - before; grown > 0 {
		t.Errorf("20 pools keep %d edges", grown)
	}
}

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
	waitUntil(t, "the worker has slept", func() bool { return p.sleepers.Count() == 1 })
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
		if ev.Start <= 0 {
			t.Errorf("ev.Start is %v, want more than 0: event %+v", ev.Start, ev)
		} else if ev.End < ev.Start {
			t.Errorf("ev.End is %v, want at least %v: event %+v", ev.End, ev.Start, ev)
		}
		if ev.Blocks > 0 {
			ev.Name = "loop " + ev.Name
		}
		found[ev.Name]++
	}
	if found["one"] != 10 {
		t.Errorf("found[\"one\"] is %v, want 10: events %v", found["one"], found)
	} else if found["loop jobs.nothing"] == 0 {
		t.Errorf("found[\"loop jobs.nothing\"] is %v: events %v", found["loop jobs.nothing"], found)
	} else if found[""] == 0 {
		t.Errorf("found[\"\"] is %v: events %v", found[""], found)
	}
}

func TestStatsCount(t *testing.T) {
	limit(t)
	p := New(Workers(2))
	waitUntil(t, "the worker sleeps", func() bool { return p.sleepers.Count() == 1 })
	sc := p.Scope(context.Background())
	var n atomic.Int64
	for range 200 {
		sc.Schedule(Func(func(*Task) { n.Add(1) }))
	}
	// The loop stays open until the worker has joined it. Without an estimate of its own it might count as short, and a short
	// loop begins on one worker: other tests fill the map of estimates, and then new jobs share one.
	join := func(int, int) {
		waitUntil(t, "the worker has joined", func() bool { return p.Stats().Joined > 0 })
	}
	stats := statsByCode.getOrCreate(funcPC(join), funcName)
	was := stats.cost.Swap(1 << 40)
	defer stats.cost.Store(was)
	if err := p.Range(2, 1, join); err != nil {
		t.Fatal(err)
	}
	sc.End()
	waitUntil(t, "the worker sleeps", func() bool { return p.sleepers.Count() == 1 })
	s := p.Stats()
	p.Close()
	if s.Jobs < 201 {
		t.Errorf("s.Jobs is %v, want at least 201: %+v", s.Jobs, s)
	} else if s.Loops != 1 {
		t.Errorf("s.Loops is %v, want 1: %+v", s.Loops, s)
	} else if s.Joined != 1 {
		t.Errorf("s.Joined is %v, want 1: %+v", s.Joined, s)
	} else if s.Sleeps == 0 {
		t.Errorf("s.Sleeps is %v: %+v", s.Sleeps, s)
	} else if s.Wakes == 0 {
		t.Errorf("s.Wakes is %v: %+v", s.Wakes, s)
	}
}

// TestStatsCountAll checks that the counters include the jobs of workers that have done little.
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
		waitUntil(t, "ten jobs are counted", func() bool { return p.Stats().Jobs == 10 })
		h := p.Schedule(&nothing{})
		if err := p.Close(); err != nil {
			t.Errorf("err != nil: %d workers: %+v, %v", workers, p.Stats(), err)
		} else if !h.Done() {
			t.Errorf("!h.Done(): %d workers: %+v, %v", workers, p.Stats(), err)
		} else if p.Stats().Jobs != 11 {
			t.Errorf("p.Stats().Jobs is %v, want 11: %d workers: %+v, %v", p.Stats().Jobs, workers, p.Stats(), err)
		}
	}
}

// TestWatchdogIsQuietWhileThereIsProgress checks that the watchdog reports only if nothing has changed
// for four checks while jobs were live. It must report again after four more such checks.
func TestWatchdogIsQuietWhileThereIsProgress(t *testing.T) {
	limit(t)
	var w watchdog
	for i, look := range []struct {
		changes uint64
		live    int
		stuck   bool
	}{
		{1, 1, false},                                              // the first change
		{1, 1, false}, {1, 2, false}, {1, 2, false}, {2, 2, false}, // a change just in time
		{2, 2, false}, {2, 2, false}, {2, 2, false}, {2, 0, false}, // no job to wait for
		{2, 1, false}, {2, 1, false}, {2, 1, false}, {2, 1, true},
		{2, 1, false}, {2, 1, false}, {2, 1, false}, {2, 1, true}, // the next report after four more looks
		{3, 1, false}, {3, 1, false}, {3, 1, false}, {3, 1, false}, {3, 1, true},
	} {
		if got := w.checkStuck(look.changes, look.live); got != look.stuck {
			t.Errorf("look %d: stuck: %v", i, got)
		}
	}
}

func TestLeaksAreReported(t *testing.T) {
	limit(t)
	for _, opts := range [][]Option{{Safety(Check)}, {Safety(Panic)}, {Watchdog(time.Hour, func(LiveJobs) {})}} {
		p := New(append(opts, Workers(2))...)
		hand := make(chan Handle)
		go func() { hand <- p.ScheduleHere(&namedJob{Func: func(*Task) {}, name: "orphan"}) }()
		<-hand
		var leak *LeakError
		for i := range leakScopes + 2 {
			err := p.Scope(context.Background()).End()
			if (p.live != nil && i == leakScopes) != errors.As(err, &leak) {
				t.Errorf("scope %d: %v", i, err)
			}
		}
		err := error(nil)
		func() {
			defer func() {
				if v := recover(); v != nil {
					err = v.(error)
				}
			}()
			err = p.Close()
		}()
		if !errors.As(err, &leak) {
			t.Errorf("!errors.As(err, &leak): %v", err)
		} else if leak.Count != 1 {
			t.Errorf("leak.Count is %v, want 1: %v", leak.Count, err)
		} else if p.live != nil && leak.Job != "orphan" {
			t.Errorf("p.live != nil && leak.Job != \"orphan\": %v", err)
		}
		if p.level == Panic && !strings.Contains(err.Error(), "observe_internal_test.go:") {
			t.Errorf("no site: %v", err)
		}
	}
	p := New(Workers(1), Safety(Off))
	hand := make(chan Handle)
	go func() { hand <- p.ScheduleHere(&nothing{}) }()
	<-hand
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
