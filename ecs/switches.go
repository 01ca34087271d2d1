package ecs

import (
	"math/bits"
	"slices"
	"sync/atomic"
)

// switches is the bits of one enableable column of a chunk: 1 says on. Bits of
// rows that are not live are 0. Jobs may turn rows of one chunk on and off from
// several workers, through look-ups, so that is done with atomic operations. The owner, and jobs that read
// the component, look at words plainly: the tracker lets none of them run beside a job that writes it.
type switches struct {
	words []uint64
	count int32 // of rows that are on
}

// wordsFor returns how many words the bits of n rows take.
func wordsFor(n int) int { return (n + 63) / 64 }

// resize returns s with n zero elements, in the same memory where it fits.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// newSwitches returns n switches of a chunk that has memory for so many rows, all off,
// in the memory of old ones where they fit.
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

// fit makes room for so many rows; new ones are off.
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

// take returns n bits from row at on; n is 64 at most.
func (s *switches) take(at, n int) uint64 {
	i, shift := at>>6, at&63
	v := s.words[i] >> shift
	if shift+n > 64 {
		v |= s.words[i+1] << (64 - shift)
	}
	return v & lowBits(n)
}

// put replaces n bits from row at on; n is 64 at most.
func (s *switches) put(at, n int, v uint64) {
	i, shift := at>>6, at&63
	s.count += int32(bits.OnesCount64(v) - bits.OnesCount64(s.take(at, n)))
	s.words[i] = s.words[i]&^(lowBits(n)<<shift) | v<<shift
	if shift+n > 64 {
		s.words[i+1] = s.words[i+1]&^(lowBits(n)>>(64-shift)) | v>>(64-shift)
	}
}

// lowBits returns a word whose lowest n bits are set; n is 64 at most.
func lowBits(n int) uint64 { return ^uint64(0) >> (64 - n) }

// spread replaces n bits from row at on by those of v, again and again.
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

// copy makes n rows what n rows of o are. Rows of one chunk must not overlap.
func (s *switches) copy(at int, o *switches, from, n int) {
	for n > 0 {
		k := min(n, 64)
		s.put(at, k, o.take(from, k))
		at, from, n = at+k, from+k, n-k
	}
}

// takeWords returns n words, all 0, of a list of switches that are not in use, or
// new ones.
func takeWords(list []switches, n int) []uint64 {
	for i := range list {
		if words := list[i].words; cap(words) >= n {
			list[i] = switches{}
			return resize(words, n)
		}
	}
	return make([]uint64, n)
}

// show returns the switches of some of the rows.
func (s *switches) show(first, n, all int) []uint64 {
	if first == 0 && n == all {
		return s.words[:wordsFor(n)]
	}
	own := switches{words: make([]uint64, wordsFor(n))} // new rows in an old chunk
	own.copy(0, s, first, n)
	return own.words
}
