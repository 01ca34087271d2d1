package jobs

import "context"

// Job is one piece of work. It is held by pointer, not copied: its fields
// stay put until it is done. A Run that panics fails its job with a *PanicError, one
// that calls runtime.Goexit (testing.T.FailNow does) with an *ExitError; what waits for
// the job gets that and goes on. What has run well before runs on the goroutine that
// waits: should it call runtime.Goexit there, that goroutine ends too, when the job has
// been completed. At level Panic, which is for tests, it never does.
type Job interface {
	Run(t *Task)
}

// RangeJob is work over the indices of a parallel-for. RunRange is called
// once per block [lo, hi) with hi-lo <= grain, from several goroutines at a
// time and in no promised order. A RunRange that panics fails the job, and all other
// blocks run nevertheless; of several the error is that of the lowest.
type RangeJob interface {
	RunRange(t *Task, lo, hi int)
}

// Named is implemented by jobs that bear a name of their own in errors,
// traces and estimates; the others are called by their type.
type Named interface {
	JobName() string
}

// Unfinished is implemented by jobs that hear of a body of theirs which did not
// return: it has panicked, or ended its goroutine. They put away what the body has
// left, without the price of a defer in each. The call comes on the body's worker,
// before the job is done; a panic in it is dropped, as the job has failed already.
type Unfinished interface {
	NotReturned(worker int)
}

// Func makes a Job of a function.
type Func func(t *Task)

// Run calls f.
func (f Func) Run(t *Task) { f(t) }

// RangeFunc makes a RangeJob of a function.
type RangeFunc func(t *Task, lo, hi int)

// RunRange calls f.
func (f RangeFunc) RunRange(t *Task, lo, hi int) { f(t, lo, hi) }

// mustHave panics if a function was called without what it needs.
func mustHave(fn string, ok bool) {
	if !ok {
		panic("jobs: " + fn + ": the job is nil")
	}
}

// mustKnow refuses a context that is nil: it would be asked by a worker, where a panic ends the program.
func mustKnow(fn string, ctx context.Context) {
	if ctx == nil {
		panic("jobs: " + fn + ": the context is nil: pass context.Background()")
	}
}
