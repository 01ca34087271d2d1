//go:build !linux

package chunk

// Advise does nothing: only Linux is asked for huge pages.
func Advise([]byte) {}
