package random

// Each row has a sequence of 32-bit words, from which every number is computed
// (docs/decisions/frozen.md). The counter of a block consists of id, tick, and stream<<8 | block.
// If a row is drawn by id, its word n is word n%4 of block n/4 for this id. If row i is drawn by
// index, its word n is word i%4 of block 128+n for the id i/4. There are 128 blocks for rows by
// id and 128 blocks for rows by index. If a row needs more words, it continues with another seed.
const (
	firstIndexBlock = 128 // the first block of rows by index
	reseedBlock     = 255 // the block that gives new seeds; its stream and tick belong to no key
)

// wordsPerSeed returns the number of words that a row has before it needs another seed.
func (r Row) wordsPerSeed() uint64 {
	if r.byID {
		return 512
	}
	return 128
}

// block returns block n of a row: four words of one id, or one word of each of four rows.
func (r Row) block(n uint64) [4]uint32 {
	id, k, per := r.id, r.key, r.wordsPerSeed()
	if r.byID {
		per /= 4
	} else {
		id >>= 2
	}
	k.Seed = k.seedOf(n / per)
	n %= per
	if !r.byID {
		n += firstIndexBlock
	}
	w0, w1, w2, w3 := philox(uint32(id), uint32(id>>32), k.Tick, k.Stream<<8|uint32(n), uint32(k.Seed), uint32(k.Seed>>32))
	return [4]uint32{w0, w1, w2, w3}
}

// seedOf returns the seed of a generation. The seed of generation 0 is the key's seed.
func (k Key) seedOf(generation uint64) uint64 {
	if generation == 0 {
		return k.Seed
	}
	w0, w1, _, _ := philox(uint32(generation), uint32(generation>>32), 1<<32-1, (1<<24-1)<<8|reseedBlock, uint32(k.Seed), uint32(k.Seed>>32))
	return uint64(w0) | uint64(w1)<<32
}

// word returns word n of the row.
func (r Row) word(n uint64) uint32 {
	if r.byID {
		return r.block(n / 4)[n%4]
	}
	return r.block(n)[r.id%4]
}

// word64 returns words 2n and 2n+1 as one 64-bit number, with the first word in the lower half.
func (r Row) word64(n uint64) uint64 {
	if r.byID {
		b := r.block(n / 2)
		return uint64(b[n%2*2]) | uint64(b[n%2*2+1])<<32
	}
	return uint64(r.word(2*n)) | uint64(r.word(2*n+1))<<32
}

// batchRows is the largest number of rows for which words are computed at once. It is small, so
// that the words fit on the stack.
const batchRows = 64

// A wordBatch holds up to four words for each row of a batch.
type wordBatch [4][batchRows]uint32

// word64 returns the pair k of the words of row i as one 64-bit number.
func (w *wordBatch) word64(k, i int) uint64 {
	return uint64(w[2*k][i&(batchRows-1)]) | uint64(w[2*k+1][i&(batchRows-1)])<<32
}

// fillWords computes the words 4q to 4q+count-1 of each of n rows. The rows begin at row lo of the
// lane; n is at most batchRows.
func (r *Rows) fillWords(w *wordBatch, lo, n, q, count int) {
	if r.byID {
		r.fillIDs(w, r.ids[lo:lo+n], uint32(q))
		return
	}
	for k := range count {
		r.fillIndex(w[k][:n], r.first+uint64(lo), uint32(firstIndexBlock+4*q+k))
	}
}

// fillIDs sets the four words of one block for each id.
func (r *Rows) fillIDs(w *wordBatch, ids []uint64, block uint32) {
	tick, c3, k0, k1 := r.key.Tick, r.key.Stream<<8|block, uint32(r.key.Seed), uint32(r.key.Seed>>32)
	for i := fillIDsFast(w, ids, tick, c3, k0, k1); i < len(ids); i++ {
		id, i := ids[i], i&(batchRows-1) // i is in range already: the mask removes the bounds check
		w[0][i], w[1][i], w[2][i], w[3][i] = philox(uint32(id), uint32(id>>32), tick, c3, k0, k1)
	}
}

// lastIndex is the id whose blocks have the words of the last four rows by index. Row 0 follows row
// 2^64-1.
const lastIndex = 1<<62 - 1

// fillIndex sets one word for each row. Four consecutive rows share a block.
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

// fillUnits sets dst to numbers in [0, 1), each computed from the first word of a row. The rows begin at row
// lo of the lane. It returns the number of rows that it has set. It returns 0 if the rows are by index and
// the first one does not begin a block.
func (r *Rows) fillUnits(dst []float32, lo int) int {
	tick, c3, k0, k1 := r.key.Tick, r.key.Stream<<8, uint32(r.key.Seed), uint32(r.key.Seed>>32)
	if r.byID {
		return unitsIDsFast(dst, r.ids[lo:lo+len(dst)], tick, c3, k0, k1)
	}
	first := r.first + uint64(lo)
	if first&3 != 0 {
		return 0
	}
	return unitsIndexFast(dst, first>>2, tick, c3|firstIndexBlock, k0, k1)
}

// batchEnd returns how many rows, from row lo on, are drawn without fillUnits before fillUnits is
// tried again. If row lo does not begin a block, it is the number of rows up to the next block;
// otherwise it is a batch.
func (r *Rows) batchEnd(lo int) int {
	if off := (r.first + uint64(lo)) & 3; !r.byID && off != 0 {
		return int(4 - off)
	}
	return batchRows
}

// The constants of Philox 4×32: Salmon, Moraes, Dror, Shaw, "Parallel random
// numbers: as easy as 1, 2, 3", SC11, section 3 and table 2.
const (
	mulA  = 0xD2511F53
	mulB  = 0xCD9E8D57
	weylA = 0x9E3779B9 // of the golden ratio
	weylB = 0xBB67AE85 // of √3 − 1
)

// philox encrypts the counter c with the key k in ten rounds.
func philox(c0, c1, c2, c3, k0, k1 uint32) (uint32, uint32, uint32, uint32) {
	for range 5 {
		a, b := uint64(c0)*mulA, uint64(c2)*mulB
		c0, c1, c2, c3 = uint32(b>>32)^c1^k0, uint32(b), uint32(a>>32)^c3^k1, uint32(a)
		k0, k1 = k0+weylA, k1+weylB
		a, b = uint64(c0)*mulA, uint64(c2)*mulB
		c0, c1, c2, c3 = uint32(b>>32)^c1^k0, uint32(b), uint32(a>>32)^c3^k1, uint32(a)
		k0, k1 = k0+weylA, k1+weylB
	}
	return c0, c1, c2, c3
}
