package jobs

import (
	"runtime"
	"slices"
	"sync/atomic"
	"weak"
)

// slot holds one scheduled job. Slots are used again; a handle names a slot
// and one generation of it. A slot whose job failed is never used again, so
// that its handles can tell the error for as long as somebody holds them.
//
// A single job without parent and scope needs one cache line.
type slot struct {
	// word is generation<<32 | first edge out<<8 | pins<<4 | failed<<3 | watched<<2 | phase.
	// When the job is done, one compare-and-swap moves it to the next
	// generation and takes the edges away: whoever comes later sees that the
	// generation is over.
	word    atomic.Uint64
	left    atomic.Int32  // children that are not done, plus bodyDone
	pending atomic.Int32  // jobs before it that are not done, minus those not yet counted
	kids    atomic.Uint32 // edges from children and from jobs waited for

	// Plain fields are written before the job is published, and read by who
	// runs it or pins it.
	deps     uint32 // edges from the jobs before it
	shape    shape
	priority Priority
	bound    bool // scope, parent, order, owner or later are set
	lined    bool // see follow
	one      Job
	kind     *kind
	pool     *Pool

	failed atomic.Pointer[failure]
	many   RangeJob
	n      int
	grain  int
	scope  *Scope
	parent *slot
	order  uint64  // place among the parent's children
	owner  uintptr // the goroutine that must run it; 0 is any
	later  *int    // where n will stand; nil if it is known

	mark atomic.Uint64 // last walk that found nothing to do for it
	kept atomic.Uint64 // last round of deque.makeRoom that has kept an entry of it
	loop atomic.Int32  // 1 + index of the loop it runs in, or ran in once

	sweeps uint32 // see sweep; changed while the slot is locked
	_      [24]byte
}

// shape is what a slot holds.
type shape uint8

const (
	shapeNothing shape = iota // a job of Combine
	shapeOne
	shapeMany
	shapeOutside // runs on a goroutine of its own
)

const (
	phaseWaiting = 0 // free, or jobs before it are not done
	phaseReady   = 1 // in a queue; who moves it to running may run it
	phaseRunning = 2
	phaseSpare   = 3 // like ready, for those who wait for it or have a permit
	phaseMask    = 3

	wordWatched = 1 << 2 // somebody sleeps until it is done
	wordFailed  = 1 << 3 // failed is set
	wordPin     = 1 << 4 // readers that keep the slot from being done
	wordPins    = 15 * wordPin
	edgeShift   = 8
	wordEdges   = (1<<edgeBits - 1) << edgeShift
	genShift    = 32

	// bodyDone is added to left when the body has returned but children have not.
	bodyDone = 1 << 30
)

func generation(word uint64) uint32 { return uint32(word >> genShift) }

// ready moves a waiting slot into the ready phase.
func (sl *slot) ready() { sl.word.Add(phaseReady - phaseWaiting) }

// spare moves a waiting slot with a background job into its ready phase.
func (sl *slot) spare() { sl.word.Add(phaseSpare - phaseWaiting) }

// claim makes the caller the one who runs the slot's job, if it is ready for
// anyone. Entries of desks and deques are hints: what was a job for everybody
// may be a background job by now.
func (sl *slot) claim() bool {
	w := sl.word.Load()
	return w&phaseMask == phaseReady && sl.claimGeneration(generation(w))
}

// claimSpare is claim for those who have a permit for background jobs.
func (sl *slot) claimSpare() bool {
	return sl.claimGeneration(generation(sl.word.Load()))
}

// claimGeneration is claim for one job and no later one in the same slot, by
// those who wait for it: they run it whatever its priority.
func (sl *slot) claimGeneration(gen uint32) bool {
	for {
		w := sl.word.Load()
		if w&phaseReady == 0 || generation(w) != gen {
			return false
		}
		if sl.word.CompareAndSwap(w, w&^phaseMask|phaseRunning) {
			return true
		}
	}
}

// pin keeps the slot's job from being done while its edges are read. It fails
// when the generation is over.
func (sl *slot) pin(gen uint32) bool {
	for {
		w := sl.word.Load()
		if generation(w) != gen {
			return false
		}
		if w&wordPins == wordPins {
			runtime.Gosched() // 15 others look at it
			continue
		}
		if sl.word.CompareAndSwap(w, w+wordPin) {
			return true
		}
	}
}

func (sl *slot) unpin() { sl.word.Add(^uint64(wordPin - 1)) }

// lock keeps everybody else from reading the edges of a job that cannot end
// meanwhile: it takes all pins.
func (sl *slot) lock() {
	for spins := 0; ; spins++ {
		w := sl.word.Load()
		if w&wordPins == 0 && sl.word.CompareAndSwap(w, w|wordPins) {
			return
		}
		if spins > 64 {
			runtime.Gosched() // the reader may have lost its processor
		}
	}
}

func (sl *slot) unlock() { sl.word.Add(^uint64(wordPins - 1)) }

// close ends the generation and returns the last word of it.
func (sl *slot) close() uint64 {
	for spins := 0; ; spins++ {
		w := sl.word.Load()
		if w&wordPins == 0 {
			if sl.word.CompareAndSwap(w, uint64(generation(w)+1)<<genShift) {
				return w
			}
			continue
		}
		if spins > 64 {
			runtime.Gosched() // the reader may have lost its processor
		}
	}
}

// watch asks for a wake-up at the end of a generation. It fails when that has
// come already.
func (sl *slot) watch(gen uint32) bool {
	for {
		w := sl.word.Load()
		if generation(w) != gen {
			return false
		}
		if w&wordWatched != 0 || sl.word.CompareAndSwap(w, w|wordWatched) {
			return true
		}
	}
}

// link tries once to push edge i, which leads from the slot's job to another,
// onto a word of the generation that is meant.
func (sl *slot) link(word uint64, i uint32, e *edge) bool {
	e.nextOut = uint32(word&wordEdges) >> edgeShift
	return sl.word.CompareAndSwap(word, word&^wordEdges|uint64(i)<<edgeShift)
}

// addKids pushes a list of edges, from the first to the last, whose owner this
// slot is.
func (sl *slot) addKids(first uint32, last *edge) {
	for {
		last.nextIn = sl.kids.Load()
		if sl.kids.CompareAndSwap(last.nextIn, first) {
			return
		}
	}
}

const (
	slotSlab  = 64
	slotBatch = 32   // how many a seat gets at a time
	slotMost  = 1024 // how many a caller's seat keeps; a worker's, an eighth of it
)

// newSlot takes a slot from the seat's own list.
func (s *seat) newSlot() *slot {
	if len(s.slots) == 0 {
		s.refillSlots()
	}
	last := len(s.slots) - 1
	sl := s.slots[last]
	s.slots = s.slots[:last]
	return sl
}

// dropSlot frees a slot whose generation was closed with the given word.
func (s *seat) dropSlot(sl *slot, word uint64) {
	switch sl.shape {
	case shapeOne, shapeOutside:
		sl.one = nil
	case shapeMany:
		sl.many = nil
	}
	sl.shape, sl.priority, sl.lined = shapeNothing, Normal, false
	if sl.bound {
		sl.bound, sl.scope, sl.parent, sl.owner, sl.later = false, nil, nil, 0, nil
	}
	if sl.deps != 0 {
		s.dropEdges(sl.deps)
		sl.deps = 0
	}
	if sl.left.Load() != 0 {
		sl.left.Store(0)
	}
	if kids := sl.kids.Load(); kids != 0 {
		sl.kids.Store(0)
		s.dropEdges(kids)
	}
	if word&wordFailed != 0 {
		return // retired: its handles keep the error
	}
	s.slots = append(s.slots, sl)
	if len(s.slots) > slotMost>>s.spare {
		s.returnSlots(slotMost >> s.spare / 2)
	}
}

func (s *seat) refillSlots() {
	p := s.pool
	p.slotsMu.Lock()
	defer p.slotsMu.Unlock()
	if len(p.slots) == 0 {
		slab := new([slotSlab]slot)
		for i := range slab {
			slab[i].pool = p
			p.slots = append(p.slots, &slab[i])
		}
		p.enlist(slab)
	}
	from := max(len(p.slots)-slotBatch, 0)
	s.slots = append(s.slots, p.slots[from:]...)
	p.slots = p.slots[:from]
}

// enlist remembers a slab for unfinished, as long as one of its slots is in use or
// free: those of failed jobs are neither. The lock is held.
func (p *Pool) enlist(slab *[slotSlab]slot) {
	if len(p.slabs) == cap(p.slabs) {
		p.slabs = slices.DeleteFunc(p.slabs, func(w weak.Pointer[[slotSlab]slot]) bool { return w.Value() == nil })
	}
	p.slabs = append(p.slabs, weak.Make(slab))
}

// returnSlots gives slots back to the pool until keep are left.
func (s *seat) returnSlots(keep int) {
	p := s.pool
	p.slotsMu.Lock()
	defer p.slotsMu.Unlock()
	p.slots = append(p.slots, s.slots[keep:]...)
	s.slots = s.slots[:keep]
}
