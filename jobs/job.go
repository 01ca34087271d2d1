package jobs

import (
	"context"
)

// Job is one piece of work. The pool keeps a pointer to the job and no copy, so the job's fields
// must stay valid until the job is done.
//
// If Run panics, the job fails with a *PanicError. If Run calls runtime.Goexit, as
// testing.T.FailNow does, the job fails with an *ExitError. A wait for the job returns that error.
// There is one exception: if a job of the same kind has completed before, the job may run on the
// goroutine that waits for it. If that job calls runtime.Goexit there, the waiting goroutine ends
// too, after the job has been completed. At level Panic, which is for tests, this never happens.
type Job interface {
	Run(t *Task)
}

// RangeJob is work over the indices of a parallel-for. RunRange is called once per block [lo, hi)
// with hi-lo <= grain, from several goroutines at the same time and in any order. If RunRange
// panics, the job fails, but all other blocks still run. If several blocks fail, the job's error is
// the error of the lowest block.
type RangeJob interface {
	RunRange(t *Task, lo, hi int)
}

// Named is implemented by jobs that have a name for errors, traces and estimates. Other jobs are
// named after their type.
type Named interface {
	JobName() string
}

// Unfinished is implemented by jobs that want to know when one of their bodies did not return,
// because it panicked or ended its goroutine. The job can then clean up after the body, without the
// cost of a defer in each body. The pool makes the call on the body's worker, before the job is
// done. A panic in the call is dropped, because the job has failed already.
type Unfinished interface {
	NotReturned(worker int)
}

// Func is an adapter that makes a function a Job.
type Func func(t *Task)

// Run calls f.
func (f Func) Run(t *Task) { f(t) }

// RangeFunc is an adapter that makes a function a RangeJob.
type RangeFunc func(t *Task, lo, hi int)

// RunRange calls f.
func (f RangeFunc) RunRange(t *Task, lo, hi int) { f(t, lo, hi) }

// requireJob panics if ok is false, that is, if function fn was called with a nil job.
func requireJob(fn string, ok bool) {
	if !ok {
		panic("jobs: " + fn + ": the job is nil")
	}
}

// requireContext panics if the context is nil. Otherwise a nil context would first be used on a
// worker, where a panic ends the program.
func requireContext(fn string, ctx context.Context) {
	if ctx == nil {
		panic("jobs: " + fn + ": the context is nil: pass context.Background()")
	}
}

// Task is the interface through which a running job uses the pool. A Task is valid until the job's
// method returns, and belongs to the goroutine that runs the method.
type Task struct {
	ctx          *workerContext
	node         *jobNode
	lo           int
	block        uint64 // number of the block in its loop
	blocksTaken  uint64 // how many blocks of a loop the task has taken
	takenEnd     uint64 // the end of the blocks that it took last
	childCount   int    // children that the block has scheduled so far
	edgesAdded   uint32 // edges added since the last sweep; see addNeed
	sweepAt      uint32 // how many added edges make another sweep worth it
	bodyReturned bool   // the body has returned, and so has the wait for it
	bodyEnded    bool   // a body that runs isolated has ended in any way
	exiting      bool   // the goroutine is ending and runs the blocks that are left before
	height       uint64 // higher than that of all bodies below on the goroutine's stack, of any pool
	arena        scratchArena
	_            [16]byte // keeps the tasks of two workers on separate cache lines
}

// Worker returns the index of the worker, or of the waiting goroutine, that runs the block. Two
// blocks that run at the same time have different indices. The exception is a block that waits: it
// has the same index as the blocks that its worker runs during the wait. The index is below
// Pool.Workers as long as only one goroutine that is not a worker waits. If several such goroutines
// wait at the same time, some of them have higher indices, so a table indexed by worker has to
// grow. The index differs from run to run, so use it for scratch memory only, or use Scratch.
func (t *Task) Worker() int { return t.ctx.index }

// Lo returns the first index of the block. If a loop sorts its outputs by Lo, their order does not
// depend on the workers.
func (t *Task) Lo() int { return t.lo }

// Cancelled reports whether the context of the job's scope is cancelled. The pool does not stop a
// running body, so a body that takes long should call Cancelled and return. Returning early is not
// an error: a wait returns nil unless a dependency or a child has failed.
func (t *Task) Cancelled() bool {
	return t.node != nil && t.node.scope != nil && t.node.scope.ctx.Err() != nil
}

// Scratch returns n bytes of the worker's memory, which are not zeroed and belong to the block
// until the block ends. Scratch panics if n is negative.
func (t *Task) Scratch(n int) []byte {
	if n < 0 {
		panicNegative("Task.Scratch", "n", n)
	}
	return t.arena.allocate(n)
}

// scratchArena is memory that is handed out from the front and reset as a whole.
type scratchArena struct {
	memory []byte
	used   int
}

func (a *scratchArena) allocate(n int) []byte {
	const align = 64
	if a.used+n > len(a.memory) {
		a.memory = make([]byte, max(2*len(a.memory), n, 4096)) // slices that were handed out keep the old memory
		a.used = 0
	}
	b := a.memory[a.used : a.used+n : a.used+n]
	a.used = (a.used + n + align - 1) &^ (align - 1)
	return b
}

// beginBlock prepares the task for one block.
func (t *Task) beginBlock(block uint64, lo int) {
	t.block, t.lo = block, lo
	if t.childCount|t.arena.used != 0 {
		t.childCount, t.arena.used = 0, 0
	}
}

// Schedule queues a child of the job. The parent is done when its body has returned and its
// children are done.
func (t *Task) Schedule(j Job, after ...Handle) Handle {
	requireJob("Task.Schedule", j != nil)
	if t.node == nil {
		return t.ctx.pool.Schedule(j, after...)
	}
	return t.ctx.submit(t.adoptChild(t.ctx.newJob(j, t.node.scope)), after)
}

// ParallelFor queues a child that runs over the indices of [0, n), cut into blocks of grain
// indices. If grain is 0, the pool chooses it. It panics if n or grain is negative.
func (t *Task) ParallelFor(j RangeJob, n, grain int, after ...Handle) Handle {
	requireJob("Task.ParallelFor", j != nil)
	if t.node == nil {
		return t.ctx.pool.ParallelFor(j, n, grain, after...)
	}
	grain = checkGrain("Task.ParallelFor", n, grain)
	return t.ctx.submit(t.adoptChild(t.ctx.newLoop(j, n, grain, t.node.scope)), after)
}

// Wait waits inside a job for a handle of any pool. Meanwhile the worker runs other jobs that the
// job of the handle needs. Wait returns ErrDeadlock if the handle cannot be done before the job
// is.
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

// adoptChild makes a new job a child of the task's job.
func (t *Task) adoptChild(node *jobNode) *jobNode {
	wc, parent := t.ctx, t.node
	node.word.Add(wordPins)                                           // hides its edges until submit has made them
	wc.free.addNeed(t, node, generation(node.word.Load()), edgeChild) // this may panic, so nothing may be counted before
	node.hasOptionalFields, node.parent, node.priority = true, parent, parent.priority
	node.childOrder = t.block<<24 | uint64(t.childCount)&(1<<24-1)
	t.childCount++
	parent.unfinishedChildren.Add(1)
	return node
}

// Sit returns a task for the calling goroutine outside of any job. Sit is for code that does the
// same work inside and outside of jobs. The goroutine holds a worker index until Rise, so that no
// job uses that index meanwhile. As in a block, memory from Scratch is valid until the block ends,
// which is the next call of NextBlock. Jobs that are scheduled through the task have no parent, and
// the task's Wait works like Handle.Wait.
//
// The task belongs to the goroutine until Rise, which must be called on the
// same goroutine. Sit allocates only in its first calls.
func (p *Pool) Sit() *Task {
	p.requireOpen("Sit")
	wc := p.acquire()
	if wc.stack.sitDepth == len(wc.stack.sitTasks) {
		wc.stack.sitTasks = append(wc.stack.sitTasks, &Task{ctx: wc})
	}
	t := wc.stack.sitTasks[wc.stack.sitDepth]
	wc.stack.sitDepth++
	t.node, t.bodyReturned, t.blocksTaken = nil, false, 0
	t.beginBlock(0, 0)
	return t
}

// NextBlock begins another block with the first index lo, as a loop does, and resets Scratch. Only
// a task of Pool.Sit may call NextBlock.
func (t *Task) NextBlock(lo int) { t.beginBlock(t.block+1, lo) }

// SetLo changes the first index of the block, which Lo, traces and errors report. A loop over a
// selection uses SetLo if its indices should refer to the set from which the elements were
// selected. The first indices must ascend with the blocks, because if several blocks fail, the
// error is that of the block with the lowest index.
func (t *Task) SetLo(lo int) { t.lo = lo }

// Rise ends a task of Pool.Sit. If the goroutine has several such tasks, it must end the last one
// first.
func (t *Task) Rise() {
	wc := t.ctx
	wc.stack.sitDepth--
	wc.release()
}
