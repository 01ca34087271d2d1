package jobs

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/lanewise/lanewise/jobs/internal/park"
	"github.com/lanewise/lanewise/jobs/profile"
)

// seat is a place from which jobs are run and scheduled. Seats 1 to workers-1
// belong to the pool's goroutines; the others are taken for the length of a
// call by goroutines from outside. The holder of a seat is the only one to touch
// its plain fields.
//
// It is the receiver of what is done to run jobs: to begin, run and end them, and to queue
// what becomes ready. What needs only a part of a seat is a method of that part: queues, memory,
// measures, stack and thief below. What is done with another thing besides is that one's: a loop
// is worked in (fork.go), an await is waited for (wait.go), a worker looks for something to do.
type workerContext struct {
	_                [64]byte // seats do not share cache lines
	pool             *Pool
	index            int
	queue            localQueue
	walkID           uint32 // tells the seats of all pools apart, for the marks of walks
	holds            int    // calls on the holder's stack that hold the seat
	free             freeLists
	timing           measurements
	openedLoop       openedLoop // the last loop that was opened here, if it is on trial and was timed
	backgroundPermit bool       // the worker may run background jobs now
	isCaller         bool       // it is a caller's, not a worker's
	stack            taskStack
	steal            stealState
	parker           park.Parker     // where the holder sleeps
	profile          *profile.Worker // what tools see of it
	counters         counters
	_                [64]byte
}

// queues is what was queued here and not run yet, and the holder.
type localQueue struct {
	deque deque

	// tiny says that the jobs here are not worth stealing, as a rule. The holder stores it
	// when that changes, thieves load it often; an old value costs them a look.
	_        [128]byte // two lines: CPUs fetch them in pairs
	tinyJobs atomic.Bool
	_        [127]byte

	// runnext is a job that was queued while nothing lay here, or the slot of one that was:
	// a hint. The holder swaps it after the job is ready; thieves load it, and claim.
	runnext atomic.Pointer[jobNode]

	// holder is the goroutine that sits here, 0 is none, or unknownGoroutine if it was too slow to
	// find out: then no body runs here. It is taken by compare-and-swap
	// and given back by a store, which orders all plain fields of the seat.
	holder atomic.Uintptr

	lastJob     Handle        // the last job that was queued here
	chainTail   Handle        // the end of the line behind it, perhaps itself
	announcedAt time.Duration // when others were told of the last job, if any slept; else 0
}

// memory is slots and edges that are free.
type freeLists struct {
	store      *nodeStore // where more are
	nodes      []*jobNode
	freeEdge   uint32
	freeEdges  int
	limitShift int // by how many bits a worker keeps fewer of them than a caller
}

// measures is what is known of the jobs that ran here.
type measurements struct {
	cache             statsCache
	tunedLoopStart    time.Duration // of the last loop that was tried here
	tunedLoopEstimate time.Duration // that it was believed to take
	jobsRun           uint64        // jobs and parts of loops that were run
	serialLoops       uint64        // loops that were run alone
	submitted         int           // jobs submitted here
	completed         int           // jobs completed here
	timingMask        uint64        // jobs are timed whose number has none of these bits; 0 if all run apart, too: see mustIsolate
}

// stack is what lies on the holder's stack.
type taskStack struct {
	tasks        []*Task // one for each job
	depth        int
	sitTasks     []*Task     // one for each Sit
	sitDepth     int         // of those in use
	countsBlocks bool        // the seat is counted in blocksRun
	height       uint64      // at least that of all tasks of other pools that are below on the holder's stack; see raise
	walkSteps    []walkStep  // what the walks have still to look at
	waitEdges    []uint32    // edges of the waits; see await.link
	walkCount    uint64      // number of walks so far
	waitPools    []*Pool     // other pools in which the goroutine is registered as a waiter; see await.sleep
	exiting      exitingCall // why its jobs end, while they do
}

// seatsMade is how many seats there have been in all pools.
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
		wc.free.limitShift = 3
	}
	if p.level == Panic {
		wc.timing.timingMask = 0
	}
	wc.profile = p.profile.NewWorker(index, wc.isCaller)
	wc.queue.deque.init()
	return wc
}

// push begins a task for a job on the seat's stack.
func (wc *workerContext) pushTask(node *jobNode) *Task {
	if wc.stack.depth == len(wc.stack.tasks) {
		wc.stack.tasks = append(wc.stack.tasks, &Task{ctx: wc})
	}
	t := wc.stack.tasks[wc.stack.depth]
	wc.stack.depth++
	wc.timing.jobsRun++
	if wc.timing.jobsRun%64 == 0 {
		wc.publishCounters()
	}
	t.node, t.returned, t.bodyEnded, t.blocksTaken, t.edgesAdded, t.sweepAt = node, false, false, 0, 0, 0
	t.height = wc.stack.height + 1
	t.beginBlock(0, 0)
	return t
}

// pop ends the topmost task.
func (ts *taskStack) popTask() {
	ts.depth--
	t := ts.tasks[ts.depth]
	t.node = nil
}

// ending is a call of runtime.Goexit that is ending the jobs of a stack.
type exitingCall struct {
	err       *ExitError // nil if there is none
	goroutine uintptr
}

// counters are written by the holder of a seat alone, by plain stores of atomics, and read by Pool.Stats
// at any time: each is whole, and no two need to be of one moment.
type counters struct {
	jobs, begun, loops, inline, joined, steals, sleeps, spins atomic.Uint64
	spun                                                      atomic.Int64
}

// count adds one to a counter of the own seat: cheaper than an atomic addition.
func increment(c *atomic.Uint64) { c.Store(c.Load() + 1) }

// publish makes the counts known that are kept in plain fields.
func (wc *workerContext) publishCounters() {
	wc.counters.jobs.Store(wc.timing.jobsRun)
	wc.counters.begun.Store(uint64(wc.timing.submitted))
	wc.counters.inline.Store(wc.timing.serialLoops)
}

// take takes a seat if it is free. That its counts are being read is waited for:
// else a caller would get another seat, with an index that Task.Worker excludes.
func (wc *workerContext) tryAcquire(g uintptr) bool {
	for !wc.queue.holder.CompareAndSwap(0, g) {
		switch wc.queue.holder.Load() {
		case 0: // just now
		case countReader:
			runtime.Gosched()
		default:
			return false
		}
	}
	wc.holds = 1
	return true
}

// leave undoes one enter.
func (wc *workerContext) release() {
	wc.holds--
	if wc.holds == 0 {
		wc.clearBlocks()
		wc.queue.holder.Store(0)
	}
}

// flush publishes the counts of a seat that is free, or that is the calling
// goroutine's own.
func (wc *workerContext) publishIfIdle() {
	if wc.queue.holder.CompareAndSwap(0, countReader) {
		wc.publishCounters()
		wc.queue.holder.Store(0)
	} else if g := goroutine(); g != 0 && wc.queue.holder.Load() == g {
		wc.publishCounters()
	}
}

// rest sleeps until the seat is woken, or for a time if that is not 0.
func (wc *workerContext) park(limit time.Duration) {
	increment(&wc.counters.sleeps)
	wc.publishCounters()
	asleep := wc.profile.Begin(nil)
	wc.parker.Park(limit)
	asleep.End("", 0)
}
