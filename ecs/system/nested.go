package system

import (
	"fmt"
	"strings"

	"github.com/lanewise/lanewise/ecs"
)

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
