package blob

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs/internal/category"
)

// The categories of errors, for errors.Is. Those of package ecs are the same: what is a blob.ErrState is an
// ecs.ErrState.
var (
	// ErrArgument says that an argument can never be right: a type that cannot be in a blob, wrong bytes, the zero Ref.
	ErrArgument = category.ErrArgument

	// ErrState says that the call is right, but not now, or not there: an array that was copied out of its blob, a
	// builder after its end.
	ErrState = category.ErrState

	// ErrDisposed says that the blob was disposed.
	ErrDisposed = category.ErrDisposed

	// ErrRange says that an index is out of range.
	ErrRange = category.ErrRange
)

// failure is what everything here returns or panics with.
type failure struct {
	category error
	op, text string // the function; what is wrong, and the remedy
	cause    error  // if there is one
}

// fault makes an error of op.
func fault(category error, op, text string, args ...any) *failure {
	return &failure{category: category, op: op, text: fmt.Sprintf(text, args...)}
}

// because gives an error its cause.
func (f *failure) because(err error) *failure { f.cause = err; return f }

// Error returns the whole message on one line.
func (f *failure) Error() string {
	if f.cause == nil {
		return fmt.Sprintf("blob: %s: %s", f.op, f.text)
	}
	return fmt.Sprintf("blob: %s: %s: %v", f.op, f.text, f.cause)
}

// Unwrap returns the category and the cause.
func (f *failure) Unwrap() []error {
	if f.cause == nil {
		return []error{f.category}
	}
	return []error{f.category, f.cause}
}
