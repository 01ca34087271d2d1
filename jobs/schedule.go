package jobs

import "runtime/debug"

// Schedule queues a job behind others.
func (p *Pool) Schedule(j Job, after ...Handle) Handle {
	mustHave("Schedule", j != nil)
	p.check("Schedule")
	s := p.enter()
	defer s.leave() // also if the job's JobName panics
	return s.submit(s.newJob(j, nil), after)
}

// ParallelFor queues a job over the indices of [0, n), cut into blocks of
// grain. Grain 0 chooses. It panics if n or grain is negative.
func (p *Pool) ParallelFor(j RangeJob, n, grain int, after ...Handle) Handle {
	mustHave("ParallelFor", j != nil)
	grain = checkGrain("ParallelFor", n, grain)
	p.check("ParallelFor")
	s := p.enter()
	defer s.leave()
	return s.submit(s.newLoop(j, n, grain, nil), after)
}

// Range runs body over [0, n) in blocks of grain, here and now, on all
// workers. Grain 0 chooses. A single block is a plain call of body: if that calls
// runtime.Goexit it ends the calling goroutine. It panics if n or grain is negative.
func (p *Pool) Range(n, grain int, body func(lo, hi int)) error {
	grain = checkGrain("Range", n, grain)
	p.check("Range")
	if n <= grain && p.unwatched() {
		return runBlock(body, n)
	}
	return p.runRange(plainRange(body), n, grain)
}

// unwatched reports whether no tool looks at the pool's jobs.
func (p *Pool) unwatched() bool { return p.book == nil && !p.observed() }

// runBlock runs a Range of one block.
func runBlock(body func(lo, hi int), n int) (err error) {
	if n == 0 {
		return nil
	}
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Job: codeName(codeOf(body)), Value: v, Stack: debug.Stack()}
		}
	}()
	body(0, n)
	return nil
}

// runRange runs a parallel-for here and now.
func (p *Pool) runRange(j RangeJob, n, grain int) error {
	s := p.enter()
	defer s.leave()
	sl := s.newLoop(j, n, grain, nil)
	h := Handle{slot: sl, gen: generation(sl.word.Load())}
	defer func() {
		if !h.Done() { // a block here has called runtime.Goexit: others may still run
			_ = s.waitOn(h, true)
		}
	}()
	s.begun++
	if p.book != nil {
		p.enterBook(sl, nil)
	}
	s.step(sl, nothingElse)
	linger(p, h)
	return s.waitOn(h, true)
}

// plainRange makes a RangeJob of the body of a Range.
type plainRange func(lo, hi int)

// RunRange calls f.
func (f plainRange) RunRange(_ *Task, lo, hi int) { f(lo, hi) }
