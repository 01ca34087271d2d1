package kernels

import (
	"math"
	"math/bits"
)

// reduceLarge reduces x by its nearest multiple of a quarter turn. It returns
// the remainder as high + low, and the number of quarter turns modulo four.
// |x| must be above 2^13. For an infinity or NaN it returns NaN.
//
// It multiplies the mantissa by the 192 bits of 2/π that can affect the result.
// All arithmetic is on integers until the last step, so that no path can round
// differently. The error of the remainder is at most 2^-137, which leaves 70
// correct bits in the smallest remainder.
//
// Source: M. Payne and R. Hanek, "Radian reduction for trigonometric
// functions", SIGNUM Newsletter 18 (1983).
func reduceLarge(x float64) (high, low float64, quarters uint32) {
	b := math.Float64bits(x)
	exponent := uint(b>>52) & 0x7ff
	if exponent == 0x7ff {
		return x - x, x - x, 0
	}
	mantissa := b&(1<<52-1) | 1<<52 // |x| = mantissa·2^(exponent-1075)

	// The window starts at the bit of 2/π that has the weight of two quarter turns in x·2/π. The
	// bits before it would only add whole turns.
	at := exponent - 1075 + 62
	word, shift := at/64, at%64
	w2 := window(word, shift)
	w1 := window(word+1, shift)
	w0 := window(word+2, shift)

	// f = fraction of a turn, then of a quarter, in 192 bits
	h0, f0 := bits.Mul64(mantissa, w0)
	h1, l1 := bits.Mul64(mantissa, w1)
	f1, carry := bits.Add64(l1, h0, 0)
	f2 := mantissa*w2 + h1 + carry
	quarters = uint32(f2 >> 62)
	f2, f1, f0 = f2<<2|f1>>62, f1<<2|f0>>62, f0<<2

	sign := b >> 63
	if f2>>63 != 0 { // more than half a quarter: take the next quarter and a negative remainder
		quarters++
		var borrow uint64
		f0, borrow = bits.Sub64(0, f0, 0)
		f1, borrow = bits.Sub64(0, f1, borrow)
		f2, _ = bits.Sub64(0, f2, borrow)
		sign ^= 1
	}
	zeros := uint(bits.LeadingZeros64(f2))
	f2 = f2<<zeros | f1>>(64-zeros)
	f1 = f1<<zeros | f0>>(64-zeros)

	// f·π/2, its upper 128 bits
	h, l := bits.Mul64(f2, halfPiHigh)
	ha, _ := bits.Mul64(f2, halfPiLow)
	hb, _ := bits.Mul64(f1, halfPiHigh)
	l, carry = bits.Add64(l, ha, 0)
	h += carry
	l, carry = bits.Add64(l, hb, 0)
	h += carry

	sign <<= 63
	high = float64(float64(h>>11) * math.Float64frombits(sign|uint64(1023-52-zeros)<<52))
	low = float64(float64((h<<53|l>>11)>>11) * math.Float64frombits(sign|uint64(1023-105-zeros)<<52))
	if b>>63 != 0 {
		quarters = -quarters
	}
	return high, low, quarters & 3
}

// window returns 64 consecutive bits of 2/π. It skips the first shift bits of the given word.
func window(word, shift uint) uint64 {
	return twoOverPi[word]<<shift | twoOverPi[word+1]>>(64-shift)
}

// reduceTurns32 returns x minus its nearest multiple of 2π.
func reduceTurns32(x float32) float32 {
	if rarely(!(-ordinary32 <= x && x <= ordinary32)) {
		return float32(reduceTurnsLarge(float64(x)))
	}
	k := (float32(x*invTwoPi32) + roundInt32) - roundInt32
	x -= float32(k * twoPi32A)
	x -= float32(k * twoPi32B)
	x -= float32(k * twoPi32C)
	return x - float32(k*twoPi32D)
}

// reduceTurns64 returns x minus its nearest multiple of 2π.
func reduceTurns64(x float64) float64 {
	if rarely(!(-ordinary64 <= x && x <= ordinary64)) {
		return reduceTurnsLarge(x)
	}
	k := (float64(x*invTwoPi64) + roundInt64) - roundInt64
	a := x - float64(k*twoPi64A)
	b := float64(k * twoPi64B)
	r := a - b
	return r - (float64(k*twoPi64C) - ((a - r) - b))
}

// reduceTurnsLarge converts the quarter turns of reduceLarge to whole turns.
func reduceTurnsLarge(x float64) float64 {
	high, low, quarters := reduceLarge(x)
	c, rest := 0.0, 0.0
	switch {
	case quarters == 1:
		c, rest = halfPi, halfPiRest
	case quarters == 3:
		c, rest = -halfPi, -halfPiRest
	case quarters == 2 && high < 0:
		c, rest = 2*halfPi, 2*halfPiRest
	case quarters == 2:
		c, rest = -2*halfPi, -2*halfPiRest
	}
	sum := c + high // |c| ≥ |high| or c is zero, so the rounding error of sum is exact
	lost := (c - sum) + high
	return sum + (lost + (low + rest))
}
