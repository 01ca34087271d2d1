package soa

import "errors"

// What Lanes returns when a type cannot be split. The error that wraps one of
// these names the type, the path of the field, and the remedy.
var (
	// ErrPointer says that a part of the type holds a Go pointer: a pointer,
	// string, slice, map, channel, function or interface.
	ErrPointer = errors.New("lanes hold no Go pointers")

	// ErrWordSize says that a part of the type is an int, uint or uintptr,
	// which are not of one size on every CPU.
	ErrWordSize = errors.New("its size depends on the CPU")
)

// ErrView is what Bind wraps when a view does not fit the lanes: it is neither
// a struct of slices nor a slice, it names a lane that is not there, or an
// element is not of the lane's type.
var ErrView = errors.New("view does not match the lanes")
