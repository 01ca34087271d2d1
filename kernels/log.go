package kernels

import "math"

// Logarithms: x is m·2^k with m in [√½, √2), and f is m - 1, without an error.
// float64 takes f as 2s/(1 - s), so that log m is 2 artanh s, whose series is in s².
// float32 is computed in float64, where the rounding at the end is nearly all of the
// error. All polynomials are by Remez exchange.

// Log sets dst[i] to the natural logarithm of x[i] for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: within 0.9 ulp for float64, 0.6 for float32; -Inf for ±0, NaN below,
// +Inf for +Inf.
// It panics if the lengths differ. It does not allocate.
//
//go:noinline
func Log[T Float](dst, x []T) {
	switch {
	case checked || len(dst) > piece || len(x) != len(dst):
		logPieces(dst, x)
	case single[T]():
		log32(f32(dst), f32(x))
	default:
		log64(f64(dst), f64(x))
	}
}

func logGeneric[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = LogOf(x[i])
	}
}

// LogOf returns the natural logarithm of x, with the bits of [Log].
func LogOf[T Float](x T) T {
	var f T
	if single[T]() {
		f = T(logFloat32(float32(x)))
	} else {
		f = T(logFloat64(float64(x)))
	}
	return f
}

func logFloat32(x float32) float32 {
	k, f := parted(float64(x))
	return float32(unlogged(float64(k*ln2)+nearLog(f), float64(x)))
}

// parted returns k and m - 1 of a number that is normal.
func parted(x float64) (float64, float64) {
	b := math.Float64bits(x) + (oneBits - rootHalfBits)
	k := math.Float64frombits(b>>52|math.Float64bits(1<<52)) - (1<<52 + 1023)
	return k, math.Float64frombits(b&(1<<52-1)+rootHalfBits) - 1
}

// nearLog returns log(1+f) within 2^-33, for √½ ≤ 1+f < √2.
func nearLog(f float64) float64 {
	p := 0x1.bc164c7ceaae0p-4 + float64(-0x1.f8748c63ac7d3p-5*f)
	p = -0x1.bc7bd38c35a5fp-4 + float64(p*f)
	p = 0x1.c264a06d39298p-4 + float64(p*f)
	p = -0x1.fc65aa22c9097p-4 + float64(p*f)
	p = 0x1.249c59956ec50p-3 + float64(p*f)
	p = -0x1.55693be1978e1p-3 + float64(p*f)
	p = 0x1.9999ca41e82b8p-3 + float64(p*f)
	p = -0x1.ffffa6e5e70dap-3 + float64(p*f)
	p = 0x1.555554d4b85abp-2 + float64(p*f)
	p = -0x1.0000001b946a2p-1 + float64(p*f)
	return f + float64(float64(f*f)*p) // 2^-33.1
}

// unlogged returns y, or what a logarithm is where x has none that is finite.
func unlogged(y, x float64) float64 {
	if x == 0 {
		y = math.Float64frombits(0xfff << 52)
	}
	if !(x >= 0) {
		y = math.Float64frombits(0x7ff8 << 48)
	}
	if x > math.MaxFloat64 {
		y = x
	}
	return y
}

func logFloat64(x float64) float64 {
	k, f := partedAll(x)
	return unlogged(kLn2(k, f, 0), x)
}

// partedAll returns k and m - 1 of any number above zero.
func partedAll(x float64) (float64, float64) {
	less := 0.0
	if x < 0x1p-1022 {
		x, less = float64(x*0x1p54), 54
	}
	k, f := parted(x)
	return k - less, f
}

// kLn2 returns k·ln 2 + log(1+f) + c, where c is small.
func kLn2(k, f, c float64) float64 {
	h, t := logTail(f)
	return float64(k*ln2A) - ((h - (t + (float64(k*ln2B) + c))) - f)
}

// logTail returns two numbers: log(1+f) is f less the first, f²/2, and the second.
func logTail(f float64) (float64, float64) {
	s := f / (2 + f)
	z := float64(s * s)
	p := 0x1.39a05eb6dd210p-3 + float64(0x1.2f13ef33f9dcap-3*z)
	p = 0x1.74664b80e9cebp-3 + float64(p*z)
	p = 0x1.c71c51d0a885fp-3 + float64(p*z)
	p = 0x1.24924942309dep-2 + float64(p*z)
	p = 0x1.999999997f9bap-2 + float64(p*z)
	p = 0x1.5555555555593p-1 + float64(p*z)
	h := float64(0.5 * float64(f*f)) // 2^-58.5
	return h, float64(s * (h + float64(p*z)))
}

// Log1p sets dst[i] to the natural logarithm of 1 + x[i] for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: within 0.9 ulp for float64, 0.6 for float32, for small x too; ±0 stays
// what it is, -Inf for -1, NaN below, +Inf for +Inf.
// It panics if the lengths differ. It does not allocate.
//
//go:noinline
func Log1p[T Float](dst, x []T) {
	switch {
	case checked || len(dst) > piece || len(x) != len(dst):
		log1pPieces(dst, x)
	case single[T]():
		log1p32(f32(dst), f32(x))
	default:
		log1p64(f64(dst), f64(x))
	}
}

func log1pGeneric[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = Log1pOf(x[i])
	}
}

// Log1pOf returns the natural logarithm of 1 + x, with the bits of [Log1p].
func Log1pOf[T Float](x T) T {
	var f T
	if single[T]() {
		f = T(log1pFloat32(float32(x)))
	} else {
		f = T(log1pFloat64(float64(x)))
	}
	return f
}

func log1pFloat32(x float32) float32 {
	w := float64(x)
	u := 1 + w
	k, f := parted(u)
	if k == 0 {
		f = w
	}
	return signOf32(float32(unlogged(float64(k*ln2)+nearLog(f), u)), x)
}

// log1pFloat64 adds what is lost in 1 + x, as a part of it.
func log1pFloat64(x float64) float64 {
	u := 1 + x
	k, f := parted(u)
	c := x - (u - 1)
	if u > 2 {
		c = 1 - (u - x)
	}
	c /= u
	if k == 0 {
		f, c = x, 0
	}
	return signOf64(unlogged(kLn2(k, f, c), u), x)
}

// Log2 sets dst[i] to the logarithm of x[i] to the base 2 for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: within 0.9 ulp for float64, 0.6 for float32, exact for powers of two;
// -Inf for ±0, NaN below, +Inf for +Inf.
// It panics if the lengths differ. It does not allocate.
//
//go:noinline
func Log2[T Float](dst, x []T) {
	switch {
	case checked || len(dst) > piece || len(x) != len(dst):
		log2Pieces(dst, x)
	case single[T]():
		log232(f32(dst), f32(x))
	default:
		log264(f64(dst), f64(x))
	}
}

func log2Generic[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = Log2Of(x[i])
	}
}

// Log2Of returns the logarithm of x to the base 2, with the bits of [Log2].
func Log2Of[T Float](x T) T {
	var f T
	if single[T]() {
		f = T(log2Float32(float32(x)))
	} else {
		f = T(log2Float64(float64(x)))
	}
	return f
}

func log2Float32(x float32) float32 {
	k, f := parted(float64(x))
	return float32(unlogged(k+float64(nearLog(f)*log2E), float64(x)))
}

func log2Float64(x float64) float64 {
	k, f := partedAll(x)
	high, low := logParts(f)
	v := float64(high * log2EA)
	rest := float64((low+high)*log2EB) + float64(low*log2EA)
	s := k + v
	return unlogged(s+(((k-s)+v)+rest), x)
}

// logParts returns log(1+f) in two parts, the first of them of few bits.
func logParts(f float64) (float64, float64) {
	h, t := logTail(f)
	high := math.Float64frombits(math.Float64bits(f-h) &^ (1<<32 - 1))
	return high, ((f - high) - h) + t
}

// Log10 sets dst[i] to the logarithm of x[i] to the base 10 for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: within 0.9 ulp for float64, 0.6 for float32; -Inf for ±0, NaN below,
// +Inf for +Inf.
// It panics if the lengths differ. It does not allocate.
//
//go:noinline
func Log10[T Float](dst, x []T) {
	switch {
	case checked || len(dst) > piece || len(x) != len(dst):
		log10Pieces(dst, x)
	case single[T]():
		log1032(f32(dst), f32(x))
	default:
		log1064(f64(dst), f64(x))
	}
}

func log10Generic[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = Log10Of(x[i])
	}
}

// Log10Of returns the logarithm of x to the base 10, with the bits of [Log10].
func Log10Of[T Float](x T) T {
	var f T
	if single[T]() {
		f = T(log10Float32(float32(x)))
	} else {
		f = T(log10Float64(float64(x)))
	}
	return f
}

func log10Float32(x float32) float32 {
	k, f := parted(float64(x))
	return float32(unlogged(float64(k*log2By10)+float64(nearLog(f)*log10E), float64(x)))
}

func log10Float64(x float64) float64 {
	k, f := partedAll(x)
	high, low := logParts(f)
	w, v := float64(k*log2By10A), float64(high*log10EA)
	rest := float64(k*log2By10B) + (float64((low+high)*log10EB) + float64(low*log10EA))
	s := w + v
	return unlogged(s+(((w-s)+v)+rest), x)
}
