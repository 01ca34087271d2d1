package jobs

import (
	"context"
)

// Job is one piece of work. It is held by pointer, not copied: its fields
// stay put until it is done. A Run that panics fails its job with a *PanicError, one
// that calls runtime.Goexit (testing.T.FailNow does) with an *ExitError; what waits for
// the job gets that and goes on. What has run well before runs on the goroutine that
// waits: should it call runtime.Goexit there, that goroutine ends too, when the job has
// been completed. At level Panic, which is for tests, it never does.
type Job interface {
	Run(t *Task)
}

// RangeJob is work over the indices of a parallel-for. RunRange is called
// once per block [lo, hi) with hi-lo <= grain, from several goroutines at a
// time and in no promised order. A RunRange that panics fails the job, and all other
// blocks run nevertheless; of several the error is that of the lowest.
type RangeJob interface {
	RunRange(t *Task, lo, hi int)
}

// Named is implemented by jobs that bear a name of their own in errors,
// traces and estimates; the others are called by their type.
type Named interface {
	JobName() string
}

// Unfinished is implemented by jobs that hear of a body of theirs which did not
// return: it has panicked, or ended its goroutine. They put away what the body has
// left, without the price of a defer in each. The call comes on the body's worker,
// before the job is done; a panic in it is dropped, as the job has failed already.
type Unfinished interface {
	NotReturned(worker int)
}

// Func makes a Job of a function.
type Func func(t *Task)

// Run calls f.
func (f Func) Run(t *Task) { f(t) }

// RangeFunc makes a RangeJob of a function.
type RangeFunc func(t *Task, lo, hi int)

// RunRange calls f.
func (f RangeFunc) RunRange(t *Task, lo, hi int) { f(t, lo, hi) }

// mustHave panics if a function was called without what it needs.
func requireJob(fn string, ok bool) {
	if !ok {
		panic("jobs: " + fn + ": the job is nil")
	}
}

// mustKnow refuses a context that is nil: it would be asked by a worker, where a panic ends the program.
func requireContext(fn string, ctx context.Context) {
	if ctx == nil {
		panic("jobs: " + fn + ": the context is nil: pass context.Background()")
	}
}

// Task is what a running job sees of the pool. It is valid until the job's
// method returns and belongs to the goroutine that runs it.
type Task struct {
	ctx         *workerContext
	node        *jobNode
	lo          int
	block       uint64 // number of the block
	blocksTaken uint64 // how many blocks of a loop it has taken
	takenEnd    uint64 // the end of those that it took last
	childCount  int    // children scheduled by the block so far
	edgesAdded  uint32 // edges added since the last sweep; see need
	sweepAt     uint32 // how many make it worth another
	returned    bool   // the body has returned, and so has the wait for it
	bodyEnded   bool   // a body that ran isolated has ended, however it did
	exiting     bool   // its goroutine is ending, and runs the blocks that are left before
	height      uint64 // above that of all bodies below on the goroutine's stack, of whatever pools
	arena       scratchArena
	_           [16]byte // no other worker's task on its cache lines
}

// Worker is the index of the place from which the block is run. No two that run
// at the same time share one, but what a block runs while it waits does. It is
// below Pool.Workers while one goroutine from outside waits; others that wait at
// the same time have higher ones, so a table by worker has to grow. It differs
// between runs: use it for scratch only, or use Scratch.
func (t *Task) Worker() int { return t.ctx.index }

// Lo is the first index of the block: the key by which outputs are sorted.
func (t *Task) Lo() int { return t.lo }

// Cancelled reports whether the context of the job's scope is cancelled. A body that
// takes long asks and returns: nothing stops it. To return early is no error, so the
// wait returns nil unless a job before it, or a child, has one.
func (t *Task) Cancelled() bool {
	return t.node != nil && t.node.scope != nil && t.node.scope.ctx.Err() != nil
}

// Scratch returns n bytes of the worker's own memory, not zeroed, that belong
// to the block until it ends. It panics if n is negative.
func (t *Task) Scratch(n int) []byte {
	if n < 0 {
		panicNegative("Task.Scratch", "n", n)
	}
	return t.arena.allocate(n)
}

// arena is memory that is handed out from the front and taken back at once.
type scratchArena struct {
	memory []byte
	used   int
}

func (a *scratchArena) allocate(n int) []byte {
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
func (t *Task) beginBlock(block uint64, lo int) {
	t.block, t.lo = block, lo
	if t.childCount|t.arena.used != 0 {
		t.childCount, t.arena.used = 0, 0
	}
}

// Schedule queues a child: the job is done when its children are.
func (t *Task) Schedule(j Job, after ...Handle) Handle {
	requireJob("Task.Schedule", j != nil)
	if t.node == nil {
		return t.ctx.pool.Schedule(j, after...)
	}
	return t.ctx.submit(t.adoptChild(t.ctx.newJob(j, t.node.scope)), after)
}

// ParallelFor queues a child over the indices of [0, n), cut into blocks of
// grain. Grain 0 chooses. It panics if n or grain is negative.
func (t *Task) ParallelFor(j RangeJob, n, grain int, after ...Handle) Handle {
	requireJob("Task.ParallelFor", j != nil)
	if t.node == nil {
		return t.ctx.pool.ParallelFor(j, n, grain, after...)
	}
	grain = checkGrain("Task.ParallelFor", n, grain)
	return t.ctx.submit(t.adoptChild(t.ctx.newLoop(j, n, grain, t.node.scope)), after)
}

// Wait waits for a handle of any pool inside a job: the worker works meanwhile. It
// returns ErrDeadlock where the handle cannot be done before the job is.
func (t *Task) Wait(h Handle) error {
	if h.node == nil {
		return nil
	}
	if h.Done() {
		return h.Err()
	}
	if t.node == nil {
		return h.Wait()
	}
	return (&pendingWait{ctx: t.ctx, target: h}).waitChain()
}

// adopt makes a new slot a child of the task's job.
func (t *Task) adoptChild(node *jobNode) *jobNode {
	wc, parent := t.ctx, t.node
	node.word.Add(wordPins)                                           // its edges are not seen until submit has made them
	wc.free.addNeed(t, node, generation(node.word.Load()), edgeChild) // this may panic: nothing has been counted yet
	node.hasExtras, node.parent, node.priority = true, parent, parent.priority
	node.childOrder = t.block<<24 | uint64(t.childCount)&(1<<24-1)
	t.childCount++
	parent.unfinishedChildren.Add(1)
	return node
}

// Sit returns a task for the calling goroutine, outside of any job of its own: for
// work that is done here and now by the same code that does it in a job elsewhere.
// Its Worker is that of the seat which the goroutine takes until Rise, so that no
// job uses it at the same time; its Scratch is as that of a block, which NextBlock
// ends. What it schedules has no parent, and Wait is that of the handle.
//
// The task is the goroutine's until Rise, which must follow on the same one. It does
// not allocate but the first times.
func (p *Pool) Sit() *Task {
	p.requireOpen("Sit")
	wc := p.acquire()
	if wc.stack.sitDepth == len(wc.stack.sitTasks) {
		wc.stack.sitTasks = append(wc.stack.sitTasks, &Task{ctx: wc})
	}
	t := wc.stack.sitTasks[wc.stack.sitDepth]
	wc.stack.sitDepth++
	t.node, t.returned, t.blocksTaken = nil, false, 0
	t.beginBlock(0, 0)
	return t
}

// NextBlock begins another block, as a loop does: the first index is lo, and the
// Scratch of the one before is free again. It is for a task of Pool.Sit.
func (t *Task) NextBlock(lo int) { t.beginBlock(t.block+1, lo) }

// SetLo says that the block is that of another first index than the loop's: of a loop over
// a selection, which counts what it is selected from. Lo, traces and errors have it then.
// The first indices of a loop's blocks must ascend as its blocks do: of several that fail the
// one with the lowest is reported.
func (t *Task) SetLo(lo int) { t.lo = lo }

// Rise ends a task of Pool.Sit. The last one that the goroutine was given goes first.
func (t *Task) Rise() {
	wc := t.ctx
	wc.stack.sitDepth--
	wc.release()
}
