// Package category holds the error categories of ecs and of the packages below it. Each of these
// packages exports the categories under its own names, so that errors.Is finds the same value in an
// error of any of these packages.
package category

import "errors"

// These are the categories. The comments of ecs.ErrArgument and its neighbors explain them.
var (
	ErrArgument = errors.New("invalid argument")
	ErrState    = errors.New("invalid operation in this state")
	ErrDisposed = errors.New("no longer valid")
	ErrRange    = errors.New("index out of range")
)
