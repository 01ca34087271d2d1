package jobs

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/lanewise/lanewise/jobs/internal/park"
	"github.com/lanewise/lanewise/jobs/profile"
)

// Pool is a set of workers and the jobs scheduled on them. Any number of
// goroutines may use it at a time.
//
// Its exported methods are what users call, each beside what it does, so they stand in
// many files; what is inside is cut by idea, below and in seat.
type Pool struct {
	config
	front    *seat                   // seat 0: the first caller's; from New on
	registry registry                // the workers' seats by their goroutines
	self     weak.Pointer[Pool]      // from New on
	seats    atomic.Pointer[[]*seat] // the workers', then those of callers: a new list is stored under mu and only grows; read anywhere
	life
	live    *liveList      // of a pool that is watched; from New on
	scopes  atomic.Int32   // that are open: added by Begin and End, read by idle workers, to stay awake longer
	profile profile.Source // for those who look
	loopTable
	lot      park.Lot // the workers: which sleep, which search
	waiters  park.Waiters[Handle]
	sentinel sentinel
	machine  park.Machine
	backgroundQueue
	owners owners
	goroutineSets
	mu     sync.Mutex  // seats, registry
	abroad atomic.Bool // a job here was scheduled behind one of another pool: set before it can be seen, and never taken back
	store  store
	spares sync.Map // reflect.Type of A to *spareList[A]
}

// config is what options choose. It does not change after New.
type config struct {
	workers    int
	level      Level
	pauses     uint32 // rounds of pause between two probes
	seed       uint64 // shuffles which worker steals from which: tests choose it
	newParker  func() park.Parker
	hook       func(s *seat, where string) // of a test that chooses which goroutine goes on; nil
	stuck      func(LiveJobs)
	stuckAfter time.Duration
	forever    bool // it is the default pool
}

// life is how far the pool is from its end.
type life struct {
	taking atomic.Bool   // jobs: stored by New, taken back by Close when all has ended; read by all that schedule
	closed atomic.Bool   // Close was called: swapped by it before it wakes all; read by workers before they sleep and after
	ended  chan struct{} // closed by Close
	closer *Task         // what the job of another pool that calls Close needs: see await.close; under circles
}

// loopTable is the loops of the pool.
type loopTable struct {
	// open has a bit for each loop that can be joined, by the place of its priority. The opener
	// sets it before it opens the loop, the worker that closes the loop takes it away, and idle workers
	// look at it all the time. A bit may be old: joining decides.
	_    [64]byte
	open [priorities]atomic.Uint64
	_    [64 - 8*priorities]byte

	high lane // jobs of priority High, at which idle workers look too

	// loops are made once, by the goroutine that has taken the bit in usedLoops, before open shows them.
	loops [maxLoops]atomic.Pointer[loop]

	// usedLoops has a bit for each loop in use: set by compare-and-swap by the opener,
	// taken back by the goroutine that ends it, after the last use.
	_         [64]byte
	usedLoops atomic.Uint64
	_         [56]byte
}

// backgroundQueue is jobs of priority Background and the permits to begin them.
type backgroundQueue struct {
	background lane
	permits    atomic.Int32 // workers that may: each takes one and adds it again; a look without taking may be old
}

// goroutineSets are the goroutines that work for the pool.
type goroutineSets struct {
	externals  goroutineSet // those of external jobs
	goroutines goroutineSet // the workers and the watchdog
}

// store is the memory of slots, which seats take and give back in batches.
type store struct {
	pool  *Pool // whose jobs they are for
	mu    sync.Mutex
	slots []*slot // free ones; under mu
	slabs []weak.Pointer[[slotSlab]slot]
}

// Workers is the number of workers, the waiting caller among them.
func (p *Pool) Workers() int { return p.workers }

// String counts the workers: package fmt prints it, and not the fields, which workers write.
func (p *Pool) String() string {
	if p == nil || p.front == nil {
		return "the zero Pool"
	}
	return fmt.Sprintf("pool of %d workers", p.workers)
}

// made panics if the pool is a zero one.
func (p *Pool) made(fn string) {
	if p.front == nil {
		panic("jobs: " + fn + ": the pool is a zero Pool: make one with jobs.New")
	}
}

// at is where a goroutine may be held up while others go on, for as long as anything:
// TestWaits tries what comes of it. It stands where that matters and costs nothing, on
// the way to sleep and where others are called or robbed; hot is for the other places
// and is nothing but with the tag lanewise_model. The seat is nil where it is not known.
func (p *Pool) at(s *seat, where string) {
	if p.hook != nil {
		p.hook(s, where)
	}
}

const hasEnded = "has ended" // and is not held up

func (p *Pool) hot(s *seat, where string) {
	if modelled {
		p.at(s, where)
	}
}

// sentinel says whether there is one. Both are swapped where a look at the other, or at
// what is queued, follows.
type sentinel struct {
	wanted atomic.Bool // set by a seat that leaves a small job, taken back by the sentinel, and by a seat that passes on
	there  atomic.Bool // set by the worker that becomes it, taken back by the same
}

// owners holds the ready jobs that belong to one goroutine, of one pool.
type owners struct {
	size atomic.Int32 // of list: stored under mu, before the owner is woken; read without
	mu   sync.Mutex
	list []*slot
}

// openLoops are the loops of a priority that can be joined.
func (t *loopTable) openLoops(pr Priority) uint64 { return t.open[pr.place()].Load() }

// hasOpen reports whether there is a loop that every worker may join.
func (t *loopTable) hasOpen() bool { return t.openLoops(High)|t.openLoops(Normal) != 0 }
