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

// tenMicroseconds is a kind whose loops of 64 indices are believed to take 10 µs.
func tenMicroseconds() (stats *jobStats, ns int64, n int) {
	stats = &jobStats{name: "ten microseconds"}
	n = 64
	stats.cost.Store(10_000 << 8 / int64(n))
	return stats, stats.estimate(n), n
}

// runTrial pretends to run loops that take so many nanoseconds with one worker and with
// all, and returns which part of them one worker has run.
func runTrial(stats *jobStats, mt *modeTuner, runs int, one, all int64, n int) float64 {
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

// Loops are run in the way that takes them less time, except for some trials, also when
// that changes.
func TestTrialFindsTheQuickerWay(t *testing.T) {
	limit(t)
	for _, c := range []struct{ one, all int64 }{{10_000, 20_000}, {10_000, 11_200}, {10_000, 5_000}, {10_000, 8_800}, {10_000, 400_000}} {
		stats, ns, n := tenMicroseconds()
		tr := stats.tunerFor(2, ns, false)
		share := runTrial(stats, tr, 5000, c.one, c.all, n)
		if c.one > c.all {
			share = 1 - share
		}
		if share < 0.95 {
			t.Errorf("one takes %d, all %d: %.3f of the loops were run the quicker way", c.one, c.all, share)
		}
		// The other way round: all at once are quick, and then they are slow, or vice versa.
		runTrial(stats, tr, maxQuiet, c.all, c.one, n)
		share = runTrial(stats, tr, 5000, c.all, c.one, n)
		if c.one > c.all {
			share = 1 - share
		}
		if share > 0.05 {
			t.Errorf("one took %d, all %d, and now it is the other way round: %.3f of the loops are run as before", c.one, c.all, share)
		}
	}
}

// All workers have to save a microsecond: where they save less one does it alone.
func TestTrialLeavesSmallGainsAlone(t *testing.T) {
	limit(t)
	for _, all := range []int64{10_000, 9_500, 9_100} {
		stats, ns, n := tenMicroseconds()
		if share := runTrial(stats, stats.tunerFor(2, ns, false), 5000, 10_000, all, n); share < 0.95 {
			t.Errorf("one takes 10000, all %d: %.3f of the loops were run by one", all, share)
		}
	}
}

// Where it is plain that all are quicker, one worker alone is not tried.
func TestTrialLeavesLargeGainsAlone(t *testing.T) {
	limit(t)
	stats, ns, n := tenMicroseconds()
	if share := runTrial(stats, stats.tunerFor(2, ns, false), 10_000, 10_000, 5_500, n); share != 0 {
		t.Errorf("%.4f of the loops were run by one worker, want none", share)
	}
}

// Of long loops it is not taken for plain before one worker has been tried: what it is
// believed to take was seen while another slowed it down.
func TestTrialOfLongLoops(t *testing.T) {
	limit(t)
	const n, believed = 64, 4_000_000
	for _, c := range []struct {
		one, all int64
		least    float64 // of the loops are run by one worker
		most     float64
	}{{2_000_000, 1_100_000, serialTrial / 10_000., serialTrial / 10_000.}, {2_000_000, 2_600_000, 0.95, 1}} {
		stats := &jobStats{name: "two milliseconds"}
		stats.cost.Store(believed << 8 / n)
		if share := runTrial(stats, stats.tunerFor(2, stats.estimate(n), false), 10_000, c.one, c.all, n); share < c.least || share > c.most {
			t.Errorf("one takes %d, all %d: %.4f of the loops were run by one worker, want %.4f to %.4f", c.one, c.all, share, c.least, c.most)
		}
	}
}

// TestTrialOfLongLoopsLooksAgain: when others have let go of a processor, all workers are asked again within some seconds.
func TestTrialOfLongLoopsLooksAgain(t *testing.T) {
	limit(t)
	const n, one = 64, 8_000_000
	stats := &jobStats{name: "eight milliseconds"}
	stats.cost.Store(one << 8 / n)
	tr := stats.tunerFor(2, stats.estimate(n), false)
	if share := runTrial(stats, tr, 20_000, one, 10_000_000, n); share < 0.95 {
		t.Fatalf("%.4f of the loops were run by one worker while all were slower", share)
	}
	for tr.trying || tr.loopsLeft.Load() < tr.quietLoops { // to where it has just been asked
		runTrial(stats, tr, 1, one, 10_000_000, n)
	}
	if alone := int(5000 * runTrial(stats, tr, 5000, one, 4_200_000, n)); alone > maxQuietLong+serialTrial {
		t.Errorf("%d loops, %d ms, were run by one worker when all were quicker again", alone, alone*one/1_000_000)
	}
}

// One lost processor does not decide.
func TestTrialOutlivesOutliers(t *testing.T) {
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

// Short and long loops are not tried, and others apart from those of another length, of
// another number of workers, and of those after a pause.
func TestTrialClasses(t *testing.T) {
	limit(t)
	stats, _, _ := tenMicroseconds()
	for _, ns := range []int64{-1, 0, 1, minTunable - 1, maxTunable, 1 << 40} {
		if tunable(ns) {
			t.Errorf("a loop of %d ns is tried", ns)
		}
	}
	seen := map[*modeTuner]int64{}
	for _, workers := range []int{2, 3, 64} {
		for _, pause := range []bool{false, true} {
			for ns := int64(minTunable); ns < maxTunable; ns *= 2 {
				tr := stats.tunerFor(workers, ns, pause)
				if tr == nil || tr != stats.tunerFor(workers, 2*ns-1, pause) {
					t.Fatalf("loops of %d and %d ns have trials %p, %p", ns, 2*ns-1, tr, stats.tunerFor(workers, 2*ns-1, pause))
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

// Many loops of a kind may end at the same time.
func TestTrialIsShared(t *testing.T) {
	limit(t)
	stats, ns, n := tenMicroseconds()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { runTrial(stats, stats.tunerFor(2, ns, false), 2000, 10_000, 30_000, n) })
	}
	all.Wait()
	if share := runTrial(stats, stats.tunerFor(2, ns, false), 2000, 10_000, 30_000, n); share < 0.9 {
		t.Errorf("%.3f of the loops were run by one worker", share)
	}
}

// force puts a way into force for all loops of a kind, and takes trials away.
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

// failingAt fails at some indices.
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

// Whichever way a loop is run, all blocks run once, whether others fail or not.
func TestWaysAgree(t *testing.T) {
	limit(t)
	pools(t, func(t *testing.T, p *Pool) {
		for _, mode := range []runMode{inParallel, inSerial} {
			j := &failingAt{name: "a way to run loops"}
			stats := statsByName.getOrCreate(j.name, func(s string) string { return s })
			force(stats, p, mode)
			for n := 2; n < 200; n += 7 {
				for _, lowest := range []int{-1, 0, n / 2, n - 1} {
					j.hits, j.fail = make([]atomic.Int32, n), map[int]bool{lowest: true, n - 1: lowest >= 0}
					stats.cost.Store(20_000 << 8 / int64(n)) // whatever this machine thinks of it
					err := p.ParallelFor(j, n, 1).Wait()
					var failed *PanicError
					if lowest >= 0 && (!errors.As(err, &failed) || failed.Index != lowest) || lowest < 0 && err != nil {
						t.Fatalf("way %d, n %d: %v, want a panic at %d", mode, n, err, lowest)
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

// A kind of job that was always waited for at once wakes no worker, and is found all the
// same if it is not any more; then workers are woken again.
func TestPromptJobIsFound(t *testing.T) {
	limit(t)
	for _, parker := range []Option{func(*Pool) {}, Futex()} {
		p := New(Workers(3), parker)
		job := &failingAt{name: "waited for at once", hits: make([]atomic.Int32, 64)}
		stats := statsByName.getOrCreate(job.name, func(s string) string { return s })
		for range 3 {
			asleep(t, p)
			stats.cost.Store(1 << 20)
			stats.promptWaits.Store(promptRuns)
			one := p.Schedule(Func(func(*Task) {}))
			many := p.ParallelFor(job, 64, 1)
			soon(t, "the jobs are done", func() bool { return one.Done() && many.Done() })
		}
		soon(t, "that is noticed", func() bool { return stats.promptWaits.Load() == 0 })
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Jobs of another priority wake workers, however promptly those of their kind are waited for
// that have none: they are not run meanwhile, and what finds them does not tell.
func TestPromptIsForNormalJobs(t *testing.T) {
	limit(t)
	for _, pr := range []Priority{Background, High} {
		p := New(Workers(2))
		job := &failingAt{name: "waited for at once, but not always", hits: make([]atomic.Int32, 64)}
		stats := statsByName.getOrCreate(job.name, func(s string) string { return s })
		for range 3 {
			asleep(t, p)
			stats.cost.Store(1 << 30)
			stats.promptWaits.Store(promptRuns)
			p.sentinel.present.Store(true) // one that would come late
			p.sentinel.wanted.Store(true)
			h := p.ParallelForAt(pr, job, 64, 1)
			soon(t, "the job is done", h.Done)
			p.sentinel.wanted.Store(false)
			p.sentinel.present.Store(false)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// slowParker is a Parker that notes when the last call of Unpark was over.
type slowParker struct {
	park.Parker
	over *atomic.Int64
}

func (b slowParker) Unpark() {
	b.Parker.Unpark()
	b.over.Store(int64(clock()))
}

// What it takes to wake a worker does not make a wait one that comes late.
func TestPromptTimeBeginsWhenOthersAreTold(t *testing.T) {
	limit(t)
	if goroutine() == 0 {
		t.Skip("a goroutine that cannot be told from others has another seat at each call")
	}
	var over atomic.Int64
	p := New(Workers(2), func(p *Pool) { p.newParker = func() park.Parker { return slowParker{park.NewChan(), &over} } })
	defer p.Close()
	asleep(t, p)
	wc := p.acquire()
	defer wc.release()
	statsByType.getOrCreate(reflect.TypeFor[*nothingYet](), typeName).cost.Store(1 << 30)
	h := p.Schedule(&nothingYet{})
	if told := int64(wc.queue.announcedAt); told == 0 || over.Load() == 0 || told < over.Load() {
		t.Errorf("told at %d, and waking was over at %d", told, over.Load())
	}
	if err := h.Wait(); err != nil {
		t.Error(err)
	}
	stats := &jobStats{}
	for want := range int32(promptRuns + 2) {
		wc.queue.announcedAt = clock() + time.Hour
		if wc.queue.recordPromptWait(stats); stats.promptWaits.Load() != min(want+1, promptRuns) || wc.queue.announcedAt != 0 {
			t.Errorf("%d after %d waits at once", stats.promptWaits.Load(), want+1)
		}
	}
	wc.queue.announcedAt = clock() - time.Hour
	if wc.queue.recordPromptWait(stats); stats.promptWaits.Load() != 0 {
		t.Errorf("%d after a wait that came late", stats.promptWaits.Load())
	}
}

// nothingYet is a kind of its own.
type nothingYet struct{}

func (*nothingYet) Run(*Task) {}

// A loop on trial has its time taken when the goroutine that opened it can go on, once.
func TestTrialIsToldAtTheEnd(t *testing.T) {
	limit(t)
	pools(t, func(t *testing.T, p *Pool) {
		wc := p.acquire()
		defer wc.release()
		stats, ns, n := tenMicroseconds()
		tr := stats.tunerFor(8, ns, false)
		gate := make(chan struct{})
		h := p.External(context.Background(), func(context.Context) error { <-gate; return nil })
		wc.openedLoop = openedLoop{h, tr, clock() - time.Millisecond, stats, n}
		if wc.openedLoop.reportIfDone(h); wc.openedLoop.tuner == nil || tr.timedLoops != 0 {
			t.Error("told before the end")
		}
		close(gate)
		if err := (&pendingWait{ctx: wc, target: h}).waitForTarget(); err != nil {
			t.Error(err)
		}
		if wc.openedLoop.tuner != nil || tr.timedLoops != 1 || tr.meanCost[inParallel].Load() == 0 {
			t.Errorf("%d told, opened %+v, mean %d", tr.timedLoops, wc.openedLoop, tr.meanCost[inParallel].Load())
		}
		failed := p.Schedule(Func(func(*Task) { panic("no") }))
		_ = failed.Wait()
		wc.openedLoop = openedLoop{failed, tr, clock(), stats, n}
		if wc.openedLoop.reportIfDone(failed); wc.openedLoop.tuner != nil || tr.timedLoops != 1 {
			t.Error("a loop that failed counts")
		}
		wc.openedLoop = openedLoop{h, tr, clock(), stats, n}
		if wc.openedLoop.reportIfDone(failed); wc.openedLoop.tuner != nil || tr.timedLoops != 1 {
			t.Error("a loop counts whose end was not seen")
		}
	})
}

// What is learned without pauses says nothing of loops after one.
func TestTrialLearnsApartWhatComesAfterAPause(t *testing.T) {
	limit(t)
	stats, ns, n := tenMicroseconds()
	hot, cold := stats.tunerFor(2, ns, false), stats.tunerFor(2, ns, true)
	for range 20 { // in turns, as in a frame that follows a sleep
		runTrial(stats, hot, 200, 10_000, 6_000, n)
		runTrial(stats, cold, 200, 10_000, 40_000, n)
	}
	if share := runTrial(stats, hot, 1000, 10_000, 6_000, n); share != 0 {
		t.Errorf("without a pause %.3f of the loops were run by one worker", share)
	}
	if share := runTrial(stats, cold, 1000, 10_000, 40_000, n); share < 0.95 {
		t.Errorf("after a pause %.3f of the loops were run by one worker", share)
	}
}

// A loop comes after a pause if all workers sleep and have had the time to fall asleep since
// the last one, however that was run: that they sleep because one worker was enough is no
// pause, since there it pays to wake them for many loops.
func TestPlanKnowsPauses(t *testing.T) {
	limit(t)
	if goroutine() == 0 {
		t.Skip("a goroutine that cannot be told from others has another seat at each call")
	}
	p := New(Workers(2), func(p *Pool) { p.machine.Fix(2) }) // else no worker stays awake, and every loop comes after a pause
	defer p.Close()
	asleep(t, p)
	wc := p.acquire()
	defer wc.release()
	stats, ns, n := tenMicroseconds()
	node := &jobNode{stats: stats, n: n}
	hot, cold := stats.tunerFor(2, ns, false), stats.tunerFor(2, ns, true)
	wc.timing.tunedLoopStart, wc.timing.tunedLoopEstimate = clock()-time.Hour, time.Hour+time.Minute // it ends in a minute
	plan := func() *modeTuner {
		plan := loopPlan{ns: ns}
		plan.chooseMode(wc, node)
		return plan.tuner
	}
	if tr := plan(); tr != hot {
		t.Errorf("right after another: the trial is %p, want %p", tr, hot)
	}
	if wc.timing.tunedLoopEstimate != time.Duration(ns) || clock()-wc.timing.tunedLoopStart > time.Hour/2 {
		t.Errorf("it began at %v and lasts %v", wc.timing.tunedLoopStart, wc.timing.tunedLoopEstimate)
	}
	wc.timing.tunedLoopStart, wc.timing.tunedLoopEstimate = clock()-time.Hour, time.Minute
	if tr := plan(); tr != cold {
		t.Errorf("long after another: the trial is %p, want %p", tr, cold)
	}
	p.lot.Unmark(1)
	wc.timing.tunedLoopStart, wc.timing.tunedLoopEstimate = clock()-time.Hour, time.Minute
	if tr := plan(); tr != hot {
		t.Errorf("while a worker is awake: the trial is %p, want %p", tr, hot)
	}
	p.lot.Mark(1)
}

// nesting opens another loop in its first block and waits for it.
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

// A loop on trial that opens another, which is on trial too, is told of all the same.
func TestTrialOfALoopAroundAnother(t *testing.T) {
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
		if tr := stats.tunerFor(2, maxTunable/2, false); tr.timedLoops != 1 || tr.meanCost[inParallel].Load() == 0 {
			t.Errorf("%s: %d were told, mean %d", name, tr.timedLoops, tr.meanCost[inParallel].Load())
		}
	}
	close(gate)
	if err := busy.Wait(); err != nil {
		t.Error(err)
	}
}

// The sentinel gets up less often when it finds nothing.
func TestSentinelSleepsGrow(t *testing.T) {
	limit(t)
	sum, last := time.Duration(0), time.Duration(0)
	for i := range sentinelSleeps {
		sleep := sleepTime(i)
		if i < shortSleeps && sleep != sentinelSleep || sleep < last || sleep > longSleep || i >= shortSleeps && sleep == sentinelSleep {
			t.Errorf("sleep %d takes %v, the one before %v", i, sleep, last)
		}
		sum, last = sum+sleep, sleep
	}
	if last != longSleep || sum < 12*longSleep || sum > 16*longSleep {
		t.Errorf("the last takes %v, all %v", last, sum)
	}
}
