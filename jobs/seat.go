package jobs

import (
	"runtime"
	"sync/atomic"
	"time"
)

// seat is a place from which jobs are run and scheduled. Seats 1 to workers-1
// belong to the pool's goroutines; the others are taken for the length of a
// call by goroutines from outside. Who holds a seat is the only one to touch
// its plain fields.
type seat struct {
	_     [64]byte // seats do not share cache lines
	pool  *Pool
	index int
	deque deque

	_      [128]byte   // two lines: CPUs fetch them in pairs
	tiny   atomic.Bool // the jobs here are not worth stealing, as a rule
	_      [127]byte
	desk   atomic.Pointer[slot] // a job that was queued while nothing lay here, or its slot
	holder atomic.Uintptr       // the goroutine that sits here; 0 is nobody

	nested    int     // calls on the holder's stack that hold the seat
	slots     []*slot // free ones
	freeEdge  uint32
	freeEdges int
	spare     int           // by how many bits a worker keeps fewer of them than a caller
	last      Handle        // the last job that was queued here
	tail      Handle        // the end of the line behind it, perhaps itself
	told      time.Duration // when others were told of the last job, if any slept; else 0
	kinds     kindCache
	opened    opened // the last loop that was opened here, if it is on trial and was timed
	ran       uint64 // jobs and parts of loops that were run
	inlined   uint64 // loops that were run alone
	begun     int    // jobs submitted here
	ended     int    // jobs completed here
	permit    bool   // the worker may run background jobs now
	outside   bool   // it is a caller's, not a worker's
	often     uint64 // jobs are timed whose number has none of these bits; 0 if all run apart, too: see wary
	ending    ending // why the jobs of the stack end, while they do

	tasks    []*Task // one for each job on the holder's stack
	depth    int
	sitting  []*Task  // one for each Sit of the holder
	guests   int      // of those in use
	steps    []step   // what the walks on the stack have still to look at
	waits    []uint32 // edges of the waits on the stack; see linkWait
	pass     uint64   // number of walks so far
	rng      uint64
	looks    []look // by seat: what was seen in its deque
	searched bool   // the worker was counted as one that looks for work, and has not passed on since
	moved    bool   // the worker has taken jobs from another seat's deque into its own
	woken    bool   // the worker has slept and not found anything to do since
	unripe   bool   // the last search has left a job alone: see ripe

	bed      bed
	wokenAt  atomic.Int64           // by clock; 0 is not
	events   atomic.Pointer[events] // nil unless the pool records: Pool.Record writes it, and whoever works here reads it
	counters counters
	_        [64]byte
}

func newSeat(p *Pool, index int) *seat {
	s := &seat{
		pool:  p,
		index: index,
		rng:   (p.seed+uint64(index))*0x9e3779b97f4a7c15 | 1,
		bed:   p.newBed(),
		often: sampleBits,

		outside: index == 0 || index >= p.workers,
	}
	if !s.outside {
		s.spare = 3
	}
	if p.level == Panic {
		s.often = 0
	}
	s.events.Store(newEvents(p.record))
	s.deque.init()
	return s
}

// unknownGoroutine stands for the holder where goroutines cannot be told apart.
const unknownGoroutine = 1

// countReader is the holder of a seat while somebody reads its counts; see flush.
const countReader = 2

// enter finds a seat for the calling goroutine: the one it sits on already,
// because it runs a job there, or the lowest free one.
func (p *Pool) enter() *seat {
	g := goroutine()
	if g == 0 {
		return p.takeSeat(unknownGoroutine)
	}
	if s := p.staff.find(g); s != nil {
		s.nested++
		return s
	}
	for _, s := range (*p.seats.Load())[p.workers:] { // before a look at the first seat, which may be free
		if s.holder.Load() == g {
			s.nested++
			return s
		}
	}
	if s := p.front; s.holder.CompareAndSwap(0, g) {
		s.nested = 1
		return s
	} else if s.holder.Load() == g {
		s.nested++
		return s
	}
	return p.takeSeat(g)
}

// takeSeat takes a free seat, and makes one if there is none.
func (p *Pool) takeSeat(g uintptr) *seat {
	if p.front.take(g) {
		return p.front
	}
	for {
		seats := *p.seats.Load()
		for _, s := range seats[p.workers:] {
			if s.take(g) {
				return s
			}
		}
		p.mu.Lock()
		if now := *p.seats.Load(); len(now) == len(seats) { // nobody else has made one
			grown := make([]*seat, len(seats)+1)
			copy(grown, seats)
			grown[len(seats)] = newSeat(p, len(seats))
			p.seats.Store(&grown)
		}
		p.mu.Unlock()
	}
}

// take takes a seat if nobody holds it. That its counts are being read is waited for:
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
		s.holder.Store(0)
	}
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
	t.slot, t.ok, t.past, t.blocks, t.needs, t.sweepAt = sl, false, false, 0, 0, 0
	t.begin(0, 0)
	return t
}

// pop ends the topmost task.
func (s *seat) pop() {
	s.depth--
	t := s.tasks[s.depth]
	t.slot, t.access = nil, nil
}

// random is a step of xorshift64*.
func (s *seat) random() uint64 {
	x := s.rng
	x ^= x >> 12
	x ^= x << 25
	x ^= x >> 27
	s.rng = x
	return x * 0x2545f4914f6cdd1d
}
