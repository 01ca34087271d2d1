package system

import (
	"fmt"
	"strings"

	"github.com/lanewise/lanewise/ecs"
)

// worldGiven reports, as an error, that a call was given no world.
func worldGiven(call string, w *ecs.World) error {
	if w != nil {
		return nil
	}
	return fmt.Errorf("system: %s: the world is nil; make one with NewWorld, and look at its error: %w", call, ecs.ErrArgument)
}

// PanicError is what becomes of a panic in a method of a system.
type PanicError struct {
	Method string // Create, Update, …
	Value  any    // what was passed to panic
	Stack  []byte // the stack of the panic
}

// Error shows the value; the stack is in Stack.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the panic's value where it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// CycleError says that systems cannot be put into an order because each of
// them is to come before the next, and the last before the first. It wraps
// [ecs.ErrState].
type CycleError struct {
	Group       string   // the group's full type name; empty for the order of creation
	Systems     []string // full type names, in the order of the circle
	Constraints []string // for each system, the attribute that puts it before the next
}

// Error lists the circle, one system a line, with the attribute where it
// belongs to other systems than the two that it orders.
func (e *CycleError) Error() string {
	var b strings.Builder
	if e.Group == "" {
		b.WriteString("system: order of creation: these systems are each to come before the next, in a circle:")
	} else {
		fmt.Fprintf(&b, "system: order of %s: these systems are each to come before the next, in a circle:", e.Group)
	}
	for i, s := range e.Systems {
		b.WriteString("\n- ")
		b.WriteString(s)
		if e.Constraints[i] != "" {
			fmt.Fprintf(&b, " (%s)", e.Constraints[i])
		}
	}
	return b.String()
}

// Unwrap returns [ecs.ErrState].
func (e *CycleError) Unwrap() error { return ecs.ErrState }

// nested is an error inside of one of this package: its text begins with what is said
// here, and neither the prefix nor the system is named again by the error itself.
type nested struct {
	said   string // without the prefix
	system string // that said names, if it does
	err    error
}

// Error returns the whole message.
func (e *nested) Error() string { return fmt.Sprintf("system: %s: %s", e.said, e.inner()) }

// inner is the text of the error inside.
func (e *nested) inner() string {
	switch err := e.err.(type) {
	case *ecs.Error:
		return without(err, e.system).Error()
	case *PanicError:
		if value, ok := err.Value.(*ecs.Error); ok {
			return "panic: " + without(value, e.system).Error()
		}
	}
	text := e.err.Error()
	if strings.Contains(text, "\n") {
		return text // a list, each line for itself
	}
	return strings.TrimPrefix(text, "system: ")
}

// without is an error of a world that does not name the system, nor does its cause.
func without(err *ecs.Error, system string) *ecs.Error {
	own := *err
	if own.System == system {
		own.System = ""
	}
	if cause, ok := own.Err.(*ecs.Error); ok {
		own.Err = without(cause, system)
	}
	return &own
}

// Unwrap returns the error inside.
func (e *nested) Unwrap() error { return e.err }
