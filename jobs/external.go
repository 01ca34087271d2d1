package jobs

import (
	"context"
	"errors"
	"runtime/debug"
)

// External runs f on a goroutine of its own once the jobs before it are done:
// for what blocks or takes long, which would hold up a worker. The handle
// carries the error that f returns. The context is that of nothing:
// context.Background.
func (p *Pool) External(f func(ctx context.Context) error, after ...Handle) Handle {
	return p.external(f, nil, after)
}

func (p *Pool) external(f func(ctx context.Context) error, sc *Scope, after []Handle) Handle {
	mustHave("External", f != nil)
	p.check("External")
	s := p.enter()
	defer s.leave()
	sl := s.newJob(&external{f}, sc)
	sl.shape = shapeOutside
	return s.submit(sl, after)
}

// external is the job of a function that runs outside of the workers.
type external struct {
	f func(ctx context.Context) error
}

// JobName is the name of the function.
func (x *external) JobName() string { return kindsByCode.find(codeOf(x.f), codeName).name }

// Run is never called: the job is launched instead.
func (x *external) Run(*Task) { panic("jobs: External: run by a worker") }

// errNotReturned says that f has not returned: it ended its goroutine.
var errNotReturned = errors.New("")

// launch starts the goroutine of an external job.
func (s *seat) launch(sl *slot) {
	ctx := context.Background()
	if sl.scope != nil {
		ctx = sl.scope.ctx
	}
	f := sl.one.(*external).f
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
		err = f(ctx)
	}()
}
