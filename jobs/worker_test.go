package jobs

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lanewise/lanewise/jobs/internal/park"
)

// waitAsleep waits until all workers sleep and none of them is the sentinel.
func waitAsleep(t *testing.T, p *Pool) {
	t.Helper()
	waitUntil(t, "the workers sleep", func() bool {
		return p.sleepers.Count() == p.workers-1 && !p.sentinel.present.Load()
	})
}

// TestOnlyScheduled checks that workers find jobs for which no goroutine waits, even if the jobs
// are small.
func TestOnlyScheduled(t *testing.T) {
	limit(t)
	for _, parker := range []Option{func(*Pool) {}, Futex()} {
		p := New(Workers(2), parker)
		for range 30 { // the measured cost becomes small
			p.Schedule(&nothing{}).Wait()
		}
		for range 5 {
			waitAsleep(t, p)
			one, many := p.Schedule(&nothing{}), p.ParallelFor(&nothing{}, 4, 1)
			waitUntil(t, "the jobs are done", func() bool { return one.Done() && many.Done() })
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestOnlyScheduledInACrowd checks the same as TestOnlyScheduled on a busy machine, where workers
// hardly search before they sleep.
func TestOnlyScheduledInACrowd(t *testing.T) {
	limit(t)
	for signs := range park.MaxSigns + 1 {
		p := New(Workers(2), func(p *Pool) { p.machine.FixProcessors(4) })
		for range 30 { // the measured cost becomes small
			p.Schedule(&nothing{}).Wait()
		}
		for range 5 {
			p.machine.FixLoad(signs)
			h := p.Schedule(&nothing{})
			waitUntil(t, "the job is done", h.Done)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestSmallJobsThatAreNot checks jobs that look small, so that one worker is woken for all of them. If
// that worker is delayed, other workers must be woken.
func TestSmallJobsThatAreNot(t *testing.T) {
	limit(t)
	for _, pr := range []Priority{Background, Normal, High} {
		for range 5 {
			p := New(Workers(9))
			body, release := newHeldJob()
			var running atomic.Int32
			job := Func(func(t *Task) { running.Add(1); body(t) })
			statsByCode.getOrCreate(funcPC(job), funcName).cost.Store(1)
			want := int32(8)
			if pr == Background {
				want = 2 // a quarter of the workers
			}
			waitAsleep(t, p)
			for range want {
				p.ScheduleAt(pr, job)
			}
			waitUntil(t, "all run", func() bool { return running.Load() == want })
			release()
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestThiefAnnouncesJobsItMoves checks workers that fell asleep while a thief moved jobs from one
// deque to another. The thief must wake them.
func TestThiefAnnouncesJobsItMoves(t *testing.T) {
	limit(t)
	p := New(Workers(3))
	defer p.Close()
	waitAsleep(t, p)
	victim := p.acquire()
	defer victim.release()
	var jobs []Handle
	for range 4 {
		node := victim.newJob(&nothing{}, nil)
		jobs = append(jobs, Handle{node: node, gen: generation(node.word.Load())})
		victim.publishReady(node)
	}
	victim.queue.deque.publish() // without waking a worker
	thief := make(chan *workerContext)
	go func() {
		wc := p.acquire()
		defer wc.release()
		wc.stealMore(victim, &observation{})
		wc.wakeSuccessor()
		thief <- wc
	}()
	if wc := <-thief; wc == victim {
		t.Fatalf("wc is %v: the thief is the victim: %v; it has not passed on", wc, wc == victim)
	} else if wc.steal.stoleMany {
		t.Fatalf("wc.steal.movedJobs: the thief is the victim: %v; it has not passed on", wc == victim)
	}
	waitUntil(t, "all run", func() bool {
		return !slices.ContainsFunc(jobs, func(h Handle) bool { return !h.Done() })
	})
}

// TestBackgroundJobWaitsForItsChild makes a child become ready while its parent sleeps and holds
// the only permit for background jobs.
func TestBackgroundJobWaitsForItsChild(t *testing.T) {
	limit(t)
	p := New(Workers(4))
	gate := make(chan struct{})
	h := p.ScheduleAt(Background, Func(func(t *Task) {
		outside := p.External(context.Background(), func(context.Context) error { <-gate; return nil })
		if err := t.Wait(t.Schedule(&nothing{}, outside)); err != nil {
			panic(err)
		}
	}))
	waitUntil(t, "the parent sleeps", func() bool { return p.waiters.Count() == 1 && p.sleepers.Count() == 2 })
	close(gate)
	waitUntil(t, "the parent is done", h.Done)
	if err := p.Close(); err != nil {
		t.Errorf("err is %v, want nil; h.Err() is %v", err, h.Err())
	} else if h.Err() != nil {
		t.Errorf("h.Err() is %v, want nil; err is %v", h.Err(), err)
	}
}

// TestCloseRunsWhatIsLeft checks that Close also runs small jobs in a context without a goroutine, and
// jobs that come after external jobs.
func TestCloseRunsWhatIsLeft(t *testing.T) {
	limit(t)
	for range 20 {
		p := New(Workers(2))
		body, release := newHeldJob()
		begun, left := make(chan struct{}), make(chan struct{})
		go func() { // takes the first context, so that the next is another
			p.ScheduleHere(Func(func(t *Task) { close(begun); body(t) }))
			runHere(p)
			close(left)
		}()
		<-begun
		waitAsleep(t, p)
		job := &nothing{}
		p.Schedule(job).Wait() // creates the job's statistics
		statsByType.getOrCreate(reflect.TypeOf(job), typeName).cost.Store(1)
		first := p.Schedule(job)
		last := p.Schedule(job, p.External(context.Background(), func(context.Context) error { return nil }, p.Schedule(job)))
		release()
		<-left
		if err := p.Close(); err != nil {
			t.Errorf("err != nil: done: %v, %v; %v", first.Done(), last.Done(), err)
		} else if !first.Done() {
			t.Errorf("!first.Done(): done: %v, %v; %v", first.Done(), last.Done(), err)
		} else if !last.Done() {
			t.Errorf("!last.Done(): done: %v, %v; %v", first.Done(), last.Done(), err)
		}
	}
}

// TestGoroutineKeepsItsContext checks that a goroutine that runs a job keeps its context, even if a
// lower one becomes free.
func TestGoroutineKeepsItsContext(t *testing.T) {
	limit(t)
	p := New(Workers(1))
	defer p.Close()
	begun, over, left := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		p.ScheduleHere(Func(func(*Task) { close(begun); <-over }))
		runHere(p)
		close(left)
	}()
	<-begun
	var own Handle
	var got error
	own = p.ScheduleHere(Func(func(task *Task) {
		if task.Worker() == 0 {
			t.Error("the first seat is not taken")
		}
		close(over)
		<-left
		if now := p.Caller().Task(); now != task {
			t.Errorf("the current task is %p, want %p", now, task)
		}
		got = own.Wait()
	}))
	runHere(p)
	if err := own.Wait(); err != nil {
		t.Errorf("err is %v, want nil; got is %v", err, got)
	} else if !errors.Is(got, ErrDeadlock) {
		t.Errorf("!errors.Is(got, ErrDeadlock); err is %v; got is %v", err, got)
	}
}

// TestSpuriousUnpark checks that a worker that sleeps for another reason may receive an extra Unpark.
// The worker must continue to sleep, and must be counted once.
func TestSpuriousUnpark(t *testing.T) {
	limit(t)
	for _, parker := range []Option{func(*Pool) {}, Futex()} {
		p := New(Workers(2), parker)
		for range 5 {
			waitAsleep(t, p)
			(*p.contexts.Load())[1].parker.Unpark()
			time.Sleep(time.Millisecond)
		}
		if n := p.sleepers.Count(); n != 1 {
			t.Errorf("of one worker %d are asleep", n)
		}
		h := p.Schedule(&nothing{})
		waitUntil(t, "the job is done", h.Done)
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestWaitRunsItsChainAlone creates two chains of jobs, whose nodes may have been on a chain before. A
// wait for a job of one chain must run no job of the other chain.
func TestWaitRunsItsChainAlone(t *testing.T) {
	limit(t)
	p := New(Workers(1))
	wc := p.acquire()
	for round := range 50 {
		var ran [6]bool
		job := func(i int) *jobNode { return wc.newJob(Func(func(*Task) { ran[i] = true }), nil) }
		a := wc.submit(job(0), nil)
		a1 := wc.submit(job(1), []Handle{a})
		beside := wc.submit(job(2), []Handle{a}) // not first in the queue
		b := wc.submit(job(3), nil)              // queued last
		b1 := wc.submit(job(4), []Handle{b})
		b2 := wc.submit(job(5), []Handle{b1})
		if wc.queue.lastJob != b {
			t.Fatalf("wc.queue.lastJob != b: round %d: the line from %v to %v, want %v to %v", round, wc.queue.lastJob, wc.queue.chainTail, b, b2)
		} else if wc.queue.chainTail != b2 {
			t.Fatalf("wc.queue.chainTail != b2: round %d: the line from %v to %v, want %v to %v", round, wc.queue.lastJob, wc.queue.chainTail, b, b2)
		}
		until, want := b1, [6]bool{3: true, 4: true} // in the middle
		if round%2 == 1 {
			until, want = b2, [6]bool{3: true, 4: true, 5: true} // the end
		}
		if err := (&pendingWait{ctx: wc, target: until}).waitChain(); err != nil {
			t.Fatalf("err != nil: round %d: ran %v, want %v; %v", round, ran, want, err)
		} else if ran != want {
			t.Fatalf("ran != want: round %d: ran %v, want %v; %v", round, ran, want, err)
		}
		if err := waitAll([]Handle{beside, b2, a1}); err != nil {
			t.Fatalf("err != nil: round %d: ran %v, %v", round, ran, err)
		} else if ran != [6]bool{true, true, true, true, true, true} {
			t.Fatalf("ran != [6]bool{true, true, true, true, true, true}: round %d: ran %v, %v", round, ran, err)
		}
		for _, node := range wc.free.nodes {
			if node.chained {
				t.Fatalf("round %d: a free slot is on a line", round)
			}
		}
	}
	wc.release()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestPanicWhileSchedulingReleasesTheContext checks that a JobName that panics stops the call and
// releases the context.
func TestPanicWhileSchedulingReleasesTheContext(t *testing.T) {
	limit(t)
	p := New(Workers(1))
	bad := &badName{}
	sc := p.Scope(context.Background())
	for name, f := range map[string]func(){
		"Pool.Schedule":         func() { p.Schedule(bad) },
		"Pool.ParallelFor":      func() { p.ParallelFor(bad, 5, 1) },
		"Pool.ParallelForLater": func() { p.ParallelForLater(bad, new(int), 1) },
		"Pool.ScheduleHere":     func() { p.ScheduleHere(bad) },
		"Scope.Schedule":        func() { sc.Schedule(bad) },
		"Scope.ParallelFor":     func() { sc.ParallelFor(bad, 5, 1) },
		"Pool.ScheduleAt":       func() { p.ScheduleAt(High, bad) },
		"Pool.ParallelForAt":    func() { p.ParallelForAt(High, bad, 5, 1) },
	} {
		func() {
			defer func() {
				if v := recover(); v != "no name" {
					t.Errorf("%s: panic %v", name, v)
				}
			}()
			f()
		}()
	}
	if err := sc.End(); err != nil {
		t.Error(err)
	}
	for _, wc := range *p.contexts.Load() {
		if g := wc.queue.holder.Load(); g != 0 {
			t.Errorf("seat %d is held", wc.index)
		}
	}
	if n := len(*p.contexts.Load()); n != 1 {
		t.Errorf("%d seats were needed", n)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// badName is a job whose JobName panics.
type badName struct{ nothing }

func (*badName) JobName() string { panic("no name") }

// TestCallerBlock checks that the caller's block is known in blocks and in their children, no
// matter how they run, even if a block fails or ends its goroutine. In other code the block is 0.
// The counter of such callers must be 0 when the jobs are done.
func TestCallerBlock(t *testing.T) {
	limit(t)
	runPools(t, func(t *testing.T, p *Pool) {
		is := func(where string, want bool) uint64 {
			block := CallerBlock()
			if block != 0 != want {
				t.Errorf("%s: the block is %#x", where, block)
			}
			return block
		}
		single := Func(func(task *Task) {
			is("a single job", false)
			_ = task.Wait(task.Schedule(Func(func(*Task) { is("a child of a single job", false) })))
			is("a single job that has waited", false)
		})
		many := RangeFunc(func(task *Task, lo, _ int) {
			own := is("a block", true)
			child := func(*Task) {
				if got := is("a child of a block", true); got != own {
					t.Errorf("a child is of block %#x, its parent of %#x", got, own)
				}
			}
			task.Schedule(Func(child)) // it may outlive the block
			_ = task.Wait(task.Schedule(Func(child)))
			_ = task.Wait(task.ParallelFor(RangeFunc(func(*Task, int, int) { is("a loop of a block", true) }), 3, 1))
			_ = p.Range(3, 1, func(int, int) { is("a range of a block", true) })
			if lo == 2 {
				panic("a block fails")
			}
		})
		for range 20 {
			is("outside", false)
			_ = WaitAll(p.ParallelFor(many, 5, 1), p.Schedule(single), p.ParallelFor(many, 3, 1))
			_ = p.Range(4, 1, func(int, int) { is("a range", true) })
			is("outside, after loops", false)
		}
		exited := make(chan struct{})
		go func() {
			defer close(exited)
			_ = p.ParallelFor(RangeFunc(func(*Task, int, int) { is("a block that ends its goroutine", true); runtime.Goexit() }), 3, 1).Wait()
		}()
		<-exited
		for wait := time.Now(); blockRunners.Load() != 0; time.Sleep(time.Millisecond) {
			if time.Since(wait) > 10*time.Second {
				t.Fatalf("%d blocks are counted, and none runs", blockRunners.Load())
			}
		}
	})
}

// TestCallerAcrossPools checks that the caller is the innermost body, no matter which pool it belongs
// to. The caller's block must be the block of that body. Jobs of several pools wait for each other at
// any depth, and any goroutine may run them. A pool that runs nothing, and a nil pool, must return the
// same results.
func TestCallerAcrossPools(t *testing.T) {
	limit(t)
	for workers := 1; workers <= 3; workers++ {
		idle := New(Workers(1))
		all := []*Pool{New(Workers(workers)), New(Workers(1)), New(Workers(2))}
		seed := uint64(time.Now().UnixNano())
		is := func(where string, want *Task, block uint64) {
			for i, p := range append([]*Pool{nil, idle}, all...) {
				c := p.Caller()
				if c.Task() != want {
					t.Errorf("seed %d, %s: pool %d tells of task %p, want %p", seed, where, i, c.Task(), want)
				}
				if of := c.TaskOf(p); (of != nil) != (want != nil && want.ctx.pool == p) {
					t.Errorf("seed %d, %s: pool %d says that the task %p is its own", seed, where, i, of)
				}
			}
			if got := CallerBlock(); got != block {
				t.Errorf("seed %d, %s: block %#x, want %#x", seed, where, got, block)
			}
		}
		var nest func(depth int, way uint64, task *Task, block uint64)
		nest = func(depth int, way uint64, task *Task, block uint64) {
			is("before", task, block)
			defer is("after", task, block)
			if depth == 0 {
				return
			}
			way = way*0x9e3779b97f4a7c15 + uint64(depth)
			p := all[way>>40%3]
			single := Func(func(own *Task) { nest(depth-1, way, own, 0) })
			loop := func(own *Task, lo, _ int) { // its number is new and unique
				mine := CallerBlock()
				if mine == 0 {
					t.Errorf("mine == 0: seed %d: a block has the number %#x, in %#x", seed, mine, block)
				} else if mine == block {
					t.Errorf("mine == block: seed %d: a block has the number %#x, in %#x", seed, mine, block)
				}
				if lo == 0 {
					nest(depth-1, way, own, mine)
				}
			}
			var err error
			switch way >> 50 % 4 {
			case 0:
				err = p.Schedule(single).Wait()
			case 1:
				err = p.ParallelFor(RangeFunc(loop), 2, 1).Wait()
			case 2:
				err = p.Schedule(Func(func(outer *Task) {
					_ = outer.Wait(outer.Schedule(single)) // a child of a single job
				}), all[way>>45%3].ParallelFor(RangeFunc(loop), 3, 1)).Wait()
			case 3:
				err = p.ScheduleHere(single).Wait()
			}
			if err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
		}
		for round := range uint64(60) {
			nest(int(round%6), seed+round, nil, 0)
		}
		for _, p := range append(all, idle) {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestSpinSeesLoops checks that a goroutine that stays awake for a job notices a loop which another
// goroutine opens meanwhile, so that it can help.
func TestSpinSeesLoops(t *testing.T) {
	limit(t)
	p := New(Workers(2))
	defer p.Close()
	running, release := make(chan struct{}), make(chan struct{})
	h := p.Schedule(Func(func(*Task) {
		close(running)
		<-release
	}))
	<-running
	waitUntil(t, "nothing is queued", func() bool { return !p.hasWork() })
	wc := p.acquireToRun()
	pw := &pendingWait{ctx: wc, target: h}
	pw.noteLoops()
	body := func(int, int) { <-release }
	statsByCode.getOrCreate(funcPC(body), funcName).cost.Store(0) // a loop of unknown length is opened to all workers
	var loops sync.WaitGroup
	loops.Go(func() {
		if err := p.Range(2, 1, body); err != nil {
			t.Error(err)
		}
	})
	for again := false; !again; again = pw.spinForTarget() { // until it sees the loop
		pw.spinEnd = clock() + time.Millisecond
		runtime.Gosched() // on one CPU, the loop is opened only now
	}
	close(release)
	loops.Wait()
	wc.release()
	if err := h.Wait(); err != nil {
		t.Error(err)
	}
}

// TestSpinEnds checks that a goroutine does not stay awake longer than it may, even if other
// goroutines open one loop after the other.
func TestSpinEnds(t *testing.T) {
	limit(t)
	p := New(Workers(2))
	defer p.Close()
	release := make(chan struct{})
	h := p.Schedule(Func(func(*Task) { <-release }))
	wc := p.acquireToRun()
	pw := &pendingWait{ctx: wc, target: h, spinEnd: clock() - 1}
	p.loops.openBits[Normal.index()].Or(1 << 63) // as an opener does
	if pw.spinForTarget() {
		t.Error("spinForTarget returns true after its end")
	}
	p.loops.openBits[Normal.index()].And(^uint64(1 << 63))
	close(release)
	wc.release()
	if err := h.Wait(); err != nil {
		t.Error(err)
	}
}

// TestWaiterHelps checks that a goroutine that stays awake for a loop runs blocks of it, although a
// worker has opened the loop after the goroutine began to wait.
func TestWaiterHelps(t *testing.T) {
	limit(t)
	p := New(Workers(2))
	defer p.Close()
	begin := make(chan struct{})
	first := p.Schedule(Func(func(*Task) { <-begin }))
	both := make(chan struct{}, 2)
	body := RangeFunc(func(_ *Task, lo, hi int) { // each block waits until the other one has begun, so two goroutines are needed
		both <- struct{}{}
		for len(both) < 2 {
			runtime.Gosched()
		}
	})
	statsByCode.getOrCreate(funcPC(body), funcName).cost.Store(0) // a loop of unknown length is opened to all workers
	h := p.ParallelFor(body, 2, 1, first)
	waitUntil(t, "the worker has the first job", func() bool { return !p.hasWork() })
	time.AfterFunc(10*time.Millisecond, func() { close(begin) }) // while this goroutine stays awake, or before
	wc := p.acquireToRun()
	pw := &pendingWait{ctx: wc, target: h}
	if runtime.GOMAXPROCS(0) > 1 { // on one CPU, a goroutine does not stay awake for a job
		pw.spinEnd = clock() + time.Hour
	}
	if err := pw.waitForTarget(); err != nil {
		t.Error(err)
	}
	wc.release()
}
