package ecs

import (
	"sync/atomic"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// gate says whether a world can be used now, and by which goroutine: every operation asks it first. It has what that depends on (the jobs
// of the world, its owner, a transaction), the version, and the names that errors show. It knows no entities.
type gate struct {
	structural uint32 // counts structural changes: the first word, every view compares it
	version    uint32 // the global version
	visiting   int    // loops over chunks on the owner's goroutine
	alive      bool   // the world was made, has its contents, and is not closed
	concludes  bool   // World.finish has more to do: ids are reserved, or shared values must be told
	owner      owner  // next to these, because every change asks all of them
	jobs       schedule
	name       string
	running    string  // the system that is being updated
	recorder   string  // the system that has recorded the commands being played; empty if none is known
	lent       *lease  // to the jobs of a transaction
	borrowed   bool    // the world is that of a transaction's jobs
	labels     *labels // names of entities, for errors
}

// refuseLent panics while the contents are lent; otherwise it is false.
func (g *gate) refuseLent(op string) bool {
	if g.lent != nil {
		panic(g.unavailable(op))
	}
	return false
}

// open returns an error if there is no world, or it is closed.
func (g *gate) open(op string) error {
	if !g.alive {
		return g.unavailable(op)
	}
	return nil
}

// unavailable says that the world has no contents, or not now.
func (g *gate) unavailable(op string) *Error {
	switch {
	case g.lent != nil:
		return g.fault(ErrState, op, "the world is lent to a transaction: its jobs have the world now, use it when the transaction has ended")
	case g.borrowed:
		return g.fault(ErrState, op, "the job of a transaction that had this world is done: schedule another one, or End the transaction and use the world that it began with")
	case g.version == 0:
		return fault(ErrState, op, "the world is the zero World: make one with NewWorld")
	}
	return g.fault(ErrDisposed, op, "the world is closed")
}

// ask keeps changes of the world away while an operation calls a method of a shared
// value that it asks for an answer, or the tools that want to know of it: it has found
// rows and groups already, and they must be there when it goes on. So it refuses what a
// loop over chunks does.
func (g *gate) ask() {
	g.visiting++
	g.owner.asking++
}

// answered ends what ask has begun.
func (g *gate) answered() {
	g.visiting--
	g.owner.asking--
}

// bump moves the world's version on.
func (g *gate) bump() {
	if g.version++; g.version == 0 {
		g.version = 1
	}
}

// barred reports whether something may be in the way of a structural change, beside
// another goroutine.
func (g *gate) barred() bool {
	return g.jobs.pending || !g.alive || g.visiting != 0 || g.owner.depth != 0
}

// fault makes an error of op in this world.
func (g *gate) fault(category error, op, text string, args ...any) *Error {
	g.faulted()
	e := fault(category, op, text, args...)
	e.World, e.System, e.labels = g.name, g.callingSystem(), g.labels
	return e
}

// callingSystem returns the system that an error names: the one that is being updated or, in a job, the one that has scheduled the
// job. It is empty in a job that is not over a query, because nothing says whose that is; the system that is being updated by then is the
// owner's to look at, and often another one, which only waits for the job.
func (g *gate) callingSystem() string {
	if !g.inJob() {
		return g.running
	}
	if r, ok := g.jobs.pool.Caller().Job().(systemJob); ok {
		return r.system()
	}
	return ""
}

// notInJob returns an error if the caller is a job, to which nothing but its
// chunk belongs.
func (g *gate) notInJob(op string) error {
	if g.inJob() {
		return g.fault(ErrState, op, "a job sees the world through its chunk: use Column, or a Lookup")
	}
	return nil
}

// schedule is what a world knows of its jobs.
type schedule struct {
	pending bool // jobs were scheduled since the last sync point
	pool    *jobs.Pool
	on      Runner // the pool, if nil
	tracker access.Tracker
	owner   *jobs.Task    // what scheduled the first of them, if that was a job of the pool
	block   uint64        // of that, by jobs.CallerBlock
	order   uint32        // counts the jobs
	noted   uint32        // counts how often some were expected, for the owner
	asked   int           // how many were asked about with Before and not given to Track
	failed  []error       // of jobs that a sync point completed
	access  access.Access // scratch
	after   []jobs.Handle
}

func (g *gate) report(err error) {
	if err != nil {
		g.jobs.failed = append(g.jobs.failed, err)
	}
}

func (g *gate) workers() *jobs.Pool {
	if g.jobs.pool == nil {
		g.jobs.pool = jobs.Default()
	}
	return g.jobs.pool
}

// lease is what a world that is lent to a transaction knows of that.
type lease struct {
	pool    *jobs.Pool
	running atomic.Pointer[jobs.Task] // which has the world: it stores itself, any goroutine asks mine
}

// elsewhere reports whether another has the contents of w: a transaction of
// which the caller is not the job.
func (g *gate) elsewhere() bool { return g.lent != nil && !g.lent.mine() }

// mine reports whether the caller is the job that has the world.
func (l *lease) mine() bool {
	running := l.running.Load()
	return running != nil && running == l.pool.Caller().Task()
}

// open returns an error if w is nil or cannot be used.
func (w *World) open(op string) error {
	if w == nil {
		return noWorld(op)
	}
	return w.gate.open(op)
}

// mustExist panics if w is nil.
func (w *World) mustExist(op string) {
	if w == nil {
		panic(noWorld(op))
	}
}

func (w *World) mustBeOpen(op string) {
	if err := w.open(op); err != nil {
		panic(err)
	}
}

// Runner is what jobs are scheduled on: a *jobs.Pool or a *jobs.Scope.
type Runner interface {
	ParallelFor(j jobs.RangeJob, n, grain int, after ...jobs.Handle) jobs.Handle
}

// systemJob is a job that knows the name of the system that has scheduled it.
type systemJob interface{ system() string }
