package ecs

import "sync/atomic"

// changeSummary holds the versions of the last changes in 64 archetypes, next to each other, so that
// filters can skip archetypes without reading them. For each archetype, this version is never older
// than the versions of its columns, and never older than the version at which a row was last added or
// removed. The owner writes these versions, and so do jobs. Several jobs may write for the same
// archetype at the same time, so the stores are atomic. A filter reads them after the jobs that write
// the filter's components, because the access tracker orders these. Changes of other components do not
// matter to the filter.
type changeSummary struct {
	newest   uint32 // the newest of versions
	versions [64]uint32
}

// raise records that archetype i of the 64 has changed. It checks both versions, because another job
// may have written only one of them so far.
func (s *changeSummary) raise(i int, version uint32) {
	raiseVersion(&s.versions[i], version)
	raiseVersion(&s.newest, version)
}

// raiseVersion replaces the version to which at points, if it is older than the given version. If a version
// is ahead by more than jobs can cause, it is not newer. It is very old, and the counter has wrapped around.
func raiseVersion(at *uint32, version uint32) {
	for {
		old := atomic.LoadUint32(at)
		if old != 0 && old-version < 1<<30 || atomic.CompareAndSwapUint32(at, old, version) {
			return
		}
	}
}

// Change versions tell when something changed. The world's version grows with every update of a system.
// When a chunk gives write access to a component, it stores the world's version for that component. When
// rows of the chunk come or go, it stores the version for its rows. Versions wrap around, so only the
// difference of two versions says which one is newer.

// newerVersion returns the more recent of two versions.
func newerVersion(a, b uint32) uint32 {
	if int32(b-a) > 0 {
		return b
	}
	return a
}

// changedSince reports whether version v is newer than required. If required is 0, it returns true,
// because 0 belongs to an observer that has seen nothing yet.
func changedSince(v, required uint32) bool {
	return required == 0 || int32(v-required) > 0
}

// newerNonZero does the work of newerVersion for versions where 0 means that there is no version.
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
