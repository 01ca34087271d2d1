package ecs

import (
	"math/bits"

	"github.com/lanewise/lanewise/jobs"
)

// SpanJob does runs of neighbouring chunks as if each were one chunk: see
// [Query.ParallelForSpans]. The value is held, not copied, and Run is called for several runs at
// a time.
type SpanJob interface{ Run(*Chunk) }

// ParallelForSpans is [Query.ParallelFor] for kernels that are held up by memory: it calls the
// job with runs of up to 16 chunks, whose lanes lie one behind the other, as a Chunk that is as long as
// all of them. [Column] shows whole lanes of the run, Entities all ids, and write access marks
// each of the chunks. Past the caches longer lanes are faster; within them ParallelFor is
// as good.
//
// Chunks are joined that follow each other in the loop and in memory, all full but the last, of
// one archetype with the same shared values, of which filters leave all rows. Others come
// alone, and so do all if the query asks for buffers, managed or chunk components, or for
// lanes that begin anew in each chunk, as those of single bytes may. So Len can be more than the
// archetype's Capacity, and Index, Chunk.ID and First are those of the first chunk.
//
// A run that panics leaves out the rest of its block, which is up to 16 chunks; all other blocks
// are done.
//
// Which chunks are joined is the same for any number of workers and on all machines, but another
// build or Compact may join others: nothing should hang on it.
func (q *Query) ParallelForSpans(job SpanJob, after ...jobs.Handle) jobs.Handle {
	return q.schedule("Query.ParallelForSpans", nil, job, after)
}

// maxRun is the most chunks that are a run: as many as regions have.
const maxRun = 16

// runGrain is how many of n chunks are a block: what makes blocks enough for many workers, and
// long ones where there is much. Regions are of powers of two of chunks, so that such
// blocks cut few of them.
func runGrain(n int) int { return min(maxRun, 1<<(bits.Len(uint(n/32)|1)-1)) }

// doRuns does the runs among chunks [i, end).
func (r *chunkRun) doRuns(t *jobs.Task, i, end int) {
	q, worker := r.query, t.Worker()
	for i < end {
		l := &r.list[i]
		m, rec := l.match, l.rec
		first := i
		if i++; m.filtered && !m.admits(rec, r.since) {
			continue
		}
		n := rec.n
		if m.long && m.certain(rec) {
			for i < end && r.follows(i) {
				n += r.list[i].rec.n
				i++
			}
		}
		c := slotOf(worker, &q.workers).take(q.headers)
		c.world, c.structural, c.version, c.worker, c.order = q.world, r.structural, r.version, int32(worker), r.order
		c.task = t
		t.SetLo(l.index)
		c.show(m, span{rec, 0, n}, l.index)
		if c.mask = nil; i > first+1 {
			c.join(r.list[first+1 : i])
		}
		if c.more != nil || m.rows == nil || c.filterRows(m) {
			r.run(c)
		}
		c.end()
	}
}

// run gives a run to the job, between the checks of the guard build.
func (r *chunkRun) run(c *Chunk) {
	if guard {
		c.watch()
	}
	r.runs.Run(c)
	if guard {
		c.inspect()
	}
}

// follows reports whether chunk i of the list goes on where the one before it ends, and
// is let through with all of its rows.
func (r *chunkRun) follows(i int) bool {
	before, l := &r.list[i-1], &r.list[i]
	m := l.match
	a, b := before.rec, l.rec
	return m == before.match && a.group == b.group && a.n == m.arch.capacity && b.Follows(&a.Place) &&
		(!m.filtered || m.admits(b, r.since) && m.certain(b))
}

// body returns the job of either kind.
func (r *chunkRun) body() any {
	if r.runs != nil {
		return r.runs
	}
	return r.job
}
