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
		kindsByCode.find(codeOf(job), codeName).cost.Store(1 << 20)
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
	s := p.enter()
	held, release := held()
	release()
	first := s.submit(s.newJob(held, nil), nil)
	if err := (&await{seat: s, job: first}).wait(); err != nil || s.runnext.Load() != first.slot {
		t.Fatalf("the runnext is no hint; %v", err)
	}
	s.deque.push(first.slot)
	background := func() Handle {
		sl := s.newJob(held, nil)
		sl.priority = Background
		return s.submit(sl, nil)
	}
	h := background()
	if h.slot != first.slot {
		t.Fatal("the background job has another slot")
	}
	if sl := (worker{s}).find(); sl != nil {
		t.Error("the seat has found it")
	}
	s.deque.push(first.slot)
	thief := worker{newSeat(p, 1)}
	for range 10 * looksAtTiny * tinySkip {
		if sl := thief.stealFrom(s, 0); sl != nil {
			t.Error("a thief has taken it")
		}
	}
	if !p.hasBackground() || !(worker{s}).background() || !h.Done() {
		t.Error("with a permit it does not run")
	}
	// A waiter needs none.
	if err := (&await{seat: s, job: background()}).wait(); err != nil {
		t.Error(err)
	}
	s.leave()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// openLoop opens a loop of two blocks on a seat as spread does, and returns the
// handle of its job.
func openLoop(p *Pool, s *seat, pr Priority, job RangeJob) (*loop, Handle) {
	sl := s.newLoop(job, 2, 1, nil)
	sl.priority = pr
	s.begun++
	lp := p.takeLoop(p.workers)
	lp.slot, lp.job, lp.n, lp.grain, lp.priority = sl, job, 2, 1, pr
	p.open[pr-Background].Or(1 << lp.index)
	lp.open(0, 2, -1)
	return lp, Handle{slot: sl, gen: generation(sl.word.Load())}
}

// TestWrongLoopsAreLeft: a worker that has seen a loop may, when it joins, find
// another in its place.
func TestWrongLoopsAreLeft(t *testing.T) {
	limit(t)
	p := New(Workers(1))
	s := p.enter()
	var ran atomic.Int32
	lp, h := openLoop(p, s, Background, RangeFunc(func(*Task, int, int) { ran.Add(1) }))
	p.open[Normal-Background].Or(1 << lp.index) // as one has seen it that was there before
	if (worker{s}).joinAny(Normal) || ran.Load() != 0 {
		t.Error("a background loop was joined without a permit")
	}
	p.open[Normal-Background].And(^uint64(1 << lp.index))
	before := h
	before.gen--
	w := walk{seat: s}
	w.join(lp, before)
	if w.ran || ran.Load() != 0 {
		t.Error("a waiter has joined the loop of a later job in the slot")
	}
	if st := lp.state.Load(); st != loopOpen|1 {
		t.Errorf("the loop's state is %#x", st)
	}
	lp.share(s, nothingElse)
	if !h.Done() || ran.Load() != 2 {
		t.Errorf("%d of 2 blocks ran", ran.Load())
	}
	s.leave()
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
		var l lane
		var model []*slot
		for step := range 2000 {
			switch k := rng.IntN(8); {
			case k < 4:
				sl := readySlots(1)[0]
				l.push(sl)
				model = append(model, sl)
			case k < 5 && len(model) > 0:
				i := rng.IntN(len(model))
				model[i].claim()
				model = slices.Delete(model, i, i+1)
			default:
				var want *slot
				if len(model) > 0 {
					want, model = model[0], model[1:]
				}
				if got := l.claim((*slot).claim); got != want {
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
	var l lane
	for _, sl := range readySlots(5000) {
		l.push(sl)
		sl.claim()
	}
	if cap(l.list) > 64 {
		t.Errorf("the lane has grown to %d entries", cap(l.list))
	}
	last := readySlots(1)[0]
	l.push(last)
	if l.claim((*slot).claim) != last || l.claim((*slot).claim) != nil || l.size.Load() != 0 {
		t.Error("the last entry did not come out")
	}
}
