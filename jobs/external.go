package jobs

import (
	"context"
	"errors"
	"runtime/debug"
)

// external is the job of a function that runs outside of the workers.
type external struct {
	ctx context.Context
	f   func(ctx context.Context) error
}

// JobName is the name of the function.
func (x *external) JobName() string { return kindsByCode.find(codeOf(x.f), codeName).name }

// Run is never called: the job is launched instead.
func (x *external) Run(*Task) { panic("jobs: External: run by a worker") }

// errNotReturned says that f has not returned: it ended its goroutine.
var errNotReturned = errors.New("")

// launch starts the goroutine of an external job; one that is cancelled has ended.
func launch(s *seat, sl *slot, then continuation) *slot {
	x := sl.one.(*external)
	if x.ctx.Err() != nil {
		sl.fail(rankSkipped, context.Cause(x.ctx))
		return s.finish(sl, then)
	}
	p := sl.pool
	p.externals.call()
	go func() {
		p.externals.come(&Task{slot: sl})
		defer p.externals.leave(false)
		err := errNotReturned
		defer func() {
			s := p.enter()
			defer s.leave()
			switch v := recover(); {
			case v != nil:
				sl.fail(rankOwn, &PanicError{Job: sl.kind.name, Value: v, Stack: debug.Stack(), single: true})
			case err == errNotReturned:
				sl.fail(rankOwn, &ExitError{Job: sl.kind.name, single: true})
			case err != nil:
				sl.fail(rankOwn, err)
			}
			s.finish(sl, nothingElse)
		}()
		err = x.f(x.ctx)
	}()
	return nil
}
