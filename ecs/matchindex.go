package ecs

import (
	"math/bits"
	"sync/atomic"
)

// found is where the matches of a query are found by their archetypes, which jobs may
// do too, while the owner makes archetypes: it writes nothing that they read but the
// bits of a word, and those last.
type found struct {
	words   []foundWord
	matches []*match // of the archetypes in order; nil where there is room for more
}

// foundWord is 64 archetypes.
type foundWord struct {
	bits   atomic.Uint64 // those that match; written by the owner, read by any goroutine
	before uint32        // matches of earlier words; of a word with bits
}

// newFound returns a found with room for so many archetypes, and for so many matches.
func newFound(archetypes, matches int) *found {
	return &found{make([]foundWord, (archetypes+63)>>6), make([]*match, matches)}
}

// of returns the match of an archetype, or nil.
func (f *found) of(index int) *match {
	if index>>6 >= len(f.words) {
		return nil
	}
	word := &f.words[index>>6]
	all, own := word.bits.Load(), uint64(1)<<(index&63)
	if all&own == 0 {
		return nil
	}
	return f.matches[int(word.before)+bits.OnesCount64(all&(own-1))]
}

// place puts a match behind those that the query has, whose archetypes are older.
func (q *matching) place(m *match) {
	f, n, at := q.shown.Load(), len(q.matches), m.arch.index
	if f == nil || at>>6 >= len(f.words) || n == len(f.matches) {
		more := newFound(max(2*at, 64), max(2*n, 4))
		for i := range q.matches {
			more.add(q.matches[i], i)
		}
		f = more
		f.add(m, n)
		q.shown.Store(f)
	} else {
		f.add(m, n)
	}
	q.matches = f.matches[:n+1]
}

// add puts a match behind the n that there are.
func (f *found) add(m *match, n int) {
	word := &f.words[m.arch.index>>6]
	all := word.bits.Load()
	if all == 0 {
		word.before = uint32(n)
	}
	f.matches[n] = m
	word.bits.Store(all | 1<<(m.arch.index&63))
}

// matchOf returns the match of archetype a; nil if the query does not match it. Jobs
// may ask too.
func (q *matching) matchOf(a *archetype) *match {
	f := q.shown.Load()
	if f == nil || a == nil || a.world != q.in.home {
		return nil
	}
	return f.of(a.index)
}
