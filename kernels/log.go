package kernels

import "math"

// For logarithms, x is written as m·2^k with m in [√½, √2), and f is m - 1, which is exact. With
// f = 2s/(1 - s), log m is 2 artanh s, which has a series in s². Package internal/minimax
// computed the polynomial of float32.

// Log sets dst[i] to the natural logarithm of x[i] for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: within 0.9 ulp for float64, 0.9 for float32. ±0 gives -Inf, +Inf gives +Inf, and a
// negative x gives NaN.
// It panics if the lengths differ. It does not allocate.
func logGeneric[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = LogOf(x[i])
	}
}

// LogOf returns the natural logarithm of x.
// The result has the same bits as that of [Log].
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
	k, f := splitPositive32(x)
	return logSpecial32(combineLog32(k, f, 0), x)
}

// splitNormal32 returns k and m - 1 for a normal number x.
func splitNormal32(x float32) (float32, float32) {
	b := math.Float32bits(x) + (oneBits32 - rootHalfBits32)
	k := float32(int32(b>>23)) - 127
	return k, math.Float32frombits(b&(1<<23-1)+rootHalfBits32) - 1
}

// splitPositive32 returns k and m - 1 for any number x above zero.
func splitPositive32(x float32) (float32, float32) {
	less := float32(0)
	if x < 0x1p-126 {
		x, less = float32(x*0x1p24), 24
	}
	k, f := splitNormal32(x)
	return k - less, f
}

// combineLog32 returns k·ln 2 + log(1+f) + c, where c is small.
func combineLog32(k, f, c float32) float32 {
	h, t := logTail32(f)
	return float32(k*ln2A32) - ((h - (t + (float32(k*ln2B32) + c))) - f)
}

// logTail32 returns two numbers h and t such that log(1+f) is f - h + t. h is f²/2.
func logTail32(f float32) (float32, float32) {
	s := f / (2 + f)
	z := float32(s * s)
	p := 0x1.995ed2p-02 + float32(0x1.31e136p-02*z)
	p = 0x1.55557ap-01 + float32(p*z)
	h := float32(0.5 * float32(f*f)) // 2^-30.2
	return h, float32(s * (h + float32(p*z)))
}

// logParts32 returns log(1+f) in two parts. The first part has so few bits that products with it
// are exact.
func logParts32(f float32) (float32, float32) {
	h, t := logTail32(f)
	high := upperBits32(f - h)
	return high, ((f - high) - h) + t
}

// logSpecial32 returns y if x is positive and finite, and the logarithm of x
// otherwise: -Inf, NaN or +Inf.
func logSpecial32(y, x float32) float32 {
	if x == 0 {
		y = math.Float32frombits(0x1ff << 23)
	}
	if !(x >= 0) {
		y = math.Float32frombits(0x1ff << 22)
	}
	if x > math.MaxFloat32 {
		y = x
	}
	return y
}

// splitNormal returns k and m - 1 for a normal number x.
func splitNormal(x float64) (float64, float64) {
	b := math.Float64bits(x) + (oneBits - rootHalfBits)
	k := math.Float64frombits(b>>52|math.Float64bits(1<<52)) - (1<<52 + 1023)
	return k, math.Float64frombits(b&(1<<52-1)+rootHalfBits) - 1
}

// logSpecial returns y if x is positive and finite, and the logarithm of x
// otherwise: -Inf, NaN or +Inf.
func logSpecial(y, x float64) float64 {
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
	k, f := splitPositive(x)
	return logSpecial(combineLog(k, f, 0), x)
}

// splitPositive returns k and m - 1 for any number x above zero.
func splitPositive(x float64) (float64, float64) {
	less := 0.0
	if x < 0x1p-1022 {
		x, less = float64(x*0x1p54), 54
	}
	k, f := splitNormal(x)
	return k - less, f
}

// combineLog returns k·ln 2 + log(1+f) + c, where c is small.
func combineLog(k, f, c float64) float64 {
	h, t := logTail(f)
	return float64(k*ln2A) - ((h - (t + (float64(k*ln2B) + c))) - f)
}

// logTail returns two numbers h and t such that log(1+f) is f - h + t. h is f²/2.
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
// Values: within 0.9 ulp for float64, 0.9 for float32, for small x too. ±0
// gives ±0, and +Inf gives +Inf. -1 gives -Inf, and smaller numbers give
// NaN.
// It panics if the lengths differ. It does not allocate.
func log1pGeneric[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = Log1pOf(x[i])
	}
}

// Log1pOf returns the natural logarithm of 1 + x.
// The result has the same bits as that of [Log1p].
func Log1pOf[T Float](x T) T {
	var f T
	if single[T]() {
		f = T(log1pFloat32(float32(x)))
	} else {
		f = T(log1pFloat64(float64(x)))
	}
	return f
}

// log1pFloat32 computes log u for u = 1 + x, and adds the rounding error of u divided by u.
func log1pFloat32(x float32) float32 {
	u := 1 + x
	k, f := splitNormal32(u)
	c := x - (u - 1)
	if u > 2 {
		c = 1 - (u - x)
	}
	c /= u
	if k == 0 {
		f, c = x, 0
	}
	return signOf32(logSpecial32(combineLog32(k, f, c), u), x)
}

func log1pFloat64(x float64) float64 {
	u := 1 + x
	k, f := splitNormal(u)
	c := x - (u - 1)
	if u > 2 {
		c = 1 - (u - x)
	}
	c /= u
	if k == 0 {
		f, c = x, 0
	}
	return signOf64(logSpecial(combineLog(k, f, c), u), x)
}

// Log2 sets dst[i] to the logarithm of x[i] to the base 2 for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: within 0.9 ulp for float64, 0.9 for float32, exact for powers of two. ±0 gives -Inf,
// +Inf gives +Inf, and a negative x gives NaN.
// It panics if the lengths differ. It does not allocate.
func log2Generic[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = Log2Of(x[i])
	}
}

// Log2Of returns the logarithm of x to the base 2.
// The result has the same bits as that of [Log2].
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
	k, f := splitPositive32(x)
	high, low := logParts32(f)
	v := float32(high * log2EA32)
	rest := float32((low+high)*log2EB32) + float32(low*log2EA32)
	s := k + v
	return logSpecial32(s+(((k-s)+v)+rest), x)
}

func log2Float64(x float64) float64 {
	k, f := splitPositive(x)
	high, low := logParts(f)
	v := float64(high * log2EA)
	rest := float64((low+high)*log2EB) + float64(low*log2EA)
	s := k + v
	return logSpecial(s+(((k-s)+v)+rest), x)
}

// logParts returns log(1+f) in two parts. The first part has so few bits that products with it are
// exact.
func logParts(f float64) (float64, float64) {
	h, t := logTail(f)
	high := math.Float64frombits(math.Float64bits(f-h) &^ (1<<32 - 1))
	return high, ((f - high) - h) + t
}

// Log10 sets dst[i] to the logarithm of x[i] to the base 10 for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: within 0.9 ulp for float64, 0.8 for float32. ±0 gives -Inf, +Inf gives +Inf, and a
// negative x gives NaN.
// It panics if the lengths differ. It does not allocate.
func log10Generic[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = Log10Of(x[i])
	}
}

// Log10Of returns the logarithm of x to the base 10.
// The result has the same bits as that of [Log10].
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
	k, f := splitPositive32(x)
	high, low := logParts32(f)
	w, v := float32(k*log2By10A32), float32(high*log10EA32)
	rest := float32(k*log2By10B32) + (float32((low+high)*log10EB32) + float32(low*log10EA32))
	s := w + v
	return logSpecial32(s+(((w-s)+v)+rest), x)
}

func log10Float64(x float64) float64 {
	k, f := splitPositive(x)
	high, low := logParts(f)
	w, v := float64(k*log2By10A), float64(high*log10EA)
	rest := float64(k*log2By10B) + (float64((low+high)*log10EB) + float64(low*log10EA))
	s := w + v
	return logSpecial(s+(((w-s)+v)+rest), x)
}
