package jobs

// Queue schedules jobs of one priority. It is a small value; see Pool.At and
// Scope.At.
type Queue struct {
	pool     *Pool
	scope    *Scope
	priority Priority
}

// At returns a queue for jobs of a priority. Children inherit it. It panics if
// there is no such priority.
func (p *Pool) At(pr Priority) Queue { return Queue{pool: p, priority: pr.check("Pool.At")} }

// At returns a queue for jobs of a priority in the scope; see Pool.At.
func (s *Scope) At(pr Priority) Queue {
	return Queue{pool: s.pool, scope: s, priority: pr.check("Scope.At")}
}

// Schedule queues a job behind others.
func (q Queue) Schedule(j Job, after ...Handle) Handle {
	mustHave("Queue.Schedule", j != nil)
	s := q.enter("Queue.Schedule")
	defer s.leave()
	sl := s.newJob(j, q.scope)
	sl.priority = q.priority
	return q.keep(s.submit(sl, after))
}

// ParallelFor queues a job over the indices of [0, n), cut into blocks of
// grain. Grain 0 chooses. It panics if n or grain is negative.
func (q Queue) ParallelFor(j RangeJob, n, grain int, after ...Handle) Handle {
	mustHave("Queue.ParallelFor", j != nil)
	grain = checkGrain("Queue.ParallelFor", n, grain)
	s := q.enter("Queue.ParallelFor")
	defer s.leave()
	sl := s.newLoop(j, n, grain, q.scope)
	sl.priority = q.priority
	return q.keep(s.submit(sl, after))
}

func (q Queue) enter(fn string) *seat {
	if q.scope != nil {
		return q.scope.enter(fn)
	}
	q.pool.check(fn)
	return q.pool.enter()
}

// keep remembers a job for the end of its scope, if it has one.
func (q Queue) keep(h Handle) Handle {
	if q.scope != nil {
		q.scope.keep(h)
	}
	return h
}
