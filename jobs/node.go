package jobs

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"weak"
)

// slot holds one scheduled job. Slots are used again; a handle names a slot
// and one generation of it. A slot whose job failed is never used again, so
// that its handles can tell the error for as long as they are held.
//
// A single job without parent and scope needs one cache line.
type slot struct {
	// word is generation<<32 | first edge out<<8 | pins<<4 | failed<<3 | watched<<2 | phase.
	// When the job is done, one compare-and-swap moves it to the next
	// generation and takes the edges away: what comes later sees that the
	// generation is over. Any goroutine changes it, by read-modify-writes alone: what was
	// written before one is seen by the goroutine that finds its bits.
	word atomic.Uint64

	// left is children that are not done, plus bodyDone. The body adds children, their
	// ends subtract; the goroutine that brings it to bodyDone completes the job, and sees what all did.
	left atomic.Int32

	// pending is jobs before it that are not done, minus those not yet counted. Linking
	// adds, their ends subtract; the goroutine that brings it to 0 makes the job ready.
	pending atomic.Int32

	// children is a list of edges from children and from jobs waited for: pushed by
	// compare-and-swap by the goroutine that runs the body, read by holders of a pin, swapped by sweep.
	children atomic.Uint32

	// Plain fields are written before the job is published, and read by what
	// runs it or pins it.
	deps     uint32 // edges from the jobs before it
	shape    shape
	priority Priority
	bound    bool // scope, parent, order, owner or later are set
	lined    bool // see follow
	one      Job
	kind     *kind
	pool     *Pool

	// failed is swapped in by the goroutine that fails the job, before the bit in word that says so.
	failed atomic.Pointer[failure]
	many   RangeJob
	n      int
	grain  int
	scope  *Scope
	parent *slot
	order  uint64  // place among the parent's children
	owner  uintptr // the goroutine that must run it; 0 is any
	later  *int    // where n will stand; nil if it is known

	mark atomic.Uint64 // last walk that found nothing to do for it: stored and read by walks, of which each knows its own
	kept atomic.Uint64 // last round of deque.makeRoom that has kept an entry of it: stored and read by owners of deques, alike
	loop atomic.Int32  // 1 + index of the loop it runs in, or ran in once: stored by the opener before the loop is open; readers join, and look whose loop it is

	sweeps uint32 // see sweep; changed while the slot is locked
	_      [24]byte
}

// shape is what a slot holds. It is never printed and has no order, so it has no table of names.
type shape uint8

const (
	shapeNothing shape = iota // a job of Combine
	shapeOne
	shapeMany
	shapeOutside // runs on a goroutine of its own
)

const (
	phaseWaiting    = 0 // free, or jobs before it are not done
	phaseReady      = 1 // in a queue; the goroutine that moves it to running may run it
	phaseRunning    = 2
	phaseBackground = 3 // like ready, for waits for it and holders of a permit
	phaseMask       = 3

	wordWatched = 1 << 2 // a goroutine sleeps until it is done
	wordFailed  = 1 << 3 // failed is set
	wordPin     = 1 << 4 // readers that keep the slot from being done
	wordPins    = 15 * wordPin
	edgeShift   = 8
	edgeBits    = 24 // of the index of an edge
	wordEdges   = (1<<edgeBits - 1) << edgeShift
	genShift    = 32

	// bodyDone is added to left when the body has returned but children have not.
	bodyDone = 1 << 30
)

func generation(word uint64) uint32 { return uint32(word >> genShift) }

// ready moves a waiting slot into the ready phase.
func (sl *slot) ready() { sl.word.Add(phaseReady - phaseWaiting) }

// readyInBackground moves a waiting slot with a background job into its ready phase.
func (sl *slot) readyInBackground() { sl.word.Add(phaseBackground - phaseWaiting) }

// claim makes the caller the one that runs the slot's job, if it is ready for
// any seat. Entries of runnexts and deques are hints: what was a job for all
// may be a background job by now.
func (sl *slot) claim() bool {
	w := sl.word.Load()
	return w&phaseMask == phaseReady && sl.claimGeneration(generation(w))
}

// claimSpare is claim for holders of a permit for background jobs.
func (sl *slot) claimSpare() bool {
	return sl.claimGeneration(generation(sl.word.Load()))
}

// claimGeneration is claim for one job and no later one in the same slot, by
// waits for it: they run it whatever its priority.
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

// lock keeps all others from reading the edges of a job that cannot end
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

const (
	slotSlab  = 64
	slotBatch = 32   // how many a seat gets at a time
	slotMost  = 1024 // how many a caller's seat keeps; a worker's, an eighth of it
)

// failsAs reports whether an error of a rank would be the job's, as far as it has failed by now.
func (sl *slot) failsAs(rank uint64) bool {
	old := sl.failed.Load()
	return old == nil || old.rank > rank
}

// fail records an error of the slot's job.
func (sl *slot) fail(rank uint64, err error) {
	f := &failure{generation(sl.word.Load()), rank, err}
	for {
		old := sl.failed.Load()
		if old != nil && old.rank <= rank {
			return
		}
		if sl.failed.CompareAndSwap(old, f) {
			sl.word.Or(wordFailed)
			return
		}
	}
}

// settle reads the length of a job that was scheduled before it was known. It
// returns false if there is no such length.
func (sl *slot) settle() bool {
	n := *sl.later
	if n < 0 || sl.grain != 0 && uint64(n)/uint64(sl.grain) >= maxBlocks {
		sl.fail(rankOwn, fmt.Errorf("jobs: ParallelForLater: %s: n is %d, grain is %d", sl.kind.name, n, sl.grain))
		return false
	}
	sl.n = n
	if sl.grain == 0 {
		sl.grain = autoGrain(n)
	}
	return true
}

// bind makes a new job one of a scope.
func (sl *slot) bind(sc *Scope) {
	if sc != nil {
		sl.bound, sl.scope = true, sc
	}
}

// store is the memory of slots, which seats take and give back in batches.
type store struct {
	pool  *Pool // whose jobs they are for
	mu    sync.Mutex
	slots []*slot // free ones; under mu
	slabs []weak.Pointer[[slotSlab]slot]
}

// newSlot takes a slot from the seat's own list.
func (m *memory) newSlot() *slot {
	if len(m.slots) == 0 {
		m.refillSlots()
	}
	last := len(m.slots) - 1
	sl := m.slots[last]
	m.slots = m.slots[:last]
	return sl
}

// dropSlot frees a slot whose generation was closed with the given word.
func (m *memory) dropSlot(sl *slot, word uint64) {
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
		m.dropEdges(sl.deps)
		sl.deps = 0
	}
	if sl.left.Load() != 0 {
		sl.left.Store(0)
	}
	if children := sl.children.Load(); children != 0 {
		sl.children.Store(0)
		m.dropEdges(children)
	}
	if word&wordFailed != 0 {
		return // retired: its handles keep the error
	}
	m.slots = append(m.slots, sl)
	if len(m.slots) > slotMost>>m.spare {
		m.returnSlots(slotMost >> m.spare / 2)
	}
}

func (m *memory) refillSlots() {
	st := m.store
	st.mu.Lock()
	defer st.mu.Unlock()
	if len(st.slots) == 0 {
		slab := new([slotSlab]slot)
		for i := range slab {
			slab[i].pool = st.pool
			st.slots = append(st.slots, &slab[i])
		}
		st.enlist(slab)
	}
	from := max(len(st.slots)-slotBatch, 0)
	m.slots = append(m.slots, st.slots[from:]...)
	st.slots = st.slots[:from]
}

// enlist remembers a slab for unfinished, as long as one of its slots is in use or
// free: those of failed jobs are neither. The lock is held.
func (st *store) enlist(slab *[slotSlab]slot) {
	if len(st.slabs) == cap(st.slabs) {
		st.slabs = slices.DeleteFunc(st.slabs, func(w weak.Pointer[[slotSlab]slot]) bool { return w.Value() == nil })
	}
	st.slabs = append(st.slabs, weak.Make(slab))
}

// returnSlots gives slots back to the pool until keep are left.
func (m *memory) returnSlots(keep int) {
	st := m.store
	st.mu.Lock()
	defer st.mu.Unlock()
	st.slots = append(st.slots, m.slots[keep:]...)
	m.slots = m.slots[:keep]
}

// unfinished is the name of a job that is not done, the oldest where slots were not
// used again. The caller holds all seats of a closed pool.
func (st *store) unfinished() string {
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, w := range st.slabs {
		slab := w.Value()
		if slab == nil {
			continue
		}
		for i := range slab {
			if sl := &slab[slotSlab-1-i]; sl.shape != shapeNothing { // the last is used first
				return sl.kind.name
			}
		}
	}
	return "a job"
}

var (
	noSlot, lineSlot slot // never hold a job

	anything    = continuation{}
	nothingElse = continuation{slot: &noSlot}
	nextOnLine  = continuation{slot: &lineSlot}
)
