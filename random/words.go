package random

// Each row has a sequence of words of 32 bits, and every number is made of them
// (docs/decisions/frozen.md). The counter of a block is made of id, tick, and
// stream<<8 | block. By id, word n of a row is word n%4 of block n/4 of its id.
// By index, row i takes word i%4 of the blocks 128+n of id i/4. Each kind has 128
// blocks; for more words go on with another seed.
const (
	byIndex = 128 // the first block of rows by index
	renewal = 255 // the block that gives new seeds, in the stream and tick of no key
)

// wordsPerSeed returns how many words a row has before it needs another seed.
func (r Row) wordsPerSeed() uint64 {
	if r.byID {
		return 512
	}
	return 128
}

// block returns block n of a row: four words of an id, or one of each of four rows.
func (r Row) block(n uint64) [4]uint32 {
	id, k, per := r.id, r.key, r.wordsPerSeed()
	if r.byID {
		per /= 4
	} else {
		id >>= 2
	}
	k.Seed = k.renewed(n / per)
	n %= per
	if !r.byID {
		n += byIndex
	}
	w0, w1, w2, w3 := philox(uint32(id), uint32(id>>32), k.Tick, k.Stream<<8|uint32(n), uint32(k.Seed), uint32(k.Seed>>32))
	return [4]uint32{w0, w1, w2, w3}
}

// renewed returns the seed of a generation: the 0th is the key's own.
func (k Key) renewed(generation uint64) uint64 {
	if generation == 0 {
		return k.Seed
	}
	w0, w1, _, _ := philox(uint32(generation), uint32(generation>>32), 1<<32-1, (1<<24-1)<<8|renewal, uint32(k.Seed), uint32(k.Seed>>32))
	return uint64(w0) | uint64(w1)<<32
}

// word returns word n of the row.
func (r Row) word(n uint64) uint32 {
	if r.byID {
		return r.block(n / 4)[n%4]
	}
	return r.block(n)[r.id%4]
}

// long returns words 2n and 2n+1 as one, the first in the lower half.
func (r Row) long(n uint64) uint64 {
	if r.byID {
		b := r.block(n / 2)
		return uint64(b[n%2*2]) | uint64(b[n%2*2+1])<<32
	}
	return uint64(r.word(2*n)) | uint64(r.word(2*n+1))<<32
}

// some is how many rows are drawn at a time: words of so many wait on the stack.
const some = 64

// words are up to four words of each of some rows.
type words [4][some]uint32

// long returns the k-th pair of words of row i as one.
func (w *words) long(k, i int) uint64 {
	return uint64(w[2*k][i&(some-1)]) | uint64(w[2*k+1][i&(some-1)])<<32
}

// fill draws for n rows, at most some, from row lo of the lane on: their words
// 4q … 4q+count-1.
func (r *Rows) fill(w *words, lo, n, q, count int) {
	if r.byID {
		r.fillIDs(w, r.ids[lo:lo+n], uint32(q))
		return
	}
	for k := range count {
		r.fillIndex(w[k][:n], r.first+uint64(lo), uint32(byIndex+4*q+k))
	}
}

// fillIDs gives each id the four words of one of its blocks.
func (r *Rows) fillIDs(w *words, ids []uint64, block uint32) {
	tick, c3, k0, k1 := r.key.Tick, r.key.Stream<<8|block, uint32(r.key.Seed), uint32(r.key.Seed>>32)
	for i := fillIDsFast(w, ids, tick, c3, k0, k1); i < len(ids); i++ {
		id, i := ids[i], i&(some-1) // which it is: for the compiler
		w[0][i], w[1][i], w[2][i], w[3][i] = philox(uint32(id), uint32(id>>32), tick, c3, k0, k1)
	}
}

// lastIndex is the id of the last rows by index: behind row 2^64-1 comes row 0.
const lastIndex = 1<<62 - 1

// fillIndex gives each row its word of one block of four rows.
func (r *Rows) fillIndex(w []uint32, first uint64, block uint32) {
	tick, c3, k0, k1 := r.key.Tick, r.key.Stream<<8|block, uint32(r.key.Seed), uint32(r.key.Seed>>32)
	id := first >> 2
	if off := first & 3; off != 0 {
		w0, w1, w2, w3 := philox(uint32(id), uint32(id>>32), tick, c3, k0, k1)
		b := [4]uint32{w0, w1, w2, w3}
		w = w[copy(w, b[off:]):]
		id = (id + 1) & lastIndex
	}
	n := fillIndexFast(w, id, tick, c3, k0, k1)
	w, id = w[n:], id+uint64(n/4)
	for ; len(w) >= 4; w = w[4:] {
		w[0], w[1], w[2], w[3] = philox(uint32(id), uint32(id>>32), tick, c3, k0, k1)
		id = (id + 1) & lastIndex
	}
	if len(w) > 0 {
		w0, w1, w2, w3 := philox(uint32(id), uint32(id>>32), tick, c3, k0, k1)
		b := [4]uint32{w0, w1, w2, w3}
		copy(w, b[:])
	}
}

// units makes what it can of numbers from 0 to below 1 from row lo of the lane on, of their
// first words, and returns how many that are: by id, or rows by index which begin with a block.
func (r *Rows) units(dst []float32, lo int) int {
	tick, c3, k0, k1 := r.key.Tick, r.key.Stream<<8, uint32(r.key.Seed), uint32(r.key.Seed>>32)
	if r.byID {
		return unitsIDsFast(dst, r.ids[lo:lo+len(dst)], tick, c3, k0, k1)
	}
	first := r.first + uint64(lo)
	if first&3 != 0 {
		return 0
	}
	return unitsIndexFast(dst, first>>2, tick, c3|byIndex, k0, k1)
}

// until is how many rows from row lo on are drawn before units may go on: some, or those
// up to the next block.
func (r *Rows) until(lo int) int {
	if off := (r.first + uint64(lo)) & 3; !r.byID && off != 0 {
		return int(4 - off)
	}
	return some
}
