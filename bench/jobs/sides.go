package main

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/lanewise/lanewise/jobs"
	"github.com/sourcegraph/conc/iter"
	"golang.org/x/sync/errgroup"
)

// A side is one way to run block(0) … block(n-1) on all processors.
type side struct {
	name string
	make func() (run func(n int, block func(int)), stop func())
}

var workers = runtime.GOMAXPROCS(0)

var sides = []side{
	{"serial", func() (func(int, func(int)), func()) { return runSerial, func() {} }},
	{"lanewise", func() (func(int, func(int)), func()) { return runLanewise(true) }},
	{"lanewise Range", runLanewiseRange},
	{"lanewise+futex", func() (func(int, func(int)), func()) { return runLanewise(true, jobs.Futex()) }},
	{"goroutine a block", func() (func(int, func(int)), func()) { return runPerBlock, func() {} }},
	{"goroutine a worker", func() (func(int, func(int)), func()) { return runPerWorker, func() {} }},
	{"errgroup", func() (func(int, func(int)), func()) { return runErrgroup, func() {} }},
	{"conc", func() (func(int, func(int)), func()) { return runConc, func() {} }},
}

func runSerial(n int, block func(int)) {
	for i := range n {
		block(i)
	}
}

// blocks is a parallel-for whose body is a function of one index.
type blocks struct {
	name  string
	block func(int)
}

func (b *blocks) JobName() string { return b.name }

func (b *blocks) RunRange(_ *jobs.Task, lo, hi int) {
	for i := lo; i < hi; i++ {
		b.block(i)
	}
}

func runLanewise(scope bool, opts ...jobs.Option) (run func(int, func(int)), stop func()) {
	p := jobs.New(opts...)
	var sc *jobs.Scope
	if scope {
		sc = p.Scope(context.Background())
	}
	b := &blocks{name: "blocks"}
	run = func(n int, block func(int)) {
		b.block = block
		if err := p.ParallelFor(b, n, 1).Wait(); err != nil {
			panic(err)
		}
	}
	stop = func() {
		if scope {
			sc.End()
		}
		p.Close()
	}
	return run, stop
}

// runLanewiseRange uses Pool.Range; runLanewise uses a parallel-for with a
// handle.
func runLanewiseRange() (run func(int, func(int)), stop func()) {
	p := jobs.New()
	sc := p.Scope(context.Background())
	var block func(int)
	body := func(lo, hi int) {
		for i := lo; i < hi; i++ {
			block(i)
		}
	}
	run = func(n int, b func(int)) {
		block = b
		if err := p.Range(n, 1, body); err != nil {
			panic(err)
		}
	}
	return run, func() { sc.End(); p.Close() }
}

func runPerBlock(n int, block func(int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { block(i) })
	}
	wg.Wait()
}

func runPerWorker(n int, block func(int)) {
	var next atomic.Int64
	body := func() {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			block(i)
		}
	}
	var wg sync.WaitGroup
	for range min(workers, n) - 1 {
		wg.Go(body)
	}
	body()
	wg.Wait()
}

func runErrgroup(n int, block func(int)) {
	var g errgroup.Group
	g.SetLimit(workers)
	for i := range n {
		g.Go(func() error { block(i); return nil })
	}
	if err := g.Wait(); err != nil {
		panic(err)
	}
}

var concItems [16384]int

func runConc(n int, block func(int)) {
	it := iter.Iterator[int]{MaxGoroutines: workers}
	it.ForEachIdx(concItems[:n], func(i int, _ *int) { block(i) })
}
