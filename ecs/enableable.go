package ecs

import (
	"reflect"
)

// setEnabledMatching turns a component on or off for all rows of the chunks that q matches.
func (w *World) setEnabledMatching(op string, q *Query, c *component, on bool) error {
	if err := w.checkOwnQuery(op, q); err != nil {
		return err
	}
	if !c.kind.has(isEnableable) {
		return w.gate.fault(ErrArgument, op, notEnableable).forComponent(c)
	}
	if err := w.awaitComponent(op, c, true); err != nil {
		return err
	}
	q.world.awaitFilters(op, &q.queryMatcher)
	if err := w.checkMatchesHave(op, q, c); err != nil {
		return err
	}
	for _, m := range q.matches {
		if !m.arch.has(c) {
			continue
		}
		i := m.arch.findColumn(c.key)
		for _, r := range m.candidateChunks(&w.tables) {
			if !m.chunkPasses(r, q.since) {
				continue
			}
			if s := &r.enabledBits[m.arch.columns[i].enabledIndex]; on {
				s.turnOn(0, r.count)
			} else {
				s.turnOff(0, r.count)
			}
			r.mark(i, w.gate.changeVersion)
		}
	}
	return nil
}

const notEnableable = "the component has no switch: embed ecs.Enableable"

// setEnabled turns a component of e on or off.
func (w *World) setEnabled(op string, e Entity, c *component, on bool) error {
	r, i, row, err := w.enableableOf(op, e, c)
	if err != nil {
		return err
	}
	if w.gate.mayBeConcurrent() {
		if err := w.awaitComponent(op, c, true); err != nil {
			return err
		}
	}
	r.mark(i, w.gate.changeVersion)
	r.enabledBits[r.arch.columns[i].enabledIndex].set(row, on)
	return nil
}

// enableableOf finds an enableable component of e: it returns the chunk, the column and the row.
func (w *World) enableableOf(op string, e Entity, c *component) (r *chunkData, column, row int, err error) {
	if !c.kind.has(isEnableable) {
		return nil, 0, 0, w.gate.fault(ErrArgument, op, notEnableable).forEntity(e).forComponent(c)
	}
	s := w.tables.entities.find(e)
	if s == nil {
		return nil, 0, 0, w.entityError(op, e)
	}
	r = w.tables.chunks[s.chunk]
	i := r.arch.findColumn(c.key)
	if i < 0 {
		return nil, 0, 0, w.gate.fault(ErrArgument, op, "the entity has no such component, it has %v: use Add", r.arch).forEntity(e).forComponent(c)
	}
	return r, i, int(s.row), nil
}

// EnabledAt reports whether the component T of a row is on. The query must ask to Read or Write T,
// directly or in Optional. EnabledAt panics with an *Error if the query does not ask for T, if T
// is not enableable, or if row is not in [0, Len). A loop over all rows is faster with [Chunk.EnabledBits].
func EnabledAt[T any](c *Chunk, row int) bool {
	const op = "EnabledAt"
	b := c.enableableBinding(op, (*T)(nil), row)
	r, row := c.locateRow(row)
	return r.enabledBits[r.arch.columns[b.column].enabledIndex].isOn(row)
}

// SetEnabledAt turns the component T of a row on or off, and marks T as changed in the chunk.
// Until the query shows the chunk again, c keeps its old set of matching rows. The query must ask
// to Write T. SetEnabledAt panics with an *Error as [EnabledAt] does.
func SetEnabledAt[T any](c *Chunk, row int, on bool) {
	const op = "SetEnabledAt"
	b := c.enableableBinding(op, (*T)(nil), row)
	if !b.write {
		panic(c.missingError(reflect.TypeFor[T](), op, "the query only reads it: ask for it with Write"))
	}
	r, row := c.locateRow(row)
	r.mark(int(b.column), c.changeVersion)
	r.enabledBits[r.arch.columns[b.column].enabledIndex].set(row, on)
}

// enableableBinding returns the binding of the enableable component type of *p. enableableBinding
// panics if the query did not ask for that component, or if the row does not exist.
func (c *cursor) enableableBinding(op string, p any, row int) *columnBinding {
	b := c.bindingOf(op, p)
	switch {
	case !b.comp.kind.has(isEnableable):
		panic(c.world.gate.fault(ErrArgument, op, notEnableable).forComponent(b.comp))
	case uint(row) >= uint(c.count):
		panic(c.world.gate.fault(ErrRange, op, "row %d of %d", row, c.count).forComponent(b.comp))
	}
	return b
}

// Enabled reports whether e has a T that is on. Enabled panics with an *Error if T is not
// enableable.
func (l *Lookup[T]) Enabled(e Entity) bool {
	const op = "Lookup.Enabled"
	l.mustBeEnableable(op)
	r, i, row := l.findRow(op, e)
	return r != nil && r.enabledBits[r.arch.columns[i].enabledIndex].isOn(row)
}

// SetEnabled turns the component T of e on or off, and reports whether e has one. It marks T as
// changed in the entity's chunk. Several workers may call it at the same time for entities of one
// chunk, but not for the same entity.
func (l *Lookup[T]) SetEnabled(e Entity, on bool) bool {
	const op = "Lookup.SetEnabled"
	l.mustBeEnableable(op)
	l.mustBeWritable(op)
	r, i, row := l.findRow(op, e)
	if r == nil {
		return false
	}
	r.mark(i, l.writeVersion())
	r.enabledBits[r.arch.columns[i].enabledIndex].set(row, on)
	return true
}

func (l *Lookup[T]) mustBeEnableable(op string) {
	if !l.comp.kind.has(isEnableable) {
		panic(l.world.gate.fault(ErrArgument, op, notEnableable).forComponent(l.comp))
	}
}

// Enabled reports whether the component T of e is on. T must embed [Enableable]. When e gets a T,
// the T is on. The error is of category ErrArgument if e does not exist or has no T, or if T is not
// enableable. Enabled first completes jobs that write T.
func Enabled[T any](w *World, e Entity) (bool, error) {
	const op = "Enabled"
	c, err := componentIn[T](w, op)
	if err != nil {
		return false, err
	}
	r, i, row, err := w.enableableOf(op, e, c)
	if err != nil {
		return false, err
	}
	if w.gate.jobs.jobsPending {
		if err := w.awaitComponent(op, c, false); err != nil {
			return false, err
		}
	}
	return r.enabledBits[r.arch.columns[i].enabledIndex].isOn(row), nil
}

// SetEnabled turns the component T of e on or off. SetEnabled is not a structural change: no row
// moves, and e keeps T and its value. But queries that ask for T do not match e while T is off.
// SetEnabled marks T as changed, and first completes jobs that access T. The errors are the same as
// for [Enabled]. With a Commands buffer, playback returns them.
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
