package ecs

import (
	"sync/atomic"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// gate says whether a world can be used now, and by which goroutine: every operation asks it first. It has what that depends on (the jobs
// of the world, its owner, a transaction), the version, and the names that errors show. It knows no entities.
type gate struct {
	structural uint32 // counts structural changes; the first word, because every view compares it
	version    uint32 // the global version
	visiting   int    // loops over chunks on the owner's goroutine
	alive      bool   // the world was made, has its contents, and is not closed
	concludes  bool   // World.finish has more to do: ids are reserved, or shared values must be told
	owner      owner  // next to these, because every change asks all of them
	jobs       schedule
	name       string
	running    string  // the system that is being updated
	recorder   string  // the system that has recorded the commands being played; empty if unknown
	lent       *lease  // the loan of the contents to the jobs of a transaction
	borrowed   bool    // the world is that of a transaction's jobs
	labels     *labels // names of entities, for errors
}

// refuseLent panics while the contents are lent to a transaction; otherwise it returns false.
func (g *gate) refuseLent(op string) bool {
	if g.lent != nil {
		panic(g.unavailable(op))
	}
	return false
}

// open returns an error if the world does not exist, is closed, or has lent its contents.
func (g *gate) open(op string) error {
	if !g.alive {
		return g.unavailable(op)
	}
	return nil
}

// unavailable returns the error for a world without contents, now or permanently.
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

// ask prevents changes of the world while an operation calls a method of a shared value, or a function of
// OnCommit, and needs the answer. The operation has found rows and groups already, and they must still
// exist when it goes on. Therefore it refuses the same changes as a loop over chunks.
func (g *gate) ask() {
	g.visiting++
	g.owner.asking++
}

// answered ends the period that ask has begun.
func (g *gate) answered() {
	g.visiting--
	g.owner.asking--
}

// bump increments the world's version.
func (g *gate) bump() {
	if g.version++; g.version == 0 {
		g.version = 1
	}
}

// barred reports whether a structural change may be impossible, without a check for other goroutines.
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

// callingSystem returns the system for an error: the one that is being updated or, in a job, the one that
// has scheduled the job. It is empty in a job without a query, because the system of such a job is
// unknown. The system that is being updated would be the wrong answer: only the owner may read it, and it
// may be another system that waits for the job.
func (g *gate) callingSystem() string {
	if !g.inJob() {
		return g.running
	}
	if r, ok := g.jobs.pool.Caller().Job().(systemJob); ok {
		return r.system()
	}
	return ""
}

// notInJob returns an error if the caller is a job, because a job may use only its chunk.
func (g *gate) notInJob(op string) error {
	if g.inJob() {
		return g.fault(ErrState, op, "a job sees the world through its chunk: use Column, or a Lookup")
	}
	return nil
}

// schedule is the world's state about its jobs.
type schedule struct {
	pending bool // jobs were scheduled since the last sync point
	pool    *jobs.Pool
	on      Runner // the pool, if nil
	tracker access.Tracker
	owner   *jobs.Task    // the job of the pool that has scheduled the first of them, or nil
	block   uint64        // its block, from jobs.CallerBlock
	order   uint32        // counts the jobs
	noted   uint32        // how often jobs were expected; only the owner uses it
	asked   int           // number of calls of Before without a call of Track
	failed  []error       // errors of jobs that a sync point completed
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

// lease is the state of a world that is lent to a transaction.
type lease struct {
	pool    *jobs.Pool
	running atomic.Pointer[jobs.Task] // the job that has the world: it stores itself, and mine reads it on any goroutine
}

// elsewhere reports whether another caller has the contents of w: w is lent to a transaction, and the
// caller is not its running job.
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

// Runner schedules jobs: a *jobs.Pool or a *jobs.Scope.
type Runner interface {
	ParallelFor(j jobs.RangeJob, n, grain int, after ...jobs.Handle) jobs.Handle
}

// systemJob is a job that knows the name of the system that has scheduled it.
type systemJob interface{ system() string }
