package ecs

import "sync/atomic"

// changeSummary has the versions of the last changes in 64 archetypes, side by side, so that filters can
// skip archetypes without reading them. A version here is never older than those of the archetype's
// columns and of its rows having come or gone. The owner writes, and so do jobs, several of them for the
// same archetype at the same time; therefore the stores are atomic. A filter reads after the jobs that
// write its components, because the access tracker orders them; for other components the value does not
// matter to it.
type changeSummary struct {
	newest   uint32 // the newest of versions
	versions [64]uint32
}

// raise records that archetype i of the 64 changed. It checks both places, because another job may so far
// have written only one of them.
func (s *changeSummary) raise(i int, version uint32) {
	raiseVersion(&s.versions[i], version)
	raiseVersion(&s.newest, version)
}

// raiseVersion replaces a version that is older by the given one. A version that is ahead by more than jobs can
// be is not newer: it is very old, and the counter has wrapped around.
func raiseVersion(at *uint32, version uint32) {
	for {
		old := atomic.LoadUint32(at)
		if old != 0 && old-version < 1<<30 || atomic.CompareAndSwapUint32(at, old, version) {
			return
		}
	}
}

// Change versions tell when something changed. The world's version grows with every update of a system. A
// chunk stores it for each component when it gives write access to the component, and for its rows when
// some come or go. Versions wrap around, so that only their difference says which one is newer.

// newerVersion returns the more recent of two versions.
func newerVersion(a, b uint32) uint32 {
	if int32(b-a) > 0 {
		return b
	}
	return a
}

// changedSince reports whether version v is more recent than required. It is true for a required version
// of 0, which belongs to an observer that has seen nothing yet.
func changedSince(v, required uint32) bool {
	return required == 0 || int32(v-required) > 0
}

// newerNonZero is newer for versions of which 0 means none.
func newerNonZero(a, b uint32) uint32 {
	if a == 0 || b == 0 {
		return a | b
	}
	return newerVersion(a, b)
}

// loadVersion reads a change version that jobs may be writing.
func loadVersion(at *uint32) uint32 { return atomic.LoadUint32(at) }

// shiftVersion adds shift to a version. 0 stays 0, because it means "never"; a sum that wraps to 0
// becomes 1.
func shiftVersion(v, shift uint32) uint32 {
	if v == 0 || shift == 0 {
		return v
	}
	if v += shift; v == 0 {
		return 1
	}
	return v
}
