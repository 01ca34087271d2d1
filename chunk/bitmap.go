package chunk

import "math/bits"

// bitmap has one bit for each unit of a region. A bit is set while its unit is in use. The bits
// past the last unit are set too, so that no search takes them for free units.
type bitmap [maxUnits / 64]uint64

// maxUnits is the largest number of units of a region.
const maxUnits = 512

// newBitmap returns the bitmap of n free units.
func newBitmap(n int) (m bitmap) {
	m.markUsed(n, maxUnits-n)
	return m
}

// markUsed marks n units as used, beginning with unit at.
func (m *bitmap) markUsed(at, n int) {
	for n > 0 {
		k := min(n, 64-at&63)
		m[at>>6] |= ^uint64(0) >> (64 - k) << (at & 63)
		at, n = at+k, n-k
	}
}

// markFree marks n units as free, beginning with unit at.
func (m *bitmap) markFree(at, n int) {
	for n > 0 {
		k := min(n, 64-at&63)
		m[at>>6] &^= ^uint64(0) >> (64 - k) << (at & 63)
		at, n = at+k, n-k
	}
}

// allUsed reports whether n units are all in use, beginning with unit at.
func (m *bitmap) allUsed(at, n int) bool {
	for n > 0 {
		k := min(n, 64-at&63)
		if mask := ^uint64(0) >> (64 - k) << (at & 63); m[at>>6]&mask != mask {
			return false
		}
		at, n = at+k, n-k
	}
	return true
}

// freeFrom returns the number of adjacent free units that begin with unit at.
func (m *bitmap) freeFrom(at int) int {
	first := at
	for at < maxUnits {
		if w := m[at>>6] >> (at & 63); w != 0 {
			return at + bits.TrailingZeros64(w) - first
		}
		at = at&^63 + 64
	}
	return maxUnits - first
}

// freeBelow returns the number of adjacent free units that end before unit at.
func (m *bitmap) freeBelow(at int) int {
	end := at
	for at > 0 {
		w := m[(at-1)>>6] << (63 - (at-1)&63)
		if w != 0 {
			return end - at + bits.LeadingZeros64(w)
		}
		at = (at - 1) &^ 63
	}
	return end
}

// nextFree returns the first free unit that is not below at, or maxUnits if there
// is none.
func (m *bitmap) nextFree(at int) int {
	for at < maxUnits {
		if w := ^m[at>>6] >> (at & 63); w != 0 {
			return at + bits.TrailingZeros64(w)
		}
		at = at&^63 + 64
	}
	return maxUnits
}

// findRun returns the first run of n adjacent free units, and the length of the longest run before
// it. If there is no such run, it returns -1 and the length of the longest run of all.
func (m *bitmap) findRun(n int) (at, longest int) {
	for at = m.nextFree(0); at < maxUnits; at = m.nextFree(at) {
		k := m.freeFrom(at)
		if longest = max(longest, k); k >= n {
			return at, longest
		}
		at += k
	}
	return -1, longest
}
