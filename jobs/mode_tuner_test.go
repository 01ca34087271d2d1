package jobs

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lanewise/lanewise/jobs/internal/park"
)

// tenMicroseconds returns the statistics of a job whose loops of 64 indices take 10 µs by estimate.
func tenMicroseconds() (stats *jobStats, ns int64, n int) {
	stats = &jobStats{name: "ten microseconds"}
	n = 64
	stats.cost.Store(10_000 << 8 / int64(n))
	return stats, stats.estimate(n), n
}

// runTuner simulates loops that take the given nanoseconds with one worker and with all workers.
// It returns the fraction of the loops that one worker ran.
func runTuner(stats *jobStats, mt *modeTuner, runs int, one, all int64, n int) float64 {
	alone := 0
	for range runs {
		mode, timed := mt.nextMode(stats.estimate(n))
		took := all
		if mode == inSerial {
			took = one
			alone++
		}
		if timed {
			mt.recordTime(stats, mode, time.Duration(took), n)
		}
	}
	return float64(alone) / float64(runs)
}

// TestTunerFindsTheFasterMode checks that loops run in the faster mode, except during trials, and that
// the tuner notices when the faster mode changes.
func TestTunerFindsTheFasterMode(t *testing.T) {
	limit(t)
	for _, c := range []struct{ one, all int64 }{{10_000, 20_000}, {10_000, 11_200}, {10_000, 5_000}, {10_000, 8_800}, {10_000, 400_000}} {
		stats, ns, n := tenMicroseconds()
		tr := stats.tunerFor(2, ns, false)
		share := runTuner(stats, tr, 5000, c.one, c.all, n)
		if c.one > c.all {
			share = 1 - share
		}
		if share < 0.95 {
			t.Errorf("one takes %d, all %d: %.3f of the loops were run the quicker way", c.one, c.all, share)
		}
		// From here on the other mode is faster.
		runTuner(stats, tr, maxQuietLoopsShort, c.all, c.one, n)
		share = runTuner(stats, tr, 5000, c.all, c.one, n)
		if c.one > c.all {
			share = 1 - share
		}
		if share > 0.05 {
			t.Errorf("one took %d, all %d, and now it is the other way round: %.3f of the loops are run as before", c.one, c.all, share)
		}
	}
}

// TestTunerIgnoresSmallGains checks that one worker runs the loop alone if all workers together would
// save less than a microsecond.
func TestTunerIgnoresSmallGains(t *testing.T) {
	limit(t)
	for _, all := range []int64{10_000, 9_500, 9_100} {
		stats, ns, n := tenMicroseconds()
		if share := runTuner(stats, stats.tunerFor(2, ns, false), 5000, 10_000, all, n); share < 0.95 {
			t.Errorf("one takes 10000, all %d: %.3f of the loops were run by one", all, share)
		}
	}
}

// TestTunerSkipsTrialsOfLargeGains checks that the tuner does not try one worker where all workers are
// clearly faster.
func TestTunerSkipsTrialsOfLargeGains(t *testing.T) {
	limit(t)
	stats, ns, n := tenMicroseconds()
	if share := runTuner(stats, stats.tunerFor(2, ns, false), 10_000, 10_000, 5_500, n); share != 0 {
		t.Errorf("%.4f of the loops were run by one worker, want none", share)
	}
}

// TestTunerOfLongLoops checks that a long loop is tried with one worker too. The loop's estimate may
// come from a time when another worker slowed it down.
func TestTunerOfLongLoops(t *testing.T) {
	limit(t)
	const n, believed = 64, 4_000_000
	for _, c := range []struct {
		one, all int64
		least    float64 // the least fraction of the loops that one worker runs
		most     float64
	}{{2_000_000, 1_100_000, serialTrial / 10_000., serialTrial / 10_000.}, {2_000_000, 2_600_000, 0.95, 1}} {
		stats := &jobStats{name: "two milliseconds"}
		stats.cost.Store(believed << 8 / n)
		if share := runTuner(stats, stats.tunerFor(2, stats.estimate(n), false), 10_000, c.one, c.all, n); share < c.least {
			t.Errorf("share < c.least: one takes %d, all %d: %.4f of the loops were run by one worker, want %.4f to %.4f", c.one, c.all, share, c.least, c.most)
		} else if share > c.most {
			t.Errorf("share > c.most: one takes %d, all %d: %.4f of the loops were run by one worker, want %.4f to %.4f", c.one, c.all, share, c.least, c.most)
		}
	}
}

// TestTunerOfLongLoopsLooksAgain checks that the tuner tries all workers again within some seconds,
// because another program may no longer use a processor.
func TestTunerOfLongLoopsLooksAgain(t *testing.T) {
	limit(t)
	const n, one = 64, 8_000_000
	stats := &jobStats{name: "eight milliseconds"}
	stats.cost.Store(one << 8 / n)
	tr := stats.tunerFor(2, stats.estimate(n), false)
	if share := runTuner(stats, tr, 20_000, one, 10_000_000, n); share < 0.95 {
		t.Fatalf("%.4f of the loops were run by one worker while all were slower", share)
	}
	for tr.onTrial || tr.loopsLeft.Load() < tr.quietLoops { // until the tuner has just started a trial
		runTuner(stats, tr, 1, one, 10_000_000, n)
	}
	if alone := int(5000 * runTuner(stats, tr, 5000, one, 4_200_000, n)); alone > maxQuietLoopsLong+serialTrial {
		t.Errorf("%d loops, %d ms, were run by one worker when all were quicker again", alone, alone*one/1_000_000)
	}
}

// TestTunerIgnoresOutliers checks that a single interruption of a processor does not change the mode.
func TestTunerIgnoresOutliers(t *testing.T) {
	limit(t)
	stats, ns, n := tenMicroseconds()
	tr, alone := stats.tunerFor(2, ns, false), 0
	for i := range 5000 {
		mode, timed := tr.nextMode(ns)
		took := time.Duration(6_000)
		if mode == inSerial {
			took = 10_000
			alone++
		} else if i%100 == 50 {
			took = 3_000_000
		}
		if timed {
			tr.recordTime(stats, mode, took, n)
		}
	}
	if alone > 500 {
		t.Errorf("%d of 5000 loops were run by one worker", alone)
	}
}

// TestTunerClasses checks that short and long loops are not tuned. Each other class of lengths has one
// tuner per number of workers, and one more for loops after a pause.
func TestTunerClasses(t *testing.T) {
	limit(t)
	stats, _, _ := tenMicroseconds()
	for _, ns := range []int64{-1, 0, 1, minTunable - 1, maxTunable, 1 << 40} {
		if isTunable(ns) {
			t.Errorf("a loop of %d ns is tried", ns)
		}
	}
	seen := map[*modeTuner]int64{}
	for _, workers := range []int{2, 3, 64} {
		for _, pause := range []bool{false, true} {
			for ns := int64(minTunable); ns < maxTunable; ns *= 2 {
				tr := stats.tunerFor(workers, ns, pause)
				if tr == nil {
					t.Fatalf("tr is nil: loops of %d and %d ns have trials %p, %p", ns, 2*ns-1, tr, stats.tunerFor(workers, 2*ns-1, pause))
				} else if tr != stats.tunerFor(workers, 2*ns-1, pause) {
					t.Fatalf("tr != stats.tunerFor(workers, 2*ns-1, pause): loops of %d and %d ns have trials %p, %p", ns, 2*ns-1, tr, stats.tunerFor(workers, 2*ns-1, pause))
				}
				if other, ok := seen[tr]; ok {
					t.Errorf("loops of %d and %d ns have one trial", other, ns)
				}
				seen[tr] = ns
			}
		}
	}
	if want := 3 * 2 * tunerClasses; len(seen) != want {
		t.Errorf("%d classes, want %d", len(seen), want)
	}
}

// TestTunerIsShared ends many loops of a job at the same time.
func TestTunerIsShared(t *testing.T) {
	limit(t)
	stats, ns, n := tenMicroseconds()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { runTuner(stats, stats.tunerFor(2, ns, false), 2000, 10_000, 30_000, n) })
	}
	all.Wait()
	if share := runTuner(stats, stats.tunerFor(2, ns, false), 2000, 10_000, 30_000, n); share < 0.9 {
		t.Errorf("%.3f of the loops were run by one worker", share)
	}
}

// force sets a mode for all loops of a job, without trials.
func force(stats *jobStats, p *Pool, mode runMode) {
	for ns := int64(minTunable); ns < maxTunable; ns *= 2 {
		for _, pause := range []bool{false, true} {
			mt := stats.tunerFor(p.workers, ns, pause)
			mt.mode.Store(uint32(mode))
			mt.loopsLeft.Store(1 << 30)
			mt.busy.Store(true)
		}
	}
}

// failingAt is a loop that fails at some indices.
type failingAt struct {
	name string
	hits []atomic.Int32
	fail map[int]bool
}

func (f *failingAt) JobName() string { return f.name }

func (f *failingAt) RunRange(_ *Task, lo, hi int) {
	for i := lo; i < hi; i++ {
		f.hits[i].Add(1)
		if f.fail[i] {
			panic(i)
		}
	}
}

// TestModesAgree checks that all blocks run once in each mode, whether or not other blocks fail.
func TestModesAgree(t *testing.T) {
	limit(t)
	runPools(t, func(t *testing.T, p *Pool) {
		for _, mode := range []runMode{inParallel, inSerial} {
			j := &failingAt{name: "a way to run loops"}
			stats := statsByName.getOrCreate(j.name, func(s string) string { return s })
			force(stats, p, mode)
			for n := 2; n < 200; n += 7 {
				for _, lowest := range []int{-1, 0, n / 2, n - 1} {
					j.hits, j.fail = make([]atomic.Int32, n), map[int]bool{lowest: true, n - 1: lowest >= 0}
					stats.cost.Store(20_000 << 8 / int64(n)) // replaces the value that this machine has measured
					err := p.ParallelFor(j, n, 1).Wait()
					var failed *PanicError
					if lowest >= 0 && (!errors.As(err, &failed) || failed.Index != lowest) {
						t.Fatalf("lowest >= 0 && (!errors.As(err, &failed) || failed.Index != lowest): way %d, n %d: %v, want a panic at %d", mode, n, err, lowest)
					} else if lowest < 0 && err != nil {
						t.Fatalf("lowest < 0 && err != nil: way %d, n %d: %v, want a panic at %d", mode, n, err, lowest)
					}
					for i := range n {
						if got := j.hits[i].Load(); got != 1 {
							t.Fatalf("way %d, n %d: index %d ran %d times", mode, n, i, got)
						}
					}
				}
			}
		}
	})
}

// TestPromptJobIsFound checks jobs that wake no worker, because previous jobs of the same kind were
// always waited for at once. If such a job is not waited for, a worker must still find it, and later
// jobs of that kind must wake workers again.
func TestPromptJobIsFound(t *testing.T) {
	limit(t)
	for _, parker := range []Option{func(*Pool) {}, Futex()} {
		p := New(Workers(3), parker)
		job := &failingAt{name: "waited for at once", hits: make([]atomic.Int32, 64)}
		stats := statsByName.getOrCreate(job.name, func(s string) string { return s })
		for range 3 {
			waitAsleep(t, p)
			stats.cost.Store(1 << 20)
			stats.promptWaits.Store(promptRuns)
			one := p.Schedule(Func(func(*Task) {}))
			many := p.ParallelFor(job, 64, 1)
			waitUntil(t, "the jobs are done", func() bool { return one.Done() && many.Done() })
		}
		waitUntil(t, "that is noticed", func() bool { return stats.promptWaits.Load() == 0 })
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestPromptIsForNormalJobs checks that jobs of another priority wake workers, however promptly normal
// jobs of the same name are waited for.
func TestPromptIsForNormalJobs(t *testing.T) {
	limit(t)
	for _, pr := range []Priority{Background, High} {
		p := New(Workers(2))
		job := &failingAt{name: "waited for at once, but not always", hits: make([]atomic.Int32, 64)}
		stats := statsByName.getOrCreate(job.name, func(s string) string { return s })
		for range 3 {
			waitAsleep(t, p)
			stats.cost.Store(1 << 30)
			stats.promptWaits.Store(promptRuns)
			p.sentinel.present.Store(true) // a sentinel that would come late
			p.sentinel.wanted.Store(true)
			h := p.ParallelForAt(pr, job, 64, 1)
			waitUntil(t, "the job is done", h.Done)
			p.sentinel.wanted.Store(false)
			p.sentinel.present.Store(false)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// slowParker is a Parker that records the end of the last call of Unpark.
type slowParker struct {
	park.Parker
	over *atomic.Int64
}

func (b slowParker) Unpark() {
	b.Parker.Unpark()
	b.over.Store(int64(clock()))
}

// TestPromptTimeBeginsWhenOthersAreTold checks that the time for waking a worker does not make the
// following wait look late.
func TestPromptTimeBeginsWhenOthersAreTold(t *testing.T) {
	limit(t)
	if goroutine() == 0 {
		t.Skip("a goroutine that cannot be told from others has another seat at each call")
	}
	var over atomic.Int64
	p := New(Workers(2), func(p *Pool) { p.newParker = func() park.Parker { return slowParker{park.NewChan(), &over} } })
	defer p.Close()
	waitAsleep(t, p)
	wc := p.acquire()
	defer wc.release()
	statsByType.getOrCreate(reflect.TypeFor[*nothingYet](), typeName).cost.Store(1 << 30)
	h := p.Schedule(&nothingYet{})
	if told := int64(wc.queue.announcedAt); told == 0 {
		t.Errorf("told == 0: told at %d, and waking was over at %d", told, over.Load())
	} else if over.Load() == 0 {
		t.Errorf("over.Load() == 0: told at %d, and waking was over at %d", told, over.Load())
	} else if told < over.Load() {
		t.Errorf("told < over.Load(): told at %d, and waking was over at %d", told, over.Load())
	}
	if err := h.Wait(); err != nil {
		t.Error(err)
	}
	stats := &jobStats{}
	for want := range int32(promptRuns + 2) {
		wc.queue.announcedAt = clock() + time.Hour
		if wc.queue.recordPromptWait(stats); stats.promptWaits.Load() != min(want+1, promptRuns) {
			t.Errorf("stats.promptWaits.Load() != min(want+1, promptRuns): %d after %d waits at once", stats.promptWaits.Load(), want+1)
		} else if wc.queue.announcedAt != 0 {
			t.Errorf("wc.queue.announcedAt is %v, want 0: %d after %d waits at once", wc.queue.announcedAt, stats.promptWaits.Load(), want+1)
		}
	}
	wc.queue.announcedAt = clock() - time.Hour
	if wc.queue.recordPromptWait(stats); stats.promptWaits.Load() != 0 {
		t.Errorf("%d after a wait that came late", stats.promptWaits.Load())
	}
}

// nothingYet is a job that no other test uses.
type nothingYet struct{}

func (*nothingYet) Run(*Task) {}

// TestTunerRecordsTheEnd checks that the duration of a tuned loop is recorded once, when the goroutine
// that opened it can continue.
func TestTunerRecordsTheEnd(t *testing.T) {
	limit(t)
	runPools(t, func(t *testing.T, p *Pool) {
		wc := p.acquire()
		defer wc.release()
		stats, ns, n := tenMicroseconds()
		tr := stats.tunerFor(8, ns, false)
		gate := make(chan struct{})
		h := p.External(context.Background(), func(context.Context) error { <-gate; return nil })
		wc.openedLoop = openedLoop{h, tr, clock() - time.Millisecond, stats, n}
		if wc.openedLoop.reportIfDone(h); wc.openedLoop.tuner == nil {
			t.Errorf("told before the end: wc.openedLoop.tuner is nil")
		} else if tr.timedLoops != 0 {
			t.Errorf("told before the end: tr.timedLoops is %v, want 0", tr.timedLoops)
		}
		close(gate)
		if err := (&pendingWait{ctx: wc, target: h}).waitForTarget(); err != nil {
			t.Error(err)
		}
		if wc.openedLoop.tuner != nil {
			t.Errorf("wc.openedLoop.tuner is %v, want nil: %d told, opened %+v, mean %d", wc.openedLoop.tuner, tr.timedLoops, wc.openedLoop, tr.meanCost[inParallel].Load())
		} else if tr.timedLoops != 1 {
			t.Errorf("tr.timedLoops != 1: %d told, opened %+v, mean %d", tr.timedLoops, wc.openedLoop, tr.meanCost[inParallel].Load())
		} else if tr.meanCost[inParallel].Load() == 0 {
			t.Errorf("tr.meanCost[inParallel].Load() == 0: %d told, opened %+v, mean %d", tr.timedLoops, wc.openedLoop, tr.meanCost[inParallel].Load())
		}
		failed := p.Schedule(Func(func(*Task) { panic("no") }))
		_ = failed.Wait()
		wc.openedLoop = openedLoop{failed, tr, clock(), stats, n}
		if wc.openedLoop.reportIfDone(failed); wc.openedLoop.tuner != nil {
			t.Errorf("a loop that failed counts: wc.openedLoop.tuner is %v, want nil", wc.openedLoop.tuner)
		} else if tr.timedLoops != 1 {
			t.Errorf("a loop that failed counts: tr.timedLoops is %v, want 1", tr.timedLoops)
		}
		wc.openedLoop = openedLoop{h, tr, clock(), stats, n}
		if wc.openedLoop.reportIfDone(failed); wc.openedLoop.tuner != nil {
			t.Errorf("a loop counts whose end was not seen: wc.openedLoop.tuner is %v, want nil", wc.openedLoop.tuner)
		} else if tr.timedLoops != 1 {
			t.Errorf("a loop counts whose end was not seen: tr.timedLoops is %v, want 1", tr.timedLoops)
		}
	})
}

// TestTunerSeparatesLoopsAfterAPause checks that measurements without pauses do not affect loops after
// a pause.
func TestTunerSeparatesLoopsAfterAPause(t *testing.T) {
	limit(t)
	stats, ns, n := tenMicroseconds()
	hot, cold := stats.tunerFor(2, ns, false), stats.tunerFor(2, ns, true)
	for range 20 { // alternating, as in a frame that follows a sleep
		runTuner(stats, hot, 200, 10_000, 6_000, n)
		runTuner(stats, cold, 200, 10_000, 40_000, n)
	}
	if share := runTuner(stats, hot, 1000, 10_000, 6_000, n); share != 0 {
		t.Errorf("without a pause %.3f of the loops were run by one worker", share)
	}
	if share := runTuner(stats, cold, 1000, 10_000, 40_000, n); share < 0.95 {
		t.Errorf("after a pause %.3f of the loops were run by one worker", share)
	}
}

// TestPlanKnowsPauses checks the two conditions for a pause before a loop: all workers sleep, and
// enough time has passed since the last loop for the workers to fall asleep. If the workers sleep
// because one worker was enough for the last loop, there was no pause. In that case, waking the
// workers is worthwhile if there are many loops.
func TestPlanKnowsPauses(t *testing.T) {
	limit(t)
	if goroutine() == 0 {
		t.Skip("a goroutine that cannot be told from others has another seat at each call")
	}
	p := New(Workers(2), func(p *Pool) { p.machine.FixProcessors(2) }) // otherwise no worker stays awake, and every loop comes after a pause
	defer p.Close()
	waitAsleep(t, p)
	wc := p.acquire()
	defer wc.release()
	stats, ns, n := tenMicroseconds()
	node := &jobNode{stats: stats, n: n}
	hot, cold := stats.tunerFor(2, ns, false), stats.tunerFor(2, ns, true)
	wc.timing.tunedLoopStart, wc.timing.tunedLoopEstimate = clock()-time.Hour, time.Hour+time.Minute // it ends in a minute
	plan := func() *modeTuner {
		plan := loopPlan{estimateNs: ns}
		plan.chooseMode(wc, node)
		return plan.tuner
	}
	if tr := plan(); tr != hot {
		t.Errorf("right after another: the trial is %p, want %p", tr, hot)
	}
	if wc.timing.tunedLoopEstimate != time.Duration(ns) {
		t.Errorf("wc.timing.tunedLoopEstimate != time.Duration(ns): it began at %v and lasts %v", wc.timing.tunedLoopStart, wc.timing.tunedLoopEstimate)
	} else if clock()-wc.timing.tunedLoopStart > time.Hour/2 {
		t.Errorf("clock()-wc.timing.tunedLoopStart > time.Hour/2: it began at %v and lasts %v", wc.timing.tunedLoopStart, wc.timing.tunedLoopEstimate)
	}
	wc.timing.tunedLoopStart, wc.timing.tunedLoopEstimate = clock()-time.Hour, time.Minute
	if tr := plan(); tr != cold {
		t.Errorf("long after another: the trial is %p, want %p", tr, cold)
	}
	p.sleepers.Unmark(1)
	wc.timing.tunedLoopStart, wc.timing.tunedLoopEstimate = clock()-time.Hour, time.Minute
	if tr := plan(); tr != hot {
		t.Errorf("while a worker is awake: the trial is %p, want %p", tr, hot)
	}
	p.sleepers.Mark(1)
}

// nesting is a loop that opens another loop in its first block and waits for it.
type nesting struct {
	name  string
	inner *failingAt
}

func (o *nesting) JobName() string { return o.name }

func (o *nesting) RunRange(t *Task, lo, _ int) {
	if lo == 0 && o.inner != nil {
		_ = t.Wait(t.ParallelFor(o.inner, len(o.inner.hits), 1))
	}
}

// TestTunerOfALoopAroundAnother checks that a tuner gets the duration of a loop that opens another
// tuned loop inside.
func TestTunerOfALoopAroundAnother(t *testing.T) {
	limit(t)
	p := New(Workers(2))
	defer p.Close()
	started, gate := make(chan struct{}), make(chan struct{})
	busy := p.Schedule(Func(func(*Task) { close(started); <-gate }))
	<-started // no other worker joins the loops
	const n = 64
	outer := &nesting{name: "a loop around another", inner: &failingAt{name: "a loop inside of another", hits: make([]atomic.Int32, n)}}
	for _, name := range []string{outer.name, outer.inner.name} {
		stats := statsByName.getOrCreate(name, func(s string) string { return s })
		stats.tuners.Store(nil)
		stats.cost.Store(maxTunable / 2 << 8 / n)
	}
	if err := p.ParallelFor(outer, n, 1).Wait(); err != nil {
		t.Error(err)
	}
	for _, name := range []string{outer.name, outer.inner.name} {
		stats := statsByName.getOrCreate(name, nil)
		if tr := stats.tunerFor(2, maxTunable/2, false); tr.timedLoops != 1 {
			t.Errorf("tr.timedLoops != 1: %s: %d were told, mean %d", name, tr.timedLoops, tr.meanCost[inParallel].Load())
		} else if tr.meanCost[inParallel].Load() == 0 {
			t.Errorf("tr.meanCost[inParallel].Load() == 0: %s: %d were told, mean %d", name, tr.timedLoops, tr.meanCost[inParallel].Load())
		}
	}
	close(gate)
	if err := busy.Wait(); err != nil {
		t.Error(err)
	}
}

// TestSentinelSleepsGrow checks that the sentinel wakes up less often while it finds nothing.
func TestSentinelSleepsGrow(t *testing.T) {
	limit(t)
	sum, last := time.Duration(0), time.Duration(0)
	for i := range sentinelSleeps {
		sleep := sleepTime(i)
		if i < shortSleeps && sleep != sentinelSleep {
			t.Errorf("i < shortSleeps && sleep != sentinelSleep: sleep %d takes %v, the one before %v", i, sleep, last)
		} else if sleep < last {
			t.Errorf("sleep < last: sleep %d takes %v, the one before %v", i, sleep, last)
		} else if sleep > longSleep {
			t.Errorf("sleep > longSleep: sleep %d takes %v, the one before %v", i, sleep, last)
		} else if i >= shortSleeps && sleep == sentinelSleep {
			t.Errorf("i >= shortSleeps && sleep == sentinelSleep: sleep %d takes %v, the one before %v", i, sleep, last)
		}
		sum, last = sum+sleep, sleep
	}
	if last != longSleep {
		t.Errorf("last != longSleep: the last takes %v, all %v", last, sum)
	} else if sum < 12*longSleep {
		t.Errorf("sum < 12*longSleep: the last takes %v, all %v", last, sum)
	} else if sum > 16*longSleep {
		t.Errorf("sum > 16*longSleep: the last takes %v, all %v", last, sum)
	}
}

func TestLoopModes(t *testing.T) {
	limit(t)
	p := New(Workers(3))
	defer p.Close()
	const name = "a job whose loops are tuned"
	stats := statsByName.getOrCreate(name, func(s string) string { return s })
	stats.tuners.Store(nil)
	if list := p.LoopModes(name); list != nil {
		t.Errorf("list != nil: nothing was tried, and there is %v", list)
	} else if p.LoopModes("no such job") != nil {
		t.Errorf("p.LoopModes(\"no such job\") != nil: nothing was tried, and there is %v", list)
	}
	stats.cost.Store(100 << 8)
	for _, c := range []struct {
		one, all int64
		alone    bool
		trying   bool
		want     string
	}{
		{0, 80, false, true, "loops of 2.5µs to 5µs: all workers, on trial, 80ns an index"},
		{0, 60, false, false, "loops of 2.5µs to 5µs: all workers, 60ns an index; one was not tried, since that is plainly less"},
		{100, 125, true, false, "loops of 2.5µs to 5µs: one worker, 100ns an index; all take 125ns"},
		{12345, 12000, false, false, "loops of 2.5µs to 5µs: all workers, 12µs an index; one takes 12.3µs"},
		{0, 99, true, true, "loops of 2.5µs to 5µs: one worker, on trial"},
	} {
		tr := stats.tunerFor(3, minTunable, false)
		stats.tunerFor(2, minTunable, false).meanCost[inParallel].Store(1 << 20) // of other pools
		tr.meanCost[inSerial].Store(c.one << 8)
		tr.meanCost[inParallel].Store(c.all << 8)
		tr.onTrial = c.trying
		tr.mode.Store(uint32(inParallel))
		if c.alone {
			tr.mode.Store(uint32(inSerial))
		}
		list := p.LoopModes(name)
		if len(list) != 1 {
			t.Errorf("len(list) is %v, want 1: %v, want %q", len(list), list, c.want)
		} else if list[0].String() != c.want {
			t.Errorf("list[0].String() is %v, want %v: %v, want %q", list[0].String(), c.want, list, c.want)
		} else if list[0].Job != name {
			t.Errorf("list[0].Job is %v, want %v: %v, want %q", list[0].Job, name, list, c.want)
		}
	}
	stats.tunerFor(3, 2*minTunable, true).meanCost[inSerial].Store(7 << 8)
	list := p.LoopModes(name)
	if want := "loops of 5µs to 10µs after a pause: all workers, on trial"; len(list) != 2 {
		t.Errorf("len(list) is %v, want 2: %v, want %q", len(list), list, want)
	} else if !list[1].Pause {
		t.Errorf("!list[1].Pause: %v, want %q", list, want)
	} else if list[1].String() != want {
		t.Errorf("list[1].String() is %v, want %v: %v, want %q", list[1].String(), want, list, want)
	}
}
