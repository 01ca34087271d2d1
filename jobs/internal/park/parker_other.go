//go:build !linux

package park

// NewFutex makes a Parker that sleeps in a futex call of Linux; here it is that of
// NewChan.
func NewFutex() Parker { return NewChan() }
