package system

import (
	"fmt"
	"strings"

	"github.com/lanewise/lanewise/ecs"
)

// checkWorld returns an error if w is nil.
func checkWorld(call string, w *ecs.World) error {
	if w != nil {
		return nil
	}
	return fmt.Errorf("system: %s: the world is nil; make one with NewWorld, and look at its error: %w", call, ecs.ErrArgument)
}

// PanicError is the error for a panic in a method of a system.
type PanicError struct {
	Method string // for example Create or Update
	Value  any    // the argument of panic
	Stack  []byte // the stack at the panic
}

// Error returns the value of the panic as text, without the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the value of the panic if it is an error, and nil otherwise.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// CycleError reports a cycle of attributes. The list is a cycle: each system must come before the
// next system, and the last system must come before the first. A CycleError wraps [ecs.ErrState].
type CycleError struct {
	Group       string   // the full type name of the group; empty for the order of creation
	Systems     []string // full type names, in the order of the cycle
	Constraints []string // for each system, the attribute that orders it before the next one; empty if the attribute belongs to one of the two
}

// Error returns the cycle as text, with one system a line. If an attribute of a third system orders the
// two systems, the line contains that attribute.
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

// wrappedError adds a fact to an error of this package or of ecs. Its message begins with text. The
// message does not repeat the package prefix and the system's name if the inner error has them too.
type wrappedError struct {
	text   string // begins without the package prefix
	system string // the system that text contains; may be empty
	err    error
}

// Error returns the whole message.
func (e *wrappedError) Error() string { return fmt.Sprintf("system: %s: %s", e.text, e.innerText()) }

// innerText returns the text of the inner error, without the parts that e.text already contains.
func (e *wrappedError) innerText() string {
	switch err := e.err.(type) {
	case *ecs.Error:
		return withoutSystem(err, e.system).Error()
	case *PanicError:
		if value, ok := err.Value.(*ecs.Error); ok {
			return "panic: " + withoutSystem(value, e.system).Error()
		}
	}
	text := e.err.Error()
	if strings.Contains(text, "\n") {
		return text // the inner error is a list with one error a line
	}
	return strings.TrimPrefix(text, "system: ")
}

// withoutSystem removes the name of the system from err and from the causes of err.
func withoutSystem(err *ecs.Error, system string) *ecs.Error {
	own := *err
	if own.System == system {
		own.System = ""
	}
	if cause, ok := own.Err.(*ecs.Error); ok {
		own.Err = withoutSystem(cause, system)
	}
	return &own
}

// Unwrap returns the inner error.
func (e *wrappedError) Unwrap() error { return e.err }
