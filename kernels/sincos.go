package kernels

import "math"

// Sincos sets sin[i] and cos[i] to the sine and cosine of x[i], in radians.
//
// Shape: len(sin) == len(cos) == len(x); any length, any alignment.
// Alias: sin or cos may be x; a partial overlap is not supported.
// Values: the same bits on every path. A float64 is within 0.9 ulp of the exact result,
// a float32 within 2.5. For float32, the error is below 1.5 ulp if |x| ≤ 125, and below
// 1.6 ulp if |x| > 12800. Large x are reduced with as many bits of π as they need, so
// the accuracy holds for every finite x. sin(±0) is ±0; an infinity or NaN gives NaN.
// It panics if the lengths differ. It does not allocate.
//
//go:noinline
func Sincos[T Float](sin, cos, x []T) {
	if len(cos) != len(sin) || len(x) != len(sin) {
		panic(differ("Sincos", "sin cos x", len(sin), len(cos), len(x)))
	}
	if checked {
		inspect("Sincos", append(lane("sin", sin), lane("cos", cos)...), lane("x", x))
	}
	for len(x) > piece {
		Sincos(sin[:piece], cos[:piece], x[:piece])
		sin, cos, x = sin[piece:], cos[piece:], x[piece:]
	}
	n := len(x)
	for done := sincosRows(sin, cos, x); done < n; { // a path stops at rows that it leaves to us
		hi := min(done+sincosGroup, n)
		sincosGeneric(sin[done:hi], cos[done:hi], x[done:hi])
		done = hi + sincosRows(sin[hi:], cos[hi:], x[hi:])
	}
}

// sincosGroup is the number of rows that the Go body computes when a path stops at a row that it
// cannot compute. It is at least the number of rows of one iteration of the path's loop, so that
// the path makes progress.
const sincosGroup = 16

// sincosRows computes rows on the current path, up to the first row that the path cannot compute.
// It returns the number of rows that it has computed.
func sincosRows[T Float](sin, cos, x []T) int {
	if single[T]() {
		return sincosRows32(*as[[]float32](&sin), *as[[]float32](&cos), *as[[]float32](&x))
	}
	return sincosRows64(*as[[]float64](&sin), *as[[]float64](&cos), *as[[]float64](&x))
}

// SincosOf returns the sine and cosine of x, in radians.
// The result has the same bits as that of [Sincos]. Loops that lanec compiles call it.
func SincosOf[T Float](x T) (sin, cos T) { return sincos(x) }

func sincosGeneric[T Float](sin, cos, x []T) {
	cos, x = cos[:len(sin)], x[:len(sin)]
	for i := range sin {
		sin[i], cos[i] = sincos(x[i])
	}
}

func sincos[T Float](x T) (sin, cos T) {
	if single[T]() {
		s, c := sincos32(float32(x))
		return T(s), T(c)
	}
	s, c := sincos64(float64(x))
	return T(s), T(c)
}

// sincos32 subtracts k quarter turns in four parts and evaluates both polynomials at the remainder
// r. Then k decides which polynomial is the sine and which is the cosine.
func sincos32(x float32) (sin, cos float32) {
	var r float32
	var k uint32
	if rarely(!(-ordinary32 <= x && x <= ordinary32)) {
		var high float64
		high, _, k = reduceLarge(float64(x))
		r = float32(high)
	} else {
		f := float32(x*twoOverPi32) + roundInt32
		k = math.Float32bits(f) // its last bits count the quarters
		f -= roundInt32
		r = x - float32(f*halfPi32A)
		r -= float32(f * halfPi32B)
		r -= float32(f * halfPi32C)
		r -= float32(f * halfPi32D)
	}
	z := float32(r * r)
	s := float32(float32((float32((float32(sin32C*z)+sin32B)*z)+sin32A)*z)*r) + r
	c := (float32((float32((float32(cos32C*z)+cos32B)*z)+cos32A)*float32(z*z)) - float32(0.5*z)) + 1
	sb, cb := math.Float32bits(s), math.Float32bits(c)
	sb |= math.Float32bits(r) & (1 << 31) // the sum has lost the sign of a zero
	if k&1 != 0 {
		sb, cb = cb, sb
	}
	sb ^= (k & 2) << 30
	cb ^= ((k + 1) & 2) << 30
	return math.Float32frombits(sb), math.Float32frombits(cb)
}

// sincos64 does the same as sincos32, with a remainder in two parts, high + low.
func sincos64(x float64) (sin, cos float64) {
	var high, low float64
	var k uint64
	if rarely(!(-ordinary64 <= x && x <= ordinary64)) {
		var q uint32
		high, low, q = reduceLarge(x)
		k = uint64(q)
	} else {
		f := float64(x*twoOverPi64) + roundInt64
		k = math.Float64bits(f)
		high, low = subtractQuarterTurns(x, f-roundInt64)
	}
	z := float64(high * high)
	p := float64(z * (float64(z*(float64(z*(float64(z*(float64(z*(float64(z*sin64F)+sin64E))+sin64D))+sin64C))+sin64B)) + sin64A))
	q := float64(float64(z*z) * (float64(z*(float64(z*(float64(z*(float64(z*(float64(z*cos64F)+cos64E))+cos64D))+cos64C))+cos64B)) + cos64A))
	h := float64(0.5 * z)
	v := 1 - h
	c := v + (((1 - v) - h) + (q - float64(high*low)))
	s := high + (float64(low*v) + float64(high*p))
	sb, cb := math.Float64bits(s), math.Float64bits(c)
	sb |= math.Float64bits(high) & (1 << 63)
	if k&1 != 0 {
		sb, cb = cb, sb
	}
	sb ^= (k & 2) << 62
	cb ^= ((k + 1) & 2) << 62
	return math.Float64frombits(sb), math.Float64frombits(cb)
}
