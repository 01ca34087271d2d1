package jobs

import (
	"sync"
	"sync/atomic"
)

// A job that waits needs what it waits for, and so does every job below it on
// the stack of its goroutine: none of them goes on before the wait is over. Edges
// say so while the goroutine sleeps. Others that wait for one of these jobs follow
// them and help; and one that meets a job of its own stack on the way has found a
// circle.
//
// Of those that wait in a circle the one that links last finds it, for the edges
// of all others are there; if a child closes it, which is scheduled behind one of
// them, all are woken to look again. Several may find it at a time, but they give up one
// by one, under a lock, and only after another look: the first breaks the circle
// for the rest.

// link records that the jobs on the stack need the one that is waited for. unlink has to
// begin at base, what the length of the seat's waits was before.
func (a *await) link() {
	s := a.seat
	for t := range s.bodies {
		s.waits = append(s.waits, s.need(t, a.job.slot, a.job.gen, edgeWait))
	}
}

// A job that closes another pool waits for the workers and the external jobs of that pool, and so needs each
// job whose body they run. Pool.Close waits in the name of a job of its own, the closer: the bodies of the caller need the
// closer, and the closer needs the bodies on the stack of each goroutine of the pool that waits. The waiting goroutine records
// that, because no other can read its stack. If the closer comes after the wait, Close wakes all waiters so that they do.

// closings counts the calls of Close inside jobs, once others can find their closers.
var closings atomic.Uint32

// close begins the wait of Pool.Close inside a job.
func (a *await) close() {
	s := a.seat
	sl := s.newSlot()
	sl.kind = closing
	sl.word.Add(phaseRunning - phaseWaiting)
	a.job, a.base, a.inside = Handle{slot: sl, gen: generation(sl.word.Load())}, len(s.waits), true
	circles.Lock()
	s.pool.closer = &Task{slot: sl}
	circles.Unlock()
	closings.Add(1)
	a.link()
	for p := range allPools {
		p.waiters.WakeAll()
	}
}

// closed ends the wait of Pool.Close. No goroutine of the pool is left that could need the closer.
func (a *await) closed() {
	s, sl := a.seat, a.job.slot
	a.unlink()
	circles.Lock()
	s.pool.closer = nil
	circles.Unlock()
	s.dropSlot(sl, sl.close())
}

// closersCame reports whether linkClosers has something to do.
func (a *await) closersCame() bool { return a.inside && closings.Load() != a.closings }

// linkClosers records that the closers of the calling goroutine's pools need the jobs on its stack.
func (a *await) linkClosers() {
	if !a.closersCame() {
		return
	}
	s := a.seat
	g := goroutineID()
	me, _ := apart.self()
	circles.Lock()
	defer circles.Unlock() // also if need panics
	a.closings = closings.Load()
	for p := range allPools {
		waitsForMe := p.registry.find(g) != nil || p.externals.task(me) != nil || p.closer != nil && p.closer.slot == a.job.slot && s.depth > 0
		if p.closer == nil || !waitsForMe {
			continue
		}
		for t := range s.bodies {
			s.waits = append(s.waits, s.need(p.closer, t.slot, generation(t.slot.word.Load()), edgeWait))
		}
	}
}

// bodies yields the tasks of the bodies that the calling goroutine, which sits here, runs: those on its seats in
// all pools, and that of its external job.
func (s *seat) bodies(yield func(*Task) bool) {
	for other := range s.all {
		for _, t := range other.tasks[:other.depth] {
			if !yield(t) {
				return
			}
		}
	}
	me, _ := apart.self()
	for p := range allPools {
		if t := p.externals.task(me); t != nil && !yield(t) {
			return
		}
	}
}

// all yields the seats of the calling goroutine: this one, and those in other pools.
func (s *seat) all(yield func(*seat) bool) {
	if !yield(s) {
		return
	}
	g := goroutineID()
	for p := range allPools {
		if p == s.pool {
			continue
		}
		if other := p.held(g); other != nil && !yield(other) {
			return
		}
	}
}

// inside reports whether the calling goroutine, which sits here, is in the body of a job, of any pool.
func (s *seat) inside() bool {
	for range s.bodies {
		return true
	}
	return false
}

// abroad is inside for a job of another pool than the seat's.
func (s *seat) abroad() bool {
	for t := range s.bodies {
		if t.slot.pool != s.pool {
			return true
		}
	}
	return false
}

// circles is held to end a wait of which others may know; see await.giveUp. A circle may lead
// through several pools.
var circles sync.Mutex

// unlink takes back what link has recorded.
func (a *await) unlink() {
	s := a.seat
	if len(s.waits) == a.base {
		return
	}
	circles.Lock()
	defer circles.Unlock()
	s.unlinkHeld(a.base)
}

// unlinkHeld takes the edges of the waits from base on back, for the holder of the lock. They stay in
// their lists, without a meaning, until sweep or the end of their job.
func (st *stack) unlinkHeld(base int) {
	for _, i := range st.waits[base:] {
		e := edgeAt(i)
		sl := e.to
		sl.lock()
		e.from = nil
		sl.unlock()
	}
	st.waits = st.waits[:base]
}

// giveUp looks once more whether the job can never be done because one on this stack
// would have to end first. If so it takes back what was recorded from base on and
// returns how the job depends on that one.
func (a *await) giveUp() error {
	s := a.seat
	circles.Lock()
	defer circles.Unlock()
	w := newWalk(s)
	w.looks = true
	w.all(a.job)
	if w.chain == nil {
		return nil
	}
	s.unlinkHeld(a.base)
	return &DeadlockError{Chain: w.chain, closes: a.job.slot.kind == closing}
}
