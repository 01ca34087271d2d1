package order

import (
	"fmt"
	"math/bits"
)

// Nth moves keys, and values along unless they are nil, so that keys[n] is what it
// would be if they were sorted: none before it is greater, none behind it less. The
// middle of them is the median. Before and behind, they are in some order, the same
// one each time; Sort the first n for the smallest in order.
//
// It takes a few looks at each key and works alone. It panics unless n is the index
// of a key, if lengths differ, or if there are more than 2^31-1 rows.
func (s *Sorter[K, V]) Nth(keys []K, values []V, n int) {
	fits("Sorter.Nth", int64(len(keys)))
	if n < 0 || n >= len(keys) {
		panic(fmt.Sprintf("order: Sorter.Nth: n is %d, there are %d keys", n, len(keys)))
	}
	if values != nil {
		equal("Sorter.Nth", "values", len(values), "keys", len(keys))
	}
	var nth [1]K
	if is32[K]() {
		s.small.wordMemory = grown(s.small.wordMemory, len(keys))
		toWords(s.small.wordMemory, nil, keys)
		toKeys(nth[:], []uint32{selectWord(s.small.wordMemory, n)}, nil)
	} else {
		s.large.wordMemory = grown(s.large.wordMemory, len(keys))
		toWords(nil, s.large.wordMemory, keys)
		toKeys(nth[:], nil, []uint64{selectWord(s.large.wordMemory, n)})
	}
	part(keys, values, nth[0])
}

// selectWord returns the n-th of words in order. By the highest bits that differ it
// finds which words can be the one, and goes on with those.
func selectWord[W word](words []W, n int) W {
	var counts places
	for {
		and, or := bitsOf(words)
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
			if of[[narrowDigit]byte](w, top) == nth {
				kept = append(kept, w)
			}
		}
		words = kept
	}
}

// part moves what is less than a key to the front and what is greater to the end.
func part[K Key, V any](keys []K, values []V, key K) {
	float := isFloat[K]()
	low, high := 0, len(keys)
	for i := 0; i < high; {
		switch k := keys[i]; {
		case less(k, key, float):
			swap(keys, values, low, i)
			low++
			i++
		case less(key, k, float):
			high--
			swap(keys, values, i, high)
		default:
			i++
		}
	}
}

func swap[K Key, V any](keys []K, values []V, i, j int) {
	keys[i], keys[j] = keys[j], keys[i]
	if values != nil {
		values[i], values[j] = values[j], values[i]
	}
}
