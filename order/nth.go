package order

import (
	"fmt"
	"math/bits"
)

// Nth moves keys until keys[n] is the key that a sort would put there (a quickselect). After the
// call, no key before keys[n] is greater than keys[n], and no key after keys[n] is less. Unless
// values is nil, Nth moves each value with its key. For example, n = len(keys)/2 gives the
// median. The order of the keys before keys[n] and of the keys after keys[n] is unspecified, but
// it is the same in each run. To get the n smallest keys in order, sort the first n keys
// afterwards.
//
// Nth reads each key a few times and runs on one goroutine. Nth panics unless n
// is the index of a key, if lengths differ, or if there are more than 2^31-1
// rows.
func (s *Sorter[K, V]) Nth(keys []K, values []V, n int) {
	checkRows("Sorter.Nth", int64(len(keys)))
	if n < 0 || n >= len(keys) {
		panic(fmt.Sprintf("order: Sorter.Nth: n is %d, there are %d keys", n, len(keys)))
	}
	if values != nil {
		checkLengths("Sorter.Nth", "values", len(values), "keys", len(keys))
	}
	var nth [1]K
	if has32Bits[K]() {
		s.small.wordMemory = resizeSlice(s.small.wordMemory, len(keys))
		toWords(s.small.wordMemory, nil, keys)
		toKeys(nth[:], []uint32{radixSelect(s.small.wordMemory, n)}, nil)
	} else {
		s.large.wordMemory = resizeSlice(s.large.wordMemory, len(keys))
		toWords(nil, s.large.wordMemory, keys)
		toKeys(nth[:], nil, []uint64{radixSelect(s.large.wordMemory, n)})
	}
	partition(keys, values, nth[0])
}

// radixSelect returns the word that would have the index n after a sort. It counts the highest digit that varies, keeps only the words that have the
// same digit as the n-th word, and repeats this until all kept words are equal.
func radixSelect[W word](words []W, n int) W {
	var counts histogram
	for {
		and, or := scanBits(words)
		varying := uint64(or &^ and)
		if varying == 0 {
			return words[0]
		}
		top := uint(max(bits.Len64(varying)-narrowDigit, 0))
		clear(counts[:1<<narrowDigit])
		count1[[narrowDigit]byte](&counts, words, top)
		nth := W(0)
		for ; n >= int(counts[nth]); nth++ {
			n -= int(counts[nth])
		}
		kept := words[:0]
		for _, w := range words {
			if digit[[narrowDigit]byte](w, top) == nth {
				kept = append(kept, w)
			}
		}
		words = kept
	}
}

// partition moves the keys that are less than key to the front, and the greater keys to the end.
func partition[K Key, V any](keys []K, values []V, key K) {
	float := isFloat[K]()
	low, high := 0, len(keys)
	for i := 0; i < high; {
		switch k := keys[i]; {
		case less(k, key, float):
			swapRows(keys, values, low, i)
			low++
			i++
		case less(key, k, float):
			high--
			swapRows(keys, values, i, high)
		default:
			i++
		}
	}
}

func swapRows[K Key, V any](keys []K, values []V, i, j int) {
	keys[i], keys[j] = keys[j], keys[i]
	if values != nil {
		values[i], values[j] = values[j], values[i]
	}
}
