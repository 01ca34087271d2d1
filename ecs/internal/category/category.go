// Package category holds the error categories of ecs and of the packages below it. Each of these
// packages exports the same values under its own names. So errors.Is with a category of one
// package also recognizes errors of the other packages.
package category

import "errors"

// These are the categories. The comments of ecs.ErrArgument and its neighbors explain these
// categories.
var (
	ErrArgument = errors.New("invalid argument")
	ErrState    = errors.New("invalid operation in this state")
	ErrDisposed = errors.New("no longer valid")
	ErrRange    = errors.New("index out of range")
)
