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
	mostWide    = 1 << 18 // rows of more than a word of 32 bits, of which 2^11 pages at once are still found fast
	mostPacked  = 1 << 21 // the same of words of 32 bits that are packed with their values
	mostParts   = 64      // blocks of rows that are counted and moved by themselves
	leastRows   = 1 << 15 // of such a block
	alone       = 1 << 17 // rows that are not worth waking a worker for
	mostCounted = 1 << wideDigit
)

// places are how many rows have each value of a digit, then where the next of them goes.
type places = [mostCounted]uint32

// A radix sorts words with values. What a pass works on stands in its fields, and
// the bodies of the loops are made once, so that a pass allocates nothing.
type radix[W word, V any] struct {
	words, other  []W // from, to
	values, spare []V // nil if there are none
	rows, parts   int
	wide          bool // digits are
	pass
	tally
	pack packing

	count, scatter     func(lo, hi int)
	insertPart, unpack func(lo, hi int)

	given  [mostParts]bool // up, in settling
	loaded bool            // the words are the keys themselves
	odd    bool            // words and values are where other and spare began

	wordMemory, otherMemory []W // kept
	valueMemory             []V
}

// A pass moves all rows by one digit.
type pass struct {
	shift       uint // of the digit
	first, last bool // of the passes
	rough       bool // they leave rows for an insertion sort
}

// A tally is how often each block has the values of digits.
type tally struct {
	counts  []places // of each block those of its digits
	stride  int      // counts of a block
	counted []uint   // shifts of what the blocks count,
	base    int      // and at which of their counts
	digits  [mostDigits]uint
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
		r.count, r.scatter, r.insertPart, r.unpack = r.countParts, r.scatterParts, r.insertParts, r.unpackParts
	}
}

// part returns the rows of a block.
func (r *radix[W, V]) part(k int) (lo, hi int) {
	return cut(r.rows, r.parts, k), cut(r.rows, r.parts, k+1)
}

// cut returns where block k of some begins.
func cut(rows, parts, k int) int { return int(int64(rows) * int64(k) / int64(parts)) }

// sort orders the words, whose bits differ where varying has ones, and nowhere else, and the values.
// Afterwards words and values are the result. Where the highest digits tell most rows apart,
// it goes over these alone, and then over the rows once.
func (r *radix[W, V]) sort(pool *jobs.Pool, varying W) {
	r.wide = r.widens(uint64(varying))
	list := cutDigits(&r.digits, uint64(varying), r.width())
	r.stride, r.pack.on = len(list), false
	if n := r.parts * r.stride; len(r.counts) < n {
		r.counts = make([]places, n)
	}
	tops, counted := r.countTops(pool, list)
	if tops > 0 {
		r.passes(pool, list[:tops], true)
		if r.insertNearby(pool) {
			return
		}
		counted = 0
	}
	if r.parts > 1 {
		counted = len(list) - 1
	}
	r.countDigits(pool, list, counted)
	r.passes(pool, list, false)
}

// widens reports whether digits are to be wide: where that saves passes, and memory is near.
func (r *radix[W, V]) widens(varying uint64) bool {
	span := bits.Len64(varying) - bits.TrailingZeros64(varying)
	if r.rows < leastWide || (span+wideDigit-1)/wideDigit == (span+narrowDigit-1)/narrowDigit {
		return false
	}
	switch {
	case r.values == nil && is32[W]():
		return true
	case packs(r.words, r.values):
		return r.rows <= mostPacked
	}
	return r.rows <= mostWide
}

// width returns how many bits a digit has.
func (r *radix[W, V]) width() int {
	if r.wide {
		return wideDigit
	}
	return narrowDigit
}

// cutDigits cuts the bits that vary into digits of a width, and lists their shifts, the highest first. The
// last one may have bits of the one above, too.
func cutDigits(room *[mostDigits]uint, varying uint64, width int) []uint {
	list := room[:0]
	for varying != 0 {
		shift := uint(max(bits.Len64(varying)-width, 0))
		list = append(list, shift)
		varying &= 1<<shift - 1
	}
	return list
}

// countTops counts as many of the highest digits as tell rows apart, so that not more than one in
// sixteen has those of another one, and returns how many these are: 0 if that takes all digits. Some are counted.
func (r *radix[W, V]) countTops(pool *jobs.Pool, list []uint) (tops, counted int) {
	for k := r.likely(list); k < len(list); k++ {
		r.countDigits(pool, list[:k], counted)
		counted = k
		if tops = r.enough(k); tops > 0 {
			return tops, counted
		}
	}
	return 0, counted
}

// mostShare is how many rows may share the digits of one, in the mean, if passes are to be over those digits alone: each
// pair that comes out of order is a branch that no predictor foresees, twice.
const mostShare = 0.125

// likely guesses how many digits it takes to tell rows apart, from how often the highest digit of a few rows is
// the same, and as if the others were spread evenly.
func (r *radix[W, V]) likely(list []uint) int {
	const few = 64
	var digits [few]uint64
	mask, stride := uint64(1)<<r.width()-1, r.rows/few
	for i := range digits {
		digits[i] = uint64(r.words[i*stride]) >> (list[0] & 63) & mask
	}
	counts, pairs := &r.counts[0], uint32(0)
	for _, d := range digits {
		counts[d&(mostCounted-1)] = 0
	}
	for _, d := range digits {
		pairs += counts[d&(mostCounted-1)]
		counts[d&(mostCounted-1)]++
	}
	values := float64(mask + 1)
	share := float64(r.rows) * max(float64(2*pairs)/(few*(few-1)), 1/values)
	k := 1
	for ; share > mostShare && k < len(list); k++ {
		share /= values
	}
	return k
}

// enough returns how many of so many digits, which are counted, tell rows apart, as far as the counts of each digit
// tell, or 0 if not even all of them do.
func (r *radix[W, V]) enough(counted int) int {
	share := float64(r.rows)
	for i := range counted {
		squares := uint64(0)
		if r.parts == 1 {
			for _, n := range r.counts[i][:1<<r.width()] {
				squares += uint64(n) * uint64(n)
			}
		} else {
			for v := range 1 << r.width() {
				n := r.total(i, v)
				squares += n * n
			}
		}
		if share *= float64(squares) / (float64(r.rows) * float64(r.rows)); share <= mostShare {
			return i + 1
		}
	}
	return 0
}

// total returns how many rows of all blocks have a value of digit i.
func (r *radix[W, V]) total(i, value int) (n uint64) {
	for k := i; k < r.parts*r.stride; k += r.stride {
		n += uint64(r.counts[k][value])
	}
	return n
}

// countDigits counts the digits of a list from one on.
func (r *radix[W, V]) countDigits(pool *jobs.Pool, list []uint, from int) {
	r.counted, r.base = list[from:], from
	spread(pool, r.parts, r.count)
}

// passes moves rows by digits, the lowest first, which is the last of the list. Alone all of them
// have been counted, and with others that one. A digit that all rows share takes no pass.
func (r *radix[W, V]) passes(pool *jobs.Pool, list []uint, rough bool) {
	r.rough, r.first = rough, true
	r.begin(len(list))
	brought := false // back
	for i := len(list) - 1; i >= 0; i-- {
		r.shift, r.last = list[i], i == 0
		if r.parts > 1 && i < len(list)-1 {
			r.countDigits(pool, list[:i+1], i)
		}
		if r.shared(i) {
			continue
		}
		r.base = i
		place(r.counts[i:], 1<<r.width(), r.parts, r.stride)
		spread(pool, r.parts, r.scatter)
		brought = !r.first && r.brings()
		r.swap()
		r.first = false
	}
	if r.first || r.pack.on && !rough {
		if !r.first && !brought {
			spread(pool, r.parts, r.unpack)
		}
		r.pack.on = false
	}
}

// shared reports whether all rows have the same value of digit i: that of any row.
func (r *radix[W, V]) shared(i int) bool {
	value := uint64(r.words[0])
	if r.pack.on && !r.first {
		value = r.pack.words[0]
	}
	return r.total(i, int(value>>(r.shift&63)&(1<<r.width()-1))) == uint64(r.rows)
}

// begin looks where the values go along in one lane with their words.
func (r *radix[W, V]) begin(passes int) {
	p := &r.pack
	if p.on = passes > 1 && r.rows >= leastWide && packs(r.words, r.values); p.on {
		for i := range p.memory {
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
		if r.wide {
			countPart[[wideDigit]byte](r, k)
		} else {
			countPart[[narrowDigit]byte](r, k)
		}
	}
}

func countPart[D width, W word, V any](r *radix[W, V], k int) {
	lo, hi := r.part(k)
	counts := r.counts[k*r.stride+r.base : (k+1)*r.stride]
	if r.pack.on && !r.first {
		countAll[D](counts, r.pack.words[lo:hi], r.counted)
	} else {
		countAll[D](counts, r.words[lo:hi], r.counted)
	}
}

func (r *radix[W, V]) scatterParts(from, to int) {
	for k := from; k < to; k++ {
		if r.wide {
			scatterPart[[wideDigit]byte](r, k)
		} else {
			scatterPart[[narrowDigit]byte](r, k)
		}
	}
}

// scatterPart moves the rows of a block to their places.
func scatterPart[D width, W word, V any](r *radix[W, V], k int) {
	lo, hi := r.part(k)
	places := &r.counts[k*r.stride+r.base]
	switch {
	case r.pack.on:
		movePacked[D](r, places, lo, hi)
	case r.values == nil:
		scatterWords[D](r.other, r.words[lo:hi], places, r.shift)
	default:
		scatterPairs[D](r.other, r.words[lo:hi], r.spare, r.values[lo:hi], places, r.shift)
	}
}

// place turns counts of some blocks into places: those of value 0 first, and of these the rows of
// the first block. Those of a block are so many counts apart.
func place(counts []places, values, parts, stride int) {
	next := uint32(0)
	if parts == 1 {
		for v, n := range counts[0][:values] {
			counts[0][v], next = next, next+n
		}
		return
	}
	for v := range values {
		for k := 0; k < parts*stride; k += stride {
			c := &counts[k][v]
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
