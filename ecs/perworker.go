package ecs

import (
	"iter"
	"sync"
)

// perWorker is a T for each worker of a pool. The pool's own workers are known
// from the start; goroutines that wait at the same time, as two worlds on one
// pool do, are workers of higher indices.
type perWorker[T any] struct {
	own  []T
	mu   sync.Mutex
	more []*T
}

// grow makes room for the pool's own workers.
func (p *perWorker[T]) grow(workers int) {
	if len(p.own) < workers {
		p.own = make([]T, workers)
	}
}

// at returns the T of a worker, which may be any.
func (p *perWorker[T]) at(worker int) *T {
	if worker < len(p.own) {
		return &p.own[worker]
	}
	worker -= len(p.own)
	p.mu.Lock()
	defer p.mu.Unlock()
	for worker >= len(p.more) {
		p.more = append(p.more, new(T))
	}
	return p.more[worker]
}

// all yields every T; no worker may be working.
func (p *perWorker[T]) all() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for i := range p.own {
			if !yield(&p.own[i]) {
				return
			}
		}
		for _, v := range p.more {
			if !yield(v) {
				return
			}
		}
	}
}
