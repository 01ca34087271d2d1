package ecs

import (
	"sync/atomic"

	"github.com/lanewise/lanewise/jobs"
)

// lease is what a world that is lent to a transaction knows of that.
type lease struct {
	pool    *jobs.Pool
	running atomic.Pointer[jobs.Task] // which has the world: it stores itself, any goroutine asks mine
}

// elsewhere reports whether another has the contents of w: a transaction of
// which the caller is not the job.
func (w *gate) elsewhere() bool { return w.lent != nil && !w.lent.mine() }

// mine reports whether the caller is the job that has the world.
func (l *lease) mine() bool {
	running := l.running.Load()
	return running != nil && running == l.pool.Caller().Task()
}
