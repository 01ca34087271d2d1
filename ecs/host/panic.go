package host

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// maxStacks limits the panics that an error has with their stacks.
const maxStacks = 8

// PanicError reports methods of objects that have panicked. All other objects were copied, and
// these are called again in the next update, until [Unbind] releases them. It wraps the panics.
type PanicError struct {
	Panics []Panic // in the order of their occurrence
}

// Panic is the panic of one object.
type Panic struct {
	Entity ecs.Entity
	Object any                // an Object or an Object64
	Err    *system.PanicError // names the method; only the first eight have a stack
}

// Error names the entities, and the types and methods of their objects.
func (e *PanicError) Error() string {
	var b strings.Builder
	b.WriteString("host: objects panicked, and are asked again in the next update:")
	for i, p := range e.Panics {
		if i == maxStacks {
			fmt.Fprintf(&b, " and %d more", len(e.Panics)-i)
			break
		}
		fmt.Fprintf(&b, " %s of the %T of entity %v: %v;", p.Err.Method, p.Object, p.Entity, p.Err)
	}
	return strings.TrimSuffix(b.String(), ";")
}

// Unwrap returns the panics as errors.
func (e *PanicError) Unwrap() []error {
	errs := make([]error, len(e.Panics))
	for i, p := range e.Panics {
		errs[i] = p.Err
	}
	return errs
}

// method is a method of an object.
type method int

const (
	aliveMethod method = iota
	worldMatrixMethod
	setWorldMatrixMethod
)

var methodNames = [...]string{"Alive", "WorldMatrix", "SetWorldMatrix"}

// rowCopier copies to or from the rows of a chunk, beginning with the copier's row, which it
// increments.
type rowCopier interface{ copyRows(c *ecs.Chunk) }

// copyChunk copies the rows of a chunk. If an object panics, it notes that and continues with the
// next row.
func (c *copier[T]) copyChunk(ch *ecs.Chunk, r rowCopier) {
	for c.currentRow = 0; c.currentRow < ch.Len(); c.currentRow++ {
		c.copyRowsUntilPanic(ch, r)
	}
}

// copyRowsUntilPanic copies the rows of a chunk to the end, or to the first object that panics.
func (c *copier[T]) copyRowsUntilPanic(ch *ecs.Chunk, r rowCopier) {
	defer func() {
		if v := recover(); v != nil {
			c.notePanic(ch.Entities()[c.currentRow], v)
		}
	}()
	r.copyRows(ch)
}

// notePanic notes that the object of e has panicked.
func (c *copier[T]) notePanic(e ecs.Entity, v any) {
	p := Panic{Entity: e, Err: &system.PanicError{Method: methodNames[c.calledMethod], Value: v}}
	if b := c.bindings.bindingOf(e); b != nil {
		p.Object = b.object
	}
	if len(c.panics) < maxStacks {
		p.Err.Stack = debug.Stack()
	}
	c.panics = append(c.panics, p)
}

// setNeedsMatrix notes whether the objects that panicked in this update still need their matrices.
func (c *copier[T]) setNeedsMatrix(late bool) {
	for _, p := range c.panics {
		if b := c.bindings.bindingOf(p.Entity); b != nil {
			b.needsMatrix = late
			c.bindings.anyNeedsMatrix = c.bindings.anyNeedsMatrix || late
		}
	}
}

// askAlive asks an object whether it is alive.
func (c *copier[T]) askAlive(b *binding[T]) bool {
	c.calledMethod = aliveMethod
	return b.object.Alive()
}

// recheckGone asks the objects that were gone whether they are back.
func (c *copier[T]) recheckGone() {
	t := c.bindings
	still := t.goneEntities[:0]
	for _, e := range t.goneEntities {
		switch b := t.bindingOf(e); {
		case b == nil || !b.reportedGone:
		case c.recheckObject(b):
			t.noteAlive(b)
		default:
			still = append(still, e)
		}
	}
	t.goneEntities = still
}

// recheckObject asks an object that was gone whether it is back. It notes a panic.
func (c *copier[T]) recheckObject(b *binding[T]) bool {
	defer func() {
		if v := recover(); v != nil {
			c.notePanic(b.entity, v)
		}
	}()
	return c.askAlive(b)
}
