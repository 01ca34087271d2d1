package order

import (
	"math/bits"

	"github.com/lanewise/lanewise/jobs"
)

// A word is what keys become.
type word interface{ uint32 | uint64 }

const (
	narrowDigit = 8       // bits of a digit
	wideDigit   = 11      // of one where lines for all of them are near
	mostDigits  = 8       // of a word
	leastWide   = 1 << 13 // rows that are worth so many counts
	mostWide    = 1 << 18 // rows of 64 bits, of which 2^11 pages at once are still found fast
	mostParts   = 64      // blocks of rows that are counted and moved by themselves
	leastRows   = 1 << 15 // of such a block
	alone       = 1 << 16 // rows that are not worth waking anybody for
	mostCounted = 1 << wideDigit
)

// places are how many rows have each value of a digit, then where the next of them goes.
type places = [mostCounted]uint32

// A digit is some bits of a word.
type digit struct {
	shift uint
	bits  int
	mask  uint64 // of the bits, once shifted
}

// A radix sorts words with values. What a pass works on stands in its fields, and
// the bodies of the loops are made once, so that a pass allocates nothing.
type radix[W word, V any] struct {
	words, other   []W // from, to
	values, spare  []V // nil if there are none
	digit          digit
	rows, parts    int
	counts         []places // of each block; alone, of each digit
	count, scatter func(lo, hi int)

	loaded bool // the words are the keys themselves
	odd    bool // words and values are where other and spare began

	first, last bool // of the passes
	pack        packing

	wordMemory, otherMemory []W // kept
	valueMemory             []V
}

// divide says how many blocks there are for n rows, by n alone.
func (r *radix[W, V]) divide(n int) {
	r.rows, r.parts = n, min(max(n/leastRows, 1), mostParts)
	if r.count == nil {
		r.count, r.scatter = r.countParts, r.scatterParts
	}
}

// part returns the rows of a block.
func (r *radix[W, V]) part(k int) (lo, hi int) {
	return cut(r.rows, r.parts, k), cut(r.rows, r.parts, k+1)
}

// cut returns where block k of some begins.
func cut(rows, parts, k int) int { return int(int64(rows) * int64(k) / int64(parts)) }

// sort orders the words, whose bits differ where varying has ones, and the values.
// Afterwards words and values are the result.
func (r *radix[W, V]) sort(pool *jobs.Pool, varying W) {
	together := pool != nil && r.rows >= alone
	if !together {
		r.parts = 1
	}
	var room [mostDigits]digit
	list := r.cutDigits(&room, uint64(varying), together)
	if n := max(r.parts, len(list)); len(r.counts) < n {
		r.counts = make([]places, n)
	}
	r.begin(len(list))
	if !together {
		countAll(r.counts, r.words, list)
	}
	for i, d := range list {
		r.digit, r.first, r.last = d, i == 0, i == len(list)-1
		if together {
			spread(pool, r.rows, r.parts, r.count)
			place(r.counts[:r.parts], d)
			spread(pool, r.rows, r.parts, r.scatter)
		} else {
			place(r.counts[i:i+1], d)
			r.move(&r.counts[i], 0, r.rows)
		}
		r.swap()
	}
}

// cutDigits cuts the bits that vary into digits, the lowest first, all about as wide.
func (r *radix[W, V]) cutDigits(room *[mostDigits]digit, varying uint64, together bool) []digit {
	most := narrowDigit
	if !together && r.rows >= leastWide && (r.rows <= mostWide || r.values == nil && is32[W]()) {
		most = wideDigit
	}
	span := bits.Len64(varying) - bits.TrailingZeros64(varying)
	passes := (span + most - 1) / most
	width := (span + passes - 1) / passes
	list := room[:0]
	for shift := uint(0); varying>>shift != 0; shift += uint(width) {
		shift += uint(bits.TrailingZeros64(varying >> shift))
		list = append(list, digit{shift, width, uint64(^W(0)) >> shift & (1<<width - 1)}) // packed, values are above
	}
	return list
}

// begin looks where the values go along in one lane with their words.
func (r *radix[W, V]) begin(passes int) {
	p := &r.pack
	if p.on = passes > 1 && packs(r.words, r.values); p.on {
		for i := range p.memory[:min(passes-1, 2)] {
			p.memory[i] = grown(p.memory[i], r.rows)
		}
		p.other, p.words = p.memory[0], p.memory[1]
		return
	}
	r.otherMemory = grown(r.otherMemory, r.rows)
	r.other = r.otherMemory
	if r.values != nil {
		r.valueMemory = grown(r.valueMemory, r.rows)
		r.spare = r.valueMemory
	}
}

// swap makes what was written what is read.
func (r *radix[W, V]) swap() {
	if r.pack.on {
		r.pack.words, r.pack.other = r.pack.other, r.pack.words
		return
	}
	r.words, r.other = r.other, r.words
	r.values, r.spare = r.spare, r.values
	r.odd = !r.odd
}

// spread runs a body for all blocks, on the pool if they are worth it.
func spread(pool *jobs.Pool, rows, parts int, body func(lo, hi int)) {
	if pool == nil || rows < alone {
		body(0, parts)
		return
	}
	if err := pool.Range(parts, 1, body); err != nil {
		panic(err) // of a body: there is nothing in it that a caller can cause
	}
}

func (r *radix[W, V]) countParts(from, to int) {
	for k := from; k < to; k++ {
		lo, hi := r.part(k)
		if r.pack.on && !r.first {
			countAll(r.counts[k:k+1], r.pack.words[lo:hi], []digit{r.digit})
		} else {
			countAll(r.counts[k:k+1], r.words[lo:hi], []digit{r.digit})
		}
	}
}

func (r *radix[W, V]) scatterParts(from, to int) {
	for k := from; k < to; k++ {
		lo, hi := r.part(k)
		r.move(&r.counts[k], lo, hi)
	}
}

// move moves some rows to their places.
func (r *radix[W, V]) move(places *places, lo, hi int) {
	switch {
	case r.pack.on:
		r.movePacked(places, lo, hi)
	case r.values == nil:
		scatterWords(r.other, r.words[lo:hi], places, r.digit)
	default:
		scatterPairs(r.other, r.words[lo:hi], r.spare, r.values[lo:hi], places, r.digit)
	}
}

// place turns counts into places: those of digit 0 first, and of these the rows of
// the first block.
func place(counts []places, of digit) {
	next := uint32(0)
	for d := range 1 << of.bits {
		for k := range counts {
			c := &counts[k][d]
			*c, next = next, next+*c
		}
	}
}

// grown returns memory for n rows: what there is, if that is enough.
func grown[E any](memory []E, n int) []E {
	if cap(memory) < n {
		return make([]E, n)
	}
	return memory[:n]
}
