package jobs

import (
	"math/bits"
	"sync/atomic"
	"time"

	"github.com/lanewise/lanewise/jobs/profile"
)

// Several workers do not always finish a loop of some microseconds sooner than one worker. Which
// mode is faster depends on how many workers are awake, on the contents of their caches, on memory,
// and on other programs on the machine. No model predicts all of these effects, so the pool tries
// both modes. For loops of one job and about one length, the pool measures the duration with one
// worker and with all workers, including the time to wake them. Then the pool uses the faster mode.
// Loops after a pause are measured separately: the workers have fallen asleep, and each such loop
// has to wake the workers. Now and then the pool tries the other mode again, but less and less
// often as long as the result stays the same. Longer loops are always opened to all workers, and
// shorter loops never are.
//
// If all workers together take much less time than the estimate for one worker,
// the serial mode is not tried. The estimate often comes from blocks that ran
// while other workers ran too. If workers slow each other down, because they share a core or write
// to the same cache lines, the estimate is too high. For a short loop, an estimate that is too high
// costs little. For long loops, the pool once runs two loops with one worker before it trusts the
// estimate.

// runMode says how a loop is run: with one worker or with all. runMode is also an index into
// modeTuner.meanCost.
type runMode uint8

const (
	inParallel runMode = iota // opened to all workers, if waking them seems worth it
	inSerial                  // by one worker alone
)

const (
	// Loops of minTunable to maxTunable nanoseconds are tuned, in length classes. The longest loop
	// of a class is twice as long as the longest loop of the class before it.
	maxTunable       = minTunable << tunerClasses // 10 ms
	tunerClasses     = 12
	shortLoopClasses = 8 // classes in which the serial mode is not tried if the parallel one is plainly faster

	shortTrial          = 16   // loops in a trial of a mode, one after the other, because the first wakes the workers for the others
	longTrial           = 4    // loops in a trial of loops that are not short
	serialTrial         = 2    // loops in such a trial of the serial mode, few because each may take many times as long
	minQuietLoops       = 64   // loops in the better mode before the other is tried again
	maxQuietLoopsShort  = 4096 // the same after several trials with one result
	maxQuietLoopsLong   = 512  // the same for loops that are not short: five seconds of the longest
	minSaving           = 1000 // ns that the parallel mode has to save
	quietSampleInterval = 8    // one in so many short loops is timed between trials
)

// modeTuners holds the tuners of one job for pools with one number of workers.
type modeTuners struct {
	workers          int
	tunersAwake      [tunerClasses]modeTuner
	tunersAfterPause [tunerClasses]modeTuner // for loops after a pause
	next             *modeTuners
}

// modeTuner decides the mode for loops of one job and about one length. Only the goroutine that has
// set busy changes the fields after busy. A goroutine that finds busy already set drops its
// measurement. Of the other fields, all goroutines that run such loops read mode and count down
// loopsLeft. No result of a job depends on any of these values.
type modeTuner struct {
	mode      atomic.Uint32 // the current mode; stored by the holder of busy, read by all
	loopsLeft atomic.Int32  // loops until the next decision; counted down without an order, set by the holder of busy

	busy       atomic.Bool     // guards the plain fields below: taken by compare-and-swap, given back by a store
	trialLoops int32           // shortTrial or longTrial
	onTrial    bool            // this mode is on trial, not chosen as the better one
	quietLoops int32           // length of the last phase without a trial
	timedLoops int64           // loops that were timed in this phase
	meanCost   [2]atomic.Int64 // by mode, of an index, in 1/256 ns; 0 if not known; stored by the holder of busy, read by all
}

// isTunable reports whether loops that take ns nanoseconds are tuned.
func isTunable(ns int64) bool { return ns >= minTunable && ns < maxTunable }

// tunerFor returns the tuner for loops that take ns nanoseconds, which must be tunable.
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
			c.onTrial, c.trialLoops = true, shortTrial
			if i >= shortLoopClasses {
				c.trialLoops = longTrial
			}
			c.loopsLeft.Store(c.trialLoops)
		}
	}
	stats.tuners.CompareAndSwap(first, mts) // if this fails, a later loop adds the tuners
	return &mts.tunersFor(pause)[class]
}

// tunersFor returns the tuners for loops of all lengths, either for loops that come after a pause
// or for all other loops.
func (mts *modeTuners) tunersFor(pause bool) *[tunerClasses]modeTuner {
	if pause {
		return &mts.tunersAfterPause
	}
	return &mts.tunersAwake
}

// nextMode returns the mode for the next loop, and whether to time it.
func (mt *modeTuner) nextMode(ns int64) (mode runMode, timed bool) {
	left := mt.loopsLeft.Load()
	mt.loopsLeft.Store(left - 1)
	return runMode(mt.mode.Load()), left%quietSampleInterval == 0 || left <= mt.trialLoops || ns >= alwaysTimed
}

// recordTime records the duration of a loop of n indices that was run in a mode.
func (mt *modeTuner) recordTime(stats *jobStats, mode runMode, took time.Duration, n int) {
	if runMode(mt.mode.Load()) != mode || !mt.busy.CompareAndSwap(false, true) {
		return
	}
	defer mt.busy.Store(false)
	other := mt.meanCost[1-mode].Load()
	bound := other
	if bound == 0 {
		bound = max(stats.cost.Load(), 1)
	}
	// The cost is limited, because the process may have lost a processor for milliseconds, which
	// this loop did not cause.
	cost := min(max(int64(took)<<8/int64(n), 1), 4*bound)
	mt.timedLoops++
	mean := mt.meanCost[mode].Load()
	weight := 2 * int64(shortTrial)
	if mt.onTrial {
		// The first half of a trial has little weight, because workers are still waking up and rows
		// are moving into their caches.
		weight = max(mt.timedLoops-int64(mt.trialLength(mode))/2, 1)
	}
	mean += (cost - mean) / weight
	mt.meanCost[mode].Store(max(mean, 1))
	if mt.onTrial && mt.timedLoops < int64(mt.trialLength(mode)) {
		return
	}
	// If the mode has not become slower, the next trial begins only when loopsLeft is used up.
	if !mt.onTrial && mt.loopsLeft.Load() > 0 && (mt.timedLoops < 2*shortTrial || other == 0 || mean <= other+other/8) {
		return
	}
	mt.finishPhase(mode, mean, other, n, mode == inParallel && mean < mt.serialCost(stats)*3/4)
}

// serialCost returns the expected duration of an index with one worker, or 0 if that mode must be
// tried first.
func (mt *modeTuner) serialCost(stats *jobStats) int64 {
	if mt.trialLoops == longTrial {
		return mt.meanCost[inSerial].Load()
	}
	return stats.cost.Load()
}

// trialLength is the number of loops in a trial of a mode.
func (mt *modeTuner) trialLength(mode runMode) int32 {
	if mode == inSerial && mt.trialLoops == longTrial {
		return serialTrial
	}
	return mt.trialLoops
}

// maxQuietLoops is the largest number of loops without a trial.
func (mt *modeTuner) maxQuietLoops() int32 {
	if mt.trialLoops == longTrial {
		return maxQuietLoopsLong
	}
	return maxQuietLoopsShort
}

// finishPhase ends a phase, with or without a trial. Parameter plain is true if the parallel mode
// takes much less time than the estimate for one worker.
func (mt *modeTuner) finishPhase(mode runMode, mean, other int64, n int, plain bool) {
	switch {
	case !mt.onTrial && !plain, mt.onTrial && !plain && other == 0:
		mt.startPhase(1-mode, true, mt.trialLength(1-mode))
	case mt.onTrial && (plain || isBetter(mode, mean, other, n)):
		mt.quietLoops = minQuietLoops // short, because this result is new
		mt.startPhase(mode, false, mt.quietLoops)
	case mt.onTrial:
		mt.quietLoops = min(max(2*mt.quietLoops, minQuietLoops), mt.maxQuietLoops())
		mt.startPhase(1-mode, false, mt.quietLoops)
	default:
		mt.quietLoops = min(2*mt.quietLoops, mt.maxQuietLoops())
		mt.startPhase(mode, false, mt.quietLoops)
	}
}

// isBetter compares a mode that takes mean for each of n indices with the other mode, which takes
// other. It reports whether the first mode is better. The parallel mode must save some time to be
// better, because it keeps the workers from other jobs. If the two modes are nearly equal, a late
// wake-up would also delay the pool's decision.
func isBetter(mode runMode, mean, other int64, n int) bool {
	least := minSaving << 8 / int64(n)
	if mode == inParallel {
		return mean+least <= other
	}
	return mean < other+least
}

// startPhase sets the mode for the next loops.
func (mt *modeTuner) startPhase(mode runMode, trying bool, runs int32) {
	mt.onTrial, mt.timedLoops = trying, 0
	mt.mode.Store(uint32(mode))
	mt.loopsLeft.Store(runs)
}

const (
	minTunable   = 2500   // ns: one worker runs a shorter loop
	maxTakeTime  = 16_000 // ns: the largest amount of work that a worker takes at a time
	alwaysTimed  = 10_000 // ns: a longer loop is always timed
	escapeMargin = 4 * minTunable
)

// openedLoop is a loop that a context has opened and left, and whose duration is not recorded yet.
type openedLoop struct {
	loop  Handle
	tuner *modeTuner
	began time.Duration
	stats *jobStats
	n     int
}

// A context that has just seen the end of a job calls reportIfDone. If that job is the opened loop,
// reportIfDone records the duration until the opener could continue, including the time to sleep
// and wake up. If no context has seen the end of the loop, the time of the end is unknown, and no
// measurement is recorded.
func (o *openedLoop) reportIfDone(seen Handle) {
	if !o.loop.Done() {
		return
	}
	if seen == o.loop && o.loop.Err() == nil {
		o.tuner.recordTime(o.stats, inParallel, clock()-o.began, o.n)
	}
	*o = openedLoop{}
}

// appendLoopModes appends the results for loops that come after a pause, or the results for all
// other loops.
func (mts *modeTuners) appendLoopModes(list []profile.LoopMode, job string, pause bool) []profile.LoopMode {
	for i := range mts.tunersFor(pause) {
		if s := mts.tunersFor(pause)[i].report(); s.One != 0 || s.All != 0 {
			s.Job, s.From, s.To, s.Pause = job, minTunable<<i, minTunable<<(i+1), pause
			list = append(list, s)
		}
	}
	return list
}

// statsNamed returns the statistics of all jobs with a name, usually one.
func statsNamed(name string) (list []*jobStats) {
	list = appendNamed(list, &statsByName, name)
	list = appendNamed(list, &statsByCode, name)
	return appendNamed(list, &statsByType, name)
}

func appendNamed[K comparable](list []*jobStats, m *statsMap[K], name string) []*jobStats {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, known := range []map[K]*jobStats{m.publishedStats(), m.unpublished} {
		for _, stats := range known { //lanewise:inexact measured times, which differ in each run
			if stats.name == name {
				list = append(list, stats)
			}
		}
	}
	return list
}

// report returns the results of the tuner.
func (mt *modeTuner) report() profile.LoopMode {
	for !mt.busy.CompareAndSwap(false, true) {
		pause(1) // the holder adds up a few numbers
	}
	defer mt.busy.Store(false)
	return profile.LoopMode{
		Alone: runMode(mt.mode.Load()) == inSerial, Trying: mt.onTrial,
		One: float64(mt.meanCost[inSerial].Load()) / 256, All: float64(mt.meanCost[inParallel].Load()) / 256,
	}
}

// LoopModes returns how the loops of the named job are run, and why. Short loops
// come before long ones, and loops that began after a pause of the pool come last. The list is nil if no such loop was tuned. Pools with the
// same number of workers share the results.
func (p *Pool) LoopModes(job string) (list []profile.LoopMode) {
	p.requireMade("Pool.LoopModes")
	for _, stats := range statsNamed(job) {
		for mts := stats.tuners.Load(); mts != nil; mts = mts.next {
			if mts.workers != p.workers {
				continue
			}
			for _, pause := range []bool{false, true} {
				list = mts.appendLoopModes(list, job, pause)
			}
		}
	}
	return list
}
