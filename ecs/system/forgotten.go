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

// jobWatcher is the runner of a system's jobs during its update in guard builds. It records the
// jobs that the system schedules, in order to find those whose handles the system has dropped:
// nothing would wait for such a job.
type jobWatcher struct {
	previous ecs.Runner // the runner before
	runner   ecs.Runner
	jobs     []scheduledJob
}

// scheduledJob is a job that was scheduled over a query.
type scheduledJob struct {
	handle jobs.Handle
	name   string
}

// watchJobs begins to record the jobs that are scheduled over queries of w.
func watchJobs(w *ecs.World) *jobWatcher {
	own := new(jobWatcher)
	own.previous = w.Scheduler().RunOn(own)
	switch on := own.previous.(type) {
	case nil:
		own.runner = w.Pool()
	case *jobWatcher: // that of the group that updates this system
		own.runner = on.runner
	default:
		own.runner = on
	}
	return own
}

// ParallelFor schedules the job and records it.
func (w *jobWatcher) ParallelFor(j jobs.RangeJob, n, grain int, after ...jobs.Handle) jobs.Handle {
	h := w.runner.ParallelFor(j, n, grain, after...)
	w.jobs = append(w.jobs, scheduledJob{h, jobName(j)})
	return h
}

// checkForgotten completes the recorded jobs that are neither among the system's own nor predecessors of
// one of these. It returns an error for each, which names the components that the system declares.
func (w *jobWatcher) checkForgotten(own []jobs.Handle, touches func() (reads, writes []string)) error {
	lost := slices.DeleteFunc(w.jobs, func(s scheduledJob) bool { return slices.Contains(own, s.handle) })
	if len(lost) == 0 {
		return nil
	}
	for _, h := range own {
		_ = h.Wait() // complete reports whether one has failed
	}
	var errs []error
	for _, s := range lost {
		if s.handle.Done() {
			continue
		}
		_ = s.handle.Wait() // the Sync of the world returns its error
		reads, writes := touches()
		errs = append(errs, fmt.Errorf("job %s was scheduled and forgotten; the system reads %s and writes %s; schedule it with Frame.ParallelFor or hand it to Frame.Track, so that it is done before the next update: %w",
			s.name, joinNames(reads), joinNames(writes), ecs.ErrState))
	}
	return errors.Join(errs...)
}

// joinNames returns the names as one text.
func joinNames(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

// jobName returns the name that the job gives itself, or else the name of its type.
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
