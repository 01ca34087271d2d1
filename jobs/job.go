package jobs

// Job is one piece of work. It is held by pointer, not copied: its fields
// stay put until it is done.
type Job interface {
	Run(t *Task)
}

// RangeJob is work over the indices of a parallel-for. RunRange is called
// once per block [lo, hi) with hi-lo <= grain, from several goroutines at a
// time and in no promised order.
type RangeJob interface {
	RunRange(t *Task, lo, hi int)
}

// Named is implemented by jobs that bear a name of their own in errors,
// traces and estimates; the others are called by their type.
type Named interface {
	JobName() string
}

// Func makes a Job of a function.
type Func func(t *Task)

// Run calls f.
func (f Func) Run(t *Task) { f(t) }

// RangeFunc makes a RangeJob of a function.
type RangeFunc func(t *Task, lo, hi int)

// RunRange calls f.
func (f RangeFunc) RunRange(t *Task, lo, hi int) { f(t, lo, hi) }
