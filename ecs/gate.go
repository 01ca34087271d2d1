package ecs

// gate is what every operation passes first: whether the world is there, whose it is, and
// by what name and in what version things happen. It knows of no entities.
type gate struct {
	structural uint32 // counts structural changes: the first word, every view compares it
	version    uint32 // the global version
	visiting   int    // loops over chunks on the owner's goroutine
	alive      bool   // the world was made, has its contents, and is not closed
	concludes  bool   // finish has more to do: ids are promised, or values want to be told
	owner      owner  // beside these: every change asks all of them
	jobs       schedule
	name       string
	running    string  // the system that is being updated
	recorder   string  // the system that has recorded the commands being played; empty if none is known
	lent       *lease  // to the jobs of a transaction
	borrowed   bool    // the world is that of a transaction's jobs
	labels     *labels // names of entities, for errors
}

// refuseLent panics while the contents are lent; otherwise it is false.
func (w *gate) refuseLent(op string) bool {
	if w.lent != nil {
		panic(w.unavailable(op))
	}
	return false
}

// open returns an error if there is no world, or it is closed.
func (w *gate) open(op string) error {
	if !w.alive {
		return w.unavailable(op)
	}
	return nil
}

// unavailable says that the world has no contents, or not now.
func (w *gate) unavailable(op string) *Error {
	switch {
	case w.lent != nil:
		return w.fault(ErrState, op, "the world is lent to a transaction: its jobs have the world now, use it when the transaction has ended")
	case w.borrowed:
		return w.fault(ErrState, op, "the job of a transaction that had this world is done: schedule another one, or End the transaction and use the world that it began with")
	case w.version == 0:
		return fault(ErrState, op, "the world is the zero World: make one with NewWorld")
	}
	return w.fault(ErrDisposed, op, "the world is closed")
}

// ask keeps changes of the world away while an operation calls a method of a shared
// value that it asks for an answer, or the tools that want to know of it: it has found
// rows and groups already, and they must be there when it goes on. So it refuses what a
// loop over chunks does.
func (w *gate) ask() {
	w.visiting++
	w.owner.asking++
}

// answered ends what ask has begun.
func (w *gate) answered() {
	w.visiting--
	w.owner.asking--
}

// bump moves the world's version on.
func (w *gate) bump() {
	if w.version++; w.version == 0 {
		w.version = 1
	}
}

// fault makes an error of op in this world.
func (w *gate) fault(category error, op, text string, args ...any) *Error {
	w.faulted()
	e := fault(category, op, text, args...)
	e.World, e.System, e.labels = w.name, w.callingSystem(), w.labels
	return e
}

// callingSystem returns the system that an error names: the one that is being updated or, in a job, the one that has scheduled the
// job. It is empty in a job that is not over a query, because nothing says whose that is; the system that is being updated by then is the
// owner's to look at, and often another one, which only waits for the job.
func (w *gate) callingSystem() string {
	if !w.inJob() {
		return w.running
	}
	if r, ok := w.jobs.pool.Caller().Job().(*chunkRun); ok {
		return r.query.owner
	}
	return ""
}
