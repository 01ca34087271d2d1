package park

import (
	"runtime"
	"sync/atomic"
	"time"
)

// LostGap is how long a pause cannot take: the processor was taken away.
const LostGap = 50 * time.Microsecond

// LateWake is how long a worker that is woken does not wait for a processor, if one is free.
const LateWake = time.Millisecond

// MaxSigns is how many signs of others are remembered.
const MaxSigns = 6

// CalmTime is how long no sign must come until one is forgotten.
const CalmTime = 100 * time.Millisecond

// Machine is what a pool knows of the machine and of others that use it. It is written
// and read by all workers without order: a sign that is lost is no matter.
type Machine struct {
	processors atomic.Int32 // GOMAXPROCS when it was last looked up
	signs      atomic.Int32 // that others use the machine; see Notice
	signAt     atomic.Int64 // when there was one, or one was forgotten, by clock
	fixed      bool         // processors is not looked up: written before the machine is used
}

// Look refreshes how many processors there are.
func (m *Machine) Look() {
	if !m.fixed {
		m.processors.Store(int32(runtime.GOMAXPROCS(0)))
	}
}

// Fix says how many processors there are from now on, before the machine is used. It is
// for tests.
func (m *Machine) Fix(processors int) {
	m.fixed = true
	m.processors.Store(int32(processors))
}

// Crowd says how many signs of others there are, which are not forgotten. It is for tests.
func (m *Machine) Crowd(signs int) {
	m.signAt.Store(int64(clock() + 1000*time.Hour))
	m.signs.Store(int32(signs))
}

// Awake is how long to stay awake, of a limit for a machine that no other process uses.
func (m *Machine) Awake(limit time.Duration) time.Duration {
	if m.processors.Load() == 1 {
		return 0
	}
	return limit >> m.remembered()
}

// Notice takes a time that was too long as a sign that others use the machine too. Each
// sign halves the time that is spent awake, and is remembered for CalmTime: what
// hardly spins any more sees few of them.
func (m *Machine) Notice(took, most time.Duration) {
	if took > most {
		m.signAt.Store(int64(clock())) // first: else an old time would make the sign look old
		m.signs.Store(min(m.signs.Load()+1, MaxSigns))
	}
}

// remembered is how many signs are remembered. Those that are old are forgotten; it is no
// matter that one is lost where several workers see some at a time.
func (m *Machine) remembered() int32 {
	n := m.signs.Load()
	if n == 0 {
		return 0
	}
	now := int64(clock())
	if old := (now - m.signAt.Load()) / int64(CalmTime); old > 0 {
		n -= int32(min(old, int64(n)))
		m.signs.Store(n)
		m.signAt.Store(now)
	}
	return n
}
