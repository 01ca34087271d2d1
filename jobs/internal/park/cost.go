package park

import (
	"sync/atomic"
	"time"
)

// What it costs to wake a worker, and how long it then takes until that runs: a
// first guess, and from then on what was measured.
const (
	guessedCall    = 10 * time.Microsecond
	guessedLatency = 20 * time.Microsecond
)

// Cost is what waking costs, as it was measured, and what work has woken no worker. All of
// it is averages that all write and read without order: a value that is lost or
// old wakes one worker too many or too late, and no result hangs on it.
type Cost struct {
	call    atomic.Int64 // what it takes to wake a worker, in ns
	latency atomic.Int64 // and how long it then takes until that runs
	owed    atomic.Int64 // ns of work that woke no worker
	owedAt  atomic.Int64 // when some came last
}

func (c *Cost) init() {
	c.call.Store(int64(guessedCall))
	c.latency.Store(int64(guessedLatency))
}

// Worth is how many nanoseconds of work make it worth while to wake a worker: with one
// more worker they are done in half the time and what waking costs.
func (c *Cost) Worth() int64 { return 2 * (c.call.Load() + c.latency.Load()) }

// WorthWaking reports whether ns nanoseconds of work, by themselves or together with what
// has come shortly before, are worth waking a worker. What is not known is.
func (c *Cost) WorthWaking(ns int64) bool { return ns < 0 || ns >= c.Worth() || c.owe(ns) }

// Useful is how many of n workers are worth waking one after the other for ns nanoseconds
// of work; all if ns is negative.
func (c *Cost) Useful(n int, ns int64) int {
	if ns < 0 {
		return n
	}
	return min(n, int(ns/(2*(c.call.Load()+1)))+1)
}

// oweTime is how long work that woke no worker is remembered.
const oweTime = 200 * time.Microsecond

// owe adds up work that was too small to wake a worker. It returns true when together it
// is worth it.
func (c *Cost) owe(ns int64) bool {
	// What was measured while the machine was busy shall not hold for ever.
	if l := c.latency.Load(); l > int64(guessedLatency) {
		c.latency.Store(l - l/256)
	}
	now := int64(clock())
	if now-c.owedAt.Swap(now) > int64(oweTime) {
		c.owed.Store(ns)
		return false
	}
	if c.owed.Add(ns) < c.Worth() {
		return false
	}
	c.owed.Store(0)
	return true
}

// smooth moves an average a little towards a new value.
func smooth(average *atomic.Int64, value time.Duration) {
	old := average.Load()
	average.Store(old + (min(int64(value), 4*old)-old)/8)
}

var clockStart = time.Now()

// clock is a monotonic time that is cheap to read, and never 0.
func clock() time.Duration { return time.Since(clockStart) + 1 }
