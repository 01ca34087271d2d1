package chunk

import "math/bits"

// bitmap says which units of a region are in use. Units that the region does not
// have count as such.
type bitmap [maxUnits / 64]uint64

// maxUnits is the most units that a region has.
const maxUnits = 512

// newBitmap returns the bitmap of n free units.
func newBitmap(n int) (m bitmap) {
	m.set(n, maxUnits-n)
	return m
}

// set notes that n units are in use.
func (m *bitmap) set(at, n int) {
	for n > 0 {
		k := min(n, 64-at&63)
		m[at>>6] |= ^uint64(0) >> (64 - k) << (at & 63)
		at, n = at+k, n-k
	}
}

// clear notes that n units are free.
func (m *bitmap) clear(at, n int) {
	for n > 0 {
		k := min(n, 64-at&63)
		m[at>>6] &^= ^uint64(0) >> (64 - k) << (at & 63)
		at, n = at+k, n-k
	}
}

// inUse reports whether each of n units is in use.
func (m *bitmap) inUse(at, n int) bool {
	for n > 0 {
		k := min(n, 64-at&63)
		if mask := ^uint64(0) >> (64 - k) << (at & 63); m[at>>6]&mask != mask {
			return false
		}
		at, n = at+k, n-k
	}
	return true
}

// free counts the free units from one on up to the next that is in use.
func (m *bitmap) free(at int) int {
	first := at
	for at < maxUnits {
		if w := m[at>>6] >> (at & 63); w != 0 {
			return at + bits.TrailingZeros64(w) - first
		}
		at = at&^63 + 64
	}
	return maxUnits - first
}

// freeBelow counts the free units right below one.
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

// next returns the first free unit from one on, maxUnits if there is none.
func (m *bitmap) next(at int) int {
	for at < maxUnits {
		if w := ^m[at>>6] >> (at & 63); w != 0 {
			return at + bits.TrailingZeros64(w)
		}
		at = at&^63 + 64
	}
	return maxUnits
}

// find returns the first of n neighbouring free units, -1 if there are none, and how
// many free neighbours it has met at most.
func (m *bitmap) find(n int) (at, longest int) {
	for at = m.next(0); at < maxUnits; at = m.next(at) {
		k := m.free(at)
		if longest = max(longest, k); k >= n {
			return at, longest
		}
		at += k
	}
	return -1, longest
}
