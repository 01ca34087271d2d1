package order

import "github.com/lanewise/lanewise/jobs"

// Sorter sorts keys with values. A Sorter keeps its memory, so a program that sorts in each frame
// allocates only in the first frames. The zero value is ready to use. Only one goroutine may use a
// Sorter at a time.
type Sorter[K Key, V any] struct {
	// Pool runs long sorts on its workers. If Pool is nil, the caller does all the
	// work. The result is the same.
	Pool *jobs.Pool

	small radix[uint32, V] // keys of 32 bits
	large radix[uint64, V]
	scans [maxBlocks]blockScan
	merge mergeJob[K, V]

	keys                []K // those of the present call
	values              []V
	loadBody, storeBody func(lo, hi int)
}

// A blockScan is the result of scanning one block: andBits is the AND of all words, orBits is their OR, and sorted
// reports whether the words are in order.
type blockScan struct {
	andBits, orBits uint64
	sorted          bool
}

// maxInsertion is the largest number of rows that are sorted by insertion.
const maxInsertion = 64

// Sort sorts keys. Equal keys cannot be distinguished, except for NaN: the sign and payload of a
// NaN may change.
//
// Sort panics if there are more than 2^31-1 keys.
func (s *Sorter[K, V]) Sort(keys []K) {
	checkRows("Sorter.Sort", int64(len(keys)))
	if len(keys) <= maxInsertion {
		insertionSort[K, V](keys, nil)
		return
	}
	s.sortKeys(keys, nil, true)
}

// SortPairs sorts keys and moves each value with its key. Values of equal keys keep their order.
// The sign and payload of a NaN may change.
//
// SortPairs panics if the lengths differ, or if there are more than 2^31-1 rows.
func (s *Sorter[K, V]) SortPairs(keys []K, values []V) {
	checkLengths("Sorter.SortPairs", "values", len(values), "keys", len(keys))
	checkRows("Sorter.SortPairs", int64(len(keys)))
	if len(keys) <= maxInsertion {
		insertionSort(keys, values)
		return
	}
	s.sortKeys(keys, values, true)
}

// Argsort sets index to the rows of keys in sorted order: keys[index[0]] is the
// smallest key, and equal keys are in the order of their rows. It does not
// change keys.
//
// Argsort panics if the lengths differ, or if there are more than 2^31-1 rows.
func Argsort[K Key](s *Sorter[K, int32], index []int32, keys []K) {
	checkLengths("Argsort", "index", len(index), "keys", len(keys))
	checkRows("Argsort", int64(len(keys)))
	for i := range index {
		index[i] = int32(i)
	}
	if len(keys) > maxInsertion {
		s.sortKeys(keys, index, false)
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

// Trim drops the memory that the sorter keeps. If values contain pointers, the objects to which
// they point remain alive until then.
func (s *Sorter[K, V]) Trim() { *s = Sorter[K, V]{Pool: s.Pool} }

// insertionSort sorts at most maxInsertion rows.
func insertionSort[K Key, V any](keys []K, values []V) {
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

// sortKeys sorts values by keys. If move is set, it sorts the keys too. values may be nil.
func (s *Sorter[K, V]) sortKeys(keys []K, values []V, move bool) {
	if s.loadBody == nil {
		s.loadBody, s.storeBody = s.loadBlocks, s.storeBlocks
	}
	s.keys, s.values = keys, values
	if has32Bits[K]() {
		words, _ := any(keys).([]uint32)
		sortWords(s, &s.small, words, move)
	} else {
		words, _ := any(keys).([]uint64)
		sortWords(s, &s.large, words, move)
	}
	s.keys, s.values = nil, nil
}

// sortWords sorts the keys of the current call by their words. If the keys are unsigned numbers
// and may be moved, they serve as the words and are sorted in place.
func sortWords[K Key, V any, W word](s *Sorter[K, V], r *radix[W, V], words []W, move bool) {
	n := len(s.keys)
	r.wordsOut, r.valuesOut, r.packed.out = nil, nil, nil // after a sort that panicked they may still refer to the caller's slices
	r.splitBlocks(s.Pool, n)
	r.words, r.inPlace = words, words != nil && move
	if !r.inPlace {
		r.wordMemory = resizeSlice(r.wordMemory, n)
		r.words = r.wordMemory
	}
	runBlocks(s.Pool, r.blocks, s.loadBody)
	if varying, sorted := joinScans(s.scans[:r.blocks], r); !sorted {
		r.values, r.swapped, r.packed.dropWords = s.values, false, !move
		r.sort(s.Pool, varying)
		if !move {
			s.keys = nil
		}
		if r.swapped || move && !r.inPlace {
			runBlocks(s.Pool, r.blocks, s.storeBody)
		}
	}
	r.words, r.wordsOut, r.values, r.valuesOut = nil, nil, nil, nil
	r.packed.words, r.packed.out = nil, nil
}

// joinScans combines the scans of all blocks. It returns the bits in which words differ, and
// whether all words are in order.
func joinScans[W word, V any](scans []blockScan, r *radix[W, V]) (varying W, sorted bool) {
	joined := blockScan{scans[0].andBits, scans[0].orBits, true}
	for k, l := range scans {
		joined.andBits, joined.orBits = joined.andBits&l.andBits, joined.orBits|l.orBits
		lo, _ := r.blockRows(k)
		joined.sorted = joined.sorted && l.sorted && (k == 0 || r.words[lo-1] <= r.words[lo])
	}
	return W(joined.orBits &^ joined.andBits), joined.sorted
}

// loadBlocks loads the words of blocks and scans them.
func (s *Sorter[K, V]) loadBlocks(from, to int) {
	for k := from; k < to; k++ {
		if has32Bits[K]() {
			lo, hi := s.small.blockRows(k)
			if !s.small.inPlace {
				toWords(s.small.words[lo:hi], nil, s.keys[lo:hi])
			}
			s.scans[k] = scanBlock(s.small.words[lo:hi])
		} else {
			lo, hi := s.large.blockRows(k)
			if !s.large.inPlace {
				toWords(nil, s.large.words[lo:hi], s.keys[lo:hi])
			}
			s.scans[k] = scanBlock(s.large.words[lo:hi])
		}
	}
}

// scanBlock scans the words of a block. If the highest bit differs within a sample of about 64 words, it reports without
// a full scan that all bits vary. This may be wrong for some bits, but then the sort finds out that a digit is constant
// when it counts the digit.
func scanBlock[W word](words []W) blockScan {
	n := 1
	for n < len(words) && words[n-1] <= words[n] {
		n++
	}
	and, or := ^W(0), W(0)
	for i := 0; i < len(words); i += len(words)/64 + 1 {
		and, or = and&words[i], or|words[i]
	}
	if varying := or &^ and; varying > ^W(0)>>1 {
		return blockScan{0, uint64(^W(0)), n >= len(words)}
	}
	and, or = scanBits(words)
	return blockScan{uint64(and), uint64(or), n >= len(words)}
}

// scanBits returns the AND and the OR of all words.
func scanBits[W word](words []W) (and, or W) {
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

// storeBlocks copies the results of the blocks to the caller's slices. It copies the keys only if the
// sort moves keys, and the values only if the last pass has written them to the sorter's memory.
func (s *Sorter[K, V]) storeBlocks(from, to int) {
	for k := from; k < to; k++ {
		if has32Bits[K]() {
			lo, hi := s.small.blockRows(k)
			if s.keys != nil {
				toKeys(s.keys[lo:hi], s.small.words[lo:hi], nil)
			}
			if s.values != nil && s.small.swapped {
				copy(s.values[lo:hi], s.small.values[lo:hi])
			}
		} else {
			lo, hi := s.large.blockRows(k)
			if s.keys != nil {
				toKeys(s.keys[lo:hi], nil, s.large.words[lo:hi])
			}
			if s.values != nil && s.large.swapped {
				copy(s.values[lo:hi], s.large.values[lo:hi])
			}
		}
	}
}
