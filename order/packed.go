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

// movePacked moves some rows: the first pass packs words and values. The last one brings values back, if words
// are not wanted; else all come back in a go of its own, for two lanes are more lines at once than one is.
func movePacked[D width, W word, V any](r *radix[W, V], places *places, lo, hi int) {
	words, _ := any(r.words).([]uint32)
	switch values := any(r.values).(type) {
	case []int32:
		movePackedOf[D](r, places, words, values, lo, hi)
	case []uint32:
		movePackedOf[D](r, places, words, values, lo, hi)
	}
}

// brings reports whether the pass brings values back to where they were.
func (r *radix[W, V]) brings() bool { return r.pack.on && r.last && !r.rough && r.pack.drop }

func movePackedOf[D width, W word, V any, B int32 | uint32](r *radix[W, V], places *places, words []uint32, values []B, lo, hi int) {
	switch {
	case r.first:
		packPairs[D](r.pack.other, words[lo:hi], values[lo:hi], places, r.shift)
	case r.brings():
		unpackValues[D](values, r.pack.words[lo:hi], places, r.shift)
	default:
		scatterWords[D](r.pack.other, r.pack.words[lo:hi], places, r.shift) // no digit reaches to where values are
	}
}

func packPairs[D width, B int32 | uint32](dst []uint64, words []uint32, values []B, places *places, shift uint) {
	values = values[:len(words)]
	for i, w := range words {
		k := of[D](w, shift)
		at := places[k]
		places[k] = at + 1
		dst[at] = uint64(w) | uint64(uint32(values[i]))<<32
	}
}

func unpackValues[D width, B int32 | uint32](values []B, src []uint64, places *places, shift uint) {
	for _, w := range src {
		k := of[D](w, shift)
		at := places[k]
		places[k] = at + 1
		values[at] = B(w >> 32)
	}
}
