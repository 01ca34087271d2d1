package jobs

import "runtime/debug"

// A body may call runtime.Goexit: testing.T.FailNow does. Its job fails with an
// *ExitError, as it would by a panic, and no other. But Go ends the whole
// goroutine, and nothing on its stack can stop that: what runs a body inside a wait,
// whose caller shall go on, has to run it on another goroutine. That costs several
// times what a short job takes, so it is done where it can matter:
//
//   - A worker that runs a job with nothing below it on its stack ends, and another
//     goroutine takes its seat: see worker.work.
//   - In a wait, jobs of a kind that has never run to its end so far, or of which one
//     has called runtime.Goexit, run apart.
//   - So do the blocks that such a worker has still to run before it ends: others of them may
//     call runtime.Goexit too, and each would add to its stack.
//   - At level Panic, which is for tests, and in Pool.Close all of them do.
//   - What belongs to a goroutine (ScheduleHere) cannot, and what has run well before
//     does not. If such a job calls runtime.Goexit in a wait the goroutine ends when
//     the job has been completed, and so do the jobs below it on that stack: they
//     carry the error of the one that called, which bears its name.
//
// While a body runs apart, its goroutine holds the seats of all pools, so that all it calls finds
// its place; the goroutine that waits for it only runs what belongs to it.

// mustIsolate reports whether the body of the job that was pushed last is to run apart.
func (s *seat) mustIsolate(sl *slot) bool {
	if !s.outside && s.depth == 1 && !s.tasks[0].leaving {
		return false
	}
	return (s.often == 0 || !sl.kind.known()) && !(sl.bound && sl.owner != 0)
}

// isolate runs the body of a job on a goroutine of its own, and records how it fails. It
// reports whether it has not.
func (s *seat) isolate(sl *slot, t *Task, body func()) (well bool) {
	me, given := apart.self()
	asked := given
	if asked == nil {
		asked = &proxy{owner: me, calls: make(chan func())}
	}
	over, back := make(chan struct{}), goroutineID()
	go func() {
		defer close(over)
		id := goroutineID()
		defer s.handOver(id, back) // not later: another goroutine may soon look like this one
		apart.add(id, asked)
		s.handOver(back, id)
		defer func() {
			if !well {
				_ = s.caught(sl, t, recover()) // the slot has it
				for other := range s.all {
					_ = other.exitHere() // jobs below are on another stack
				}
			}
			t.bodyEnded = true
			apart.remove(id)
		}()
		body()
		well = true
	}()
	if given == nil {
		asked.serve(over)
	} else {
		<-over // the goroutine below makes the calls
	}
	return well
}

// handOver makes another goroutine the holder of all seats that one has: of this seat, and of those
// in other pools. So all that one goroutine has begun stays on one seat of each pool, wherever
// its bodies run.
func (s *seat) handOver(from, to uintptr) {
	s.sit(to)
	for p := range allPools {
		if p == s.pool {
			continue
		}
		if other := p.held(from); other != nil {
			other.sit(to)
		}
	}
}

// sit makes a goroutine the holder of the seat, which the calling one holds or is given.
func (s *seat) sit(id uintptr) {
	if p := s.pool; !s.outside {
		p.mu.Lock()
		p.registry.remove(s.holder.Load())
		p.registry.add(id, s)
		p.mu.Unlock()
	}
	s.holder.Store(id)
}

// passExit tells the jobs below on the goroutine's stack, of all pools, why they end.
func (s *seat) passExit(err *ExitError) {
	for other := range s.all {
		if other.depth > 0 {
			other.ending = ending{err, goroutineID()}
		}
	}
}

// exitHere takes the call that is ending the calling goroutine; nil if the body that
// was caught has made it.
func (st *stack) exitHere() *ExitError {
	e := st.ending
	if e.err == nil || e.goroutine != goroutineID() {
		return nil
	}
	st.ending = ending{}
	return e.err
}

// caught records how a body failed: a panic with value v, or, when there is
// none, a call of runtime.Goexit; then it returns the error of that.
func (s *seat) caught(sl *slot, t *Task, v any) *ExitError {
	single := sl.shape != shapeMany
	rank := rankOwn | uint64(t.lo)
	reported := sl.failsAs(rank)
	place := ""
	if !t.bodyEnded {
		if reported {
			place = sl.place(s.index)
		}
		sl.abandon(s.index)
	}
	if v == nil {
		exit := s.exitHere()
		if exit == nil {
			exit = &ExitError{Job: sl.kind.name, Index: t.lo, single: single}
		}
		if t.bodyEnded {
			return exit // the body has ended on a goroutine of its own: only the goroutine that waited for it is ending
		}
		if exit.Job == sl.kind.name {
			sl.kind.markUnknown()
		}
		sl.fail(rank, exit)
		return exit
	}
	if reported { // of many blocks that fail, only few need a stack
		sl.fail(rank, &PanicError{Job: sl.kind.name, Index: t.lo, Place: place, Value: v, Stack: debug.Stack(), single: single})
	}
	return nil
}

// place asks a loop what its body was at that has not returned, while it still knows.
func (sl *slot) place(worker int) string {
	at, is := any(sl.many).(interface{ JobPlace(worker int) string })
	if !is || sl.shape != shapeMany {
		return ""
	}
	defer func() { _ = recover() }()
	return at.JobPlace(worker)
}

// abandon tells a job that its body has not returned.
func (sl *slot) abandon(worker int) {
	var job any = sl.one
	if sl.shape == shapeMany {
		job = sl.many
	}
	if u, ok := job.(Unfinished); ok {
		defer func() { _ = recover() }()
		u.NotReturned(worker)
	}
}
