package park

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// Sleepers holds the workers of a pool by their numbers, and records which of them sleep.
type Sleepers struct {
	// searching is the number of workers that look for work; each adds and subtracts itself. A
	// goroutine that makes a job ready reads it to wake fewer workers. An old value wakes one
	// worker too many, or leaves the job to the last look of the worker that searched; see
	// wakeSuccessor in package jobs.
	searching atomic.Int32

	// count is the number of marks. The goroutine that sets or removes a mark changes count
	// afterwards. All goroutines that make jobs ready read count; see the package's comment.
	count atomic.Int32

	// marks has a bit for each worker that sleeps or is about to. The worker sets its own bit. The
	// goroutine that clears it, which may be the worker itself, has to end the sleep.
	marks []atomic.Uint64

	workers []sleeper
	hook    func(where string) // of a test that chooses which goroutine goes on; nil otherwise
	_       [64]byte

	Cost Cost

	// wakes counts the calls of Unpark, for Pool.Stats.
	wakes atomic.Uint64
}

// sleeper is one worker.
type sleeper struct {
	parker Parker

	// calledAt is the time, by clock, at which the worker was called, or 0 if it was not called.
	// The caller stores calledAt before it calls Unpark. The token of Unpark orders this store
	// before the worker's swap.
	calledAt atomic.Int64
}

// Init prepares a zero Sleepers for workers numbered below n, of which none sleeps. The hook is
// called where a test wants to stop a goroutine that wakes others; it may be nil.
func (s *Sleepers) Init(n int, hook func(where string)) {
	s.marks, s.workers, s.hook = make([]atomic.Uint64, (n+63)/64), make([]sleeper, n), hook
	s.Cost.init()
}

// SetParker sets the Parker on which worker i sleeps. It is called before the worker sleeps for
// the first time.
func (s *Sleepers) SetParker(i int, p Parker) { s.workers[i].parker = p }

// Count is the number of workers that sleep or are about to.
func (s *Sleepers) Count() int { return int(s.count.Load()) }

// Searching is the number of workers that look for work.
func (s *Sleepers) Searching() int { return int(s.searching.Load()) }

// AddSearching changes the number of workers that look for work.
func (s *Sleepers) AddSearching(change int) { s.searching.Add(int32(change)) }

// Wakes is the number of workers that were woken so far.
func (s *Sleepers) Wakes() uint64 { return s.wakes.Load() }

// Mark marks a worker as asleep. After Mark, the worker must look for work once more before it
// sleeps.
func (s *Sleepers) Mark(i int) {
	s.workers[i].calledAt.Store(0) // it may have woken up without reading it
	s.marks[i/64].Or(1 << (i % 64))
	s.count.Add(1)
}

// Marked reports whether a worker is marked as asleep.
func (s *Sleepers) Marked(i int) bool { return s.marks[i/64].Load()&(1<<(i%64)) != 0 }

// Unmark takes the mark away. It returns false if another goroutine has already removed the mark;
// that goroutine then wakes the worker.
func (s *Sleepers) Unmark(i int) bool {
	bit := uint64(1) << (i % 64)
	if s.marks[i/64].And(^bit)&bit == 0 {
		return false
	}
	s.count.Add(-1)
	return true
}

// Wake wakes a worker if it is marked.
func (s *Sleepers) Wake(i int) bool {
	if !s.Unmark(i) {
		return false
	}
	if s.hook != nil {
		s.hook("is about to call a worker")
	}
	start := clock()
	worker := &s.workers[i]
	worker.calledAt.Store(int64(start))
	worker.parker.Unpark()
	updateAverage(&s.Cost.callTime, clock()-start)
	s.wakes.Add(1)
	return true
}

// WakeOne wakes the lowest marked worker. It returns false if none is marked.
func (s *Sleepers) WakeOne() bool {
	for k := range s.marks {
		for w := s.marks[k].Load(); w != 0; w = s.marks[k].Load() {
			if s.Wake(k*64 + bits.TrailingZeros64(w)) {
				return true
			}
		}
	}
	return false
}

// WakeFor wakes one or two workers for n pieces of work that take ns nanoseconds together, or an
// unknown time if ns is negative. Those workers wake the others. WakeFor returns false if the work
// is not worth waking a worker.
func (s *Sleepers) WakeFor(n int, ns int64) bool {
	n = s.WakesNeeded(n)
	if n <= 0 {
		return true
	}
	if !s.Cost.WorthWaking(ns) {
		return false
	}
	for range min(s.Cost.Useful(n, ns), 2) {
		s.WakeOne()
	}
	return true
}

// WakesNeeded returns the number of workers that have to be woken and can be woken, if n workers
// are wanted.
func (s *Sleepers) WakesNeeded(n int) int {
	return min(n-int(s.searching.Load()), int(s.count.Load()))
}

// WakeForRest wakes one worker if none searches and the remaining work, ns nanoseconds, is worth
// it. A negative ns is.
func (s *Sleepers) WakeForRest(ns int64) {
	if s.count.Load() > 0 && s.searching.Load() == 0 && (ns < 0 || ns >= s.Cost.Worth()) {
		s.WakeOne()
	}
}

// RecordWakeUp is called by a worker that has woken up. It returns how long the wake-up took, or
// 0 if no goroutine has called the worker.
func (s *Sleepers) RecordWakeUp(i int) time.Duration {
	at := s.workers[i].calledAt.Swap(0)
	if at == 0 {
		return 0
	}
	took := clock() - time.Duration(at)
	updateAverage(&s.Cost.latency, took)
	return took
}
