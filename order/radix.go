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
	leastWide   = 1 << 14 // rows that are worth so many counts
	mostWide    = 1 << 18 // rows of 64 bits, of which 2^11 pages at once are still found fast
	mostParts   = 64      // blocks of rows that are counted and moved by themselves
	leastRows   = 1 << 15 // of such a block
	alone       = 1 << 17 // rows that are not worth waking anybody for
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
	words, other  []W // from, to
	values, spare []V // nil if there are none
	rows, parts   int
	pass
	tally
	pack packing

	count, scatter func(lo, hi int)
	settle, unpack func(lo, hi int)

	given  [mostParts]bool // up, in settling
	loaded bool            // the words are the keys themselves
	odd    bool            // words and values are where other and spare began

	wordMemory, otherMemory []W // kept
	valueMemory             []V
}

// A pass moves all rows by one digit.
type pass struct {
	digit       digit
	first, last bool // of the passes
	rough       bool // they leave rows to be settled
}

// A tally is how often each block has the values of digits.
type tally struct {
	counts  []places // of each block those of its digits
	apart   int      // counts of a block
	counted []digit  // what the blocks count,
	base    int      // and at which of their counts
	digits  [2][mostDigits]digit
}

// divide says how many blocks there are for n rows, as many for each worker; the result does not
// depend on it.
func (r *radix[W, V]) divide(pool *jobs.Pool, n int) {
	r.rows, r.parts = n, 1
	if pool != nil && pool.Workers() > 1 && n >= alone {
		workers := pool.Workers()
		r.parts = max(1, min(workers*min(max(n/(workers*leastRows), 1), 4), 2*n/leastRows, mostParts))
	}
	if r.count == nil {
		r.count, r.scatter, r.settle, r.unpack = r.countParts, r.scatterParts, r.settleParts, r.unpackParts
	}
}

// part returns the rows of a block.
func (r *radix[W, V]) part(k int) (lo, hi int) {
	return cut(r.rows, r.parts, k), cut(r.rows, r.parts, k+1)
}

// cut returns where block k of some begins.
func cut(rows, parts, k int) int { return int(int64(rows) * int64(k) / int64(parts)) }

// sort orders the words, whose bits differ where varying has ones, and the values.
// Afterwards words and values are the result. Where the highest digits tell most rows apart,
// it goes over these alone, and then over the rows once.
func (r *radix[W, V]) sort(pool *jobs.Pool, varying W) {
	most := r.widest()
	list := cutDigits[W](&r.digits[0], uint64(varying), fewest(uint64(varying), most))
	r.apart, r.pack.on = len(list), false
	if n := r.parts * r.apart; len(r.counts) < n {
		r.counts = make([]places, n)
	}
	if tops, ok := r.tellApart(pool, uint64(varying), most); ok {
		r.passes(pool, tops, true)
		if r.settled(pool) {
			return
		}
	}
	if r.parts == 1 {
		r.countDigits(pool, list, 0)
	} else {
		r.countDigits(pool, list, len(list)-1)
	}
	r.passes(pool, list, false)
}

// widest returns how many bits a digit may have.
func (r *radix[W, V]) widest() int {
	if r.rows >= leastWide && (r.rows <= mostWide || r.values == nil && is32[W]()) {
		return wideDigit
	}
	return narrowDigit
}

// fewest returns how wide digits are if there are as few as can be, all as wide.
func fewest(varying uint64, most int) int {
	span := bits.Len64(varying) - bits.TrailingZeros64(varying)
	passes := (span + most - 1) / most
	return (span + passes - 1) / passes
}

// cutDigits cuts the bits that vary into digits, and lists them, the highest first. The last one may
// have bits of the one above, too.
func cutDigits[W word](room *[mostDigits]digit, varying uint64, width int) []digit {
	list := room[:0]
	for varying != 0 {
		shift := uint(max(bits.Len64(varying)-width, 0))
		list = append(list, digit{shift, width, uint64(^W(0)) >> shift & (1<<width - 1)}) // packed, values are above
		varying &= 1<<shift - 1
	}
	return list
}

// tellApart counts as many of the highest digits as tell rows apart, so that not more than one in
// eight has those of another one, and returns them. It reports false if that takes all digits.
func (r *radix[W, V]) tellApart(pool *jobs.Pool, varying uint64, most int) (_ []digit, ok bool) {
	want := bits.Len(uint(r.rows)) + 2 // bits, if all values of them are as frequent
	passes := (want + most - 1) / most
	tops := cutDigits[W](&r.digits[1], varying, max(narrowDigit, (want+passes-1)/passes))
	limit, k := min(r.apart, len(tops)), 1
	for k < limit && bits.OnesCount64(varying>>tops[k-1].shift) < want {
		k++
	}
	if k >= limit {
		return nil, false
	}
	r.countDigits(pool, tops[:k], 0)
	for r.crowded(tops[:k]) {
		if k++; k >= limit {
			return nil, false
		}
		r.countDigits(pool, tops[:k], k-1)
	}
	return tops[:k], true
}

// crowded reports whether more than one row in eight has the digits of another one, as far as the
// counts of each digit tell.
func (r *radix[W, V]) crowded(list []digit) bool {
	share := float64(r.rows)
	for i, d := range list {
		squares := uint64(0)
		if r.parts == 1 {
			for _, n := range r.counts[i][:1<<d.bits] {
				squares += uint64(n) * uint64(n)
			}
		} else {
			for v := range 1 << d.bits {
				n := uint64(0)
				for k := i; k < r.parts*r.apart; k += r.apart {
					n += uint64(r.counts[k][v])
				}
				squares += n * n
			}
		}
		share *= float64(squares) / (float64(r.rows) * float64(r.rows))
	}
	return share > 0.25 // each pair is counted twice
}

// countDigits counts the digits of a list from one on.
func (r *radix[W, V]) countDigits(pool *jobs.Pool, list []digit, from int) {
	r.counted, r.base = list[from:], from
	spread(pool, r.parts, r.count)
}

// passes moves rows by digits, the lowest first, which is the last of the list. Alone all of them
// have been counted, and with others that one.
func (r *radix[W, V]) passes(pool *jobs.Pool, list []digit, rough bool) {
	r.rough = rough
	r.begin(len(list))
	for i := len(list) - 1; i >= 0; i-- {
		d := list[i]
		r.digit, r.first, r.last = d, i == len(list)-1, i == 0
		if r.parts > 1 && !r.first {
			r.countDigits(pool, list[:i+1], i)
		}
		r.base = i
		place(r.counts[i:], d, r.parts, r.apart)
		spread(pool, r.parts, r.scatter)
		r.swap()
	}
}

// begin looks where the values go along in one lane with their words.
func (r *radix[W, V]) begin(passes int) {
	p := &r.pack
	if p.on = passes > 1 && packs(r.words, r.values); p.on {
		lanes := passes - 1 // the last pass brings them back
		if r.rough {
			lanes = passes
		}
		for i := range p.memory[:min(lanes, 2)] {
			p.memory[i] = grown(p.memory[i], r.rows)
		}
		p.other, p.words = p.memory[0], p.memory[1]
		return
	}
	if r.other != nil {
		return // passes that were not enough have left it where words are not
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

// spread runs a body for all blocks, on the pool if there are more than one.
func spread(pool *jobs.Pool, parts int, body func(lo, hi int)) {
	if parts == 1 {
		body(0, 1)
		return
	}
	if err := pool.Range(parts, 1, body); err != nil {
		panic(err) // of a body: there is nothing in it that a caller can cause
	}
}

func (r *radix[W, V]) countParts(from, to int) {
	for k := from; k < to; k++ {
		lo, hi := r.part(k)
		counts := r.counts[k*r.apart+r.base : (k+1)*r.apart]
		if r.pack.on {
			countAll(counts, r.pack.words[lo:hi], r.counted)
		} else {
			countAll(counts, r.words[lo:hi], r.counted)
		}
	}
}

func (r *radix[W, V]) scatterParts(from, to int) {
	for k := from; k < to; k++ {
		lo, hi := r.part(k)
		r.move(&r.counts[k*r.apart+r.base], lo, hi)
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

// place turns counts of some blocks into places: those of digit 0 first, and of these the rows of
// the first block. Those of a block are so many counts apart.
func place(counts []places, of digit, parts, apart int) {
	next := uint32(0)
	if parts == 1 {
		for d, n := range counts[0][:1<<of.bits] {
			counts[0][d], next = next, next+n
		}
		return
	}
	for d := range 1 << of.bits {
		for k := 0; k < parts*apart; k += apart {
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
