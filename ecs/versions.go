package ecs

import "sync/atomic"

// changeSummary is when something in each of 64 archetypes changed last, side by side, so that
// filters pass over archetypes without a look at them. What is noted is no older than
// any version of their columns, or of their rows having come or gone. The owner notes, and jobs
// that write, which may do so for the same archetype at a time, hence the atomic stores. Filters read:
// behind the jobs that write what they ask for, by the order of the tracker, or they do not mind.
type changeSummary struct {
	any uint32 // the newest of own
	own [64]uint32
}

// note notes that archetype i of the 64 changed. Both places are looked at, whatever the
// other one says: another job may have written only one of them yet.
func (s *changeSummary) note(i int, version uint32) {
	renew(&s.own[i], version)
	renew(&s.any, version)
}

// renew makes a version that is older the given one. One that is ahead by more than jobs
// can be is not new, but very old.
func renew(at *uint32, version uint32) {
	for {
		old := atomic.LoadUint32(at)
		if old != 0 && old-version < 1<<30 || atomic.CompareAndSwapUint32(at, old, version) {
			return
		}
	}
}

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

// shifted moves a version on.
func shifted(v, shift uint32) uint32 {
	if v == 0 || shift == 0 {
		return v
	}
	if v += shift; v == 0 {
		return 1
	}
	return v
}
