package system

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

// watcher is what the jobs of a system are scheduled on while it updates, in
// guard builds: it finds those that the system has forgotten.
type watcher struct {
	in     *Instance
	before ecs.Runner
	on     ecs.Runner
	seen   []scheduled
}

// scheduled is a job that was scheduled over a query.
type scheduled struct {
	handle jobs.Handle
	name   string
}

// watch begins to look at what the system schedules.
func (in *Instance) watch() *watcher {
	w := &watcher{in: in}
	w.before = in.world.RunOn(w)
	switch on := w.before.(type) {
	case nil:
		w.on = in.world.Pool()
	case *watcher: // of the system that updates this one
		w.on = on.on
	default:
		w.on = on
	}
	return w
}

// ParallelFor schedules the job and remembers it.
func (w *watcher) ParallelFor(j jobs.RangeJob, n, grain int, after ...jobs.Handle) jobs.Handle {
	h := w.on.ParallelFor(j, n, grain, after...)
	w.seen = append(w.seen, scheduled{h, jobName(j)})
	return h
}

// forgotten completes the jobs that are not among the system's own, directly or
// because one of these waits for them, and returns an error for each.
func (w *watcher) forgotten() error {
	if w.in.group != nil {
		return nil // its members' are theirs
	}
	lost := slices.DeleteFunc(w.seen, func(s scheduled) bool { return slices.Contains(w.in.outputs, s.handle) })
	if len(lost) == 0 {
		return nil
	}
	for _, h := range w.in.outputs {
		_ = h.Wait() // it is complete that says whether one has failed
	}
	var errs []error
	for _, s := range lost {
		if s.handle.Done() {
			continue
		}
		_ = s.handle.Wait() // its error comes with the world's
		reads, writes := w.in.touches()
		errs = append(errs, fmt.Errorf("job %s was scheduled and forgotten; the system reads %s and writes %s; schedule it with Frame.ParallelFor or hand it to Frame.Track, so that it is done before the next update: %w",
			s.name, nameAll(reads), nameAll(writes), ecs.ErrState))
	}
	return errors.Join(errs...)
}

// nameAll lists names.
func nameAll(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}
