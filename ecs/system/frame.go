package system

import (
	"errors"
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// Setup is what a system sees of its world while it is created or destroyed.
type Setup struct {
	in *Instance
}

// World returns the system's world.
func (s *Setup) World() *ecs.World { return s.in.world }

// Instance returns the system as its world keeps it.
func (s *Setup) Instance() *Instance { return s.in }

// Query returns the query of the given terms. Its Changed terms compare with
// the system's previous update. Asked for the same terms again it returns the
// same query. It panics if the terms are no query, which in Create becomes the
// error of the creation.
func (s *Setup) Query(terms ...ecs.Term) *ecs.Query {
	return s.in.query(terms)
}

// Access returns what a job that is not over a query reads and writes, for
// Frame.Schedule: its terms are Read and Write. It panics on other terms, which
// in Create becomes the error of the creation.
func (s *Setup) Access(terms ...ecs.Term) *access.Access {
	a := new(access.Access)
	if err := s.in.world.Scheduler().As("system.Setup.Access").AddAccess(a, terms...); err != nil {
		panic(err)
	}
	if s.in.phase == creating { // later ones would add up
		s.in.accesses = append(s.in.accesses, a)
	}
	return a
}

// Require lets the system update only while each of the queries has entities,
// whatever its filters and enabled bits say. Further calls add to it.
func (s *Setup) Require(queries ...*ecs.Query) {
	for _, q := range queries {
		s.in.required = append(s.in.required, []*ecs.Query{q})
	}
}

// RequireAny lets the system update only while at least one of the queries has
// entities, whatever its filters and enabled bits say.
func (s *Setup) RequireAny(queries ...*ecs.Query) {
	s.in.required = append(s.in.required, append([]*ecs.Query(nil), queries...))
}

// Frame is one update of a system: all of [Setup], the time, and ways to do
// work now and later. It is the system's own and good until Update returns.
type Frame struct {
	Setup
	time Time
	post *ecs.Commands
}

// Delta returns the length of the present step in seconds.
func (f *Frame) Delta() float64 { return f.time.Delta }

// Elapsed returns the seconds from the beginning of the world to the present step.
func (f *Frame) Elapsed() float64 { return f.time.Elapsed }

// ParallelFor schedules j over the chunks of q: after every job of the world
// that uses what q does in another way, and after the given handles. It holds j
// by pointer; j's fields stay put until it is done, which is at the latest
// before the system's next update. If j panics, the panic comes out of the next
// structural change or of the end of the frame, with the system's name; all other
// chunks are done nevertheless.
func (f *Frame) ParallelFor(q *ecs.Query, j ecs.ChunkJob, after ...jobs.Handle) jobs.Handle {
	in := f.in
	in.mustHave("Frame.ParallelFor", "query", q != nil)
	in.mustHave("Frame.ParallelFor", "job", j != nil)
	if t := in.taking(); t != nil {
		j = t.chunks(j)
	}
	if !in.roster.conservative {
		h := q.ParallelFor(j, after...)
		in.track(h)
		in.scheduled(q, q.Access(), h)
		return h
	}
	_, before := in.before(&in.access, after)
	h := in.tracked(&in.access, q.ParallelFor(j, before...))
	in.scheduled(q, &in.access, h)
	return h
}

// mustHave panics if a call was given nil, before the world expects a job or the system's timer looks at it.
func (in *Instance) mustHave(call, what string, given bool) {
	if !given {
		panic(fmt.Errorf("system: %s: %s: the %s is nil: %w", in.owner, call, what, ecs.ErrArgument))
	}
}

// mustHaveWorld panics if the world of a kept frame is closed. While it is being closed systems may still schedule jobs.
func (in *Instance) mustHaveWorld(what string) {
	if in.roster.closed {
		in.roster.mustBeOpen(what)
	}
}

// Schedule schedules a job that is not over a query: after every job of the
// world that conflicts with access a, which Setup.Access makes, and after the
// given handles. Nil is the access of a job that touches no components; a
// structural change waits for it all the same. For the rest it is as ParallelFor.
func (f *Frame) Schedule(j jobs.Job, a *access.Access, after ...jobs.Handle) jobs.Handle {
	f.in.mustHave("Frame.Schedule", "job", j != nil)
	f.in.mustHaveWorld("schedule a job")
	if t := f.in.taking(); t != nil {
		j = t.single(j)
	}
	a, before := f.in.before(a, after)
	h := f.in.tracked(a, f.in.roster.runner().Schedule(j, before...))
	f.in.scheduled(nil, a, h)
	return h
}

// ParallelRange schedules a job over the indices of [0, n), cut into blocks of
// grain; grain 0 chooses. For the rest it is as Schedule.
func (f *Frame) ParallelRange(j jobs.RangeJob, n, grain int, a *access.Access, after ...jobs.Handle) jobs.Handle {
	f.in.mustHave("Frame.ParallelRange", "job", j != nil)
	f.in.mustHaveWorld("schedule a job")
	if t := f.in.taking(); t != nil {
		j = t.ranges(j)
	}
	a, before := f.in.before(a, after)
	h := f.in.tracked(a, f.in.roster.runner().ParallelFor(j, n, grain, before...))
	f.in.scheduled(nil, a, h)
	return h
}

// Track takes a job of access a, which was scheduled by other means, into the
// system's: a structural change waits for it, as do jobs that conflict with it,
// and the system's next update. It returns an error that wraps [ecs.ErrState] and a
// *[access.ConflictError], and names both jobs and what both touch, if one of the
// world's conflicts with it and is not among those that it comes after.
func (f *Frame) Track(h jobs.Handle, a *access.Access) error {
	if f.in.roster.closed {
		return f.in.roster.open("track a job")
	}
	if a == nil {
		a = &f.in.roster.idle
	}
	f.in.track(h)
	f.in.scheduled(nil, a, h)
	err := f.in.world.Scheduler().TrackOrdered(a, h)
	var conflict *access.ConflictError
	if !errors.As(err, &conflict) {
		return err
	}
	return &orderError{conflict, fmt.Sprintf("system: %s: Track: %s and %s both touch %s, and nothing orders them; give one as a handle to come after, or use Frame.Schedule",
		f.in.owner, conflict.Job, conflict.Other, conflict.Name)}
}

// orderError says that a system's job is in no order with another one.
type orderError struct {
	conflict *access.ConflictError
	text     string
}

func (e *orderError) Error() string { return e.text }

// Unwrap returns the category and the conflict.
func (e *orderError) Unwrap() []error { return []error{ecs.ErrState, e.conflict} }

// Run does j over the chunks of q here and now, one after the other.
func (f *Frame) Run(q *ecs.Query, j ecs.ChunkJob) error {
	return q.Run(j)
}

// Wait completes the jobs that the system has scheduled in this update. What
// fails of them comes out at the end of the frame.
func (f *Frame) Wait() {
	if t := f.in.taking(); t != nil {
		t.await()
	}
	f.in.complete()
}

// Commands returns a buffer that is played back right after this update, or this
// StopRunning; one that fails plays back nothing. It panics in a block of a parallel job,
// because the order of the commands would depend on timing: keep its Parallel() in the job.
func (f *Frame) Commands() *ecs.Commands {
	f.in.world.Scheduler().As("system.Frame.Commands").CheckCommands()
	f.in.mustHaveWorld("record commands")
	if f.post == nil {
		f.post = f.in.world.NewCommands()
	} else if f.post.Len() == 0 {
		f.post.SetRecorder()
	}
	return f.post
}

// Quit ends the world's update after this system: members of its groups that
// have not run yet do not run any more this time. app.Run returns after it.
func (f *Frame) Quit() { f.in.roster.quit = true }

// playPost plays back what the system's update has recorded into its buffer of [Frame.Commands].
func (f *Frame) playPost() error {
	c := f.post
	if c == nil || c.Len() == 0 {
		return nil
	}
	f.post = nil // a buffer whose playback ends the goroutine is not used again
	err := c.Playback(f.in.world)
	if !guard {
		c.Reset()
		f.post = c
	}
	return err
}

// dropPost forgets what the system has recorded.
func (f *Frame) dropPost() { f.post = nil }

// fraction is a rate whose steps do not end where an update does, and which knows
// how far time has gone beyond its last step: as a part of a step, from 0 to 1.
type fraction interface {
	Rate
	Alpha() float64
}

// Alpha returns how far time has gone into the next step of the group, from 0 to 1:
// what is drawn between the last two states of a group, by its rate's method Alpha, looks
// as smooth as frames come. It belongs to what the group has made: until its turn in a
// frame it is that of the frame before. A group whose rate leaves nothing, or that has
// none, has 1: its last state is that of now.
func (g *Group) Alpha() float64 {
	if f, ok := g.rate.(fraction); ok {
		return f.Alpha()
	}
	return 1
}

// Alpha returns how far time has gone into the next fixed step, from 0 to 1, as
// [Group.Alpha] does: that of [FixedStep], by whatever rate it runs, or 1 if the world
// has no such group.
func (f *Frame) Alpha() float64 {
	if in := f.in.roster.find(typeFor[FixedStep]()); in != nil && in.group != nil {
		return in.group.Alpha()
	}
	return 1
}
