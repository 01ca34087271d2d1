package jobs

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/lanewise/lanewise/internal/fpmode"
	"github.com/lanewise/lanewise/jobs/internal/park"
)

// New starts a pool. Close it when it is no longer needed.
//
// It panics if a thread of the process takes subnormal numbers for zero, or does not round to the nearest: a C library that was
// built with -ffast-math does that to the program that loads it, and results would not have the same bits as elsewhere. New
// does not see a library that is loaded later.
func New(opts ...Option) *Pool {
	if err := fpmode.Check(); err != nil {
		panic("jobs: New: " + err.Error())
	}
	p := &Pool{config: config{workers: runtime.GOMAXPROCS(0), seed: 1, newParker: park.NewChan, pauses: pauseRounds()}}
	for i, opt := range opts {
		if opt == nil {
			panic(fmt.Sprintf("jobs: New: option %d is nil", i))
		}
		opt(p)
	}
	p.goroutines.left, p.externals.left = p.tellCloser, p.tellCloser
	p.ended = make(chan struct{})
	p.store.pool = p
	p.profile.Init(p.workers)
	if p.stuck != nil || p.level == Panic {
		p.live = &liveList{sites: p.level == Panic, jobs: map[*slot]*entry{}}
	}
	p.permits.Store(int32(max(1, (p.workers-1)/4)))
	p.registry = newRegistry(p.workers)
	p.machine.Look()
	var hook func(where string) // at for what wakes workers
	if p.hook != nil {
		hook = func(where string) { p.hook(nil, where) }
	}
	p.lot.Init(p.workers, hook)
	seats := make([]*seat, p.workers)
	for i := range seats {
		seats[i] = newSeat(p, i)
		p.lot.Seat(i, seats[i].parker)
	}
	p.front = seats[0]
	p.seats.Store(&seats)
	p.taking.Store(true)
	enlistPool(p)
	for _, s := range seats[1:] {
		p.goroutines.call()
		go worker{s}.work()
	}
	if p.stuck != nil {
		p.goroutines.call()
		go new(watch).keep(p)
	}
	return p
}

var defaultPool = sync.OnceValue(newDefault)

func newDefault() *Pool { return New(func(p *Pool) { p.forever = true }) }

// Default is the pool of the process: GOMAXPROCS workers, never closed. To close it
// panics: others use it too.
func Default() *Pool { return defaultPool() }
