package order

import "github.com/lanewise/lanewise/jobs"

// Sorter sorts keys with values of a type. It keeps the memory that this takes, so
// that a program that sorts each frame allocates in the first ones only. The zero value is ready.
// It is for one goroutine at a time.
type Sorter[K Key, V any] struct {
	// Pool spreads long sorts over its workers, nil leaves them to the caller. The
	// result is the same.
	Pool *jobs.Pool

	small radix[uint32, V] // keys of 32 bits
	large radix[uint64, V]
	looks [mostParts]look
	merge merging[K, V]

	keys        []K // those of the present call
	values      []V
	load, store func(lo, hi int)
}

// A look is what the load of one block found: the bits that all its words have at least and
// those that any has at most, and whether they are in order.
type look struct {
	and, or uint64
	sorted  bool
}

// few is how many rows are sorted by insertion.
const few = 64

// Sort puts keys into order. Equal keys cannot be told apart, except for the bits of a
// NaN, which may change.
//
// It panics if there are more than 2^31-1.
func (s *Sorter[K, V]) Sort(keys []K) {
	fits("Sorter.Sort", int64(len(keys)))
	if len(keys) <= few {
		insert[K, V](keys, nil)
		return
	}
	s.sort(keys, nil, true)
}

// SortPairs puts keys into order and moves values along: equal keys keep the order of
// their values. The bits of a NaN may change.
//
// It panics if the lengths differ, or if there are more than 2^31-1 rows.
func (s *Sorter[K, V]) SortPairs(keys []K, values []V) {
	equal("Sorter.SortPairs", "values", len(values), "keys", len(keys))
	fits("Sorter.SortPairs", int64(len(keys)))
	if len(keys) <= few {
		insert(keys, values)
		return
	}
	s.sort(keys, values, true)
}

// Argsort sets index to the rows of keys in order: keys[index[0]] is the first, and
// equal keys are in the order of their rows. The keys stay where they are.
//
// It panics if the lengths differ, or if there are more than 2^31-1 rows.
func Argsort[K Key](s *Sorter[K, int32], index []int32, keys []K) {
	equal("Argsort", "index", len(index), "keys", len(keys))
	fits("Argsort", int64(len(keys)))
	for i := range index {
		index[i] = int32(i)
	}
	if len(keys) > few {
		s.sort(keys, index, false)
		return
	}
	float := isFloat[K]()
	for i := range index {
		j := i
		for ; j > 0 && less(keys[i], keys[index[j-1]], float); j-- {
			index[j] = index[j-1]
		}
		index[j] = int32(i)
	}
}

// Trim lets go of the memory that the sorter keeps. Values with pointers keep alive
// what they point to there.
func (s *Sorter[K, V]) Trim() { *s = Sorter[K, V]{Pool: s.Pool} }

// insert sorts a few rows.
func insert[K Key, V any](keys []K, values []V) {
	float := isFloat[K]()
	for i, k := range keys {
		j := i
		for ; j > 0 && less(k, keys[j-1], float); j-- {
			keys[j] = keys[j-1]
		}
		if j == i {
			continue
		}
		keys[j] = k
		if values != nil {
			v := values[i]
			copy(values[j+1:i+1], values[j:i])
			values[j] = v
		}
	}
}

// sort orders values, or nothing, by keys, and the keys too if they are to move.
func (s *Sorter[K, V]) sort(keys []K, values []V, move bool) {
	if s.load == nil {
		s.load, s.store = s.loadParts, s.storeParts
	}
	s.keys, s.values = keys, values
	if is32[K]() {
		own, _ := any(keys).([]uint32)
		sortWords(s, &s.small, own, move)
	} else {
		own, _ := any(keys).([]uint64)
		sortWords(s, &s.large, own, move)
	}
	s.keys, s.values = nil, nil
}

// sortWords sorts the keys of the present call by their words. Keys that are words
// already, and may move, serve as such.
func sortWords[K Key, V any, W word](s *Sorter[K, V], r *radix[W, V], own []W, move bool) {
	n := len(s.keys)
	r.other, r.spare, r.pack.other = nil, nil, nil // of a sort that did not end: the caller's
	r.divide(s.Pool, n)
	r.words, r.loaded = own, own != nil && move
	if !r.loaded {
		r.wordMemory = grown(r.wordMemory, n)
		r.words = r.wordMemory
	}
	spread(s.Pool, r.parts, s.load)
	if varying, sorted := looked(s.looks[:r.parts], r); !sorted {
		r.values, r.odd, r.pack.drop = s.values, false, !move
		r.sort(s.Pool, varying)
		if !move {
			s.keys = nil
		}
		if r.odd || move && !r.loaded {
			spread(s.Pool, r.parts, s.store)
		}
	}
	r.words, r.other, r.values, r.spare = nil, nil, nil, nil
	r.pack.words, r.pack.other = nil, nil
}

// looked puts the looks of all blocks together: the bits that vary, and whether all
// words are in order.
func looked[W word, V any](looks []look, r *radix[W, V]) (varying W, sorted bool) {
	all := look{looks[0].and, looks[0].or, true}
	for k, l := range looks {
		all.and, all.or = all.and&l.and, all.or|l.or
		lo, _ := r.part(k)
		all.sorted = all.sorted && l.sorted && (k == 0 || r.words[lo-1] <= r.words[lo])
	}
	return W(all.or &^ all.and), all.sorted
}

// loadParts loads the words of blocks and looks at them.
func (s *Sorter[K, V]) loadParts(from, to int) {
	for k := from; k < to; k++ {
		if is32[K]() {
			lo, hi := s.small.part(k)
			if !s.small.loaded {
				toWords(s.small.words[lo:hi], nil, s.keys[lo:hi])
			}
			s.looks[k] = lookAt(s.small.words[lo:hi])
		} else {
			lo, hi := s.large.part(k)
			if !s.large.loaded {
				toWords(nil, s.large.words[lo:hi], s.keys[lo:hi])
			}
			s.looks[k] = lookAt(s.large.words[lo:hi])
		}
	}
}

// lookAt looks at the words of a block. Where a few of them differ in the highest bit already, all may differ in
// all bits: it takes no time to find out which do not, for a digit that is the same everywhere shows when it is counted.
func lookAt[W word](words []W) look {
	n := 1
	for n < len(words) && words[n-1] <= words[n] {
		n++
	}
	and, or := ^W(0), W(0)
	for i := 0; i < len(words); i += len(words)/64 + 1 {
		and, or = and&words[i], or|words[i]
	}
	if varying := or &^ and; varying > ^W(0)>>1 {
		return look{0, uint64(^W(0)), n >= len(words)}
	}
	and, or = bitsOf(words)
	return look{uint64(and), uint64(or), n >= len(words)}
}

// bitsOf returns the bits that all words have, and those that any has.
func bitsOf[W word](words []W) (and, or W) {
	and = ^W(0)
	i := 0
	for ; i < len(words)-3; i += 4 {
		a, b, c, d := words[i], words[i+1], words[i+2], words[i+3]
		and &= a & b & (c & d)
		or |= a | b | (c | d)
	}
	for _, w := range words[i:] {
		and, or = and&w, or|w
	}
	return and, or
}

// storeParts stores the results of blocks: keys, if they move, and values that are in
// the sorter's memory.
func (s *Sorter[K, V]) storeParts(from, to int) {
	for k := from; k < to; k++ {
		if is32[K]() {
			lo, hi := s.small.part(k)
			if s.keys != nil {
				toKeys(s.keys[lo:hi], s.small.words[lo:hi], nil)
			}
			if s.values != nil && s.small.odd {
				copy(s.values[lo:hi], s.small.values[lo:hi])
			}
		} else {
			lo, hi := s.large.part(k)
			if s.keys != nil {
				toKeys(s.keys[lo:hi], nil, s.large.words[lo:hi])
			}
			if s.values != nil && s.large.odd {
				copy(s.values[lo:hi], s.large.values[lo:hi])
			}
		}
	}
}
