package jobs

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"runtime"
	"runtime/trace"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lanewise/lanewise/jobs/profile"
)

// Stats counts events of all workers of a pool since the pool was created.
type Stats struct {
	Jobs    uint64        // single jobs that were run, and parts of loops
	Loops   uint64        // loops that were opened to several workers
	Inline  uint64        // loops that one worker ran alone, because they were small or the pool has no others
	Joined  uint64        // times that a worker joined a loop which another had opened
	Steals  uint64        // times that a worker took jobs or blocks of another
	Wakes   uint64        // workers that were woken
	Sleeps  uint64        // times that a worker or a waiting goroutine went to sleep
	Spins   uint64        // times that a worker stayed awake and found nothing to do
	SpunFor time.Duration // how long workers have stayed awake with nothing to do
}

// Stats adds up the counters of all workers. The last 63 jobs of a worker or waiting goroutine may
// be missing from Jobs and Inline while it is busy, and for some microseconds longer.
func (p *Pool) Stats() Stats {
	p.requireMade("Pool.Stats")
	var sum Stats
	for _, wc := range *p.contexts.Load() {
		wc.publishIfIdle()
		c := &wc.counters
		sum.Jobs += c.jobs.Load()
		sum.Loops += c.loops.Load()
		sum.Inline += c.inline.Load()
		sum.Joined += c.joined.Load()
		sum.Steals += c.steals.Load()
		sum.Sleeps += c.sleeps.Load()
		sum.Spins += c.spins.Load()
		sum.SpunFor += time.Duration(c.spunNs.Load())
	}
	sum.Wakes = p.sleepers.Wakes()
	return sum
}

// Live lists the jobs that are not done. Only a pool with a watchdog, or at level Panic, keeps the
// list; for other pools the result is empty.
func (p *Pool) Live() LiveJobs {
	if p.live == nil {
		return nil
	}
	return p.live.snapshot()
}

// Profile returns the recorder through which tools record the pool's jobs and their times.
func (p *Pool) Profile() profile.Recorder {
	p.requireMade("Pool.Profile")
	return p.profile.Recorder()
}

// isObserved reports whether a tool records jobs.
func (p *Pool) isObserved() bool { return p.profile.Watched() || trace.IsEnabled() }

// jobSpan is one job, or one worker's part of a loop, in a recording. The zero jobSpan is not
// recorded.
type jobSpan struct {
	recording bool
	region    *trace.Region
	interval  profile.Piece
}

// newJobSpan begins to record a job, if a tool wants it.
func newJobSpan(wc *workerContext, node *jobNode) (sp jobSpan) {
	if !wc.pool.isObserved() {
		return sp
	}
	sp.recording = true
	if trace.IsEnabled() {
		sp.region = trace.StartRegion(node.traceContext(), node.stats.name)
	}
	sp.interval = wc.profile.Begin(node.jobMeter())
	return sp
}

// end ends the recording. Parameter n is the number of blocks of a loop that were run.
func (sp *jobSpan) end(node *jobNode, n int) {
	sp.interval.End(node.stats.name, n)
	if sp.region != nil {
		sp.region.End()
	}
}

// jobMeter returns the meter of the node's job, or nil if it has none.
func (node *jobNode) jobMeter() *profile.Meter {
	var job any = node.single
	if node.shape == shapeLoop {
		job = node.loopJob
	}
	if m, ok := job.(profile.Metered); ok {
		return meterOf(m)
	}
	return nil
}

// meterOf asks a job for its meter.
func meterOf(job profile.Metered) *profile.Meter {
	defer func() { _ = recover() }()
	return job.JobMeter()
}

// traceContext returns the context of the job's scope.
func (node *jobNode) traceContext() context.Context {
	if node.scope == nil {
		return context.Background()
	}
	if node.scope.traceCtx != nil {
		return node.scope.traceCtx
	}
	return node.scope.ctx
}

// LiveJob is a job that is not done yet, as shown by Pool.Live.
type LiveJob struct {
	ID      uint64 // ascends in the order of scheduling
	Name    string
	Running bool
	Owned   bool     // only the goroutine that scheduled it runs it, when it waits; see ScheduleHere
	Parent  uint64   // ID of the job it is a child of, or 0
	After   []uint64 // IDs of the live jobs that it waits for
	Site    string   // file and line where it was scheduled, at level Panic

	elsewhere []string // names of the live jobs of other pools that it waits for
}

// LiveJobs is a list of live jobs.
type LiveJobs []LiveJob

// WriteText writes the jobs as text, one job on each line. WriteText returns the error
// of w.
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

// liveList lists the jobs that are not done. The list costs a lock for each job, so only pools
// that need it have one.
type liveList struct {
	recordsSites bool // note where jobs are scheduled
	mu           sync.Mutex
	lastID       uint64
	jobs         map[*jobNode]*liveEntry
	changes      uint64 // number of jobs that have begun or ended
	endedScopes  uint64 // number of scopes that have ended
}

type liveEntry struct {
	job               LiveJob
	after             []Handle
	parent            *jobNode
	endedScopesBefore uint64 // number of scopes that had ended when it was scheduled
	reported          bool   // as leaked
}

// addJob adds a job that is about to be scheduled.
func (b *liveList) addJob(node *jobNode, after []Handle, where string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lastID++
	b.jobs[node] = &liveEntry{
		job:               LiveJob{ID: b.lastID, Name: node.stats.name, Owned: node.hasOptionalFields && node.owner != 0, Site: where},
		after:             slices.Clone(after),
		parent:            node.parent,
		endedScopesBefore: b.endedScopes,
	}
}

// markRunning marks a job as running.
func (b *liveList) markRunning(node *jobNode) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.jobs[node]; e != nil {
		e.job.Running = true
	}
	b.changes++
}

// removeJob removes a job that is done.
func (b *liveList) removeJob(node *jobNode) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.jobs, node)
	b.changes++
}

// snapshot copies the list, in the order of scheduling.
func (b *liveList) snapshot() LiveJobs {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := make(LiveJobs, 0, len(b.jobs))
	byID := func(x, y *jobNode) int { return cmp.Compare(b.jobs[x].job.ID, b.jobs[y].job.ID) }
	for _, node := range slices.SortedFunc(maps.Keys(b.jobs), byID) {
		e := b.jobs[node]
		j := e.job
		for _, h := range e.after {
			if h.node != nil && h.node.pool != node.pool && !h.Done() {
				j.elsewhere = append(j.elsewhere, h.String())
			}
			if before := b.jobs[h.node]; before != nil && !h.Done() {
				j.After = append(j.After, before.job.ID)
			}
		}
		if parent := b.jobs[e.parent]; parent != nil {
			j.Parent = parent.job.ID
		}
		all = append(all, j)
	}
	return all
}

// leakScopes is the number of scopes that may end before a job that is not done is reported as
// leaked.
const leakScopes = 4

// endScope counts a scope as ended. It reports each job that has outlived too many scopes, but
// only once per job, and the oldest job first.
func (b *liveList) endScope() (leaks []error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.endedScopes++
	var old []*liveEntry
	for _, e := range b.jobs { //lanewise:inexact sorted below
		if !e.reported && b.endedScopes-e.endedScopesBefore > leakScopes {
			e.reported = true
			old = append(old, e)
		}
	}
	slices.SortFunc(old, func(a, b *liveEntry) int { return cmp.Compare(a.job.ID, b.job.ID) })
	for _, e := range old {
		leaks = append(leaks, &LeakError{Job: e.job.Name, Count: 1, Site: e.job.Site})
	}
	return leaks
}

// callSite returns the file and line that scheduled a job, outside of this package and of
// jobs/access. The result is only for reports: no decision depends on the function names that
// callSite compares.
func callSite() string {
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

// packagePath is the prefix of this package's functions in stack traces.
const packagePath = "github.com/lanewise/lanewise/jobs"

// recordJob adds a job that is about to be scheduled. It also adds the job's call site if the
// list stores call sites.
func (b *liveList) recordJob(node *jobNode, after []Handle) {
	where := ""
	if b.recordsSites {
		where = callSite()
	}
	b.addJob(node, after, where)
}

// watchPool is the main loop of the watchdog's goroutine.
func (w *watchdog) watchPool(p *Pool) {
	p.goroutines.joinSet(nil)
	defer p.goroutines.leaveSet(false)
	tick := time.NewTicker(max(p.stuckAfter/watchdogChecks, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-p.done:
			return
		case <-tick.C:
		}
		p.live.mu.Lock()
		changes, live := p.live.changes, len(p.live.jobs)
		p.live.mu.Unlock()
		if w.checkStuck(changes, live) {
			p.onStuck(p.Live())
		}
	}
}

// watchdogChecks is the number of checks that the watchdog makes within its limit.
const watchdogChecks = 4

// watchdog is the state of a watchdog between two checks.
type watchdog struct {
	changesSeen uint64 // value of liveList.changes at the last look
	quietChecks int    // looks without a change
}

// checkStuck reports whether jobs are live and nothing has changed for watchdogChecks checks.
func (w *watchdog) checkStuck(changes uint64, live int) (stuck bool) {
	if changes != w.changesSeen || live == 0 {
		w.changesSeen, w.quietChecks = changes, 0
		return false
	}
	w.quietChecks++
	if w.quietChecks < watchdogChecks {
		return false
	}
	w.quietChecks = 0
	return true
}
