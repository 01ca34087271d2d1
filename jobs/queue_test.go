package jobs

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// readyNodes returns nodes that look like queued jobs.
func readyNodes(n int) []*jobNode {
	all := make([]*jobNode, n)
	for i := range all {
		all[i] = &jobNode{n: i}
		all[i].markReady()
	}
	return all
}

// TestDequeModel uses a deque as its owner and as a thief, in turns, and compares it with a slice.
func TestDequeModel(t *testing.T) {
	limit(t)
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 2))
		var d deque
		d.init()
		var model []*jobNode
		bias := 2 + rng.IntN(4) // more pushes than pops, so that some runs outgrow the ring
		for step := range 3000 {
			switch k := rng.IntN(bias + 3); {
			case k < bias:
				node := readyNodes(1)[0]
				d.push(node)
				model = append(model, node)
			case k == bias:
				var want *jobNode
				if len(model) > 0 {
					want, model = model[0], model[1:]
				}
				if got := d.steal(); got != want {
					t.Fatalf("seed %d, step %d: stole %p, want %p", seed, step, got, want)
				}
			default:
				var want *jobNode
				if last := len(model) - 1; last >= 0 {
					want, model = model[last], model[:last]
				}
				if got := d.newest(); got != want {
					t.Fatalf("seed %d, step %d: newest is %p, want %p", seed, step, got, want)
				}
				if got := d.pop(); got != want {
					t.Fatalf("seed %d, step %d: popped %p, want %p", seed, step, got, want)
				}
			}
			if d.size() != len(model) {
				t.Fatalf("seed %d, step %d: size %d, want %d", seed, step, d.size(), len(model))
			}
		}
	}
}

// TestDequeThieves makes thieves work against the owner. Each entry must be taken once.
func TestDequeThieves(t *testing.T) {
	limit(t)
	const n = 20_000
	var d deque
	d.init()
	all := readyNodes(n)
	var seen [n]atomic.Int32
	var stop atomic.Bool
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for !stop.Load() {
				if node := d.steal(); node != nil {
					seen[node.n].Add(1)
				}
			}
		})
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for i := 0; i < n; {
		for range rng.IntN(20) {
			if i < n {
				d.push(all[i])
				i++
			}
		}
		for range rng.IntN(10) {
			if node := d.pop(); node != nil {
				seen[node.n].Add(1)
			}
		}
	}
	for d.size() > 0 {
		if node := d.pop(); node != nil {
			seen[node.n].Add(1)
		}
	}
	stop.Store(true)
	wg.Wait()
	for i := range seen {
		if got := seen[i].Load(); got != 1 {
			t.Fatalf("entry %d came out %d times", i, got)
		}
	}
}

// TestDequeDropsClaimed fills a deque with jobs that waiting goroutines have already claimed, and
// checks that the deque does not grow.
func TestDequeDropsClaimed(t *testing.T) {
	limit(t)
	var d deque
	d.init()
	for _, node := range readyNodes(10 * dequeSize) {
		d.push(node)
		if !node.claimReady() {
			t.Fatal("not ready")
		}
	}
	if got := len(d.ring.Load().items); got != dequeSize {
		t.Errorf("the ring has grown to %d entries", got)
	}
}

func TestPrioritiesComeFirst(t *testing.T) {
	limit(t)
	p := New(Workers(2))
	defer p.Close()
	gate := make(chan struct{})
	begun := make(chan struct{})
	p.Schedule(Func(func(*Task) { close(begun); <-gate }))
	waitUntil(t, "the worker is busy", func() bool {
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
		// Tiny jobs would be left to the goroutine of this test, which would run them before
		// background jobs.
		statsByCode.getOrCreate(funcPC(job), funcName).cost.Store(1 << 20)
		all = append(all, p.ScheduleAt(pr, job))
	}
	close(gate)
	waitUntil(t, "all are done", func() bool { return all[0].Done() && all[1].Done() && all[2].Done() })
	if len(order) != 3 {
		t.Errorf("len(order) is %v, want 3: order %v", len(order), order)
	} else if order[0] != High {
		t.Errorf("order[0] is %v, want %v: order %v", order[0], High, order)
	} else if order[1] != Normal {
		t.Errorf("order[1] is %v, want %v: order %v", order[1], Normal, order)
	} else if order[2] != Background {
		t.Errorf("order[2] is %v, want %v: order %v", order[2], Background, order)
	}
}

// TestStaleHintsGiveNoPermit checks a node that is still in runnext and in a deque because of a
// finished job, and now holds a background job. A worker that finds it there has no permit and must
// not run it.
func TestStaleHintsGiveNoPermit(t *testing.T) {
	limit(t)
	p := New(Workers(1))
	wc := p.acquire()
	held, release := newHeldJob()
	release()
	first := wc.submit(wc.newJob(held, nil), nil)
	if err := (&pendingWait{ctx: wc, target: first}).waitChain(); err != nil {
		t.Fatalf("err != nil: the runnext is no hint; %v", err)
	} else if wc.queue.runnext.Load() != first.node {
		t.Fatalf("wc.queue.runnext.Load() is %v, want %v: the runnext is no hint; %v", wc.queue.runnext.Load(), first.node, err)
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
	for range 10 * patienceTiny * tinyProbeInterval {
		if node := thief.stealFrom(wc, 0); node != nil {
			t.Error("a thief has taken it")
		}
	}
	if !p.hasBackground() {
		t.Errorf("with a permit it does not run: !p.hasBackground()")
	} else if !wc.runBackground() {
		t.Errorf("with a permit it does not run: !wc.runBackground()")
	} else if !h.Done() {
		t.Errorf("with a permit it does not run: !h.Done()")
	}
	// A waiter needs no permit.
	if err := (&pendingWait{ctx: wc, target: background()}).waitChain(); err != nil {
		t.Error(err)
	}
	wc.release()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestPriorityQueueModel pushes to a priority queue, takes from it, and claims jobs without taking
// their entries, as waits do. It compares the queue with a slice.
func TestPriorityQueueModel(t *testing.T) {
	limit(t)
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 3))
		var l priorityQueue
		var model []*jobNode
		for step := range 2000 {
			switch k := rng.IntN(8); {
			case k < 4:
				node := readyNodes(1)[0]
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

func TestPriorityQueueDropsClaimed(t *testing.T) {
	limit(t)
	var l priorityQueue
	for _, node := range readyNodes(5000) {
		l.pushJob(node)
		node.claimReady()
	}
	if cap(l.nodes) > 64 {
		t.Errorf("the lane has grown to %d entries", cap(l.nodes))
	}
	last := readyNodes(1)[0]
	l.pushJob(last)
	if l.claimFirst((*jobNode).claimReady) != last {
		t.Errorf("the last entry did not come out: l.claimFirst((*jobNode).claimReady) != last")
	} else if l.claimFirst((*jobNode).claimReady) != nil {
		t.Errorf("the last entry did not come out: l.claimFirst((*jobNode).claimReady) != nil")
	} else if l.size.Load() != 0 {
		t.Errorf("the last entry did not come out: l.size.Load() is %v, want 0", l.size.Load())
	}
}

func TestOwnerJobsRunOnTheirGoroutine(t *testing.T) {
	limit(t)
	runPools(t, func(t *testing.T, p *Pool) {
		me := goroutineID()
		sc := p.Scope(context.Background())
		for range 30 {
			where := [2]uintptr{}
			first := sc.Schedule(&nothing{})
			here := p.ScheduleHere(Func(func(*Task) { where[0] = goroutineID() }), first)
			then := sc.ParallelFor(&nothing{}, 10, 1, here)
			again := p.ScheduleHere(Func(func(*Task) { where[1] = goroutineID() }), then)
			done := sc.Schedule(&nothing{}, again)
			if err := done.Wait(); err != nil {
				t.Fatalf("err != nil: ran on goroutines %x, want %x; error %v", where, me, err)
			} else if where != [2]uintptr{me, me} {
				t.Fatalf("where != [2]uintptr{me, me}: ran on goroutines %x, want %x; error %v", where, me, err)
			}
		}
		ran := false
		h := p.ScheduleHere(Func(func(*Task) { ran = true }))
		if n := runHere(p); n != 1 {
			t.Errorf("n != 1: %d jobs were run", n)
		} else if !ran {
			t.Errorf("ran is false: %d jobs were run", n)
		} else if !h.Done() {
			t.Errorf("!h.Done(): %d jobs were run", n)
		}
		boom := errors.New("boom")
		bad := p.ScheduleHere(Func(func(*Task) { panic(boom) }))
		sc.Schedule(&nothing{}, bad)
		if err := sc.End(); !errors.Is(err, boom) {
			t.Errorf("!errors.Is(err, boom); err is %v", err)
		} else if bad.Err() != err {
			t.Errorf("bad.Err() is %v, want %v", bad.Err(), err)
		}
	})
}

func TestOwnerOnAnotherGoroutine(t *testing.T) {
	limit(t)
	p := New(Workers(3))
	defer p.Close()
	// The job belongs to a goroutine that begins to wait after this goroutine.
	hand, gate, got := make(chan Handle), make(chan struct{}), make(chan uintptr, 2)
	go func() {
		h := p.ScheduleHere(Func(func(*Task) { got <- goroutineID() }))
		got <- goroutineID()
		hand <- h
		<-gate
		h.Wait()
	}()
	h := <-hand
	waited := make(chan error)
	go func() { waited <- h.Wait() }()
	close(gate)
	if err := <-waited; err != nil {
		t.Fatal(err)
	}
	if a, b := <-got, <-got; a != b {
		t.Errorf("ran on %x, want %x", b, a)
	}
}

// TestWorkerOwnsJob makes a job ready that a sleeping worker owns. The worker must be woken, because
// no other goroutine may run the job.
func TestWorkerOwnsJob(t *testing.T) {
	limit(t)
	p := New(Workers(2))
	defer p.Close()
	var owned atomic.Pointer[Handle]
	gate := make(chan struct{})
	p.Schedule(Func(func(*Task) {
		h := p.ScheduleHere(&nothing{}, p.External(context.Background(), func(context.Context) error { <-gate; return nil }))
		owned.Store(&h)
	}))
	waitUntil(t, "a worker runs the job", func() bool { return owned.Load() != nil })
	waitUntil(t, "the worker sleeps", func() bool { return p.sleepers.Count() == 1 })
	close(gate)
	waitUntil(t, "the owned job is done", func() bool { return owned.Load().Done() })
}
