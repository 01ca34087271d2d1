//go:build !linux

package park

// NewFutex returns the Parker of NewChan, because there is no futex call here.
func NewFutex() Parker { return NewChan() }
