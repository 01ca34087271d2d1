package system

import (
	"errors"
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// Setup gives a system access to its world while the system is being created or destroyed.
type Setup struct {
	in *Instance
}

// World returns the world of the system.
func (s *Setup) World() *ecs.World { return s.in.world }

// Instance returns the instance of the system.
func (s *Setup) Instance() *Instance { return s.in }

// Query returns the system's query with the given terms. The query's Changed terms match the
// changes since the system's previous update. A second call with the same terms returns the same
// query. Query panics if the terms are not valid together. In Create, the panic becomes the error
// of the creation.
func (s *Setup) Query(terms ...ecs.Term) *ecs.Query {
	return s.in.query(terms)
}

// Access returns the access for a job that is not over a query: see [Frame.Schedule]. The terms
// must be ecs.Read and ecs.Write. Access panics if there are other terms. In Create, the panic
// becomes the error of the creation.
func (s *Setup) Access(terms ...ecs.Term) *access.Access {
	a := new(access.Access)
	if err := s.in.world.Scheduler().As("system.Setup.Access").AddAccess(a, terms...); err != nil {
		panic(err)
	}
	if s.in.phase == creating { // do not store the accesses of later calls, because the list would grow in each update
		s.in.accesses = append(s.in.accesses, a)
	}
	return a
}

// Require makes the system update only while each of the queries matches at least one entity.
// Require ignores filters and enabled bits, because checking them would require a pass over the
// chunks. A further call adds queries.
func (s *Setup) Require(queries ...*ecs.Query) {
	for _, q := range queries {
		s.in.required = append(s.in.required, []*ecs.Query{q})
	}
}

// RequireAny makes the system update only while at least one of the queries matches at least one
// entity. RequireAny ignores filters and enabled bits.
func (s *Setup) RequireAny(queries ...*ecs.Query) {
	s.in.required = append(s.in.required, append([]*ecs.Query(nil), queries...))
}

// Frame is one update of a system. A Frame has the methods of [Setup], the time, and methods that
// schedule jobs and record structural changes. These methods, and Track, Run and Quit, return
// [ecs.ErrState] if they are called outside of the system's own methods. The reason is that a job
// or a command outside of these methods belongs to no update: the world would neither wait for the
// job nor play back the command. For the same reason, the method Destroy cannot use them. A call
// from another goroutine, for example from a job on a worker, also returns the error. A build with
// the tag purego does not notice such a call.
type Frame struct {
	Setup
	time         Time
	postCommands *ecs.Commands
}

// Delta returns the length of the current step in seconds.
func (f *Frame) Delta() float64 { return f.time.Delta }

// Elapsed returns the time from the beginning of the world to the current step, in seconds.
func (f *Frame) Elapsed() float64 { return f.time.Elapsed }

// ParallelFor schedules j over the chunks of q and returns the handle of the job. The job runs
// after the given handles, and after all earlier jobs of the world that conflict with q. A job
// conflicts if it writes a component that q uses, or reads a component that q writes. The system
// must not change the fields of j until the job has finished, because workers read them. The job
// has finished at the latest when the next update of the system begins. If j panics in a chunk, the
// other chunks are still processed. The next structural change, or the end of the frame, returns
// the panic as an error with the system's name. ParallelFor panics if q or j is nil. In the steady
// state, it allocates nothing.
func (f *Frame) ParallelFor(q *ecs.Query, j ecs.ChunkJob, after ...jobs.Handle) jobs.Handle {
	in := f.in
	in.mustBeCalled("Frame.ParallelFor", "schedule a job")
	in.mustHave("Frame.ParallelFor", "query", q != nil)
	in.mustHave("Frame.ParallelFor", "job", j != nil)
	if t := in.activeTimer(); t != nil {
		j = t.wrapChunkJob(j)
	}
	if !in.roster.conservative {
		h := q.ParallelFor(j, after...)
		in.addUpdateJob(h)
		in.noteScheduled(q, q.Access(), h, after)
		return h
	}
	_, before := in.dependencies(&in.access, after)
	h := in.trackJob(&in.access, q.ParallelFor(j, before...))
	in.noteScheduled(q, &in.access, h, after)
	return h
}

// mustHave panics if an argument of a call is nil. mustHave is called before the world or the timer of
// the system learns of the job.
func (in *Instance) mustHave(call, what string, given bool) {
	if !given {
		panic(fmt.Errorf("system: %s: %s: the %s is nil: %w", in.uniqueName, call, what, ecs.ErrArgument))
	}
}

// checkCalled returns an error unless one of the system's methods is being called on this goroutine,
// because a program may have kept the frame. checkCalled allows calls in StopRunning, which runs
// before the world is closed and may still schedule jobs.
func (in *Instance) checkCalled(call, what string) error {
	switch {
	case in.updating || in.roster.executing == in:
		switch {
		case in.roster.goroutine != jobs.Goroutine():
			return fmt.Errorf("system: %s: %s: the Frame is used on another goroutine than the one that calls its system, for example in a job: use the Frame in Update, and in a job the values that Update took from it: %w",
				in.uniqueName, call, ecs.ErrState)
		case in.phase == destroyed:
			return fmt.Errorf("system: %s: %s: the Frame is used while its system is being destroyed, when it is too late to %s: use the Frame in StopRunning, or the methods of ecs.World: %w",
				in.uniqueName, call, what, ecs.ErrState)
		}
		return nil
	case in.roster.closed:
		return in.roster.checkOpen(what)
	}
	return fmt.Errorf("system: %s: %s: the Frame is used while its system is not being called: use the Frame that Update receives, and only until Update returns; between two frames a program uses the methods of ecs.World and ecs.Query: %w",
		in.uniqueName, call, ecs.ErrState)
}

// mustBeCalled panics with the error of checkCalled.
func (in *Instance) mustBeCalled(call, what string) {
	if !in.updating || in.roster.goroutine != jobs.Goroutine() { // seldom
		if err := in.checkCalled(call, what); err != nil {
			panic(err)
		}
	}
}

// Schedule schedules a job that is not over a query, and returns the handle of the job. The job
// runs after the given handles, and after all earlier jobs of the world that conflict with the
// access a. To create an access, call [Setup.Access]. If a is nil, the job uses no components. Even
// then, a structural change waits for the job. For panics and for the lifetime of j, see
// [Frame.ParallelFor].
func (f *Frame) Schedule(j jobs.Job, a *access.Access, after ...jobs.Handle) jobs.Handle {
	f.in.mustBeCalled("Frame.Schedule", "schedule a job")
	f.in.mustHave("Frame.Schedule", "job", j != nil)
	if t := f.in.activeTimer(); t != nil {
		j = t.wrapJob(j)
	}
	a, before := f.in.dependencies(a, after)
	h := f.in.trackJob(a, f.in.roster.runner().Schedule(j, before...))
	f.in.noteScheduled(nil, a, h, after)
	return h
}

// ParallelRange schedules a job over the indices of [0, n) in blocks of grain indices, and returns
// the handle of the job. If grain is 0, the pool chooses it. For the access, the order and panics,
// see [Frame.Schedule].
func (f *Frame) ParallelRange(j jobs.RangeJob, n, grain int, a *access.Access, after ...jobs.Handle) jobs.Handle {
	f.in.mustBeCalled("Frame.ParallelRange", "schedule a job")
	f.in.mustHave("Frame.ParallelRange", "job", j != nil)
	if t := f.in.activeTimer(); t != nil {
		j = t.wrapRangeJob(j)
	}
	a, before := f.in.dependencies(a, after)
	h := f.in.trackJob(a, f.in.roster.runner().ParallelFor(j, n, grain, before...))
	f.in.noteScheduled(nil, a, h, after)
	return h
}

// Track adds a job that the system has scheduled directly on a pool to the system's jobs. After a
// call of Track, structural changes, later conflicting jobs, and the next update of the system
// wait for that job. Track returns an error if an unfinished job of the world conflicts with the
// job and the job does not wait for it. The error wraps [ecs.ErrState] and a
// *[access.ConflictError]. The error contains the names of both jobs, and the components that both
// use.
func (f *Frame) Track(h jobs.Handle, a *access.Access) error {
	if err := f.in.checkCalled("Frame.Track", "track a job"); err != nil {
		return err
	}
	if a == nil {
		a = &f.in.roster.emptyAccess
	}
	f.in.addUpdateJob(h)
	if t := f.in.activeTimer(); t != nil {
		t.dropWrapped() // of a call that has panicked
	}
	f.in.noteScheduled(nil, a, h, nil)
	err := f.in.world.Scheduler().TrackOrdered(a, h)
	var conflict *access.ConflictError
	if !errors.As(err, &conflict) {
		return err
	}
	return &orderError{conflict, fmt.Sprintf("system: %s: Track: %s and %s both touch %s, and nothing orders them; give one as a handle to come after, or use Frame.Schedule",
		f.in.uniqueName, conflict.Job, conflict.Other, conflict.Name)}
}

// orderError reports that a system's job conflicts with another job, although neither waits for the
// other.
type orderError struct {
	conflict *access.ConflictError
	text     string
}

func (e *orderError) Error() string { return e.text }

// Unwrap returns the category and the conflict.
func (e *orderError) Unwrap() []error { return []error{ecs.ErrState, e.conflict} }

// Run runs j over the chunks of q on the calling goroutine. Run processes one chunk after the other,
// and returns when all chunks are processed.
func (f *Frame) Run(q *ecs.Query, j ecs.ChunkJob) error {
	if err := f.in.checkCalled("Frame.Run", "run a job"); err != nil {
		return err
	}
	return q.Run(j)
}

// Wait waits for the jobs that the system has scheduled in this update. The end of the frame
// returns the errors of these jobs.
func (f *Frame) Wait() {
	if t := f.in.activeTimer(); t != nil {
		t.await()
	}
	f.in.complete()
}

// Commands returns a command buffer that is played back immediately after this update, or after
// this StopRunning. If the method fails, the buffer is not played back. Commands panics in a block
// of a parallel job, because the order of the commands would depend on timing. Call it in Update,
// and use the buffer's Parallel() in the job.
func (f *Frame) Commands() *ecs.Commands {
	f.in.world.Scheduler().As("system.Frame.Commands").CheckCommands()
	f.in.mustBeCalled("Frame.Commands", "record commands")
	if f.postCommands == nil {
		f.postCommands = f.in.world.NewCommands()
	} else if f.postCommands.Len() == 0 {
		f.postCommands.SetRecorder()
	}
	return f.postCommands
}

// Quit ends the world's update after this system. Members of its groups that have not yet run do
// not run in this frame. A loop of app.Run ends after this frame.
func (f *Frame) Quit() {
	f.in.mustBeCalled("Frame.Quit", "end the update")
	f.in.roster.quit = true
}

// playPostCommands plays back the buffer of [Frame.Commands].
func (f *Frame) playPostCommands() error {
	c := f.postCommands
	if c == nil || c.Len() == 0 {
		return nil
	}
	f.postCommands = nil // if the playback ends the goroutine, the buffer is only half played back, so it must not be used again
	err := c.Playback(f.in.world)
	if !guard {
		c.Reset()
		f.postCommands = c
	}
	return err
}

// dropPostCommands discards the buffer of [Frame.Commands].
func (f *Frame) dropPostCommands() { f.postCommands = nil }

// alphaRate is a rate that can tell how far the world's time is past its last step, as a fraction of
// a step.
type alphaRate interface {
	Rate
	Alpha() float64
}

// Alpha returns how far the world's time is past the last step of the group, as a fraction of a
// step from 0 to 1. If a renderer uses Alpha to blend the last two states of the group, movement
// looks smooth, although frames and steps have different rates. Before the group has updated in a
// frame, Alpha returns the value of the previous frame. If the group has no rate, or its rate has
// no method Alpha, the result is 1, because the last state is the current one.
func (g *Group) Alpha() float64 {
	if f, ok := g.rate.(alphaRate); ok {
		return f.Alpha()
	}
	return 1
}

// Alpha returns [Group.Alpha] of the world's [FixedStep], or 1 if the world has no such group.
func (f *Frame) Alpha() float64 {
	if in := f.in.roster.findType(typeFor[FixedStep]()); in != nil && in.group != nil {
		return in.group.Alpha()
	}
	return 1
}
