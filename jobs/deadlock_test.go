package jobs

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// TestWaitsInACircle makes two or three running jobs wait for each other in a cycle. One wait must
// return ErrDeadlock, and the others must then end without an error.
func TestWaitsInACircle(t *testing.T) {
	limit(t)
	for _, n := range []int{2, 3} {
		for range 20 {
			p := New(Workers(n + 1))
			hands := make([]chan Handle, n)
			errs := make([]error, n)
			all := make([]Handle, n)
			for i := range all {
				hands[i] = make(chan Handle, 1)
				all[i] = p.Schedule(Func(func(t *Task) { errs[i] = t.Wait(<-hands[i]) }))
			}
			for i := range all {
				hands[i] <- all[(i+1)%n]
			}
			if err := WaitAll(all...); err != nil {
				t.Error(err)
			}
			oneTold(t, errs)
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// oneTold fails the test unless exactly one wait of a cycle returned ErrDeadlock.
func oneTold(t *testing.T, errs []error) {
	t.Helper()
	told := 0
	for _, err := range errs {
		if errors.Is(err, ErrDeadlock) {
			told++
		} else if err != nil {
			t.Error(err)
		}
	}
	if told != 1 {
		t.Errorf("%d of %d were told: %v", told, len(errs), errs)
	}
}

// TestCircleThroughAStack checks a cycle through a job that does not wait itself. Another job sleeps
// on top of that job's stack, so the job cannot continue.
func TestCircleThroughAStack(t *testing.T) {
	limit(t)
	for range 20 {
		p := New(Workers(2))
		var lower, upper, other Handle
		var errs [3]error
		handles, begun := make(chan struct{}), make(chan struct{})
		other = p.Schedule(Func(func(task *Task) {
			close(begun)
			<-handles
			waitUntil(t, "the other goroutine sleeps", func() bool { return p.waiters.Count() == 1 })
			errs[2] = task.Wait(lower)
		}))
		<-begun // runs on the worker; the next jobs run here
		lower = p.Schedule(Func(func(task *Task) {
			close(handles)
			upper = task.Schedule(Func(func(task *Task) { errs[1] = task.Wait(other) }))
			errs[0] = task.Wait(upper)
		}))
		if err := WaitAll(lower, other); err != nil {
			t.Error(err)
		}
		if errs[0] != nil {
			t.Errorf("errs[0] is %v, want nil: %v, want one ErrDeadlock, the last", errs[0], errs)
		} else if errs[1] != nil {
			t.Errorf("errs[1] is %v, want nil: %v, want one ErrDeadlock, the last", errs[1], errs)
		} else if !errors.Is(errs[2], ErrDeadlock) {
			t.Errorf("!errors.Is(errs[2], ErrDeadlock): %v, want one ErrDeadlock, the last", errs)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// rangeOfTwo is a Range of two blocks that wait for each other. Other workers may join it, no
// matter what its measured cost is.
func rangeOfTwo(p *Pool, body func(lo, hi int)) error {
	statsByCode.getOrCreate(funcPC(body), funcName).cost.Store(0)
	return p.Range(2, 1, body)
}

// TestRangeOutlivesItsBlocks makes a block wait for the job that called Range. The block's wait
// must return ErrDeadlock, and Range must return only after all blocks have ended.
func TestRangeOutlivesItsBlocks(t *testing.T) {
	limit(t)
	for range 20 {
		p := New(Workers(3))
		hand := make(chan Handle, 1)
		var inside atomic.Int32
		var errs [2]error
		h := p.Schedule(Func(func(*Task) {
			self := <-hand
			var both sync.WaitGroup
			both.Add(2)
			err := rangeOfTwo(p, func(lo, _ int) {
				inside.Add(1)
				defer inside.Add(-1)
				both.Done()
				both.Wait() // one of them is not on the caller's goroutine
				errs[lo] = self.Wait()
			})
			if n := inside.Load(); err != nil {
				t.Errorf("err != nil: Range returned while %d blocks ran: %v", n, err)
			} else if n != 0 {
				t.Errorf("n != 0: Range returned while %d blocks ran: %v", n, err)
			}
		}))
		hand <- h
		if err := h.Wait(); err != nil {
			t.Error(err)
		}
		if !errors.Is(errs[0], ErrDeadlock) {
			t.Errorf("!errors.Is(errs[0], ErrDeadlock); errs is %v", errs)
		} else if !errors.Is(errs[1], ErrDeadlock) {
			t.Errorf("!errors.Is(errs[1], ErrDeadlock); errs is %v", errs)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestGoexitWaitsForTheBlocks makes a block end the caller's goroutine. It checks that this does not
// free memory that other blocks still use.
func TestGoexitWaitsForTheBlocks(t *testing.T) {
	limit(t)
	for range 20 {
		p := New(Workers(3))
		var inside atomic.Int32
		left := make(chan struct{})
		go func() {
			me := goroutineID()
			defer close(left)
			defer func() {
				if n := inside.Load(); n != 0 {
					t.Errorf("the goroutine ends while %d blocks run", n)
				}
			}()
			var both sync.WaitGroup
			both.Add(2)
			_ = rangeOfTwo(p, func(int, int) {
				both.Done()
				both.Wait()
				if goroutineID() == me {
					exit()
				}
				inside.Add(1)
				defer inside.Add(-1)
				for range 100 {
					runtime.Gosched()
				}
			})
			// At this point other goroutines have taken both blocks.
		}()
		<-left
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestOwnedJobsComeLast checks a wait inside a job. While there are ready jobs that the wait needs,
// it must not run other jobs that belong to its goroutine, because such a job might wait for the job
// that is waiting now.
func TestOwnedJobsComeLast(t *testing.T) {
	limit(t)
	p := New(Workers(1))
	work := p.Schedule(&nothing{})
	first := p.ScheduleHere(Func(func(task *Task) {
		if err := task.Wait(work); err != nil {
			t.Error(err)
		}
	}))
	p.ScheduleHere(Func(func(task *Task) {
		if err := task.Wait(first); err != nil {
			t.Error(err)
		}
	}))
	if n := runHere(p); n != 2 {
		t.Errorf("%d jobs ran", n)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestLongJobsKeepNothing checks that edges do not accumulate in a job that runs for a long time and
// schedules and waits again and again.
func TestLongJobsKeepNothing(t *testing.T) {
	limit(t)
	const rounds = 2000
	p := New(Workers(2))
	gate := make(chan struct{})
	open := p.Schedule(Func(func(*Task) { <-gate }))
	h := p.Schedule(Func(func(task *Task) {
		defer close(gate)
		kept := task.Schedule(&nothing{}, open) // stays in the list
		for what, once := range map[string]func(){
			"children": func() { _ = task.Wait(task.Schedule(&nothing{})) },
			"waits": func() {
				wc := task.ctx
				a := pendingWait{ctx: wc, target: open, firstEdge: len(wc.stack.waitEdges)}
				a.linkStack()
				a.unlinkStack()
			},
		} {
			for range rounds { // until the context has as many edges as it keeps
				once()
			}
			before := edgesUsed()
			for range rounds {
				once()
			}
			if grown := edgesUsed() - before; grown > rounds/4 {
				t.Errorf("%d %s keep %d edges", rounds, what, grown)
			}
		}
		n := uint32(0)
		for i := task.node.childEdges.Load(); i != 0; i = edgeAt(i).nextIn {
			n++
		}
		if n > 2*minSweep {
			t.Errorf("n > 2*minSweep: %d edges are in the list", n)
		} else if n == 0 {
			t.Errorf("n == 0: %d edges are in the list", n)
		}
		if kept.Done() {
			t.Error("the job is done that was to stay")
		}
	}))
	if err := WaitAll(h, open); err != nil {
		t.Error(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestSweepsWhileOthersLook makes a job sweep its list of edges while other goroutines walk along
// the list.
func TestSweepsWhileOthersLook(t *testing.T) {
	limit(t)
	runPools(t, func(t *testing.T, p *Pool) {
		const n = 30 * minSweep
		begun := make(chan struct{})
		var ran atomic.Int32
		child := Func(func(*Task) { ran.Add(1) })
		h := p.Schedule(Func(func(task *Task) {
			close(begun)
			for i := range n {
				c := task.Schedule(child)
				if i%3 == 0 {
					_ = task.Wait(c)
				}
			}
		}))
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				if p.Workers() > 1 {
					<-begun
				}
				if err := h.Wait(); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if got := ran.Load(); got != n {
			t.Errorf("%d of %d children ran", got, n)
		}
	})
}

// goesRound starts at a job that waits or has a child. It walks step by step around a cycle, and then
// walks normally from each job of the cycle. It fails the test if the walk visits the first job
// again, because such a walk would not end.
func goesRound(t *testing.T, p *Pool, circle []Handle) {
	t.Helper()
	wc := p.acquire()
	defer wc.release()
	w := newDependencyWalk(wc)
	for _, h := range append(circle[:len(circle):len(circle)], circle[0]) {
		w.visit(h)
	}
	if n := len(wc.stack.walkSteps); n != len(circle) {
		t.Errorf("a walk round %d jobs has %d steps", len(circle), n)
		return
	}
	wc.stack.walkSteps = wc.stack.walkSteps[:0]
	for _, h := range circle {
		for i := range 4 {
			w := newDependencyWalk(wc)
			w.dryRun, w.unconditional = i%2 == 0, i/2 == 0
			w.visitFrom(h)
			if w.ranJob {
				t.Errorf("w.ranJob: ran %v, dead %v, %d of %d steps", w.ranJob, w.circular, len(wc.stack.walkSteps), cap(wc.stack.walkSteps))
			} else if w.circular {
				t.Errorf("w.circular: ran %v, dead %v, %d of %d steps", w.ranJob, w.circular, len(wc.stack.walkSteps), cap(wc.stack.walkSteps))
			} else if len(wc.stack.walkSteps) != 0 {
				t.Errorf("len(wc.stack.walkSteps) != 0: ran %v, dead %v, %d of %d steps", w.ranJob, w.circular, len(wc.stack.walkSteps), cap(wc.stack.walkSteps))
			} else if cap(wc.stack.walkSteps) > 8 {
				t.Errorf("cap(wc.stack.walkSteps) > 8: ran %v, dead %v, %d of %d steps", w.ranJob, w.circular, len(wc.stack.walkSteps), cap(wc.stack.walkSteps))
			}
		}
	}
}

// TestWalkEndsInTheirCircle creates a cycle that has not been reported yet. The cycle consists of two
// jobs, or of three jobs that each wait for both others. A goroutine that begins to wait for one of
// these jobs must walk around the cycle only once.
func TestWalkEndsInTheirCircle(t *testing.T) {
	limit(t)
	for _, n := range []int{2, 3} {
		p := New(Workers(n + 1))
		begin, end := make(chan struct{}), make(chan struct{})
		all := make([]Handle, n)
		var begun, linked atomic.Int32
		for i := range all {
			all[i] = p.Schedule(Func(func(task *Task) {
				begun.Add(1)
				<-begin
				base := len(task.ctx.stack.waitEdges)
				for k := range all {
					if k != i {
						(&pendingWait{ctx: task.ctx, target: all[k]}).linkStack() // as a wait does before its second look
					}
				}
				linked.Add(1)
				<-end
				(&pendingWait{ctx: task.ctx, firstEdge: base}).unlinkStack()
			}))
			waitUntil(t, "the job runs", func() bool { return begun.Load() == int32(i)+1 })
		}
		close(begin)
		waitUntil(t, "all wait", func() bool { return linked.Load() == int32(n) })
		goesRound(t, p, all)
		close(end)
		if err := WaitAll(all...); err != nil {
			t.Error(err)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestWalkEndsInACircleOfChildren checks a cycle in which no goroutine waits: a child of job A
// depends on job B, and job B depends on job A.
func TestWalkEndsInACircleOfChildren(t *testing.T) {
	limit(t)
	p := New(Workers(2))
	begin, end := make(chan struct{}), make(chan struct{})
	var circle []Handle
	parent := p.Schedule(Func(func(task *Task) {
		<-begin
		after := p.Schedule(&nothing{}, circle[0])
		child := task.Schedule(&nothing{}, after)
		circle = append(circle, child, after)
		end <- struct{}{}
		<-end
	}))
	circle = []Handle{parent}
	close(begin)
	<-end
	goesRound(t, p, circle)
	close(end)
	var leak *LeakError
	if err := p.Close(); !errors.As(err, &leak) {
		t.Errorf("!errors.As(err, &leak): %v, want three jobs that leak", err)
	} else if leak.Count != 3 {
		t.Errorf("leak.Count is %v, want 3: %v, want three jobs that leak", leak.Count, err)
	}
}

// fillEdges fills the table of edges and the pool's only context until both together have only n
// free edges left.
func fillEdges(wc *workerContext, n int) (empty func()) {
	for wc.free.freeEdges < n {
		wc.free.refillEdges()
	}
	wc.free.returnEdges(n)
	edges.mu.Lock()
	defer edges.mu.Unlock()
	free, used := edges.free, edges.used
	edges.free, edges.used = 0, 1<<edgeBits-1
	return func() {
		edges.mu.Lock()
		defer edges.mu.Unlock()
		edges.free, edges.used = free, used
	}
}

// TestWaitThatCannotBeLinked fills the table of edges, so that only half of a stack's jobs can be
// linked. The wait must fail and leave no edge.
func TestWaitThatCannotBeLinked(t *testing.T) {
	limit(t)
	p := New(Workers(1))
	gate := p.External(context.Background(), func(context.Context) error { return nil })
	var got any
	h := p.Schedule(Func(func(lower *Task) {
		_ = lower.Wait(lower.Schedule(Func(func(task *Task) {
			wc := task.ctx
			empty := fillEdges(wc, 1)
			func() {
				defer func() { got = recover() }()
				_ = (&pendingWait{ctx: wc, target: gate}).waitLinked()
			}()
			empty()
			if wc.stack.depth != 2 {
				t.Errorf("wc.stack.depth != 2: %d of %d waits are still linked", len(wc.stack.waitEdges), wc.stack.depth)
			} else if len(wc.stack.waitEdges) != 0 {
				t.Errorf("len(wc.stack.waitEdges) != 0: %d of %d waits are still linked", len(wc.stack.waitEdges), wc.stack.depth)
			}
			for i := lower.node.childEdges.Load(); i != 0; i = edgeAt(i).nextIn {
				if e := edgeAt(i); e.position == edgeWait && e.from != nil {
					t.Error("an edge says that the job waits")
				}
			}
		})))
	}))
	if err := WaitAll(h, gate); err != nil {
		t.Error(err)
	}
	if s, _ := got.(string); s != "jobs: more than 16777215 dependencies are live" {
		t.Errorf("the wait says %v", got)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestChildClosesTheCircle makes each job sleep in a wait for the next one. The last job waits for a
// job that later schedules a child after the first job. One wait must return ErrDeadlock.
func TestChildClosesTheCircle(t *testing.T) {
	limit(t)
	for _, parker := range []Option{func(*Pool) {}, Futex()} {
		for _, n := range []int{1, 2, 3} {
			p := New(Workers(n+2), parker)
			all := make([]Handle, n+1) // the last is the parent
			errs := make([]error, n)
			contexts := make([]*workerContext, n)
			slept := make([]uint64, n)
			var begun atomic.Int32
			begin := make(chan struct{})
			for i := range all {
				all[i] = p.Schedule(Func(func(task *Task) {
					if i < n {
						contexts[i], slept[i] = task.ctx, task.ctx.counters.sleeps.Load()
					}
					begun.Add(1)
					<-begin
					if i < n {
						errs[i] = task.Wait(all[i+1])
						return
					}
					waitUntil(t, "all waits sleep", func() bool {
						return !slices.ContainsFunc(contexts, func(wc *workerContext) bool {
							return wc.counters.sleeps.Load() == slept[slices.Index(contexts, wc)]
						})
					})
					task.Schedule(&nothing{}, all[0])
				}))
				waitUntil(t, "the job runs", func() bool { return int(begun.Load()) == i+1 })
			}
			close(begin)
			for _, h := range all {
				waitUntil(t, "all are done", h.Done)
			}
			oneTold(t, errs)
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
