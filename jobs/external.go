package jobs

import (
	"context"
	"errors"
	"runtime/debug"
)

// External runs f on a goroutine of its own once the jobs before it are done:
// for what blocks or takes long, which would hold up a worker. The handle
// carries the error that f returns, or the context's cause if it was cancelled before
// f began; what f does about it later is its own affair.
func (p *Pool) External(ctx context.Context, f func(ctx context.Context) error, after ...Handle) Handle {
	mustHave("External", f != nil)
	p.check("External")
	s := p.enter()
	defer s.leave()
	sl := s.newJob(&external{ctx, f}, nil)
	sl.shape = shapeOutside
	return s.submit(sl, after)
}

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

// launch starts the goroutine of an external job; false if that is cancelled.
func (s *seat) launch(sl *slot) bool {
	x := sl.one.(*external)
	if x.ctx.Err() != nil {
		sl.fail(rankSkipped, context.Cause(x.ctx))
		return false
	}
	p := s.pool
	p.externals.call()
	go func() {
		p.externals.come()
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
	return true
}
