package jobs

// Caller tells where a call comes from: a goroutine, and the body of a job that it runs, if it
// runs one. It is for what belongs to one of them for a while, as a world does. The
// zero Caller is none.
type Caller struct {
	goroutine uintptr
	task      *Task
}

// Caller returns where the call comes from, as far as jobs of this pool go. A nil pool has none.
func (p *Pool) Caller() Caller {
	g := goroutine()
	if g == 0 {
		return Caller{goroutine: goroutineID()}
	}
	return Caller{g, p.on(g)}
}

// Is reports whether c calls: the same goroutine, in the body of the same job or, if
// there was none, outside of all jobs of the pool. Where Pool.Current cannot tell
// tasks apart, bodies that one goroutine runs are one.
//
// It takes two nanoseconds and does not allocate. Where there is no assembly, which
// is with the tag purego above all, it takes microseconds.
func (p *Pool) Is(c Caller) bool {
	g := goroutine()
	if g == 0 {
		return goroutineID() == c.goroutine
	}
	return g == c.goroutine && p.on(g) == c.task
}
