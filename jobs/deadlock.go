package jobs

// A job that waits needs what it waits for, and so does every job below it on
// the stack of its goroutine: none of them goes on before the wait is over. Edges
// say so while the goroutine sleeps. Others who wait for one of these jobs follow
// them and help; and who meets a job of his own stack on the way has found a
// circle.
//
// Of those who wait in a circle the one who links last finds it, for the edges
// of all others are there; if a child closes it, which is scheduled behind one of
// them, all are woken to look again. Several may find it at a time, but they give up one
// by one, under a lock, and only after another look: the first breaks the circle
// for the rest.

// linkWait records that the jobs on the stack need h. unlinkWait has to begin at
// what the length of s.waits was before.
func (s *seat) linkWait(h Handle) {
	for _, t := range s.tasks[:s.depth] {
		s.waits = append(s.waits, s.need(t, h.slot, h.gen, edgeWait))
	}
}

// unlinkWait takes back what linkWait has recorded.
func (s *seat) unlinkWait(base int) {
	if len(s.waits) == base {
		return
	}
	s.pool.circles.Lock()
	defer s.pool.circles.Unlock()
	s.unlinkHeld(base)
}

// unlinkHeld is unlinkWait for who holds the lock. The edges stay in their lists,
// without a meaning, until sweep or the end of their job.
func (s *seat) unlinkHeld(base int) {
	for _, i := range s.waits[base:] {
		e := edgeAt(i)
		sl := e.to
		sl.lock()
		e.from = nil
		sl.unlock()
	}
	s.waits = s.waits[:base]
}

// giveUp looks once more whether h can never be done because a job on this stack
// would have to end first. If so it takes back what was recorded from base on and
// returns how h depends on that job.
func (s *seat) giveUp(h Handle, base int) error {
	s.pool.circles.Lock()
	defer s.pool.circles.Unlock()
	w := s.newWalk()
	w.looks = true
	w.all(h)
	if w.chain == nil {
		return nil
	}
	s.unlinkHeld(base)
	return &DeadlockError{Chain: w.chain}
}

// need adds to what the task's job needs before it is done: a child, or a job
// that it waits for. It returns the edge.
func (m *memory) need(t *Task, from *slot, gen, kind uint32) uint32 {
	if t.needs >= max(t.sweepAt, sweepLeast) {
		t.needs, t.sweepAt = 0, 2*m.sweep(t.slot)
	}
	i, e := m.newEdge()
	e.from, e.fromGen, e.to, e.pos = from, gen, t.slot, kind
	t.slot.addChildren(i, e)
	t.needs++
	return i
}

// What kind of need an edge in the list of children is, in its pos.
const (
	edgeChild = iota
	edgeWait
)

// sweepLeast is how many edges a task adds to the list of a job before it looks
// for some that have become useless.
const sweepLeast = 64

// sweep frees the edges in the list of a running job that lead from what is
// done: a body that never returns would pile them up. It returns how many are
// left. Who is in the middle of the list begins anew.
func (m *memory) sweep(sl *slot) (left uint32) {
	sl.lock()
	var first, gone uint32
	var last *edge
	for i := sl.children.Swap(0); i != 0; {
		e := edgeAt(i)
		next := e.nextIn
		switch {
		case e.from == nil, e.pos == edgeChild && generation(e.from.word.Load()) != e.fromGen:
			e.nextIn = gone
			gone = i
		default: // edges of a wait are taken back by who waits
			if last == nil {
				first = i
			} else {
				last.nextIn = i
			}
			last = e
			left++
		}
		i = next
	}
	if last != nil {
		sl.addChildren(first, last)
	}
	sl.sweeps++
	sl.unlock()
	m.dropEdges(gone)
	return left
}
