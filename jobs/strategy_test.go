package jobs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

// strategies are all ways to run a loop.
var strategies = map[string]func(p *Pool, j RangeJob, n, grain int) error{
	"Range": func(p *Pool, j RangeJob, n, grain int) error {
		return p.Range(n, grain, func(lo, hi int) { j.RunRange(nil, lo, hi) })
	},
	"ParallelFor": func(p *Pool, j RangeJob, n, grain int) error { return p.ParallelFor(j, n, grain).Wait() },
	"behind": func(p *Pool, j RangeJob, n, grain int) error {
		return p.ParallelFor(j, n, grain, p.Schedule(&nothing{}), p.ParallelFor(&nothing{}, 10, 1)).Wait()
	},
	"scope": func(p *Pool, j RangeJob, n, grain int) error {
		sc := p.Scope(context.Background())
		sc.ParallelFor(j, n, grain)
		return sc.End()
	},
	"child": func(p *Pool, j RangeJob, n, grain int) error {
		return p.Schedule(Func(func(t *Task) { t.ParallelFor(j, n, grain) })).Wait()
	},
	"child waited for": func(p *Pool, j RangeJob, n, grain int) error {
		return p.Schedule(Func(func(t *Task) { _ = t.Wait(t.ParallelFor(j, n, grain)) })).Wait()
	},
	"inside a job": func(p *Pool, j RangeJob, n, grain int) error {
		return p.Schedule(Func(func(t *Task) { _ = p.Range(n, grain, func(lo, hi int) { j.RunRange(nil, lo, hi) }) })).Wait()
	},
	"inside a loop": func(p *Pool, j RangeJob, n, grain int) error {
		return p.Range(3, 1, func(lo, _ int) {
			if lo == 1 {
				_ = p.ParallelFor(j, n, grain).Wait()
			}
		})
	},
	"high":       func(p *Pool, j RangeJob, n, grain int) error { return p.ParallelForAt(High, j, n, grain).Wait() },
	"background": func(p *Pool, j RangeJob, n, grain int) error { return p.ParallelForAt(Background, j, n, grain).Wait() },
	"later": func(p *Pool, j RangeJob, n, grain int) error {
		later := -1
		return p.ParallelForLater(j, &later, grain, p.Schedule(Func(func(*Task) { later = n }))).Wait()
	},
	"beside a user": func(p *Pool, j RangeJob, n, grain int) error {
		other := make(chan error, 1)
		go func() { other <- p.ParallelFor(&nothing{}, n, grain).Wait() }()
		return errors.Join(p.ParallelFor(j, n, grain).Wait(), <-other)
	},
	"polled": func(p *Pool, j RangeJob, n, grain int) error {
		h := p.ParallelFor(j, n, grain)
		for !h.Done() && p.Workers() > 1 {
			time.Sleep(10 * time.Microsecond)
		}
		return h.Wait()
	},
}

// tally counts how often each index runs.
type tally struct {
	t     *testing.T
	name  string
	grain int
	hits  []atomic.Int32
	slow  bool
}

func (c *tally) JobName() string { return c.name }

func (c *tally) RunRange(_ *Task, lo, hi int) {
	if lo < 0 || hi > len(c.hits) || lo >= hi || hi-lo > c.grain || lo%c.grain != 0 {
		c.t.Errorf("%s: block [%d, %d) of %d, grain %d", c.name, lo, hi, len(c.hits), c.grain)
		return
	}
	if c.slow {
		for end := clock() + 2*time.Microsecond; clock() < end; {
		}
	}
	for i := lo; i < hi; i++ {
		c.hits[i].Add(1)
	}
}

// Conformance: 236
func TestEachIndexOnce(t *testing.T) {
	limit(t)
	pools(t, func(t *testing.T, p *Pool) {
		for name, run := range strategies {
			for _, n := range []int{0, 1, 3, 4, 5, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 63, 64, 65, 1000} {
				for _, grain := range []int{1, 2, 3, 7, 16, 64, n + 1} {
					for _, slow := range []bool{false, true} {
						if slow && n > 65 {
							continue
						}
						c := &tally{t: t, name: fmt.Sprint(name, slow), grain: grain, hits: make([]atomic.Int32, n), slow: slow}
						if err := run(p, c, n, grain); err != nil {
							t.Fatalf("%s, n %d, grain %d: %v", name, n, grain, err)
						}
						for i := range c.hits {
							if got := c.hits[i].Load(); got != 1 {
								t.Fatalf("%s, n %d, grain %d: index %d ran %d times", name, n, grain, i, got)
							}
						}
					}
				}
			}
		}
	})
}

// TestGrainIsChosenByNAlone: what a panic reports may not depend on workers.
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
			if fmt.Sprint(got) != fmt.Sprint(want) || len(got) > maxLeaves {
				t.Errorf("n %d, workers %d: %d blocks, want %d", n, workers, len(got), len(want))
			}
		}
	}
}

func TestOneProcessor(t *testing.T) {
	limit(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	pools(t, func(t *testing.T, p *Pool) {
		for seed := range uint64(20) {
			randomGraph(t, p, newRand(seed))
		}
		if p.machine.Awake(time.Second) != 0 {
			t.Error("workers spin on one processor")
		}
	})
}

func TestLateWorkersAreNotWaitedFor(t *testing.T) {
	limit(t)
	p := New(Workers(2))
	defer p.Close()
	body, release := held()
	begun := make(chan struct{})
	h := p.Schedule(Func(func(t *Task) { close(begun); body(t) }))
	<-begun // the only worker is busy from here on
	n := 0
	if err := p.Range(100, 1, func(int, int) { n++ }); err != nil || n != 100 {
		t.Error(n, err)
	}
	release()
	if err := h.Wait(); err != nil {
		t.Error(err)
	}
}

// TestWaitRunsOnlyWhatItNeeds: an unrelated job never sits on a waiting stack.
func TestWaitRunsOnlyWhatItNeeds(t *testing.T) {
	limit(t)
	p := New(Workers(1))
	defer p.Close()
	other := false
	unrelated := p.Schedule(Func(func(*Task) { other = true }))
	root := p.Schedule(&nothing{})
	branch := p.Schedule(Func(func(*Task) { other = true }), root)
	leaf := p.Schedule(&nothing{}, root)
	if err := Combine(leaf, root).Wait(); err != nil || other {
		t.Errorf("an unrelated job ran: %v, %v", other, err)
	}
	if err := p.Schedule(Func(func(t *Task) {
		if err := t.Wait(t.Schedule(&nothing{})); err != nil || other {
			panic("an unrelated job ran")
		}
	})).Wait(); err != nil {
		t.Error(err)
	}
	if err := Combine(unrelated, branch).Wait(); err != nil || !other {
		t.Error(err)
	}
}

func TestSmallLoopsStayOnOneSeat(t *testing.T) {
	limit(t)
	p := New(Workers(2))
	defer p.Close()
	job := &nothing{}
	p.ParallelFor(job, 2, 1).Wait() // makes the kind
	stats := statsByType.getOrCreate(reflect.TypeOf(job), typeName)
	before := p.Stats().Inline
	for range 640 {
		stats.cost.Store(1) // whatever this machine thinks of it
		p.ParallelFor(job, 2, 1).Wait()
	}
	if got := p.Stats().Inline - before; got < 500 {
		t.Errorf("%d of 640 loops were run inline", got)
	}
}

// TestSmallLoopsPanicOnce: what one seat runs alone because it looks small fails
// like any other loop.
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
		if err := p.ParallelFor(job, len(ran), 1).Wait(); !errors.As(err, &pe) || pe.Index != bad {
			t.Fatalf("panic at %d: %v", bad, err)
		}
		for i := range ran {
			if n := ran[i].Load(); i <= bad && n != 1 || n > 1 {
				t.Fatalf("panic at %d: index %d ran %d times", bad, i, n)
			}
		}
	}
}

// TestLoopEscapes: a loop that looked small and is not still gets other
// workers.
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
	p.ParallelFor(job, 64, 1).Wait() // makes the kind
	slow = true
	statsByCode.getOrCreate(funcPC(job), funcName).cost.Store(1) // whatever this machine thinks of it
	before := p.Stats().Loops
	if err := p.ParallelFor(job, 64, 1).Wait(); err != nil || p.Stats().Loops != before+1 {
		t.Errorf("%d loops were opened, error %v", p.Stats().Loops-before, err)
	}
}

// TestScratchesAreApart: pieces of any size share no byte, and no cache line.
func TestScratchesAreApart(t *testing.T) {
	limit(t)
	pools(t, func(t *testing.T, p *Pool) {
		job := RangeFunc(func(task *Task, lo, _ int) {
			var all [][]byte
			for _, n := range []int{1, 63, 64, 65, 128, 0, 192, 4096, 64, 5000, 64, 1, 128} {
				b := task.Scratch(n)
				if len(b) != n || cap(b) != n {
					panic(fmt.Sprintf("%d bytes, room for %d, want %d", len(b), cap(b), n))
				}
				if n > 0 && uintptr(unsafe.Pointer(&b[0]))%64 != 0 {
					panic(fmt.Sprintf("piece %d of %d bytes is not aligned", len(all), n))
				}
				all = append(all, b)
				for i := range b {
					b[i] = byte(lo + len(all))
				}
			}
			for k, b := range all {
				for i := range b {
					if b[i] != byte(lo+k+1) {
						panic(fmt.Sprintf("byte %d of piece %d is also that of another", i, k))
					}
				}
			}
		})
		for range 3 {
			if err := p.ParallelFor(job, 50, 1).Wait(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestScratchIsTheBlocksOwn(t *testing.T) {
	limit(t)
	pools(t, func(t *testing.T, p *Pool) {
		job := RangeFunc(func(task *Task, lo, _ int) {
			a, b := task.Scratch(100), task.Scratch(10_000)
			for i := range a {
				a[i] = byte(lo)
			}
			for i := range b {
				b[i] = byte(lo + 1)
			}
			_ = task.Wait(task.Schedule(Func(func(task *Task) {
				c := task.Scratch(500)
				for i := range c {
					c[i] = 255
				}
			})))
			for i := range a {
				if a[i] != byte(lo) {
					panic("scratch was overwritten")
				}
			}
			for i := range b {
				if b[i] != byte(lo+1) {
					panic("scratch was overwritten")
				}
			}
		})
		if err := p.ParallelFor(job, 100, 1).Wait(); err != nil {
			t.Error(err)
		}
	})
}
