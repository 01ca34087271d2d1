package order

import "github.com/lanewise/lanewise/jobs"

// The highest digits of words usually suffice to move rows to their final places, or next to them.
// For example, a thousand random words of 64 bits differ in the highest twenty bits. So after the
// passes over the highest digits, an insertion sort moves the few rows that come after a greater
// row. If there turn out to be many such rows, the insertion sort gives up and the sort makes
// passes over all digits. The insertion sort may give up at any step, because each step keeps the
// order of equal words.

// finishByInsertion sorts the rows after the passes over the highest digits, which have moved them near their final
// places. If this takes too many steps, it returns false: the rows are not sorted, but equal words are still in
// their original order.
func (r *radix[W, V]) finishByInsertion(pool *jobs.Pool) bool {
	runBlocks(pool, r.blocks, r.insertBody)
	ok := true
	for k := range r.blocks {
		ok = ok && !r.gaveUp[k]
	}
	if ok && r.blocks > 1 {
		ok = r.insertAcrossBlocks()
	}
	if r.packed.packed {
		drop := r.packed.dropWords
		r.packed.dropWords = drop && ok // else the passes need the words again
		runBlocks(pool, r.blocks, r.unpackBody)
		r.packed.dropWords, r.packed.packed = drop, false
	}
	return ok
}

// insertBlocks sorts the rows of each block.
func (r *radix[W, V]) insertBlocks(from, to int) {
	for k := from; k < to; k++ {
		lo, hi := r.blockRows(k)
		switch {
		case r.packed.packed:
			r.gaveUp[k] = !insertionSortPacked(r.packed.words[lo:hi])
		case r.values == nil:
			r.gaveUp[k] = !insertionSortWords(r.words[lo:hi])
		default:
			r.gaveUp[k] = !insertionSortPairs(r.words[lo:hi], r.values[lo:hi])
		}
	}
}

// insertAcrossBlocks completes the sort of all rows. Each block is sorted already, but
// the first rows of a block may belong into an earlier block.
func (r *radix[W, V]) insertAcrossBlocks() bool {
	budget := insertionBudget(r.rows)
	for k := 1; k < r.blocks; k++ {
		lo, _ := r.blockRows(k)
		for i := lo; i < r.rows && budget >= 0; i++ {
			steps := 0
			switch {
			case r.packed.packed:
				steps = insertPackedAt(r.packed.words, i)
			case r.values == nil:
				steps = insertWordAt(r.words, i)
			default:
				steps = insertPairAt(r.words, r.values, i)
			}
			if steps == 0 {
				break
			}
			budget -= steps
		}
	}
	return budget >= 0
}

// insertionBudget returns the number of steps after which the insertion sort gives up. A step moves a word back by
// one row. The number is half of the number of rows.
func insertionBudget(rows int) int { return rows / 2 }

// insertionSortWords sorts words without values.
func insertionSortWords[W word](words []W) bool {
	budget, i := insertionBudget(len(words)), 1
	for budget >= 0 {
		for ; i < len(words)-3; i += 4 {
			if w := words[i-1 : i+4]; w[1] < w[0] || w[2] < w[1] || w[3] < w[2] || w[4] < w[3] {
				break
			}
		}
		if i >= len(words) {
			return true
		}
		for end := min(i+4, len(words)); i < end; i++ {
			budget -= insertWordAt(words, i)
		}
	}
	return false
}

// insertWordAt moves a word back past the greater words before it, and returns the number of these
// words.
func insertWordAt[W word](words []W, i int) (steps int) {
	w, j := words[i], i
	for ; j > 0 && words[j-1] > w; j-- {
		words[j] = words[j-1]
	}
	words[j] = w
	return i - j
}

// insertionSortPairs sorts words with values.
func insertionSortPairs[W word, V any](words []W, values []V) bool {
	budget, i := insertionBudget(len(words)), 1
	for budget >= 0 {
		for ; i < len(words)-3; i += 4 {
			if w := words[i-1 : i+4]; w[1] < w[0] || w[2] < w[1] || w[3] < w[2] || w[4] < w[3] {
				break
			}
		}
		if i >= len(words) {
			return true
		}
		for end := min(i+4, len(words)); i < end; i++ {
			budget -= insertPairAt(words, values, i)
		}
	}
	return false
}

// insertPairAt does the work of insertWordAt for a word and its value.
func insertPairAt[W word, V any](words []W, values []V, i int) (steps int) {
	w, j := words[i], i
	for ; j > 0 && words[j-1] > w; j-- {
		words[j] = words[j-1]
	}
	if j < i {
		v := values[i]
		copy(values[j+1:i+1], values[j:i])
		words[j], values[j] = w, v
	}
	return i - j
}

// insertionSortPacked sorts packed pairs.
func insertionSortPacked(words []uint64) bool {
	budget, i := insertionBudget(len(words)), 1
	for budget >= 0 {
		for ; i < len(words)-3; i += 4 {
			w := words[i-1 : i+4]
			if uint32(w[1]) < uint32(w[0]) || uint32(w[2]) < uint32(w[1]) || uint32(w[3]) < uint32(w[2]) || uint32(w[4]) < uint32(w[3]) {
				break
			}
		}
		if i >= len(words) {
			return true
		}
		for end := min(i+4, len(words)); i < end; i++ {
			budget -= insertPackedAt(words, i)
		}
	}
	return false
}

// insertPackedAt does the work of insertWordAt for a packed pair.
func insertPackedAt(words []uint64, i int) (steps int) {
	w, j := words[i], i
	for ; j > 0 && uint32(words[j-1]) > uint32(w); j-- {
		words[j] = words[j-1]
	}
	words[j] = w
	return i - j
}

// unpackBlocks unpacks the pairs of blocks.
func (r *radix[W, V]) unpackBlocks(from, to int) {
	words, _ := any(r.words).([]uint32)
	for k := from; k < to; k++ {
		lo, hi := r.blockRows(k)
		w := words[lo:hi]
		if r.packed.dropWords {
			w = nil
		}
		switch values := any(r.values).(type) {
		case []int32:
			unpackRows(w, values[lo:hi], r.packed.words[lo:hi])
		case []uint32:
			unpackRows(w, values[lo:hi], r.packed.words[lo:hi])
		}
	}
}

// unpackRows unpacks the values of packed pairs. It unpacks the words too, unless words is nil.
func unpackRows[B int32 | uint32](words []uint32, values []B, src []uint64) {
	values = values[:len(src)]
	if words == nil {
		for i, w := range src {
			values[i] = B(w >> 32)
		}
		return
	}
	words = words[:len(src)]
	for i, w := range src {
		words[i], values[i] = uint32(w), B(w>>32)
	}
}
