package jobs

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestContextsTakeEachBlockOnce makes several contexts take the blocks of a loop, in random turns,
// one or several blocks at a time. Some of the contexts have a share of the loop. Each block must
// be taken once.
func TestContextsTakeEachBlockOnce(t *testing.T) {
	limit(t)
	p := New(Workers(1))
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 4))
		const n = 100
		shares := 1 + rng.IntN(4)
		lp := &loop{shares: make([]blockShare, shares), maxTake: uint32(1 + rng.IntN(2)*rng.IntN(30))}
		lp.node = new(jobNode)
		lp.openToWorkers(uint64(seed%3), n, -1)
		lp.maxTake = uint32(1 + rng.IntN(2)*rng.IntN(30))
		var cursors []*blockCursor
		for i := range 1 + rng.IntN(6) {
			c := newBlockCursor(lp, newWorkerContext(p, (i+rng.IntN(3))%7))
			if i > 0 && c.ownShare != nil {
				c.ownShare = nil // a share has one owner
			}
			cursors = append(cursors, &c)
		}
		var ran [n]int
		for len(cursors) > 0 {
			i := rng.IntN(len(cursors))
			if c := cursors[i]; c.nextBlocks() {
				for b := c.lo; b < c.hi; b++ {
					ran[b]++
				}
			} else {
				cursors = append(cursors[:i], cursors[i+1:]...)
			}
		}
		for b, k := range ran {
			if want := 1; b < int(seed%3) && k != 0 {
				t.Fatalf("b < int(seed%%3) && k != 0: seed %d: block %d was taken %d times", seed, b, k)
			} else if b >= int(seed%3) && k != want {
				t.Fatalf("b >= int(seed%%3) && k != want: seed %d: block %d was taken %d times", seed, b, k)
			}
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestManyWaitForOneLoop makes goroutines without a share of a loop steal its blocks. Each block
// must run once.
func TestManyWaitForOneLoop(t *testing.T) {
	limit(t)
	p := New(Workers(2))
	stolen := func() (n uint64) {
		for _, wc := range (*p.contexts.Load())[p.workers:] {
			n += wc.counters.steals.Load()
		}
		return n
	}
	for round := 0; round < 20 || stolen() < 100; round++ {
		var ran [200]atomic.Int32
		h := p.ParallelFor(RangeFunc(func(_ *Task, lo, _ int) {
			ran[lo].Add(1)
			runtime.Gosched()
		}), len(ran), 1)
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				if err := h.Wait(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		for i := range ran {
			if n := ran[i].Load(); n != 1 {
				t.Fatalf("round %d: block %d ran %d times", round, i, n)
			}
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// openLoop opens a loop of two blocks in a context, as runParallelFor does, and returns the handle of
// its job.
func openLoop(p *Pool, wc *workerContext, pr Priority, job RangeJob) (*loop, Handle) {
	node := wc.newLoop(job, 2, 1, nil)
	node.priority = pr
	wc.timing.submitted++
	lp := p.loops.acquireLoop(p.workers)
	lp.node, lp.job, lp.n, lp.grain, lp.priority = node, job, 2, 1, pr
	p.loops.openBits[pr-Background].Or(1 << lp.index)
	lp.openToWorkers(0, 2, -1)
	return lp, Handle{node: node, gen: generation(node.word.Load())}
}

// TestWrongLoopsAreLeft checks a worker that has seen a loop and finds another loop in its place when
// it joins. The worker must not touch that other loop.
func TestWrongLoopsAreLeft(t *testing.T) {
	limit(t)
	p := New(Workers(1))
	wc := p.acquire()
	var ran atomic.Int32
	lp, h := openLoop(p, wc, Background, RangeFunc(func(*Task, int, int) { ran.Add(1) }))
	p.loops.openBits[Normal-Background].Or(1 << lp.index) // as if a worker had seen the loop that was there before
	if wc.joinOpenLoop(Normal) {
		t.Errorf("a background loop was joined without a permit: wc.joinOpenLoop(Normal)")
	} else if ran.Load() != 0 {
		t.Errorf("a background loop was joined without a permit: ran.Load() is %v, want 0", ran.Load())
	}
	p.loops.openBits[Normal-Background].And(^uint64(1 << lp.index))
	before := h
	before.gen--
	w := dependencyWalk{ctx: wc}
	w.joinLoop(lp, before)
	if w.ranJob {
		t.Errorf("a waiter has joined the loop of a later job in the slot: w.ranJob")
	} else if ran.Load() != 0 {
		t.Errorf("a waiter has joined the loop of a later job in the slot: ran.Load() is %v, want 0", ran.Load())
	}
	if st := lp.state.Load(); st != loopOpen|1 {
		t.Errorf("the loop's state is %#x", st)
	}
	lp.workJoined(wc, noContinuation)
	if !h.Done() {
		t.Errorf("!h.Done(): %d of 2 blocks ran", ran.Load())
	} else if ran.Load() != 2 {
		t.Errorf("ran.Load() != 2: %d of 2 blocks ran", ran.Load())
	}
	wc.release()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestJoinedLoopIsMeasured checks that a kind of loops counts as completed, and has a duration, after
// a loop of which the opener ran no block.
func TestJoinedLoopIsMeasured(t *testing.T) {
	limit(t)
	p := New(Workers(1))
	wc := p.acquire()
	lp, h := openLoop(p, wc, Normal, RangeFunc(func(*Task, int, int) { time.Sleep(time.Millisecond) }))
	stats := lp.node.stats
	stats.cost.Store(0) // as in a process that has run no such job
	w := dependencyWalk{ctx: wc}
	w.joinLoop(lp, h)
	if stats.hasCompleted() {
		t.Error("the kind has completed before the opener has left its loop")
	}
	lp.leaveLoop(wc, noContinuation)
	if !w.ranJob || !h.Done() {
		t.Fatalf("ran %v, done %v", w.ranJob, h.Done())
	}
	if ns := stats.estimate(1); ns < int64(time.Millisecond) {
		t.Errorf("one index takes %d ns, want at least a millisecond", ns)
	}
	if lp.isMeasured.Load() || lp.measuredIndices != 0 {
		t.Error("the next loop would keep this time")
	}
	wc.release()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestGrainIsChosenByNAlone checks that the grain depends only on n. The index that a panic reports
// depends on the grain, and must be the same for all numbers of workers.
func TestGrainIsChosenByNAlone(t *testing.T) {
	limit(t)
	for _, n := range []int{1, 255, 256, 257, 100_000} {
		var want []int
		for _, workers := range counts {
			p := New(Workers(workers))
			seen := make([]atomic.Bool, n)
			if err := p.Range(n, 0, func(lo, hi int) { seen[lo].Store(true) }); err != nil {
				t.Fatal(err)
			}
			p.Close()
			var got []int
			for lo := range seen {
				if seen[lo].Load() {
					got = append(got, lo)
				}
			}
			if want == nil {
				want = got
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("fmt.Sprint(got) != fmt.Sprint(want): n %d, workers %d: %d blocks, want %d", n, workers, len(got), len(want))
			} else if len(got) > maxLeaves {
				t.Errorf("len(got) > maxLeaves: n %d, workers %d: %d blocks, want %d", n, workers, len(got), len(want))
			}
		}
	}
}

func TestSmallLoopsStayOnOneWorker(t *testing.T) {
	limit(t)
	p := New(Workers(2))
	defer p.Close()
	job := &nothing{}
	p.ParallelFor(job, 2, 1).Wait() // creates the job's statistics
	stats := statsByType.getOrCreate(reflect.TypeOf(job), typeName)
	before := p.Stats().Inline
	for range 640 {
		stats.cost.Store(1) // replaces the value that this machine has measured
		p.ParallelFor(job, 2, 1).Wait()
	}
	if got := p.Stats().Inline - before; got < 500 {
		t.Errorf("%d of 640 loops were run inline", got)
	}
}

// TestSmallLoopsPanicOnce checks that a cheap loop, which one worker runs alone, fails like any other
// loop.
func TestSmallLoopsPanicOnce(t *testing.T) {
	limit(t)
	p := New(Workers(3))
	defer p.Close()
	var ran [40]atomic.Int32
	bad := 0
	job := RangeFunc(func(_ *Task, lo, _ int) {
		ran[lo].Add(1)
		if lo >= bad {
			panic(lo)
		}
	})
	for bad = range ran {
		clear(ran[:])
		statsByCode.getOrCreate(funcPC(job), funcName).cost.Store(1)
		var pe *PanicError
		if err := p.ParallelFor(job, len(ran), 1).Wait(); !errors.As(err, &pe) {
			t.Fatalf("!errors.As(err, &pe): panic at %d: %v", bad, err)
		} else if pe.Index != bad {
			t.Fatalf("pe.Index is %v, want %v: panic at %d: %v", pe.Index, bad, bad, err)
		}
		for i := range ran {
			if n := ran[i].Load(); i <= bad && n != 1 {
				t.Fatalf("i <= bad && n != 1: panic at %d: index %d ran %d times", bad, i, n)
			} else if n > 1 {
				t.Fatalf("n > 1: panic at %d: index %d ran %d times", bad, i, n)
			}
		}
	}
}

// TestLoopEscapes checks that a loop that looked cheap but takes long still gets other workers.
func TestLoopEscapes(t *testing.T) {
	limit(t)
	p := New(Workers(4))
	defer p.Close()
	slow := false
	job := RangeFunc(func(*Task, int, int) {
		if slow {
			time.Sleep(100 * time.Microsecond)
		}
	})
	p.ParallelFor(job, 64, 1).Wait() // creates the job's statistics
	slow = true
	statsByCode.getOrCreate(funcPC(job), funcName).cost.Store(1) // replaces the value that this machine has measured
	before := p.Stats().Loops
	if err := p.ParallelFor(job, 64, 1).Wait(); err != nil {
		t.Errorf("err != nil: %d loops were opened, error %v", p.Stats().Loops-before, err)
	} else if p.Stats().Loops != before+1 {
		t.Errorf("p.Stats().Loops is %v, want %v: %d loops were opened, error %v", p.Stats().Loops, before+1, p.Stats().Loops-before, err)
	}
}
