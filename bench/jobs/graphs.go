package main

import (
	"context"
	"sync"

	"github.com/lanewise/lanewise/jobs"
)

// graph is one way to run a graph of jobs.
type graph struct {
	name string
	make func() (one, chain func(), diamond func(block func(int)), stop func())
}

var graphList = []graph{
	{"lanewise", func() (func(), func(), func(func(int)), func()) { return graphLanewise() }},
	{"lanewise+futex", func() (func(), func(), func(func(int)), func()) { return graphLanewise(jobs.Futex()) }},
	{"goroutine a job", graphGoroutines},
}

// single is a job that runs one block.
type single struct {
	block func(int)
	i     int
}

func (s *single) Run(*jobs.Task) { s.block(s.i) }

func graphLanewise(opts ...jobs.Option) (one, chain func(), diamond func(func(int)), stop func()) {
	p := jobs.New(opts...)
	sc := p.Scope(context.Background())
	list := make([]single, 1000)
	for i := range list {
		list[i] = single{emptyBlock, i}
	}
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	one = func() { must(p.Schedule(&list[0]).Wait()) }
	chain = func() {
		h := p.Schedule(&list[0])
		for i := 1; i < 100; i++ {
			h = p.Schedule(&list[i], h)
		}
		must(h.Wait())
	}
	middle := make([]jobs.Handle, 998)
	diamond = func(block func(int)) {
		for i := range list {
			list[i].block = block
		}
		root := p.Schedule(&list[0])
		for i := range middle {
			middle[i] = p.Schedule(&list[i+1], root)
		}
		must(p.Schedule(&list[999], middle...).Wait())
	}
	return one, chain, diamond, func() { sc.End(); p.Close() }
}

func graphGoroutines() (one, chain func(), diamond func(func(int)), stop func()) {
	one = func() {
		done := make(chan struct{})
		go func() { emptyBlock(0); close(done) }()
		<-done
	}
	chain = func() {
		var before chan struct{}
		for i := range 100 {
			done, wait := make(chan struct{}), before
			go func() {
				if wait != nil {
					<-wait
				}
				emptyBlock(i)
				close(done)
			}()
			before = done
		}
		<-before
	}
	diamond = func(block func(int)) {
		root, last := make(chan struct{}), make(chan struct{})
		go func() { block(0); close(root) }()
		var wg sync.WaitGroup
		for i := 1; i < 999; i++ {
			wg.Go(func() { <-root; block(i) })
		}
		go func() { wg.Wait(); block(999); close(last) }()
		<-last
	}
	return one, chain, diamond, func() {}
}
