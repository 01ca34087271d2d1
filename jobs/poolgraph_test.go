package jobs

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// poolGraph is a random program over several pools. The program has jobs of every kind. Each job
// depends on some earlier jobs of any pool, contains them, or waits for them. The program is complete
// before it runs, so that a program that hangs can be printed.
type poolGraph struct {
	seed    uint64
	workers []int // number of workers of each pool
	levels  []Level
	nodes   []graphNode
	waits   []graphWait // by other goroutines
	end     string      // how the scheduling goroutine waits for all
	order   []int       // the order in which it waits
}

type graphNode struct {
	kind  string
	pool  int
	other int   // the pool in which its body schedules
	after []int // the nodes that it comes after
	inner []int // the nodes that its body waits for, or that its children come after
	wait  int   // the node that the scheduling goroutine waits for next; -1 is none
}

// graphWait describes another goroutine that waits for a node. The goroutine begins to wait after the
// given number of nodes has been scheduled.
type graphWait struct{ node, from int }

// graphKinds lists all kinds of nodes. The explorer uses the kinds that start no goroutines. The pool
// keeps no measurements of these kinds from one run to the next.
var (
	explorerKinds = []string{"job", "high", "background", "loop", "later", "here", "combine", "parent", "wait", "handle wait", "nested", "panic", "scope"}
	graphKinds    = append([]string{"range", "external", "external wait", "exit", "background loop", "wait", "parent", "combine"}, explorerKinds...)
)

func newPoolGraph(seed uint64, kinds []string, mostPools, mostWorkers, mostNodes, mostWaits int) *poolGraph {
	rng := rand.New(rand.NewPCG(seed, 36))
	g := &poolGraph{seed: seed}
	for range 2 + rng.IntN(mostPools-1) {
		g.workers = append(g.workers, 1+rng.IntN(mostWorkers))
		g.levels = append(g.levels, []Level{Check, Check, Off, Panic}[rng.IntN(4)])
	}
	if rng.IntN(3) == 0 {
		for i := range g.workers {
			g.workers[i] = 1
		}
	}
	some := func(i, most int) (list []int) {
		for range rng.IntN(most + 1) {
			if i > 0 {
				list = append(list, max(rng.IntN(i), rng.IntN(i)))
			}
		}
		return list
	}
	for i := range 2 + rng.IntN(mostNodes-1) {
		n := graphNode{kind: kinds[rng.IntN(len(kinds))], pool: rng.IntN(len(g.workers)), other: rng.IntN(len(g.workers)), after: some(i, 3), wait: -1}
		switch n.kind {
		case "parent", "wait", "handle wait", "nested", "external wait":
			n.inner = some(i, 2)
		case "panic", "exit":
			if rng.IntN(3) > 0 {
				n.kind = "job" // a few parents are enough
			}
		}
		if rng.IntN(12) == 0 {
			n.wait = rng.IntN(i + 1)
		}
		g.nodes = append(g.nodes, n)
	}
	for range rng.IntN(mostWaits + 1) {
		k := rng.IntN(len(g.nodes))
		g.waits = append(g.waits, graphWait{k, k + 1 + rng.IntN(len(g.nodes)-k)})
	}
	g.end = []string{"combine", "all", "each"}[rng.IntN(3)]
	g.order = rng.Perm(len(g.nodes))
	return g
}

// String returns the program as text.
func (g *poolGraph) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: pools of %v workers at levels %v\n", g.seed, g.workers, g.levels)
	for i, n := range g.nodes {
		fmt.Fprintf(&b, "  %d: %s in pool %d after %v", i, n.kind, n.pool, n.after)
		if n.inner != nil || n.kind == "range" || n.kind == "nested" {
			fmt.Fprintf(&b, ", inside %v and pool %d", n.inner, n.other)
		}
		if n.wait >= 0 {
			fmt.Fprintf(&b, "; then a wait for %d", n.wait)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "  other goroutines wait: %v; at the end: %s %v", g.waits, g.end, g.order)
	return b.String()
}

// origins returns one number for each node, in the order of scheduling: the number of the node
// whose failure the node's handle returns, or -1 for no failure.
func (g *poolGraph) origins() []int {
	from := make([]int, len(g.nodes))
	first := func(list []int) int {
		for _, k := range list {
			if from[k] >= 0 {
				return from[k]
			}
		}
		return -1
	}
	for i, n := range g.nodes {
		from[i] = first(n.after)
		if from[i] >= 0 {
			continue
		}
		switch n.kind {
		case "panic", "exit":
			from[i] = i
		case "parent":
			from[i] = first(n.inner)
		}
	}
	return from
}

// graphRun is one run of a graph.
type graphRun struct {
	*poolGraph
	pools   []*Pool
	at      func(where string)                         // where an explorer may switch to another goroutine
	until   func(where string, met func() bool)        // waits for others
	named   func(i int, name string, f Func) *modelJob // makes a job
	start   func(name string, f func())                // starts another goroutine
	handles []Handle
	made    atomic.Int32 // number of scheduled nodes
	left    atomic.Int32 // number of unfinished waits
	blocks  []atomic.Int32
	scopes  []*Scope
	wrong   atomic.Pointer[string]
}

const (
	graphLoop  = 5 // indices of loops, in blocks of 2
	graphParts = 3
)

func (r *graphRun) fail(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	r.wrong.CompareAndSwap(nil, &s)
}

// begin starts the goroutines. The run is over when left reaches 0.
func (r *graphRun) begin() {
	r.handles, r.blocks = make([]Handle, len(r.nodes)), make([]atomic.Int32, len(r.nodes))
	r.left.Store(int32(len(r.waits) + 1))
	for _, w := range r.waits {
		r.start("waits", func() {
			r.until("waits until it is scheduled", func() bool { return int(r.made.Load()) >= w.from })
			r.waitFor(w.node, r.handles[w.node].Wait)
			r.left.Add(-1)
		})
	}
	r.start("schedules", func() {
		r.schedule()
		r.left.Add(-1)
	})
}

func (r *graphRun) schedule() {
	for _, p := range r.pools {
		r.scopes = append(r.scopes, p.Scope(context.Background()))
	}
	for i, n := range r.nodes {
		r.handles[i] = r.node(i, n)
		r.made.Add(1)
		if n.wait >= 0 {
			r.waitFor(n.wait, r.handles[n.wait].Wait)
		}
	}
	switch r.end {
	case "combine":
		var all []Handle
		for _, k := range r.order {
			all = append(all, r.handles[k])
		}
		h := Combine(all...)
		if err := h.Wait(); (err != nil) != slices.ContainsFunc(r.origins(), func(k int) bool { return k >= 0 }) {
			r.fail("the combined wait returned %v", err)
		}
	case "all":
		var all []Handle
		for _, k := range r.order {
			all = append(all, r.handles[k])
		}
		_ = WaitAll(all...)
	default:
		for _, k := range r.order {
			r.waitFor(k, r.handles[k].Wait)
		}
	}
	for _, sc := range r.scopes {
		_ = sc.End()
	}
}

// waitFor waits for a node and checks its error.
func (r *graphRun) waitFor(k int, wait func() error) {
	if err := wait(); !r.handles[k].Done() || err != r.handles[k].Err() {
		r.fail("a wait for %d returned %v; it is done: %v, with the error %v", k, err, r.handles[k].Done(), r.handles[k].Err())
	}
}

func (r *graphRun) all(list []int) (hs []Handle) {
	for _, k := range list {
		hs = append(hs, r.handles[k])
	}
	return hs
}

// checkDone checks that the nodes of a list are done.
func (r *graphRun) checkDone(i int, list []int) {
	for _, k := range list {
		if !r.handles[k].Done() {
			r.fail("%d runs before %d is done", i, k)
		}
	}
}

// node schedules the node n.
func (r *graphRun) node(i int, n graphNode) Handle {
	p, after := r.pools[n.pool], r.all(n.after)
	job := func(name string, f Func) *modelJob {
		return r.named(i, fmt.Sprint(name, " ", i), func(t *Task) {
			r.checkDone(i, n.after)
			r.blocks[i].Add(1)
			r.at("runs a body")
			if f != nil {
				f(t)
			}
		})
	}
	switch n.kind {
	case "job":
		return p.Schedule(job("job", nil), after...)
	case "high":
		return p.ScheduleAt(High, job("high", nil), after...)
	case "background":
		return p.ScheduleAt(Background, job("background", nil), after...)
	case "loop":
		return p.ParallelFor(job("loop", nil), graphLoop, 2, after...)
	case "background loop":
		return p.ParallelForAt(Background, job("background loop", nil), graphLoop, 2, after...)
	case "later":
		count := graphLoop
		return p.ParallelForLater(job("later", nil), &count, 2, after...)
	case "here":
		return p.ScheduleHere(job("here", nil), after...)
	case "scope":
		return r.scopes[n.pool].Schedule(job("scope", nil), after...)
	case "combine":
		return Combine(after...)
	case "external", "external wait":
		return p.External(context.Background(), func(context.Context) error {
			r.checkDone(i, n.after)
			r.blocks[i].Add(1)
			for _, k := range n.inner {
				r.waitFor(k, r.handles[k].Wait)
			}
			return nil
		}, after...)
	case "wait":
		return p.Schedule(job("wait", func(t *Task) {
			for _, k := range n.inner {
				r.waitFor(k, func() error { return t.Wait(r.handles[k]) })
			}
		}), after...)
	case "handle wait":
		return p.Schedule(job("handle wait", func(*Task) {
			for _, k := range n.inner {
				r.waitFor(k, r.handles[k].Wait)
			}
		}), after...)
	case "parent":
		return p.Schedule(job("parent", func(t *Task) {
			t.Schedule(r.named(i, fmt.Sprint("child ", i), func(*Task) { r.checkDone(i, n.inner); r.at("runs a child") }), r.all(n.inner)...)
			t.ParallelFor(r.named(i, fmt.Sprint("child loop ", i), func(*Task) { r.blocks[i].Add(1) }), graphParts, 1)
		}), after...)
	case "nested":
		return p.Schedule(job("nested", func(t *Task) {
			h := r.pools[n.other].Schedule(r.named(i, fmt.Sprint("inner ", i), func(*Task) { r.at("runs an inner job") }), r.all(n.inner)...)
			if err := t.Wait(h); !h.Done() || err != h.Err() {
				r.fail("%d: the wait for its inner job returned %v, and it has %v", i, err, h.Err())
			}
		}), after...)
	case "range":
		return p.Schedule(job("range", func(*Task) {
			_ = r.pools[n.other].Range(graphParts, 1, func(int, int) { r.blocks[i].Add(1); r.at("runs a block") })
		}), after...)
	case "panic":
		return p.Schedule(job("panic", func(*Task) { panic(i) }), after...)
	case "exit":
		return p.Schedule(job("exit", func(*Task) { goexit() }), after...)
	}
	panic("no such kind: " + n.kind)
}

// check returns the first error, after all jobs are done.
func (r *graphRun) check() error {
	if wrong := r.wrong.Load(); wrong != nil {
		return errors.New(*wrong)
	}
	origins := r.origins()
	for i, n := range r.nodes {
		var fromPanic *PanicError
		var fromExit *ExitError
		err, from := r.handles[i].Err(), origins[i]
		switch {
		case !r.handles[i].Done():
			return fmt.Errorf("%d is not done", i)
		case from < 0 && err != nil, from >= 0 && err == nil:
			return fmt.Errorf("%d has the error %v, want that of %d", i, err, from)
		case errors.As(err, &fromPanic) && fromPanic.Value != from:
			return fmt.Errorf("%d has the panic of %v, want that of %d", i, fromPanic.Value, from)
		case errors.As(err, &fromExit) && fromExit.Job != fmt.Sprint("model exit ", from):
			return fmt.Errorf("%d has the error of %s, want that of %d", i, fromExit.Job, from)
		}
		if got, want := int(r.blocks[i].Load()), n.want(); got != want && (from < 0 || from == i || got != 0) {
			if n.kind != "parent" || from < 0 {
				return fmt.Errorf("%d, a %s, ran %d times, want %d", i, n.kind, got, want)
			}
		}
	}
	return nil
}

// undoneText returns a description of the nodes that are not done.
func (r *graphRun) undoneText() string {
	var b strings.Builder
	for i, h := range r.handles {
		if !h.Done() {
			w := h.node.word.Load()
			fmt.Fprintf(&b, "  %d is in phase %d, %d before it are not done, watched: %v\n", i, w&phaseMask, h.node.pendingDependencies.Load(), w&wordWatched != 0)
		}
	}
	for i, p := range r.pools {
		fmt.Fprintf(&b, "  pool %d has %d waiters, %d sleeping workers and %d jobs that belong to a goroutine\n", i, p.waiters.Count(), p.sleepers.Count(), p.owners.size.Load())
	}
	return b.String()
}

// want returns how often the body of a node must run.
func (n graphNode) want() int {
	switch n.kind {
	case "loop", "background loop", "later":
		return (graphLoop + 1) / 2
	case "parent", "range":
		return 1 + graphParts
	case "combine":
		return 0
	}
	return 1
}

var (
	graphs    = flag.Int("jobs.graphs", fewGraphs, "how many graphs TestGraphsOverPools runs")
	graphSeed = flag.Uint64("jobs.graphseed", 0, "the seed of the first of them")
)

const fewGraphs = 100

// goexit calls runtime.Goexit, for files that do not import runtime.
func goexit() { runtime.Goexit() }

// TestGraphsOverPools runs random graphs over several pools, with any number of workers, and on one
// CPU too. Each wait must end. Each job must run once, after all jobs on which it depends. Its handle
// must return the error that follows from the order of scheduling.
func TestGraphsOverPools(t *testing.T) {
	if *graphs <= fewGraphs { // each graph has a limit
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

// runPoolGraph runs a graph and prints it if the result is wrong or the graph hangs.
func runPoolGraph(t *testing.T, g *poolGraph) {
	t.Helper()
	var r *graphRun
	timer := time.AfterFunc(patience/2, func() {
		debug.SetTraceback("all")
		panic(fmt.Sprintf("this graph hangs: -jobs.graphs 1 -jobs.graphseed %d\n%v\n%s", g.seed, g, r.undoneText()))
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
			at:        func(where string) { x.stopAt(nil, where) },
			until:     x.stopUntil,
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
