package jobs

import (
	"fmt"
	"runtime"
	"strings"
)

// Level says how much a pool checks.
type Level int

const (
	// Check finds conflicting jobs, undeclared access and leaked jobs and
	// returns them as errors. It is the default.
	Check Level = iota
	// Off checks nothing but what is needed to go on.
	Off
	// Panic panics at once where Check would return an error, but for
	// Scope.End, and remembers where each job was scheduled. What a wait runs it
	// runs on a goroutine of its own, which a test that fails there may end. It is
	// for tests.
	Panic
)

// Safety sets how much the pool checks.
func Safety(level Level) Option { return func(p *Pool) { p.level = level } }

// ConflictError says that two jobs touch the same component, one of them
// writes it, and nothing orders them.
type ConflictError struct {
	Job       string // the one that was added
	Other     string // the one that was there
	Component int
	Name      string // of the component, where the tracker knows one
}

// Error names the jobs, the component and the remedy.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("jobs: Tracker.AddOrdered: %s and %s both touch %s and nothing orders them: schedule one after the other",
		e.Job, e.Other, e.touched())
}

// touched is what the component is called.
func (e *ConflictError) touched() string {
	if e.Name != "" {
		return e.Name
	}
	return fmt.Sprintf("component %d", e.Component)
}

// AccessError says that a job touched what it had not declared.
type AccessError struct {
	Job       string
	Component int
	Write     bool
}

// Error names the job, the component and the remedy.
func (e *AccessError) Error() string {
	verb, set := "reads", "Read"
	if e.Write {
		verb, set = "writes", "Write"
	}
	return fmt.Sprintf("jobs: %s %s component %d without declaring it: add it to Access.%s", e.Job, verb, e.Component, set)
}

// LeakError says that a job is still not done long after it was scheduled: at
// the close of its pool, or when several scopes have come and gone.
type LeakError struct {
	Job   string // its name; of one of them where Count is more than one
	Count int
	Site  string // file and line where it was scheduled, at level Panic
}

// Error names the job and where it was scheduled.
func (e *LeakError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "jobs: %s is not done", e.Job)
	if e.Count == 2 {
		b.WriteString(", nor is 1 other")
	} else if e.Count > 2 {
		fmt.Fprintf(&b, ", nor are %d others", e.Count-1)
	}
	if e.Site != "" {
		fmt.Fprintf(&b, "; it was scheduled at %s", e.Site)
	}
	b.WriteString(": wait for its handle")
	return b.String()
}

// Accessor is implemented by jobs that declare what they touch, for
// Task.Reads and Task.Writes to check.
type Accessor interface {
	JobAccess() *Access
}

// Reads checks that the job has declared to read the component, or to write
// it. It panics with an *AccessError, which then is what waits for the job
// find in its *PanicError. A job that declares nothing is not checked.
func (t *Task) Reads(component int) {
	if a := t.declared(); a != nil && !a.Read.Has(component) && !a.Write.Has(component) {
		panic(&AccessError{Job: t.slot.kind.name, Component: component})
	}
}

// Writes checks that the job has declared to write the component; see Reads.
func (t *Task) Writes(component int) {
	if a := t.declared(); a != nil && !a.Write.Has(component) {
		panic(&AccessError{Job: t.slot.kind.name, Component: component, Write: true})
	}
}

// declared is what the job may touch; nil if that is not to be checked.
func (t *Task) declared() *Access {
	if t.access == nil && t.slot != nil && t.seat.pool.level != Off {
		var job any = t.slot.one
		if t.slot.shape == shapeMany {
			job = t.slot.many
		}
		if a, ok := job.(Accessor); ok {
			t.access = a.JobAccess()
		}
	}
	return t.access
}

// AddOrdered is Add for a job whose order was given by hand. It returns a
// *ConflictError if a live job conflicts with it and is not among those that
// the job waits for, and panics with it at level Panic. The job is added all
// the same.
func (t *Tracker) AddOrdered(a *Access, h Handle) error {
	err := t.conflict(a, h)
	t.Add(a, h)
	if err == nil {
		return nil
	}
	if h.slot.pool.level == Panic {
		panic(err)
	}
	return err
}

// conflict looks for a live job that conflicts with a and that h does not wait
// for.
func (t *Tracker) conflict(a *Access, h Handle) error {
	if h.Done() || h.slot.pool.level == Off {
		return nil
	}
	var buf [16]Handle
	for _, other := range t.Before(a, buf[:0]) {
		if other != h && !h.dependsOn(other) && !other.Done() {
			c := &ConflictError{Job: h.name(), Other: other.name(), Component: t.component(a, other)}
			if t.Name != nil {
				c.Name = t.Name(c.Component)
			}
			return c
		}
	}
	return nil
}

// component is the lowest that both access a and the job behind h touch.
func (t *Tracker) component(a *Access, h Handle) int {
	for id := range t.fences {
		l := &t.fences[id]
		if a.Write.Has(id) && (l.names(l.writers, h) || l.names(l.readers, h)) || a.Read.Has(id) && l.names(l.writers, h) {
			return id
		}
	}
	return -1
}

func (l *fenceList) names(list []*fence, h Handle) bool {
	for i := range list {
		if list[i].handle == h {
			return true
		}
	}
	return false
}

// name is the name of a live job, "a job that is done" otherwise.
func (h Handle) name() string {
	if h.slot == nil || !h.slot.pin(h.gen) {
		return "a job that is done"
	}
	defer h.slot.unpin()
	return h.slot.kind.name
}

// dependsOn reports whether the job behind h waits for other, directly or not.
func (h Handle) dependsOn(other Handle) bool {
	seen := map[Handle]bool{}
	stack := []Handle{h}
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[top] || !top.slot.pin(top.gen) {
			continue
		}
		seen[top] = true
		st := step{slot: top.slot, gen: top.gen, edge: top.slot.deps}
		for st.read(); st.known > 0; st.read() {
			stack = append(stack, st.needs[:st.known]...)
			st.known = 0
		}
		top.slot.unpin()
		if top == other {
			return true
		}
	}
	return false
}

// site is the file and line outside of this package from which it was called.
func site() string {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, packagePath+".") || strings.HasSuffix(f.File, "_test.go") {
			return fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		if !more {
			return ""
		}
	}
}

// packagePath is how functions of this package begin in stack traces.
const packagePath = "github.com/lanewise/lanewise/jobs"
