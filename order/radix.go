package order

import "github.com/lanewise/lanewise/jobs"

// A word is what keys become.
type word interface{ uint32 | uint64 }

const (
	digits    = 256     // of eight bits
	mostParts = 64      // blocks of rows that are counted and moved by themselves
	leastRows = 1 << 15 // of such a block
	alone     = 1 << 16 // rows that are not worth waking anybody for
)

// A radix sorts words with values. What a pass works on stands in its fields, and
// the bodies of the loops are made once, so that a pass allocates nothing.
type radix[W word, V any] struct {
	words, other   []W // from, to
	values, spare  []V // nil if there are none
	shift          uint
	rows, parts    int
	counts         [][digits]uint32 // of each block, then where its next row goes
	count, scatter func(lo, hi int)

	loaded bool // the words are the keys themselves
	odd    bool // words and values are where other and spare began

	wordMemory, otherMemory []W // kept
	valueMemory             []V
}

// divide says how many blocks there are for n rows, by n alone.
func (r *radix[W, V]) divide(n int) {
	r.rows, r.parts = n, min(max(n/leastRows, 1), mostParts)
	if len(r.counts) < r.parts {
		r.counts = make([][digits]uint32, r.parts)
	}
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
	if pool == nil || r.rows < alone {
		r.sortAlone(varying)
		return
	}
	for shift := uint(0); varying != 0; shift, varying = shift+8, varying>>7>>1 {
		if varying%digits == 0 {
			continue
		}
		r.shift = shift
		spread(pool, r.rows, r.parts, r.count)
		r.place()
		spread(pool, r.rows, r.parts, r.scatter)
		r.swap()
	}
}

// sortAlone does the same in one block, and counts the digits of the next pass while
// it moves the rows of this one.
func (r *radix[W, V]) sortAlone(varying W) {
	var places, next [digits]uint32
	shift := digitFrom(varying, 0)
	countDigits(&places, r.words, shift)
	for {
		at := uint32(0)
		for d, c := range places {
			places[d], at = at, at+c
		}
		then := digitFrom(varying, shift+8)
		switch last := then >= 64; {
		case r.values != nil && last:
			scatterPairs(r.other, r.words, r.spare, r.values, &places, shift)
		case r.values != nil:
			scatterPairsAhead(r.other, r.words, r.spare, r.values, &places, shift, &next, then)
		case last:
			scatterWords(r.other, r.words, &places, shift)
		default:
			scatterWordsAhead(r.other, r.words, &places, shift, &next, then)
		}
		r.swap()
		if then >= 64 {
			return
		}
		places, next, shift = next, [digits]uint32{}, then
	}
}

// digitFrom returns the shift of the first digit that varies, from one on; 64 or
// more if there is none.
func digitFrom[W word](varying W, shift uint) uint {
	for shift < 64 && (uint64(varying)>>shift)%digits == 0 {
		shift += 8
	}
	return shift
}

// swap makes what was written what is read.
func (r *radix[W, V]) swap() {
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
		countDigits(&r.counts[k], r.words[lo:hi], r.shift)
	}
}

func countDigits[W word](counts *[digits]uint32, words []W, shift uint) {
	clear(counts[:])
	for _, w := range words {
		counts[uint8(uint64(w)>>(shift&63))]++
	}
}

// place turns counts into places: those of digit 0 first, and of these the rows of
// the first block.
func (r *radix[W, V]) place() {
	next := uint32(0)
	for d := range digits {
		for k := range r.counts[:r.parts] {
			c := &r.counts[k][d]
			*c, next = next, next+*c
		}
	}
}

func (r *radix[W, V]) scatterParts(from, to int) {
	for k := from; k < to; k++ {
		lo, hi := r.part(k)
		if r.values == nil {
			scatterWords(r.other, r.words[lo:hi], &r.counts[k], r.shift)
		} else {
			scatterPairs(r.other, r.words[lo:hi], r.spare, r.values[lo:hi], &r.counts[k], r.shift)
		}
	}
}

func scatterWords[W word](dst, src []W, places *[digits]uint32, shift uint) {
	for _, w := range src {
		p := &places[uint8(uint64(w)>>(shift&63))]
		dst[*p] = w
		*p++
	}
}

func scatterPairs[W word, V any](dst, src []W, to, from []V, places *[digits]uint32, shift uint) {
	from = from[:len(src)]
	to = to[:len(dst)]
	for i, w := range src {
		p := &places[uint8(uint64(w)>>(shift&63))]
		at := *p
		*p = at + 1
		dst[at] = w
		to[at] = from[i]
	}
}

func scatterWordsAhead[W word](dst, src []W, places *[digits]uint32, shift uint, next *[digits]uint32, then uint) {
	for _, w := range src {
		p := &places[uint8(uint64(w)>>(shift&63))]
		next[uint8(uint64(w)>>(then&63))]++
		dst[*p] = w
		*p++
	}
}

func scatterPairsAhead[W word, V any](dst, src []W, to, from []V, places *[digits]uint32, shift uint, next *[digits]uint32, then uint) {
	from = from[:len(src)]
	to = to[:len(dst)]
	for i, w := range src {
		p := &places[uint8(uint64(w)>>(shift&63))]
		next[uint8(uint64(w)>>(then&63))]++
		at := *p
		*p = at + 1
		dst[at] = w
		to[at] = from[i]
	}
}

// grown returns memory for n rows: what there is, if that is enough.
func grown[E any](memory []E, n int) []E {
	if cap(memory) < n {
		return make([]E, n)
	}
	return memory[:n]
}
