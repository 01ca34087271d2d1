package main

import (
	"math"
	"math/rand/v2"
)

// This file constructs pairs of arguments whose exact results are, or nearly are, a midpoint between two float32. The results
// of random pairs are seldom closer to a midpoint than 2^-20 of a unit in the last place. TestNear counts how many of the
// constructed pairs are so close.

// midpoint returns a midpoint of 25 bits between 1 and 2.
func midpoint(r *rand.Rand) float64 { return math.Ldexp(float64(1<<24|r.IntN(1<<24)|1), -24) }

// hypotNear fills x and y for Hypot. In each group of four pairs, the first pair belongs to a Pythagorean triple with a
// hypotenuse of 25 bits, and the second differs from such a pair by one unit. In the last two pairs, x is slightly below a
// midpoint m, and y is the float32 nearest to √(m² - x²).
func hypotNear(r *rand.Rand, x, y []float32, _ uint64) {
	for i := range x {
		a, b := 0.0, 0.0
		for i%4 < 2 {
			m, n := uint64(r.IntN(1<<12)+1<<11), uint64(r.IntN(1<<12)+1)
			a, b = math.Abs(float64(m*m)-float64(n*n)), float64(2*m*n)
			if h := m*m + n*n; h >= 1<<24 && h < 1<<25 && h&1 == 1 && a < 1<<24 && b < 1<<24 {
				break
			}
		}
		if i%4 >= 2 {
			m := midpoint(r)
			a = float64(float32(m - math.Ldexp(r.Float64(), -r.IntN(24))))
			b = math.Sqrt(float64((m - a) * (m + a)))
		}
		x[i], y[i] = float32(a), float32(b)
		if i%4 == 1 {
			y[i] = math.Nextafter32(y[i], float32(r.IntN(2)*1<<30))
		}
		scale, turn := float32(math.Ldexp(1, r.IntN(254)-150)), r.IntN(8)
		x[i], y[i] = signed(float32(x[i]*scale), turn&1), signed(float32(y[i]*scale), turn&2)
		if turn&4 != 0 {
			x[i], y[i] = y[i], x[i]
		}
	}
}

func signed(x float32, negative int) float32 {
	if negative != 0 {
		return -x
	}
	return x
}

// atan2Near fills y and x, in this order, for Atan2. It chooses a midpoint between 2^-40 and π and takes the continued fraction of
// its tangent, up to a numerator and a denominator of 24 bits. The ratio is then within about 2^-48 of the tangent. In every
// 16th pair, the ratio is a midpoint between two subnormal numbers, and the angle is slightly below this midpoint.
func atan2Near(r *rand.Rand, y, x []float32, _ uint64) {
	for i := range y {
		if i%16 == 0 {
			j := r.IntN(200)
			y[i], x[i] = float32(math.Ldexp(float64(r.IntN(1<<r.IntN(23)+1)|1), j-149)), float32(math.Ldexp(1, j+1))
			continue
		}
		m := math.Ldexp(midpoint(r), 1-int(42*math.Pow(r.Float64(), 2))) //lanewise:inexact any distribution will do
		for m >= math.Pi {
			m = math.Ldexp(midpoint(r), 1)
		}
		t := math.Tan(m) //lanewise:inexact an argument: its last bits do not matter
		frac, e := math.Frexp(math.Abs(t))
		n, d := convergent(frac, r.IntN(2))
		shift := r.IntN(60) - 30
		y[i], x[i] = float32(math.Ldexp(n, e+shift)), float32(math.Ldexp(d, shift))
		if t < 0 {
			x[i] = -x[i]
		}
		y[i] = signed(y[i], r.IntN(2))
	}
}

// convergent returns a convergent n/d of the continued fraction of t, for 0 < t < 1. It is the last convergent with d <
// 2^24, or one that is the given number of steps earlier.
func convergent(t float64, earlier int) (n, d float64) {
	var all [64][2]float64
	all[0], all[1] = [2]float64{1, 0}, [2]float64{0, 1}
	k := 1
	for rest := t; rest > 0x1p-40 && k < 63; k++ {
		whole := math.Floor(1 / rest)
		rest = 1/rest - whole
		n, d := float64(whole*all[k][0])+all[k-1][0], float64(whole*all[k][1])+all[k-1][1]
		if d >= 1<<24 {
			break
		}
		all[k+1] = [2]float64{n, d}
	}
	k = max(1, k-earlier)
	return all[k][0], all[k][1]
}

// powNear fills x and y for Pow. Three in four blocks contain small y; for each y, they go through all x between 1 and 2, 4 or
// 16. One in four blocks contains random pairs (x, y) of two kinds. Pairs of the first kind have a rational power, or are
// neighbors of such pairs. For a pair of the second kind, x is random, m is a random midpoint of two float32 close to 1, and y is the float32
// nearest to log m/log x, so that the power is close to m.
func powNear(r *rand.Rand, x, y []float32, b uint64) {
	if b%4 != 3 {
		everyBase(x, y, b-b/4)
		return
	}
	for i := range x {
		if i%4 == 0 {
			g := r.IntN(4)
			z := float64(r.IntN(1<<(1+r.IntN(24>>g))) | 1)
			n := max(1, int(25/math.Log2(float64(z+1)))) //lanewise:inexact as above
			z = math.Ldexp(z, -(r.IntN(160) / n))
			x[i], y[i] = float32(math.Pow(z, float64(int(1)<<g))), float32(math.Ldexp(float64(n), -g)) //lanewise:inexact as above
			switch r.IntN(4) {
			case 0:
				x[i] = math.Nextafter32(x[i], float32(r.IntN(2)*1<<30))
			case 1:
				y[i] = math.Nextafter32(y[i], float32(r.IntN(2)*1<<30))
			}
			continue
		}
		m := math.Ldexp(float64(r.IntN(1<<r.IntN(22)+1)|1), -24) // less 1
		if r.IntN(2) == 0 {
			m = float64(m * -0.5)
		}
		x[i] = math.Float32frombits(r.Uint32() >> 1)
		if r.IntN(2) == 0 {
			x[i] = 1 + float32(math.Ldexp(float64(r.IntN(1<<r.IntN(20)+1)-1<<r.IntN(19)), -24))
		}
		y[i] = float32(math.Log1p(m) / math.Log1p(float64(x[i])-1)) //lanewise:inexact as above
	}
}

// everyBase fills block b of the pairs with a small y and all x in a range.
func everyBase(x, y []float32, b uint64) {
	const binade = 1 << 23 / block // blocks
	for _, f := range []struct {
		y       []float64
		binades uint64
	}{
		{[]float64{-1, 3, -2, 4, 5, -3, 0.5, -0.5}, 2},
		{[]float64{1.5, -1.5, 2.5, 3.5}, 2},
		{[]float64{0.25, 0.75, -0.25, 1.25}, 4},
		{[]float64{6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, -4, -5, -6, -7, -8}, 1},
		{[]float64{4.5, 5.5, 6.5, 7.5, -2.5, -3.5, -4.5}, 2},
		{[]float64{1.75, 2.25, 2.75, 3.25, 3.75, -0.75, -1.25}, 4},
	} {
		for _, power := range f.y {
			if b < f.binades*binade {
				for i := range x {
					x[i], y[i] = math.Float32frombits(0x3f800000+uint32(b)*block+uint32(i)), float32(power)
				}
				return
			}
			b -= f.binades * binade
		}
	}
	for i := range x { // all of them are done
		x[i], y[i] = math.Float32frombits(uint32(i)*0x9e3779b9), 1
	}
}
