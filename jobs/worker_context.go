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
type seat struct {
	_     [64]byte // seats do not share cache lines
	pool  *Pool
	index int
	queues
	number uint32 // tells the seats of all pools apart, for the marks of walks
	nested int    // calls on the holder's stack that hold the seat
	memory
	measures
	opened  opened // the last loop that was opened here, if it is on trial and was timed
	permit  bool   // the worker may run background jobs now
	outside bool   // it is a caller's, not a worker's
	stack
	thief
	parker   park.Parker     // where the holder sleeps
	profile  *profile.Worker // what tools see of it
	counters counters
	_        [64]byte
}

// queues is what was queued here and not run yet, and the holder.
type queues struct {
	deque deque

	// tiny says that the jobs here are not worth stealing, as a rule. The holder stores it
	// when that changes, thieves load it often; an old value costs them a look.
	_    [128]byte // two lines: CPUs fetch them in pairs
	tiny atomic.Bool
	_    [127]byte

	// runnext is a job that was queued while nothing lay here, or the slot of one that was:
	// a hint. The holder swaps it after the job is ready; thieves load it, and claim.
	runnext atomic.Pointer[slot]

	// holder is the goroutine that sits here, 0 is none, or unknownGoroutine if it was too slow to
	// find out: then no body runs here. It is taken by compare-and-swap
	// and given back by a store, which orders all plain fields of the seat.
	holder atomic.Uintptr

	last Handle        // the last job that was queued here
	tail Handle        // the end of the line behind it, perhaps itself
	told time.Duration // when others were told of the last job, if any slept; else 0
}

// memory is slots and edges that are free.
type memory struct {
	store     *store // where more are
	slots     []*slot
	freeEdge  uint32
	freeEdges int
	spare     int // by how many bits a worker keeps fewer of them than a caller
}

// measures is what is known of the jobs that ran here.
type measures struct {
	kinds   kindCache
	began   time.Duration // of the last loop that was tried here
	lasts   time.Duration // that it was believed to take
	ran     uint64        // jobs and parts of loops that were run
	inlined uint64        // loops that were run alone
	begun   int           // jobs submitted here
	ended   int           // jobs completed here
	often   uint64        // jobs are timed whose number has none of these bits; 0 if all run apart, too: see mustIsolate
}

// stack is what lies on the holder's stack.
type stack struct {
	tasks   []*Task // one for each job
	depth   int
	sitting []*Task  // one for each Sit
	guests  int      // of those in use
	noted   bool     // the seat is counted in blocksRun
	height  uint64   // at least that of all tasks of other pools that are below on the holder's stack; see raise
	steps   []step   // what the walks have still to look at
	waits   []uint32 // edges of the waits; see await.link
	pass    uint64   // number of walks so far
	met     []*Pool  // other pools in which the goroutine is registered as a waiter; see await.sleep
	ending  ending   // why its jobs end, while they do
}

// seatsMade is how many seats there have been in all pools.
var seatsMade atomic.Uint32

func newSeat(p *Pool, index int) *seat {
	s := &seat{
		pool:    p,
		index:   index,
		number:  seatsMade.Add(1),
		parker:  p.newParker(),
		outside: index == 0 || index >= p.workers,
		memory:  memory{store: &p.store},
	}
	s.rng, s.often = (p.seed+uint64(index))*0x9e3779b97f4a7c15|1, sampleBits
	if !s.outside {
		s.spare = 3
	}
	if p.level == Panic {
		s.often = 0
	}
	s.profile = p.profile.NewWorker(index, s.outside)
	s.deque.init()
	return s
}

// push begins a task for a job on the seat's stack.
func (s *seat) push(sl *slot) *Task {
	if s.depth == len(s.tasks) {
		s.tasks = append(s.tasks, &Task{seat: s})
	}
	t := s.tasks[s.depth]
	s.depth++
	s.ran++
	if s.ran%64 == 0 {
		s.publish()
	}
	t.slot, t.ok, t.bodyEnded, t.blocks, t.needs, t.sweepAt = sl, false, false, 0, 0, 0
	t.height = s.height + 1
	t.begin(0, 0)
	return t
}

// pop ends the topmost task.
func (st *stack) pop() {
	st.depth--
	t := st.tasks[st.depth]
	t.slot = nil
}

// ending is a call of runtime.Goexit that is ending the jobs of a stack.
type ending struct {
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
func count(c *atomic.Uint64) { c.Store(c.Load() + 1) }

// publish makes the counts known that are kept in plain fields.
func (s *seat) publish() {
	s.counters.jobs.Store(s.ran)
	s.counters.begun.Store(uint64(s.begun))
	s.counters.inline.Store(s.inlined)
}

// take takes a seat if it is free. That its counts are being read is waited for:
// else a caller would get another seat, with an index that Task.Worker excludes.
func (s *seat) take(g uintptr) bool {
	for !s.holder.CompareAndSwap(0, g) {
		switch s.holder.Load() {
		case 0: // just now
		case countReader:
			runtime.Gosched()
		default:
			return false
		}
	}
	s.nested = 1
	return true
}

// leave undoes one enter.
func (s *seat) leave() {
	s.nested--
	if s.nested == 0 {
		s.hasNoBlock()
		s.holder.Store(0)
	}
}

// flush publishes the counts of a seat that is free, or that is the calling
// goroutine's own.
func (s *seat) flush() {
	if s.holder.CompareAndSwap(0, countReader) {
		s.publish()
		s.holder.Store(0)
	} else if g := goroutine(); g != 0 && s.holder.Load() == g {
		s.publish()
	}
}

// rest sleeps until the seat is woken, or for a time if that is not 0.
func (s *seat) rest(limit time.Duration) {
	count(&s.counters.sleeps)
	s.publish()
	asleep := s.profile.Begin(nil)
	s.parker.Park(limit)
	asleep.End("", 0)
}
