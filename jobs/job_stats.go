package jobs

import (
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lanewise/lanewise/jobs/profile"
)

// jobStats holds the measurements of all jobs with one name in this process,
// mainly their duration.
//
// All goroutines that run such jobs read and write the values without synchronizing their order. A
// lost or old value makes a decision worse, but never changes a
// result.
type jobStats struct {
	name        string
	cost        atomic.Int64               // duration of one index or of one single job, in 1/256 ns; 0 if unknown, or costExits
	high        atomic.Int64               // the last sample, if it was far above the cost; otherwise 0; see recordCost
	tuners      atomic.Pointer[modeTuners] // see tunerFor
	promptWaits atomic.Int32               // prompt waits in a row; see promptRuns
	follower    atomic.Pointer[jobStats]   // of the job with a name that a context scheduled after one with this name; see statsOfName
}

// costExits is stored as the cost of a kind of jobs after one job of that kind has called
// runtime.Goexit. A cost of this value never changes again.
const costExits = -1

// hasCompleted reports whether a job of this kind has run to its end and none has called
// runtime.Goexit.
func (stats *jobStats) hasCompleted() bool { return stats.cost.Load() > 0 }

// All pools share the following statistics. Jobs that implement Named are found by their name,
// functions by the address of their code (of RangeFor: of the function f), and other jobs by their
// type.
var (
	statsByName statsMap[string]
	statsByCode statsMap[uintptr]
	statsByType statsMap[reflect.Type]
)

// statsMap is a map that can be read without a lock. New entries of a statsMap go into a second map
// under a lock. Entries move from the second map into a copy of the first map when there are many
// of them or they are looked up often. If each new entry copied the map at once, a thousand entries
// would cost a million moves.
type statsMap[K comparable] struct {
	mu                 sync.Mutex
	snapshot           atomic.Pointer[map[K]*jobStats]
	unpublished        map[K]*jobStats // entries that are not in the snapshot
	unpublishedLookups int             // number of look-ups of fresh entries
}

// maxStats is the largest number of entries of a map. Jobs of later kinds share otherStats.
const maxStats = 4096

var otherStats = &jobStats{name: "other jobs"}

// combineStats holds the statistics of the jobs of Combine, which do nothing.
var combineStats = &jobStats{name: "jobs.Combine"}

// closeStats holds the statistics of the job that represents a call of Pool.Close; see
// pendingWait.beginClose.
var closeStats = &jobStats{name: "Pool.Close"}

func init() { combineStats.cost.Store(1) }

// getOrCreate returns the statistics of a key.
func (m *statsMap[K]) getOrCreate(key K, name func(K) string) *jobStats {
	published := m.publishedStats()
	if stats := published[key]; stats != nil {
		return stats
	} else if len(published) >= maxStats {
		return otherStats
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	published = m.publishedStats()
	if stats := published[key]; stats != nil {
		return stats
	}
	stats := m.unpublished[key]
	if stats != nil {
		m.unpublishedLookups++
	} else if len(published)+len(m.unpublished) >= maxStats {
		return otherStats
	} else {
		if m.unpublished == nil {
			m.unpublished = map[K]*jobStats{}
		}
		stats = &jobStats{name: name(key)}
		m.unpublished[key] = stats
	}
	if len(m.unpublished) > len(published)/2 || m.unpublishedLookups > len(m.unpublished)+len(published)/8 || len(published)+len(m.unpublished) == maxStats {
		m.publish()
	}
	return stats
}

// publishedStats returns the map that is read without a lock.
func (m *statsMap[K]) publishedStats() map[K]*jobStats {
	if all := m.snapshot.Load(); all != nil {
		return *all
	}
	return nil
}

// publish moves the fresh entries into a new snapshot. The caller holds the lock.
func (m *statsMap[K]) publish() {
	all := make(map[K]*jobStats, len(m.publishedStats())+len(m.unpublished))
	maps.Copy(all, m.publishedStats())
	maps.Copy(all, m.unpublished)
	m.snapshot.Store(&all)
	m.unpublished, m.unpublishedLookups = nil, 0
}

// statsCache holds the result of a context's last look-up.
type statsCache struct {
	typ       reflect.Type
	named     bool
	isFunc    bool // the job is a function, or a rangeFor, which stands for one
	pc        uintptr
	stats     *jobStats
	lastNamed *jobStats // of the last job with a name
}

// funcPC returns the address of a function's code, which is the same for all its closures.
func funcPC(f any) uintptr { return reflect.ValueOf(f).Pointer() }

func funcName(pc uintptr) string {
	if f := runtime.FuncForPC(pc); f != nil {
		return f.Name()
	}
	return "function"
}

func typeName(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return fmt.Sprint(t)
}

// estimate returns the expected duration of n indices in nanoseconds; negative if it is not known.
func (stats *jobStats) estimate(n int) int64 {
	cost := stats.cost.Load()
	if cost <= 0 {
		return -1
	}
	if uint64(n) > 1<<31 {
		return 1 << 40 // long enough for every purpose
	}
	return cost * int64(n) >> 8
}

// recordCost adds the measured duration of n indices to the average. The average rises slowly, so
// that one outlier, for example a lost processor, does not make a small job look big. After two
// samples in a row that are far above the average, the smaller one becomes the average, because the
// job has become longer. If another goroutine records a value at the same time, that value may be
// lost.
func (stats *jobStats) recordCost(took time.Duration, n int) {
	cost, old := int64(took)<<8/int64(n), stats.cost.Load()
	if old == costExits {
		return
	}
	if old != 0 {
		high := stats.high.Load()
		far := cost/farAbove > old
		switch {
		case far && high == 0:
			stats.high.Store(cost)
		case high != 0:
			stats.high.Store(0)
		}
		if far && high != 0 {
			cost = min(cost, high)
		} else {
			cost = (old + min(cost, old+old/2+64)) / 2
		}
	}
	stats.cost.CompareAndSwap(old, max(cost, 1))
}

// farAbove is the factor between the average and a sample that is far above the average.
const farAbove = 4

// markExits sets the cost to costExits; see mustIsolate.
func (stats *jobStats) markExits() { stats.cost.Store(costExits) }

// sampleMask selects the jobs that are timed: job n is timed if (n^samplePhase)&sampleMask is 0.
// Reading the clock takes as long as a tiny job, so fewer tiny jobs are timed. The pool chooses a
// new random phase after every 64 jobs. Otherwise every 64th job would often have the same name,
// because a program repeats its jobs in each frame.
const (
	sampleMask     = 15
	tinySampleMask = 63
)

// clock returns a monotonic time that is cheap to read.
func clock() time.Duration { return profile.Clock() }

var rangeForType = reflect.TypeFor[*rangeFor]()

// statsOf returns the statistics for a job.
func (m *measurements) statsOf(job any) *jobStats {
	c := &m.cache
	if t := reflect.TypeOf(job); t != c.typ {
		_, named := job.(Named)
		*c = statsCache{typ: t, named: named, isFunc: !named && (t.Kind() == reflect.Func || t == rangeForType), lastNamed: c.lastNamed}
	}
	switch {
	case c.named:
		if name := job.(Named).JobName(); c.stats == nil || name != c.stats.name {
			c.stats = c.statsOfName(name)
		}
	case c.isFunc:
		pc := uintptr(0)
		if r, ok := job.(*rangeFor); ok {
			pc = r.pc
		} else {
			pc = funcPC(job)
		}
		if c.stats == nil || pc != c.pc {
			c.pc = pc
			c.stats = statsByCode.getOrCreate(pc, funcName)
		}
	case c.stats == nil:
		c.stats = statsByType.getOrCreate(c.typ, typeName)
	}
	return c.stats
}

// statsOfName returns the statistics for a job with a name. A program often schedules the same jobs
// in the same order in each frame. So the job that followed the last time is a good guess, and
// comparing one name costs less than a look-up.
func (c *statsCache) statsOfName(name string) *jobStats {
	last := c.lastNamed
	if last != nil {
		if guess := last.follower.Load(); guess != nil && guess.name == name {
			c.lastNamed = guess
			return guess
		}
	}
	stats := statsByName.getOrCreate(name, func(name string) string { return name })
	if last != nil && last != otherStats && stats != otherStats { // many contexts share otherStats, and no guess about it is good
		last.follower.Store(stats)
	}
	c.lastNamed = stats
	return stats
}

// shouldTime reports whether to time the task that was pushed last, which has n indices. It times
// every task until the duration is known, and then one task in 16, or one in 64 if the task is
// tiny.
func (m *measurements) shouldTime(stats *jobStats, n int) bool {
	ns, mask := stats.estimate(n), m.timingMask
	if uint64(ns) < tinyJob && mask != 0 {
		mask = tinySampleMask
	}
	return ns < 0 || (m.jobsRun^m.samplePhase)&mask == 0
}

// estimate returns the expected duration of the job in nanoseconds; negative if it is not known.
func (node *jobNode) estimate() int64 {
	if node.shape == shapeLoop {
		return node.stats.estimate(node.n)
	}
	return node.stats.estimate(1)
}
