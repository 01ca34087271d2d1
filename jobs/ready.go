package jobs

import "time"

// giveToOwner makes a job available to its owner.
func (s *seat) giveToOwner(sl *slot) {
	p := s.pool
	o := &p.owners
	owner := sl.owner // once it is on the list, the slot may soon be another job's
	o.mu.Lock()
	o.list = append(o.list, sl)
	o.size.Store(int32(len(o.list)))
	o.mu.Unlock()
	ownedReady.Add(1)
	for q := range allPools { // the owner may wait in any, or be a worker there
		if q.waiters.Count() > 0 {
			q.waiters.WakeAll()
		}
		if own := q.registry.find(owner); own != nil {
			q.lot.Wake(own.index)
		}
	}
}

// enqueue makes a job that waits for nothing available to those that may run it.
func (s *seat) enqueue(sl *slot, h Handle) {
	p := s.pool
	if sl.bound && sl.owner != 0 {
		s.giveToOwner(sl)
		return
	}
	ns := sl.estimate()
	s.size(ns)
	k, normal := sl.kind, sl.priority == Normal
	if normal {
		s.last, s.tail, s.told = h, h, 0
	}
	// From here on the job may be done at any time.
	if !normal || !s.putRunnext(sl) {
		s.offer(sl)
		s.deque.publish()
	}
	told := normal && p.lot.Count() != 0 && uint64(ns) >= tinyJob
	if told && k.prompt.Load() >= surelyPrompt {
		ns = 0 // no worker needs to be woken for it
		told = s.random()%promptTimed == 0
	}
	p.announce(1, ns)
	if told {
		s.told = clock() // not before: to wake a worker takes longer than promptTime
	}
}

// surelyPrompt is how often in a row the goroutine that has scheduled a job of a kind has to go on to
// wait for it at once, within promptTime, before workers are let sleep: then it is for
// the one that waits to say whether they are needed.
const (
	surelyPrompt = 4
	promptTime   = 3 * time.Microsecond
	promptTimed  = 8 // one in so many is timed from then on
)

// waited notes that the seat's last job, of which others were told, was waited for here
// before another had it.
func (q *queues) waited(k *kind) {
	if clock()-q.told > promptTime {
		k.prompt.Store(0)
	} else if n := k.prompt.Load(); n < surelyPrompt {
		k.prompt.Store(n + 1)
	}
	q.told = 0
}

// putRunnext makes a job ready and the seat's runnext, if nothing is queued: cheaper
// than the deque, above all for a slot that lies there still from last time.
func (q *queues) putRunnext(sl *slot) bool {
	if !q.deque.idle() {
		return false
	}
	old := q.runnext.Load()
	if old == sl {
		sl.ready()
		return true
	}
	if old != nil && old.word.Load()&phaseMask == phaseReady {
		return false
	}
	sl.ready()
	q.runnext.Swap(sl)
	return true
}

// tinyJob is how short, in nanoseconds, a job must be to be left to its seat:
// elsewhere it would take longer.
const tinyJob = 500

// size notes what kind of jobs the seat offers, for thieves.
func (q *queues) size(ns int64) {
	if tiny := uint64(ns) < tinyJob; tiny != q.tiny.Load() {
		q.tiny.Store(tiny)
	}
}

// offer puts a job where workers look for it. They see it at the latest after
// deque.publish.
func (s *seat) offer(sl *slot) {
	switch sl.priority {
	case Normal:
		sl.ready()
		s.deque.put(sl)
	case High:
		sl.ready()
		s.pool.high.push(sl)
	case Background:
		sl.readyInBackground()
		s.pool.background.push(sl)
		if s.pool.waiters.Count() > 0 {
			s.pool.waiters.WakeAll() // those that may begin it may all be waiting for it
		}
	default:
		panic("jobs: a job of unknown priority")
	}
}
