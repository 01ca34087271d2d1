//go:build !linux

package jobs

// Futex makes idle workers sleep in a Linux futex call instead of on a Go
// channel; here it changes nothing.
func Futex() Option { return func(*Pool) {} }
