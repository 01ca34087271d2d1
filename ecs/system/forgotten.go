package system

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

// jobWatcher is what the jobs of a system are scheduled on while it updates, in
// guard builds: it finds those that the system has forgotten.
type jobWatcher struct {
	outer ecs.Runner // what jobs were scheduled on before
	on    ecs.Runner
	seen  []scheduled
}

// scheduled is a job that was scheduled over a query.
type scheduled struct {
	handle jobs.Handle
	name   string
}

// watchJobs begins to look at what is scheduled over queries of w.
func watchJobs(w *ecs.World) *jobWatcher {
	own := new(jobWatcher)
	own.outer = w.Scheduler().RunOn(own)
	switch on := own.outer.(type) {
	case nil:
		own.on = w.Pool()
	case *jobWatcher: // of the system that updates this one
		own.on = on.on
	default:
		own.on = on
	}
	return own
}

// ParallelFor schedules the job and remembers it.
func (w *jobWatcher) ParallelFor(j jobs.RangeJob, n, grain int, after ...jobs.Handle) jobs.Handle {
	h := w.on.ParallelFor(j, n, grain, after...)
	w.seen = append(w.seen, scheduled{h, jobName(j)})
	return h
}

// forgotten completes the jobs that are not among the system's own, directly or
// because one of these waits for them, and returns an error for each, with what
// the system touches.
func (w *jobWatcher) forgotten(own []jobs.Handle, touches func() (reads, writes []string)) error {
	lost := slices.DeleteFunc(w.seen, func(s scheduled) bool { return slices.Contains(own, s.handle) })
	if len(lost) == 0 {
		return nil
	}
	for _, h := range own {
		_ = h.Wait() // it is complete that says whether one has failed
	}
	var errs []error
	for _, s := range lost {
		if s.handle.Done() {
			continue
		}
		_ = s.handle.Wait() // its error comes with the world's
		reads, writes := touches()
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

// jobName is how a job is named: by itself, or by its type.
func jobName(job any) string {
	if n, ok := job.(jobs.Named); ok {
		return n.JobName()
	}
	t := reflect.TypeOf(job)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return fmt.Sprint(t)
}
