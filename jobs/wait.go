package jobs

import (
	"errors"
	"reflect"
	"slices"
)

// wait works for the job behind h until it is done, on a seat of its pool.
func (s *seat) wait(h Handle) error {
	if h == s.tail {
		last := s.last
		s.last, s.tail = Handle{}, Handle{}
		if last.slot.claimGeneration(last.gen) {
			if s.told != 0 {
				s.waited(last.slot.kind)
			}
			if s.deque.newest() == last.slot {
				s.deque.pop() // not before the claim: the slot may hold another job by now
			}
			s.runLine(last.slot, h)
			s.linger(h)
		}
	}
	return s.waitOn(h, false)
}

// runLine runs a claimed job and those that become ready behind it on its line, as
// far as h.
func (s *seat) runLine(sl *slot, h Handle) {
	for sl != nil {
		w := nextOnLine
		if sl == h.slot {
			w = nothingElse
		}
		sl = s.step(sl, w)
	}
}

// linger waits a moment for others who are at the last blocks of what the seat
// has worked on itself.
func (s *seat) linger(h Handle) {
	for round := 0; round < 16 && !h.Done(); round++ {
		pause(s.pool.pauses)
	}
}

// waitOn is wait without a look at what was scheduled here last. Who must wait, as
// a Range has to for its blocks, does not give up: a wait in a circle with it does.
func (s *seat) waitOn(h Handle, must bool) error {
	for spun := false; !h.Done(); {
		if s.depth == 0 && s.pool.owners.size.Load() > 0 && s.runOwned() > 0 {
			continue
		}
		ran, dead := s.help(h, must)
		switch {
		case dead && !must:
			if err := s.giveUp(h, len(s.waits)); err != nil {
				return err
			}
		case ran:
			spun = false
		case !spun:
			s.spinFor(h)
			spun = true
		case s.depth > 0:
			return s.waitLinked(h, must)
		default:
			s.sleepFor(h, must)
		}
	}
	if s.opened.trial != nil {
		s.tell(h)
	}
	return h.Err()
}

// waitLinked is waitOn inside a job, once it has come to sleeping: others who wait
// for the jobs on the stack shall see what those wait for.
func (s *seat) waitLinked(h Handle, must bool) error {
	base := len(s.waits)
	defer s.unlinkWait(base)
	s.linkWait(h) // this may panic half-way
	told := false
	for spun := true; !h.Done(); {
		ran, dead := s.help(h, must)
		switch {
		case dead && !must:
			if err := s.giveUp(h, base); err != nil {
				return err
			}
		case ran:
			spun = false
		case s.runOwned() > 0: // of these nothing may be needed, so they come last
			spun = false
		case !spun:
			s.spinFor(h)
			spun = true
		case dead && !told:
			s.pool.waiters.WakeAll() // those who can give up have begun to wait before
			told = true
		default:
			s.sleepFor(h, must)
		}
	}
	if s.opened.trial != nil {
		s.tell(h)
	}
	return h.Err()
}

// sleepFor sleeps until the job is done, or until there is something to do
// that may be for it.
func (s *seat) sleepFor(h Handle, must bool) {
	s.pool.at(s, "is about to lie down")
	s.pool.waiters.Add(s.parker, h, s.depth > 0)
	s.pool.at(s, "has lain down")
	defer s.pool.waiters.Remove(s.parker, h) // also if a job that is run here ends the goroutine
	if h.slot.watch(h.gen) {
		s.pool.at(s, "watches")
		// Whoever made something ready before it could see the sleeper has
		// done so before this look.
		if ran, dead := s.help(h, must); !ran && (!dead || must) && !h.Done() && s.runOwned() == 0 {
			s.rest(0)
		}
	}
}

// WaitAll waits for several jobs, working on all of them, and joins their
// errors in the given order, each once. It costs less than Combine where
// nothing else depends on them all.
func WaitAll(hs ...Handle) error { return waitAll(hs) }

func waitAll(hs []Handle) error { return joinErrors(waitEach(nil, hs)) }

// waitEach waits for several jobs and appends their errors to a list.
func waitEach(errs []error, hs []Handle) []error {
	helpAll(hs)
	for _, h := range hs {
		if err := h.Wait(); err != nil && !slices.ContainsFunc(errs, func(e error) bool { return same(e, err) }) {
			errs = append(errs, err)
		}
	}
	return errs
}

// same reports whether two errors are the same one.
func same(a, b error) bool { return reflect.ValueOf(a).Comparable() && a == b }

// joinErrors joins errors, but leaves one alone as it is.
func joinErrors(errs []error) error {
	errs = slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}

// helpAll does what can be done now for any of the jobs, again and again
// until there is nothing: a wait for the first of them alone would sleep while
// another is ready.
func helpAll(hs []Handle) {
	i := slices.IndexFunc(hs, func(h Handle) bool { return !h.Done() })
	if i < 0 {
		return
	}
	s := hs[i].slot.pool.enter()
	defer s.leave()
	for s.helpSome(hs) {
	}
}

// helpSome does what can be done now for the jobs of the seat's pool.
func (s *seat) helpSome(hs []Handle) (ran bool) {
	for _, h := range hs {
		if !h.Done() && h.slot.pool == s.pool {
			r, _ := s.help(h, false)
			ran = ran || r
		}
	}
	return ran
}

// Wait returns when the job is done; until then the caller works too, on what
// the job needs and on nothing else. The error is nil, a *PanicError, an *ExitError,
// the cause of a cancelled context, ErrDeadlock or what a job before it left.
// Inside a job, Task.Wait is the better way.
func (h Handle) Wait() error {
	if h.Done() {
		return h.Err()
	}
	s := h.slot.pool.enter()
	defer s.leave()
	return s.wait(h)
}
