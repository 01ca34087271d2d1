package system

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"runtime/trace"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// timer takes the times of one system while they are wanted. Its methods are called on the
// goroutine of the world's owner.
type timer interface {
	begin() mark              // an update begins
	end(m mark, in *Instance) // the update has ended; in is the system whose update encloses it, or nil
	await()                   // waits for the system's jobs, as part of its update
	fold()                    // the system's jobs are done
	releaseJobs()             // the system's jobs are done, or had nothing to do

	// These methods return the job to schedule in place of j, and then the timer hears of its
	// access.
	chunks(j ecs.ChunkJob) ecs.ChunkJob
	single(j jobs.Job) jobs.Job
	ranges(j jobs.RangeJob) jobs.RangeJob
	scheduled(a *access.Access)
}

// mark is the state at the beginning of an update that the timer needs at its end.
type mark struct {
	start time.Duration
	place int // index in the turns of the frame
}

// dropping is a system that keeps things that other systems gave it, and drops them when it is
// destroyed.
type dropping interface{ drop() }

// call is one call of a method of a system. It holds the values that must be restored after the
// call, whether it returns, panics or ends the goroutine.
type call struct {
	in     *Instance
	outer  *Instance // the executing system before the call
	name   string    // its name, as the world knew it
	method string
	update bool  // the method is Update, not one of the hooks
	timer  timer // nil while no times are taken
	mark   mark
	region *trace.Region // a region of the execution trace; nil while no trace is taken
	watch  *jobWatcher   // nil except in guard builds
	ended  bool          // the method returned: it neither panicked nor called runtime.Goexit
}

// usable returns an error while the world is lent to a transaction. A system that was called then
// would find no entities, and would never see the changes of the transaction as new.
func (in *Instance) usable(method string) error {
	if !in.world.InTransaction() {
		return nil
	}
	return fmt.Errorf("system: %s: %s: world %q is lent to a transaction, which must End first: %w", in.typ.name, method, in.world.Name(), ecs.ErrState)
}

// begin makes in the executing system and increments the change version of the world, which must be
// usable.
func (in *Instance) begin(method string) call {
	outer := in.world.Scheduler().BeginUpdate(in.owner)
	t := in.enter(method)
	t.name = outer
	return t
}

// enter is the second half of begin. The first half asks the world, and if the world refuses,
// nothing has changed yet.
func (in *Instance) enter(method string) call {
	r := in.roster
	t := call{in: in, outer: r.executing, method: method}
	r.executing = in
	if t.outer == nil && !r.updating {
		r.quit = false
	}
	in.frame.time = r.clock.Now()
	return t
}

// end is deferred after begin. It turns a panic into an error, adds the name of the system to the
// error, and increments the world's version.
func (t *call) end(err *error) {
	in := t.in
	if !t.ended {
		if v := recover(); v != nil {
			*err = &PanicError{Method: t.method, Value: v, Stack: debug.Stack()}
		}
	}
	in.roster.executing = t.outer
	if t.watch != nil {
		in.world.Scheduler().RunOn(t.watch.outer)
	}
	last := in.world.Scheduler().EndUpdate(t.name)
	if *err != nil || !t.ended {
		in.frame.dropPost() // a failed call plays back nothing
	}
	if t.update {
		if t.timer != nil {
			t.timer.end(t.mark, t.outer)
		}
		if t.region != nil {
			t.region.End()
		}
		in.updating = false
		if !in.failed {
			in.lastVersion = last
		}
	}
	if *err != nil {
		*err = in.named(t.method, *err)
	}
}

// named adds the name of the system and of the failed method to err. It adds nothing to the error
// of a group, because that has the names of the members already.
func (in *Instance) named(method string, err error) error {
	if in.group != nil {
		if _, many := err.(interface{ Unwrap() []error }); many {
			return err
		}
	}
	return &nested{in.typ.name + ": " + method, in.typ.name, err}
}

// create calls the Create method of the system. If that fails, the instance leaves the world.
func (in *Instance) create() error {
	err := in.callCreate()
	if err != nil {
		in.roster.unlist(in)
		return err
	}
	in.phase = alive
	return nil
}

func (in *Instance) callCreate() (err error) {
	c, ok := in.system.(Creator)
	if !ok {
		return nil
	}
	if err := in.usable("Create"); err != nil {
		return err
	}
	t := in.begin("Create")
	defer t.end(&err)
	err = c.Create(&in.frame.Setup)
	t.ended = true
	return err
}

// run does one update. If held is set, the caller has claimed the world already.
func (in *Instance) run(held bool) (err error) {
	var outer string
	if held {
		outer = in.world.Scheduler().BeginMember(in.owner)
	} else {
		outer = in.world.Scheduler().BeginUpdate(in.owner)
	}
	t := in.enter("Update") // kept in one place, because a call is a large value
	t.name = outer
	t.update, in.updating = true, true
	if t.timer = in.taking(); t.timer != nil {
		t.mark = t.timer.begin()
	}
	if trace.IsEnabled() {
		t.region = trace.StartRegion(context.Background(), in.owner)
	}
	defer t.end(&err)
	if t.timer != nil {
		t.timer.await()
	}
	in.complete()
	if t.timer != nil {
		t.timer.releaseJobs() // includes those whose job had nothing to do
	}
	in.seenVersion, in.failed = in.lastVersion, false
	for _, q := range in.queries {
		q.SetSince(in.lastVersion)
	}
	if guard {
		t.watch = watchJobs(in.world)
	}
	err = in.update(&t)
	if guard {
		if lost := in.forgotten(t.watch); lost != nil {
			t.method = "Update"
			err = errors.Join(err, lost)
		}
	}
	t.ended = true
	return err
}

// forgotten returns an error for the jobs that the system has scheduled and forgotten. Those of the
// members of a group are found in the members' own updates.
func (in *Instance) forgotten(w *jobWatcher) error {
	if in.group != nil {
		return nil
	}
	return w.forgotten(in.outputs, in.Components)
}

// update calls StartRunning if it is due, then Update, and plays back the buffer of
// [Frame.Commands].
func (in *Instance) update(t *call) error {
	f := &in.frame
	if !in.running {
		in.running = true
		if s, ok := in.system.(Starter); ok {
			t.method = "StartRunning"
			if err := s.StartRunning(f); err != nil {
				return err
			}
			t.method = "Update"
		}
	}
	if err := in.system.Update(f); err != nil {
		return err
	}
	t.method = "post commands"
	return f.playPost()
}

// stop calls StopRunning of the system, and of the members if it is a group.
func (in *Instance) stop() error {
	err := in.stopAlone()
	if in.group == nil {
		return err
	}
	errs := []error{err}
	for _, m := range in.group.order {
		if m.running && m.phase == alive {
			errs = append(errs, m.stop())
		}
	}
	return errors.Join(errs...)
}

func (in *Instance) stopAlone() (err error) {
	if err := in.usable("StopRunning"); err != nil {
		return err
	}
	in.running = false
	s, ok := in.system.(Stopper)
	if !ok {
		return nil
	}
	t := in.begin("StopRunning")
	defer t.end(&err)
	if err = s.StopRunning(&in.frame); err == nil {
		t.method = "post commands"
		err = in.frame.playPost()
	}
	t.ended = true
	return err
}

// destroy calls StopRunning if the system runs, then Destroy, and removes the system from the
// world.
func (in *Instance) destroy() error {
	var errs []error
	if in.running {
		errs = append(errs, in.stop())
	}
	in.complete()
	errs = append(errs, in.callDestroy(), in.release())
	in.roster.unlist(in)
	return errors.Join(errs...)
}

func (in *Instance) callDestroy() (err error) {
	in.phase = destroyed
	if b, ok := in.system.(dropping); ok {
		b.drop()
	}
	d, ok := in.system.(Destroyer)
	if !ok {
		return nil
	}
	if err := in.usable("Destroy"); err != nil {
		return err
	}
	t := in.begin("Destroy")
	defer t.end(&err)
	err = d.Destroy(&in.frame.Setup)
	t.ended = true
	return err
}

// release releases the queries that the system has made.
func (in *Instance) release() error {
	in.queries, in.required, in.outputs, in.accesses = nil, nil, nil, nil
	in.frame.dropPost()
	return in.world.Scheduler().CloseQueries(in.owner)
}
