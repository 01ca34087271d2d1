package jobs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

// Conformance: 237
func TestSerialAndCombinedJobs(t *testing.T) {
	limit(t)
	for _, workers := range []int{1, 2, 3, 8, 64} {
		p := New(Workers(workers))
		for range 100 {
			var order []int
			step := func(i int) Func { return func(*Task) { order = append(order, i) } }
			a := p.Schedule(step(0))
			b := p.Schedule(step(1), a)
			c := p.Schedule(step(2), b)
			if err := c.Wait(); err != nil || fmt.Sprint(order) != "[0 1 2]" || !a.Done() || !b.Done() {
				t.Fatalf("workers %d: order %v, error %v", workers, order, err)
			}
			var n atomic.Int32
			add := Func(func(*Task) { n.Add(1) })
			all := Combine(p.Schedule(add), Handle{}, p.Schedule(add), p.Schedule(add))
			if err := all.Wait(); err != nil || n.Load() != 3 || !all.Done() {
				t.Fatalf("workers %d: %d of 3 ran, error %v", workers, n.Load(), err)
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// dagJob is a job of a random graph: it checks that all before it are done.
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

func (j *dagJob) Run(*Task) {
	j.check()
	j.ran.Add(1)
}

// dagLoop is the same for a parallel-for: done when all blocks are.
type dagLoop struct {
	dagJob
	n, left atomic.Int32
}

func (j *dagLoop) RunRange(_ *Task, lo, hi int) {
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
			p := New(Workers(workers))
			defer p.Close()
			for seed := range uint64(150) {
				randomGraph(t, p, rand.New(rand.NewPCG(seed, 1)))
			}
		})
	}
}

func randomGraph(t *testing.T, p *Pool, rng *rand.Rand) {
	sc := p.Scope(context.Background())
	n := 1 + rng.IntN(200)
	all := make([]*dagJob, n)
	handles := make([]Handle, n)
	var after []Handle
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
		if j.ran.Load() != 1 || !handles[i].Done() {
			t.Fatalf("job %d of %d ran %d times", i, n, j.ran.Load())
		}
	}
}

func TestChildrenBelongToTheirParent(t *testing.T) {
	limit(t)
	for _, workers := range []int{1, 2, 8} {
		p := New(Workers(workers))
		for range 200 {
			var n atomic.Int32
			h := p.Schedule(Func(func(t *Task) {
				for range 5 {
					t.Schedule(Func(func(t *Task) {
						t.ParallelFor(RangeFunc(func(_ *Task, lo, hi int) { n.Add(int32(hi - lo)) }), 10, 1)
					}))
				}
			}))
			var seen int32
			after := p.Schedule(Func(func(*Task) { seen = n.Load() }), h)
			if err := after.Wait(); err != nil || seen != 50 {
				t.Fatalf("workers %d: %d of 50 ran before the job behind their parent; error %v", workers, seen, err)
			}
		}
		p.Close()
	}
}

// TestChildrenAreSeenWhole: a wait for a parent looks at children that are being
// scheduled.
func TestChildrenAreSeenWhole(t *testing.T) {
	limit(t)
	p := New(Workers(2))
	defer p.Close()
	for range 20 {
		h := p.Schedule(Func(func(t *Task) {
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
		p := New(Workers(workers))
		hand := make(chan Handle, 1)
		var got, below error
		h := p.Schedule(Func(func(t *Task) {
			self := <-hand
			got = t.Wait(self)
			below = t.Wait(t.Schedule(Func(func(t *Task) { got = errors.Join(got, t.Wait(self)) })))
		}))
		hand <- h
		if err := h.Wait(); err != nil || below != nil || !errors.Is(got, ErrDeadlock) {
			t.Fatalf("workers %d: errors %v, %v, %v", workers, err, got, below)
		}
		p.Close()
	}
}

func TestTwoUsersOnOnePool(t *testing.T) {
	limit(t)
	p := New(Workers(2))
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

// A wait runs what it waits for, and not what comes behind it.
func TestWaitLeavesWhatComesAfter(t *testing.T) {
	limit(t)
	p := New(Workers(1))
	defer p.Close()
	ran := false
	a := p.Schedule(&nothing{})
	b := p.Schedule(Func(func(*Task) { ran = true }), a)
	if err := a.Wait(); err != nil || ran {
		t.Errorf("the job behind has run: %v, %v", ran, err)
	}
	if err := b.Wait(); err != nil || !ran {
		t.Errorf("the job behind has not run: %v", err)
	}
}
