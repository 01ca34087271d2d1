package ecs

import (
	"math/bits"
	"slices"
	"sync/atomic"
)

// enabledBitset holds the bits of one enableable column of a chunk: 1 means on. Bits of unused rows are
// 0, so counts and hashes need no mask. Through look-ups, jobs on several workers may switch rows of
// one chunk at the same time, so set uses atomic operations. The owner, and jobs that read the
// component, may read whole words without atomic operations. The tracker ensures that no job that
// writes the component runs at the same time.
type enabledBitset struct {
	words   []uint64
	onCount int32 // of rows that are on
}

// wordsFor returns the number of words for the bits of n rows.
func wordsFor(n int) int { return (n + 63) / 64 }

// resize returns s with n zero elements, in the same memory if it is large enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// newEnabledBitsets returns the enabled bits of n columns for a chunk with the given number of rows. All bits
// are off. It reuses the memory of old.
func newEnabledBitsets(old []enabledBitset, n, rows int) []enabledBitset {
	if cap(old) < n {
		old = make([]enabledBitset, n)
	}
	old = old[:n]
	for i := range old {
		old[i] = enabledBitset{words: resize(old[i].words, wordsFor(rows))}
	}
	return old
}

// resize changes the number of rows. New rows are off.
func (s *enabledBitset) resize(rows int) {
	n, old := wordsFor(rows), len(s.words)
	s.words = slices.Grow(s.words, max(0, n-old))[:n]
	if n > old {
		clear(s.words[old:])
	}
}

// isOn reports whether a row is on.
func (s *enabledBitset) isOn(row int) bool {
	return atomic.LoadUint64(&s.words[row>>6])>>(row&63)&1 != 0
}

// set turns a row on or off.
func (s *enabledBitset) set(row int, on bool) {
	bit := uint64(1) << (row & 63)
	if on {
		if atomic.OrUint64(&s.words[row>>6], bit)&bit == 0 {
			atomic.AddInt32(&s.onCount, 1)
		}
		return
	}
	if atomic.AndUint64(&s.words[row>>6], ^bit)&bit != 0 {
		atomic.AddInt32(&s.onCount, -1)
	}
}

// loadBits returns the bits of n rows, beginning with row at; n ≤ 64.
func (s *enabledBitset) loadBits(at, n int) uint64 {
	i, shift := at>>6, at&63
	v := s.words[i] >> shift
	if shift+n > 64 {
		v |= s.words[i+1] << (64 - shift)
	}
	return v & lowBits(n)
}

// storeBits sets the bits of n rows, beginning with row at; n ≤ 64.
func (s *enabledBitset) storeBits(at, n int, v uint64) {
	i, shift := at>>6, at&63
	s.onCount += int32(bits.OnesCount64(v) - bits.OnesCount64(s.loadBits(at, n)))
	s.words[i] = s.words[i]&^(lowBits(n)<<shift) | v<<shift
	if shift+n > 64 {
		s.words[i+1] = s.words[i+1]&^(lowBits(n)>>(64-shift)) | v>>(64-shift)
	}
}

// lowBits returns a word whose lowest n bits are set, with n ≤ 64.
func lowBits(n int) uint64 { return ^uint64(0) >> (64 - n) }

// repeatBits sets the bits of n rows, beginning with row at, to repetitions of the 64 bits of v.
func (s *enabledBitset) repeatBits(at, n int, v uint64) {
	for n > 0 {
		k := min(n, 64)
		s.storeBits(at, k, v&lowBits(k))
		at, n = at+k, n-k
	}
}

// turnOn turns n rows on.
func (s *enabledBitset) turnOn(at, n int) { s.repeatBits(at, n, ^uint64(0)) }

// turnOff turns n rows off.
func (s *enabledBitset) turnOff(at, n int) { s.repeatBits(at, n, 0) }

// copyBits copies the bits of n rows from o. If o is s, the rows must not overlap.
func (s *enabledBitset) copyBits(at int, o *enabledBitset, from, n int) {
	for n > 0 {
		k := min(n, 64)
		s.storeBits(at, k, o.loadBits(from, k))
		at, from, n = at+k, from+k, n-k
	}
}

// reuseWords returns n zero words. If an unused element of list has enough memory, it returns this
// memory.
func reuseWords(list []enabledBitset, n int) []uint64 {
	for i := range list {
		if words := list[i].words; cap(words) >= n {
			list[i] = enabledBitset{}
			return resize(words, n)
		}
	}
	return make([]uint64, n)
}

// appendView returns the bits of rows [first, first+n), so that bit 0 is that of row first. all is the
// number of rows in the chunk.
func (s *enabledBitset) appendView(first, n, all int) []uint64 {
	if first == 0 && n == all {
		return s.words[:wordsFor(n)]
	}
	own := enabledBitset{words: make([]uint64, wordsFor(n))} // a copy, because the rows may start inside a word
	own.copyBits(0, s, first, n)
	return own.words
}
