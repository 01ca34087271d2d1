package park

import (
	"runtime"
	"sync/atomic"
	"time"
)

// LostGap is a gap between two readings of the clock that is so long that the thread must have
// lost its processor.
const LostGap = 50 * time.Microsecond

// LateWake is a duration of a wake-up that is so long that the worker must have waited for a
// processor.
const LateWake = time.Millisecond

// MaxSigns is the largest number of signs of other load that are remembered.
const MaxSigns = 6

// CalmTime is the time without a new sign after which one sign is forgotten.
const CalmTime = 100 * time.Millisecond

// Machine is the pool's estimate of the processors and of other load on the machine. All workers
// write and read it without an order; a lost sign does no harm.
type Machine struct {
	processors      atomic.Int32 // GOMAXPROCS at the last update
	loadSigns       atomic.Int32 // signs that other programs use the machine; see NoticeDelay
	lastSignTime    atomic.Int64 // time of the last sign, or when one was forgotten, by clock
	processorsFixed bool         // processors is not updated; set before the machine is used
}

// UpdateProcessors reads the number of processors.
func (m *Machine) UpdateProcessors() {
	if !m.processorsFixed {
		m.processors.Store(int32(runtime.GOMAXPROCS(0)))
	}
}

// FixProcessors sets the number of processors before the machine is used. It is for tests.
func (m *Machine) FixProcessors(processors int) {
	m.processorsFixed = true
	m.processors.Store(int32(processors))
}

// FixLoad sets the number of signs, which are then not forgotten. It is for tests.
func (m *Machine) FixLoad(signs int) {
	m.lastSignTime.Store(int64(clock() + 1000*time.Hour))
	m.loadSigns.Store(int32(signs))
}

// AwakeTime returns how long to stay awake, if limit is the time for a machine without other
// load.
func (m *Machine) AwakeTime(limit time.Duration) time.Duration {
	if m.processors.Load() == 1 {
		return 0
	}
	return limit >> m.recentSigns()
}

// NoticeDelay records a sign of other load if a measured time is longer than the limit most. Each
// sign halves the time that workers stay awake. A sign is remembered for CalmTime, because a
// worker that hardly spins sees few signs.
func (m *Machine) NoticeDelay(took, most time.Duration) {
	if took > most {
		m.lastSignTime.Store(int64(clock())) // first, because with an old time the sign would look old
		m.loadSigns.Store(min(m.loadSigns.Load()+1, MaxSigns))
	}
}

// recentSigns is the number of signs that are not forgotten. If several workers forget a sign at
// the same time, only one sign is forgotten, which does no harm.
func (m *Machine) recentSigns() int32 {
	n := m.loadSigns.Load()
	if n == 0 {
		return 0
	}
	now := int64(clock())
	if old := (now - m.lastSignTime.Load()) / int64(CalmTime); old > 0 {
		n -= int32(min(old, int64(n)))
		m.loadSigns.Store(n)
		m.lastSignTime.Store(now)
	}
	return n
}
