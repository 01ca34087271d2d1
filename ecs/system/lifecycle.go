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

// timer measures the times of one system. The goroutine of the world's owner calls its methods.
type timer interface {
	begin() timerMark              // an update begins
	end(m timerMark, in *Instance) // the update has ended; in is the system whose update contains it, or nil
	await()                        // waits for the system's jobs, as part of its update
	noteJobsDone()                 // the system's jobs have finished
	releaseJobs()                  // the system's jobs have finished or had nothing to do

	// Each of these three methods returns the job that must be scheduled in place of j. After the job
	// is scheduled, noteJob tells the timer the access and the handle of the job, and the handles of
	// the jobs before it.
	wrapChunkJob(j ecs.ChunkJob) ecs.ChunkJob
	wrapJob(j jobs.Job) jobs.Job
	wrapRangeJob(j jobs.RangeJob) jobs.RangeJob
	noteJob(a *access.Access, h jobs.Handle, after []jobs.Handle)
	dropWrapped() // the timer is not told about the last wrapped job, because it had nothing to do
}

// timerMark is the state at the beginning of an update. The timer needs it at the update's end.
type timerMark struct {
	start     time.Duration
	turnIndex int // index in the turns of the frame
}

// dropper is a system that holds things that other systems gave it, such as command buffers. A dropper
// discards them when it is destroyed.
type dropper interface{ drop() }

// methodCall is one call of a system's method. methodCall holds the values that must be restored after
// the call, whether the method returns, panics or ends the goroutine.
type methodCall struct {
	instance     *Instance
	previous     *Instance // the executing system before the call
	previousName string    // name of the executing system before the call
	method       string
	update       bool  // the method is Update, and not a hook
	timer        timer // nil unless times are measured
	mark         timerMark
	region       *trace.Region // a region of the execution trace; nil unless a trace is recorded
	jobWatcher   *jobWatcher   // nil except in guard builds
	returned     bool          // the method has returned, and has neither panicked nor called runtime.Goexit
}

// checkNotLent returns an error while a transaction uses the world. If a system were called at that
// time, it would find no entities, and would never see the changes of the transaction as new.
func (in *Instance) checkNotLent(method string) error {
	if !in.world.InTransaction() {
		return nil
	}
	return fmt.Errorf("system: %s: %s: world %q is lent to a transaction, which must End first: %w", in.typ.name, method, in.world.Name(), ecs.ErrState)
}

// begin makes the system of the call the executing system, and increments the change version of the
// world. The world must be usable. The caller has set instance and method.
func (t *methodCall) begin() {
	t.previousName = t.instance.world.Scheduler().BeginUpdate(t.instance.uniqueName)
	t.enter()
}

// enter is the second half of begin. The first half checks the world, so if the world refuses the call,
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

// end is deferred after begin. If the method has panicked, it converts the panic to an error. end adds
// the name of the system to the error, and increments the world's version.
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
		in.frame.dropPostCommands() // the call has failed, so its buffer is not played back
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

// withSystemName adds the name of the system and of the failed method to err. withSystemName does not
// change the error of a group, because that already contains the names of the members.
func (in *Instance) withSystemName(method string, err error) error {
	if in.group != nil {
		if _, many := err.(interface{ Unwrap() []error }); many {
			return err
		}
	}
	return &wrappedError{in.typ.name + ": " + method, in.typ.name, err}
}

// create calls the Create method of the system. If that fails, the instance is removed from the
// world.
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

// runUpdate runs one update. If held is set, the caller has already claimed the world.
func (in *Instance) runUpdate(held bool) (err error) {
	t := methodCall{instance: in, method: "Update", update: true} // filled in place, because copying a value that was just written stalls the CPU
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
		t.timer.releaseJobs() // includes jobs that had nothing to do
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

// checkForgotten returns an error for the jobs that the system has scheduled and whose handles it has
// discarded. If the system is a group, it returns nil, because the update of each member checks the
// member's jobs.
func (in *Instance) checkForgotten(w *jobWatcher) error {
	if in.group != nil {
		return nil
	}
	return w.checkForgotten(in.updateJobs, in.Components)
}

// update calls StartRunning if that is due, and then Update. It then plays back the buffer of
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

// stop calls StopRunning of the system. If the system is a group, it also calls StopRunning of the
// members.
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

// destroy calls StopRunning if the system is running, and then Destroy. It then removes the system
// from the world.
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

// release releases the queries that the system has created.
func (in *Instance) release() error {
	in.queries, in.required, in.updateJobs, in.accesses = nil, nil, nil, nil
	in.frame.dropPostCommands()
	return in.world.Scheduler().CloseQueries(in.uniqueName)
}
