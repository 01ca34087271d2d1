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
	begin() timerMark              // an update begins
	end(m timerMark, in *Instance) // the update has ended; in is the system whose update encloses it, or nil
	await()                        // waits for the system's jobs, as part of its update
	noteJobsDone()                 // the system's jobs are done
	releaseJobs()                  // the system's jobs are done, or had nothing to do

	// These methods return the job to schedule in place of j, and then the timer hears of its
	// access.
	wrapChunkJob(j ecs.ChunkJob) ecs.ChunkJob
	wrapJob(j jobs.Job) jobs.Job
	wrapRangeJob(j jobs.RangeJob) jobs.RangeJob
	noteAccess(a *access.Access)
}

// timerMark is the state at the beginning of an update that the timer needs at its end.
type timerMark struct {
	start     time.Duration
	turnIndex int // index in the turns of the frame
}

// dropper is a system that keeps things that other systems gave it, and drops them when it is
// destroyed.
type dropper interface{ drop() }

// methodCall is one call of a method of a system. It holds the values that must be restored after the
// call, whether it returns, panics or ends the goroutine.
type methodCall struct {
	instance     *Instance
	previous     *Instance // the executing system before the call
	previousName string    // its name, as the world knew it
	method       string
	update       bool  // the method is Update, not one of the hooks
	timer        timer // nil while no times are taken
	mark         timerMark
	region       *trace.Region // a region of the execution trace; nil while no trace is taken
	jobWatcher   *jobWatcher   // nil except in guard builds
	returned     bool          // the method returned: it neither panicked nor called runtime.Goexit
}

// checkNotLent returns an error while the world is lent to a transaction. A system that was called then
// would find no entities, and would never see the changes of the transaction as new.
func (in *Instance) checkNotLent(method string) error {
	if !in.world.InTransaction() {
		return nil
	}
	return fmt.Errorf("system: %s: %s: world %q is lent to a transaction, which must End first: %w", in.typ.name, method, in.world.Name(), ecs.ErrState)
}

// begin makes the call's system the executing one and increments the change version of the world,
// which must be usable. The caller has set instance and method.
func (t *methodCall) begin() {
	t.previousName = t.instance.world.Scheduler().BeginUpdate(t.instance.uniqueName)
	t.enter()
}

// enter is the second half of begin. The first half asks the world, and if the world refuses,
// nothing has changed yet.
func (t *methodCall) enter() {
	in, r := t.instance, t.instance.roster
	t.previous, r.executing = r.executing, in
	if t.previous == nil {
		r.goroutine = jobs.Goroutine() // the world refuses a nested call from another goroutine
		if !r.updating {
			r.quit = false
		}
	}
	in.frame.time = r.clock.Now()
}

// end is deferred after begin. It turns a panic into an error, adds the name of the system to the
// error, and increments the world's version.
func (t *methodCall) end(err *error) {
	in := t.instance
	if !t.returned {
		if v := recover(); v != nil {
			*err = &PanicError{Method: t.method, Value: v, Stack: debug.Stack()}
		}
	}
	in.roster.executing = t.previous
	if t.jobWatcher != nil {
		in.world.Scheduler().RunOn(t.jobWatcher.previous)
	}
	last := in.world.Scheduler().EndUpdate(t.previousName)
	if *err != nil || !t.returned {
		in.frame.dropPostCommands() // a failed call plays back nothing
	}
	if t.update {
		if t.timer != nil {
			t.timer.end(t.mark, t.previous)
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
		*err = in.withSystemName(t.method, *err)
	}
}

// withSystemName adds the name of the system and of the failed method to err. It adds nothing to the error
// of a group, because that has the names of the members already.
func (in *Instance) withSystemName(method string, err error) error {
	if in.group != nil {
		if _, many := err.(interface{ Unwrap() []error }); many {
			return err
		}
	}
	return &wrappedError{in.typ.name + ": " + method, in.typ.name, err}
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
	if err := in.checkNotLent("Create"); err != nil {
		return err
	}
	t := methodCall{instance: in, method: "Create"}
	t.begin()
	defer t.end(&err)
	err = c.Create(&in.frame.Setup)
	t.returned = true
	return err
}

// runUpdate does one update. If held is set, the caller has claimed the world already.
func (in *Instance) runUpdate(held bool) (err error) {
	t := methodCall{instance: in, method: "Update", update: true} // filled in place, because copying what was just written stalls the CPU
	if held {
		t.previousName = in.world.Scheduler().BeginMember(in.uniqueName)
		t.enter()
	} else {
		t.begin()
	}
	in.updating = true
	if t.timer = in.activeTimer(); t.timer != nil {
		t.mark = t.timer.begin()
	}
	if trace.IsEnabled() {
		t.region = trace.StartRegion(context.Background(), in.uniqueName)
	}
	defer t.end(&err)
	if t.timer != nil {
		t.timer.await()
	}
	if len(in.updateJobs) > 0 {
		in.complete()
	}
	if t.timer != nil {
		t.timer.releaseJobs() // includes those whose job had nothing to do
	}
	in.previousVersion, in.failed = in.lastVersion, false
	for _, q := range in.queries {
		q.SetSince(in.lastVersion)
	}
	if guard {
		t.jobWatcher = watchJobs(in.world)
	}
	err = in.update(&t)
	if guard {
		if lost := in.checkForgotten(t.jobWatcher); lost != nil {
			t.method = "Update"
			err = errors.Join(err, lost)
		}
	}
	t.returned = true
	return err
}

// checkForgotten returns an error for the jobs that the system has scheduled and forgotten. Those of the
// members of a group are found in the members' own updates.
func (in *Instance) checkForgotten(w *jobWatcher) error {
	if in.group != nil {
		return nil
	}
	return w.checkForgotten(in.updateJobs, in.Components)
}

// update calls StartRunning if it is due, then Update, and plays back the buffer of
// [Frame.Commands].
func (in *Instance) update(t *methodCall) error {
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
	return f.playPostCommands()
}

// stop calls StopRunning of the system, and of the members if it is a group.
func (in *Instance) stop() error {
	err := in.callStopRunning()
	if in.group == nil {
		return err
	}
	errs := []error{err}
	for _, m := range in.group.runOrder {
		if m.running && m.phase == alive {
			errs = append(errs, m.stop())
		}
	}
	return errors.Join(errs...)
}

func (in *Instance) callStopRunning() (err error) {
	if err := in.checkNotLent("StopRunning"); err != nil {
		return err
	}
	in.running = false
	s, ok := in.system.(Stopper)
	if !ok {
		return nil
	}
	t := methodCall{instance: in, method: "StopRunning"}
	t.begin()
	defer t.end(&err)
	if err = s.StopRunning(&in.frame); err == nil {
		t.method = "post commands"
		err = in.frame.playPostCommands()
	}
	t.returned = true
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
	if b, ok := in.system.(dropper); ok {
		b.drop()
	}
	d, ok := in.system.(Destroyer)
	if !ok {
		return nil
	}
	if err := in.checkNotLent("Destroy"); err != nil {
		return err
	}
	t := methodCall{instance: in, method: "Destroy"}
	t.begin()
	defer t.end(&err)
	err = d.Destroy(&in.frame.Setup)
	t.returned = true
	return err
}

// release releases the queries that the system has made.
func (in *Instance) release() error {
	in.queries, in.required, in.updateJobs, in.accesses = nil, nil, nil, nil
	in.frame.dropPostCommands()
	return in.world.Scheduler().CloseQueries(in.uniqueName)
}
