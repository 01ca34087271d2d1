package jobs

import (
	"fmt"
	"time"

	"github.com/lanewise/lanewise/jobs/internal/park"
)

// Option is a choice made when a pool is made.
type Option func(*Pool)

// Workers sets the number of workers, the waiting caller among them:
// Workers(1) starts no goroutine. The default is GOMAXPROCS. It panics if n is
// less than one.
func Workers(n int) Option {
	if n < 1 {
		panic(fmt.Sprintf("jobs: Workers: n is %d: it counts the caller too, so 1 is the least; without the option there is one for each CPU", n))
	}
	return func(p *Pool) { p.workers = n }
}

// Futex makes idle workers sleep in a Linux futex call instead of on a Go
// channel; elsewhere it changes nothing. A worker that sleeps there starts several
// times sooner, and the waker need not yield, but the runtime takes a while to
// see that the processor of a sleeping worker is free.
func Futex() Option { return func(p *Pool) { p.newParker = park.NewFutex } }

// Safety sets how much the pool checks. It panics if there is no such level.
func Safety(level Level) Option {
	level.check()
	return func(p *Pool) { p.level = level }
}

// Watchdog calls stuck, on a goroutine of its own, when for the given time
// there have been live jobs and none has begun or ended; and again each time
// that this goes on for as long. The list tells what waits for what; it can
// write itself as text.
func Watchdog(limit time.Duration, stuck func(LiveJobs)) Option {
	return func(p *Pool) { p.stuckAfter, p.stuck = limit, stuck }
}
