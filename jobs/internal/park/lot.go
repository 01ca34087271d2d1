package park

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// Lot is the workers of a pool that can sleep, each known by its number.
type Lot struct {
	// searching is how many workers look for work: each of them adds and subtracts
	// itself. A goroutine that makes work reads it to wake fewer, and an old value wakes one too
	// many or leaves it to the last look of the one that searched; see package jobs, passOn.
	searching atomic.Int32

	// count is how many marks there are. It is changed after the mark is set or taken,
	// by the one that did that, and read by all that make work; see the package's comment.
	count atomic.Int32

	// marks has a bit for each worker that sleeps or is about to. The worker sets its
	// own; the goroutine that takes it away, which may be the worker itself, decides how it wakes.
	marks []atomic.Uint64

	spots []spot
	hook  func(where string) // of a test that chooses which goroutine goes on; nil
	_     [64]byte

	Cost Cost

	// wakes counts calls of Unpark: each caller adds, Pool.Stats reads. Nothing hangs on the order.
	wakes atomic.Uint64
}

// spot is one worker's place.
type spot struct {
	parker Parker

	// wokenAt is when the worker was called, by clock; 0 is not. The caller stores
	// it before Unpark, whose token orders it before the worker's swap.
	wokenAt atomic.Int64
}

// Init makes a zero Lot one for workers numbered below n, of which none sleeps. The hook
// is called where a test wants to stop a goroutine that wakes others; it may be nil.
func (l *Lot) Init(n int, hook func(where string)) {
	l.marks, l.spots, l.hook = make([]atomic.Uint64, (n+63)/64), make([]spot, n), hook
	l.Cost.init()
}

// Seat says where worker i sleeps, before it does for the first time.
func (l *Lot) Seat(i int, p Parker) { l.spots[i].parker = p }

// Count is how many workers sleep, or are about to.
func (l *Lot) Count() int { return int(l.count.Load()) }

// Searching is how many workers look for work.
func (l *Lot) Searching() int { return int(l.searching.Load()) }

// Search says that one worker more looks for work, or one less.
func (l *Lot) Search(change int) { l.searching.Add(int32(change)) }

// Wakes is how many workers were woken so far.
func (l *Lot) Wakes() uint64 { return l.wakes.Load() }

// Mark marks a worker as asleep. It must look for work once more before it sleeps.
func (l *Lot) Mark(i int) {
	l.spots[i].wokenAt.Store(0) // it may have risen without a look at it
	l.marks[i/64].Or(1 << (i % 64))
	l.count.Add(1)
}

// Marked reports whether a worker is marked as asleep.
func (l *Lot) Marked(i int) bool { return l.marks[i/64].Load()&(1<<(i%64)) != 0 }

// Unmark takes the mark away; false if another goroutine did, to wake the worker.
func (l *Lot) Unmark(i int) bool {
	bit := uint64(1) << (i % 64)
	if l.marks[i/64].And(^bit)&bit == 0 {
		return false
	}
	l.count.Add(-1)
	return true
}

// Wake wakes a worker, if it is marked.
func (l *Lot) Wake(i int) bool {
	if !l.Unmark(i) {
		return false
	}
	if l.hook != nil {
		l.hook("is about to call a worker")
	}
	start := clock()
	s := &l.spots[i]
	s.wokenAt.Store(int64(start))
	s.parker.Unpark()
	smooth(&l.Cost.call, clock()-start)
	l.wakes.Add(1)
	return true
}

// WakeOne wakes the lowest worker that is marked; false if none is.
func (l *Lot) WakeOne() bool {
	for k := range l.marks {
		for w := l.marks[k].Load(); w != 0; w = l.marks[k].Load() {
			if l.Wake(k*64 + bits.TrailingZeros64(w)) {
				return true
			}
		}
	}
	return false
}

// WakeFor wakes one or two workers for n pieces of work that take ns nanoseconds in all;
// negative if that is not known. They are to wake the others. It returns false if they
// are not worth waking one.
func (l *Lot) WakeFor(n int, ns int64) bool {
	n = l.Free(n)
	if n <= 0 {
		return true
	}
	if !l.Cost.WorthWaking(ns) {
		return false
	}
	for range min(l.Cost.Useful(n, ns), 2) {
		l.WakeOne()
	}
	return true
}

// Free is how many of n workers that are wanted have to be woken, and can be.
func (l *Lot) Free(n int) int {
	return min(n-int(l.searching.Load()), int(l.count.Load()))
}

// Relay wakes one worker if none looks for work and the ns nanoseconds that are left
// are worth it by themselves; negative is.
func (l *Lot) Relay(ns int64) {
	if l.count.Load() > 0 && l.searching.Load() == 0 && (ns < 0 || ns >= l.Cost.Worth()) {
		l.WakeOne()
	}
}

// Awoken is called by a worker that was woken. It returns how long that took, 0 if none
// called it.
func (l *Lot) Awoken(i int) time.Duration {
	at := l.spots[i].wokenAt.Swap(0)
	if at == 0 {
		return 0
	}
	took := clock() - time.Duration(at)
	smooth(&l.Cost.latency, took)
	return took
}
