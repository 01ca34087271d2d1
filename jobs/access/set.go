package access

import (
	"fmt"
	"iter"
	"math/bits"
)

// Access lists the components and archetypes that a job touches.
type Access struct {
	Read  Set // components that it only reads
	Write Set // components that it writes, and may read
	Where Set // archetypes that it touches; empty means all
}

// Set is a set of small non-negative numbers, such as component ids or archetypes. Numbers below
// 256 are stored inside, larger numbers in a slice. The zero Set is empty. A copy shares the
// slice: use Assign to copy.
type Set struct {
	low  [4]uint64
	high []uint64 // 256 and up
}

// Add adds i to the set. It panics if i is negative. It allocates only for numbers of 256 or
// more.
func (s *Set) Add(i int) {
	if w := i >> 6; uint(w) < uint(len(s.low)) {
		s.low[w] |= 1 << (i & 63)
		return
	}
	if i < 0 {
		panic(fmt.Sprintf("access: Set.Add: i is %d", i))
	}
	word := i>>6 - len(s.low)
	for word >= len(s.high) {
		s.high = append(s.high, 0)
	}
	s.high[word] |= 1 << (i & 63)
}

// Remove removes i from the set, if it is there.
func (s *Set) Remove(i int) {
	if w := i >> 6; uint(w) < uint(len(s.low)) {
		s.low[w] &^= 1 << (i & 63)
	} else if word := w - len(s.low); uint(word) < uint(len(s.high)) {
		s.high[word] &^= 1 << (i & 63)
	}
}

// Has reports whether i is in the set.
func (s *Set) Has(i int) bool {
	if w := i >> 6; uint(w) < uint(len(s.low)) {
		return s.low[w]&(1<<(i&63)) != 0
	}
	word := i>>6 - len(s.low)
	return uint(word) < uint(len(s.high)) && s.high[word]&(1<<(i&63)) != 0
}

// Empty reports whether the set has no numbers.
func (s *Set) Empty() bool {
	if s.low[0]|s.low[1]|s.low[2]|s.low[3] != 0 {
		return false
	}
	for _, w := range s.high {
		if w != 0 {
			return false
		}
	}
	return true
}

// Len returns the number of elements of the set.
func (s *Set) Len() int {
	n := 0
	for _, w := range s.low {
		n += bits.OnesCount64(w)
	}
	for _, w := range s.high {
		n += bits.OnesCount64(w)
	}
	return n
}

// Meets reports whether the two sets have a number in common.
func (s *Set) Meets(o *Set) bool {
	if s.low[0]&o.low[0]|s.low[1]&o.low[1]|s.low[2]&o.low[2]|s.low[3]&o.low[3] != 0 {
		return true
	}
	for i := range min(len(s.high), len(o.high)) {
		if s.high[i]&o.high[i] != 0 {
			return true
		}
	}
	return false
}

// Covers reports whether every number of o is in s.
func (s *Set) Covers(o *Set) bool {
	if o.low[0]&^s.low[0]|o.low[1]&^s.low[1]|o.low[2]&^s.low[2]|o.low[3]&^s.low[3] != 0 {
		return false
	}
	for i, w := range o.high {
		if i < len(s.high) {
			w &^= s.high[i]
		}
		if w != 0 {
			return false
		}
	}
	return true
}

// Union adds every number of o.
func (s *Set) Union(o *Set) {
	for i, w := range o.low {
		s.low[i] |= w
	}
	for len(s.high) < len(o.high) {
		s.high = append(s.high, 0)
	}
	for i, w := range o.high {
		s.high[i] |= w
	}
}

// Assign makes s equal to o without sharing memory; it reuses the memory of s.
func (s *Set) Assign(o *Set) {
	s.low = o.low
	if s.high = s.high[:0]; len(o.high) > 0 {
		s.high = append(s.high, o.high...)
	}
}

// Clear empties the set and keeps its memory.
func (s *Set) Clear() {
	s.low = [4]uint64{}
	s.high = s.high[:0]
}

// words is the number of words of 64 numbers that the set has.
func (s *Set) words() int {
	if s.low[1]|s.low[2]|s.low[3] == 0 && len(s.high) == 0 {
		return 1
	}
	return len(s.low) + len(s.high)
}

// word is the i-th word of the set; words beyond its end are 0.
func (s *Set) word(i int) uint64 {
	if i < len(s.low) {
		return s.low[i]
	}
	if i -= len(s.low); i < len(s.high) {
		return s.high[i]
	}
	return 0
}

// All yields the numbers in ascending order.
func (s *Set) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range s.words() {
			for w := s.word(i); w != 0; w &= w - 1 {
				if !yield(i<<6 + bits.TrailingZeros64(w)) {
					return
				}
			}
		}
	}
}
