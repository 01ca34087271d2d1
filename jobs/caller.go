package jobs

import (
	"reflect"
	"sync/atomic"
)

// Caller tells where a call comes from: a goroutine, and the body of a job that it runs, if it
// runs one. It is for what belongs to one of them for a while, as a world does: two that are
// equal are the same goroutine in the same body, or outside of all jobs. The body is the innermost one, of
// whatever pool: a job of another pool, which a goroutine runs while it waits for it, is another caller than
// what waits, as it is where a worker runs it. The zero Caller is none.
type Caller struct {
	goroutine uintptr
	task      *Task
}

// Task is that of the body, the innermost one of all pools; nil if the call comes from none. Until the body
// returns it is that of no other, and after that it may be used again. A Range of a single block
// has no task.
func (c Caller) Task() *Task { return c.task }

// TaskOf is Task if the innermost body is of a job of pool p, and else nil.
func (c Caller) TaskOf(p *Pool) *Task {
	if c.task == nil || c.task.seat.pool != p {
		return nil
	}
	return c.task
}

// Job returns the job of the body, a [Job] or a [RangeJob]; for a child it is the job that was scheduled outside of all jobs and
// that the child descends from. It is nil if the call comes from no body, and in a task of Pool.Sit. It is good for error messages: for example, a
// library that refuses a call in a job can say which of its jobs has called.
func (c Caller) Job() any {
	if c.task == nil || c.task.slot == nil {
		return nil
	}
	sl := c.task.slot
	for sl.parent != nil {
		sl = sl.parent // it is not done before its children are
	}
	if sl.shape == shapeMany {
		return sl.many
	}
	return sl.one
}

// innermost returns the task of the innermost body that goroutine g, which calls, is running in any pool; nil if it runs none. In
// pool p that is top, which the caller has looked up; p may be nil.
func innermost(g uintptr, p *Pool, top *Task) *Task {
	list := known.list.Load()
	if list == nil {
		return top
	}
	for i := range *list {
		k := &(*list)[i]
		if p != nil && k.weak == p.self {
			continue
		}
		if t := k.pool().on(g); t != nil && (top == nil || t.height > top.height) {
			top = t
		}
	}
	return top
}

// raise notes on the seat, on which goroutine g, which calls, may be about to run bodies, how high those of other pools reach that are
// on its stack: the ones that it runs on this seat lie above them.
func (s *seat) raise(g uintptr) {
	if t := innermost(g, s.pool, s.top()); t != nil {
		s.height = max(s.height, t.height)
	}
}

// blocksRun counts what may run blocks, in all pools: loops in use, and seats that run blocks alone, or children of blocks. The
// opener of a loop, or the holder of a seat, adds before the first of them runs, and who ends the loop, or the holder when it has
// nothing left to run, subtracts. So a block that looks finds more than 0; what others find may be old.
var blocksRun struct {
	_ [128]byte
	atomic.Int64
	_ [120]byte
}

// CallerBlock returns a number that tells the block of a parallel-for, of any pool, from which the call comes from all others that
// exist at the same time: the block that calls, or the one whose child the calling job is, directly or not. It is 0 if there is
// none: what a job belongs to counts, and not what waits for it. The upper half of the number is the same for all blocks of one loop.
//
// It takes less than a nanosecond while no block of any pool runs, in builds without assembly too, and else what Pool.Caller takes.
func CallerBlock() uint64 {
	if blocksRun.Load() == 0 { // a block sees what has been added for it
		return 0
	}
	return callerBlock()
}

// callerBlock is CallerBlock while blocks run.
func callerBlock() uint64 {
	t := (*Pool)(nil).Caller().Task()
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
		blocksRun.Add(1)
	}
}

// hasNoBlock ends what hasBlock has noted. Nothing lies on the holder's stack.
func (s *seat) hasNoBlock() {
	if s.noted {
		s.noted = false
		blocksRun.Add(-1)
	}
}

// top is the innermost task of the holder, which calls.
func (st *stack) top() *Task {
	if st.depth == 0 {
		return nil
	}
	return st.tasks[st.depth-1]
}
