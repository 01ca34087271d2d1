//go:build !linux

package chunk

// Advise does nothing, because only Linux is asked for huge pages.
func Advise([]byte) {}
