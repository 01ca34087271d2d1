package ecs

import (
	"math/bits"

	"github.com/lanewise/lanewise/jobs"
)

// ParallelFor schedules the job over the matching chunks. It runs after the given handles and after every
// job that conflicts with it: that writes a component which this one touches, or touches one which this
// one writes, in an archetype that both match. Each chunk is one index. It does not allocate.
//
// The pool keeps the job, and makes no copy, until it is done. A panic in it becomes a *jobs.PanicError,
// whose Index is that of the chunk; the handle's Wait and the world's Sync return it. All other chunks are
// still processed, and if several panic, the error is that of the first chunk. Changed terms are applied
// when the job runs; if it is already certain that no chunk passes, nothing is scheduled. ParallelFor
// panics with an *Error in a job, and while chunks are being visited.
func (q *Query) ParallelFor(job ChunkJob, after ...jobs.Handle) jobs.Handle {
	return q.schedule("Query.ParallelFor", job, nil, after)
}

// schedule schedules either kind of job.
func (q *Query) schedule(op string, job ChunkJob, runs SpanJob, after []jobs.Handle) jobs.Handle {
	if err := asked(q, op); err != nil {
		panic(err)
	}
	w := q.world
	if job == nil && runs == nil {
		panic(w.gate.fault(ErrArgument, op, "the job is nil"))
	}
	if err := w.may(op); err != nil {
		panic(err)
	}
	if w.gate.borrowed {
		panic(w.gate.fault(ErrState, op, "the world is lent to a transaction, whose jobs run one after the other: use Run, or a loop over Chunks"))
	}
	list := q.flatten()
	w.gate.jobs.order++
	if len(list) == 0 {
		return jobs.Combine(after...)
	}
	q.refreshLookups()
	on := w.gate.jobs.on
	if on == nil {
		on = w.gate.workers()
	}
	w.gate.jobs.after = w.gate.jobs.tracker.Before(&q.access, append(w.gate.jobs.after[:0], after...))
	run := (*chunkRun)(nil)
	if q.watches() && done(w.gate.jobs.after) {
		run = q.takeRun(w.gate.workers().Workers())
		some := run.passing(list)
		if len(some) == 0 {
			return jobs.Handle{}
		}
		if runs == nil { // the joining of chunks must not depend on which jobs have finished by now
			list = some
		}
	} else {
		run = q.takeRun(w.gate.workers().Workers())
	}
	run.job, run.runs, run.list = job, runs, list
	run.structural, run.version, run.since, run.order = w.gate.structural, w.gate.version, q.since, w.gate.jobs.order
	grain := 1
	if runs != nil {
		grain = runGrain(len(list))
	}
	w.expect()
	run.handle = on.ParallelFor(run, len(list), grain, w.gate.jobs.after...)
	w.gate.jobs.tracker.Add(&q.access, run.handle)
	return run.handle
}

// done reports whether all jobs have finished without an error, so that their results can be read.
func done(hs []jobs.Handle) bool {
	for _, h := range hs {
		if !h.Done() || h.Err() != nil {
			return false
		}
	}
	return true
}

// refreshLookups renews the lookups of the query. It first waits for jobs of the query that are using
// them.
func (q *Query) refreshLookups() {
	for _, l := range q.lookups {
		if !l.old() {
			continue
		}
		for _, r := range q.runs {
			if r.handle.Done() {
				continue
			}
			done := q.world.waiting(&q.access)
			_ = r.handle.Wait() // the world reports its error
			done()
		}
		l.refresh()
	}
}

// listed is one chunk of a query.
type listed struct {
	match  *match
	rec    *record
	index  int     // among all chunks, including those with other shared values
	newest *uint32 // of the match: the version that a filter checks first
}

// The owner checks chunks before it schedules them, until fewPassing have passed the filters or it has
// checked manyLooked. Beyond that the jobs check, because they do so in parallel.
const (
	fewPassing = 32
	manyLooked = 2048
)

// passing returns the query's chunks that may pass its filters: the passing ones if they are few, and
// otherwise all chunks of the archetypes with changes. The jobs that write the filters' components are
// done.
func (r *chunkRun) passing(list []listed) []listed {
	r.some = r.some[:0]
	few, looked := true, 0
	for m := range r.query.changing(r.query.since) {
		for _, l := range list[m.first:][:m.chunks] {
			if looked++; few && !m.passes(l.rec, r.query.since) {
				continue
			}
			r.some = append(r.some, l)
			few = few && looked < manyLooked && len(r.some) < fewPassing
		}
	}
	return r.some
}

// flatten returns the chunks of the query in order, without those that have other values than its
// WithShared terms.
func (q *Query) flatten() []listed {
	if q.listing == q.world.tables.listing && q.listing != 0 {
		return q.list
	}
	q.list = q.list[:0]
	base := 0
	for _, m := range q.matches {
		if m.first, m.chunks = 0, 0; len(m.arch.chunks) == 0 {
			continue
		}
		m.bindOnce(&q.matching)
		m.first = int32(len(q.list))
		for _, r := range m.chosen(q.world.tables.listing) {
			q.list = append(q.list, listed{m, r, base + r.index, m.newest})
		}
		m.chunks = int32(len(q.list)) - m.first
		base += len(m.arch.chunks)
	}
	q.listing = q.world.tables.listing
	return q.list
}

// SpanJob processes a span, a range of neighbouring chunks, as if it were one chunk: see
// [Query.ParallelForSpans]. The value is kept and not copied, and several workers call Run at the same
// time.
type SpanJob interface{ Run(*Chunk) }

// ParallelForSpans is [Query.ParallelFor] for kernels that are limited by memory. It calls the job with
// spans of up to 16 chunks that follow each other in memory, as a Chunk that is as long as all of them
// together. [Column] has whole lanes of the span, Entities has all ids, and write access marks each of the
// chunks as changed. Longer lanes are faster when the data exceeds the caches; otherwise ParallelFor is as
// good.
//
// A span joins chunks that follow each other in the loop and in memory, under these conditions:
//
//   - All are full except the last.
//   - They have one archetype and the same shared values.
//   - All of their rows pass the filters.
//   - The query asks for no buffers, managed or chunk components, and for no lanes that start anew
//     in each chunk, as lanes of single bytes may.
//
// Other chunks come alone. Len can exceed the archetype's Capacity. Index, Chunk.ID and First are those of
// the first chunk.
//
// If a span panics, the rest of its block of up to 16 chunks is left out; all other blocks are processed.
//
// The joining is the same for any number of workers and on all machines. But another build, or Compact,
// may join other chunks, so results must not depend on it.
func (q *Query) ParallelForSpans(job SpanJob, after ...jobs.Handle) jobs.Handle {
	return q.schedule("Query.ParallelForSpans", nil, job, after)
}

// maxRun is the largest number of chunks in a span, which is that of a region of memory.
const maxRun = 16

// runGrain returns how many of n chunks are a block: few enough to give work to many workers, and up to
// maxRun if there are many. Regions start at powers of two of chunks, so that blocks of such a length
// split few of them.
func runGrain(n int) int { return min(maxRun, 1<<(bits.Len(uint(n/32)|1)-1)) }
