package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/profile"
)

// Conformance: 236
func TestRangeRunsEachIndexOnce(t *testing.T) {
	limit(t)
	for _, workers := range []int{1, 2, 3, 8, 64} {
		p := jobs.New(jobs.Workers(workers))
		for _, n := range []int{0, 1, 3, 4, 5, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 1000} {
			for _, grain := range []int{0, 1, 2, 3, 7, n + 1} {
				hits := make([]int32, n)
				err := p.Range(n, grain, func(lo, hi int) {
					for i := lo; i < hi; i++ {
						hits[i]++
					}
				})
				for i, h := range hits {
					if h != 1 {
						t.Fatalf("workers %d, n %d, grain %d: index %d ran %d times", workers, n, grain, i, h)
					}
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNilOption checks that the panic names a nil option by its position.
func TestNilOption(t *testing.T) {
	limit(t)
	defer func() {
		if got, want := recover(), "jobs: New: option 0 is nil"; got != want {
			t.Errorf("got panic %v, want %q", got, want)
		}
	}()
	jobs.New(nil)
}

// TestAtomicsInOrder checks a property of the machine on which deque.pop and parking rely. Two
// goroutines each swap a value and then load the value that the other swaps. At least one of the two
// goroutines must see the swap of the other. The memory model of Go guarantees this for stores too,
// but qemu 7.2 for arm64 does not keep it for stores.
func TestAtomicsInOrder(t *testing.T) {
	limit(t)
	const n = 100_000
	type cell struct {
		v atomic.Int64
		_ [56]byte
	}
	var stored [2]cell
	var saw [2][n + 1]int64
	var start, wg sync.WaitGroup
	start.Add(2)
	for me := range 2 {
		wg.Go(func() {
			start.Done()
			start.Wait()
			for i := range int64(n) {
				stored[me].v.Swap(i + 1)
				saw[me][i+1] = stored[1-me].v.Load()
			}
		})
	}
	wg.Wait()
	passed := 0
	for mine := int64(1); mine <= n; mine++ {
		if next := saw[0][mine] + 1; next <= n && saw[1][next] < mine {
			passed++ // both goroutines missed the swap of the other
		}
	}
	if passed > 0 {
		t.Errorf("a load of sync/atomic passed an earlier swap %d times in %d: package jobs cannot work on this machine; "+
			"an emulator that does so has to keep to one CPU (.ci/one-cpu)", passed, n)
	}
}

// TestReduceKeepsNothing checks that Reduce keeps no pointer to its parts after it returns. With
// such a pointer, the parts could not be collected.
func TestReduceKeepsNothing(t *testing.T) {
	limit(t)
	pools(t, func(t *testing.T, p *jobs.Pool) {
		const parts = 40
		gone := make(chan int, parts)
		sum, err := jobs.Reduce(p, parts, func(lo, _ int) *[64]byte {
			part := new([64]byte)
			runtime.AddCleanup(part, func(at int) { gone <- at }, lo)
			return part
		}, func(a, _ *[64]byte) *[64]byte { return a })
		if err != nil {
			t.Fatalf("err is %v, want nil; sum is %v", err, sum)
		} else if sum == nil {
			t.Fatalf("sum is nil; sum is %v; err is %v", sum, err)
		}
		runtime.GC()
		deadline := time.After(2 * time.Minute)
		for range parts - 1 { // the first part is the sum
			select {
			case <-gone:
			case <-deadline:
				t.Fatal("the pool keeps what the parts of a reduction pointed at")
			}
		}
		runtime.KeepAlive(sum)
		runtime.KeepAlive(p)
	})
}

// TestScratchIsTakenBack checks that scratch memory is released after each block, so that a loop of
// any length needs no more than one block.
func TestScratchIsTakenBack(t *testing.T) {
	limit(t)
	p := jobs.New(jobs.Workers(1))
	defer p.Close()
	seen := map[*byte]int{}
	job := jobs.RangeFunc(func(task *jobs.Task, lo, _ int) { seen[unsafe.SliceData(task.Scratch(3000))]++ })
	if err := p.ParallelFor(job, 100, 1).Wait(); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 1 {
		t.Errorf("100 blocks had %d different pieces of memory, want one", len(seen))
	}
}

// TestLaterLengthIsNegative checks that a length that turns out to be negative is an error, no
// matter whether the caller or the pool chooses the grain.
func TestLaterLengthIsNegative(t *testing.T) {
	limit(t)
	pools(t, func(t *testing.T, p *jobs.Pool) {
		for _, grain := range []int{0, 1, 100} {
			n := -3
			err := p.ParallelForLater(&nothing{}, &n, grain).Wait()
			if err == nil {
				t.Errorf("err is nil: grain %d: error %v, want one that tells of -3", grain, err)
			} else if !strings.Contains(err.Error(), "n is -3") {
				t.Errorf("!strings.Contains(err.Error(), \"n is -3\"): grain %d: error %v, want one that tells of -3", grain, err)
			}
		}
	})
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

// strategies holds all functions that run a loop.
var strategies = map[string]func(p *jobs.Pool, j jobs.RangeJob, n, grain int) error{
	"Range": func(p *jobs.Pool, j jobs.RangeJob, n, grain int) error {
		return p.Range(n, grain, func(lo, hi int) { j.RunRange(nil, lo, hi) })
	},
	"ParallelFor": func(p *jobs.Pool, j jobs.RangeJob, n, grain int) error { return p.ParallelFor(j, n, grain).Wait() },
	"behind": func(p *jobs.Pool, j jobs.RangeJob, n, grain int) error {
		return p.ParallelFor(j, n, grain, p.Schedule(&nothing{}), p.ParallelFor(&nothing{}, 10, 1)).Wait()
	},
	"scope": func(p *jobs.Pool, j jobs.RangeJob, n, grain int) error {
		sc := p.Scope(context.Background())
		sc.ParallelFor(j, n, grain)
		return sc.End()
	},
	"child": func(p *jobs.Pool, j jobs.RangeJob, n, grain int) error {
		return p.Schedule(jobs.Func(func(t *jobs.Task) { t.ParallelFor(j, n, grain) })).Wait()
	},
	"child waited for": func(p *jobs.Pool, j jobs.RangeJob, n, grain int) error {
		return p.Schedule(jobs.Func(func(t *jobs.Task) { _ = t.Wait(t.ParallelFor(j, n, grain)) })).Wait()
	},
	"inside a job": func(p *jobs.Pool, j jobs.RangeJob, n, grain int) error {
		return p.Schedule(jobs.Func(func(t *jobs.Task) { _ = p.Range(n, grain, func(lo, hi int) { j.RunRange(nil, lo, hi) }) })).Wait()
	},
	"inside a loop": func(p *jobs.Pool, j jobs.RangeJob, n, grain int) error {
		return p.Range(3, 1, func(lo, _ int) {
			if lo == 1 {
				_ = p.ParallelFor(j, n, grain).Wait()
			}
		})
	},
	"high": func(p *jobs.Pool, j jobs.RangeJob, n, grain int) error {
		return p.ParallelForAt(jobs.High, j, n, grain).Wait()
	},
	"background": func(p *jobs.Pool, j jobs.RangeJob, n, grain int) error {
		return p.ParallelForAt(jobs.Background, j, n, grain).Wait()
	},
	"later": func(p *jobs.Pool, j jobs.RangeJob, n, grain int) error {
		later := -1
		return p.ParallelForLater(j, &later, grain, p.Schedule(jobs.Func(func(*jobs.Task) { later = n }))).Wait()
	},
	"beside a user": func(p *jobs.Pool, j jobs.RangeJob, n, grain int) error {
		other := make(chan error, 1)
		go func() { other <- p.ParallelFor(&nothing{}, n, grain).Wait() }()
		return errors.Join(p.ParallelFor(j, n, grain).Wait(), <-other)
	},
	"polled": func(p *jobs.Pool, j jobs.RangeJob, n, grain int) error {
		h := p.ParallelFor(j, n, grain)
		for !h.Done() && p.Workers() > 1 {
			time.Sleep(10 * time.Microsecond)
		}
		return h.Wait()
	},
}

// tally is a loop that counts how often each index runs.
type tally struct {
	t     *testing.T
	name  string
	grain int
	hits  []atomic.Int32
	slow  bool
}

func (c *tally) JobName() string { return c.name }

func (c *tally) RunRange(_ *jobs.Task, lo, hi int) {
	if lo < 0 || hi > len(c.hits) || lo >= hi || hi-lo > c.grain || lo%c.grain != 0 {
		c.t.Errorf("%s: block [%d, %d) of %d, grain %d", c.name, lo, hi, len(c.hits), c.grain)
		return
	}
	if c.slow {
		for end := profile.Clock() + 2*time.Microsecond; profile.Clock() < end; {
		}
	}
	for i := lo; i < hi; i++ {
		c.hits[i].Add(1)
	}
}

// Conformance: 236
func TestEachIndexOnce(t *testing.T) {
	limit(t)
	pools(t, func(t *testing.T, p *jobs.Pool) {
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

func TestLateWorkersAreNotWaitedFor(t *testing.T) {
	limit(t)
	p := jobs.New(jobs.Workers(2))
	defer p.Close()
	body, release := held()
	begun := make(chan struct{})
	h := p.Schedule(jobs.Func(func(t *jobs.Task) { close(begun); body(t) }))
	<-begun // the only worker is busy from here on
	n := 0
	if err := p.Range(100, 1, func(int, int) { n++ }); err != nil {
		t.Errorf("err is %v, want nil; n is %v", err, n)
	} else if n != 100 {
		t.Errorf("n is %v, want 100; err is %v", n, err)
	}
	release()
	if err := h.Wait(); err != nil {
		t.Error(err)
	}
}

// TestWaitRunsOnlyWhatItNeeds checks that no unrelated job runs on the stack of a waiting goroutine.
func TestWaitRunsOnlyWhatItNeeds(t *testing.T) {
	limit(t)
	p := jobs.New(jobs.Workers(1))
	defer p.Close()
	other := false
	unrelated := p.Schedule(jobs.Func(func(*jobs.Task) { other = true }))
	root := p.Schedule(&nothing{})
	branch := p.Schedule(jobs.Func(func(*jobs.Task) { other = true }), root)
	leaf := p.Schedule(&nothing{}, root)
	if err := jobs.Combine(leaf, root).Wait(); err != nil {
		t.Errorf("err != nil: an unrelated job ran: %v, %v", other, err)
	} else if other {
		t.Errorf("other is true: an unrelated job ran: %v, %v", other, err)
	}
	if err := p.Schedule(jobs.Func(func(t *jobs.Task) {
		if err := t.Wait(t.Schedule(&nothing{})); err != nil || other {
			panic("an unrelated job ran")
		}
	})).Wait(); err != nil {
		t.Error(err)
	}
	if err := jobs.Combine(unrelated, branch).Wait(); err != nil {
		t.Errorf("err is %v, want nil", err)
	} else if !other {
		t.Errorf("other is false; err is %v", err)
	}
}

// TestScratchesAreApart checks that pieces of scratch memory of any size share no byte and no cache
// line.
func TestScratchesAreApart(t *testing.T) {
	limit(t)
	pools(t, func(t *testing.T, p *jobs.Pool) {
		job := jobs.RangeFunc(func(task *jobs.Task, lo, _ int) {
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
	pools(t, func(t *testing.T, p *jobs.Pool) {
		job := jobs.RangeFunc(func(task *jobs.Task, lo, _ int) {
			a, b := task.Scratch(100), task.Scratch(10_000)
			for i := range a {
				a[i] = byte(lo)
			}
			for i := range b {
				b[i] = byte(lo + 1)
			}
			_ = task.Wait(task.Schedule(jobs.Func(func(task *jobs.Task) {
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

func TestOneProcessor(t *testing.T) {
	limit(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	pools(t, func(t *testing.T, p *jobs.Pool) {
		for seed := range uint64(20) {
			randomGraph(t, p, newRand(seed))
		}
		if jobs.Awake(p, time.Second) != 0 {
			t.Error("workers spin on one processor")
		}
	})
}

func TestReduceHasTheSameBits(t *testing.T) {
	limit(t)
	var want float32
	for i, workers := range []int{1, 2, 3, 8, 64} {
		for seed := range uint64(4) {
			p := jobs.New(jobs.Workers(workers), seeded(seed))
			got, err := jobs.Reduce(p, 100_000, func(lo, hi int) (sum float32) {
				for i := lo; i < hi; i++ {
					sum += 1 / float32(i+1)
				}
				return sum
			}, func(a, b float32) float32 { return a + b })
			if i == 0 && seed == 0 {
				want = got
			}
			if got != want {
				t.Errorf("got != want: workers %d: %v, want %v; error %v", workers, got, want, err)
			} else if err != nil {
				t.Errorf("err != nil: workers %d: %v, want %v; error %v", workers, got, want, err)
			}
			if zero, err := jobs.Reduce(p, 0, func(lo, hi int) int { return 1 }, func(a, b int) int { return a + b }); zero != 0 {
				t.Errorf("zero != 0: nothing: %v, %v", zero, err)
			} else if err != nil {
				t.Errorf("err != nil: nothing: %v, %v", zero, err)
			}
			p.Close()
		}
	}
}

// TestSameHash runs dependent steps over some rows, with loops, children and a reduction, and hashes
// the result. The hash must not depend on the number of workers.
func TestSameHash(t *testing.T) {
	limit(t)
	const rows, steps = 300, 10
	var want uint64
	for i, workers := range counts {
		for seed := range uint64(3) {
			p := jobs.New(jobs.Workers(workers), seeded(seed))
			sc := p.Scope(context.Background())
			var from, to, byChild [rows]uint64
			var last jobs.Handle
			for step := range uint64(steps) {
				last = sc.ParallelFor(jobs.RangeFunc(func(t *jobs.Task, lo, hi int) {
					for k := lo; k < hi; k++ {
						to[k] = from[k]*31 + from[(k+1)%rows] + step + uint64(k)
					}
					t.Schedule(jobs.Func(func(*jobs.Task) { byChild[lo] += to[lo] }))
				}), rows, 1+int(step), last)
				last = sc.Schedule(jobs.Func(func(*jobs.Task) { from, to = to, from }), last)
			}
			if err := sc.End(); err != nil {
				t.Fatal(err)
			}
			got, err := jobs.Reduce(p, rows, func(lo, hi int) (sum uint64) {
				for k := lo; k < hi; k++ {
					sum = sum*1099511628211 ^ from[k] ^ byChild[k]
				}
				return sum
			}, func(a, b uint64) uint64 { return a*1099511628211 ^ b })
			if i == 0 && seed == 0 {
				want = got
			}
			if got != want {
				t.Errorf("got != want: workers %d, seed %d: hash %#x, want %#x; %v", workers, seed, got, want, err)
			} else if err != nil {
				t.Errorf("err != nil: workers %d, seed %d: hash %#x, want %#x; %v", workers, seed, got, want, err)
			} else if want == 0 {
				t.Errorf("want == 0: workers %d, seed %d: hash %#x, want %#x; %v", workers, seed, got, want, err)
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	limit(t)
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, workers := range []int{1, 2, 8} {
		p, other := jobs.New(jobs.Workers(workers)), jobs.New(jobs.Workers(workers))
		job, sum, length := &nothing{}, 0, 40
		body := func(lo, hi int) {}
		sc := p.Scope(ctx)
		sc.End()
		handles := make([]jobs.Handle, 100)
		leaf := func(lo, hi int) int { return hi - lo }
		join := func(a, b int) int { return a + b }
		parent := jobs.Func(func(t *jobs.Task) {
			_ = t.Scratch(100)
			t.Schedule(job)
			_ = t.Wait(t.ParallelFor(job, 10, 1))
		})
		for name, f := range map[string]func(){
			"schedule":  func() { p.Schedule(job).Wait() },
			"loop":      func() { p.ParallelFor(job, 64, 1).Wait() },
			"range":     func() { p.Range(1024, 1, body) },
			"reduce":    func() { sum, _ = jobs.Reduce(p, 1000, leaf, join) },
			"children":  func() { p.Schedule(parent).Wait() },
			"scheduled": func() { p.Schedule(job, p.Schedule(job), p.ParallelFor(job, 10, 3)).Wait() },
			"scope": func() {
				sc.Begin(ctx)
				for range 100 {
					sc.Schedule(job)
				}
				sc.End()
			},
			"diamond": func() {
				root := p.Schedule(job)
				for i := range handles {
					handles[i] = p.Schedule(job, root)
				}
				jobs.Combine(handles...).Wait()
			},
			"priorities": func() {
				jobs.WaitAll(p.ScheduleAt(jobs.High, job), p.ParallelForAt(jobs.Background, job, 64, 1))
			},
			"here": func() {
				if jobs.Goroutine() != 0 { // otherwise numbers are read from stacks
					p.Schedule(job, p.ScheduleHere(job)).Wait()
				}
			},
			"another pool": func() {
				h := p.Schedule(job, other.Schedule(job, p.ParallelFor(job, 10, 3)), other.ScheduleAt(jobs.Background, job))
				other.Schedule(job, h).Wait()
			},
			"later": func() { p.ParallelForLater(job, &length, 1, p.Schedule(job)).Wait() },
		} {
			for range 50 {
				f()
			}
			if n := testing.AllocsPerRun(200, f); n != 0 {
				t.Errorf("workers %d: %s allocates %v times a run", workers, name, n)
			}
		}
		if sum != 1000 {
			t.Errorf("sum is %d", sum)
		}
		p.Close()
		other.Close()
	}
}
