package random

import (
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// Exponential sets dst[i] = mean * -log u, a number of the exponential
// distribution with this mean. For example, it is the time until the next
// event, if the average time between events is mean.
//
// Shape: any length; by ids, one id for each row.
// Values: the same bits on every CPU. u is above 0 and at most 1, and the
// logarithm is within 1 ulp. With a mean of 1 the largest number is 21.49 for float32,
// and 36.74 for float64. A number drawn from the exact distribution is larger than
// these in one of 2·10^9 draws (float32) or 10^16 draws (float64). It panics if the
// number of ids is not len(dst). It does not allocate.
func Exponential[T kernels.Float](dst []T, r Rows, mean T) {
	r.checkIDs("Exponential", len(dst))
	var w wordBatch
	for lo := 0; lo < len(dst); lo += batchRows {
		d := dst[lo:min(lo+batchRows, len(dst))]
		switch d := any(d).(type) {
		case []float32:
			r.fillWords(&w, lo, len(d), 0, 1)
			for i := range d {
				d[i] = exponential32(w[0][i&(batchRows-1)])
			}
		case []float64:
			r.fillWords(&w, lo, len(d), 0, 2)
			for i := range d {
				d[i] = exponential64(w.word64(0, i))
			}
		}
		for i := range d {
			d[i] *= mean
		}
	}
}

// ExponentialOf returns the number of one row, which is exactly the same as from [Exponential].
func ExponentialOf[T kernels.Float](r Row, mean T) (x T) {
	switch x := any(&x).(type) {
	case *float32:
		*x = exponential32(r.word(0))
	case *float64:
		*x = exponential64(r.word64(0))
	}
	return T(x * mean)
}

// This is 0 - log and not -log, so that the result for u = 1 is +0.
func exponential32(w uint32) float32 { return 0 - log32(positive32(w)) }
func exponential64(u uint64) float64 { return 0 - log64(positive64(u)) }

// The constants are for the logarithm of a number from 2^-53 (float32: 2^-31) to 1. Normal and
// Exponential draw no other numbers, so zero, infinity and subnormal numbers need no special
// handling. The number is 2^k·(1+f) with 1+f between √½ and √2. With s = f/(2+f) and R =
// s²·P(s²), log(1+f) = 2·atanh(s) = f - (f²/2 - s·(f²/2 + R)). FreeBSD's e_log.c uses the same
// reduction. P is a Chebyshev approximation of (2·atanh(s)/s - 2)/s² on [0, (√2-1)²/(√2+1)²].
// Its relative error is 2^-53 (float32: 2^-29), and its term contributes at most a hundredth
// of the result. log 2 is the sum of two parts; the first part has so few digits that its
// product with k is exact.
const (
	log64A, log64B, log64C, log64D = 0x1.5555555555558p-1, 0x1.99999999952e2p-2, 0x1.2492492df148dp-2, 0x1.c71c62e5800a1p-3
	log64E, log64F, log64G         = 0x1.7462b4ab2ef6bp-3, 0x1.39fe606542ddep-3, 0x1.2b584aae78a57p-3
	ln2High64, ln2Low64            = 0x1.62e42feep-1, 0x1.a39ef35793c76p-33
	rootHalf64                     = 0x3fe6a09e667f3bcd // the bits of √½

	log32A, log32B, log32C, log32D = 0x1.555556p-1, 0x1.9999ecp-2, 0x1.245c44p-2, 0x1.ddced8p-3
	ln2High32, ln2Low32            = 0x1.62e4p-1, 0x1.7f7d1cp-20
	rootHalf32                     = 0x3f3504f3
)

func log64(x float64) float64 {
	bits := math.Float64bits(x) - rootHalf64
	k := float64(int64(bits) >> 52)
	f := math.Float64frombits(bits&(1<<52-1)+rootHalf64) - 1
	s := f / (2 + f)
	z := float64(s * s)
	p := float64(z*(float64(z*(float64(z*(float64(z*(float64(z*(float64(z*log64G)+log64F))+log64E))+log64D))+log64C))+log64B)) + log64A
	h := float64(float64(0.5*f) * f)
	return float64(k*ln2High64) - ((h - (float64(s*(h+float64(z*p))) + float64(k*ln2Low64))) - f)
}

func log32(x float32) float32 {
	bits := math.Float32bits(x) - rootHalf32
	k := float32(int32(bits) >> 23)
	f := math.Float32frombits(bits&(1<<23-1)+rootHalf32) - 1
	s := f / (2 + f)
	z := float32(s * s)
	p := float32(z*(float32(z*(float32(z*log32D)+log32C))+log32B)) + log32A
	h := float32(float32(0.5*f) * f)
	return float32(k*ln2High32) - ((h - (float32(s*(h+float32(z*p))) + float32(k*ln2Low32))) - f)
}

// positive32 and positive64 return a number above 0 and up to 1, computed from the upper 31
// or 53 bits. The smallest is 2^-31 or 2^-53.
func positive32(w uint32) float32 { return (float32(int32(w>>1)) + 1) * 0x1p-31 }

func positive64(u uint64) float64 { return (float64(u>>11) + 1) * 0x1p-53 }
