package jobs

import (
	"cmp"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// LiveJob is a job that is not done, as the pool's list of them says.
type LiveJob struct {
	ID      uint64 // ascending in the order of scheduling
	Name    string
	Running bool
	Owned   bool     // only the goroutine that scheduled it runs it, when it waits: see ScheduleHere
	Parent  uint64   // ID of the job it is a child of, or 0
	After   []uint64 // IDs of the live jobs it waits for
	Site    string   // file and line where it was scheduled, at level Panic

	elsewhere []string // names of the live jobs of other pools that it waits for
}

// LiveJobs is a list of live jobs.
type LiveJobs []LiveJob

// WriteText writes the jobs as text, one a line.
func (l LiveJobs) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, j := range l {
		state := "waiting"
		switch {
		case j.Running:
			state = "running"
		case len(j.After)+len(j.elsewhere) == 0:
			state = "ready"
			if j.Owned {
				state = "ready, for its own goroutine"
			}
		}
		fmt.Fprintf(&b, "job %d %s: %s", j.ID, j.Name, state)
		if len(j.After) > 0 {
			fmt.Fprintf(&b, " for %d", j.After)
		}
		if len(j.elsewhere) > 0 {
			fmt.Fprintf(&b, " for %s of another pool", strings.Join(j.elsewhere, ", "))
		}
		if j.Parent != 0 {
			fmt.Fprintf(&b, ", child of %d", j.Parent)
		}
		if j.Site != "" {
			fmt.Fprintf(&b, ", scheduled at %s", j.Site)
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// liveList is the jobs that are not done. It costs a lock a job, so only pools
// that are watched have one.
type liveList struct {
	sites   bool // it notes where jobs were scheduled
	mu      sync.Mutex
	last    uint64
	jobs    map[*slot]*entry
	changes uint64 // jobs that were begun or done
	scopes  uint64 // that have ended
}

type entry struct {
	job      LiveJob
	after    []Handle
	parent   *slot
	scopes   uint64 // that had ended before it was scheduled
	reported bool   // as leaked
}

// add enters a job that is about to be scheduled.
func (b *liveList) add(sl *slot, after []Handle, where string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last++
	b.jobs[sl] = &entry{
		job:    LiveJob{ID: b.last, Name: sl.kind.name, Owned: sl.bound && sl.owner != 0, Site: where},
		after:  slices.Clone(after),
		parent: sl.parent,
		scopes: b.scopes,
	}
}

// begin marks a job as running.
func (b *liveList) begin(sl *slot) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.jobs[sl]; e != nil {
		e.job.Running = true
	}
	b.changes++
}

// remove strikes a job out.
func (b *liveList) remove(sl *slot) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.jobs, sl)
	b.changes++
}

// list copies the list, in the order of scheduling.
func (b *liveList) list() LiveJobs {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := make(LiveJobs, 0, len(b.jobs))
	for sl, e := range b.jobs { //lanewise:inexact sorted below
		j := e.job
		for _, h := range e.after {
			if h.slot != nil && h.slot.pool != sl.pool && !h.Done() {
				j.elsewhere = append(j.elsewhere, h.String())
			}
			if before := b.jobs[h.slot]; before != nil && !h.Done() {
				j.After = append(j.After, before.job.ID)
			}
		}
		if parent := b.jobs[e.parent]; parent != nil {
			j.Parent = parent.job.ID
		}
		all = append(all, j)
	}
	slices.SortFunc(all, func(a, b LiveJob) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// leakScopes is how many scopes may end while a job is not done.
const leakScopes = 4

// endScope counts a scope and reports the jobs that have outlived too many,
// each once, the oldest first.
func (b *liveList) endScope() (leaks []error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.scopes++
	var old []*entry
	for _, e := range b.jobs { //lanewise:inexact sorted below
		if !e.reported && b.scopes-e.scopes > leakScopes {
			e.reported = true
			old = append(old, e)
		}
	}
	slices.SortFunc(old, func(a, b *entry) int { return cmp.Compare(a.job.ID, b.job.ID) })
	for _, e := range old {
		leaks = append(leaks, &LeakError{Job: e.job.Name, Count: 1, Site: e.job.Site})
	}
	return leaks
}

// site is the file and line from which a job was scheduled, outside of this package and of jobs/access.
// It is for reports alone: nothing is decided by the names of functions that it compares.
func site() string {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, packagePath+".") && !strings.HasPrefix(f.Function, packagePath+"/access.") || strings.HasSuffix(f.File, "_test.go") {
			return fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		if !more {
			return ""
		}
	}
}

// packagePath is how functions of this package begin in stack traces.
const packagePath = "github.com/lanewise/lanewise/jobs"

// enter enters a job that is about to be scheduled on a pool with a list of them.
func (b *liveList) enter(sl *slot, after []Handle) {
	where := ""
	if b.sites {
		where = site()
	}
	b.add(sl, after, where)
}
