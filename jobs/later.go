package jobs

import "fmt"

// ParallelForLater is ParallelFor over [0, *n), where *n is read when the jobs
// before it are done: one of them may be what counts. Grain 0 chooses. A
// negative *n makes the job fail; a negative grain panics.
func (p *Pool) ParallelForLater(j RangeJob, n *int, grain int, after ...Handle) Handle {
	return Queue{pool: p}.ParallelForLater(j, n, grain, after...)
}

// ParallelForLater is ParallelFor over [0, *n), where *n is read when the jobs
// before it are done; see Pool.ParallelForLater.
func (s *Scope) ParallelForLater(j RangeJob, n *int, grain int, after ...Handle) Handle {
	return Queue{pool: s.pool, scope: s}.ParallelForLater(j, n, grain, after...)
}

// ParallelForLater is ParallelFor over [0, *n), where *n is read when the jobs
// before it are done; see Pool.ParallelForLater.
func (q Queue) ParallelForLater(j RangeJob, n *int, grain int, after ...Handle) Handle {
	mustHave("ParallelForLater", j != nil)
	if n == nil {
		panic("jobs: ParallelForLater: n is nil: it points to the number of indices")
	}
	checkGrain("ParallelForLater", 0, grain)
	s := q.enter("Queue.ParallelForLater")
	defer s.leave()
	sl := s.newLoop(j, 0, grain, q.scope)
	sl.bound, sl.later, sl.priority = true, n, q.priority
	return q.keep(s.submit(sl, after))
}

// settle reads the length of a job that was scheduled before it was known. It
// returns false if there is no such length.
func (sl *slot) settle() bool {
	n := *sl.later
	if n < 0 || sl.grain != 0 && uint64(n)/uint64(sl.grain) >= maxBlocks {
		sl.fail(rankOwn, fmt.Errorf("jobs: ParallelForLater: %s: n is %d, grain is %d", sl.kind.name, n, sl.grain))
		return false
	}
	sl.n = n
	if sl.grain == 0 {
		sl.grain = autoGrain(n)
	}
	return true
}

// mustHave panics if a function was called without what it needs.
func mustHave(fn string, ok bool) {
	if !ok {
		panic("jobs: " + fn + ": the job is nil")
	}
}
