package jobs

// Close runs what can still be run, also what belongs to the calling goroutine, and
// stops the workers. It returns a *LeakError if there are jobs that can not: they
// wait for a goroutine that does not wait for them, or for a job of another pool. It returns
// when the workers and the external jobs have ended: one that waits for what belongs
// to another goroutine holds it up until that comes. A job that another goroutine
// runs while it waits goes on, and ends before that wait does.
//
// From then on whatever schedules on the pool panics, but not in jobs that still run;
// handles can be waited for and combined as before. Other goroutines should have
// stopped to schedule when Close is called: what comes while it returns may be taken
// and never run. To close a closed pool does nothing. Close panics in a job of the
// pool, and in its watchdog: it would wait for itself.
//
// A job of another pool may call Close. If a job of this pool waits for that job, neither could end, so one of the two
// calls returns a *DeadlockError that names both jobs: the wait, and then Close goes on; or Close, for example if
// two jobs close the pools of each other. After that error the pool takes no more jobs and its workers end when they
// have nothing to do, but Close has not waited for them.
func (p *Pool) Close() error {
	p.made("Pool.Close")
	if p.forever {
		panic("jobs: Pool.Close: the default pool is never closed, for others use it too: close pools that jobs.New has made")
	}
	if p.closed.Load() {
		return nil
	}
	s := p.enterToRun()
	defer s.leave()
	abroad := s.abroad()
	if !abroad && (s.depth > 0 || p.goroutines.has() || p.externals.has()) {
		panic("jobs: Pool.Close: called by a job or the watchdog of the pool, for which it would wait")
	}
	if p.closed.Swap(true) {
		return nil
	}
	changePools(nil, nil) // if jobs are left this pool stays in the list, but is not held there
	close(p.ended)
	for p.lot.WakeOne() {
	}
	var a *await
	if abroad {
		a = &await{seat: s}
		a.close()
	}
	if err := p.drain(s, a); err != nil {
		return err
	}
	if err := p.leak(s); err != nil && p.level == Panic {
		panic(err)
	} else if err != nil {
		return err
	}
	return nil
}

// Closed reports whether p was closed, so that to schedule on it panics: for callers that
// can do without workers.
func Closed(p *Pool) bool {
	p.made("Closed")
	return !p.taking.Load()
}

// drain waits for all that still runs, also if a job that belongs to the calling
// goroutine ends that. Inside a job of another pool, for which a waits, it returns an error if that can never end.
func (p *Pool) drain(s *seat, a *await) error {
	often, over := s.often, false
	s.often = 0 // no other job may
	defer func() {
		s.often = often
		if !over {
			_ = p.drain(s, a)
		}
	}()
	err := p.goroutines.wait(s, a, func() bool { return runOwned(s) > 0 }) // a worker may wait for that
	if err == nil {
		err = p.externals.wait(s, a, worker{s}.serve)
	}
	p.taking.Store(false)
	if err == nil {
		if a != nil {
			a.closed()
		}
		p.giveBack(s)
	}
	over = true
	return err
}

// wait waits until all of a set have left and there is nothing to do; until then it does
// what there is.
func (c *goroutineSet) wait(s *seat, a *await, do func() bool) error {
	for {
		gone := c.gone() // before the look: one that leaves may have made something ready
		if do() {
			continue
		}
		if a != nil {
			a.linkClosers()
			if err := a.giveUp(); err != nil {
				return err
			}
		}
		if gone {
			return nil
		}
		c.sleep(s, a, do)
	}
}

// sleep sleeps like a wait, for what only the end of the set or something
// that has become ready may end; but not if there is one of them.
func (c *goroutineSet) sleep(s *seat, a *await, do func() bool) {
	s.pool.at(s, "is about to sleep until all have left")
	s.pool.waiters.Add(s.parker, Handle{}, s.depth > 0)
	s.pool.at(s, "is registered until all have left")
	defer s.pool.waiters.Remove(s.parker, Handle{}) // also if a job that is run here ends the goroutine
	if !c.gone() && !do() && (a == nil || !a.closersCame()) {
		s.rest(0)
	}
}

// tellCloser wakes the goroutine that closes the pool, if one does.
func (p *Pool) tellCloser() {
	if p.closed.Load() { // else it has yet to look whether all are gone
		p.waiters.WakeAll()
	}
}

// giveBack returns the edges that the seats of a closed pool keep: the table of
// edges is that of the process. A seat that is held keeps its own.
func (p *Pool) giveBack(s *seat) {
	for _, other := range *p.seats.Load() {
		caller := other != s && (other.index == 0 || other.index >= p.workers)
		if caller && !other.take(unknownGoroutine) {
			continue
		}
		other.returnEdges(0)
		if caller {
			other.holder.Store(0)
		}
	}
}

// leak reports the jobs that are not done although nothing runs any more. Where there is none, nothing
// will ever run on the pool again.
func (p *Pool) leak(s *seat) error {
	if all := p.Live(); len(all) > 0 && p.level != Off {
		return &LeakError{Job: all[0].Name, Count: len(all), Site: all[0].Site}
	}
	p.mu.Lock() // no new seats
	defer p.mu.Unlock()
	unfinished := 0
	for _, other := range *p.seats.Load() {
		if other != s && (other.index == 0 || other.index >= p.workers) {
			if !other.take(unknownGoroutine) {
				return nil // a goroutine uses the closed pool: its count cannot be read
			}
			defer other.holder.Store(0)
		}
		unfinished += other.begun - other.ended
	}
	switch {
	case unfinished == 0:
		strikePool(p)
	case p.level != Off:
		return &LeakError{Job: p.store.unfinished(), Count: unfinished}
	}
	return nil
}
