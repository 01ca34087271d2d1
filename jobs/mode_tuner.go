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
	maxTunable       = minTunable << tunerClasses // 10 ms
	tunerClasses     = 12
	shortLoopClasses = 8 // those of which one worker alone is not tried if it is plain that all are quicker

	shortTrial   = 16   // of a way to run loops, one after the other: the first wakes workers for the others
	longTrial    = 4    // as many of loops that are not short
	serialTrial  = 2    // of these with one worker, which wakes no other: each takes as much longer as all are quicker
	minQuiet     = 64   // with what has turned out to be best, before the other way is tried again
	maxQuiet     = 4096 // as many after several trials with the same outcome
	maxQuietLong = 512  // as many of loops that are not short: five seconds of the longest
	minSaving    = 1000 // ns that all workers have to save of what one takes
	quietSample  = 8    // one in so many short loops is timed meanwhile
)

// trials are those of one kind, for pools of one number of workers.
type modeTuners struct {
	workers    int
	awake      [tunerClasses]modeTuner
	afterPause [tunerClasses]modeTuner // of loops after a pause
	next       *modeTuners
}

// trial is what is known of loops of one kind and about one length. The goroutine that holds busy
// changes what follows it; one that does not get it does without. The rest is written by
// all that run such loops, and no result hangs on it.
type modeTuner struct {
	mode      atomic.Uint32 // the mode in force: stored by the holder of busy, read by all
	loopsLeft atomic.Int32  // loops until it is looked at again: counted down without order, set anew by the holder of busy

	busy       atomic.Bool     // a goroutine changes what follows: taken by compare-and-swap, given back by a store, which orders the plain fields
	trialLoops int32           // trialRuns or longRuns
	trying     bool            // this way is on trial: it is not in force because it was best
	quietLoops int32           // length of the last time without a trial
	timedLoops int64           // loops that were timed since this way was put into force
	meanCost   [2]atomic.Int64 // of both ways, of an index, in 1/256 ns; 0 is not known; stored by the holder of busy, read by all
}

// tried reports whether loops that take ns nanoseconds are tried.
func tunable(ns int64) bool { return ns >= minTunable && ns < maxTunable }

// trialFor is what is known of loops that are tried, take ns nanoseconds and come after a
// pause or not.
func (stats *jobStats) tunerFor(workers int, ns int64, pause bool) *modeTuner {
	class := bits.Len64(uint64(ns)/minTunable) - 1
	first := stats.tuners.Load()
	for mts := first; mts != nil; mts = mts.next {
		if mts.workers == workers {
			return &mts.tunersFor(pause)[class]
		}
	}
	mts := &modeTuners{workers: workers, next: first}
	for _, pause := range []bool{false, true} {
		for i := range mts.tunersFor(pause) {
			c := &mts.tunersFor(pause)[i]
			c.trying, c.trialLoops = true, shortTrial
			if i >= shortLoopClasses {
				c.trialLoops = longTrial
			}
			c.loopsLeft.Store(c.trialLoops)
		}
	}
	stats.tuners.CompareAndSwap(first, mts) // if that fails, another loop will
	return &mts.tunersFor(pause)[class]
}

// classes are the trials of loops of all lengths.
func (mts *modeTuners) tunersFor(pause bool) *[tunerClasses]modeTuner {
	if pause {
		return &mts.afterPause
	}
	return &mts.awake
}

// choose returns the way to run the next loop, and whether it is to be timed.
func (mt *modeTuner) nextMode(ns int64) (way runMode, timed bool) {
	left := mt.loopsLeft.Load()
	mt.loopsLeft.Store(left - 1)
	return runMode(mt.mode.Load()), left%quietSample == 0 || left <= mt.trialLoops || ns >= alwaysTimed
}

// took takes in that a loop of n indices, of the kind k, was run in one of the ways.
func (mt *modeTuner) recordTime(stats *jobStats, way runMode, took time.Duration, n int) {
	if runMode(mt.mode.Load()) != way || !mt.busy.CompareAndSwap(false, true) {
		return
	}
	defer mt.busy.Store(false)
	other := mt.meanCost[1-way].Load()
	bound := other
	if bound == 0 {
		bound = max(stats.cost.Load(), 1)
	}
	// A processor that was lost for milliseconds is no matter of this loop alone.
	cost := min(max(int64(took)<<8/int64(n), 1), 4*bound)
	mt.timedLoops++
	mean := mt.meanCost[way].Load()
	weight := 2 * int64(shortTrial)
	if mt.trying {
		// Until half of them have run, workers wake up and rows move into their caches.
		weight = max(mt.timedLoops-int64(mt.trialLength(way))/2, 1)
	}
	mean += (cost - mean) / weight
	mt.meanCost[way].Store(max(mean, 1))
	if mt.trying && mt.timedLoops < int64(mt.trialLength(way)) {
		return
	}
	// As long as it is as good as it was there is no need for a trial before its time.
	if !mt.trying && mt.loopsLeft.Load() > 0 && (mt.timedLoops < 2*shortTrial || other == 0 || mean <= other+other/8) {
		return
	}
	mt.finishPhase(way, mean, other, n, way == inParallel && mean < mt.serialCost(stats)*3/4)
}

// alone is what one worker is believed to take for an index; 0 if it has to be tried.
func (mt *modeTuner) serialCost(stats *jobStats) int64 {
	if mt.trialLoops == longTrial {
		return mt.meanCost[inSerial].Load()
	}
	return stats.cost.Load()
}

// tries is how many loops a trial of a way has.
func (mt *modeTuner) trialLength(way runMode) int32 {
	if way == inSerial && mt.trialLoops == longTrial {
		return serialTrial
	}
	return mt.trialLoops
}

// calmest is for how many loops there is no trial at most.
func (mt *modeTuner) maxQuietLoops() int32 {
	if mt.trialLoops == longTrial {
		return maxQuietLong
	}
	return maxQuiet
}

// judge ends a trial, or a time without one. It is plain that all together are quicker
// if they take much less than one worker is believed to.
func (mt *modeTuner) finishPhase(way runMode, mean, other int64, n int, plain bool) {
	switch {
	case !mt.trying && !plain, mt.trying && !plain && other == 0:
		mt.startPhase(1-way, true, mt.trialLength(1-way))
	case mt.trying && (plain || isBetter(way, mean, other, n)):
		mt.quietLoops = minQuiet // it is new that this is best
		mt.startPhase(way, false, mt.quietLoops)
	case mt.trying:
		mt.quietLoops = min(max(2*mt.quietLoops, minQuiet), mt.maxQuietLoops())
		mt.startPhase(1-way, false, mt.quietLoops)
	default:
		mt.quietLoops = min(2*mt.quietLoops, mt.maxQuietLoops())
		mt.startPhase(way, false, mt.quietLoops)
	}
}

// best reports whether a way that takes mean for each of n indices is better than the
// other one. All workers together have to save some time: they keep others from work
// meanwhile, and where it is nearly the same a wake-up that comes late makes it more.
func isBetter(way runMode, mean, other int64, n int) bool {
	least := minSaving << 8 / int64(n)
	if way == inParallel {
		return mean+least <= other
	}
	return mean < other+least
}

// set puts a way into force.
func (mt *modeTuner) startPhase(way runMode, trying bool, runs int32) {
	mt.trying, mt.timedLoops = trying, 0
	mt.mode.Store(uint32(way))
	mt.loopsLeft.Store(runs)
}

const (
	minTunable   = 2500   // ns: a loop that is shorter is run by one worker
	maxTakeTime  = 16_000 // ns of work that is taken at a time, at most
	alwaysTimed  = 10_000 // ns: a longer loop is always measured
	escapeMargin = 4 * minTunable
)

// opened is a loop that a seat has opened and left, and whose time is still to be taken.
type openedLoop struct {
	loop  Handle
	tuner *modeTuner
	began time.Duration
	stats *jobStats
	n     int
}

// tell is called by the seat that has just seen the end of a job. If that is the loop that was
// opened here last, its trial is told how long it took, until its opener could go
// on: what sleeping and waking up takes at its end counts. If the loop has ended without
// being seen it is not known when, and it does not count.
func (o *openedLoop) reportIfDone(seen Handle) {
	if !o.loop.Done() {
		return
	}
	if seen == o.loop && o.loop.Err() == nil {
		o.tuner.recordTime(o.stats, inParallel, clock()-o.began, o.n)
	}
	*o = openedLoop{}
}

// appendSpreads appends what is known of loops that come after a pause or not.
func (mts *modeTuners) appendSpreads(list []profile.Spread, job string, pause bool) []profile.Spread {
	for i := range mts.tunersFor(pause) {
		if s := mts.tunersFor(pause)[i].report(); s.One != 0 || s.All != 0 {
			s.Job, s.From, s.To, s.Pause = job, minTunable<<i, minTunable<<(i+1), pause
			list = append(list, s)
		}
	}
	return list
}

// kindsNamed are the kinds with a name: as a rule one.
func statsNamed(name string) (list []*jobStats) {
	list = appendNamed(list, &statsByName, name)
	list = appendNamed(list, &statsByCode, name)
	return appendNamed(list, &statsByType, name)
}

func appendNamed[K comparable](list []*jobStats, m *statsMap[K], name string) []*jobStats {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, known := range []map[K]*jobStats{m.publishedStats(), m.fresh} {
		for _, stats := range known { //lanewise:inexact measured times, which differ in each run
			if stats.name == name {
				list = append(list, stats)
			}
		}
	}
	return list
}

// spread is what the trial has found.
func (mt *modeTuner) report() profile.Spread {
	for !mt.busy.CompareAndSwap(false, true) {
		pause(1) // another adds up a few numbers
	}
	defer mt.busy.Store(false)
	return profile.Spread{
		Alone: runMode(mt.mode.Load()) == inSerial, Trying: mt.trying,
		One: float64(mt.meanCost[inSerial].Load()) / 256, All: float64(mt.meanCost[inParallel].Load()) / 256,
	}
}

// Spreads returns what is known of the loops of a job, by its name, those after a
// pause last, else the short ones first; nil if none was tried. Pools with the same number of workers know the same.
func (p *Pool) Spreads(job string) (list []profile.Spread) {
	p.requireMade("Pool.Spreads")
	for _, stats := range statsNamed(job) {
		for mts := stats.tuners.Load(); mts != nil; mts = mts.next {
			if mts.workers != p.workers {
				continue
			}
			for _, pause := range []bool{false, true} {
				list = mts.appendSpreads(list, job, pause)
			}
		}
	}
	return list
}
