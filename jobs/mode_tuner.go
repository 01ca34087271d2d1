package jobs

import (
	"math/bits"
	"sync/atomic"
	"time"

	"github.com/lanewise/lanewise/jobs/profile"
)

// Whether a loop of some microseconds is done sooner by several workers depends on how
// awake they are, on what their caches hold, on memory, and on what else uses the
// machine. It cannot be told beforehand, so it is tried: for loops of one kind and about
// one length a pool knows what they take with one worker and with all, waking
// included, and goes by that; apart for loops that come after a pause in which the workers
// have fallen asleep: each of those has to wake them, while of others the first wakes them
// for the next ones. Now and then it tries the other way again, less and less
// often while it learns nothing new. Loops that are longer are always opened, and those
// that are shorter never.
//
// Where all together take much less than one worker is believed to, one alone is not tried.
// What one is believed to take was often seen while others ran too, and where they slow each
// other down, since they share a core or write what the other reads next, that is too much.
// In a short loop little is lost by that; of long ones two are run by one worker, once,
// before it is believed.

// runMode is how a loop is run: an index of trial.mean. It is printed as profile.Spread.Alone only.
type runMode uint8

const (
	inParallel runMode = iota // opened to all workers, if waking them seems worth it
	inSerial                  // by one worker alone
)

const (
	// Loops of smallLoop to longLoop nanoseconds are tried, in classes that each
	// reach to twice the length of the one before.
	longLoop     = smallLoop << trialClasses // 10 ms
	trialClasses = 12
	shortClasses = 8 // those of which one worker alone is not tried if it is plain that all are quicker

	trialRuns = 16   // of a way to run loops, one after the other: the first wakes workers for the others
	longRuns  = 4    // as many of loops that are not short
	loneRuns  = 2    // of these with one worker, which wakes no other: each takes as much longer as all are quicker
	calmRuns  = 64   // with what has turned out to be best, before the other way is tried again
	calmMost  = 4096 // as many after several trials with the same outcome
	calmLong  = 512  // as many of loops that are not short: five seconds of the longest
	savedLoop = 1000 // ns that all workers have to save of what one takes
	calmTimed = 8    // one in so many short loops is timed meanwhile
)

// trials are those of one kind, for pools of one number of workers.
type trials struct {
	workers int
	hot     [trialClasses]trial
	cold    [trialClasses]trial // of loops after a pause
	next    *trials
}

// trial is what is known of loops of one kind and about one length. The goroutine that holds busy
// changes what follows it; one that does not get it does without. The rest is written by
// all that run such loops, and no result hangs on it.
type trial struct {
	way  atomic.Uint32 // the mode in force: stored by the holder of busy, read by all
	left atomic.Int32  // loops until it is looked at again: counted down without order, set anew by the holder of busy

	busy   atomic.Bool     // a goroutine changes what follows: taken by compare-and-swap, given back by a store, which orders the plain fields
	runs   int32           // trialRuns or longRuns
	trying bool            // this way is on trial: it is not in force because it was best
	calm   int32           // length of the last time without a trial
	timed  int64           // loops that were timed since this way was put into force
	mean   [2]atomic.Int64 // of both ways, of an index, in 1/256 ns; 0 is not known; stored by the holder of busy, read by all
}

// tried reports whether loops that take ns nanoseconds are tried.
func tried(ns int64) bool { return ns >= smallLoop && ns < longLoop }

// trialFor is what is known of loops that are tried, take ns nanoseconds and come after a
// pause or not.
func (k *kind) trialFor(workers int, ns int64, pause bool) *trial {
	class := bits.Len64(uint64(ns)/smallLoop) - 1
	first := k.trials.Load()
	for t := first; t != nil; t = t.next {
		if t.workers == workers {
			return &t.classes(pause)[class]
		}
	}
	t := &trials{workers: workers, next: first}
	for _, pause := range []bool{false, true} {
		for i := range t.classes(pause) {
			c := &t.classes(pause)[i]
			c.trying, c.runs = true, trialRuns
			if i >= shortClasses {
				c.runs = longRuns
			}
			c.left.Store(c.runs)
		}
	}
	k.trials.CompareAndSwap(first, t) // if that fails, another loop will
	return &t.classes(pause)[class]
}

// classes are the trials of loops of all lengths.
func (t *trials) classes(pause bool) *[trialClasses]trial {
	if pause {
		return &t.cold
	}
	return &t.hot
}

// choose returns the way to run the next loop, and whether it is to be timed.
func (t *trial) choose(ns int64) (way runMode, timed bool) {
	left := t.left.Load()
	t.left.Store(left - 1)
	return runMode(t.way.Load()), left%calmTimed == 0 || left <= t.runs || ns >= timedLoop
}

// took takes in that a loop of n indices, of the kind k, was run in one of the ways.
func (t *trial) took(k *kind, way runMode, took time.Duration, n int) {
	if runMode(t.way.Load()) != way || !t.busy.CompareAndSwap(false, true) {
		return
	}
	defer t.busy.Store(false)
	other := t.mean[1-way].Load()
	bound := other
	if bound == 0 {
		bound = max(k.cost.Load(), 1)
	}
	// A processor that was lost for milliseconds is no matter of this loop alone.
	cost := min(max(int64(took)<<8/int64(n), 1), 4*bound)
	t.timed++
	mean := t.mean[way].Load()
	weight := 2 * int64(trialRuns)
	if t.trying {
		// Until half of them have run, workers wake up and rows move into their caches.
		weight = max(t.timed-int64(t.tries(way))/2, 1)
	}
	mean += (cost - mean) / weight
	t.mean[way].Store(max(mean, 1))
	if t.trying && t.timed < int64(t.tries(way)) {
		return
	}
	// As long as it is as good as it was there is no need for a trial before its time.
	if !t.trying && t.left.Load() > 0 && (t.timed < 2*trialRuns || other == 0 || mean <= other+other/8) {
		return
	}
	t.judge(way, mean, other, n, way == inParallel && mean < t.alone(k)*3/4)
}

// alone is what one worker is believed to take for an index; 0 if it has to be tried.
func (t *trial) alone(k *kind) int64 {
	if t.runs == longRuns {
		return t.mean[inSerial].Load()
	}
	return k.cost.Load()
}

// tries is how many loops a trial of a way has.
func (t *trial) tries(way runMode) int32 {
	if way == inSerial && t.runs == longRuns {
		return loneRuns
	}
	return t.runs
}

// calmest is for how many loops there is no trial at most.
func (t *trial) calmest() int32 {
	if t.runs == longRuns {
		return calmLong
	}
	return calmMost
}

// judge ends a trial, or a time without one. It is plain that all together are quicker
// if they take much less than one worker is believed to.
func (t *trial) judge(way runMode, mean, other int64, n int, plain bool) {
	switch {
	case !t.trying && !plain, t.trying && !plain && other == 0:
		t.set(1-way, true, t.tries(1-way))
	case t.trying && (plain || best(way, mean, other, n)):
		t.calm = calmRuns // it is new that this is best
		t.set(way, false, t.calm)
	case t.trying:
		t.calm = min(max(2*t.calm, calmRuns), t.calmest())
		t.set(1-way, false, t.calm)
	default:
		t.calm = min(2*t.calm, t.calmest())
		t.set(way, false, t.calm)
	}
}

// best reports whether a way that takes mean for each of n indices is better than the
// other one. All workers together have to save some time: they keep others from work
// meanwhile, and where it is nearly the same a wake-up that comes late makes it more.
func best(way runMode, mean, other int64, n int) bool {
	least := savedLoop << 8 / int64(n)
	if way == inParallel {
		return mean+least <= other
	}
	return mean < other+least
}

// set puts a way into force.
func (t *trial) set(way runMode, trying bool, runs int32) {
	t.trying, t.timed = trying, 0
	t.way.Store(uint32(way))
	t.left.Store(runs)
}

const (
	smallLoop  = 2500   // ns: a loop that is shorter is run by one worker
	takeTime   = 16_000 // ns of work that is taken at a time, at most
	timedLoop  = 10_000 // ns: a longer loop is always measured
	escapeTime = 4 * smallLoop
)

// opened is a loop that a seat has opened and left, and whose time is still to be taken.
type opened struct {
	loop  Handle
	trial *trial
	began time.Duration
	kind  *kind
	n     int
}

// tell is called by the seat that has just seen the end of a job. If that is the loop that was
// opened here last, its trial is told how long it took, until its opener could go
// on: what sleeping and waking up takes at its end counts. If the loop has ended without
// being seen it is not known when, and it does not count.
func (o *opened) tell(seen Handle) {
	if !o.loop.Done() {
		return
	}
	if seen == o.loop && o.loop.Err() == nil {
		o.trial.took(o.kind, inParallel, clock()-o.began, o.n)
	}
	*o = opened{}
}

// appendSpreads appends what is known of loops that come after a pause or not.
func (t *trials) appendSpreads(list []profile.Spread, job string, pause bool) []profile.Spread {
	for i := range t.classes(pause) {
		if s := t.classes(pause)[i].spread(); s.One != 0 || s.All != 0 {
			s.Job, s.From, s.To, s.Pause = job, smallLoop<<i, smallLoop<<(i+1), pause
			list = append(list, s)
		}
	}
	return list
}

// kindsNamed are the kinds with a name: as a rule one.
func kindsNamed(name string) (list []*kind) {
	list = appendNamed(list, &kindsByName, name)
	list = appendNamed(list, &kindsByCode, name)
	return appendNamed(list, &kindsByType, name)
}

func appendNamed[K comparable](list []*kind, m *kindMap[K], name string) []*kind {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, known := range []map[K]*kind{m.published(), m.fresh} {
		for _, k := range known { //lanewise:inexact measured times, which differ in each run
			if k.name == name {
				list = append(list, k)
			}
		}
	}
	return list
}

// spread is what the trial has found.
func (t *trial) spread() profile.Spread {
	for !t.busy.CompareAndSwap(false, true) {
		pause(1) // another adds up a few numbers
	}
	defer t.busy.Store(false)
	return profile.Spread{
		Alone: runMode(t.way.Load()) == inSerial, Trying: t.trying,
		One: float64(t.mean[inSerial].Load()) / 256, All: float64(t.mean[inParallel].Load()) / 256,
	}
}

// Spreads returns what is known of the loops of a job, by its name, those after a
// pause last, else the short ones first; nil if none was tried. Pools with the same number of workers know the same.
func (p *Pool) Spreads(job string) (list []profile.Spread) {
	p.made("Pool.Spreads")
	for _, k := range kindsNamed(job) {
		for t := k.trials.Load(); t != nil; t = t.next {
			if t.workers != p.workers {
				continue
			}
			for _, pause := range []bool{false, true} {
				list = t.appendSpreads(list, job, pause)
			}
		}
	}
	return list
}
