package random

import (
	"math"
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

// TestNoise checks what the comments say about the range, the zeros and the smoothness of noise. It
// also checks that different seeds give different noise, and that the function on lanes agrees with
// the version for one point.
func TestNoise(t *testing.T) {
	noise[float32](t, 1e-4)
	noise[float64](t, 1e-9)
}

func noise[T kernels.Float](t *testing.T, near float64) {
	const n = 60_000
	x, y, z, flat, deep := make([]T, n), make([]T, n), make([]T, n), make([]T, n), make([]T, n)
	Range(x, key.Rows(0), -2000, 2000)
	Range(y, key.Rows(n), -20, 20)
	Range(z, key.Rows(2*n), 0, 300)
	Noise2(flat, x, y, 7)
	Noise3(deep, x, y, z, 7)
	var squares, squares3, largest, largest3, sum float64
	for i := range x {
		if flat[i] != Noise2Of(x[i], y[i], 7) || deep[i] != Noise3Of(x[i], y[i], z[i], 7) {
			t.Fatalf("%T: point %d differs from the scalar", x, i)
		}
		a, b := float64(flat[i]), float64(deep[i])
		squares, squares3, sum = squares+float64(a*a), squares3+float64(b*b), sum+a+b
		largest, largest3 = max(largest, math.Abs(a)), max(largest3, math.Abs(b))
	}
	t.Logf("%T: largest %.3f and %.3f, squares %.4f and %.4f, mean %.4f", x, largest, largest3, squares/n, squares3/n, sum/n)
	if largest > 1 || largest3 > 1 || largest < 0.9 || largest3 < 0.75 {
		t.Errorf("%T: the largest are %v and %v", x, largest, largest3)
	}
	if math.Abs(squares/n-0.092) > 0.01 || math.Abs(squares3/n-0.068) > 0.01 || math.Abs(sum/n) > 0.02 {
		t.Errorf("%T: squares are %v and %v, the mean %v", x, squares/n, squares3/n, sum/n)
	}
	h := T(0x1p-8)
	for i := range 2000 {
		cx, cy, cz := T(math.Floor(float64(x[i]))), T(math.Floor(float64(y[i]))), T(math.Floor(float64(z[i])))
		if a, b := Noise2Of(cx, cy, 7), Noise3Of(cx, cy, cz, 7); a != 0 || b != 0 {
			t.Fatalf("%T: at a corner it is %v and %v", x, a, b)
		}
		// Value and slope must be continuous across the edge of a cell.
		v := func(dx T) float64 { return float64(Noise2Of(cx+dx, y[i], 7)) }
		if left, right := v(0)-v(-h), v(h)-v(0); math.Abs(left-right) > 8*float64(h)*float64(h)+near {
			t.Fatalf("%T: the slopes at an edge are %v and %v", x, left/float64(h), right/float64(h))
		}
		w := func(dz T) float64 { return float64(Noise3Of(x[i], y[i], cz+dz, 7)) }
		if left, right := w(0)-w(-h), w(h)-w(0); math.Abs(left-right) > 8*float64(h)*float64(h)+near {
			t.Fatalf("%T: the slopes at a face are %v and %v", x, left/float64(h), right/float64(h))
		}
	}
	product := 0.0
	for i := range x {
		product += float64(flat[i] * Noise2Of(x[i], y[i], 8))
	}
	if math.Abs(product/n) > 0.01 {
		t.Errorf("%T: seeds that differ by one go together: %v", x, product/n)
	}
	for _, bad := range []T{T(nan), T(math.Inf(1)), T(math.Inf(-1)), 1 << 31, -1 << 31} {
		for _, v := range []T{Noise2Of(bad, 0, 1), Noise2Of(0, bad, 1), Noise3Of(bad, 0, 0, 1), Noise3Of(0, bad, 0, 1), Noise3Of(0, 0, bad, 1)} {
			if v == v {
				t.Errorf("%T: noise at %v is %v, want NaN", x, bad, v)
			}
		}
	}
	if v := Noise2Of[T](1<<31-256, -1<<31+256, 1); v != 0 {
		t.Errorf("%T: at a corner far away it is %v", x, v)
	}
}

// TestNoiseBound searches for the largest value that any gradients can produce. It must be inside
// the documented range, which holds for every seed.
func TestNoiseBound(t *testing.T) {
	const steps = 24
	flat, deep := 0.0, 0.0
	for a := range steps + 1 {
		for b := range a + 1 {
			x, y := float64(a)/(2*steps), float64(b)/(2*steps)
			sum := 0.0
			for k := range 4 {
				dx, dy, weight := corner(x, k&1), corner(y, k>>1), weigh(x, k&1)*weigh(y, k>>1)
				best := 0.0
				for g := range uint64(8) {
					best = max(best, gradient2(g<<61, dx, dy))
				}
				sum += float64(weight * best)
			}
			flat = max(flat, sum)
			for c := range b + 1 {
				z := float64(c) / (2 * steps)
				sum := 0.0
				for k := range 8 {
					dx, dy, dz := corner(x, k&1), corner(y, k>>1&1), corner(z, k>>2)
					best := 0.0
					for g := range uint64(12) {
						best = max(best, gradient3((g<<32/12+1)<<32, dx, dy, dz))
					}
					sum += weigh(x, k&1) * weigh(y, k>>1&1) * weigh(z, k>>2) * best
				}
				deep = max(deep, sum)
			}
		}
	}
	t.Logf("in the plane %v, in space %v", flat, deep*noise3Scale)
	if flat > 1+1e-15 || flat < 1-1e-15 || deep*noise3Scale > 1 || deep*noise3Scale < 0.999 {
		t.Errorf("the largest possible values are %v and %v", flat, deep*noise3Scale)
	}
}

func corner(x float64, high int) float64 { return x - float64(high) }

func weigh(x float64, high int) float64 {
	if high != 0 {
		return fade(x)
	}
	return 1 - fade(x)
}
