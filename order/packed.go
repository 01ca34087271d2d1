package order

// packedPairs holds pairs of a 32-bit word and a 32-bit value. From the first pass to the last, each pair is
// one word of 64 bits. So a pass writes to half as many cache lines at once, and these writes take most of
// its time.
type packedPairs struct {
	packed     bool     // between the first pass and the last
	dropWords  bool     // the caller needs only the values
	words, out []uint64 // source and destination of a pass
	memory     [2][]uint64
}

// canPack reports whether a word and a value fit into 64 bits.
func canPack[W word, V any](words []W, values []V) bool {
	if values == nil || !has32Bits[W]() {
		return false
	}
	switch any(values).(type) {
	case []int32, []uint32:
		return true
	}
	return false
}

// scatterPacked moves the rows from lo to hi. The first pass packs words and values. If the caller does not need the words, the last pass unpacks the
// values. Otherwise a separate loop unpacks words and values after the last pass, because random writes to two lanes cost more than random writes to
// one.
func scatterPacked[D digitWidth, W word, V any](r *radix[W, V], offsets *histogram, lo, hi int) {
	words, _ := any(r.words).([]uint32)
	switch values := any(r.values).(type) {
	case []int32:
		scatterPackedOf[D](r, offsets, words, values, lo, hi)
	case []uint32:
		scatterPackedOf[D](r, offsets, words, values, lo, hi)
	}
}

// restoresValues reports whether the pass unpacks the values.
func (r *radix[W, V]) restoresValues() bool {
	return r.packed.packed && r.last && !r.needsInsertion && r.packed.dropWords
}

func scatterPackedOf[D digitWidth, W word, V any, B int32 | uint32](r *radix[W, V], offsets *histogram, words []uint32, values []B, lo, hi int) {
	switch {
	case r.first:
		scatterPacking[D](r.packed.out, words[lo:hi], values[lo:hi], offsets, r.shift)
	case r.restoresValues():
		scatterUnpacking[D](values, r.packed.words[lo:hi], offsets, r.shift)
	default:
		scatterWords[D](r.packed.out, r.packed.words[lo:hi], offsets, r.shift) // no shift reaches the bits of the value
	}
}

func scatterPacking[D digitWidth, B int32 | uint32](dst []uint64, words []uint32, values []B, offsets *histogram, shift uint) {
	values = values[:len(words)]
	for i, w := range words {
		k := digit[D](w, shift)
		at := offsets[k]
		offsets[k] = at + 1
		dst[at] = uint64(w) | uint64(uint32(values[i]))<<32
	}
}

func scatterUnpacking[D digitWidth, B int32 | uint32](values []B, src []uint64, offsets *histogram, shift uint) {
	for _, w := range src {
		k := digit[D](w, shift)
		at := offsets[k]
		offsets[k] = at + 1
		values[at] = B(w >> 32)
	}
}
