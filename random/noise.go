package random

import (
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// Noise2 sets dst[i] to the noise at (x[i], y[i]). Noise is a smooth function of the position in
// the plane. It has hills and valleys about one unit wide, and is different for each seed. Noise2
// computes Perlin's gradient noise ("Improving noise", 2002). The noise is 0 at integer points,
// twice differentiable, and in the range from -1 to 1, with both ends included. The mean of its
// squares is about 0.09. To get noise with coarse and fine structure, add the results of several
// calls, each with doubled coordinates and a different seed.
//
// Shape: all lanes have the same length.
// Alias: dst may be x or y.
// Values: the same bits on every CPU; NaN if a coordinate is NaN or not between
// -2^31 and 2^31.
// It panics if lengths differ. It does not allocate.
func Noise2[T kernels.Float](dst, x, y []T, seed uint64) {
	checkLengths("Noise2", len(dst), len(x), len(y))
	base := splitMix64(seed)
	for i := range dst {
		dst[i] = noise2(x[i], y[i], base)
	}
}

// Noise2Of returns the noise at one point, which is exactly the same as from [Noise2].
func Noise2Of[T kernels.Float](x, y T, seed uint64) T { return noise2(x, y, splitMix64(seed)) }

// Noise3 sets dst[i] to the noise at (x[i], y[i], z[i]). The position is in space. If z is the
// time, the result is noise in a plane that changes with time. The noise has the properties of
// [Noise2], with two exceptions: its range is slightly larger, by at most 3·10^-5 at both ends,
// and the mean of its squares is about 0.07.
//
// Shape: all lanes have the same length.
// Alias: dst may be x, y or z.
// Values: the same bits on every CPU; NaN if a coordinate is NaN or not between
// -2^31 and 2^31.
// It panics if lengths differ. It does not allocate.
func Noise3[T kernels.Float](dst, x, y, z []T, seed uint64) {
	checkLengths("Noise3", len(dst), len(x), len(y), len(z))
	base := splitMix64(seed)
	for i := range dst {
		dst[i] = noise3(x[i], y[i], z[i], base)
	}
}

// Noise3Of returns the noise at one point, which is exactly the same as from [Noise3].
func Noise3Of[T kernels.Float](x, y, z T, seed uint64) T { return noise3(x, y, z, splitMix64(seed)) }

func noise2[T kernels.Float](x, y T, base uint64) T {
	ix, fx, inX := latticeCell(x)
	iy, fy, inY := latticeCell(y)
	if !inX || !inY {
		return T(math.NaN())
	}
	low, high := splitMix64(base+uint64(ix)), splitMix64(base+uint64(ix+1))
	ly, hy := uint64(iy), uint64(iy+1)
	u, v := fade(fx), fade(fy)
	bottom := lerp(gradient2(splitMix64(low+ly), fx, fy), gradient2(splitMix64(high+ly), fx-1, fy), u)
	top := lerp(gradient2(splitMix64(low+hy), fx, fy-1), gradient2(splitMix64(high+hy), fx-1, fy-1), u)
	return max(-1, min(lerp(bottom, top, v), 1)) // rounding may pass 1
}

func noise3[T kernels.Float](x, y, z T, base uint64) T {
	ix, fx, inX := latticeCell(x)
	iy, fy, inY := latticeCell(y)
	iz, fz, inZ := latticeCell(z)
	if !inX || !inY || !inZ {
		return T(math.NaN())
	}
	u, v, w := fade(fx), fade(fy), fade(fz)
	low, high := splitMix64(base+uint64(ix)), splitMix64(base+uint64(ix+1))
	ly, hy := uint64(iy), uint64(iy+1)
	ll, hl, lh, hh := splitMix64(low+ly), splitMix64(high+ly), splitMix64(low+hy), splitMix64(high+hy)
	var side [2]T
	for k := range side {
		n, f := uint64(iz+int64(k)), fz-T(k)
		bottom := lerp(gradient3(splitMix64(ll+n), fx, fy, f), gradient3(splitMix64(hl+n), fx-1, fy, f), u)
		top := lerp(gradient3(splitMix64(lh+n), fx, fy-1, f), gradient3(splitMix64(hh+n), fx-1, fy-1, f), u)
		side[k] = lerp(bottom, top, v)
	}
	return max(-1, min(T(noise3Scale*lerp(side[0], side[1], w)), 1))
}

// latticeCell returns the largest integer i that is not above x, the difference x-i,
// and whether the noise at x is defined.
func latticeCell[T kernels.Float](x T) (i int64, part T, in bool) {
	if !(x > -1<<31 && x < 1<<31) {
		return 0, 0, false
	}
	floor := math.Floor(float64(x))
	return int64(floor), x - T(floor), true
}

// fade returns 6t⁵ - 15t⁴ + 10t³, whose first two derivatives are 0 at t = 0 and t = 1.
func fade[T kernels.Float](t T) T {
	return T(T(T(t*t)*t) * (T(t*(T(6*t)-15)) + 10))
}

func lerp[T kernels.Float](a, b, t T) T { return a + T(t*(b-a)) }

// splitMix64 is the finaliser of SplitMix64: Steele, Lea, Flood, "Fast splittable
// pseudorandom number generators", OOPSLA 2014, with the constants that Stafford
// found (his variant 13).
func splitMix64(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// gradient2 returns the dot product of one of eight gradients of length √2 and the vector from its
// corner.
func gradient2[T kernels.Float](h uint64, x, y T) T {
	switch h >> 61 {
	case 0:
		return x + y
	case 1:
		return x - y
	case 2:
		return y - x
	case 3:
		return -x - y
	case 4:
		return T(math.Sqrt2 * x)
	case 5:
		return T(-math.Sqrt2 * x)
	case 6:
		return T(math.Sqrt2 * y)
	}
	return T(-math.Sqrt2 * y)
}

// gradient3 returns the dot product of a gradient and the vector from the gradient's corner. The
// gradient is one of twelve, which point from the centre of a cube to the middles of its edges. The
// largest interpolated sum of these products is 1.03636.
func gradient3[T kernels.Float](h uint64, x, y, z T) T {
	edge := (h >> 32) * 12 >> 32
	a, b := x, y
	if edge >= 8 {
		a, b = y, z
	} else if edge >= 4 {
		b = z
	}
	if edge&1 != 0 {
		a = -a
	}
	if edge&2 != 0 {
		b = -b
	}
	return a + b
}

// noise3Scale scales the sums of gradient3 to the range from -1 to 1.
const noise3Scale = 0.9649
