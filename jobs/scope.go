package jobs

import (
	"context"
	"runtime/trace"
	"sync"
)

// Scope is a time in which workers stay awake, a frame for example, with a
// context that cancels the jobs that have not begun. A job that has begun is not
// stopped, nor are the blocks of a loop that are left: a body that shall give up
// asks its context, or Task.Cancelled, and returns. Then its job has ended well, and
// the wait for it returns nil.
type Scope struct {
	pool *Pool
	ctx  context.Context
	mu   sync.Mutex
	jobs []Handle // except for those that are done and well
	look int      // jobs is looked through when it is this long
	last []Handle // those that End waits for
	open bool

	traced context.Context // ctx with a task of runtime/trace
	task   *trace.Task
}
