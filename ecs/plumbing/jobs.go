package plumbing

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/sister"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// Runner is what jobs are scheduled on: a *jobs.Pool or a *jobs.Scope.
type Runner interface {
	ParallelFor(j jobs.RangeJob, n, grain int, after ...jobs.Handle) jobs.Handle
}

// RunOn makes the world schedule its jobs, [ecs.Query.ParallelFor] among them, on r, which must belong to the world's pool:
// a scope, for a frame that can be cancelled. Nil is the pool. It returns the
// one before.
func RunOn(w *ecs.World, r Runner) (before Runner) { return plumbing.RunOn(w, r) }

// Before appends the handles of the jobs that a job with access a must come
// after. Component indices are those of [AddAccess]. It is called before the job is
// scheduled, and [Track] afterwards: [ecs.World.Close] reports a job that was never given to Track,
// since nothing waits for it.
func Before(w *ecs.World, a *access.Access, buf []jobs.Handle) []jobs.Handle {
	return plumbing.Before(w, a, buf)
}

// Track puts a job with access a into the order of the world's jobs.
func Track(w *ecs.World, a *access.Access, h jobs.Handle) { plumbing.Track(w, a, h) }

// TrackOrdered is [Track] for a job whose order was given by hand. The error is of
// category ErrState, and its cause a *access.ConflictError, if a job conflicts with it
// that it does not come after; it is in the order of the world's jobs all the same.
func TrackOrdered(w *ecs.World, a *access.Access, h jobs.Handle) error {
	return plumbing.TrackOrdered(w, a, h)
}

// Await completes the jobs of the world that conflict with access a.
func Await(w *ecs.World, a *access.Access) error { return plumbing.Await(w, a) }

// Access returns what jobs over q read and write, to be passed to an
// access.Tracker. It grows as archetypes are made; it must not be changed.
func Access(q *ecs.Query) *access.Access { return plumbing.Access(q) }

// AddAccess adds the access that the terms declare, Read and Write, to a. It is
// for jobs that are not over a query. The terms may name [Worldwide] types.
func AddAccess(w *ecs.World, a *access.Access, terms ...ecs.Term) error {
	return plumbing.AddAccess(w, a, terms...)
}

// Worldwide makes the type that embeds it the name of something that a world has
// once, and that is no part of entities: Read and Write declare access to it, beside
// the components of a query or in [AddAccess], and jobs are ordered by it as by
// a component. A query matches what it matches without it. No archetype has it, and
// no other term. A system.Resource is one.
type Worldwide struct{ sister.Worldwide }

// Declares reports whether the query that shows the chunk declares that it reads, or
// writes, the [Worldwide] type that accesses of world w know by an index. To write
// it is to read it too.
func Declares(c *ecs.Chunk, w *ecs.World, index int) (reads, writes bool) {
	return plumbing.Declares(c, w, index)
}

// ComponentName returns the name of the component that accesses know by an
// index, with its package; "" if there is none.
func ComponentName(index int) string { return plumbing.ComponentName(index) }
