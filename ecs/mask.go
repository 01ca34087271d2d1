package ecs

import "math/bits"

// Mask returns the rows that match as bits, row i in bit i%64 of word i/64, as
// masks of kernels are. Bits behind the last row are 0. It is good until the
// loop or the job goes on to the next chunk.
func (c *Chunk) Mask() []uint64 {
	c.check("Chunk.Mask")
	if c.mask != nil {
		return c.mask
	}
	mask := c.scratch()[:wordsFor(c.n)]
	for i := range mask {
		mask[i] = lowBits(min(64, c.n-64*i))
	}
	return mask
}

// MatchCount returns how many rows match: Len, if all do.
func (c *Chunk) MatchCount() int {
	if c.mask == nil {
		if c.n < 0 {
			c.stale("Chunk.MatchCount")
		}
		return c.n
	}
	n := 0
	for _, v := range c.mask {
		n += bits.OnesCount64(v)
	}
	return n
}

// scratch returns room for the bits of all rows.
func (c *Chunk) scratch() []uint64 {
	if n := max(maskWords, wordsFor(c.n)); len(c.bits) < n { // more in runs
		c.bits = make([]uint64, n)
	}
	return c.bits
}

// filterRows finds the rows that match and reports whether there are any.
func (c *Chunk) filterRows(m *match) bool {
	mask, n := m.rows.rows(c.rec, c.scratch())
	c.mask = mask
	return n > 0
}

// maskedRows yields the rows of the mask.
func (c *Chunk) maskedRows(yield func(int) bool) {
	for i, v := range c.mask {
		for ; v != 0; v &= v - 1 {
			if !yield(i<<6 + bits.TrailingZeros64(v)) {
				return
			}
		}
	}
}

// maskedRuns yields the runs of rows of the mask.
func (c *Chunk) maskedRuns(yield func(int, int) bool) {
	for lo, hi := nextRun(c.mask, 0, c.n); lo < c.n; lo, hi = nextRun(c.mask, hi, c.n) {
		if !yield(lo, hi) {
			return
		}
	}
}
