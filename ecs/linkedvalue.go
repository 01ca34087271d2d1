package ecs

// AddLinked gives those in the [LinkedGroup] of e that mask matches, if filters and
// what is on or off are ignored, the component v, or overwrites those they have.
// Without a group it does nothing. The error is of category ErrArgument if e does
// not exist; a Commands buffer finds that out, and asks mask, at playback.
func AddLinked[T any, D Editor](to D, e Entity, mask *Query, v T) error {
	const op = "AddLinked"
	switch to := any(to).(type) {
	case *World:
		if err := to.own(op, mask); err != nil {
			return err
		}
		ids, err := to.linkedOf(op, e, mask, nil, nil)
		if err != nil {
			return err
		}
		return addAllNow(op, to, ids, &v)
	case *Commands:
		if err := to.target(op, e); err != nil {
			return err
		}
		if err := to.query(op, mask); err != nil {
			return err
		}
		cmd, err := commandOf(to, opAddLinked, &v)
		if err != nil {
			return err
		}
		cmd.entity = e
		return to.recordMatching(op, mask, cmd)
	}
	return nil
}

// SetLinked gives those in the [LinkedGroup] of e that have a T the value v. Without
// a group it does nothing. Errors are those of [AddLinked].
func SetLinked[T any, D Editor](to D, e Entity, v T) error {
	const op = "SetLinked"
	switch to := any(to).(type) {
	case *World:
		c, err := componentIn[T](to, op)
		if err != nil {
			return err
		}
		ids, err := to.linkedOf(op, e, nil, c, nil)
		if err != nil {
			return err
		}
		return addAllNow(op, to, ids, &v)
	case *Commands:
		return recordValue(to, opSetLinked, e, &v)
	}
	return nil
}

// playLinked gives some of a group the value of a command.
func (w player) playLinked(c *Commands, cmd *command, e Entity) (err error) {
	const op = "Playback"
	comp := c.comp(cmd.comp)
	var mask *Query
	with := comp
	if cmd.op == opAddLinked {
		mask, with = c.queries[cmd.many], nil
		if err := w.own(op, mask); err != nil {
			return err
		}
	}
	if c.meant, err = w.linkedOf(op, e, mask, with, c.meant[:0]); err != nil {
		return err
	}
	return w.playAddAll(c, cmd, c.meant, nil)
}
