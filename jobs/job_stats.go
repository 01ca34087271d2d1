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

// kind is what is known of all jobs of one name: above all how long they take.
//
// Its numbers are averages and guesses that all that run such jobs read and write
// without order: what is lost or old makes a choice worse, and never a result.
type jobStats struct {
	name        string
	cost        atomic.Int64               // of one index, or of one single job, in 1/256 ns; 0 is unknown, exits too
	tuners      atomic.Pointer[modeTuners] // see trialFor
	promptWaits atomic.Int32               // how often in a row the goroutine that scheduled one went on to wait for it at once
}

// exits is the cost of a kind of which a job has called runtime.Goexit: it stays that.
const costExits = -1

// known reports whether a job of the kind has run to its end, and none has called
// runtime.Goexit.
func (stats *jobStats) hasCompleted() bool { return stats.cost.Load() > 0 }

// Kinds are shared by all pools. Jobs with a name of their own are found by
// it, functions by their code, other jobs by their type.
var (
	statsByName statsMap[string]
	statsByCode statsMap[uintptr]
	statsByType statsMap[reflect.Type]
)

// kindMap is a map that is read without a lock. New kinds stand beside it, under one,
// and move into a copy of it when they are many, or looked for often: a copy for each
// would make a thousand kinds cost a million moves.
type statsMap[K comparable] struct {
	mu       sync.Mutex
	snapshot atomic.Pointer[map[K]*jobStats]
	fresh    map[K]*jobStats // those that m lacks
	misses   int             // how often one of them was looked for
}

// maxKinds bounds a map; jobs that come later share one kind.
const maxStats = 4096

var otherStats = &jobStats{name: "other jobs"}

// combined is the kind of the jobs that Combine makes: they do nothing.
var combineStats = &jobStats{name: "jobs.Combine"}

// closing is the kind of the job in whose name Pool.Close waits: see await.close.
var closeStats = &jobStats{name: "Pool.Close"}

func init() { combineStats.cost.Store(1) }

// find returns the kind of a key, and makes it if there is none.
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
	stats := m.fresh[key]
	if stats != nil {
		m.misses++
	} else if len(published)+len(m.fresh) >= maxStats {
		return otherStats
	} else {
		if m.fresh == nil {
			m.fresh = map[K]*jobStats{}
		}
		stats = &jobStats{name: name(key)}
		m.fresh[key] = stats
	}
	if len(m.fresh) > len(published)/2 || m.misses > len(m.fresh)+len(published)/8 || len(published)+len(m.fresh) == maxStats {
		m.publish()
	}
	return stats
}

// published are the kinds that are found without a lock.
func (m *statsMap[K]) publishedStats() map[K]*jobStats {
	if all := m.snapshot.Load(); all != nil {
		return *all
	}
	return nil
}

// publish moves the fresh kinds to the others. The lock is held.
func (m *statsMap[K]) publish() {
	all := make(map[K]*jobStats, len(m.publishedStats())+len(m.fresh))
	maps.Copy(all, m.publishedStats())
	maps.Copy(all, m.fresh)
	m.snapshot.Store(&all)
	m.fresh, m.misses = nil, 0
}

// kindCache is the kind that a seat has found last.
type statsCache struct {
	typ   reflect.Type
	named bool
	code  bool // the job is a function
	name  string
	pc    uintptr
	stats *jobStats
}

// codeOf is the code of a function, the same for all its closures.
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

// estimate is how long n indices will take in nanoseconds; negative if that
// is not known.
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

// learn takes a measured time for n indices into the estimate. It rises slowly:
// one outlier, a lost processor for example, shall not make a small job look
// big. What others learn at the same time may be lost.
func (stats *jobStats) recordCost(took time.Duration, n int) {
	cost, old := int64(took)<<8/int64(n), stats.cost.Load()
	if old == costExits {
		return
	}
	if old != 0 {
		cost = (old + min(cost, old+old/2+64)) / 2
	}
	stats.cost.CompareAndSwap(old, max(cost, 1))
}

// markUnknown makes the kind one that is not known, for good: see mustIsolate.
func (stats *jobStats) markExits() { stats.cost.Store(costExits) }

// sampleBits are the bits of the numbers of those jobs that are not timed.
const sampleMask = 15

// clock is a monotonic time that is cheap to read.
func clock() time.Duration { return profile.Clock() }

// kindOf is the kind of a job.
func (m *measurements) statsOf(job any) *jobStats {
	c := &m.cache
	if t := reflect.TypeOf(job); t != c.typ {
		_, named := job.(Named)
		*c = statsCache{typ: t, named: named, code: !named && t.Kind() == reflect.Func}
	}
	switch {
	case c.named:
		if name := job.(Named).JobName(); c.stats == nil || name != c.name {
			c.name = name
			c.stats = statsByName.getOrCreate(name, func(name string) string { return name })
		}
	case c.code:
		if pc := funcPC(job); c.stats == nil || pc != c.pc {
			c.pc = pc
			c.stats = statsByCode.getOrCreate(pc, funcName)
		}
	case c.stats == nil:
		c.stats = statsByType.getOrCreate(c.typ, typeName)
	}
	return c.stats
}

// sampled reports whether to take the time of the task that was pushed last:
// always until the kind is known, then one in 16.
func (m *measurements) shouldTime(stats *jobStats) bool {
	return m.jobsRun&m.timingMask == 0 || !stats.hasCompleted()
}

// estimate is how long the job will take in nanoseconds; negative if that is
// not known.
func (node *jobNode) estimate() int64 {
	if node.shape == shapeLoop {
		return node.stats.estimate(node.n)
	}
	return node.stats.estimate(1)
}
