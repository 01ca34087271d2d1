package jobs

import "sync"

// A body may call runtime.Goexit: testing.T.FailNow does. Its job fails with an
// *ExitError, as it would by a panic, and nobody else's. But Go ends the whole
// goroutine, and nothing on its stack can stop that: what runs a body inside a wait,
// whose caller shall go on, has to run it on another goroutine. That costs several
// times what a short job takes, so it is done where it can matter:
//
//   - A worker that runs a job with nothing below it on its stack ends, and another
//     goroutine takes its seat: see Pool.work.
//   - In a wait, jobs of a kind that has never run to its end so far, or of which one
//     has called runtime.Goexit, run apart.
//   - At level Panic, which is for tests, and in Pool.Close all of them do.
//   - What belongs to a goroutine (ScheduleHere) cannot, and what has run well before
//     does not. If such a job calls runtime.Goexit in a wait the goroutine ends when
//     the job has been completed, and so do the jobs below it on that stack: they
//     carry the error of the one that called, which bears its name.
//
// While a body runs apart, its goroutine holds the seat, so that all it calls finds
// its place; the goroutine that waits for it only runs what belongs to it.

// wary reports whether the body of the job that was pushed last is to run apart.
func (s *seat) wary(sl *slot) bool {
	if !s.outside && s.depth == 1 {
		return false
	}
	return (s.often == 0 || !sl.kind.known()) && !(sl.bound && sl.owner != 0)
}

// apart runs the body of a job on a goroutine of its own, and records how it fails. It
// reports whether it has not.
func (s *seat) apart(sl *slot, t *Task, body func()) (well bool) {
	p := s.pool
	me, away := p.self()
	asked := away
	if asked == nil {
		asked = &errands{owner: me, calls: make(chan func())}
	}
	over, back := make(chan struct{}), goroutine()
	go func() {
		defer close(over)
		defer s.sit(back) // not later: another goroutine may soon look like this one
		id := goroutineID()
		p.aparts.add(id, asked)
		s.sit(goroutine())
		defer func() {
			if !well {
				_ = s.caught(sl, t, recover()) // the slot has it
			}
			t.past = true
			_ = s.exitHere() // jobs below are on another stack
			p.aparts.remove(id)
		}()
		body()
		well = true
	}()
	if away == nil {
		asked.run(over)
	} else {
		<-over // the goroutine below runs the errands
	}
	return well
}

// sit makes a goroutine the holder of the seat, which the calling one holds or is given.
func (s *seat) sit(g uintptr) {
	if p := s.pool; !s.outside && g != 0 {
		p.mu.Lock()
		p.staff.remove(s.holder.Load())
		p.staff.add(g, s)
		p.mu.Unlock()
	}
	s.holder.Store(max(g, unknownGoroutine))
}

// errands are calls that a goroutine makes for those who run apart from it.
type errands struct {
	owner uintptr // the goroutine that makes them
	calls chan func()
}

// run makes errands until it is over, even if one of them ends the goroutine.
func (e *errands) run(over <-chan struct{}) {
	ended := false
	defer func() {
		if !ended {
			e.run(over)
		}
	}()
	for {
		select {
		case <-over:
			ended = true
			return
		case f := <-e.calls:
			f()
		}
	}
}

// ask has a job run by the goroutine that makes the errands, which sits on the seat
// meanwhile.
func (e *errands) ask(s *seat, sl *slot) {
	over, back := make(chan struct{}), goroutine()
	e.calls <- func() {
		defer close(over)
		defer s.sit(back)
		s.sit(goroutine())
		s.runWishes(sl, nothingElse)
	}
	<-over
}

// aparts knows the goroutines that run bodies apart.
type aparts struct {
	mu   sync.Mutex
	list map[uintptr]*errands
}

func (a *aparts) add(id uintptr, e *errands) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.list == nil {
		a.list = map[uintptr]*errands{}
	}
	a.list[id] = e
}

func (a *aparts) remove(id uintptr) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.list, id)
}

// self is the goroutine whose jobs of ScheduleHere the calling one runs: itself, or,
// if it runs a body apart, the one that waits for that; then away makes errands there.
func (p *Pool) self() (id uintptr, away *errands) {
	id = goroutineID()
	p.aparts.mu.Lock()
	defer p.aparts.mu.Unlock()
	if away = p.aparts.list[id]; away != nil {
		id = away.owner
	}
	return id, away
}

// ending is a call of runtime.Goexit that is ending the jobs of a stack.
type ending struct {
	err       *ExitError // nil if there is none
	goroutine uintptr
}

// passExit tells the jobs below on the stack why they end.
func (s *seat) passExit(err *ExitError) {
	if s.depth > 0 {
		s.ending = ending{err, goroutineID()}
	}
}

// exitHere takes the call that is ending the calling goroutine; nil if the body that
// was caught has made it.
func (s *seat) exitHere() *ExitError {
	e := s.ending
	if e.err == nil || e.goroutine != goroutineID() {
		return nil
	}
	s.ending = ending{}
	return e.err
}
