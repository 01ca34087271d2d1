package jobs

import "reflect"

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

// CallerBlock returns a number that tells the block of a parallel-for of this pool from which the call comes from all others that
// exist at the same time: the block that calls, or the one whose child the calling job is, directly or not. It is 0 if there is
// none; a nil pool has none. The upper half of the number is the same for all blocks of one loop.
//
// It takes less than a nanosecond while no block runs, in builds without assembly too, and else what Caller takes.
func (p *Pool) CallerBlock() uint64 {
	if p == nil || p.blocks.Load() == 0 { // a block sees what has been added for it
		return 0
	}
	return p.callerBlock()
}

// callerBlock is CallerBlock while blocks run.
func (p *Pool) callerBlock() uint64 {
	t := p.Caller().Task()
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

// hasBlock notes that the seat is about to run blocks, alone, or a job that may be the child of one. It stays noted until the seat has
// nothing to run: a seat that runs one short loop after the other notes it once, so that seats do not contend for the count.
func (s *seat) hasBlock() {
	if !s.noted {
		s.noted = true
		s.pool.blocks.Add(1)
	}
}

// hasNoBlock ends what hasBlock has noted. Nothing lies on the holder's stack.
func (s *seat) hasNoBlock() {
	if s.noted {
		s.noted = false
		s.pool.blocks.Add(-1)
	}
}

// top is the innermost task of the holder, which calls.
func (st *stack) top() *Task {
	if st.depth == 0 {
		return nil
	}
	return st.tasks[st.depth-1]
}
