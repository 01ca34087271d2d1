package ecs

import (
	"math/bits"
	"reflect"
	"slices"
)

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
func SetEnabled[T any, D Editor](to D, e Entity, on bool) error {
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

// SetEnabledMatching turns the T of all rows of the chunks that q matches on or
// off, those included whose bits q does not match; filters by change and shared
// value are heeded. It first completes jobs that touch T, or write what q looks at
// for changes. The error is of category ErrArgument, and nothing is
// changed, if T is not enableable or one of the chunks has none. A Commands buffer
// asks q, and finds that out, at playback.
func SetEnabledMatching[T any, D Editor](to D, q *Query, on bool) error {
	const op = "SetEnabledMatching"
	switch to := any(to).(type) {
	case *World:
		c, err := componentIn[T](to, op)
		if err != nil {
			return err
		}
		return to.setEnabledMatching(op, q, c, on)
	case *Commands:
		if err := to.query(op, q); err != nil {
			return err
		}
		c, err := to.component(op, keyOf[T](), reflect.TypeFor[T]())
		if err != nil {
			return err
		}
		cmd := command{op: opSetEnabledMatching, comp: int32(c.index)}
		if on {
			cmd.n = 1
		}
		return to.recordMatching(op, q, cmd)
	}
	return nil
}

// setEnabledMatching turns a component of all rows of chunks on or off.
func (w *World) setEnabledMatching(op string, q *Query, c *component, on bool) error {
	if err := w.own(op, q); err != nil {
		return err
	}
	if !c.kind.has(isEnableable) {
		return w.fault(ErrArgument, op, notEnableable).on(c)
	}
	if err := w.await(op, c, true); err != nil {
		return err
	}
	q.completeFilters(op)
	for _, m := range q.matches {
		if m.arch.has(c) {
			continue
		}
		if slices.ContainsFunc(m.look(w), func(r *record) bool { return m.passes(r, q.since) }) {
			return w.fault(ErrArgument, op, "the query matches %v, which lacks the component: add With to its terms", m.arch).on(c)
		}
	}
	for _, m := range q.matches {
		if !m.arch.has(c) {
			continue
		}
		i := m.arch.find(c.key)
		for _, r := range m.look(w) {
			if !m.passes(r, q.since) {
				continue
			}
			if s := &r.switches[m.arch.columns[i].bit]; on {
				s.fill(0, r.n)
			} else {
				s.clear(0, r.n)
			}
			r.mark(i, w.version)
		}
	}
	return nil
}

const notEnableable = "the component has no switch: embed ecs.Enableable"

// setEnabled turns a component of e on or off.
func (w *World) setEnabled(op string, e Entity, c *component, on bool) error {
	r, i, row, err := w.switchOf(op, e, c)
	if err != nil {
		return err
	}
	if w.guarded() {
		if err := w.await(op, c, true); err != nil {
			return err
		}
	}
	r.mark(i, w.version)
	r.switches[r.arch.columns[i].bit].set(row, on)
	return nil
}

// switchOf returns the chunk, the column and the row of an enableable component
// of e.
func (w *World) switchOf(op string, e Entity, c *component) (r *record, column, row int, err error) {
	if !c.kind.has(isEnableable) {
		return nil, 0, 0, w.fault(ErrArgument, op, notEnableable).of(e).on(c)
	}
	s := w.entities.find(e)
	if s == nil {
		return nil, 0, 0, w.lost(op, e)
	}
	r = w.records[s.record]
	i := r.arch.find(c.key)
	if i < 0 {
		return nil, 0, 0, w.fault(ErrArgument, op, "the entity has no such component, it has %v: use Add", r.arch).of(e).on(c)
	}
	return r, i, int(s.row), nil
}

// Mask returns the rows that match as bits, row i in bit i%64 of word i/64, as
// masks of kernels are. Bits behind the last row are 0. It is good until the
// loop or the job goes on to the next chunk.
func (c *Chunk) Mask() []uint64 {
	c.check("Chunk.Mask")
	if c.mask != nil {
		return c.mask
	}
	mask := c.scratch()[:wordsFor(c.n)]
	for i := range mask {
		mask[i] = lowBits(min(64, c.n-64*i))
	}
	return mask
}

// Matching returns how many rows match: Len, if all do.
func (c *Chunk) Matching() int {
	if c.mask == nil {
		if c.n < 0 {
			c.stale("Chunk.Matching")
		}
		return c.n
	}
	n := 0
	for _, v := range c.mask {
		n += bits.OnesCount64(v)
	}
	return n
}

// scratch returns room for the bits of all rows.
func (c *Chunk) scratch() []uint64 {
	if c.bits == nil {
		c.bits = make([]uint64, maskWords)
	}
	return c.bits
}

// sift finds the rows that match and reports whether there are any.
func (c *Chunk) sift(m *match) bool {
	mask, n := m.rows.rows(c.rec, c.scratch())
	c.mask = mask
	return n > 0
}

// maskedRows yields the rows of the mask.
func (c *Chunk) maskedRows(yield func(int) bool) {
	for i, v := range c.mask {
		for ; v != 0; v &= v - 1 {
			if !yield(i<<6 + bits.TrailingZeros64(v)) {
				return
			}
		}
	}
}

// maskedRuns yields the runs of rows of the mask.
func (c *Chunk) maskedRuns(yield func(int, int) bool) {
	for lo, hi := nextRun(c.mask, 0, c.n); lo < c.n; lo, hi = nextRun(c.mask, hi, c.n) {
		if !yield(lo, hi) {
			return
		}
	}
}

// EnabledAt reports whether the T of a row is on. The query must ask to Read or
// Write T, by itself or in Optional. It panics with an *Error if it does not, T
// is not enableable, or there is no such row.
func EnabledAt[T any](c *Chunk, row int) bool {
	const op = "EnabledAt"
	b := c.switchBind(op, (*T)(nil), row)
	return c.rec.switches[c.rec.arch.columns[b.column].bit].on(c.first + row)
}

// SetEnabledAt turns the T of a row on or off, and marks T as changed in the
// chunk. The rows that match stay those that matched when the chunk was shown.
// The query must ask to Write T; it panics with an *Error as [EnabledAt] does.
func SetEnabledAt[T any](c *Chunk, row int, on bool) {
	const op = "SetEnabledAt"
	b := c.switchBind(op, (*T)(nil), row)
	if !b.write {
		panic(c.missing(reflect.TypeFor[T](), op, "the query only reads it: ask for it with Write"))
	}
	c.rec.mark(int(b.column), c.version)
	c.rec.switches[c.rec.arch.columns[b.column].bit].set(c.first+row, on)
}

// EnabledBits returns which rows have a T that is on, as [Chunk.Mask] does,
// whatever the query matches. They must not be written: use [SetEnabledAt].
func EnabledBits[T any](c *Chunk) []uint64 {
	b := c.switchBind("EnabledBits", (*T)(nil), 0)
	s := &c.rec.switches[c.rec.arch.columns[b.column].bit]
	if c.first == 0 && c.n == c.rec.n {
		return s.words[:wordsFor(c.n)]
	}
	own := switches{words: make([]uint64, wordsFor(c.n))} // new rows in an old chunk
	own.copy(0, s, c.first, c.n)
	return own.words
}

// switchBind returns the enableable component that p points to among the chunk's
// columns.
func (c *Chunk) switchBind(op string, p any, row int) *bind {
	b := c.bind(op, p)
	switch {
	case !b.comp.kind.has(isEnableable):
		panic(c.world.fault(ErrArgument, op, notEnableable).on(b.comp))
	case uint(row) >= uint(c.n):
		panic(c.world.fault(ErrRange, op, "row %d of %d", row, c.n).on(b.comp))
	}
	return b
}

// Enabled reports whether e has a T and it is on.
func (l *Lookup[T]) Enabled(e Entity) bool {
	const op = "Lookup.Enabled"
	l.mustSwitch(op)
	r, c, row := l.find(op, e)
	return r != nil && r.switches[r.arch.columns[c.column].bit].on(row)
}

// SetEnabled turns the T of e on or off, and reports whether e has one. It marks
// T as changed in e's chunk. Workers may do that to one chunk at a time, but not
// to one entity.
func (l *Lookup[T]) SetEnabled(e Entity, on bool) bool {
	const op = "Lookup.SetEnabled"
	l.mustSwitch(op)
	l.mustWrite(op)
	r, c, row := l.find(op, e)
	if r == nil {
		return false
	}
	l.touch(r, c)
	r.switches[r.arch.columns[c.column].bit].set(row, on)
	return true
}

func (l *Lookup[T]) mustSwitch(op string) {
	if !l.comp.kind.has(isEnableable) {
		panic(l.world.fault(ErrArgument, op, notEnableable).on(l.comp))
	}
}
