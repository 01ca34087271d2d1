package jobs

import (
	"fmt"
	"runtime/debug"
	"time"
)

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
	return p.runRange(plainRange(body), n, grain, nil)
}

// unwatched reports whether nobody looks at the pool's jobs.
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
func (p *Pool) runRange(j RangeJob, n, grain int, sc *Scope) error {
	s := p.enter()
	defer s.leave()
	sl := s.newLoop(j, n, grain, sc)
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
	s.linger(h)
	return s.waitOn(h, true)
}

// plainRange makes a RangeJob of the body of a Range.
type plainRange func(lo, hi int)

// RunRange calls f.
func (f plainRange) RunRange(_ *Task, lo, hi int) { f(lo, hi) }

// checkGrain checks the arguments of a parallel-for and chooses a grain of 0.
func checkGrain(fn string, n, grain int) int {
	if n < 0 || grain < 0 {
		panic(fmt.Sprintf("jobs: %s: n is %d, grain is %d", fn, n, grain))
	}
	if grain == 0 {
		return autoGrain(n)
	}
	if uint64(n)/uint64(grain) >= maxBlocks {
		panic(fmt.Sprintf("jobs: %s: n is %d, grain is %d: more than %d blocks", fn, n, grain, int64(maxBlocks)))
	}
	return grain
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

// bind makes a new job one of a scope.
func (sl *slot) bind(sc *Scope) {
	if sc != nil {
		sl.bound, sl.scope = true, sc
	}
}

// submit links a new slot behind the jobs it waits for, and queues it if there
// are none.
func (s *seat) submit(sl *slot, after []Handle) Handle {
	h := Handle{slot: sl, gen: generation(sl.word.Load())}
	s.begun++
	if s.begun%64 == 0 {
		s.publish()
	}
	if p := s.pool; p.book != nil {
		p.enterBook(sl, after)
	}
	child, waits := sl.bound && sl.parent != nil, false
	if len(after) == 1 {
		waits = s.follow(sl, h, after[0])
	} else {
		waits = s.link(sl, after)
	}
	if child {
		sl.unlock() // see adopt
		if waits && s.pool.inside.Load() > 0 {
			s.pool.wakeInside() // what the child waits for may sleep until its parent is done
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
// its new end. Whoever waits for the end may run the head and all between them,
// without a walk: each has one that is lined behind it, at most.
func (s *seat) follow(sl *slot, h, a Handle) bool {
	if !a.Done() {
		i, e := s.newEdge()
		e.from, e.fromGen, e.to, e.pos, e.nextIn, e.group = a.slot, a.gen, sl, edgeOnly, 0, 0
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

// link links a slot behind several jobs. It returns false if all are done. The
// list of edges begins with the last job: that is where a walk begins, and a
// thief with the first.
func (s *seat) link(sl *slot, after []Handle) bool {
	if len(after) <= 2*fanIn {
		linked := s.linkGroup(sl, after, 0, 0)
		return linked != 0 && sl.pending.Add(int32(linked)) != 0
	}
	groups := int32(0)
	for at := 0; at < len(after); at += fanIn {
		i, e := s.newEdge()
		e.from, e.to, e.nextOut = nil, sl, 0
		e.nextIn = sl.deps
		sl.deps = i
		linked := s.linkGroup(sl, after[at:min(at+fanIn, len(after))], at, i)
		if linked != 0 && !e.expect(linked) {
			groups++
		}
	}
	return groups != 0 && sl.pending.Add(groups) != 0
}

// linkGroup links a slot behind some of its dependencies, the first of which
// is at a place in the list of all, and returns how many are not done.
func (s *seat) linkGroup(sl *slot, after []Handle, at int, group uint32) (linked uint32) {
	for k, a := range after {
		if a.slot == nil {
			continue
		}
		if !a.Done() {
			i, e := s.newEdge()
			e.from, e.fromGen, e.to, e.pos, e.group = a.slot, a.gen, sl, uint32(at+k), group
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

// enqueue makes a job that waits for nothing available to those who may run it.
func (s *seat) enqueue(sl *slot, h Handle) {
	p := s.pool
	if sl.bound && sl.owner != 0 {
		p.handOver(sl)
		return
	}
	ns := sl.estimate()
	s.size(ns)
	k, normal := sl.kind, sl.priority == Normal
	if normal {
		s.last, s.tail, s.told = h, h, 0
	}
	// From here on the job may be done at any time.
	if !normal || !s.layDown(sl) {
		s.offer(sl)
		s.deque.publish()
	}
	told := normal && p.parkedCount.Load() != 0 && uint64(ns) >= tinyJob
	if told && k.prompt.Load() >= surelyPrompt {
		ns = 0 // nobody needs to be woken for it
	}
	p.announce(1, ns)
	if told {
		s.told = clock() // not before: to wake somebody takes longer than promptTime
	}
}

// surelyPrompt is how often in a row who has scheduled a job of a kind has to go on to
// wait for it at once, within promptTime, before workers are let sleep: then it is for
// the one who waits to say whether they are needed.
const (
	surelyPrompt = 4
	promptTime   = 3 * time.Microsecond
)

// waited notes that the seat's last job, of which others were told, was waited for here
// before anybody had it.
func (s *seat) waited(k *kind) {
	if clock()-s.told > promptTime {
		k.prompt.Store(0)
	} else if n := k.prompt.Load(); n < surelyPrompt {
		k.prompt.Store(n + 1)
	}
	s.told = 0
}

// layDown makes a job ready on the seat's desk, if nothing is queued: cheaper
// than the deque, above all for a slot that lies there still from last time.
func (s *seat) layDown(sl *slot) bool {
	if !s.deque.idle() {
		return false
	}
	old := s.desk.Load()
	if old == sl {
		sl.ready()
		return true
	}
	if old != nil && old.word.Load()&phaseMask == phaseReady {
		return false
	}
	sl.ready()
	s.desk.Swap(sl)
	return true
}

// tinyJob is how short, in nanoseconds, a job must be to be left to its seat:
// elsewhere it would take longer.
const tinyJob = 500

// size notes what kind of jobs the seat offers, for thieves.
func (s *seat) size(ns int64) {
	if tiny := uint64(ns) < tinyJob; tiny != s.tiny.Load() {
		s.tiny.Store(tiny)
	}
}

// estimate is how long the job will take in nanoseconds; negative if that is
// not known.
func (sl *slot) estimate() int64 {
	if sl.shape == shapeMany {
		return sl.kind.estimate(sl.n)
	}
	return sl.kind.estimate(1)
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
	default:
		sl.spare()
		s.pool.background.push(sl)
		if s.pool.asleep.Load() > 0 {
			s.pool.wakeSleepers() // those who may begin it may all be waiting for it
		}
	}
}

// enterBook enters a job in the book of a pool that is watched.
func (p *Pool) enterBook(sl *slot, after []Handle) {
	where := ""
	if p.level == Panic {
		where = site()
	}
	p.book.add(sl, after, where)
}
