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
