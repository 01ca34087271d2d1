package ecs

import (
	"math/bits"
	"slices"
	"sync/atomic"
)

// switches holds the bits of one enableable column of a chunk: 1 means on. Bits of unused rows are
// 0, so that counts and hashes need no mask. Jobs on several workers may switch rows of one chunk
// at the same time, through look-ups, so set uses atomic operations. The owner, and jobs that read
// the component, may read whole words without them, because the tracker runs none of them beside a
// job that writes the component.
type switches struct {
	words []uint64
	count int32 // of rows that are on
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

// newSwitches returns n columns of switches for a chunk with the given number of rows, all off. It
// reuses the memory of old.
func newSwitches(old []switches, n, rows int) []switches {
	if cap(old) < n {
		old = make([]switches, n)
	}
	old = old[:n]
	for i := range old {
		old[i] = switches{words: resize(old[i].words, wordsFor(rows))}
	}
	return old
}

// fit changes the number of rows. New rows are off.
func (s *switches) fit(rows int) {
	n, old := wordsFor(rows), len(s.words)
	s.words = slices.Grow(s.words, max(0, n-old))[:n]
	if n > old {
		clear(s.words[old:])
	}
}

// on reports whether a row is on.
func (s *switches) on(row int) bool {
	return atomic.LoadUint64(&s.words[row>>6])>>(row&63)&1 != 0
}

// set turns a row on or off.
func (s *switches) set(row int, on bool) {
	bit := uint64(1) << (row & 63)
	if on {
		if atomic.OrUint64(&s.words[row>>6], bit)&bit == 0 {
			atomic.AddInt32(&s.count, 1)
		}
		return
	}
	if atomic.AndUint64(&s.words[row>>6], ^bit)&bit != 0 {
		atomic.AddInt32(&s.count, -1)
	}
}

// take returns the n bits that start at row at, with n ≤ 64.
func (s *switches) take(at, n int) uint64 {
	i, shift := at>>6, at&63
	v := s.words[i] >> shift
	if shift+n > 64 {
		v |= s.words[i+1] << (64 - shift)
	}
	return v & lowBits(n)
}

// put replaces the n bits that start at row at, with n ≤ 64.
func (s *switches) put(at, n int, v uint64) {
	i, shift := at>>6, at&63
	s.count += int32(bits.OnesCount64(v) - bits.OnesCount64(s.take(at, n)))
	s.words[i] = s.words[i]&^(lowBits(n)<<shift) | v<<shift
	if shift+n > 64 {
		s.words[i+1] = s.words[i+1]&^(lowBits(n)>>(64-shift)) | v>>(64-shift)
	}
}

// lowBits returns a word whose lowest n bits are set, with n ≤ 64.
func lowBits(n int) uint64 { return ^uint64(0) >> (64 - n) }

// spread replaces the n bits that start at row at by repetitions of v.
func (s *switches) spread(at, n int, v uint64) {
	for n > 0 {
		k := min(n, 64)
		s.put(at, k, v&lowBits(k))
		at, n = at+k, n-k
	}
}

// fill turns n rows on.
func (s *switches) fill(at, n int) { s.spread(at, n, ^uint64(0)) }

// clear turns n rows off.
func (s *switches) clear(at, n int) { s.spread(at, n, 0) }

// copy copies the bits of n rows from o. If o is s, the rows must not overlap.
func (s *switches) copy(at int, o *switches, from, n int) {
	for n > 0 {
		k := min(n, 64)
		s.put(at, k, o.take(from, k))
		at, from, n = at+k, from+k, n-k
	}
}

// takeWords returns n zero words. It takes the memory of one of the unused switches in list, if one
// is large enough.
func takeWords(list []switches, n int) []uint64 {
	for i := range list {
		if words := list[i].words; cap(words) >= n {
			list[i] = switches{}
			return resize(words, n)
		}
	}
	return make([]uint64, n)
}

// show returns the bits of rows [first, first+n), starting at bit 0. all is the number of rows in
// the chunk.
func (s *switches) show(first, n, all int) []uint64 {
	if first == 0 && n == all {
		return s.words[:wordsFor(n)]
	}
	own := switches{words: make([]uint64, wordsFor(n))} // a copy, because the rows may start inside a word
	own.copy(0, s, first, n)
	return own.words
}
