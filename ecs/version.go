package ecs

import "sync/atomic"

// Versions say when something changed. The world's version grows with every
// update of a system; a chunk notes it for each component when write access to
// the component is given, and for its rows when some come or go. Versions wrap
// around, so they are compared by difference.

// newer returns the more recent of two versions.
func newer(a, b uint32) uint32 {
	if int32(b-a) > 0 {
		return b
	}
	return a
}

// changedSince reports whether version v is more recent than required. A
// required version of 0 is that of one that has seen nothing: everything has
// changed.
func changedSince(v, required uint32) bool {
	return required == 0 || int32(v-required) > 0
}

// newest is newer for versions of which 0 is that of nothing.
func newest(a, b uint32) uint32 {
	if a == 0 || b == 0 {
		return a | b
	}
	return newer(a, b)
}

// loadVersion reads a change version that jobs may be writing.
func loadVersion(at *uint32) uint32 { return atomic.LoadUint32(at) }
