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
type kind struct {
	name   string
	cost   atomic.Int64           // of one index, or of one single job, in 1/256 ns; 0 is unknown, exits too
	trials atomic.Pointer[trials] // see trialFor
	prompt atomic.Int32           // how often in a row the goroutine that scheduled one went on to wait for it at once
}

// exits is the cost of a kind of which a job has called runtime.Goexit: it stays that.
const exits = -1

// known reports whether a job of the kind has run to its end, and none has called
// runtime.Goexit.
func (k *kind) known() bool { return k.cost.Load() > 0 }

// Kinds are shared by all pools. Jobs with a name of their own are found by
// it, functions by their code, other jobs by their type.
var (
	kindsByName kindMap[string]
	kindsByCode kindMap[uintptr]
	kindsByType kindMap[reflect.Type]
)

// kindMap is a map that is read without a lock. New kinds stand beside it, under one,
// and move into a copy of it when they are many, or looked for often: a copy for each
// would make a thousand kinds cost a million moves.
type kindMap[K comparable] struct {
	mu     sync.Mutex
	m      atomic.Pointer[map[K]*kind]
	fresh  map[K]*kind // those that m lacks
	misses int         // how often one of them was looked for
}

// maxKinds bounds a map; jobs that come later share one kind.
const maxKinds = 4096

var otherKind = &kind{name: "other jobs"}

// combined is the kind of the jobs that Combine makes: they do nothing.
var combined = &kind{name: "jobs.Combine"}

// closing is the kind of the job in whose name Pool.Close waits: see await.close.
var closing = &kind{name: "Pool.Close"}

func init() { combined.cost.Store(1) }

// find returns the kind of a key, and makes it if there is none.
func (m *kindMap[K]) find(key K, name func(K) string) *kind {
	published := m.published()
	if k := published[key]; k != nil {
		return k
	} else if len(published) >= maxKinds {
		return otherKind
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	published = m.published()
	if k := published[key]; k != nil {
		return k
	}
	k := m.fresh[key]
	if k != nil {
		m.misses++
	} else if len(published)+len(m.fresh) >= maxKinds {
		return otherKind
	} else {
		if m.fresh == nil {
			m.fresh = map[K]*kind{}
		}
		k = &kind{name: name(key)}
		m.fresh[key] = k
	}
	if len(m.fresh) > len(published)/2 || m.misses > len(m.fresh)+len(published)/8 || len(published)+len(m.fresh) == maxKinds {
		m.publish()
	}
	return k
}

// published are the kinds that are found without a lock.
func (m *kindMap[K]) published() map[K]*kind {
	if all := m.m.Load(); all != nil {
		return *all
	}
	return nil
}

// publish moves the fresh kinds to the others. The lock is held.
func (m *kindMap[K]) publish() {
	all := make(map[K]*kind, len(m.published())+len(m.fresh))
	maps.Copy(all, m.published())
	maps.Copy(all, m.fresh)
	m.m.Store(&all)
	m.fresh, m.misses = nil, 0
}

// kindCache is the kind that a seat has found last.
type kindCache struct {
	typ   reflect.Type
	named bool
	code  bool // the job is a function
	name  string
	pc    uintptr
	kind  *kind
}

// codeOf is the code of a function, the same for all its closures.
func codeOf(f any) uintptr { return reflect.ValueOf(f).Pointer() }

func codeName(pc uintptr) string {
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
func (k *kind) estimate(n int) int64 {
	cost := k.cost.Load()
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
func (k *kind) learn(took time.Duration, n int) {
	cost, old := int64(took)<<8/int64(n), k.cost.Load()
	if old == exits {
		return
	}
	if old != 0 {
		cost = (old + min(cost, old+old/2+64)) / 2
	}
	k.cost.CompareAndSwap(old, max(cost, 1))
}

// markUnknown makes the kind one that is not known, for good: see mustIsolate.
func (k *kind) markUnknown() { k.cost.Store(exits) }

// sampleBits are the bits of the numbers of those jobs that are not timed.
const sampleBits = 15

// clock is a monotonic time that is cheap to read.
func clock() time.Duration { return profile.Clock() }

// kindOf is the kind of a job.
func (m *measures) kindOf(job any) *kind {
	c := &m.kinds
	if t := reflect.TypeOf(job); t != c.typ {
		_, named := job.(Named)
		*c = kindCache{typ: t, named: named, code: !named && t.Kind() == reflect.Func}
	}
	switch {
	case c.named:
		if name := job.(Named).JobName(); c.kind == nil || name != c.name {
			c.name = name
			c.kind = kindsByName.find(name, func(name string) string { return name })
		}
	case c.code:
		if pc := codeOf(job); c.kind == nil || pc != c.pc {
			c.pc = pc
			c.kind = kindsByCode.find(pc, codeName)
		}
	case c.kind == nil:
		c.kind = kindsByType.find(c.typ, typeName)
	}
	return c.kind
}

// sampled reports whether to take the time of the task that was pushed last:
// always until the kind is known, then one in 16.
func (m *measures) sampled(k *kind) bool { return m.ran&m.often == 0 || !k.known() }

// estimate is how long the job will take in nanoseconds; negative if that is
// not known.
func (sl *slot) estimate() int64 {
	if sl.shape == shapeMany {
		return sl.kind.estimate(sl.n)
	}
	return sl.kind.estimate(1)
}
