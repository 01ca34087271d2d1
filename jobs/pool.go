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

// Pool is a set of workers and the jobs scheduled on them. Any number of goroutines may use it at
// the same time.
type Pool struct {
	config
	firstContext *workerContext                   // context 0, for the first caller; set by New
	registry     workerRegistry                   // maps a worker's goroutine to its context
	self         weak.Pointer[Pool]               // set by New
	contexts     atomic.Pointer[[]*workerContext] // the contexts of the workers, then those of callers; a new list is stored under mu and only grows; any goroutine may read it

	// The following fields change when the pool is created and when it is closed.
	accepting atomic.Bool   // set by New, cleared by Close when no job is left; everything that schedules reads it
	closed    atomic.Bool   // swapped by Close before it wakes all workers; workers read it before and after they sleep
	done      chan struct{} // closed by Close
	closer    *Task         // the job that stands for a call of Close from another pool's job, see pendingWait.beginClose; guarded by deadlockMu

	live           *liveList      // nil unless the pool has a watchdog or level Panic; set by New
	scopes         atomic.Int32   // number of open scopes; while it is not 0, idle workers stay awake longer
	profile        profile.Source // what package profile records of the workers
	loops          loopTable
	sleepers       park.Sleepers // which workers sleep, and how many search for work
	waiters        park.Waiters
	sentinel       sentinelState
	machine        park.Machine
	background     backgroundQueue
	owners         ownedJobs
	externals      goroutineSet // the goroutines of external jobs
	goroutines     goroutineSet // the goroutines of the workers and of the watchdog
	mu             sync.Mutex   // guards changes of contexts and registry
	crossPool      atomic.Bool  // whether a job of this pool was ever scheduled after one of another pool; set before other goroutines can see that job, and never cleared
	nodes          nodeStore
	reductionPools reductionPoolMap // maps the reflect.Type of A to a *reductionPool[A]; see Reduce
}

// config holds the settings that the options of New set. They do not change after New.
type config struct {
	workers     int
	level       Level
	pauseRounds uint32 // rounds of pause between two probes of a spinning worker
	seed        uint64 // decides which worker steals from which; tests set it
	newParker   func() park.Parker
	hook        func(wc *workerContext, where string) // of a test that chooses which goroutine goes on; nil otherwise
	onStuck     func(LiveJobs)
	stuckAfter  time.Duration
	isDefault   bool // this is the pool that Default returns
}

// New starts a pool. Call Close when the pool is no longer needed.
//
// New panics if a thread of the process flushes subnormal numbers to zero or does not round to
// nearest, because the results of such a thread would differ from the results of other threads and
// programs. For example, a C library built with -ffast-math changes these modes in the program that
// loads it. New does not notice a library that is loaded later.
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
	p.done, p.reductionPools = make(chan struct{}), new(sync.Map)
	p.nodes.pool = p
	p.profile.Init(p.workers)
	if p.onStuck != nil || p.level == Panic {
		p.live = &liveList{recordsSites: p.level == Panic, jobs: map[*jobNode]*liveEntry{}}
	}
	p.background.permits.Store(int32(max(1, (p.workers-1)/4)))
	p.registry = newWorkerRegistry(p.workers)
	p.machine.UpdateProcessors()
	var hook func(where string) // hookAt, for the functions that wake workers
	if p.hook != nil {
		hook = func(where string) { p.hook(nil, where) }
	}
	p.sleepers.Init(p.workers, hook)
	contexts := make([]*workerContext, p.workers)
	for i := range contexts {
		contexts[i] = newWorkerContext(p, i)
		p.sleepers.SetParker(i, contexts[i].parker)
	}
	p.firstContext = contexts[0]
	p.contexts.Store(&contexts)
	p.accepting.Store(true)
	registerPool(p)
	for _, wc := range contexts[1:] {
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

// Default returns the pool of the process. The default pool has GOMAXPROCS workers and is never
// closed. Closing the pool panics, because other packages use it too.
func Default() *Pool { return defaultPool() }

// Option changes a setting of a new pool.
type Option func(*Pool)

// Workers sets the number of workers. A caller that waits counts as one of the workers, so
// Workers(1) starts no goroutine. The default is GOMAXPROCS. It panics if n is less than one.
func Workers(n int) Option {
	if n < 1 {
		panic(fmt.Sprintf("jobs: Workers: n is %d: it counts the caller too, so 1 is the least; without the option there is one for each CPU", n))
	}
	return func(p *Pool) { p.workers = n }
}

// Futex makes idle workers sleep in a Linux futex call instead of on a Go channel. On other systems
// it has no effect. A worker that sleeps in a futex call starts several times sooner than with a
// channel, and the goroutine that wakes it need not yield. In exchange, the runtime takes a while
// to notice that the processor of a sleeping worker is free.
func Futex() Option { return func(p *Pool) { p.newParker = park.NewFutex } }

// Safety sets how much the pool checks. Safety panics if the level does not exist.
func Safety(level Level) Option {
	level.check()
	return func(p *Pool) { p.level = level }
}

// Watchdog calls the function stuck when jobs are live but none has begun or ended within the time
// limit. It calls stuck again each time that the limit passes once more. The calls run on a
// separate goroutine. The list that stuck receives says which job waits for which.
// LiveJobs.WriteText prints it.
func Watchdog(limit time.Duration, stuck func(LiveJobs)) Option {
	return func(p *Pool) { p.stuckAfter, p.onStuck = limit, stuck }
}

// Level says how much a pool checks. Each level checks everything that the
// levels before it check, in the order Off, Check, Panic.
type Level int

const (
	// Check finds conflicting jobs and leaked jobs and returns them as errors. It is the default.
	Check Level = iota
	// Off skips all checks that the pool does not need in order to work.
	Off
	// Panic panics at once where Check would return an error, except in Scope.End. It also
	// remembers where each job was scheduled. This level is for tests. A wait runs each job on a
	// separate goroutine, because a failing test may end the goroutine of its job.
	Panic
)

var levelNames = [...]string{Check: "Check", Off: "Off", Panic: "Panic"}

// check panics if the level does not exist.
func (l Level) check() {
	if int(l) < 0 || int(l) >= len(levelNames) {
		panic(fmt.Sprintf("jobs: Safety: level is %d: there are %s", l, strings.Join(levelNames[:], ", ")))
	}
}

// Workers returns the number of workers, including the goroutine that waits.
func (p *Pool) Workers() int { return p.workers }

// String names the pool and its number of workers. Without String, package fmt would print the
// fields while workers write them.
func (p *Pool) String() string {
	if p == nil || p.firstContext == nil {
		return "the zero Pool"
	}
	return fmt.Sprintf("pool of %d workers", p.workers)
}

// requireMade panics if the pool is a zero Pool.
func (p *Pool) requireMade(fn string) {
	if p.firstContext == nil {
		panic("jobs: " + fn + ": the pool is a zero Pool: make one with jobs.New")
	}
}

// hookAt marks a point at which a goroutine may be delayed for any time while other goroutines
// continue. TestWaits tries such delays. The pool calls hookAt at points where the order matters
// but speed does not: before a goroutine sleeps, and where a goroutine wakes or steals from another
// one. A second function, hookHot, marks the points where speed matters. Without the build tag
// lanewise_model it does nothing. The context is nil if the caller does not know it.
func (p *Pool) hookAt(wc *workerContext, where string) {
	if p.hook != nil {
		p.hook(wc, where)
	}
}

const goroutineEnded = "has ended" // the last hook of a worker; a test never delays a goroutine here

func (p *Pool) hookHot(wc *workerContext, where string) {
	if modelCheckEnabled {
		p.hookAt(wc, where)
	}
}

// Close runs every job that can still run, including those that belong to the calling goroutine,
// and stops the workers. Close returns when the workers and the external jobs have ended.
//
// Some jobs may be left over, because they depend on a job of another pool, or on a goroutine that
// does not wait for them. Then Close returns a *LeakError. If a worker waits for a job that belongs
// to another goroutine, Close returns only after that goroutine has run the job. If another
// goroutine runs a job in a wait when the pool is closed, that job continues and completes before
// the wait returns.
//
// After Close, every function that schedules on the pool panics, except inside jobs that still run.
// Handles can still be waited for and combined. Other goroutines should stop scheduling before
// Close is called: a job that is scheduled while Close returns may be accepted and never run.
// Closing a closed pool does nothing. Close panics inside a job of the pool and inside the pool's
// watchdog, because it would wait for itself.
//
// A job of another pool may call Close. If a job of this pool waits for that job, neither Close nor
// the wait could return. So either Close or the wait returns a *DeadlockError that names both jobs.
// If the wait returns the error, Close continues normally. Close may return ErrDeadlock instead,
// for example because two jobs close each other's pools. Then the pool accepts no more jobs, and
// its workers end when they have nothing to do. In this case Close returns without waiting for the
// workers.
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
	updateLivePools(nil, nil) // the list keeps this pool while it has jobs, but no longer holds it against the garbage collector
	close(p.done)
	for p.sleepers.WakeOne() {
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

// Closed reports whether p was closed, so that scheduling on it panics. It is for callers that can
// work without workers.
func Closed(p *Pool) bool {
	p.requireMade("Closed")
	return !p.accepting.Load()
}

// waitForAll waits until all goroutines of the pool have ended. If a job of the calling goroutine
// ends that goroutine during this wait, a deferred call waits for the remaining goroutines. If
// Close is called in a job of another pool, pw is the wait of that job; otherwise it is nil. If pw
// is not nil, waitForAll returns an error when the goroutines can never end.
func (p *Pool) waitForAll(wc *workerContext, pw *pendingWait) error {
	often, over := wc.timing.timingMask, false
	wc.timing.timingMask = 0 // runs all jobs isolated, so that none ends this goroutine
	defer func() {
		wc.timing.timingMask = often
		if !over {
			_ = p.waitForAll(wc, pw)
		}
	}()
	err := p.goroutines.waitUntilGone(wc, pw, func() bool { return runOwnedEverywhere(wc) > 0 }) // a worker may wait for a job that belongs to this goroutine
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

// waitUntilGone waits until all members have left the set and the function do finds nothing more to
// run. Meanwhile it calls do.
func (c *goroutineSet) waitUntilGone(wc *workerContext, pw *pendingWait, do func() bool) error {
	for {
		gone := c.allGone() // read before do: a member that leaves afterwards may have made a job ready
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

// sleepUntilGone sleeps until the set is empty or a job becomes ready. If either is already true,
// it returns at once.
func (c *goroutineSet) sleepUntilGone(wc *workerContext, pw *pendingWait, do func() bool) {
	wc.pool.hookAt(wc, "is about to sleep until all have left")
	wc.pool.waiters.Add(wc.parker, Handle{}.key(), wc.stack.depth > 0)
	wc.pool.hookAt(wc, "is registered until all have left")
	defer wc.pool.waiters.Remove(wc.parker, Handle{}.key()) // deferred, because a job that runs here may end the goroutine
	if !c.allGone() && !do() && (pw == nil || !pw.hasNewClosers()) {
		wc.park(0)
	}
}

// wakeCloser wakes the goroutine that closes the pool, if there is one.
func (p *Pool) wakeCloser() {
	if p.closed.Load() { // otherwise Close has not yet looked whether all are gone
		p.waiters.WakeAll()
	}
}

// returnAllEdges returns the free edges of the contexts of a closed pool, because the table of
// edges belongs to the process. A context that a goroutine still holds keeps its edges.
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

// findLeak returns a *LeakError for the jobs that are not done although nothing is running any
// more. If there are no such jobs, nothing will ever run on the pool again, so findLeak removes the
// pool from the list of pools.
func (p *Pool) findLeak(wc *workerContext) error {
	if all := p.Live(); len(all) > 0 && p.level != Off {
		return &LeakError{Job: all[0].Name, Count: len(all), Site: all[0].Site}
	}
	p.mu.Lock() // no new contexts meanwhile
	defer p.mu.Unlock()
	unfinished := 0
	for _, other := range *p.contexts.Load() {
		if other != wc && (other.index == 0 || other.index >= p.workers) {
			if !other.tryAcquire(unknownGoroutine) {
				return nil // a goroutine uses the closed pool, so its count cannot be read
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
