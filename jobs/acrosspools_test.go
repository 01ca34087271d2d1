package jobs

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var (
	graphs    = flag.Int("jobs.graphs", fewGraphs, "how many graphs TestGraphsOverPools runs")
	graphSeed = flag.Uint64("jobs.graphseed", 0, "the seed of the first of them")
)

const fewGraphs = 100

// goexit is runtime.Goexit, for files that say nothing else of the runtime.
func goexit() { runtime.Goexit() }

// Whatever jobs of several pools need of each other, each wait ends, each job runs once after those before it, and
// each carries the error that the order of scheduling gives it: with any number of workers, on one CPU too.
func TestGraphsOverPools(t *testing.T) {
	if *graphs <= fewGraphs { // each graph has a limit of its own
		limit(t)
	}
	for _, procs := range []int{runtime.GOMAXPROCS(0), 1} {
		t.Run(fmt.Sprint("procs=", procs), func(t *testing.T) {
			old := runtime.GOMAXPROCS(procs)
			defer runtime.GOMAXPROCS(old)
			nodes := 0
			for i := range uint64(*graphs) {
				g := newPoolGraph(*graphSeed+i, graphKinds, 4, 4, 40, 3)
				runPoolGraph(t, g)
				if nodes += len(g.nodes); t.Failed() {
					return
				}
			}
			t.Logf("%d graphs from seed %d, %d nodes", *graphs, *graphSeed, nodes)
		})
	}
}

// runPoolGraph runs a graph, and prints it if it is wrong or hangs.
func runPoolGraph(t *testing.T, g *poolGraph) {
	t.Helper()
	var r *graphRun
	timer := time.AfterFunc(patience()/2, func() {
		debug.SetTraceback("all")
		panic(fmt.Sprintf("this graph hangs: -jobs.graphs 1 -jobs.graphseed %d\n%v\n%s", g.seed, g, r.undone()))
	})
	defer timer.Stop()
	var wg sync.WaitGroup
	r = &graphRun{
		poolGraph: g,
		at:        func(string) {},
		until: func(_ string, met func() bool) {
			for !met() {
				time.Sleep(10 * time.Microsecond)
			}
		},
		named: func(_ int, name string, f Func) *modelJob { return &modelJob{f, "model " + name} },
		start: func(_ string, f func()) { wg.Go(f) },
	}
	for i, n := range g.workers {
		r.pools = append(r.pools, New(Workers(n), Safety(g.levels[i]), seeded(g.seed)))
	}
	r.begin()
	wg.Wait()
	if err := r.check(); err != nil {
		t.Errorf("%v: -jobs.graphs 1 -jobs.graphseed %d\n%v", err, g.seed, g)
	}
	for i, p := range r.pools {
		if err := p.Close(); err != nil {
			t.Errorf("pool %d: %v: -jobs.graphs 1 -jobs.graphseed %d\n%v", i, err, g.seed, g)
		}
	}
}

// poolScene is a small graph for the explorer.
func poolScene(seed uint64) scene {
	return func(x *explorer) (func() bool, func() error) {
		g := newPoolGraph(seed, explorerKinds, 3, 2, 9, 2)
		r := &graphRun{
			poolGraph: g,
			at:        func(where string) { x.at(nil, where) },
			until:     x.until,
			named: func(i int, name string, f Func) *modelJob {
				cost := int64(big)
				if (seed+uint64(i))%3 == 0 {
					cost = tiny
				}
				return one(name, cost, f)
			},
			start: x.start,
		}
		for _, n := range g.workers {
			r.pools = append(r.pools, x.pool(n))
		}
		r.begin()
		return func() bool { return r.left.Load() == 0 }, func() error {
			if err := r.check(); err != nil {
				return fmt.Errorf("%w\n%v", err, g)
			}
			return nil
		}
	}
}

// Each call that waits for a job of another pool, one at a time: with no worker but the goroutine that waits, and with some;
// on one CPU too.
func TestWaitsAcrossPools(t *testing.T) {
	limit(t)
	forms := map[string]func(a, b *Pool) error{
		"Schedule behind": func(a, b *Pool) error { return b.Schedule(&nothing{}, a.Schedule(&nothing{})).Wait() },
		"Combine":         func(a, b *Pool) error { return Combine(a.Schedule(&nothing{}), b.Schedule(&nothing{})).Wait() },
		"WaitAll":         func(a, b *Pool) error { return WaitAll(a.Schedule(&nothing{}), b.Schedule(&nothing{})) },
		"External": func(a, b *Pool) error {
			return b.Schedule(&nothing{}, a.External(context.Background(), func(context.Context) error { return nil })).Wait()
		},
		"Background": func(a, b *Pool) error {
			return b.ScheduleAt(Background, &nothing{}, a.ParallelForAt(Background, &nothing{}, 9, 1)).Wait()
		},
		"Scope.End": func(a, b *Pool) error {
			sc := b.Scope(context.Background())
			sc.Schedule(&nothing{}, a.Schedule(&nothing{}))
			return sc.End()
		},
		"ParallelForLater": func(a, b *Pool) error {
			n := 0
			return b.ParallelForLater(&nothing{}, &n, 1, a.Schedule(Func(func(*Task) { n = 9 }))).Wait()
		},
		"Handle.Wait in a job": func(a, b *Pool) error {
			h := a.Schedule(&nothing{})
			var inner error
			return errors.Join(b.Schedule(Func(func(*Task) { inner = h.Wait() })).Wait(), inner)
		},
		"Task.Wait in a job": func(a, b *Pool) error {
			h := a.Schedule(&nothing{})
			var inner error
			return errors.Join(b.Schedule(Func(func(t *Task) { inner = t.Wait(h) })).Wait(), inner)
		},
		"a child behind": func(a, b *Pool) error {
			h := a.Schedule(&nothing{})
			return b.Schedule(Func(func(t *Task) { t.Schedule(&nothing{}, h) })).Wait()
		},
		"there and back": func(a, b *Pool) error {
			var h Handle
			for range 1000 {
				h = b.Schedule(&nothing{}, a.Schedule(&nothing{}, h))
			}
			return h.Wait()
		},
		"ScheduleHere": func(a, b *Pool) error { return b.Schedule(&nothing{}, a.ScheduleHere(&nothing{})).Wait() },
		"ScheduleHere in a job": func(a, b *Pool) error {
			var h Handle
			err := b.Schedule(Func(func(*Task) { h = a.ScheduleHere(&nothing{}) })).Wait() // it belongs to what waits here, wherever the body runs
			return errors.Join(err, h.Wait())
		},
		"ScheduleHere, while its pool closes": func(a, b *Pool) error {
			own := b.ScheduleHere(&nothing{})
			h := a.Schedule(Func(func(t *Task) { _ = t.Wait(own) }))
			if a.Workers() == 1 {
				return h.Wait()
			}
			return errors.Join(a.Close(), h.Wait())
		},
	}
	for _, procs := range []int{runtime.GOMAXPROCS(0), 1} {
		for _, workers := range []int{1, 2, 4} {
			for _, level := range []Level{Check, Panic} {
				for name, f := range forms {
					t.Run(fmt.Sprintf("%s/procs=%d/workers=%d/%v", name, procs, workers, levelNames[level]), func(t *testing.T) {
						old := runtime.GOMAXPROCS(procs)
						defer runtime.GOMAXPROCS(old)
						a, b := New(Workers(workers), Safety(level)), New(Workers(workers), Safety(level))
						if err := errors.Join(f(a, b), a.Close(), b.Close()); err != nil {
							t.Error(err)
						}
					})
				}
			}
		}
	}
}

// Of jobs that wait for each other through two pools one is told, and both go on.
func TestCircleOfPools(t *testing.T) {
	limit(t)
	waits := map[string]func(t *Task, h Handle) error{
		"Task.Wait":   func(t *Task, h Handle) error { return t.Wait(h) },
		"Handle.Wait": func(_ *Task, h Handle) error { return h.Wait() },
		"a child": func(t *Task, h Handle) error {
			return t.Wait(t.Schedule(&named{name: "child"}, h))
		},
		"another job": func(t *Task, h Handle) error {
			_ = t.ctx.pool.Range(4, 1, func(int, int) {})
			return h.Wait()
		},
	}
	for name, wait := range waits {
		for _, workers := range []int{1, 3} {
			for _, level := range []Level{Check, Panic} {
				t.Run(fmt.Sprint(name, "/", workers, "/", levelNames[level]), func(t *testing.T) {
					a, b := New(Workers(workers), Safety(level)), New(Workers(workers), Safety(level))
					var first, second Handle
					var told [2]error
					ready := make(chan struct{})
					first = a.Schedule(&named{name: "first", run: func(t *Task) { <-ready; told[0] = wait(t, second) }})
					second = b.Schedule(&named{name: "second", run: func(t *Task) { <-ready; told[1] = t.Wait(first) }})
					close(ready)
					if err := WaitAll(first, second); err != nil {
						t.Error(err)
					}
					var circle *DeadlockError
					if err := errors.Join(told[:]...); !errors.As(err, &circle) || circle.Chain == nil {
						t.Fatalf("the waits return %v, want a DeadlockError", told)
					}
					if err := errors.Join(a.Close(), b.Close()); err != nil {
						t.Error(err)
					}
				})
			}
		}
	}
}

// named is a job with a name.
type named struct {
	name string
	run  func(*Task)
}

func (j *named) JobName() string { return j.name }
func (j *named) Run(t *Task) {
	if j.run != nil {
		j.run(t)
	}
}

// exitRuns is how often TestExitAcrossPools ran: a name whose job has ended its goroutine is not one that ran well any more.
var exitRuns atomic.Int32

// A job of another pool that ends its goroutine in a wait ends the jobs below, which say why.
func TestExitAcrossPools(t *testing.T) {
	limit(t)
	a, b := New(Workers(1)), New(Workers(1))
	defer a.Close()
	defer b.Close()
	exit := false
	inner := &named{name: fmt.Sprint("of b, ran well before ", exitRuns.Add(1)), run: func(*Task) {
		if exit {
			runtime.Goexit()
		}
	}}
	outer := &named{name: "of a, ran well before", run: func(t *Task) { _ = t.Wait(b.Schedule(inner)) }}
	if err := a.Schedule(outer).Wait(); err != nil {
		t.Fatal(err)
	}
	exit = true
	h := a.Schedule(outer)
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = h.Wait()
	}()
	<-over
	var err *ExitError
	if !errors.As(h.Err(), &err) || err.Job != inner.name {
		t.Errorf("the job below has the error %v", h.Err())
	}
	if err := errors.Join(a.Schedule(&nothing{}, b.Schedule(&nothing{})).Wait(), b.Schedule(&nothing{}).Wait()); err != nil {
		t.Error(err)
	}
}

// A pool that is closed is not held by the list of all, and neither is one that was forgotten.
func TestPoolsAreForgotten(t *testing.T) {
	limit(t)
	count := func() (n int) {
		for range eachPool {
			n++
		}
		return n
	}
	runtime.GC()
	before := count()
	for i := range 10 {
		p := New(Workers(1 + i%2))
		if err := p.Schedule(&nothing{}).Wait(); err != nil {
			t.Error(err)
		}
		if i%2 == 1 {
			p.Close()
		}
	}
	soon(t, "they are gone", func() bool { runtime.GC(); return count() <= before })
}

// A walk of one pool does not take the mark that one of another pool has left on a job for its own, however many walks and seats each has: it
// would leave out what it could run.
func TestMarksOfPoolsDiffer(t *testing.T) {
	limit(t)
	seen := map[uint64]string{}
	for i := range 3 {
		p := New(Workers(2))
		defer p.Close()
		for j := range 2 { // the first seat, and one that is made because that is taken
			wc := p.acquireFree(uintptr(j + 1))
			defer wc.release()
			for k := range 3 {
				mark, who := newDependencyWalk(wc).mark, fmt.Sprintf("walk %d of seat %d of pool %d", k, wc.index, i)
				if other, is := seen[mark]; is {
					t.Errorf("%s and %s both leave the mark %#x", other, who, mark)
				}
				seen[mark] = who
			}
		}
	}
}
