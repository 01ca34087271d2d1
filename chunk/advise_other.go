//go:build !linux

package chunk

// Advise does nothing, because Advise asks only Linux for huge pages.
func Advise([]byte) {}
