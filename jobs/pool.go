package jobs

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"weak"
)

// Pool is a set of workers and the jobs scheduled on them. Any number of
// goroutines may use it at a time.
type Pool struct {
	// What does not change, or hardly ever.
	workers    int
	front      *seat // seat 0: the first caller's
	staff      staff
	seats      atomic.Pointer[[]*seat] // the workers', then those of callers; only grows
	book       *book                   // of a pool that is watched
	taking     atomic.Bool             // jobs: from New on until Close is through
	watched    atomic.Bool             // labels or record: written by New and Pool.Record, read wherever a job begins
	labels     bool                    // see Labels
	level      Level
	record     int           // see Record; changed under mu
	pauses     uint32        // rounds of pause between two probes
	spin       time.Duration // see Spin
	seed       uint64
	newBed     func() bed
	hook       func(s *seat, where string) // of a test that chooses who goes on; nil
	stuck      func(LiveJobs)
	stuckAfter time.Duration
	ended      chan struct{} // closed by Close
	closed     atomic.Bool   // Close was called
	forever    bool          // it is the default pool
	scopes     atomic.Int32  // that are open
	processors atomic.Int32  // GOMAXPROCS when it was last looked up

	// What idle workers look at all the time.
	_     [64]byte
	open  [3]atomic.Uint64 // loops that can be joined, by priority-Background
	_     [40]byte
	high  lane
	loops [maxLoops]atomic.Pointer[loop]

	_         [64]byte
	usedLoops atomic.Uint64

	// Who is awake.
	_           [56]byte
	searching   atomic.Int32    // workers that look for work
	parkedCount atomic.Int32    // workers asleep
	asleep      atomic.Int32    // waiting goroutines asleep
	inside      atomic.Int32    // of these, those that wait inside jobs
	wanted      atomic.Bool     // a sentinel is wanted
	sentinel    atomic.Bool     // there is one
	parked      []atomic.Uint64 // which workers are asleep

	_           [64]byte
	crowded     atomic.Int32 // signs that others use the machine; see notice
	crowdedAt   atomic.Int64 // when there was one, or one was forgotten, by clock
	wakeCall    atomic.Int64 // what it costs to wake a worker, in ns
	wakeLatency atomic.Int64 // and how long it then takes until that runs
	wakes       atomic.Uint64
	owed        atomic.Int64 // ns of work that woke nobody
	owedAt      atomic.Int64

	background lane
	permits    atomic.Int32 // workers that may begin background jobs
	owners     owners
	aparts     aparts
	externals  crew
	staffed    crew // the workers and the watchdog

	mu       sync.Mutex // seats
	circles  sync.Mutex // held to end a wait of which others may know; see giveUp
	sleepMu  sync.Mutex
	sleepers []sleeper
	slotsMu  sync.Mutex
	slots    []*slot // free ones
	slabs    []weak.Pointer[[slotSlab]slot]
	spares   sync.Map // reflect.Type of A to *spareList[A]
}

// Option is a choice made when a pool is made.
type Option func(*Pool)

// Workers sets the number of workers, the waiting caller among them:
// Workers(1) starts no goroutine. The default is GOMAXPROCS. It panics if n is
// less than one.
func Workers(n int) Option {
	if n < 1 {
		panic(fmt.Sprintf("jobs: Workers: n is %d: it counts the caller too, so 1 is the least; without the option there is one for each CPU", n))
	}
	return func(p *Pool) { p.workers = n }
}

// Seed shuffles who steals from whom. No result depends on it: that is what
// tests use it for.
func Seed(n uint64) Option { return func(p *Pool) { p.seed = n } }

// New starts a pool. Close it when it is no longer needed.
func New(opts ...Option) *Pool {
	p := &Pool{workers: runtime.GOMAXPROCS(0), seed: 1, newBed: newChanBed, pauses: pauseRounds(), spin: 100 * time.Microsecond}
	p.wakeCall.Store(int64(guessedCall))
	p.wakeLatency.Store(int64(guessedLatency))
	p.lookAround()
	for _, opt := range opts {
		opt(p)
	}
	p.staffed.left, p.externals.left = p.tellCloser, p.tellCloser
	p.watched.Store(p.labels || p.record > 0)
	p.ended = make(chan struct{})
	if p.stuck != nil || p.level == Panic {
		p.book = &book{jobs: map[*slot]*entry{}}
	}
	p.permits.Store(int32(max(1, (p.workers-1)/4)))
	p.staff = newStaff(p.workers)
	p.parked = make([]atomic.Uint64, (p.workers+63)/64)
	seats := make([]*seat, p.workers)
	for i := range seats {
		seats[i] = newSeat(p, i)
	}
	p.front = seats[0]
	p.seats.Store(&seats)
	p.taking.Store(true)
	for _, s := range seats[1:] {
		p.staffed.call()
		go p.work(s)
	}
	if p.stuck != nil {
		p.staffed.call()
		go p.keepWatch()
	}
	return p
}

var defaultPool = sync.OnceValue(newDefault)

func newDefault() *Pool { return New(func(p *Pool) { p.forever = true }) }

// Default is the pool of the process: GOMAXPROCS workers, never closed. To close it
// panics: others use it too.
func Default() *Pool { return defaultPool() }

// Workers is the number of workers, the waiting caller among them.
func (p *Pool) Workers() int { return p.workers }

// made panics if the pool is a zero one.
func (p *Pool) made(fn string) {
	if p.front == nil {
		panic("jobs: " + fn + ": the pool is a zero Pool: make one with jobs.New")
	}
}

// check panics if the pool takes no jobs.
func (p *Pool) check(fn string) {
	if !p.taking.Load() {
		p.refuse(fn)
	}
}

// refuse panics, but not in a job that a waiting goroutine runs: that shall end as if
// the pool was not closed.
func (p *Pool) refuse(fn string) {
	p.made(fn)
	if t, _ := p.Current(); t == nil {
		panic("jobs: " + fn + ": the pool is closed: schedule before Close, or on another pool")
	}
}

// lookAround refreshes what the pool knows of the machine.
func (p *Pool) lookAround() {
	if p.hook == nil {
		p.processors.Store(int32(runtime.GOMAXPROCS(0)))
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

// Close runs what can still be run, also what belongs to the calling goroutine, and
// stops the workers. It returns a *LeakError if there are jobs that can not: they
// wait for a goroutine that does not wait for them, or for another pool. It returns
// when the workers and the external jobs have ended: one that waits for what belongs
// to another goroutine holds it up until that comes. A job that another goroutine
// runs while it waits goes on, and ends before that wait does.
//
// From then on whatever schedules on the pool panics, but not in jobs that still run;
// handles can be waited for and combined as before. Other goroutines should have
// stopped to schedule when Close is called: what comes while it returns may be taken
// and never run. To close a closed pool does nothing. Close panics in a job of the
// pool, and in its watchdog: it would wait for itself. Where goroutines cannot be told
// apart (see Current) it does not notice a job that a waiting goroutine runs.
func (p *Pool) Close() error {
	p.made("Pool.Close")
	if p.forever {
		panic("jobs: Pool.Close: the default pool is never closed, for others use it too: close pools that jobs.New has made")
	}
	if p.closed.Load() {
		return nil
	}
	if t, _ := p.Current(); t != nil || p.staffed.has() || p.externals.has() {
		panic("jobs: Pool.Close: called by a job or the watchdog of the pool, for which it would wait")
	}
	if p.closed.Swap(true) {
		return nil
	}
	close(p.ended)
	for p.wakeOne() {
	}
	s := p.enter()
	defer s.leave()
	p.windUp(s)
	if err := p.leak(s); err != nil && p.level == Panic {
		panic(err)
	} else if err != nil {
		return err
	}
	return nil
}

// windUp waits for all that still runs, also if a job that belongs to the calling
// goroutine ends that.
func (p *Pool) windUp(s *seat) {
	often, over := s.often, false
	s.often = 0 // no other job may
	defer func() {
		s.often = often
		if !over {
			p.windUp(s)
		}
	}()
	s.outlast(&p.staffed, func() bool { return s.runOwned() > 0 }) // a worker may wait for that
	s.outlast(&p.externals, s.serve)
	p.taking.Store(false)
	p.giveBack(s)
	over = true
}

// outlast waits until a crew has left and there is nothing to do; until then it does
// what there is.
func (s *seat) outlast(c *crew, do func() bool) {
	for {
		gone := c.gone() // before the look: who leaves may have made something ready
		if do() {
			continue
		}
		if gone {
			return
		}
		s.napUnless(func() bool { return c.gone() || do() })
	}
}

// napUnless sleeps like one who waits, for what only the end of a crew or something
// that has become ready may end; but not if up returns true.
func (s *seat) napUnless(up func() bool) {
	s.pool.at(s, "is about to nap")
	s.lieDown(Handle{})
	s.pool.at(s, "has lain down to nap")
	defer s.wakeUp(Handle{}) // also if a job that is run here ends the goroutine
	if !up() {
		s.rest(0)
	}
}

// tellCloser wakes the goroutine that closes the pool, if one does.
func (p *Pool) tellCloser() {
	if p.closed.Load() { // else it has yet to look whether the crew is gone
		p.wakeSleepers()
	}
}

// giveBack returns the edges that the seats of a closed pool keep: the table of
// edges is that of the process. A seat that somebody uses keeps its own.
func (p *Pool) giveBack(s *seat) {
	for _, other := range *p.seats.Load() {
		caller := other != s && (other.index == 0 || other.index >= p.workers)
		if caller && !other.take(unknownGoroutine) {
			continue
		}
		other.returnEdges(0)
		if caller {
			other.holder.Store(0)
		}
	}
}

// leak reports the jobs that are not done although nothing runs any more.
func (p *Pool) leak(s *seat) error {
	if p.level == Off {
		return nil
	}
	if all := p.Live(); len(all) > 0 {
		return &LeakError{Job: all[0].Name, Count: len(all), Site: all[0].Site}
	}
	p.mu.Lock() // no new seats
	defer p.mu.Unlock()
	unfinished := 0
	for _, other := range *p.seats.Load() {
		if other != s && (other.index == 0 || other.index >= p.workers) {
			if !other.take(unknownGoroutine) {
				return nil // somebody uses the closed pool: its count cannot be read
			}
			defer other.holder.Store(0)
		}
		unfinished += other.begun - other.ended
	}
	if unfinished > 0 {
		return &LeakError{Job: p.unfinished(), Count: unfinished}
	}
	return nil
}

// unfinished is the name of a job that is not done, the oldest where slots were not
// used again. The caller holds all seats of a closed pool.
func (p *Pool) unfinished() string {
	p.slotsMu.Lock()
	defer p.slotsMu.Unlock()
	for _, w := range p.slabs {
		slab := w.Value()
		if slab == nil {
			continue
		}
		for i := range slab {
			if sl := &slab[slotSlab-1-i]; sl.shape != shapeNothing { // the last is used first
				return sl.kind.name
			}
		}
	}
	return "a job"
}
