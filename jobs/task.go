package jobs

// Task is what a running job sees of the pool. It is valid until the job's
// method returns and belongs to the goroutine that runs it.
type Task struct {
	seat      *seat
	slot      *slot
	lo        int
	block     uint64 // number of the block
	blocks    uint64 // how many blocks of a loop it has taken
	taken     uint64 // the end of those that it took last
	calls     int    // children scheduled by the block so far
	needs     uint32 // edges added since the last sweep; see need
	sweepAt   uint32 // how many make it worth another
	ok        bool   // the body has returned, and so has the wait for it
	bodyEnded bool   // a body that ran isolated has ended, however it did
	leaving   bool   // its goroutine is ending, and runs the blocks that are left before
	height    uint64 // above that of all bodies below on the goroutine's stack, of whatever pools
	arena     arena
	_         [16]byte // no other worker's task on its cache lines
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
// takes long asks and returns: nothing stops it. To return early is no error, so the
// wait returns nil unless a job before it, or a child, has one.
func (t *Task) Cancelled() bool {
	return t.slot != nil && t.slot.scope != nil && t.slot.scope.ctx.Err() != nil
}

// Scratch returns n bytes of the worker's own memory, not zeroed, that belong
// to the block until it ends. It panics if n is negative.
func (t *Task) Scratch(n int) []byte {
	if n < 0 {
		panicNegative("Task.Scratch", "n", n)
	}
	return t.arena.take(n)
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

// begin makes the task that of one block.
func (t *Task) begin(block uint64, lo int) {
	t.block, t.lo = block, lo
	if t.calls|t.arena.used != 0 {
		t.calls, t.arena.used = 0, 0
	}
}
