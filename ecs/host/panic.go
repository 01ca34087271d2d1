package host

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// mostPanics is how many panics an error tells of, and have their stack.
const mostPanics = 8

// PanicError says that methods of objects have panicked. All others are copied as
// always, and these are asked again in the next update, until [Unbind] lets them
// go. It wraps the panics.
type PanicError struct {
	Panics []Panic // in the order in which they came
}

// Panic is what became of an object that was asked.
type Panic struct {
	Entity ecs.Entity
	Object any                // an Object or an Object64
	Err    *system.PanicError // has the method; the stack is kept of the first eight
}

// Error names the entities, and the types and methods of their objects.
func (e *PanicError) Error() string {
	var b strings.Builder
	b.WriteString("host: objects panicked, and are asked again in the next update:")
	for i, p := range e.Panics {
		if i == mostPanics {
			fmt.Fprintf(&b, " and %d more", len(e.Panics)-i)
			break
		}
		fmt.Fprintf(&b, " %s of the %T of entity %v: %v;", p.Err.Method, p.Object, p.Entity, p.Err)
	}
	return strings.TrimSuffix(b.String(), ";")
}

// Unwrap returns what the methods panicked with.
func (e *PanicError) Unwrap() []error {
	errs := make([]error, len(e.Panics))
	for i, p := range e.Panics {
		errs[i] = p.Err
	}
	return errs
}

// method is one of an object.
type method int

const (
	alive method = iota
	worldMatrix
	setWorldMatrix
)

var methods = [...]string{"Alive", "WorldMatrix", "SetWorldMatrix"}

// A rowCopier copies to or from the rows of a chunk, from the copier's row on, which it
// increments.
type rowCopier interface{ copyRows(c *ecs.Chunk) }

// copyChunk copies the rows of a chunk. If an object panics, it notes that, and goes on with the
// next row.
func (c *copier[T]) copyChunk(ch *ecs.Chunk, r rowCopier) {
	for c.row = 0; c.row < ch.Len(); c.row++ {
		c.copyRowsUntilPanic(ch, r)
	}
}

// copyRowsUntilPanic copies the rows of a chunk to the end, or to the first object that panics.
func (c *copier[T]) copyRowsUntilPanic(ch *ecs.Chunk, r rowCopier) {
	defer func() {
		if v := recover(); v != nil {
			c.notePanic(ch.Entities()[c.row], v)
		}
	}()
	r.copyRows(ch)
}

// notePanic notes that the object of e did when it was asked.
func (c *copier[T]) notePanic(e ecs.Entity, v any) {
	p := Panic{Entity: e, Err: &system.PanicError{Method: methods[c.asked], Value: v}}
	if b := c.bindings.bindingOf(e); b != nil {
		p.Object = b.object
	}
	if len(c.panics) < mostPanics {
		p.Err.Stack = debug.Stack()
	}
	c.panics = append(c.panics, p)
}

// setLate sets whether the objects that panicked in this update are to get their matrices late.
func (c *copier[T]) setLate(late bool) {
	for _, p := range c.panics {
		if b := c.bindings.bindingOf(p.Entity); b != nil {
			b.late = late
			c.bindings.late = c.bindings.late || late
		}
	}
}

// askAlive asks an object whether it is alive.
func (c *copier[T]) askAlive(b *binding[T]) bool {
	c.asked = alive
	return b.object.Alive()
}

// askGone asks the objects that were gone whether they are back.
func (c *copier[T]) askGone() {
	t := c.bindings
	still := t.lost[:0]
	for _, e := range t.lost {
		switch b := t.bindingOf(e); {
		case b == nil || !b.reported:
		case c.askBack(b):
			t.noteAlive(b)
		default:
			still = append(still, e)
		}
	}
	t.lost = still
}

// askBack asks an object that was gone whether it is back. If it panics, it notes that.
func (c *copier[T]) askBack(b *binding[T]) bool {
	defer func() {
		if v := recover(); v != nil {
			c.notePanic(b.entity, v)
		}
	}()
	return c.askAlive(b)
}
