package kernels

import "math"

// The functions of this file represent a number as the unevaluated sum of two floats, for
// kernels that need more precision than one float has. No product in this file is fused
// with a sum: see doc.go.

// twoProduct returns two numbers: the rounded product a*b, and the exact product minus the rounded
// one. It uses Veltkamp's splitting and Dekker's product: Dekker, A floating-point technique for
// extending the available precision, Numer. Math. 18 (1971).
func twoProduct(a, b float64) (float64, float64) {
	p := float64(a * b)
	ah, al := veltkampSplit(a)
	bh, bl := veltkampSplit(b)
	return p, ((float64(ah*bh) - p) + (float64(ah*bl) + float64(al*bh))) + float64(al*bl)
}

// veltkampSplit splits a number into two parts of 26 bits.
func veltkampSplit(a float64) (float64, float64) {
	c := float64(a * (1<<27 + 1))
	high := c - (c - a)
	return high, a - high
}

// twoSum returns two numbers: the rounded sum a + b, and the exact sum minus the rounded one: Knuth, The Art of Computer
// Programming 2, section 4.2.2.
func twoSum(a, b float64) (float64, float64) {
	s := a + b
	t := s - a
	return s, (a - (s - t)) + (b - t)
}

// rarely returns its argument. It marks a rare condition for lanec: if the condition is true
// in a vector, the compiled kernel stops before that vector, and the generic body computes
// some rows.
func rarely(condition bool) bool { return condition }

// upperBits32 returns a without its lower 12 bits. The product of two such numbers is exact.
func upperBits32(a float32) float32 {
	return math.Float32frombits(math.Float32bits(a) &^ (1<<12 - 1))
}
