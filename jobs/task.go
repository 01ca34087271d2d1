package jobs

import "fmt"

// Task is what a running job sees of the pool. It is valid until the job's
// method returns and belongs to the goroutine that runs it.
type Task struct {
	seat    *seat
	slot    *slot
	lo      int
	block   uint64  // number of the block
	blocks  uint64  // how many blocks of a loop it has taken
	calls   int     // children scheduled by the block so far
	needs   uint32  // edges added since the last sweep; see need
	sweepAt uint32  // how many make it worth another
	ok      bool    // the body has returned, and so has who waited for it
	past    bool    // the body has ended apart, however it did
	access  *Access // what the job has declared, once looked up
	arena   arena
	_       [24]byte // no other worker's task on its cache lines
}

// Worker is the index of the place from which the block is run. No two that run
// at the same time share one, but what a block runs while it waits does. It is
// below Pool.Workers while one goroutine from outside waits; others that wait at
// the same time have higher ones, so a table by worker has to grow. It differs
// between runs: use it for scratch only, or use Scratch.
func (t *Task) Worker() int { return t.seat.index }

// Lo is the first index of the block: the key by which outputs are sorted.
func (t *Task) Lo() int { return t.lo }

// Cancelled reports whether the context of the job's scope is cancelled. A body that
// takes long asks and returns: nobody stops it. To return early is no error, so the
// wait returns nil unless a job before it, or a child, has one.
func (t *Task) Cancelled() bool {
	return t.slot != nil && t.slot.scope != nil && t.slot.scope.ctx.Err() != nil
}

// Schedule queues a child: the job is done when its children are.
func (t *Task) Schedule(j Job, after ...Handle) Handle {
	mustHave("Task.Schedule", j != nil)
	if t.slot == nil {
		return t.seat.pool.Schedule(j, after...)
	}
	return t.seat.submit(t.adopt(t.seat.newJob(j, t.slot.scope)), after)
}

// ParallelFor queues a child over the indices of [0, n), cut into blocks of
// grain. Grain 0 chooses. It panics if n or grain is negative.
func (t *Task) ParallelFor(j RangeJob, n, grain int, after ...Handle) Handle {
	mustHave("Task.ParallelFor", j != nil)
	if t.slot == nil {
		return t.seat.pool.ParallelFor(j, n, grain, after...)
	}
	grain = checkGrain("Task.ParallelFor", n, grain)
	return t.seat.submit(t.adopt(t.seat.newLoop(j, n, grain, t.slot.scope)), after)
}

// Wait waits for a handle inside a job: the worker works meanwhile. It
// returns ErrDeadlock where the handle cannot be done before the job is.
func (t *Task) Wait(h Handle) error {
	if h.slot == nil {
		return nil
	}
	if h.Done() {
		return h.Err()
	}
	if t.slot == nil || h.slot.pool != t.seat.pool {
		return h.Wait()
	}
	return t.seat.wait(h)
}

// Scratch returns n bytes of the worker's own memory, not zeroed, that belong
// to the block until it ends. It panics if n is negative.
func (t *Task) Scratch(n int) []byte {
	if n < 0 {
		panicNegative("Task.Scratch", "n", n)
	}
	return t.arena.take(n)
}

// panicNegative is apart from the functions that call it to keep them small.
func panicNegative(fn, what string, n int) {
	panic(fmt.Sprintf("jobs: %s: %s is %d", fn, what, n))
}

// adopt makes a new slot a child of the task's job.
func (t *Task) adopt(sl *slot) *slot {
	s, parent := t.seat, t.slot
	sl.word.Add(wordPins)                                // nobody gets to see its edges until submit has made them
	s.need(t, sl, generation(sl.word.Load()), edgeChild) // this may panic: nothing has been counted yet
	sl.bound, sl.parent, sl.priority = true, parent, parent.priority
	sl.order = t.block<<24 | uint64(t.calls)&(1<<24-1)
	t.calls++
	parent.left.Add(1)
	return sl
}

// arena is memory that is handed out from the front and taken back at once.
type arena struct {
	memory []byte
	used   int
}

func (a *arena) take(n int) []byte {
	const align = 64
	if a.used+n > len(a.memory) {
		a.memory = make([]byte, max(2*len(a.memory), n, 4096)) // what was handed out keeps its old memory
		a.used = 0
	}
	b := a.memory[a.used : a.used+n : a.used+n]
	a.used = (a.used + n + align - 1) &^ (align - 1)
	return b
}
