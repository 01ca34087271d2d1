package order

import "math"

//go:generate go run ../cmd/lanec

// A word is an unsigned number that represents a key. Words have the same order as their keys.
// lanec compiles each of the following loops to a kernel.

// floatWords32 inverts negative numbers and sets the top bit of positive ones; each NaN becomes the largest word.
//
//lanec:kernel wordsOfFloats32
func floatWords32(words []uint32, keys []float32) {
	for i := range words {
		b := math.Float32bits(keys[i])
		w := b ^ (uint32(int32(b)>>31) | 1<<31)
		if b<<1 > 0xff<<24 {
			w = math.MaxUint32
		}
		words[i] = w
	}
}

//lanec:kernel wordsOfFloats64
func floatWords64(words []uint64, keys []float64) {
	for i := range words {
		b := math.Float64bits(keys[i])
		w := b ^ (uint64(int64(b)>>63) | 1<<63)
		if b<<1 > 0x7ff<<53 {
			w = math.MaxUint64
		}
		words[i] = w
	}
}

// wordFloats32 is the inverse of floatWords32.
//
//lanec:kernel floatsOfWords32
func wordFloats32(keys []float32, words []uint32) {
	for i := range keys {
		w := words[i]
		keys[i] = math.Float32frombits(w ^ (uint32(int32(^w)>>31) | 1<<31))
	}
}

//lanec:kernel floatsOfWords64
func wordFloats64(keys []float64, words []uint64) {
	for i := range keys {
		w := words[i]
		keys[i] = math.Float64frombits(w ^ (uint64(int64(^w)>>63) | 1<<63))
	}
}

//lanec:kernel wordsOfInts32
func intWords32(words []uint32, keys []int32) {
	for i := range words {
		words[i] = uint32(keys[i]) ^ 1<<31
	}
}

//lanec:kernel wordsOfInts64
func intWords64(words []uint64, keys []int64) {
	for i := range words {
		words[i] = uint64(keys[i]) ^ 1<<63
	}
}

//lanec:kernel intsOfWords32
func wordInts32(keys []int32, words []uint32) {
	for i := range keys {
		keys[i] = int32(words[i] ^ 1<<31)
	}
}

//lanec:kernel intsOfWords64
func wordInts64(keys []int64, words []uint64) {
	for i := range keys {
		keys[i] = int64(words[i] ^ 1<<63)
	}
}

// toWords stores the words of keys. It stores them in small if a word has 32 bits, and otherwise in
// large.
func toWords[K Key](small []uint32, large []uint64, keys []K) {
	switch n := len(keys); keys := any(keys).(type) {
	case []uint32:
		copy(small, keys)
	case []uint64:
		copy(large, keys)
	case []int32:
		wordsOfInts32(small[:n], keys)
	case []int64:
		wordsOfInts64(large[:n], keys)
	case []float32:
		wordsOfFloats32(small[:n], keys)
	case []float64:
		wordsOfFloats64(large[:n], keys)
	}
}

// toKeys is the inverse of toWords.
func toKeys[K Key](keys []K, small []uint32, large []uint64) {
	switch n := len(keys); keys := any(keys).(type) {
	case []uint32:
		copy(keys, small)
	case []uint64:
		copy(keys, large)
	case []int32:
		intsOfWords32(keys, small[:n])
	case []int64:
		intsOfWords64(keys, large[:n])
	case []float32:
		floatsOfWords32(keys, small[:n])
	case []float64:
		floatsOfWords64(keys, large[:n])
	}
}

// has32Bits reports whether words of the keys have 32 bits.
func has32Bits[K Key]() bool {
	var k K
	switch any(k).(type) {
	case uint32, int32, float32:
		return true
	}
	return false
}
