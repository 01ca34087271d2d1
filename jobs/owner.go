package jobs

import (
	"bytes"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
)

// ScheduleHere queues a job that only the calling goroutine may run, such as a
// call into a library that is bound to a thread. It runs when this goroutine
// waits for anything on the pool, ends a scope or calls RunHere. A wait inside a
// job comes to it when it would else sleep; that job goes on when this one is
// over, and for this one to wait for it is an ErrDeadlock. If it calls runtime.Goexit
// it fails with an *ExitError, and its goroutine ends.
func (p *Pool) ScheduleHere(j Job, after ...Handle) Handle {
	return p.scheduleHere(j, nil, after)
}

// ScheduleHere queues a job of the scope that only the calling goroutine may
// run; see Pool.ScheduleHere.
func (s *Scope) ScheduleHere(j Job, after ...Handle) Handle {
	s.check("Scope.ScheduleHere")
	return s.keep(s.pool.scheduleHere(j, s, after))
}

func (p *Pool) scheduleHere(j Job, sc *Scope, after []Handle) Handle {
	mustHave("ScheduleHere", j != nil)
	p.check("ScheduleHere")
	s := p.enter()
	defer s.leave()
	sl := s.newJob(j, sc)
	sl.bound = true
	sl.owner, _ = p.self()
	return s.submit(sl, after)
}

// RunHere runs the jobs that were scheduled for the calling goroutine and are
// ready. It returns how many there were.
func (p *Pool) RunHere() int {
	p.made("Pool.RunHere")
	s := p.enter()
	defer s.leave()
	return s.runOwned()
}

// owners holds the ready jobs that belong to one goroutine.
type owners struct {
	size atomic.Int32 // of list
	mu   sync.Mutex
	list []*slot
}

// handOver makes a job available to its owner.
func (p *Pool) handOver(sl *slot) {
	o := &p.owners
	owner := sl.owner // once it is on the list, the slot may soon be another job's
	o.mu.Lock()
	o.list = append(o.list, sl)
	o.size.Store(int32(len(o.list)))
	o.mu.Unlock()
	p.wakeSleepers() // the owner may be among them
	if s := p.staff.find(owner); s != nil {
		p.wakeWorker(s)
	} else if goroutine() == 0 {
		for range p.workers {
			p.wakeOne() // it may be any of them
		}
	}
}

// owns reports whether there are ready jobs that belong to the goroutine on this
// seat.
func (s *seat) owns() bool {
	o := &s.pool.owners
	if o.size.Load() == 0 {
		return false
	}
	me, _ := s.pool.self()
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.ContainsFunc(o.list, func(sl *slot) bool { return sl.owner == me })
}

// runOwned runs the ready jobs that belong to the goroutine on this seat, in
// the order in which they became ready.
func (s *seat) runOwned() (ran int) {
	o := &s.pool.owners
	if o.size.Load() == 0 {
		return 0
	}
	me, away := s.pool.self()
	for {
		var mine *slot
		o.mu.Lock()
		for i, sl := range o.list {
			if sl.owner == me {
				mine = sl
				o.list = append(o.list[:i], o.list[i+1:]...)
				o.size.Store(int32(len(o.list)))
				break
			}
		}
		o.mu.Unlock()
		if mine == nil {
			return ran
		}
		s.passOn()
		if away == nil {
			s.runWishes(mine, nothingElse)
		} else {
			away.ask(s, mine)
		}
		ran++
	}
}

// goroutineID tells goroutines apart on every CPU. Where the fast way is
// missing it reads the number from the stack's head line, "goroutine 7 […".
func goroutineID() uintptr {
	if g := goroutine(); g != 0 {
		return g
	}
	buf := stackLines.Get().(*[64]byte)
	defer stackLines.Put(buf)
	line := bytes.TrimPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	n := uintptr(0)
	for _, digit := range line {
		if digit < '0' || digit > '9' {
			break
		}
		n = 10*n + uintptr(digit-'0')
	}
	if n == 0 {
		panic("jobs: the stack of a goroutine begins with " + strconv.Quote(string(line)))
	}
	return n
}

// stackLines are beginnings of stack traces that nobody reads now.
var stackLines = sync.Pool{New: func() any { return new([64]byte) }}
