// Package panics marks errors that a package has created from panics. Packages ecs/snapshot and
// ecs/scene use it, because a panic in package snapshot makes a scene fail.
package panics

import (
	"errors"
	"fmt"

	"github.com/lanewise/lanewise/jobs"
)

// Error is the error for a panic. If the value of the panic is an error, errors.Is and errors.As find
// it.
type Error struct{ Value any }

// Error returns the value as text.
func (e *Error) Error() string { return fmt.Sprint(e.Value) }

// Unwrap returns the value if it is an error, and nil otherwise.
func (e *Error) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Is reports whether err is or wraps the error for a panic: an [Error], or a [jobs.PanicError].
func Is(err error) bool {
	_, is := errors.AsType[*Error](err)
	_, inJob := errors.AsType[*jobs.PanicError](err)
	return is || inJob
}
