package jobs

// ParallelForLater is ParallelFor over [0, *n), where *n is read when the jobs
// before it are done: one of them may be what counts. Grain 0 chooses. A
// negative *n makes the job fail; a negative grain panics.
func (p *Pool) ParallelForLater(j RangeJob, n *int, grain int, after ...Handle) Handle {
	mustHave("ParallelForLater", j != nil)
	if n == nil {
		panic("jobs: ParallelForLater: n is nil: it points to the number of indices")
	}
	checkGrain("ParallelForLater", 0, grain)
	p.check("ParallelForLater")
	s := p.enter()
	defer s.leave()
	sl := s.newLoop(j, 0, grain, nil)
	sl.bound, sl.later = true, n
	return s.submit(sl, after)
}
