package jobs

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/lanewise/lanewise/jobs/internal/park"
	"github.com/lanewise/lanewise/jobs/profile"
)

// workerContext holds the state that a goroutine needs to run and schedule jobs: its queue, its
// free lists and the stack of jobs that it runs. Contexts 1 to workers-1 belong to the workers of
// the pool. Goroutines that are not workers acquire the other contexts for the duration of a call.
// Only the holder of a context may use the fields that are not atomic.
type workerContext struct {
	_                [64]byte // keeps contexts on separate cache lines
	pool             *Pool
	index            int
	queue            localQueue
	walkID           uint32 // unique among the contexts of all pools; part of the marks of walks
	acquireCount     int    // calls on the holder's stack that have acquired the context
	free             freeLists
	timing           measurements
	openedLoop       openedLoop // the last loop that was opened here, if its tuner waits for the time
	backgroundPermit bool       // the worker may run background jobs now
	isCaller         bool       // the context is for callers, not for a worker
	stack            taskStack
	steal            stealState
	parker           park.Parker     // where the holder sleeps
	profile          *profile.Worker // where package profile records the holder
	counters         counters
	_                [64]byte
}

// localQueue holds the jobs that were queued here and have not run yet. localQueue also records the
// holder of the context.
type localQueue struct {
	deque deque

	// tinyJobs is set if the jobs here are usually not worth stealing. The holder stores the flag
	// when it changes, and thieves load it often. An old value only costs a thief one useless
	// check.
	_        [128]byte // two lines, because CPUs fetch them in pairs
	tinyJobs atomic.Bool
	_        [127]byte

	// runnext is the job that was queued last while the queue was empty. runnext is only a hint:
	// its node may already hold another job. The holder swaps a job into runnext after the job is
	// ready. A thief loads runnext and claims the job.
	runnext atomic.Pointer[jobNode]

	// holder is the goroutine that holds the context, or 0 if no goroutine holds it. If finding the
	// number of the goroutine was too slow, holder is unknownGoroutine, and no body runs in the
	// context. A goroutine takes the context by compare-and-swap on holder and releases it by a
	// store. These two operations on holder order all accesses to the fields that are not atomic.
	holder atomic.Uintptr

	lastJob     Handle        // the job that was queued here last
	chainTail   Handle        // the end of the chain that begins with lastJob; see linkAfterOne
	announcedAt time.Duration // when lastJob was announced to sleeping workers, otherwise 0
}

// freeLists holds the free nodes and edges of one context.
type freeLists struct {
	store        *nodeStore // where batches of nodes come from and go to
	nodes        []*jobNode
	freeEdge     uint32
	freeEdges    int
	maxFreeShift int // a worker keeps this many bits fewer of them than a caller
}

// measurements records the jobs that ran here.
type measurements struct {
	cache             statsCache
	tunedLoopStart    time.Duration // of the last loop that a tuner decided about
	tunedLoopEstimate time.Duration // its estimated duration
	jobsRun           uint64        // single jobs, and parts of loops
	serialLoops       uint64        // loops that the holder ran alone
	submitted         int           // jobs submitted here
	completed         int           // jobs completed here
	timingMask        uint64        // a job is timed if its number ^ samplePhase has none of these bits; 0 times all, and all run isolated, see mustIsolate
	samplePhase       uint64        // a random number, renewed every 64 jobs
}

// taskStack holds the jobs and waits on the stack of the holder's goroutine.
type taskStack struct {
	tasks            []*Task // one for each job
	depth            int
	sitTasks         []*Task    // one for each Sit
	sitDepth         int        // how many of sitTasks are in use
	blocksRunCounted bool       // blockRunners counts this context
	height           uint64     // no less than the height of any task of another pool that is below on the holder's stack; see raiseHeight
	walkSteps        []walkStep // what the walks have still to look at
	waitEdges        []uint32   // the edges of the waits; see pendingWait.linkStack
	walkCount        uint64     // number of walks so far
	waitPools        []*Pool    // other pools in which the goroutine is registered as a waiter; see pendingWait.sleepUntilReady
	goexit           goexitCall // the reason why the jobs on the stack are ending
}

// contextCount is the number of contexts that were ever created, in all pools.
var contextCount atomic.Uint32

func newWorkerContext(p *Pool, index int) *workerContext {
	wc := &workerContext{
		pool:     p,
		index:    index,
		walkID:   contextCount.Add(1),
		parker:   p.newParker(),
		isCaller: index == 0 || index >= p.workers,
		free:     freeLists{store: &p.nodes},
	}
	wc.steal.rng, wc.timing.timingMask = (p.seed+uint64(index))*0x9e3779b97f4a7c15|1, sampleMask
	if !wc.isCaller {
		wc.free.maxFreeShift = 3
	}
	if p.level == Panic {
		wc.timing.timingMask = 0
	}
	wc.profile = p.profile.NewWorker(index, wc.isCaller)
	wc.queue.deque.init()
	return wc
}

// pushTask begins a task for a job on top of the stack.
func (wc *workerContext) pushTask(node *jobNode) *Task {
	if wc.stack.depth == len(wc.stack.tasks) {
		wc.stack.tasks = append(wc.stack.tasks, &Task{ctx: wc})
	}
	t := wc.stack.tasks[wc.stack.depth]
	wc.stack.depth++
	wc.timing.jobsRun++
	if wc.timing.jobsRun%64 == 0 {
		wc.publishCounters()
		wc.timing.samplePhase = wc.steal.random()
	}
	t.node, t.bodyReturned, t.bodyEnded, t.blocksTaken, t.edgesAdded, t.sweepAt = node, false, false, 0, 0, 0
	t.height = wc.stack.height + 1
	t.beginBlock(0, 0)
	return t
}

// popTask ends the topmost task.
func (ts *taskStack) popTask() {
	ts.depth--
	t := ts.tasks[ts.depth]
	t.node = nil
}

// goexitCall is a call of runtime.Goexit that is ending the jobs of a goroutine's stack.
type goexitCall struct {
	err       *ExitError // nil if there is none
	goroutine uintptr
}

// Only the holder of a context writes its counters, with atomic stores instead of atomic additions.
// Pool.Stats reads the counters at any time. Each value that Stats reads is valid, but two values
// may be from different moments.
type counters struct {
	jobs, begunJobs, loops, inline, joined, steals, sleeps, spins atomic.Uint64
	spunNs                                                        atomic.Int64
}

// increment adds one to a counter of the caller's own context. This is cheaper than an atomic
// addition.
func increment(c *atomic.Uint64) { c.Store(c.Load() + 1) }

// publishCounters copies the local counters to the counters that other goroutines read.
func (wc *workerContext) publishCounters() {
	wc.counters.jobs.Store(wc.timing.jobsRun)
	wc.counters.begunJobs.Store(uint64(wc.timing.submitted))
	wc.counters.inline.Store(wc.timing.serialLoops)
}

// tryAcquire takes the context if it is free. While a goroutine reads the counters, tryAcquire
// waits. Otherwise a caller would get a context with an index that Task.Worker excludes.
func (wc *workerContext) tryAcquire(g uintptr) bool {
	for !wc.queue.holder.CompareAndSwap(0, g) {
		switch wc.queue.holder.Load() {
		case 0: // it has become free just now
		case countReader:
			runtime.Gosched()
		default:
			return false
		}
	}
	wc.acquireCount = 1
	return true
}

// release undoes one acquire.
func (wc *workerContext) release() {
	wc.acquireCount--
	if wc.acquireCount == 0 {
		wc.clearBlocks()
		wc.queue.holder.Store(0)
	}
}

// publishIfIdle publishes the counters of a context that is free, or that the calling goroutine
// holds.
func (wc *workerContext) publishIfIdle() {
	if wc.queue.holder.CompareAndSwap(0, countReader) {
		wc.publishCounters()
		wc.queue.holder.Store(0)
	} else if g := goroutine(); g != 0 && wc.queue.holder.Load() == g {
		wc.publishCounters()
	}
}

// park sleeps until the context is woken, or until the limit has passed. If limit is 0, the sleep
// has no time limit.
func (wc *workerContext) park(limit time.Duration) {
	increment(&wc.counters.sleeps)
	wc.publishCounters()
	asleep := wc.profile.Begin(nil)
	wc.parker.Park(limit)
	asleep.End("", 0)
}
