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

// timer takes the times of one system while they are wanted. All is called on the
// goroutine of the world's owner.
type timer interface {
	begin() mark              // an update begins
	end(m mark, in *Instance) // it has ended, in one of another system if that is not nil
	await()                   // waits for the system's jobs, as part of its update
	fold()                    // its jobs are done
	releaseJobs()             // they are done, or had nothing to do

	// What is to be scheduled in place of a job, and then what that one touches.
	chunks(j ecs.ChunkJob) ecs.ChunkJob
	single(j jobs.Job) jobs.Job
	ranges(j jobs.RangeJob) jobs.RangeJob
	scheduled(a *access.Access)
}

// mark is what a timer wants to hear at the end of an update.
type mark struct {
	start time.Duration
	place int // among the frame's turns
}

// dropping is a system that forgets what others have handed to it when it is destroyed.
type dropping interface{ drop() }

// call is one call into a system: what must be put back after it, however it ends.
type call struct {
	in     *Instance
	outer  *Instance // what was executing before
	name   string    // the world's name for that
	method string
	update bool  // the call is an update, not one of the hooks around it
	timer  timer // takes its times; nil while none are taken
	mark   mark
	region *trace.Region // of the execution trace; nil while none is made
	watch  *jobWatcher   // nil but in guard builds
	ended  bool          // the call returned: neither panic nor runtime.Goexit
}

// usable returns an error while the world is lent to a transaction. A system that
// was called then would find nothing, and never hear of what the transaction does.
func (in *Instance) usable(method string) error {
	if !in.world.InTransaction() {
		return nil
	}
	return fmt.Errorf("system: %s: %s: world %q is lent to a transaction, which must End first: %w", in.typ.name, method, in.world.Name(), ecs.ErrState)
}

// begin makes in the system that executes, in a new version of the world, which
// must be usable.
func (in *Instance) begin(method string) call {
	outer := in.world.Scheduler().BeginUpdate(in.owner)
	t := in.enter(method)
	t.name = outer
	return t
}

// enter is begin behind the world's part, which comes first: if that refuses nothing has begun.
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

// end is deferred behind begin: it turns a panic into an error, gives the error
// the system's name, and steps the world's version.
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
		in.frame.dropPost() // what a failed call has recorded is not played
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

// named says which system and which of its methods failed. What a group
// returns bears the names of its members already.
func (in *Instance) named(method string, err error) error {
	if in.group != nil {
		if _, many := err.(interface{ Unwrap() []error }); many {
			return err
		}
	}
	return &nested{in.typ.name + ": " + method, in.typ.name, err}
}

// create calls the system's Create. An instance that fails is struck out.
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

// run is one update. If it is held the caller has the world already.
func (in *Instance) run(held bool) (err error) {
	var outer string
	if held {
		outer = in.world.Scheduler().BeginMember(in.owner)
	} else {
		outer = in.world.Scheduler().BeginUpdate(in.owner)
	}
	t := in.enter("Update") // once: the call is large
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
		t.timer.releaseJobs() // also what bore the meter of a job that had nothing to do
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

// forgotten returns an error for what the system has scheduled and forgotten. The jobs of
// the members of a group are theirs.
func (in *Instance) forgotten(w *jobWatcher) error {
	if in.group != nil {
		return nil
	}
	return w.forgotten(in.outputs, in.Components)
}

// update calls StartRunning where it is due, Update, and plays back the buffer of [Frame.Commands].
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

// stop calls StopRunning, and that of the members of a group.
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

// destroy ends the system's life.
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

// release lets go of what the system had of its world.
func (in *Instance) release() error {
	in.queries, in.required, in.outputs, in.accesses = nil, nil, nil, nil
	in.frame.dropPost()
	return in.world.Scheduler().CloseQueries(in.owner)
}
