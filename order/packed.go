package order

// Words of 32 bits and values of as many go from the first pass to the last as one word of 64
// bits: half as many lines are written at once, which is what a pass takes its time for.

// packing is words with their values.
type packing struct {
	on           bool     // from the first pass to the last
	drop         bool     // words are not wanted in the end
	words, other []uint64 // from, to
	memory       [2][]uint64
}

// packs reports whether words and values fit into 64 bits.
func packs[W word, V any](words []W, values []V) bool {
	if values == nil || !is32[W]() {
		return false
	}
	switch any(values).(type) {
	case []int32, []uint32:
		return true
	}
	return false
}

// movePacked moves some rows: the first pass packs words and values, the last one, unless it is
// rough, brings them back to where they were.
func (r *radix[W, V]) movePacked(places *places, lo, hi int) {
	words, _ := any(r.words).([]uint32)
	switch values := any(r.values).(type) {
	case []int32:
		movePacked(r, places, words, values, lo, hi)
	case []uint32:
		movePacked(r, places, words, values, lo, hi)
	}
}

func movePacked[W word, V any, B int32 | uint32](r *radix[W, V], places *places, words []uint32, values []B, lo, hi int) {
	switch {
	case r.first:
		packPairs(r.pack.other, words[lo:hi], values[lo:hi], places, r.digit)
	case !r.last || r.rough:
		scatterWords(r.pack.other, r.pack.words[lo:hi], places, r.digit)
	case r.pack.drop:
		unpackValues(values, r.pack.words[lo:hi], places, r.digit)
	default:
		unpackPairs(words, values, r.pack.words[lo:hi], places, r.digit)
	}
}

func packPairs[B int32 | uint32](dst []uint64, words []uint32, values []B, places *places, d digit) {
	shift, mask := d.shift, d.mask
	values = values[:len(words)]
	for i, w := range words {
		p := &places[of(w, shift, mask)]
		dst[*p] = uint64(w) | uint64(uint32(values[i]))<<32
		*p++
	}
}

func unpackPairs[B int32 | uint32](words []uint32, values []B, src []uint64, places *places, d digit) {
	shift, mask := d.shift, d.mask
	values = values[:len(words)]
	for _, w := range src {
		p := &places[of(w, shift, mask)]
		words[*p], values[*p] = uint32(w), B(w>>32)
		*p++
	}
}

func unpackValues[B int32 | uint32](values []B, src []uint64, places *places, d digit) {
	shift, mask := d.shift, d.mask
	for _, w := range src {
		p := &places[of(w, shift, mask)]
		values[*p] = B(w >> 32)
		*p++
	}
}
