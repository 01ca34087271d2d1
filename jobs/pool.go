package jobs

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/lanewise/lanewise/internal/fpmode"
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
	firstContext *workerContext                   // seat 0: the first caller's; from New on
	registry     workerRegistry                   // the workers' seats by their goroutines
	self         weak.Pointer[Pool]               // from New on
	contexts     atomic.Pointer[[]*workerContext] // the workers', then those of callers: a new list is stored under mu and only grows; read anywhere

	// How far the pool is from its end.
	accepting atomic.Bool   // jobs: stored by New, taken back by Close when all has ended; read by all that schedule
	closed    atomic.Bool   // Close was called: swapped by it before it wakes all; read by workers before they sleep and after
	done      chan struct{} // closed by Close
	closer    *Task         // what the job of another pool that calls Close needs: see await.close; under circles

	live       *liveList      // of a pool that is watched; from New on
	scopes     atomic.Int32   // that are open: added by Begin and End, read by idle workers, to stay awake longer
	profile    profile.Source // for those who look
	loops      loopTable
	lot        park.Lot // the workers: which sleep, which search
	waiters    park.Waiters[Handle]
	sentinel   sentinelState
	machine    park.Machine
	background backgroundQueue
	owners     ownedJobs
	externals  goroutineSet // the goroutines of external jobs
	goroutines goroutineSet // the workers and the watchdog
	mu         sync.Mutex   // seats, registry
	crossPool  atomic.Bool  // a job here was scheduled behind one of another pool: set before it can be seen, and never taken back
	nodes      nodeStore
	spares     sync.Map // reflect.Type of A to *spareList[A]
}

// config is what options choose. It does not change after New.
type config struct {
	workers     int
	level       Level
	pauseRounds uint32 // rounds of pause between two probes
	seed        uint64 // shuffles which worker steals from which: tests choose it
	newParker   func() park.Parker
	hook        func(wc *workerContext, where string) // of a test that chooses which goroutine goes on; nil
	onStuck     func(LiveJobs)
	stuckAfter  time.Duration
	isDefault   bool // it is the default pool
}

// New starts a pool. Close it when it is no longer needed.
//
// It panics if a thread of the process takes subnormal numbers for zero, or does not round to the nearest: a C library that was
// built with -ffast-math does that to the program that loads it, and results would not have the same bits as elsewhere. New
// does not see a library that is loaded later.
func New(opts ...Option) *Pool {
	if err := fpmode.Check(); err != nil {
		panic("jobs: New: " + err.Error())
	}
	p := &Pool{config: config{workers: runtime.GOMAXPROCS(0), seed: 1, newParker: park.NewChan, pauseRounds: pauseRounds()}}
	for i, opt := range opts {
		if opt == nil {
			panic(fmt.Sprintf("jobs: New: option %d is nil", i))
		}
		opt(p)
	}
	p.goroutines.onLeave, p.externals.onLeave = p.wakeCloser, p.wakeCloser
	p.done = make(chan struct{})
	p.nodes.pool = p
	p.profile.Init(p.workers)
	if p.onStuck != nil || p.level == Panic {
		p.live = &liveList{sites: p.level == Panic, jobs: map[*jobNode]*liveEntry{}}
	}
	p.background.permits.Store(int32(max(1, (p.workers-1)/4)))
	p.registry = newWorkerRegistry(p.workers)
	p.machine.Look()
	var hook func(where string) // at for what wakes workers
	if p.hook != nil {
		hook = func(where string) { p.hook(nil, where) }
	}
	p.lot.Init(p.workers, hook)
	seats := make([]*workerContext, p.workers)
	for i := range seats {
		seats[i] = newWorkerContext(p, i)
		p.lot.Seat(i, seats[i].parker)
	}
	p.firstContext = seats[0]
	p.contexts.Store(&seats)
	p.accepting.Store(true)
	registerPool(p)
	for _, wc := range seats[1:] {
		p.goroutines.expectOne()
		go wc.runWorker()
	}
	if p.onStuck != nil {
		p.goroutines.expectOne()
		go new(watchdog).watchPool(p)
	}
	return p
}

var defaultPool = sync.OnceValue(newDefault)

func newDefault() *Pool { return New(func(p *Pool) { p.isDefault = true }) }

// Default is the pool of the process: GOMAXPROCS workers, never closed. To close it
// panics: others use it too.
func Default() *Pool { return defaultPool() }

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

// Futex makes idle workers sleep in a Linux futex call instead of on a Go
// channel; elsewhere it changes nothing. A worker that sleeps there starts several
// times sooner, and the waker need not yield, but the runtime takes a while to
// see that the processor of a sleeping worker is free.
func Futex() Option { return func(p *Pool) { p.newParker = park.NewFutex } }

// Safety sets how much the pool checks. It panics if there is no such level.
func Safety(level Level) Option {
	level.check()
	return func(p *Pool) { p.level = level }
}

// Watchdog calls stuck, on a goroutine of its own, when for the given time
// there have been live jobs and none has begun or ended; and again each time
// that this goes on for as long. The list tells what waits for what; it can
// write itself as text.
func Watchdog(limit time.Duration, stuck func(LiveJobs)) Option {
	return func(p *Pool) { p.stuckAfter, p.onStuck = limit, stuck }
}

// Level says how much a pool checks.
type Level int

const (
	// Check finds conflicting jobs and leaked jobs and returns them as errors. It is the default.
	Check Level = iota
	// Off checks nothing but what is needed to go on.
	Off
	// Panic panics at once where Check would return an error, except for
	// Scope.End, and remembers where each job was scheduled. What a wait runs it
	// runs on a goroutine of its own, which a test that fails there may end. It is
	// for tests.
	Panic
)

var levelNames = [...]string{Check: "Check", Off: "Off", Panic: "Panic"}

// check panics if there is no such level.
func (l Level) check() {
	if int(l) < 0 || int(l) >= len(levelNames) {
		panic(fmt.Sprintf("jobs: Safety: level is %d: there are %s", l, strings.Join(levelNames[:], ", ")))
	}
}

// Workers is the number of workers, the waiting caller among them.
func (p *Pool) Workers() int { return p.workers }

// String counts the workers: package fmt prints it, and not the fields, which workers write.
func (p *Pool) String() string {
	if p == nil || p.firstContext == nil {
		return "the zero Pool"
	}
	return fmt.Sprintf("pool of %d workers", p.workers)
}

// made panics if the pool is a zero one.
func (p *Pool) requireMade(fn string) {
	if p.firstContext == nil {
		panic("jobs: " + fn + ": the pool is a zero Pool: make one with jobs.New")
	}
}

// at is where a goroutine may be held up while others go on, for as long as anything:
// TestWaits tries what comes of it. It stands where that matters and costs nothing, on
// the way to sleep and where others are called or robbed; hot is for the other places
// and is nothing but with the tag lanewise_model. The seat is nil where it is not known.
func (p *Pool) hookAt(wc *workerContext, where string) {
	if p.hook != nil {
		p.hook(wc, where)
	}
}

const goroutineEnded = "has ended" // and is not held up

func (p *Pool) hookHot(wc *workerContext, where string) {
	if modelled {
		p.hookAt(wc, where)
	}
}

// Close runs what can still be run, also what belongs to the calling goroutine, and
// stops the workers. It returns a *LeakError if there are jobs that can not: they
// wait for a goroutine that does not wait for them, or for a job of another pool. It returns
// when the workers and the external jobs have ended: one that waits for what belongs
// to another goroutine holds it up until that comes. A job that another goroutine
// runs while it waits goes on, and ends before that wait does.
//
// From then on whatever schedules on the pool panics, but not in jobs that still run;
// handles can be waited for and combined as before. Other goroutines should have
// stopped to schedule when Close is called: what comes while it returns may be taken
// and never run. To close a closed pool does nothing. Close panics in a job of the
// pool, and in its watchdog: it would wait for itself.
//
// A job of another pool may call Close. If a job of this pool waits for that job, neither could end, so one of the two
// calls returns a *DeadlockError that names both jobs: the wait, and then Close goes on; or Close, for example if
// two jobs close the pools of each other. After that error the pool takes no more jobs and its workers end when they
// have nothing to do, but Close has not waited for them.
func (p *Pool) Close() error {
	p.requireMade("Pool.Close")
	if p.isDefault {
		panic("jobs: Pool.Close: the default pool is never closed, for others use it too: close pools that jobs.New has made")
	}
	if p.closed.Load() {
		return nil
	}
	wc := p.acquireToRun()
	defer wc.release()
	abroad := wc.insideForeignJob()
	if !abroad && (wc.stack.depth > 0 || p.goroutines.hasCaller() || p.externals.hasCaller()) {
		panic("jobs: Pool.Close: called by a job or the watchdog of the pool, for which it would wait")
	}
	if p.closed.Swap(true) {
		return nil
	}
	updateLivePools(nil, nil) // if jobs are left this pool stays in the list, but is not held there
	close(p.done)
	for p.lot.WakeOne() {
	}
	var pw *pendingWait
	if abroad {
		pw = &pendingWait{ctx: wc}
		pw.beginClose()
	}
	if err := p.waitForAll(wc, pw); err != nil {
		return err
	}
	if err := p.findLeak(wc); err != nil && p.level == Panic {
		panic(err)
	} else if err != nil {
		return err
	}
	return nil
}

// Closed reports whether p was closed, so that to schedule on it panics: for callers that
// can do without workers.
func Closed(p *Pool) bool {
	p.requireMade("Closed")
	return !p.accepting.Load()
}

// drain waits for all that still runs, also if a job that belongs to the calling
// goroutine ends that. Inside a job of another pool, for which a waits, it returns an error if that can never end.
func (p *Pool) waitForAll(wc *workerContext, pw *pendingWait) error {
	often, over := wc.timing.timingMask, false
	wc.timing.timingMask = 0 // no other job may
	defer func() {
		wc.timing.timingMask = often
		if !over {
			_ = p.waitForAll(wc, pw)
		}
	}()
	err := p.goroutines.waitUntilGone(wc, pw, func() bool { return runOwnedEverywhere(wc) > 0 }) // a worker may wait for that
	if err == nil {
		err = p.externals.waitUntilGone(wc, pw, wc.serveOnce)
	}
	p.accepting.Store(false)
	if err == nil {
		if pw != nil {
			pw.endClose()
		}
		p.returnAllEdges(wc)
	}
	over = true
	return err
}

// wait waits until all of a set have left and there is nothing to do; until then it does
// what there is.
func (c *goroutineSet) waitUntilGone(wc *workerContext, pw *pendingWait, do func() bool) error {
	for {
		gone := c.allGone() // before the look: one that leaves may have made something ready
		if do() {
			continue
		}
		if pw != nil {
			pw.linkClosers()
			if err := pw.confirmDeadlock(); err != nil {
				return err
			}
		}
		if gone {
			return nil
		}
		c.sleepUntilGone(wc, pw, do)
	}
}

// sleep sleeps like a wait, for what only the end of the set or something
// that has become ready may end; but not if there is one of them.
func (c *goroutineSet) sleepUntilGone(wc *workerContext, pw *pendingWait, do func() bool) {
	wc.pool.hookAt(wc, "is about to sleep until all have left")
	wc.pool.waiters.Add(wc.parker, Handle{}, wc.stack.depth > 0)
	wc.pool.hookAt(wc, "is registered until all have left")
	defer wc.pool.waiters.Remove(wc.parker, Handle{}) // also if a job that is run here ends the goroutine
	if !c.allGone() && !do() && (pw == nil || !pw.hasNewClosers()) {
		wc.park(0)
	}
}

// tellCloser wakes the goroutine that closes the pool, if one does.
func (p *Pool) wakeCloser() {
	if p.closed.Load() { // else it has yet to look whether all are gone
		p.waiters.WakeAll()
	}
}

// giveBack returns the edges that the seats of a closed pool keep: the table of
// edges is that of the process. A seat that is held keeps its own.
func (p *Pool) returnAllEdges(wc *workerContext) {
	for _, other := range *p.contexts.Load() {
		caller := other != wc && (other.index == 0 || other.index >= p.workers)
		if caller && !other.tryAcquire(unknownGoroutine) {
			continue
		}
		other.free.returnEdges(0)
		if caller {
			other.queue.holder.Store(0)
		}
	}
}

// leak reports the jobs that are not done although nothing runs any more. Where there is none, nothing
// will ever run on the pool again.
func (p *Pool) findLeak(wc *workerContext) error {
	if all := p.Live(); len(all) > 0 && p.level != Off {
		return &LeakError{Job: all[0].Name, Count: len(all), Site: all[0].Site}
	}
	p.mu.Lock() // no new seats
	defer p.mu.Unlock()
	unfinished := 0
	for _, other := range *p.contexts.Load() {
		if other != wc && (other.index == 0 || other.index >= p.workers) {
			if !other.tryAcquire(unknownGoroutine) {
				return nil // a goroutine uses the closed pool: its count cannot be read
			}
			defer other.queue.holder.Store(0)
		}
		unfinished += other.timing.submitted - other.timing.completed
	}
	switch {
	case unfinished == 0:
		unregisterPool(p)
	case p.level != Off:
		return &LeakError{Job: p.nodes.unfinishedJob(), Count: unfinished}
	}
	return nil
}
