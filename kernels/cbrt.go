package kernels

import "math"

// Cbrt sets dst[i] to the cube root of x[i] for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: within 0.6 ulp for float64, 0.6 for float32. ±0, ±Inf and NaN give
// themselves.
// It panics if the lengths differ. It does not allocate.
func cbrtGeneric[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = CbrtOf(x[i])
	}
}

// CbrtOf returns the cube root of x.
// The result has the same bits as that of [Cbrt].
func CbrtOf[T Float](x T) T {
	var f T
	if single[T]() {
		f = T(cbrtFloat32(float32(x)))
	} else {
		f = T(cbrtFloat64(float64(x)))
	}
	return f
}

func cbrtFloat32(x float32) float32 {
	a := math.Abs(float64(x))
	t, y, power := cubeParts(a)
	w := float64(float64(t*float64(y*y)) * power)
	if !(a > 0 && a <= math.MaxFloat32) {
		w = a
	}
	return signOf32(float32(w), x)
}

// cubeParts takes a normal number x. cubeParts returns t in [1, 8), 1/∛t within 2^-33, and
// the power of two ∛(x/t).
func cubeParts(x float64) (float64, float64, float64) {
	t, y, power := cubeGuess(x)
	y += float64(y * float64((1-float64(t*float64(y*float64(y*y))))*third))
	return t, y, power
}

// cubeGuess returns the same numbers as cubeParts, but its 1/∛t has an error of up to 2^-17.
func cubeGuess(x float64) (float64, float64, float64) {
	b := math.Float64bits(x)
	k := math.Float64frombits(b>>52|math.Float64bits(1<<52)) - (1<<52 + 1023)
	m := math.Float64frombits(b&(1<<52-1) | oneBits)
	f := float64((k-1)*third) + roundInt64
	r := k - float64(3*(f-roundInt64)) // 0, 1 or 2
	t, scale := m, 1.0
	if r == 1 {
		t, scale = float64(2*m), cubeRootHalf
	}
	if r == 2 {
		t, scale = float64(4*m), cubeRootQuarter
	}
	y := 0x1.3fa2f5de1a919p-3 + float64(-0x1.16d79ac5dfdd3p-6*m)
	y = -0x1.321cb64982adep-1 + float64(y*m)
	y = 0x1.3e68ebc89496dp+0 + float64(y*m)
	y = -0x1.90e75a6275770p+0 + float64(y*m)
	y = 0x1.c7f368ef4313cp+0 + float64(y*m)
	y = float64(y * scale) // 2^-17.4
	return t, y, math.Float64frombits(oneBits + math.Float64bits(f)<<52)
}

// cbrtFloat64 does another step of Newton's method for 1/∛t, and a last step for
// ∛t, with an exact cube.
func cbrtFloat64(x float64) float64 {
	a := math.Abs(x)
	v, up := a, 1.0
	if a < 0x1p-1022 {
		v, up = float64(a*0x1p54), 0x1p-18
	}
	t, y, power := cubeParts(v)
	y += float64(y * float64((1-float64(t*float64(y*float64(y*y))))*third))
	y2 := float64(y * y)
	w := float64(t * y2)
	p, pRest := twoProduct(w, w)
	q, qRest := twoProduct(p, w)
	w += float64(((t - q) - (qRest + float64(pRest*w))) * float64(y2*third))
	w = float64(float64(w*power) * up)
	if !(a > 0 && a <= math.MaxFloat64) {
		w = a
	}
	return signOf64(w, x)
}
