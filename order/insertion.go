package order

import "github.com/lanewise/lanewise/jobs"

// The highest digits of words are mostly enough to put rows where they belong, or next to it: a
// thousand random words of 64 bits differ in the highest twenty. So the passes over those are
// followed by one look at all rows, in which the few that are behind a greater one go past it
// (an insertion sort). Where it turns out that they are not few, all digits are gone over after
// all: what was done until then has kept equal words in their order.

// insertNearby puts rows that the highest digits have brought near their places there. It reports
// false if that takes too long; then words and values are as near as they were, or nearer.
func (r *radix[W, V]) insertNearby(pool *jobs.Pool) bool {
	spread(pool, r.parts, r.insertPart)
	ok := true
	for k := range r.parts {
		ok = ok && !r.given[k]
	}
	if ok && r.parts > 1 {
		ok = r.stitched()
	}
	if r.pack.on {
		drop := r.pack.drop
		r.pack.drop = drop && ok // else the words are wanted again
		spread(pool, r.parts, r.unpack)
		r.pack.drop, r.pack.on = drop, false
	}
	return ok
}

// insertParts sorts the rows of blocks, each by itself.
func (r *radix[W, V]) insertParts(from, to int) {
	for k := from; k < to; k++ {
		lo, hi := r.part(k)
		switch {
		case r.pack.on:
			r.given[k] = !insertPacked(r.pack.words[lo:hi])
		case r.values == nil:
			r.given[k] = !insertWords(r.words[lo:hi])
		default:
			r.given[k] = !insertPairs(r.words[lo:hi], r.values[lo:hi])
		}
	}
}

// stitched sorts the rows of all blocks, each of which is in order: the first ones of a block
// may belong into the one before.
func (r *radix[W, V]) stitched() bool {
	left := patience(r.rows)
	for k := 1; k < r.parts; k++ {
		lo, _ := r.part(k)
		for i := lo; i < r.rows && left >= 0; i++ {
			steps := 0
			switch {
			case r.pack.on:
				steps = sinkPacked(r.pack.words, i)
			case r.values == nil:
				steps = sinkWord(r.words, i)
			default:
				steps = sinkPair(r.words, r.values, i)
			}
			if steps == 0 {
				break
			}
			left -= steps
		}
	}
	return left >= 0
}

// patience is how many steps back rows may go before it is given up: one for each second.
func patience(rows int) int { return rows / 2 }

// insertWords sorts words alone.
func insertWords[W word](words []W) bool {
	left, i := patience(len(words)), 1
	for left >= 0 {
		for ; i < len(words)-3; i += 4 {
			if w := words[i-1 : i+4]; w[1] < w[0] || w[2] < w[1] || w[3] < w[2] || w[4] < w[3] {
				break
			}
		}
		if i >= len(words) {
			return true
		}
		for end := min(i+4, len(words)); i < end; i++ {
			left -= sinkWord(words, i)
		}
	}
	return false
}

// sinkWord moves a word back past those that are greater and returns how many those are.
func sinkWord[W word](words []W, i int) (steps int) {
	w, j := words[i], i
	for ; j > 0 && words[j-1] > w; j-- {
		words[j] = words[j-1]
	}
	words[j] = w
	return i - j
}

// insertPairs sorts words with values.
func insertPairs[W word, V any](words []W, values []V) bool {
	left, i := patience(len(words)), 1
	for left >= 0 {
		for ; i < len(words)-3; i += 4 {
			if w := words[i-1 : i+4]; w[1] < w[0] || w[2] < w[1] || w[3] < w[2] || w[4] < w[3] {
				break
			}
		}
		if i >= len(words) {
			return true
		}
		for end := min(i+4, len(words)); i < end; i++ {
			left -= sinkPair(words, values, i)
		}
	}
	return false
}

// sinkPair does with a word and its value what sinkWord does.
func sinkPair[W word, V any](words []W, values []V, i int) (steps int) {
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

// insertPacked sorts words that have their values above them.
func insertPacked(words []uint64) bool {
	left, i := patience(len(words)), 1
	for left >= 0 {
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
			left -= sinkPacked(words, i)
		}
	}
	return false
}

// sinkPacked does with a word and the value above it what sinkWord does.
func sinkPacked(words []uint64, i int) (steps int) {
	w, j := words[i], i
	for ; j > 0 && uint32(words[j-1]) > uint32(w); j-- {
		words[j] = words[j-1]
	}
	words[j] = w
	return i - j
}

// unpackParts brings words and values of blocks back to where they were.
func (r *radix[W, V]) unpackParts(from, to int) {
	words, _ := any(r.words).([]uint32)
	for k := from; k < to; k++ {
		lo, hi := r.part(k)
		w := words[lo:hi]
		if r.pack.drop {
			w = nil
		}
		switch values := any(r.values).(type) {
		case []int32:
			unpack(w, values[lo:hi], r.pack.words[lo:hi])
		case []uint32:
			unpack(w, values[lo:hi], r.pack.words[lo:hi])
		}
	}
}

// unpack brings words, unless they are nil, and values back.
func unpack[B int32 | uint32](words []uint32, values []B, src []uint64) {
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
