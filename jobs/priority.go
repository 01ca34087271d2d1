package jobs

// ScheduleAt is Schedule at a priority. Children inherit it. It panics if there is no such priority.
func (p *Pool) ScheduleAt(pr Priority, j Job, after ...Handle) Handle {
	mustHave("ScheduleAt", j != nil)
	pr.check("ScheduleAt")
	p.check("ScheduleAt")
	s := p.enter()
	defer s.leave()
	sl := s.newJob(j, nil)
	sl.priority = pr
	return s.submit(sl, after)
}

// ParallelForAt is ParallelFor at a priority. Children inherit it. It panics if n or grain is
// negative, or if there is no such priority.
func (p *Pool) ParallelForAt(pr Priority, j RangeJob, n, grain int, after ...Handle) Handle {
	mustHave("ParallelForAt", j != nil)
	grain = checkGrain("ParallelForAt", n, grain)
	pr.check("ParallelForAt")
	p.check("ParallelForAt")
	s := p.enter()
	defer s.leave()
	sl := s.newLoop(j, n, grain, nil)
	sl.priority = pr
	return s.submit(sl, after)
}
