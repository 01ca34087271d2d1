//go:build !linux

package chunk

// Advise does nothing here, because it asks for huge pages only on Linux.
func Advise([]byte) {}
