package jobs

import (
	"errors"
	"fmt"
	"strings"
)

// Errors that a handle can carry besides *PanicError and the cause of a
// cancelled context.
var (
	// ErrDeadlock is returned by a wait that could never end: the job waited
	// for cannot be done before the waiting one is.
	ErrDeadlock = errors.New("job waits for a job that waits for it")

	// ErrExited is the error of a job that ended its goroutine with
	// runtime.Goexit, as testing.T.FailNow does; the handle carries an *ExitError,
	// which is one and names the job.
	ErrExited = errors.New("job called runtime.Goexit")
)

// DeadlockError says how the job that was waited for depends on the waiting
// one. It is an ErrDeadlock. In a chain through a job that closes a pool, "Pool.Close" is the name of that call.
type DeadlockError struct {
	Chain []string // names: the job waited for, the one it needs, and so on to the waiting one

	closes bool // Pool.Close returns it
}

// Error names the jobs of the chain.
func (e *DeadlockError) Error() string {
	fn := "Wait"
	if e.closes {
		fn = "Pool.Close"
	}
	return fmt.Sprintf("jobs: %s: %s: %v", fn, strings.Join(e.Chain, " needs "), ErrDeadlock)
}

// Unwrap returns ErrDeadlock.
func (e *DeadlockError) Unwrap() error { return ErrDeadlock }

// ExitError is what a job that called runtime.Goexit leaves in its handle. It is an
// ErrExited.
type ExitError struct {
	Job   string // the name of the job that called it
	Index int    // first index of the block that did; 0 for a job that is no loop

	single bool // the job is no loop
}

// Error names the job and the block of a loop.
func (e *ExitError) Error() string {
	if e.single {
		return fmt.Sprintf("jobs: %s: %v", e.Job, ErrExited)
	}
	return fmt.Sprintf("jobs: %s: %v in the block at index %d", e.Job, ErrExited, e.Index)
}

// Unwrap returns ErrExited.
func (e *ExitError) Unwrap() error { return ErrExited }

// PanicError is what a job that panicked leaves in its handle.
type PanicError struct {
	Job   string // the job's name
	Index int    // first index of the lowest block that panicked; 0 for a job that is no loop
	Place string // what the body was at, where its job tells: of a query's, the world, the archetype and the chunk's first entity
	Value any    // what was passed to panic
	Stack []byte // the stack of the panic

	single bool // the job is no loop
}

// Error names the job, the block of a loop and the value; the stack is in Stack.
func (e *PanicError) Error() string {
	if e.single {
		return fmt.Sprintf("jobs: %s: panic: %v", e.Job, e.Value)
	}
	place := ""
	if e.Place != "" {
		place = ", " + e.Place
	}
	return fmt.Sprintf("jobs: %s: panic in the block at index %d%s: %v", e.Job, e.Index, place, e.Value)
}

// Unwrap returns the panic's value where it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// failure is an error and its rank among the errors of one job: the lowest
// rank is kept, so that which error a handle carries depends on no timing.
type failure struct {
	gen  uint32 // of the slot
	rank uint64
	err  error
}

const (
	rankDependency = 0 << 62 // | place in the list of dependencies
	rankSkipped    = 1 << 62 // the scope was cancelled
	rankOwn        = 2 << 62 // | first index of the block
	rankChild      = 3 << 62 // | order among the children
)

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

// panicNegative is apart from the functions that call it to keep them small.
func panicNegative(fn, what string, n int) {
	panic(fmt.Sprintf("jobs: %s: %s is %d", fn, what, n))
}
