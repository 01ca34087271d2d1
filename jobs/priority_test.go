package jobs

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

func TestPrioritiesComeFirst(t *testing.T) {
	limit(t)
	p := New(Workers(2))
	defer p.Close()
	gate := make(chan struct{})
	begun := make(chan struct{})
	p.Schedule(Func(func(*Task) { close(begun); <-gate }))
	soon(t, "the worker is busy", func() bool {
		select {
		case <-begun:
			return true
		default:
			return false
		}
	})
	var mu sync.Mutex
	var order []Priority
	var all []Handle
	for _, pr := range []Priority{Background, Normal, High} {
		job := Func(func(*Task) {
			mu.Lock()
			order = append(order, pr)
			mu.Unlock()
		})
		// Tiny ones would be left to this goroutine, before background jobs too.
		statsByCode.getOrCreate(funcPC(job), funcName).cost.Store(1 << 20)
		all = append(all, p.ScheduleAt(pr, job))
	}
	close(gate)
	soon(t, "all are done", func() bool { return all[0].Done() && all[1].Done() && all[2].Done() })
	if len(order) != 3 || order[0] != High || order[1] != Normal || order[2] != Background {
		t.Errorf("order %v", order)
	}
}

func TestBackgroundLeavesWorkersFree(t *testing.T) {
	limit(t)
	p := New(Workers(9)) // two of eight may run background jobs
	defer p.Close()
	var now, most atomic.Int32
	gate := make(chan struct{})
	release := sync.OnceFunc(func() { close(gate) })
	defer release()
	sc := p.Scope(context.Background())
	slow := Func(func(*Task) {
		n := now.Add(1)
		for old := most.Load(); old < n && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		<-gate
		now.Add(-1)
	})
	for range 6 {
		p.ScheduleAt(Background, slow)
	}
	soon(t, "background jobs run", func() bool { return now.Load() == 2 })
	var n atomic.Int32
	if err := p.Range(100, 1, func(lo, hi int) { n.Add(1) }); err != nil || n.Load() != 100 {
		t.Errorf("%d of 100, %v", n.Load(), err)
	}
	if got := most.Load(); got != 2 {
		t.Errorf("%d background jobs ran at a time", got)
	}
	release()
	if err := sc.End(); err != nil {
		t.Error(err)
	}
}

// TestBackgroundBehindOthers: also where they become ready behind normal jobs, whose
// workers then are free to run something.
func TestBackgroundBehindOthers(t *testing.T) {
	limit(t)
	p := New(Workers(9)) // two of eight may run background jobs
	var now, most atomic.Int32
	gate := make(chan struct{})
	body, release := held()
	root := p.Schedule(body)
	slow := Func(func(*Task) {
		n := now.Add(1)
		for old := most.Load(); old < n && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		<-gate
		now.Add(-1)
	})
	var all []Handle
	var normal []Handle
	for range 20 {
		h := p.Schedule(&nothing{}, root)
		normal = append(normal, h)
		all = append(all, p.ScheduleAt(Background, slow, h))
	}
	release()
	soon(t, "the normal jobs are done", func() bool {
		return !slices.ContainsFunc(normal, func(h Handle) bool { return !h.Done() })
	})
	soon(t, "background jobs run", func() bool { return now.Load() >= 2 })
	var n atomic.Int32
	if err := p.Range(100, 1, func(lo, hi int) { n.Add(1) }); err != nil || n.Load() != 100 {
		t.Errorf("%d of 100, %v", n.Load(), err)
	}
	close(gate)
	soon(t, "all are done", func() bool {
		return !slices.ContainsFunc(all, func(h Handle) bool { return !h.Done() })
	})
	if got := most.Load(); got != 2 {
		t.Errorf("%d background jobs ran at a time", got)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

func TestPriorityLoopsAndChildren(t *testing.T) {
	limit(t)
	pools(t, func(t *testing.T, p *Pool) {
		for _, pr := range []Priority{Background, Normal, High} {
			var n atomic.Int32
			h := p.ParallelForAt(pr, RangeFunc(func(t *Task, lo, hi int) {
				t.Schedule(Func(func(*Task) { n.Add(1) }))
				n.Add(int32(hi - lo))
			}), 100, 3)
			after := p.ScheduleAt(pr, &nothing{}, h)
			if err := after.Wait(); err != nil || n.Load() != 134 {
				t.Errorf("priority %d: %d of 134, %v", pr, n.Load(), err)
			}
		}
	})
}

// TestStaleHintsGiveNoPermit: a slot that is a runnext and lies in a deque still from
// a job that is over holds a background job. A worker that looks there may not run it.
func TestStaleHintsGiveNoPermit(t *testing.T) {
	limit(t)
	p := New(Workers(1))
	wc := p.acquire()
	held, release := held()
	release()
	first := wc.submit(wc.newJob(held, nil), nil)
	if err := (&pendingWait{ctx: wc, target: first}).waitChain(); err != nil || wc.queue.runnext.Load() != first.node {
		t.Fatalf("the runnext is no hint; %v", err)
	}
	wc.queue.deque.push(first.node)
	background := func() Handle {
		node := wc.newJob(held, nil)
		node.priority = Background
		return wc.submit(node, nil)
	}
	h := background()
	if h.node != first.node {
		t.Fatal("the background job has another slot")
	}
	if node := wc.findJob(); node != nil {
		t.Error("the seat has found it")
	}
	wc.queue.deque.push(first.node)
	thief := newWorkerContext(p, 1)
	for range 10 * patienceTiny * tinyLookInterval {
		if node := thief.stealFrom(wc, 0); node != nil {
			t.Error("a thief has taken it")
		}
	}
	if !p.hasBackground() || !wc.runBackground() || !h.Done() {
		t.Error("with a permit it does not run")
	}
	// A waiter needs none.
	if err := (&pendingWait{ctx: wc, target: background()}).waitChain(); err != nil {
		t.Error(err)
	}
	wc.release()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// openLoop opens a loop of two blocks on a seat as spread does, and returns the
// handle of its job.
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

// TestWrongLoopsAreLeft: a worker that has seen a loop may, when it joins, find
// another in its place.
func TestWrongLoopsAreLeft(t *testing.T) {
	limit(t)
	p := New(Workers(1))
	wc := p.acquire()
	var ran atomic.Int32
	lp, h := openLoop(p, wc, Background, RangeFunc(func(*Task, int, int) { ran.Add(1) }))
	p.loops.openBits[Normal-Background].Or(1 << lp.index) // as one has seen it that was there before
	if wc.joinOpenLoop(Normal) || ran.Load() != 0 {
		t.Error("a background loop was joined without a permit")
	}
	p.loops.openBits[Normal-Background].And(^uint64(1 << lp.index))
	before := h
	before.gen--
	w := dependencyWalk{ctx: wc}
	w.joinLoop(lp, before)
	if w.ranJob || ran.Load() != 0 {
		t.Error("a waiter has joined the loop of a later job in the slot")
	}
	if st := lp.state.Load(); st != loopOpen|1 {
		t.Errorf("the loop's state is %#x", st)
	}
	lp.workJoined(wc, noContinuation)
	if !h.Done() || ran.Load() != 2 {
		t.Errorf("%d of 2 blocks ran", ran.Load())
	}
	wc.release()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestLaneModel pushes to a lane, takes from it, and claims jobs without taking them, as
// waits do, and compares it with a slice.
func TestLaneModel(t *testing.T) {
	limit(t)
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 3))
		var l priorityQueue
		var model []*jobNode
		for step := range 2000 {
			switch k := rng.IntN(8); {
			case k < 4:
				node := readySlots(1)[0]
				l.pushJob(node)
				model = append(model, node)
			case k < 5 && len(model) > 0:
				i := rng.IntN(len(model))
				model[i].claimReady()
				model = slices.Delete(model, i, i+1)
			default:
				var want *jobNode
				if len(model) > 0 {
					want, model = model[0], model[1:]
				}
				if got := l.claimFirst((*jobNode).claimReady); got != want {
					t.Fatalf("seed %d, step %d: took %p, want %p", seed, step, got, want)
				}
			}
			if int(l.size.Load()) < len(model) {
				t.Fatalf("seed %d, step %d: size %d of %d", seed, step, l.size.Load(), len(model))
			}
		}
	}
}

func TestLaneDropsClaimed(t *testing.T) {
	limit(t)
	var l priorityQueue
	for _, node := range readySlots(5000) {
		l.pushJob(node)
		node.claimReady()
	}
	if cap(l.nodes) > 64 {
		t.Errorf("the lane has grown to %d entries", cap(l.nodes))
	}
	last := readySlots(1)[0]
	l.pushJob(last)
	if l.claimFirst((*jobNode).claimReady) != last || l.claimFirst((*jobNode).claimReady) != nil || l.size.Load() != 0 {
		t.Error("the last entry did not come out")
	}
}
