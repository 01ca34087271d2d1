package jobs

// Caller tells where a call comes from: a goroutine, and the body of a job that it runs, if it
// runs one. It is for what belongs to one of them for a while, as a world does: two that are
// equal are the same goroutine in the same body, or outside of all jobs of the pool. The
// zero Caller is none.
type Caller struct {
	goroutine uintptr
	task      *Task
}

// Task is that of the body, the innermost one; nil if the call comes from none. Until the body
// returns it is that of no other, and after that it may be used again. A Range of a single block
// has no task.
func (c Caller) Task() *Task { return c.task }
