package kernels

import "errors"

// ErrPath is returned when a path is asked for that this CPU or this build does
// not have.
var ErrPath = errors.New("no such path here")
