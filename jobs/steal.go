package jobs

// How often a thief looks at jobs that no other takes before it does. A single
// one is left alone at first sight: as a rule the goroutine that has scheduled it is about
// to wait for it, and would rather find it than have it done far away. Tiny
// ones are left alone as long as their seat schedules or runs any; even to look
// at them often would cost more than they are worth.
const (
	looksAtOne  = 2
	looksAtTiny = 4
	tinySkip    = 8
)

// worthStealing reports whether to steal from seat i, the victim. Of a seat that offers
// tiny jobs it touches, as a rule, one cache line that hardly ever changes. In a pool that is closing
// there may be no second look.
//
// The invariant: a thief that leaves a job alone has noted what it saw, says so in spared,
// and looks again before it sleeps, so that after as many looks as its patience nothing is
// left that no other has taken. Looks that are left out do not count as seen.
func (t *thief) worthStealing(victim *seat, i int, closing bool) bool {
	for i >= len(t.looks) {
		t.looks = append(t.looks, look{})
	}
	last := &t.looks[i]
	tiny := victim.tiny.Load() && !closing
	if tiny {
		if last.skip--; last.skip > 0 {
			return false
		}
		last.skip = tinySkip
	}
	now := look{runnext: victim.onRunnext(), top: victim.deque.top.Load(), skip: last.skip}
	n := victim.deque.size()
	if now.runnext.slot != nil {
		n++
	}
	if n <= 0 {
		return false
	}
	patience := 1
	if n == 1 && !closing {
		patience = looksAtOne
	}
	if tiny {
		patience = looksAtTiny
		now.count = victim.counters.jobs.Load() + victim.counters.begun.Load()
	}
	if last.runnext != now.runnext || last.top != now.top || last.count != now.count {
		*last = now
	}
	last.times++
	if last.times < patience {
		t.spared = true
		return false
	}
	// The next look must not be left out: a thief that has only looked comes to steal now,
	// and for one that steals whatever changes is its own doing.
	last.skip = 0
	return true
}

// onRunnext is the job that is the seat's runnext; zero if there is none.
func (q *queues) onRunnext() Handle {
	if sl := q.runnext.Load(); sl != nil {
		if w := sl.word.Load(); w&phaseMask == phaseReady {
			return Handle{slot: sl, gen: generation(w)}
		}
	}
	return Handle{}
}

// stealFrom claims a job of seat i: its runnext, or the oldest of the
// deque that is ready.
func (s worker) stealFrom(victim *seat, i int) *slot {
	for s.worthStealing(victim, i, s.pool.closed.Load()) {
		last := &s.looks[i]
		if sl := last.runnext.slot; sl != nil {
			last.runnext = Handle{}
			if sl.claim() {
				count(&s.counters.steals)
				return sl
			}
			continue
		}
		s.pool.at(s.seat, "is about to steal")
		sl := victim.deque.steal()
		if sl == nil {
			return nil
		}
		s.pool.at(s.seat, "has stolen")
		last.top++
		s.takeMore(victim, last)
		if sl.claim() {
			count(&s.counters.steals)
			return sl
		}
	}
	return nil
}

// stealMost is how many jobs a thief takes at a time, at most.
const stealMost = 16

// takeMore moves jobs from a seat's deque into the own one, until the thief has
// taken half of them: while it has jobs of its own it disturbs no other. On their
// way no worker sees them, one that goes to sleep just then included: see passOn.
func (s worker) takeMore(victim *seat, last *look) {
	for n := min(victim.deque.size()/2, stealMost-1); n > 0; n-- {
		sl := victim.deque.steal()
		if sl == nil {
			break
		}
		last.top++
		s.deque.put(sl)
		s.moved = true
	}
	s.pool.at(s.seat, "is about to show what it has moved")
	s.deque.publish()
}
