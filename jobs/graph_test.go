package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/lanewise/lanewise/jobs"
)

// Conformance: 237
func TestSerialAndCombinedJobs(t *testing.T) {
	limit(t)
	for _, workers := range []int{1, 2, 3, 8, 64} {
		p := jobs.New(jobs.Workers(workers))
		for range 100 {
			var order []int
			step := func(i int) jobs.Func { return func(*jobs.Task) { order = append(order, i) } }
			a := p.Schedule(step(0))
			b := p.Schedule(step(1), a)
			c := p.Schedule(step(2), b)
			if err := c.Wait(); err != nil {
				t.Fatalf("err != nil: workers %d: order %v, error %v", workers, order, err)
			} else if fmt.Sprint(order) != "[0 1 2]" {
				t.Fatalf("fmt.Sprint(order) != \"[0 1 2]\": workers %d: order %v, error %v", workers, order, err)
			} else if !a.Done() {
				t.Fatalf("!a.Done(): workers %d: order %v, error %v", workers, order, err)
			} else if !b.Done() {
				t.Fatalf("!b.Done(): workers %d: order %v, error %v", workers, order, err)
			}
			var n atomic.Int32
			add := jobs.Func(func(*jobs.Task) { n.Add(1) })
			all := jobs.Combine(p.Schedule(add), jobs.Handle{}, p.Schedule(add), p.Schedule(add))
			if err := all.Wait(); err != nil {
				t.Fatalf("err != nil: workers %d: %d of 3 ran, error %v", workers, n.Load(), err)
			} else if n.Load() != 3 {
				t.Fatalf("n.Load() != 3: workers %d: %d of 3 ran, error %v", workers, n.Load(), err)
			} else if !all.Done() {
				t.Fatalf("!all.Done(): workers %d: %d of 3 ran, error %v", workers, n.Load(), err)
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// dagJob is a job of a random graph. It checks that all jobs on which it depends are done.
type dagJob struct {
	t      *testing.T
	id     int
	before []*dagJob
	ran    atomic.Int32
}

func (j *dagJob) check() {
	for _, b := range j.before {
		if b.ran.Load() != 1 {
			j.t.Errorf("job %d ran before job %d was done", j.id, b.id)
		}
	}
}

func (j *dagJob) Run(*jobs.Task) {
	j.check()
	j.ran.Add(1)
}

// dagLoop does the same as dagJob, as a parallel-for. A dagLoop is done when all its blocks are done.
type dagLoop struct {
	dagJob
	n, left atomic.Int32
}

func (j *dagLoop) RunRange(_ *jobs.Task, lo, hi int) {
	j.check()
	j.n.Add(int32(hi - lo))
	if j.left.Add(int32(lo-hi)) == 0 {
		j.ran.Add(1)
	}
}

func TestRandomGraphs(t *testing.T) {
	limit(t)
	for _, workers := range []int{1, 2, 3, 8, 64} {
		t.Run(fmt.Sprint("workers=", workers), func(t *testing.T) {
			p := jobs.New(jobs.Workers(workers))
			defer p.Close()
			for seed := range uint64(150) {
				randomGraph(t, p, rand.New(rand.NewPCG(seed, 1)))
			}
		})
	}
}

func randomGraph(t *testing.T, p *jobs.Pool, rng *rand.Rand) {
	sc := p.Scope(context.Background())
	n := 1 + rng.IntN(200)
	all := make([]*dagJob, n)
	handles := make([]jobs.Handle, n)
	var after []jobs.Handle
	for i := range n {
		after = after[:0]
		var before []*dagJob
		for range rng.IntN(4) {
			if i > 0 {
				k := rng.IntN(i)
				before = append(before, all[k])
				after = append(after, handles[k])
			}
		}
		if rng.IntN(3) == 0 {
			size := rng.IntN(50)
			j := &dagLoop{dagJob: dagJob{t: t, id: i, before: before}}
			j.left.Store(int32(size))
			if size == 0 {
				j.ran.Store(1)
			}
			all[i] = &j.dagJob
			handles[i] = sc.ParallelFor(j, size, 1+rng.IntN(5), after...)
		} else {
			j := &dagJob{t: t, id: i, before: before}
			all[i] = j
			handles[i] = sc.Schedule(j, after...)
		}
		if rng.IntN(20) == 0 {
			if err := handles[rng.IntN(i+1)].Wait(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := sc.End(); err != nil {
		t.Fatal(err)
	}
	for i, j := range all {
		if j.ran.Load() != 1 {
			t.Fatalf("j.ran.Load() != 1: job %d of %d ran %d times", i, n, j.ran.Load())
		} else if !handles[i].Done() {
			t.Fatalf("!handles[i].Done(): job %d of %d ran %d times", i, n, j.ran.Load())
		}
	}
}

func TestChildrenBelongToTheirParent(t *testing.T) {
	limit(t)
	for _, workers := range []int{1, 2, 8} {
		p := jobs.New(jobs.Workers(workers))
		for range 200 {
			var n atomic.Int32
			h := p.Schedule(jobs.Func(func(t *jobs.Task) {
				for range 5 {
					t.Schedule(jobs.Func(func(t *jobs.Task) {
						t.ParallelFor(jobs.RangeFunc(func(_ *jobs.Task, lo, hi int) { n.Add(int32(hi - lo)) }), 10, 1)
					}))
				}
			}))
			var seen int32
			after := p.Schedule(jobs.Func(func(*jobs.Task) { seen = n.Load() }), h)
			if err := after.Wait(); err != nil {
				t.Fatalf("err != nil: workers %d: %d of 50 ran before the job behind their parent; error %v", workers, seen, err)
			} else if seen != 50 {
				t.Fatalf("seen != 50: workers %d: %d of 50 ran before the job behind their parent; error %v", workers, seen, err)
			}
		}
		p.Close()
	}
}

// TestChildrenAreSeenWhole waits for a parent while its children are being scheduled. The wait must
// not see a child that is only partly linked.
func TestChildrenAreSeenWhole(t *testing.T) {
	limit(t)
	p := jobs.New(jobs.Workers(2))
	defer p.Close()
	for range 20 {
		h := p.Schedule(jobs.Func(func(t *jobs.Task) {
			last := t.Schedule(&nothing{})
			for range 200 {
				last = t.Schedule(&nothing{}, last)
				last = t.ParallelFor(&nothing{}, 3, 1, last, t.Schedule(&nothing{}))
			}
		}))
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				if err := h.Wait(); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
}

func TestWaitForAncestorIsDeadlock(t *testing.T) {
	limit(t)
	for _, workers := range []int{1, 2, 8} {
		p := jobs.New(jobs.Workers(workers))
		hand := make(chan jobs.Handle, 1)
		var got, below error
		h := p.Schedule(jobs.Func(func(t *jobs.Task) {
			self := <-hand
			got = t.Wait(self)
			below = t.Wait(t.Schedule(jobs.Func(func(t *jobs.Task) { got = errors.Join(got, t.Wait(self)) })))
		}))
		hand <- h
		if err := h.Wait(); err != nil {
			t.Fatalf("err != nil: workers %d: errors %v, %v, %v", workers, err, got, below)
		} else if below != nil {
			t.Fatalf("below != nil: workers %d: errors %v, %v, %v", workers, err, got, below)
		} else if !errors.Is(got, jobs.ErrDeadlock) {
			t.Fatalf("!errors.Is(got, jobs.ErrDeadlock): workers %d: errors %v, %v, %v", workers, err, got, below)
		}
		p.Close()
	}
}

func TestTwoUsersOnOnePool(t *testing.T) {
	limit(t)
	p := jobs.New(jobs.Workers(2))
	defer p.Close()
	var wg sync.WaitGroup
	for user := range uint64(3) {
		wg.Go(func() {
			for seed := range uint64(50) {
				randomGraph(t, p, rand.New(rand.NewPCG(seed, user)))
			}
		})
	}
	wg.Wait()
}

// TestWaitLeavesWhatComesAfter checks that a wait runs the jobs that it needs and no job that comes
// after them.
func TestWaitLeavesWhatComesAfter(t *testing.T) {
	limit(t)
	p := jobs.New(jobs.Workers(1))
	defer p.Close()
	ran := false
	a := p.Schedule(&nothing{})
	b := p.Schedule(jobs.Func(func(*jobs.Task) { ran = true }), a)
	if err := a.Wait(); err != nil {
		t.Errorf("err != nil: the job behind has run: %v, %v", ran, err)
	} else if ran {
		t.Errorf("ran is true: the job behind has run: %v, %v", ran, err)
	}
	if err := b.Wait(); err != nil {
		t.Errorf("err != nil: the job behind has not run: %v", err)
	} else if !ran {
		t.Errorf("ran is false: the job behind has not run: %v", err)
	}
}

// FuzzGraph builds a graph of jobs from bytes and runs it with several numbers of workers. It
// compares the result with a model: the jobs that ran, and the error of each handle.
func FuzzGraph(f *testing.F) {
	f.Add([]byte{0, 0, 0})
	f.Add([]byte{1, 0, 0, 2, 1, 0, 5, 1, 2, 3, 3, 3})
	f.Add([]byte{8, 0, 0, 9, 1, 0, 3, 1, 2, 9, 1, 0, 8, 1, 0, 7, 1, 2})
	f.Add([]byte{0x83, 7, 0, 0x41, 1, 1, 4, 2, 1, 6, 1, 3, 7, 4, 4})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 3*200 {
			data = data[:3*200]
		}
		want := modelGraph(data)
		for i, workers := range []int{1, 2, 5} {
			p := jobs.New(jobs.Workers(workers), seeded(uint64(i)), jobs.Safety(jobs.Panic))
			got := runGraph(t, p, data)
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("workers %d:\ngot  %v\nwant %v", workers, got, want)
			}
		}
	})
}

// A node is described by three bytes: its kind, and the distances back to the two jobs on which it
// depends.
const (
	nodeJob      = iota
	nodeLoop     // several blocks
	nodeParent   // two children, the second a loop
	nodePanic    // fails
	nodeBadLoop  // fails at the fourth block and above
	nodeCombine  // of the two dependencies
	nodeWaiter   // waits for a child
	nodeExternal // on another goroutine
	nodeHere     // on the goroutine that ends the scope
	nodeLater    // several blocks, whose number is known late
	nodeKinds
)

// outcome is the result of a node. An outcome says how often the node's body ran, and which node's
// failure the handle returns (-1 for none).
type outcome struct{ ran, failed int }

func decode(data []byte, i int) (what int, before []int, priority jobs.Priority) {
	b := data[3*i]
	for _, back := range data[3*i+1 : 3*i+3] {
		if k := i - int(back)%16; k < i && k >= 0 {
			before = append(before, k)
		}
	}
	return int(b) % nodeKinds, before, jobs.Priority(int(b)/nodeKinds%3) - 1
}

func modelGraph(data []byte) []outcome {
	all := make([]outcome, len(data)/3)
	for i := range all {
		what, before, _ := decode(data, i)
		o := outcome{failed: -1}
		for _, k := range before {
			if all[k].failed >= 0 {
				o.failed = all[k].failed
				break
			}
		}
		if o.failed < 0 && what != nodeCombine {
			o.ran = 1
			switch what {
			case nodePanic, nodeBadLoop:
				o.failed = i
			case nodeParent:
				o.ran = 1 + 1 + 5
			case nodeLoop, nodeLater:
				o.ran = 7
			case nodeWaiter:
				o.ran = 2
			}
		}
		if what == nodeBadLoop && o.ran == 1 {
			o.ran = 3 // the blocks below the failing one run; those above may run or not
		}
		all[i] = o
	}
	return all
}

func runGraph(t *testing.T, p *jobs.Pool, data []byte) []outcome {
	n := len(data) / 3
	ctx := context.Background()
	sc := p.Scope(ctx)
	handles := make([]jobs.Handle, n)
	ran := make([]atomic.Int32, n)
	for i := range handles {
		what, before, priority := decode(data, i)
		var after []jobs.Handle
		for _, k := range before {
			after = append(after, handles[k])
		}
		one := jobs.Func(func(*jobs.Task) { ran[i].Add(1) })
		many := jobs.RangeFunc(func(_ *jobs.Task, lo, hi int) { ran[i].Add(int32(hi - lo)) })
		switch what {
		case nodeJob:
			handles[i] = p.ScheduleAt(priority, one, after...)
		case nodeLoop:
			handles[i] = p.ParallelForAt(priority, many, 7, 2, after...)
		case nodeParent:
			handles[i] = p.ScheduleAt(priority, jobs.Func(func(t *jobs.Task) {
				t.ParallelFor(many, 5, 1, t.Schedule(one))
				ran[i].Add(1)
			}), after...)
		case nodePanic:
			handles[i] = p.ScheduleAt(priority, jobs.Func(func(*jobs.Task) { ran[i].Add(1); panic(i) }), after...)
		case nodeBadLoop:
			handles[i] = p.ParallelForAt(priority, jobs.RangeFunc(func(_ *jobs.Task, lo, hi int) {
				if lo >= 3 {
					panic(i)
				}
				ran[i].Add(1)
			}), 9, 1, after...)
		case nodeCombine:
			handles[i] = jobs.Combine(after...)
		case nodeWaiter:
			handles[i] = p.ScheduleAt(priority, jobs.Func(func(t *jobs.Task) {
				if err := t.Wait(t.Schedule(one)); err != nil {
					panic(err)
				}
				ran[i].Add(1)
			}), after...)
		case nodeExternal:
			handles[i] = p.External(ctx, func(context.Context) error { ran[i].Add(1); return nil }, after...)
		case nodeHere:
			handles[i] = p.ScheduleHere(one, after...)
		case nodeLater:
			n := -1
			counted := jobs.Func(func(*jobs.Task) { n = 7 })
			handles[i] = p.ParallelForLater(many, &n, 2, append(after, p.ScheduleAt(priority, counted))...)
		}
	}
	_ = sc.End()
	_ = jobs.WaitAll(handles...) // jobs whose length is known later do not belong to the scope
	all := make([]outcome, n)
	for i, h := range handles {
		if err := h.Wait(); !h.Done() {
			t.Fatalf("!h.Done(): job %d: done %v, errors %v and %v", i, h.Done(), err, h.Err())
		} else if err != h.Err() {
			t.Fatalf("err != h.Err(): job %d: done %v, errors %v and %v", i, h.Done(), err, h.Err())
		}
		all[i] = outcome{ran: int(ran[i].Load()), failed: -1}
		var pe *jobs.PanicError
		if errors.As(h.Err(), &pe) {
			all[i].failed = pe.Value.(int)
			if what, _, _ := decode(data, pe.Value.(int)); what == nodeBadLoop && pe.Index != 3 {
				t.Fatalf("job %d: the loop failed at index %d", i, pe.Index)
			}
		} else if h.Err() != nil {
			t.Fatal(fmt.Errorf("job %d: %w", i, h.Err()))
		}
	}
	return all
}

func TestLengthIsKnownLater(t *testing.T) {
	limit(t)
	pools(t, func(t *testing.T, p *jobs.Pool) {
		sc := p.Scope(context.Background())
		for _, want := range []int{0, 1, 7, 1000} {
			for _, grain := range []int{0, 1, 5} {
				n := -1
				counted := sc.Schedule(jobs.Func(func(*jobs.Task) { n = want }))
				var ran atomic.Int32
				job := jobs.RangeFunc(func(_ *jobs.Task, lo, hi int) { ran.Add(int32(hi - lo)) })
				if err := p.ParallelForLater(job, &n, grain, counted).Wait(); err != nil {
					t.Errorf("err != nil: n %d, grain %d: %d ran, %v", want, grain, ran.Load(), err)
				} else if int(ran.Load()) != want {
					t.Errorf("int(ran.Load()) is %v, want %v: n %d, grain %d: %d ran, %v", int(ran.Load()), want, want, grain, ran.Load(), err)
				}
			}
		}
		bad := -1
		if err := p.ParallelForLater(&nothing{}, &bad, 1).Wait(); err == nil {
			t.Errorf("err is nil; err is %v", err)
		} else if !strings.Contains(err.Error(), "n is -1") {
			t.Errorf("!strings.Contains(err.Error(), \"n is -1\"); err is %v", err)
		}
		if err := sc.End(); err != nil {
			t.Error(err)
		}
	})
}
