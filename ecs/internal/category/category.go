// Package category has what errors of ecs and of the packages below it are about. Each of these packages
// exports them under names of its own, so that errors.Is finds one and the same wherever an error comes from.
package category

import "errors"

// The categories, as ecs.ErrArgument and its neighbours explain them.
var (
	ErrArgument = errors.New("invalid argument")
	ErrState    = errors.New("invalid operation in this state")
	ErrDisposed = errors.New("no longer valid")
	ErrRange    = errors.New("index out of range")
)
