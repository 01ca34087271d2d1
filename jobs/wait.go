package jobs

import (
	"errors"
	"reflect"
	"runtime"
	"slices"

	"github.com/lanewise/lanewise/jobs/internal/park"
)

// Handle stands for a job that was scheduled. It is small and comparable; the
// zero Handle is complete.
type Handle struct {
	slot *slot
	gen  uint32
}

// Done reports whether the job, and every child of it, is done.
func (h Handle) Done() bool {
	return h.slot == nil || generation(h.slot.word.Load()) != h.gen
}

// Err is the error of a job that is done; nil before that.
func (h Handle) Err() error {
	if h.slot == nil || !h.Done() {
		return nil
	}
	if f := h.slot.failed.Load(); f != nil && f.gen == h.gen {
		return f.err
	}
	return nil
}

// well reports whether the job is done without an error.
func (h Handle) well() bool { return h.Done() && h.Err() == nil }

// wait works for the job behind h until it is done, on a seat of its pool.
func (a *await) wait() error {
	s, h := a.seat, a.job
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
			spinBriefly(s.pool, h)
		}
	}
	return a.end()
}

// spinBriefly waits a moment for others that are at the last blocks of what the caller
// has worked on itself.
func spinBriefly(p *Pool, h Handle) {
	for round := 0; round < 16 && !h.Done(); round++ {
		pause(p.pauses)
	}
}

// await is a wait: which seat waits, and for what.
type await struct {
	seat *seat
	job  Handle
	must bool // it goes on though the job may never be done
	base int  // how many edges of other waits lie below its own, once it is linked

	met   int // where its part of seat.met begins, while it is registered
	added int // up to where it is registered in these pools

	inside    bool // it is linked: its goroutine is in the body of a job
	registers bool // its walks note the pools that they come to

	closings uint32 // how many pools had been closed by jobs when it last looked for them
}

// end works, spins and sleeps until the job is done.
func (a *await) end() error {
	s, h := a.seat, a.job
	for spun := false; !h.Done(); {
		if s.depth == 0 && s.pool.owners.size.Load() > 0 && s.pool.owners.run(s) > 0 {
			continue
		}
		ran, circular := a.help()
		switch {
		case circular && !a.must:
			a.base = len(s.waits)
			if err := a.giveUp(); err != nil {
				return err
			}
		case ran:
			spun = false
		case !spun:
			a.spin()
			spun = true
		case s.inside():
			return a.endLinked()
		default:
			a.sleep()
		}
	}
	if s.opened.trial != nil {
		s.opened.tell(h)
	}
	return h.Err()
}

// endLinked is end inside a job, once it has come to sleeping: others that wait
// for the jobs on the stack shall see what those wait for.
func (a *await) endLinked() error {
	s, h := a.seat, a.job
	a.base, a.inside = len(s.waits), true
	defer a.unlink()
	a.link() // this may panic half-way
	told := false
	for spun := true; !h.Done(); {
		a.linkClosers()
		ran, circular := a.help()
		switch {
		case circular && !a.must:
			if err := a.giveUp(); err != nil {
				return err
			}
		case ran:
			spun = false
		case !spun:
			a.spin()
			spun = true
		case circular && !told:
			for p := range allPools {
				p.waiters.WakeAll() // those that can give up have begun to wait before
			}
			told = true
		default:
			a.sleep()
		}
	}
	if s.opened.trial != nil {
		s.opened.tell(h)
	}
	return h.Err()
}

// spin stays awake for a while in the hope that the job will be done.
func (a *await) spin() {
	p, h := a.seat.pool, a.job
	limit := p.machine.Awake(spinWaiting)
	if limit == 0 {
		runtime.Gosched()
		return
	}
	start := clock()
	last := start
	for round := 1; !h.Done(); round++ {
		pause(p.pauses)
		if round%32 != 0 {
			continue
		}
		now := clock()
		p.machine.Notice(now-last, park.LostGap)
		if now-start > limit {
			return
		}
		last = now
	}
}

// sleep sleeps until the job is done, or until there is something to do
// that may be for it.
//
// Its invariant: it is registered in each pool of which it needs a job, before the walk that finds nothing to
// do there. So whatever makes such a job ready wakes it, if no worker of that pool is there to be woken. If the job
// that it waits for comes to need others later, of pools that were not met, submit wakes it.
func (a *await) sleep() {
	s, h := a.seat, a.job
	p := h.slot.pool // which knows when the job is done
	s.pool.at(s, "is about to register as a waiter")
	p.waiters.Add(s.parker, h, a.inside)
	s.pool.at(s, "is registered as a waiter")
	defer p.waiters.Remove(s.parker, h) // also if a job that is run here ends the goroutine
	if !h.slot.watch(h.gen) {
		return
	}
	s.pool.at(s, "watches")
	a.registers, a.met, a.added = true, len(s.met), len(s.met)
	defer a.strikeOut()
	for {
		// What was made ready by a goroutine that could not see the sleeper yet was
		// made so before this look.
		if ran, circular := a.help(); ran || circular && !a.must || h.Done() {
			return
		}
		if a.added == len(s.met) {
			break
		}
		for ; a.added < len(s.met); a.added++ {
			s.met[a.added].waiters.Add(s.parker, h, a.inside)
		}
		s.pool.at(s, "is registered in other pools")
	}
	if !a.closersCame() && runOwned(s) == 0 { // of these nothing may be needed, so they come last
		s.rest(0)
	}
}

// strikeOut ends what sleep has begun in other pools. The last walk may have noted some in which it is not
// registered.
func (a *await) strikeOut() {
	s := a.seat
	a.registers = false
	for _, other := range s.met[a.met:a.added] {
		other.waiters.Remove(s.parker, a.job)
	}
	clear(s.met[a.met:])
	s.met = s.met[:a.met]
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
	s := hs[i].slot.pool.enterToRun()
	defer s.leave()
	for ran := true; ran; {
		ran = false
		for _, h := range hs {
			if !h.Done() {
				r, _ := (&await{seat: s, job: h}).help()
				ran = ran || r
			}
		}
	}
}

// Wait returns when the job is done; until then the caller works too, on what
// the job needs, in whichever pool that is, and on nothing else. The error is nil, a *PanicError, an *ExitError,
// the cause of a cancelled context, ErrDeadlock or what a job before it left.
// Inside a job, Task.Wait is the better way.
func (h Handle) Wait() error {
	if h.Done() {
		return h.Err()
	}
	s := h.slot.pool.enterToRun()
	defer s.leave()
	return (&await{seat: s, job: h}).wait()
}

// Combine is a handle that is done when all of hs are. It carries the error
// of the first in the list that failed.
func Combine(hs ...Handle) Handle {
	var one Handle
	n := 0
	for _, h := range hs {
		if !h.well() {
			one = h
			n++
		}
	}
	if n <= 1 {
		return one
	}
	s := one.slot.pool.enter()
	defer s.leave()
	sl := s.newSlot()
	sl.kind = combined
	return s.submit(sl, hs)
}

// String is the name of the job, "a job that is done" once it is.
func (h Handle) String() string {
	if h.slot == nil || !h.slot.pin(h.gen) {
		return "a job that is done"
	}
	defer h.slot.unpin()
	return h.slot.kind.name
}

// Follows reports whether the job cannot be done before other: it was scheduled behind it, is its
// parent or waits for it, or for another that does. A job that is done follows none.
func (h Handle) Follows(other Handle) bool {
	seen := map[Handle]bool{}
	stack := []Handle{h}
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[top] || top.slot == nil || !top.slot.pin(top.gen) {
			continue
		}
		seen[top] = true
		st := step{slot: top.slot, gen: top.gen, edge: top.slot.deps}
		for st.read(); st.known > 0; st.read() {
			stack = append(stack, st.needs[:st.known]...)
			st.known = 0
		}
		top.slot.unpin()
		if top == other && top != h {
			return true
		}
	}
	return false
}

// Level is how much the pool of the job checks; Off for the zero Handle.
func (h Handle) Level() Level {
	if h.slot == nil {
		return Off
	}
	return h.slot.pool.level
}
