package kernels

import "math"

// This file has the correctly rounded functions of float32: each result is the float32 that is nearest to the exact result.
// Each function first calls a function of roundednear.go, which returns a float64 y with a relative error below 2^-42. So the
// exact result is between two numbers, one a little below y and one a little above y. If the same float32 is nearest to both
// numbers, it is the result.
//
// Otherwise, a midpoint between two float32 is between the two numbers. This occurs for about one argument in two hundred thousand.
// In this case the code that lanec compiles leaves the rows to Go. The Go code calls the exported function for float64, for example
// Exp, whose error is about 2^-53, and rounds its result to float32. This is wrong for a few arguments at most, and the tables of
// roundedhard.go list them. internal/accuracy has checked all 2³² results: the C library's float64 functions, whose errors are
// known to be small, decide nearly all of them, and MPFR decides up to 208 results of a function, which are closest to a midpoint.

// around returns two float32: the one nearest to a number a little below y, and the one nearest to a number a little
// above y. For most y, both are equal.
func around(y float64) (float32, float32) {
	return float32(float64(y * (1 - 0x1p-42))), float32(float64(y * (1 + 0x1p-42)))
}

// above returns two float32: the one nearest to y, and the one nearest to a number whose absolute value is a little larger than
// that of y. y must be finite or NaN. The larger number is computed by an addition to the bits of y, because this takes less time
// than a product.
func above(y float64) (float32, float32) {
	return float32(y), float32(math.Float64frombits(math.Float64bits(y) + 1<<12))
}

// apart reports whether low and high, the results of around or above, are different. They have the same sign, and the
// absolute value of low is not above that of high. apart returns false for NaN.
func apart(low, high float32) bool {
	return int32(math.Float32bits(low)) < int32(math.Float32bits(high))
}

// ExpRounded sets dst[i] to e to the power of x[i], correctly rounded, for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: correctly rounded for all 2³² arguments. Special values are those of [Exp].
// It panics if the lengths differ. It does not allocate.
func expRoundedGeneric(dst, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = ExpRoundedOf(x[i])
	}
}

// ExpRoundedOf returns e to the power of x. The result has the bits of [ExpRounded].
func ExpRoundedOf(x float32) float32 {
	low, high := above(expBelow(x))
	if rarely(apart(low, high)) {
		return hardExp.round(x, expFloat64(float64(x)))
	}
	return low
}

// Exp2Rounded sets dst[i] to 2 to the power of x[i], correctly rounded, for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: correctly rounded for all 2³² arguments. Special values are those of [Exp2].
// It panics if the lengths differ. It does not allocate.
func exp2RoundedGeneric(dst, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = Exp2RoundedOf(x[i])
	}
}

// Exp2RoundedOf returns 2 to the power of x. The result has the bits of [Exp2Rounded].
func Exp2RoundedOf(x float32) float32 {
	low, high := above(exp2Below(x))
	if rarely(apart(low, high)) {
		return hardExp2.round(x, exp2Float64(float64(x)))
	}
	return low
}

// Expm1Rounded sets dst[i] to e to the power of x[i], less 1, correctly rounded, for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: correctly rounded for all 2³² arguments. Special values are those of [Expm1].
// It panics if the lengths differ. It does not allocate.
func expm1RoundedGeneric(dst, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = Expm1RoundedOf(x[i])
	}
}

// Expm1RoundedOf returns e to the power of x, less 1. The result has the bits of [Expm1Rounded].
func Expm1RoundedOf(x float32) float32 {
	low, high := around(signOf64(expm1Near(lesser(90, greater(-30, float64(x)))), float64(x)))
	if rarely(apart(low, high)) {
		return hardExpm1.round(x, expm1Float64(float64(x)))
	}
	return low
}

// LogRounded sets dst[i] to the natural logarithm of x[i], correctly rounded, for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: correctly rounded for all 2³² arguments. Special values are those of [Log].
// It panics if the lengths differ. It does not allocate.
func logRoundedGeneric(dst, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = LogRoundedOf(x[i])
	}
}

// LogRoundedOf returns the natural logarithm of x. The result has the bits of [LogRounded].
func LogRoundedOf(x float32) float32 {
	k, f := splitNormal(float64(x))
	low, high := around(logSpecial(float64(k*ln2)+logNear(f), float64(x)))
	if rarely(apart(low, high)) {
		return hardLog.round(x, logFloat64(float64(x)))
	}
	return low
}

// Log1pRounded sets dst[i] to the natural logarithm of 1 + x[i], correctly rounded, for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: correctly rounded for all 2³² arguments. Special values are those of [Log1p].
// It panics if the lengths differ. It does not allocate.
func log1pRoundedGeneric(dst, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = Log1pRoundedOf(x[i])
	}
}

// Log1pRoundedOf returns the natural logarithm of 1 + x. The result has the bits of [Log1pRounded].
func Log1pRoundedOf(x float32) float32 {
	low, high := around(log1pNear(x))
	if rarely(apart(low, high)) {
		return hardLog1p.round(x, log1pFloat64(float64(x)))
	}
	return low
}

// Log2Rounded sets dst[i] to the logarithm of x[i] to the base 2, correctly rounded, for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: correctly rounded for all 2³² arguments. Special values are those of [Log2].
// It panics if the lengths differ. It does not allocate.
func log2RoundedGeneric(dst, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = Log2RoundedOf(x[i])
	}
}

// Log2RoundedOf returns the logarithm of x to the base 2. The result has the bits of [Log2Rounded].
func Log2RoundedOf(x float32) float32 {
	k, f := splitNormal(float64(x))
	low, high := around(logSpecial(k+float64(logNear(f)*log2E), float64(x)))
	if rarely(apart(low, high)) {
		return hardLog2.round(x, log2Float64(float64(x)))
	}
	return low
}

// Log10Rounded sets dst[i] to the logarithm of x[i] to the base 10, correctly rounded, for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: correctly rounded for all 2³² arguments. Special values are those of [Log10].
// It panics if the lengths differ. It does not allocate.
func log10RoundedGeneric(dst, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = Log10RoundedOf(x[i])
	}
}

// Log10RoundedOf returns the logarithm of x to the base 10. The result has the bits of [Log10Rounded].
func Log10RoundedOf(x float32) float32 {
	k, f := splitNormal(float64(x))
	low, high := around(logSpecial(float64(k*log2By10)+float64(logNear(f)*log10E), float64(x)))
	if rarely(apart(low, high)) {
		return hardLog10.round(x, log10Float64(float64(x)))
	}
	return low
}

// RsqrtRounded sets dst[i] = 1/√x[i], correctly rounded, for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: correctly rounded for all 2³² arguments. Special values are those of [Rsqrt].
// It panics if the lengths differ. It does not allocate.
func rsqrtRoundedGeneric(dst, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = RsqrtRoundedOf(x[i])
	}
}

// RsqrtRoundedOf returns 1/√x. The result has the bits of [RsqrtRounded].
func RsqrtRoundedOf(x float32) float32 {
	low, high := around(rsqrtNear(x))
	if rarely(apart(low, high)) {
		return hardRsqrt.round(x, 1/math.Sqrt(float64(x)))
	}
	return low
}

// SinRounded sets dst[i] to the sine of x[i], in radians, correctly rounded, for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: correctly rounded for all 2³² arguments. Special values are those of [Sin].
// It panics if the lengths differ. It does not allocate.
func sinRoundedGeneric(dst, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = SinRoundedOf(x[i])
	}
}

// SinRoundedOf returns the sine of x, in radians. The result has the bits of [SinRounded].
func SinRoundedOf(x float32) float32 {
	w := float64(x)
	if rarely(math.Abs(w) > ordinaryHalf) {
		return hardSin.round(x, sinFloat64(w))
	}
	low, high := around(sinNear(w))
	if rarely(apart(low, high)) {
		return hardSin.round(x, sinFloat64(w))
	}
	return low
}

// CosRounded sets dst[i] to the cosine of x[i], in radians, correctly rounded, for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: correctly rounded for all 2³² arguments. Special values are those of [Cos].
// It panics if the lengths differ. It does not allocate.
func cosRoundedGeneric(dst, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = CosRoundedOf(x[i])
	}
}

// CosRoundedOf returns the cosine of x, in radians. The result has the bits of [CosRounded].
func CosRoundedOf(x float32) float32 {
	w := float64(x)
	if rarely(math.Abs(w) > ordinaryHalf) {
		return hardCos.round(x, cosFloat64(w))
	}
	low, high := around(cosNear(w))
	if rarely(apart(low, high)) {
		return hardCos.round(x, cosFloat64(w))
	}
	return low
}

// TanRounded sets dst[i] to the tangent of x[i], in radians, correctly rounded, for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: correctly rounded for all 2³² arguments. Special values are those of [Tan].
// It panics if the lengths differ. It does not allocate.
func tanRoundedGeneric(dst, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = TanRoundedOf(x[i])
	}
}

// TanRoundedOf returns the tangent of x, in radians. The result has the bits of [TanRounded].
func TanRoundedOf(x float32) float32 {
	w := float64(x)
	if rarely(math.Abs(w) > ordinaryHalf) {
		return hardTan.round(x, tanFloat64(w))
	}
	low, high := around(tanNear(w))
	if rarely(apart(low, high)) {
		return hardTan.round(x, tanFloat64(w))
	}
	return low
}

// AsinRounded sets dst[i] to the arc sine of x[i], correctly rounded, for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: correctly rounded for all 2³² arguments. Special values are those of [Asin].
// It panics if the lengths differ. It does not allocate.
func asinRoundedGeneric(dst, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = AsinRoundedOf(x[i])
	}
}

// AsinRoundedOf returns the arc sine of x, in radians. The result has the bits of [AsinRounded].
func AsinRoundedOf(x float32) float32 {
	low, high := around(asinNear(x))
	if rarely(apart(low, high)) {
		return hardAsin.round(x, asinFloat64(float64(x)))
	}
	return low
}

// AcosRounded sets dst[i] to the arc cosine of x[i], correctly rounded, for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: correctly rounded for all 2³² arguments. Special values are those of [Acos].
// It panics if the lengths differ. It does not allocate.
func acosRoundedGeneric(dst, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = AcosRoundedOf(x[i])
	}
}

// AcosRoundedOf returns the arc cosine of x, in radians. The result has the bits of [AcosRounded].
func AcosRoundedOf(x float32) float32 {
	low, high := around(acosNear(x))
	if rarely(apart(low, high)) {
		return hardAcos.round(x, acosFloat64(float64(x)))
	}
	return low
}

// AtanRounded sets dst[i] to the arc tangent of x[i], correctly rounded, for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: correctly rounded for all 2³² arguments. Special values are those of [Atan].
// It panics if the lengths differ. It does not allocate.
func atanRoundedGeneric(dst, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = AtanRoundedOf(x[i])
	}
}

// AtanRoundedOf returns the arc tangent of x, in radians. The result has the bits of [AtanRounded].
func AtanRoundedOf(x float32) float32 {
	low, high := around(atanNear(x))
	if rarely(apart(low, high)) {
		return hardAtan.round(x, atanFloat64(float64(x)))
	}
	return low
}

// SinhRounded sets dst[i] to the hyperbolic sine of x[i], correctly rounded, for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: correctly rounded for all 2³² arguments. Special values are those of [Sinh].
// It panics if the lengths differ. It does not allocate.
func sinhRoundedGeneric(dst, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = SinhRoundedOf(x[i])
	}
}

// SinhRoundedOf returns the hyperbolic sine of x. The result has the bits of [SinhRounded].
func SinhRoundedOf(x float32) float32 {
	low, high := around(sinhNear(x))
	if rarely(apart(low, high)) {
		return hardSinh.round(x, sinhFloat64(float64(x)))
	}
	return low
}

// CoshRounded sets dst[i] to the hyperbolic cosine of x[i], correctly rounded, for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: correctly rounded for all 2³² arguments. Special values are those of [Cosh].
// It panics if the lengths differ. It does not allocate.
func coshRoundedGeneric(dst, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = CoshRoundedOf(x[i])
	}
}

// CoshRoundedOf returns the hyperbolic cosine of x. The result has the bits of [CoshRounded].
func CoshRoundedOf(x float32) float32 {
	low, high := around(coshNear(x))
	if rarely(apart(low, high)) {
		return hardCosh.round(x, coshFloat64(float64(x)))
	}
	return low
}

// TanhRounded sets dst[i] to the hyperbolic tangent of x[i], correctly rounded, for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: correctly rounded for all 2³² arguments. Special values are those of [Tanh].
// It panics if the lengths differ. It does not allocate.
func tanhRoundedGeneric(dst, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = TanhRoundedOf(x[i])
	}
}

// TanhRoundedOf returns the hyperbolic tangent of x. The result has the bits of [TanhRounded].
func TanhRoundedOf(x float32) float32 {
	low, high := around(tanhNear(x))
	if rarely(apart(low, high)) {
		return hardTanh.round(x, tanhFloat64(float64(x)))
	}
	return low
}

// CbrtRounded sets dst[i] to the cube root of x[i], correctly rounded, for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: correctly rounded for all 2³² arguments. Special values are those of [Cbrt].
// It panics if the lengths differ. It does not allocate.
func cbrtRoundedGeneric(dst, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = CbrtRoundedOf(x[i])
	}
}

// CbrtRoundedOf returns the cube root of x. The result has the bits of [CbrtRounded].
func CbrtRoundedOf(x float32) float32 {
	low, high := around(cbrtNear(x))
	if rarely(apart(low, high)) {
		return hardCbrt.round(x, cbrtFloat64(float64(x)))
	}
	return low
}

// ErfRounded sets dst[i] to the error function of x[i], correctly rounded, for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: correctly rounded for all 2³² arguments. Special values are those of [Erf].
// It panics if the lengths differ. It does not allocate.
func erfRoundedGeneric(dst, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = ErfRoundedOf(x[i])
	}
}

// ErfRoundedOf returns the error function of x. The result has the bits of [ErfRounded].
func ErfRoundedOf(x float32) float32 {
	low, high := around(erfFloat64(float64(x)))
	if rarely(apart(low, high)) {
		return hardErf.round(x, erfFloat64(float64(x)))
	}
	return low
}

// ErfcRounded sets dst[i] to the complementary error function of x[i], correctly rounded, for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: correctly rounded for all 2³² arguments. Special values are those of [Erfc].
// It panics if the lengths differ. It does not allocate.
func erfcRoundedGeneric(dst, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = ErfcRoundedOf(x[i])
	}
}

// ErfcRoundedOf returns the complementary error function of x. The result has the bits of [ErfcRounded].
func ErfcRoundedOf(x float32) float32 {
	low, high := around(erfcNear(x))
	if rarely(apart(low, high)) {
		return hardErfc.round(x, erfcFloat64(float64(x)))
	}
	return low
}
