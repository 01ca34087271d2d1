package jobs

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

// submit links a new slot behind the jobs it waits for, and queues it if there
// are none.
func (s *seat) submit(sl *slot, after []Handle) Handle {
	h := Handle{slot: sl, gen: generation(sl.word.Load())}
	s.begun++
	if s.begun%64 == 0 {
		s.publish()
	}
	if p := s.pool; p.live != nil {
		p.live.enter(sl, after)
	}
	child, waits := sl.bound && sl.parent != nil, false
	if len(after) == 1 {
		waits = s.follow(sl, h, after[0])
	} else {
		waits = s.link(sl, after)
	}
	if child {
		sl.unlock() // see adopt
		if waits && s.pool.abroad.Load() {
			s.pool.waiters.WakeAll() // they may now need jobs of pools in which they were not registered
		} else if waits && s.pool.waiters.Inside() > 0 {
			s.pool.waiters.WakeInside() // what the child waits for may sleep until its parent is done
		}
	}
	if !waits {
		s.enqueue(sl, h)
	}
	return h
}

// follow links a slot behind one job. It returns false if that is done.
//
// The job that was queued last on a seat heads a line: a job that is scheduled
// there behind the end of the line alone, and as the first behind that, becomes
// its new end. A wait for the end may run the head and all between them,
// without a walk: each has one that is lined behind it, at most.
func (s *seat) follow(sl *slot, h, a Handle) bool {
	if !a.Done() {
		sl.pool.link(a.slot.pool)
		i, e := s.newEdge()
		e.from, e.fromGen, e.to, e.pos, e.nextIn, e.counter = a.slot, a.gen, sl, edgeOnly, 0, 0
		sl.deps = i
		for w := a.slot.word.Load(); generation(w) == a.gen; w = a.slot.word.Load() {
			lined := a == s.tail && w&wordEdges == 0
			sl.lined = lined
			if a.slot.link(w, i, e) {
				if lined {
					s.tail = h
				}
				return true
			}
		}
	}
	if err := a.Err(); err != nil {
		sl.fail(rankDependency, err)
	}
	return false
}

// link notes that a job of the pool needs one of another.
func (p *Pool) link(other *Pool) {
	if other != p && !p.abroad.Load() {
		p.abroad.Store(true)
	}
}

// link links a slot behind several jobs. It returns false if all are done. The
// list of edges begins with the last job: that is where a walk begins, and a
// thief with the first.
func (m *memory) link(sl *slot, after []Handle) bool {
	if len(after) <= 2*fanIn {
		linked := m.linkCounted(sl, after, 0, 0)
		return linked != 0 && sl.pending.Add(int32(linked)) != 0
	}
	counters := int32(0)
	for at := 0; at < len(after); at += fanIn {
		i, e := m.newEdge()
		e.from, e.to, e.nextOut = nil, sl, 0
		e.nextIn = sl.deps
		sl.deps = i
		linked := m.linkCounted(sl, after[at:min(at+fanIn, len(after))], at, i)
		if linked != 0 && !e.expect(linked) {
			counters++
		}
	}
	return counters != 0 && sl.pending.Add(counters) != 0
}

// linkCounted links a slot behind some of its dependencies, the first of which
// is at a place in the list of all, and returns how many are not done.
func (m *memory) linkCounted(sl *slot, after []Handle, at int, counter uint32) (linked uint32) {
	for k, a := range after {
		if a.slot == nil {
			continue
		}
		if !a.Done() {
			sl.pool.link(a.slot.pool)
			i, e := m.newEdge()
			e.from, e.fromGen, e.to, e.pos, e.counter = a.slot, a.gen, sl, uint32(at+k), counter
			e.nextIn = sl.deps
			sl.deps = i
			for w := a.slot.word.Load(); generation(w) == a.gen; w = a.slot.word.Load() {
				if a.slot.link(w, i, e) {
					linked++
					break
				}
			}
			// If it was done just now, the edge stays behind as one that is met.
		}
		if err := a.Err(); err != nil {
			sl.fail(rankDependency|uint64(at+k), err)
		}
	}
	return linked
}

// newJob takes a slot for a single job.
func (s *seat) newJob(j Job, sc *Scope) *slot {
	k := s.kindOf(j)
	sl := s.newSlot()
	sl.shape, sl.one, sl.kind = shapeOne, j, k
	sl.bind(sc)
	return sl
}

// newLoop takes a slot for a parallel-for.
func (s *seat) newLoop(j RangeJob, n, grain int, sc *Scope) *slot {
	k := s.kindOf(j)
	sl := s.newSlot()
	sl.shape, sl.many, sl.n, sl.grain, sl.kind = shapeMany, j, n, grain, k
	sl.bind(sc)
	return sl
}
