package order

import (
	"math/bits"

	"github.com/lanewise/lanewise/jobs"
)

// A word is an unsigned number. Words have the same order as their keys.
type word interface{ uint32 | uint64 }

const (
	narrowDigit       = 8       // bits of a digit
	mediumDigit       = 10      // bits of a digit of few rows whose highest bits have few values, like floats
	wideDigit         = 11      // bits of a wide digit: the counts and the lines that a pass writes fit into a near cache
	maxDigits         = 8       // digits of a word
	minMediumRows     = 3 << 8  // fewest rows that are worth the counts of medium digits
	minLongMediumRows = 1 << 13 // the same for words of 64 bits, which take more of the cache
	minFewWideRows    = 5 << 8  // fewest rows that may be worth the counts of wide digits
	minWideRows       = 1 << 14 // fewest rows that are worth them if they save a pass
	maxWideRows       = 1 << 18 // most rows with wide digits: the TLB still holds 2^11 pages of them
	maxWidePackedRows = 1 << 21 // the same for packed pairs
	maxBlocks         = 64      // blocks of rows, each counted and moved by one worker
	minBlockRows      = 1 << 15 // rows of a block
	minParallelRows   = 1 << 17 // with fewer rows, waking a worker costs more than it gains
	maxBuckets        = 1 << wideDigit
)

// A histogram holds the number of rows for each value of a digit. prefixSums turns each number into
// an offset: the position of the next row with that value.
type histogram = [maxBuckets]uint32

// A radix sorts words, with or without values. The arguments of a pass are in fields, and the
// bodies of the loops are created once, so that a pass allocates nothing.
type radix[W word, V any] struct {
	words, wordsOut   []W // source and destination of a pass
	values, valuesOut []V // nil if there are none
	rows, blocks      int
	digitBits         int // narrowDigit, mediumDigit or wideDigit
	pass
	digitCounts
	packed packedPairs

	countBody, scatterBody func(lo, hi int)
	insertBody, unpackBody func(lo, hi int)

	gaveUp  [maxBlocks]bool // the insertion sort of a block took too long
	inPlace bool            // the words are the keys themselves
	swapped bool            // words and values are in the memory in which wordsOut and valuesOut were at first

	wordMemory, wordsOutMemory []W // kept between sorts
	valueMemory                []V
}

// A pass sorts all rows by one digit. If needsInsertion is set, an insertion sort follows after the
// last pass.
type pass struct {
	shift          uint // of the digit
	first, last    bool // of the passes
	needsInsertion bool // the passes leave rows for an insertion sort
}

// digitCounts holds the histograms of all blocks.
type digitCounts struct {
	counts        []histogram // for each block one histogram per digit
	stride        int         // histograms of a block
	countedShifts []uint      // shifts of the digits that the blocks count,
	firstCounted  int         // and the histogram of the first of them
	digitMemory   [maxDigits]uint
}

// splitBlocks sets the number of blocks for n rows. The result of the sort does not depend on the
// number of blocks.
func (r *radix[W, V]) splitBlocks(pool *jobs.Pool, n int) {
	r.rows, r.blocks = n, 1
	if pool != nil && pool.Workers() > 1 && n >= minParallelRows {
		workers := pool.Workers()
		r.blocks = max(1, min(workers*min(max(n/(workers*minBlockRows), 1), 4), 2*n/minBlockRows, maxBlocks))
	}
	if r.countBody == nil {
		r.countBody, r.scatterBody, r.insertBody, r.unpackBody = r.countBlocks, r.scatterBlocks, r.insertBlocks, r.unpackBlocks
	}
}

// blockRows returns the rows of a block.
func (r *radix[W, V]) blockRows(k int) (lo, hi int) {
	return blockStart(r.rows, r.blocks, k), blockStart(r.rows, r.blocks, k+1)
}

// blockStart returns the first row of block k.
func blockStart(rows, blocks, k int) int { return int(int64(rows) * int64(k) / int64(blocks)) }

// sort sorts the words and the values; the fields words and values hold the result. A bit of varying is set
// if two words differ in this bit. If the highest digits distinguish most rows, the passes use these digits
// only, and an insertion sort finishes.
func (r *radix[W, V]) sort(pool *jobs.Pool, varying W) {
	var estimate int
	r.digitBits, estimate = r.chooseDigits(uint64(varying))
	list := splitDigits(&r.digitMemory, uint64(varying), r.digitBits)
	r.stride, r.packed.packed = len(list), false
	if n := r.blocks * bits.Len64(uint64(^W(0))) / narrowDigit; len(r.counts) < n { // enough for all keys
		r.counts = make([]histogram, n)
	}
	tops, counted := r.countTopDigits(pool, list, estimate)
	if tops > 0 {
		r.runPasses(pool, list[:tops], true)
		if r.finishByInsertion(pool) {
			return
		}
		counted = 0
	}
	if r.blocks > 1 {
		counted = len(list) - 1
	}
	r.countDigits(pool, list, counted)
	r.runPasses(pool, list, false)
}

// chooseDigits returns the number of bits of a digit, and an estimate of how many digits distinguish the rows.
func (r *radix[W, V]) chooseDigits(varying uint64) (digitBits, tops int) {
	sample := r.sampleWords()
	if r.usesWideDigits(varying) {
		tops, _, _ = r.estimateDigits(&sample, varying, wideDigit)
		return wideDigit, tops
	}
	tops, time, _ := r.estimateDigits(&sample, varying, narrowDigit)
	digitBits = narrowDigit
	if tops < 3 || r.rows < minMediumRows || !has32Bits[W]() && r.rows < minLongMediumRows || r.rows >= minWideRows {
		return digitBits, tops
	}
	narrow := tops
	for _, width := range [...]int{mediumDigit, wideDigit} {
		if width == wideDigit && r.rows < minFewWideRows {
			break
		}
		t, other, all := r.estimateDigits(&sample, varying, width)
		if (t < narrow || all) && other < time {
			digitBits, tops, time = width, t, other
		}
	}
	return digitBits, tops
}

// sampleWords returns a sample of the words. Its rows have different distances, so that rows of a table do not give one
// column of the table.
func (r *radix[W, V]) sampleWords() (sample [sampleRows]uint64) {
	for i := range sample {
		lo, hi := blockStart(r.rows, sampleRows, i), blockStart(r.rows, sampleRows, i+1)
		sample[i] = uint64(r.words[lo+int(uint64(uint32(i+1)*0x9e3779b1)*uint64(hi-lo)>>32)])
	}
	return sample
}

// usesWideDigits reports whether the sort uses wide digits: they must save passes, and the rows
// must fit into a fast cache.
func (r *radix[W, V]) usesWideDigits(varying uint64) bool {
	span := bits.Len64(varying) - bits.TrailingZeros64(varying)
	if r.rows < minWideRows || (span+wideDigit-1)/wideDigit == (span+narrowDigit-1)/narrowDigit {
		return false
	}
	switch {
	case r.values == nil && has32Bits[W]():
		return true
	case canPack(r.words, r.values):
		return r.rows <= maxWidePackedRows
	}
	return r.rows <= maxWideRows
}

// splitDigits divides the bits that vary into digits of the given width, and lists their shifts,
// the highest first. The last digit may overlap the digit above it.
func splitDigits(memory *[maxDigits]uint, varying uint64, width int) []uint {
	list := memory[:0]
	for varying != 0 {
		shift := uint(max(bits.Len64(varying)-width, 0))
		list = append(list, shift)
		varying &= 1<<shift - 1
	}
	return list
}

// countTopDigits counts the most significant digits, one after the other, until they distinguish the rows,
// that is, until a row shares them with at most maxCollisions other rows on average. It begins with the estimated
// number of digits. With few rows, it relies on the estimate, because a check would take too long. It returns two
// numbers: tops is the number of digits that are needed, or 0 if all are needed, and counted is the number
// of digits that it has counted.
func (r *radix[W, V]) countTopDigits(pool *jobs.Pool, list []uint, estimate int) (tops, counted int) {
	for k := estimate; k < len(list); k++ {
		r.countDigits(pool, list[:k], counted)
		counted = k
		if 4*k<<r.digitBits > r.rows {
			return k, k
		}
		if tops = r.distinguishingDigits(k); tops > 0 {
			return tops, counted
		}
	}
	return 0, counted
}

// maxCollisions is the mean number of other rows that may share the highest digits of a row. The limit is low, because each
// pair that is out of order costs two mispredicted branches in the insertion sort.
const maxCollisions = 0.125

// sampleRows is the number of rows of a sample.
const sampleRows = 64

// Times of the parts of a sort, in nanoseconds. They were measured with rows in the cache.
const (
	passTime      = 0.6  // to count and to move a row
	sameTime      = 2.2  // more, if the row before has the same value of the digit
	valueTime     = 0.2  // for a value of a digit
	checkTime     = 0.12 // for a row that the insertion sort leaves in its place
	collisionTime = 4.0  // for another row that has the same highest digits
)

// estimateDigits estimates the number of digits that distinguish the rows, and the time of the sort for a row. all reports
// whether these are all digits. It counts how often two different rows of the sample have the same highest digits; equal rows need not be
// distinguished. Where the sample is too small for this, it assumes that the values of the next digits are evenly distributed.
func (r *radix[W, V]) estimateDigits(sample *[sampleRows]uint64, varying uint64, width int) (tops int, time float64, all bool) {
	const most = sampleRows * (sampleRows - 1) / 2
	var memory [maxDigits]uint
	list, values := splitDigits(&memory, varying, width), 1<<width
	limit, equal := 2*most/values+4, -1 // the latter: pairs of equal rows
	share, few := 1.0, false            // of pairs of rows with the same highest digits; few of the sample are
	for _, shift := range list {
		pairs := 0
		if !few {
			pairs = equalPairs(sample, shift)
			if pairs > limit && tops > 0 {
				if equal < 0 {
					equal = equalPairs(sample, 0)
				}
				pairs -= equal
			}
			few = pairs <= limit
		}
		if few {
			share /= float64(values)
		} else {
			share = float64(pairs) / most
		}
		time += passTime + float64(valueTime*float64(values))/float64(r.rows)
		if tops++; tops == 1 {
			time += float64(sameTime * share)
		}
		if float64(share*float64(r.rows)) <= maxCollisions {
			break
		}
	}
	if tops == len(list) {
		return tops, time, true
	}
	return tops, time + checkTime + float64(collisionTime*share*float64(r.rows)), false
}

// equalPairs returns the number of pairs of a sample that are equal after a shift. It compares hashes, so it returns one
// pair too many in the mean.
func equalPairs(sample *[sampleRows]uint64, shift uint) int {
	var counts [maxBuckets]uint8
	for _, w := range sample {
		counts[hash(w>>(shift&63))]++
	}
	n := -sampleRows
	for _, w := range sample {
		n += int(counts[hash(w>>(shift&63))])
	}
	return n / 2
}

// hash returns a number below maxBuckets.
func hash(w uint64) uint64 { return w * 0x9e3779b97f4a7c15 >> (64 - wideDigit) }

// distinguishingDigits returns how many of the counted digits, from the highest one on, are
// necessary to distinguish the rows. It returns 0 if all counted digits together do not
// distinguish them. It assumes that the digits are independent.
func (r *radix[W, V]) distinguishingDigits(counted int) int {
	collisions, rows := float64(r.rows), float64(r.rows)
	for i := range counted {
		squares := uint64(0)
		if r.blocks == 1 {
			for _, n := range r.counts[i][:1<<r.digitBits] {
				squares += uint64(n) * uint64(n)
			}
		} else {
			for v := range 1 << r.digitBits {
				n := r.rowsWithDigit(i, v)
				squares += n * n
			}
		}
		if collisions *= (float64(squares) - rows) / (rows * (rows - 1)); collisions <= maxCollisions {
			return i + 1
		}
	}
	return 0
}

// rowsWithDigit returns the number of rows of all blocks in which digit i has the given value.
func (r *radix[W, V]) rowsWithDigit(i, value int) (n uint64) {
	for k := i; k < r.blocks*r.stride; k += r.stride {
		n += uint64(r.counts[k][value])
	}
	return n
}

// countDigits counts the digits of a list, beginning with the digit at index from.
func (r *radix[W, V]) countDigits(pool *jobs.Pool, list []uint, from int) {
	r.countedShifts, r.firstCounted = list[from:], from
	runBlocks(pool, r.blocks, r.countBody)
}

// runPasses makes a pass for each digit. It begins with the lowest digit, which is the last of the list. If there is one
// block, all digits have been counted before. If there are several blocks, only the digit of the first pass has been
// counted. A digit that has the same value in all rows needs no pass.
func (r *radix[W, V]) runPasses(pool *jobs.Pool, list []uint, rough bool) {
	r.needsInsertion, r.first = rough, true
	r.preparePasses(len(list))
	restored := false // the last pass has unpacked the values
	for i := len(list) - 1; i >= 0; i-- {
		r.shift, r.last = list[i], i == 0
		if r.blocks > 1 && i < len(list)-1 {
			r.countDigits(pool, list[:i+1], i)
		}
		if r.isConstantDigit(i) {
			continue
		}
		r.firstCounted = i
		prefixSums(r.counts[i:], 1<<r.digitBits, r.blocks, r.stride)
		runBlocks(pool, r.blocks, r.scatterBody)
		restored = !r.first && r.restoresValues()
		r.swapBuffers()
		r.first = false
	}
	if r.first || r.packed.packed && !rough {
		if !r.first && !restored {
			runBlocks(pool, r.blocks, r.unpackBody)
		}
		r.packed.packed = false
	}
}

// isConstantDigit reports whether all rows have the same value of digit i.
func (r *radix[W, V]) isConstantDigit(i int) bool {
	value := uint64(r.words[0])
	if r.packed.packed && !r.first {
		value = r.packed.words[0]
	}
	return r.rowsWithDigit(i, int(value>>(r.shift&63)&(1<<r.digitBits-1))) == uint64(r.rows)
}

// preparePasses decides whether to pack words and values into pairs, and provides the memory for
// the passes.
func (r *radix[W, V]) preparePasses(passes int) {
	p := &r.packed
	if p.packed = passes > 1 && r.rows >= minWideRows && canPack(r.words, r.values); p.packed {
		for i := range p.memory {
			p.memory[i] = resizeSlice(p.memory[i], r.rows)
		}
		p.out, p.words = p.memory[0], p.memory[1]
		return
	}
	if r.wordsOut != nil {
		return // the coarse passes that did not suffice have packed the pairs
	}
	r.wordsOutMemory = resizeSlice(r.wordsOutMemory, r.rows)
	r.wordsOut = r.wordsOutMemory
	if r.values != nil {
		r.valueMemory = resizeSlice(r.valueMemory, r.rows)
		r.valuesOut = r.valueMemory
	}
}

// swapBuffers makes the destination of a pass the source of the next one.
func (r *radix[W, V]) swapBuffers() {
	if r.packed.packed {
		r.packed.words, r.packed.out = r.packed.out, r.packed.words
		return
	}
	r.words, r.wordsOut = r.wordsOut, r.words
	r.values, r.valuesOut = r.valuesOut, r.values
	r.swapped = !r.swapped
}

// runBlocks runs a body for all blocks. If there is more than one block, it uses the pool.
func runBlocks(pool *jobs.Pool, blocks int, body func(lo, hi int)) {
	if blocks == 1 {
		body(0, 1)
		return
	}
	if err := pool.Range(blocks, 1, body); err != nil {
		panic(err) // a fault of a body, because no argument can cause one
	}
}

func (r *radix[W, V]) countBlocks(from, to int) {
	for k := from; k < to; k++ {
		switch r.digitBits {
		case wideDigit:
			countBlock[[wideDigit]byte](r, k)
		case mediumDigit:
			countBlock[[mediumDigit]byte](r, k)
		default:
			countBlock[[narrowDigit]byte](r, k)
		}
	}
}

func countBlock[D digitWidth, W word, V any](r *radix[W, V], k int) {
	lo, hi := r.blockRows(k)
	counts := r.counts[k*r.stride+r.firstCounted : (k+1)*r.stride]
	if r.packed.packed && !r.first {
		countAll[D](counts, r.packed.words[lo:hi], r.countedShifts)
	} else {
		countAll[D](counts, r.words[lo:hi], r.countedShifts)
	}
}

func (r *radix[W, V]) scatterBlocks(from, to int) {
	for k := from; k < to; k++ {
		switch r.digitBits {
		case wideDigit:
			scatterBlock[[wideDigit]byte](r, k)
		case mediumDigit:
			scatterBlock[[mediumDigit]byte](r, k)
		default:
			scatterBlock[[narrowDigit]byte](r, k)
		}
	}
}

// scatterBlock moves the rows of a block to their places.
func scatterBlock[D digitWidth, W word, V any](r *radix[W, V], k int) {
	lo, hi := r.blockRows(k)
	offsets := &r.counts[k*r.stride+r.firstCounted]
	switch {
	case r.packed.packed:
		scatterPacked[D](r, offsets, lo, hi)
	case r.values == nil:
		scatterWords[D](r.wordsOut, r.words[lo:hi], offsets, r.shift)
	default:
		scatterPairs[D](r.wordsOut, r.words[lo:hi], r.valuesOut, r.values[lo:hi], offsets, r.shift)
	}
}

// prefixSums turns the counts of blocks into offsets. The rows are ordered by the value of the digit; of rows with equal values, those of the first
// block come first. The histograms of two blocks are stride apart. The number of values is a multiple of four.
func prefixSums(counts []histogram, values, blocks, stride int) {
	next := uint32(0)
	if blocks == 1 {
		for c := counts[0][:values]; len(c) >= 4; c = c[4:] { // one addition in four waits for the one before
			one, two := c[0], c[0]+c[1]
			three, four := two+c[2], two+(c[2]+c[3])
			c[0], c[1], c[2], c[3] = next, next+one, next+two, next+three
			next += four
		}
		return
	}
	for v := range values {
		for k := 0; k < blocks*stride; k += stride {
			c := &counts[k][v]
			*c, next = next, next+*c
		}
	}
}

// resizeSlice returns memory for n rows. If the given memory is large enough, it returns the same
// memory. It does not copy the contents.
func resizeSlice[E any](memory []E, n int) []E {
	if cap(memory) < n {
		return make([]E, n)
	}
	return memory[:n]
}
