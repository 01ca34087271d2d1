package park

import (
	"sync/atomic"
	"time"
)

// These are first guesses of the time that it takes to call a worker, and of the time until the
// worker runs. Measured values replace these guesses later.
const (
	initialCallTime = 10 * time.Microsecond
	initialLatency  = 20 * time.Microsecond
)

// Cost is the measured cost of waking a worker, and the amount of recent work for which no worker
// was woken. All fields are averages that all workers write and read without an order. If a value
// is lost or old, one worker too many may be woken, or a worker may be woken too late. No result
// depends on the values.
type Cost struct {
	callTime    atomic.Int64 // ns that the caller spends to wake a worker
	latency     atomic.Int64 // ns from then until the worker runs
	smallWork   atomic.Int64 // ns of work that woke no worker
	smallWorkAt atomic.Int64 // time of the last such work, by clock
}

func (c *Cost) init() {
	c.callTime.Store(int64(initialCallTime))
	c.latency.Store(int64(initialLatency))
}

// Worth is the least work, in nanoseconds, that is worth waking a worker. With that worker, the
// work takes half the time plus the cost of waking.
func (c *Cost) Worth() int64 { return 2 * (c.callTime.Load() + c.latency.Load()) }

// WorthWaking reports whether ns nanoseconds of work, alone or together with the work shortly
// before, are worth waking a worker. Work of unknown duration, given as a negative ns, is always
// worth it.
func (c *Cost) WorthWaking(ns int64) bool { return ns < 0 || ns >= c.Worth() || c.addSmallWork(ns) }

// Useful returns the number of workers, at most n, that are worth waking one after the other for ns
// nanoseconds of work. It returns n if ns is negative.
func (c *Cost) Useful(n int, ns int64) int {
	if ns < 0 {
		return n
	}
	return min(n, int(ns/(2*(c.callTime.Load()+1)))+1)
}

// smallWorkTime is how long work that woke no worker is remembered.
const smallWorkTime = 200 * time.Microsecond

// addSmallWork adds up work that was too small to wake a worker. It returns true when the sum is
// worth it.
func (c *Cost) addSmallWork(ns int64) bool {
	// A value that was measured while the machine was busy must not stay.
	if l := c.latency.Load(); l > int64(initialLatency) {
		c.latency.Store(l - l/256)
	}
	now := int64(clock())
	if now-c.smallWorkAt.Swap(now) > int64(smallWorkTime) {
		c.smallWork.Store(ns)
		return false
	}
	if c.smallWork.Add(ns) < c.Worth() {
		return false
	}
	c.smallWork.Store(0)
	return true
}

// updateAverage moves an average a little towards a new value.
func updateAverage(average *atomic.Int64, value time.Duration) {
	old := average.Load()
	average.Store(old + (min(int64(value), 4*old)-old)/8)
}

var clockStart = time.Now()

// clock is a monotonic time that is cheap to read, and never 0.
func clock() time.Duration { return time.Since(clockStart) + 1 }
