package jobs

import (
	"slices"
)

// A waiting goroutine works, but only on what it waits for: it walks the
// edges backwards from the job it needs, runs what is ready and joins loops
// that are open. So an unrelated long job never sits on a waiting stack, and
// no wait can block a job that it depends on. Meeting a job of the own stack
// on the way means that the wait could never end.
//
// The edges lead from pool to pool, and so does the walk: it runs each job on a seat of the
// job's own pool. So a wait never depends on another pool having a worker that is free.

// help does what can be done now for the job that is waited for. It reports whether it ran
// anything, and whether it has come upon a job of this stack: then h may never
// be done, and there is no more to do for it, unless the wait for it must go on.
func (a *await) help() (ran, circular bool) {
	w := newWalk(a.seat)
	w.must = a.must
	if a.registers {
		w.known, w.met = a.job.slot.pool, a.met
	}
	w.all(a.job)
	return w.ran, w.circular
}

// walk is one pass over what a job needs. Its steps lie on the seat's stack
// from base on: a job that it runs may begin a walk of its own.
type walk struct {
	seat     *seat
	base     int
	mark     uint64 // left on jobs for which nothing can be done in this pass
	must     bool   // it does not end at a job of the own stack
	looks    bool   // it runs nothing
	known    *Pool  // it notes the pools that it comes to, in seat.met, except for this one; nil if it notes none
	met      int    // where in seat.met they begin
	ran      bool
	circular bool     // it has met a job of the own stack
	chain    []string // the names on the way there, if it only looks
}

func newWalk(s *seat) walk {
	s.pass++
	return walk{seat: s, base: len(s.steps), mark: uint64(s.number)<<40 | s.pass&(1<<40-1)}
}

// all begins at h and goes on until there is nothing left to look at.
func (w *walk) all(h Handle) {
	s := w.seat
	defer w.end() // also if a job that is run here ends the goroutine
	w.enter(h)
	for len(s.steps) > w.base && (!w.circular || w.must) {
		top := &s.steps[len(s.steps)-1]
		needed, open := top.look()
		switch {
		case !open: // it is done
			w.drop()
		case needed != Handle{}:
			w.enter(needed)
		default: // everything it needs was looked at
			last := Handle{slot: top.slot, gen: top.gen}
			w.drop()
			if !w.looks && last.slot.claimGeneration(last.gen) {
				w.run(last.slot)
			} else {
				last.slot.mark.Store(w.mark)
			}
		}
	}
}

// end takes all steps away.
func (w *walk) end() { w.seat.steps = w.seat.steps[:w.base] }

// enter deals with one job: it runs it, or joins it, or makes it a step.
func (w *walk) enter(h Handle) {
	s, sl := w.seat, h.slot
	word := sl.word.Load()
	if generation(word) != h.gen {
		return
	}
	if w.known != nil && sl.pool != w.known && !slices.Contains(s.met[w.met:], sl.pool) {
		s.met = append(s.met, sl.pool)
	}
	if word&phaseReady != 0 && !w.looks && sl.claimGeneration(h.gen) {
		w.run(sl)
		return
	}
	if sl.mark.Load() == w.mark {
		return
	}
	if s.runs(sl) {
		w.die(sl)
		return
	}
	if w.onTheWay(h) {
		return
	}
	if i := sl.loop.Load(); i != 0 && !w.looks {
		w.join(sl.pool.loops[i-1].Load(), h)
	}
	if sl.pin(h.gen) {
		mine := sl.shape == shapeOutside && sl.runsHere()
		if !mine {
			w.push(sl, h.gen)
		}
		sl.unpin()
		if mine {
			w.die(sl)
		}
	}
}

// runsHere reports whether the slot holds an external job that the calling goroutine runs.
func (sl *slot) runsHere() bool {
	me, _ := apart.self()
	t := sl.pool.externals.task(me)
	return t != nil && t.slot == sl
}

// runs reports whether the body of a slot's job is on the stack of the seat's goroutine. That
// of another pool's job is on the seat that the goroutine has in that pool.
func (s *seat) runs(sl *slot) bool {
	if sl.pool != s.pool {
		if s = sl.pool.held(goroutineID()); s == nil {
			return false
		}
	}
	for _, t := range s.tasks[:s.depth] {
		if t.slot == sl {
			return true
		}
	}
	return false
}

// onTheWay reports whether h is a step of the walk: others wait in a circle, and
// going round it would never end. Every circle leads through a job that needs a
// child or what it waits for, so only those are looked up.
func (w *walk) onTheWay(h Handle) bool {
	if h.slot.children.Load() == 0 {
		return false
	}
	steps := w.seat.steps[w.base:]
	for i := range steps {
		if st := &steps[i]; st.slot == h.slot && st.gen == h.gen {
			return true
		}
	}
	return false
}

// die ends the walk at a job of the own stack. One that only looks notes how it was
// reached: none of those on the way can be done meanwhile, so their names can be
// read.
func (w *walk) die(last *slot) {
	w.circular = true
	if !w.looks {
		return
	}
	for _, st := range w.seat.steps[w.base:] {
		w.chain = append(w.chain, st.slot.kind.name)
	}
	w.chain = append(w.chain, last.kind.name)
}

// push makes a pinned slot the topmost step.
func (w *walk) push(sl *slot, gen uint32) {
	s := w.seat
	if len(s.steps) < cap(s.steps) {
		s.steps = s.steps[:len(s.steps)+1]
	} else {
		s.steps = append(s.steps, step{})
	}
	st := &s.steps[len(s.steps)-1]
	st.slot, st.gen, st.edge, st.children, st.sweeps, st.known = sl, gen, sl.deps, false, 0, 0
	st.read()
}

// join works in the loop lp if it is still that of h.
func (w *walk) join(lp *loop, h Handle) {
	if !lp.join() {
		return
	}
	s := w.seat
	if p := h.slot.pool; p != s.pool {
		s = p.enterToRun()
		defer s.leave()
	}
	if lp.slot != h.slot || h.Done() { // a later job's, perhaps in the same slot
		lp.quit(s, nothingElse)
		return
	}
	w.ran = true
	w.runNext(s, lp.share(s, w.continuation()))
}

// look returns the next job that the step's job needs, the zero Handle at the
// end of the list. The step is not open when its job is done.
func (st *step) look() (needed Handle, open bool) {
	if st.known == 0 {
		if !st.slot.pin(st.gen) {
			return Handle{}, false
		}
		st.read()
		st.slot.unpin()
		if st.known == 0 {
			return Handle{}, true
		}
	}
	st.known--
	st.at++
	return st.needs[st.at-1], true
}

// read reads some more of the lists; the slot is pinned.
func (st *step) read() {
	st.at, st.known = 0, 0
	for st.known < len(st.needs) {
		if st.edge == 0 && !st.children || st.children && st.sweeps != st.slot.sweeps {
			st.children, st.sweeps = true, st.slot.sweeps
			st.edge = st.slot.children.Load()
		}
		if st.edge == 0 {
			break
		}
		e := edgeAt(st.edge)
		st.edge = e.nextIn
		if e.from == nil {
			continue // a counter, or a wait that is over
		}
		n := &st.needs[st.known]
		n.slot, n.gen = e.from, e.fromGen
		st.known++
	}
}

// drop takes the topmost step away.
func (w *walk) drop() { w.seat.steps = w.seat.steps[:len(w.seat.steps)-1] }

// continuation is the job that the walk would come back to, the topmost step: when it
// becomes ready it is run next.
func (w *walk) continuation() continuation {
	if s := w.seat; len(s.steps) > w.base {
		top := &s.steps[len(s.steps)-1]
		return continuation{slot: top.slot, gen: top.gen}
	}
	return nothingElse
}

// run runs a job that was claimed, and then the steps above it as they become
// ready.
func (w *walk) run(sl *slot) {
	w.ran = true
	if s := w.seat; sl.pool == s.pool {
		w.runNext(s, s.step(sl, w.continuation()))
	} else {
		w.runAbroad(sl)
	}
}

// runAbroad is run in another pool.
func (w *walk) runAbroad(sl *slot) {
	s := sl.pool.enterToRun()
	defer s.leave() // also if the job ends the goroutine
	w.runNext(s, s.step(sl, w.continuation()))
}

func (w *walk) runNext(s *seat, sl *slot) {
	for sl != nil {
		w.drop() // it was the wanted one
		sl = s.step(sl, w.continuation())
	}
}

// step is a place in such a walk: a job and the edges into it that have not
// been looked at.
type step struct {
	slot     *slot
	gen      uint32
	edge     uint32
	children bool // edge is in the list of children; before that come the dependencies

	sweeps uint32 // of that list, when it was read

	needs [8]Handle // read ahead: known of them from at on
	at    int
	known int
}
