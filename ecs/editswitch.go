package ecs

// Enabled reports whether the T of e is on. T must embed Enableable; it is on
// when e gets it. The error is of category ErrArgument if e does not exist, has
// no T, or T is not enableable. It first completes jobs that write T.
func Enabled[T any](w *World, e Entity) (bool, error) {
	const op = "Enabled"
	c, err := componentIn[T](w, op)
	if err != nil {
		return false, err
	}
	r, i, row, err := w.switchOf(op, e, c)
	if err != nil {
		return false, err
	}
	if w.jobs.pending {
		if err := w.await(op, c, false); err != nil {
			return false, err
		}
	}
	return r.switches[r.arch.columns[i].bit].on(row), nil
}

// SetEnabled turns the T of e on or off. That is no structural change: nothing
// moves, the value stays, e still has T; but queries that ask for T do not match
// e while it is off. It marks T as changed. Errors are those of [Enabled]; a
// Commands buffer finds them at playback.
func SetEnabled[T any, D WorldOrCommands](to D, e Entity, on bool) error {
	const op = "SetEnabled"
	switch to := any(to).(type) {
	case *World:
		c, err := componentIn[T](to, op)
		if err != nil {
			return err
		}
		return to.setEnabled(op, e, c, on)
	case *Commands:
		return recordEnabled[T](to, e, on)
	}
	return nil
}
