package order

// A mergeJob merges a and b. It divides the result into blocks, which can be computed concurrently.
type mergeJob[K Key, V any] struct {
	keys, a, b           []K
	values, aVals, bVals []V
	blocks               int
	aStarts              [maxBlocks + 1]int // the first row of a in each block
	body                 func(lo, hi int)
}

// Merge merges the sorted keys a and b into keys, and their values into values.
// Among equal keys, the keys of a come first, and the keys of each side keep their order. To merge
// keys without values, pass nil for all three slices of values.
//
// Shape: len(keys) == len(a)+len(b); each has as many values as keys.
// Alias: keys and values must not overlap a, b or their values.
// It panics if the lengths of the slices do not agree, or if there are more than 2^31-1
// rows. If a or b is not sorted, the result has the same rows in some order, which does
// not depend on the pool.
func (s *Sorter[K, V]) Merge(keys []K, values []V, a []K, aValues []V, b []K, bValues []V) {
	checkRows("Sorter.Merge", int64(len(keys)))
	checkLengths("Sorter.Merge", "keys", len(keys), "a)+len(b", len(a)+len(b))
	if values != nil || aValues != nil || bValues != nil {
		checkLengths("Sorter.Merge", "values", len(values), "keys", len(keys))
		checkLengths("Sorter.Merge", "aValues", len(aValues), "a", len(a))
		checkLengths("Sorter.Merge", "bValues", len(bValues), "b", len(b))
	}
	m := &s.merge
	if m.body == nil {
		m.body = m.mergeBlocks
	}
	m.keys, m.a, m.b, m.values, m.aVals, m.bVals = keys, a, b, values, aValues, bValues
	m.blocks = 1
	if len(keys) >= minParallelRows { // without a pool too, because for unsorted inputs the result depends on the blocks
		m.blocks = min(len(keys)/minBlockRows, maxBlocks)
	}
	m.splitInputs()
	if s.Pool == nil {
		m.mergeBlocks(0, m.blocks)
	} else {
		runBlocks(s.Pool, m.blocks, m.body)
	}
	*m = mergeJob[K, V]{body: m.body}
}

// splitInputs finds, for each block of the result, the rows of a and b with which the block starts. If the inputs are not sorted, the starts are
// arbitrary, but they never decrease.
func (m *mergeJob[K, V]) splitInputs() {
	m.aStarts[0], m.aStarts[m.blocks] = 0, len(m.a)
	for k := 1; k < m.blocks; k++ {
		lo, hi := blockStart(len(m.keys), m.blocks, k-1), blockStart(len(m.keys), m.blocks, k)
		m.aStarts[k] = min(max(coRank(m.a, m.b, hi), m.aStarts[k-1]), m.aStarts[k-1]+hi-lo)
	}
}

// mergeBlocks merges the rows of blocks.
func (m *mergeJob[K, V]) mergeBlocks(from, to int) {
	for k := from; k < to; k++ {
		lo, hi := blockStart(len(m.keys), m.blocks, k), blockStart(len(m.keys), m.blocks, k+1)
		i, iEnd := m.aStarts[k], m.aStarts[k+1]
		j, jEnd := lo-i, hi-iEnd
		if m.values == nil {
			mergeKeys(m.keys[lo:hi], m.a[i:iEnd], m.b[j:jEnd])
		} else {
			mergePairs(m.keys[lo:hi], m.values[lo:hi], m.a[i:iEnd], m.aVals[i:iEnd], m.b[j:jEnd], m.bVals[j:jEnd])
		}
	}
}

// coRank returns how many of the first n rows of the result come from a.
func coRank[K Key](a, b []K, n int) int {
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
