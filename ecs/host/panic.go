package host

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// maxStacks is the largest number of panics whose stacks an error includes.
const maxStacks = 8

// PanicError reports objects whose methods have panicked. All other objects were copied. The
// objects that panicked are called again in the next update, until [Unbind] releases them. A
// PanicError wraps the panics.
type PanicError struct {
	Panics []Panic // in the order in which they occurred
}

// Panic is the panic of one object.
type Panic struct {
	Entity ecs.Entity
	Object any                // an Object or an Object64
	Err    *system.PanicError // contains the name of the method; only the first eight panics have a stack
}

// Error returns a text that names the entities, and the types and methods of their objects.
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

// method identifies a method of ObjectOf.
type method int

const (
	aliveMethod method = iota
	worldMatrixMethod
	setWorldMatrixMethod
)

var methodNames = [...]string{"Alive", "WorldMatrix", "SetWorldMatrix"}

// rowCopier copies matrices to or from the rows of a chunk. It begins at the copier's currentRow,
// and increments currentRow after each row.
type rowCopier interface{ copyRows(c *ecs.Chunk) }

// copyChunk copies the rows of a chunk. If an object panics, copyChunk records the panic and
// continues with the next row.
func (c *copier[T]) copyChunk(ch *ecs.Chunk, r rowCopier) {
	for c.currentRow = 0; c.currentRow < ch.Len(); c.currentRow++ {
		c.copyRowsUntilPanic(ch, r)
	}
}

// copyRowsUntilPanic copies the rows of a chunk until the end, or until an object panics.
func (c *copier[T]) copyRowsUntilPanic(ch *ecs.Chunk, r rowCopier) {
	defer func() {
		if v := recover(); v != nil {
			c.notePanic(ch.Entities()[c.currentRow], v)
		}
	}()
	r.copyRows(ch)
}

// notePanic records that the object of e has panicked.
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

// setNeedsMatrix records whether the objects that panicked in this update still need their
// matrices.
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

// recheckGone asks the objects that were not alive whether they are alive again.
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

// recheckObject asks an object that was not alive whether it is alive again. It records a panic.
func (c *copier[T]) recheckObject(b *binding[T]) bool {
	defer func() {
		if v := recover(); v != nil {
			c.notePanic(b.entity, v)
		}
	}()
	return c.askAlive(b)
}
