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

// jobWatcher runs the jobs of a system during its update in guard builds. jobWatcher records the
// jobs that the system schedules. With this record, it finds each job whose handle the system has
// discarded. Such a job is a mistake, because nothing would wait for it.
type jobWatcher struct {
	previous ecs.Runner // the runner that was set before
	runner   ecs.Runner
	jobs     []scheduledJob
}

// scheduledJob is a job that a system has scheduled over a query.
type scheduledJob struct {
	handle jobs.Handle
	name   string
}

// watchJobs starts recording the jobs that are scheduled over queries of w.
func watchJobs(w *ecs.World) *jobWatcher {
	own := new(jobWatcher)
	own.previous = w.Scheduler().RunOn(own)
	switch on := own.previous.(type) {
	case nil:
		own.runner = w.Pool()
	case *jobWatcher: // the jobWatcher of the group that updates this system
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

// checkForgotten finds the recorded jobs whose handles are not in own and that are still running
// when the jobs of own have finished. It waits for them. For each of them, it returns an error that
// names the components that the system declares.
func (w *jobWatcher) checkForgotten(own []jobs.Handle, touches func() (reads, writes []string)) error {
	lost := slices.DeleteFunc(w.jobs, func(s scheduledJob) bool { return slices.Contains(own, s.handle) })
	if len(lost) == 0 {
		return nil
	}
	for _, h := range own {
		_ = h.Wait() // the method complete reports whether a job has failed
	}
	var errs []error
	for _, s := range lost {
		if s.handle.Done() {
			continue
		}
		_ = s.handle.Wait() // the world's Sync returns the error of the job
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
