package jobs

// Caller tells where a call comes from: a goroutine, and the body of a job that it runs, if it
// runs one. It is for what belongs to one of them for a while, as a world does. The
// zero Caller is none.
type Caller struct {
	goroutine uintptr
	task      *Task
}
