package kernels

import "math"

// Kepler solves Kepler's equation for elliptic orbits: it sets E[i] to the
// eccentric anomaly for the mean anomaly M[i] and the eccentricity e[i].
//
//	E - e*sin(E) = M
//
// M is in radians. Whole turns are subtracted from M first, so that |E| is at
// most half a turn.
//
// Shape: len(E) == len(M) == len(e); any length, any alignment.
// Alias: E may be M or e; a partial overlap is not supported.
// Values: the same bits on every path. A float64 is within 3 ulp of the exact
// result, and a float32 is within 3.5, denormals included. E is odd in M, and E(±0) is
// ±0. The result is NaN if e is outside [0, 1), or if M or e is NaN or infinite.
// It panics if the lengths differ. It does not allocate.
//
// Source: the starter of F. L. Markley, "Kepler equation solver", Celestial
// Mechanics and Dynamical Astronomy 63 (1995), then two steps of Halley's
// method with every difference of nearly equal terms rewritten.
//
//go:noinline
func Kepler[T Float](E, M, e []T) {
	if len(M) != len(E) || len(e) != len(E) {
		panic(lengths("Kepler", lane("E", E), lane("M", M), lane("e", e)))
	}
	if checked {
		inspect("Kepler", lane("E", E), lane("M", M), lane("e", e))
	}
	for len(E) > piece {
		Kepler(E[:piece], M[:piece], e[:piece])
		E, M, e = E[piece:], M[piece:], e[piece:]
	}
	n := len(E)
	for done := keplerRows(E, M, e); done < n; { // a path stops at rows that it leaves to us
		hi := min(done+keplerGroup, n)
		keplerGeneric(E[done:hi], M[done:hi], e[done:hi])
		done = hi + keplerRows(E[hi:], M[hi:], e[hi:])
	}
}

// keplerGroup is the number of rows that the Go body computes when a path stops at a
// row that it cannot compute. It is at least the number of rows of one iteration of the
// path's loop, so that the path makes progress.
const keplerGroup = 16

// keplerRows computes rows on the current path, up to the first row that the path cannot compute.
// It returns the number of rows that it has computed.
func keplerRows[T Float](E, M, e []T) int {
	if single[T]() {
		return keplerRows32(*as[[]float32](&E), *as[[]float32](&M), *as[[]float32](&e))
	}
	return keplerRows64(*as[[]float64](&E), *as[[]float64](&M), *as[[]float64](&e))
}

func keplerGeneric[T Float](E, M, e []T) {
	M, e = M[:len(E)], e[:len(E)]
	for i := range E {
		E[i] = KeplerOf(M[i], e[i])
	}
}

// KeplerOf returns the eccentric anomaly of the mean anomaly M and the
// eccentricity e.
// The result has the same bits as that of [Kepler]. Loops that lanec compiles call it.
func KeplerOf[T Float](M, e T) T {
	if single[T]() {
		return T(keplerOf32(float32(M), float32(e)))
	}
	return T(keplerOf64(float64(M), float64(e)))
}

func keplerOf32(M, e float32) float32 {
	m := reduceTurns32(M)
	a := kepler(float32(math.Abs(float64(m))), e, &kepler32)
	return math.Float32frombits(math.Float32bits(a) | math.Float32bits(m)&(1<<31))
}

func keplerOf64(M, e float64) float64 {
	m := reduceTurns64(M)
	a := kepler(math.Abs(m), e, &kepler64)
	return math.Float64frombits(math.Float64bits(a) | math.Float64bits(m)&(1<<63))
}

// kepler solves the equation for m from 0 to about half a turn. Each branch only chooses between
// two values, so that a path with vectors can compute both values and select one.
func kepler[T Float](m, e T, k *keplerTable[T]) T {
	if !(0 <= e && e < 1) || m != m {
		return T(math.NaN())
	}
	// If m is subnormal, E is m/(1-e), and (1-e)*E has too few bits for the steps to improve
	// E. Therefore m is multiplied by a power of two first, and E is divided by it at the
	// end.
	back := T(1)
	if m < k.normal {
		m, back = T(m*k.up), k.down
	}
	// Compute Markley's starter, with a cube root that takes two steps from an integer guess.
	g := 1 - e
	alpha := (k.alpha[0] + T(T(k.alpha[1]*(k.pi-m))/(1+e))) / k.alpha[2]
	d := T(3*g) + T(alpha*e)
	ad := T(alpha * d)
	mm := T(m * m)
	q := T(T(2*ad)*g) - mm
	r := T(T(T(3*ad)*(d-g))*m) + T(mm*m)
	w := cubeRoot(r + T(math.Sqrt(float64(T(T(q*q)*q)+T(r*r)))))
	w = T(w * w)
	E := (T(T(T(2*r)*w)/((T(w*w)+T(w*q))+T(q*q))) + m) / d

	for range 2 {
		s, c := sincos(E)
		z := T(E * E)
		p := T(1)
		for _, x := range k.series {
			p = 1 - T(T(z*x)*p)
		}
		p = T(T(T(z*E)*k.sixth) * p) // E - sin E
		if !(E < k.near) {
			p = E - s
		}
		v := T(s*s) / (1 + c) // 1 - cos E
		if !(c > 0) {
			v = 1 - c
		}
		f := (T(g*E) - m) + T(e*p)
		f1 := g + T(e*v)
		step := f / f1
		E -= T(f / (f1 - T(T(0.5*step)*T(e*s))))
	}
	return T(E * back)
}

// cubeRoot returns approximately the cube root of x ≥ 0. It divides the exponent of x by three to
// get a guess, and then does two steps of Halley's method.
func cubeRoot[T Float](x T) T {
	var y T
	if single[T]() {
		y = T(math.Float32frombits(math.Float32bits(float32(x))/3 + cubeRoot32))
	} else {
		y = T(math.Float64frombits(math.Float64bits(float64(x))/3 + cubeRoot64))
	}
	for range 2 {
		yyy := T(T(y*y) * y)
		y = T(y * ((yyy + T(2*x)) / (T(2*yyy) + x)))
	}
	return y
}
