package mpi

import (
	"encoding/binary"
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// Sum adds the exact sums of all ranks, and rounds the total once. So the total has the
// same bits for any number of ranks and any distribution of rows.
func Sum[T kernels.Float](c *Comm, s *kernels.ExactSum[T]) (T, error) {
	v, err := addSums(c, []*kernels.ExactSum[T]{s})
	if err != nil {
		return 0, err
	}
	return v[0], nil
}

// An exact sum is encoded as a byte of marks, 32-bit digits, and a last digit
// of 64 bits with the sign.
const marks = 3

// addSums adds digits as integers, so that the order of ranks does not matter.
// It propagates carries afterwards. A word of 64 bits can hold the sum of a
// digit over 2^31 ranks.
func addSums[T kernels.Float](c *Comm, sums []*kernels.ExactSum[T]) ([]T, error) {
	var words []int64
	var b []byte
	var digits int
	for _, s := range sums {
		var err error
		if b, err = s.AppendBinary(b[:0]); err != nil {
			return nil, c.fail("Sum", err)
		}
		digits = (len(b)-1-8)/4 + 1
		for bit := range marks {
			words = append(words, int64(b[0]>>bit&1))
		}
		for i := range digits - 1 {
			words = append(words, int64(binary.LittleEndian.Uint32(b[1+4*i:])))
		}
		words = append(words, int64(binary.LittleEndian.Uint64(b[len(b)-8:])))
	}
	if err := c.wait("Sum", c.wire.Sum(words)); err != nil {
		return nil, err
	}
	total := make([]T, len(sums))
	for k := range total {
		w := words[k*(marks+digits):][:marks+digits]
		clear(b)
		for bit := range marks {
			if w[bit] > 0 {
				b[0] |= 1 << bit
			}
		}
		carry := int64(0)
		for i, d := range w[marks : len(w)-1] {
			d += carry
			binary.LittleEndian.PutUint32(b[1+4*i:], uint32(d))
			carry = d >> 32
		}
		binary.LittleEndian.PutUint64(b[len(b)-8:], uint64(w[len(w)-1]+carry))
		var s kernels.ExactSum[T]
		if err := s.UnmarshalBinary(b); err != nil {
			return nil, c.fail("Sum", err)
		}
		total[k] = s.Value()
	}
	return total, nil
}

// Max returns the largest x of all ranks. As for [kernels.Max], NaN is ignored
// unless all are NaN, and −0 is smaller than +0.
func Max[T kernels.Float](c *Comm, x T) (T, error) { return extreme(c, "Max", x, false) }

// Min returns the smallest x of all ranks. As for [kernels.Min], NaN is ignored
// unless all are NaN, and −0 is smaller than +0.
func Min[T kernels.Float](c *Comm, x T) (T, error) { return extreme(c, "Min", x, true) }

// extreme maps numbers to integers in the same order and compares these,
// because MPI does not define comparisons with NaN.
func extreme[T kernels.Float](c *Comm, op string, x T, least bool) (T, error) {
	key := int64(math.MinInt64) // of NaN
	if x == x {
		key = int64(math.Float64bits(float64(x)))
		if key < 0 {
			key ^= math.MaxInt64
		}
		if least {
			key = -1 - key
		}
	}
	v := []int64{key}
	if err := c.wait(op, c.wire.Max(v)); err != nil {
		return 0, err
	}
	if key = v[0]; key == math.MinInt64 {
		return T(math.NaN()), nil
	}
	if least {
		key = -1 - key
	}
	if key < 0 {
		key ^= math.MaxInt64
	}
	return T(math.Float64frombits(uint64(key))), nil
}
