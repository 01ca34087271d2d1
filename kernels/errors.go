package kernels

import "errors"

// ErrPath is returned for a path that this CPU or this build does not have.
var ErrPath = errors.New("no such path here")
