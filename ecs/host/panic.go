package host

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// shown is how many panics an error tells of, and have their stack.
const shown = 8

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
		if i == shown {
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

// rower copies to or from the rows of a chunk, from the copier's row on, which it
// sets to each in turn.
type rower interface{ rows(c *ecs.Chunk) }

// each copies the rows of a chunk. If an object panics, that is noted, and the
// next row is next.
func (c *copier[T]) each(ch *ecs.Chunk, r rower) {
	for c.row = 0; c.row < ch.Len(); c.row++ {
		c.some(ch, r)
	}
}

// some copies the rows of a chunk to the end or the first that panics.
func (c *copier[T]) some(ch *ecs.Chunk, r rower) {
	defer func() {
		if v := recover(); v != nil {
			c.panicked(ch.Entities()[c.row], v)
		}
	}()
	r.rows(ch)
}

// panicked notes that the object of e did when it was asked.
func (c *copier[T]) panicked(e ecs.Entity, v any) {
	p := Panic{Entity: e, Err: &system.PanicError{Method: methods[c.asked], Value: v}}
	if b := c.table.find(e); b != nil {
		p.Object = b.object
	}
	if len(c.panics) < shown {
		p.Err.Stack = debug.Stack()
	}
	c.panics = append(c.panics, p)
}

// delay says whether the objects that panicked in this update are to be told
// where they are.
func (c *copier[T]) delay(late bool) {
	for _, p := range c.panics {
		if b := c.table.find(p.Entity); b != nil {
			b.late = late
			c.table.late = c.table.late || late
		}
	}
}

// alive asks the object.
func (c *copier[T]) alive(b *binding[T]) bool {
	c.asked = alive
	return b.object.Alive()
}

// recall looks which of the objects that were gone are back.
func (c *copier[T]) recall() {
	t := c.table
	still := t.lost[:0]
	for _, e := range t.lost {
		switch b := t.find(e); {
		case b == nil || !b.reported:
		case c.back(b):
			t.revive(b)
		default:
			still = append(still, e)
		}
	}
	t.lost = still
}

// back asks an object that was gone. If it panics, that is noted.
func (c *copier[T]) back(b *binding[T]) bool {
	defer func() {
		if v := recover(); v != nil {
			c.panicked(b.entity, v)
		}
	}()
	return c.alive(b)
}
