package order

// merging is what the blocks of a merge work on.
type merging[K Key, V any] struct {
	keys, a, b           []K
	values, aVals, bVals []V
	parts                int
	cuts                 [mostParts + 1]int // how many of a come before each block
	body                 func(lo, hi int)
}

// Merge sets keys to those of a and b, which are sorted, in order, and values to
// theirs: of equal keys those of a come first, and each side keeps its order. All
// values are nil if there are none.
//
// Shape: len(keys) == len(a)+len(b); each has as many values as keys.
// Alias: keys and values must not overlap what is merged.
// It panics if the lengths do not fit, or if there are more than 2^31-1 rows. If a or
// b is not sorted, neither is the result: the same rows in some order, one that does
// not depend on the pool.
func (s *Sorter[K, V]) Merge(keys []K, values []V, a []K, aValues []V, b []K, bValues []V) {
	fits("Sorter.Merge", int64(len(keys)))
	equal("Sorter.Merge", "keys", len(keys), "a)+len(b", len(a)+len(b))
	if values != nil || aValues != nil || bValues != nil {
		equal("Sorter.Merge", "values", len(values), "keys", len(keys))
		equal("Sorter.Merge", "aValues", len(aValues), "a", len(a))
		equal("Sorter.Merge", "bValues", len(bValues), "b", len(b))
	}
	m := &s.merge
	if m.body == nil {
		m.body = m.mergeParts
	}
	m.keys, m.a, m.b, m.values, m.aVals, m.bVals = keys, a, b, values, aValues, bValues
	m.parts = 1
	if len(keys) >= alone { // without a pool too: what comes out of lanes that are not sorted depends on it
		m.parts = min(len(keys)/leastRows, mostParts)
	}
	m.cut()
	if s.Pool == nil {
		m.mergeParts(0, m.parts)
	} else {
		spread(s.Pool, m.parts, m.body)
	}
	*m = merging[K, V]{body: m.body}
}

// cut finds where blocks begin on both sides. Where these are not sorted it may find anything, but
// a block has no less than nothing of either.
func (m *merging[K, V]) cut() {
	m.cuts[0], m.cuts[m.parts] = 0, len(m.a)
	for k := 1; k < m.parts; k++ {
		lo, hi := cut(len(m.keys), m.parts, k-1), cut(len(m.keys), m.parts, k)
		m.cuts[k] = min(max(split(m.a, m.b, hi), m.cuts[k-1]), m.cuts[k-1]+hi-lo)
	}
}

// mergeParts merges blocks of the result, each from where it begins on both sides.
func (m *merging[K, V]) mergeParts(from, to int) {
	for k := from; k < to; k++ {
		lo, hi := cut(len(m.keys), m.parts, k), cut(len(m.keys), m.parts, k+1)
		i, iEnd := m.cuts[k], m.cuts[k+1]
		j, jEnd := lo-i, hi-iEnd
		if m.values == nil {
			mergeKeys(m.keys[lo:hi], m.a[i:iEnd], m.b[j:jEnd])
		} else {
			mergePairs(m.keys[lo:hi], m.values[lo:hi], m.a[i:iEnd], m.aVals[i:iEnd], m.b[j:jEnd], m.bVals[j:jEnd])
		}
	}
}

// split returns how many of the first n of the result come from a.
func split[K Key](a, b []K, n int) int {
	float := isFloat[K]()
	lo, hi := max(0, n-len(b)), min(n, len(a))
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if less(b[n-mid-1], a[mid], float) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

func mergeKeys[K Key](dst, a, b []K) {
	float := isFloat[K]()
	for len(a) > 0 && len(b) > 0 {
		if less(b[0], a[0], float) {
			dst[0], b = b[0], b[1:]
		} else {
			dst[0], a = a[0], a[1:]
		}
		dst = dst[1:]
	}
	copy(dst[copy(dst, a):], b)
}

func mergePairs[K Key, V any](dst []K, to []V, a []K, av []V, b []K, bv []V) {
	float := isFloat[K]()
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		if less(b[j], a[i], float) {
			dst[i+j], to[i+j] = b[j], bv[j]
			j++
		} else {
			dst[i+j], to[i+j] = a[i], av[i]
			i++
		}
	}
	copy(dst[i+j:], a[i:])
	copy(to[i+j:], av[i:])
	i = len(a)
	copy(dst[i+j:], b[j:])
	copy(to[i+j:], bv[j:])
}
