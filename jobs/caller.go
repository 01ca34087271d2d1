package jobs

import (
	"reflect"
	"sync/atomic"
)

// Caller tells where a call comes from: a goroutine, and the body of a job that it runs, if it
// runs one. It is for what belongs to one of them for a while, as a world does: two that are
// equal are the same goroutine in the same body, or outside of all jobs of the pool. The
// zero Caller is none.
type Caller struct {
	goroutine uintptr
	task      *Task
}

// Task is that of the body, the innermost one; nil if the call comes from none. Until the body
// returns it is that of no other, and after that it may be used again. A Range of a single block
// has no task.
func (c Caller) Task() *Task { return c.task }

// Block returns a number that tells the block of a parallel-for in which the task runs from all others
// that exist at the same time: its own block, or that of the job whose child it is, directly or not. It is 0 if there is
// none. The upper half of the number is the same for all blocks of one loop.
func (t *Task) Block() uint64 {
	if t == nil {
		return 0
	}
	block := t.block
	for sl := t.slot; sl != nil; sl = sl.parent {
		if sl.shape == shapeMany {
			loop := (uint64(reflect.ValueOf(sl).Pointer()) ^ uint64(generation(sl.word.Load()))<<40) * 0x9e3779b97f4a7c15
			return loop>>32<<32 | 1<<63 | block
		}
		if !sl.bound {
			return 0
		}
		block = sl.order >> 24
	}
	return 0
}

// Finder finds the tasks of callers as Pool.Caller does, and in about a nanosecond if the caller is that of the last
// time. The zero Finder is ready; it is for callers of one pool, and any number of goroutines.
//
// Built without assembly, it looks whether any body runs at all before it asks for microseconds which goroutine calls.
type Finder struct {
	seat    atomic.Pointer[seat] // of the last caller that ran a job
	outside atomic.Uintptr       // the last caller that sat nowhere
}

// Task is p.Caller().Task().
func (f *Finder) Task(p *Pool) *Task {
	g := goroutine()
	if !quickIdentity {
		if p.bodies.Load() == 0 {
			return nil
		}
		return p.Caller().Task()
	}
	if s := f.seat.Load(); s != nil && s.holder.Load() == g {
		return s.top()
	}
	if f.outside.Load() == g && p.front.holder.Load() != g && len(*p.seats.Load()) == p.workers {
		return nil
	}
	return f.find(p, g)
}

// find is Task for a caller that is new.
func (f *Finder) find(p *Pool, g uintptr) *Task {
	s := p.held(g)
	if s == nil {
		f.outside.Store(g)
		return nil
	}
	f.seat.Store(s)
	return s.top()
}

// top is the innermost task of the holder, which calls.
func (st *stack) top() *Task {
	if st.depth == 0 {
		return nil
	}
	return st.tasks[st.depth-1]
}
