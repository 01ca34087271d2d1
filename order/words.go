package order

import "math"

// Words are unsigned numbers in the order of the keys that they stand for.

func wordOfInt32(x int32) uint32 { return uint32(x) ^ 1<<31 }
func wordOfInt64(x int64) uint64 { return uint64(x) ^ 1<<63 }
func int32OfWord(w uint32) int32 { return int32(w ^ 1<<31) }
func int64OfWord(w uint64) int64 { return int64(w ^ 1<<63) }

// wordOfFloat32 turns negative numbers round and puts the positive above them; all
// NaN are the largest word.
func wordOfFloat32(x float32) uint32 {
	b := math.Float32bits(x)
	w := b ^ (uint32(int32(b)>>31) | 1<<31)
	if b<<1 > 0xff<<24 { // of integers: without a branch
		w = math.MaxUint32
	}
	return w
}

func wordOfFloat64(x float64) uint64 {
	b := math.Float64bits(x)
	w := b ^ (uint64(int64(b)>>63) | 1<<63)
	if b<<1 > 0x7ff<<53 {
		w = math.MaxUint64
	}
	return w
}

func float32OfWord(w uint32) float32 {
	return math.Float32frombits(w ^ (uint32(int32(^w)>>31) | 1<<31))
}

func float64OfWord(w uint64) float64 {
	return math.Float64frombits(w ^ (uint64(int64(^w)>>63) | 1<<63))
}

// toWords stores the words of keys in one of two lanes, by their size.
func toWords[K Key](small []uint32, large []uint64, keys []K) {
	switch keys := any(keys).(type) {
	case []uint32:
		copy(small, keys)
	case []uint64:
		copy(large, keys)
	case []int32:
		small = small[:len(keys)]
		for i, x := range keys {
			small[i] = wordOfInt32(x)
		}
	case []int64:
		large = large[:len(keys)]
		for i, x := range keys {
			large[i] = wordOfInt64(x)
		}
	case []float32:
		small = small[:len(keys)]
		for i, x := range keys {
			small[i] = wordOfFloat32(x)
		}
	case []float64:
		large = large[:len(keys)]
		for i, x := range keys {
			large[i] = wordOfFloat64(x)
		}
	}
}

// toKeys is the way back.
func toKeys[K Key](keys []K, small []uint32, large []uint64) {
	switch keys := any(keys).(type) {
	case []uint32:
		copy(keys, small)
	case []uint64:
		copy(keys, large)
	case []int32:
		small = small[:len(keys)]
		for i := range keys {
			keys[i] = int32OfWord(small[i])
		}
	case []int64:
		large = large[:len(keys)]
		for i := range keys {
			keys[i] = int64OfWord(large[i])
		}
	case []float32:
		small = small[:len(keys)]
		for i := range keys {
			keys[i] = float32OfWord(small[i])
		}
	case []float64:
		large = large[:len(keys)]
		for i := range keys {
			keys[i] = float64OfWord(large[i])
		}
	}
}

// is32 reports whether words of the keys have 32 bits.
func is32[K Key]() bool {
	var k K
	switch any(k).(type) {
	case uint32, int32, float32:
		return true
	}
	return false
}
