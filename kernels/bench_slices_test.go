package kernels

import "testing"

// positiveLane returns positive numbers, so that square roots and quotients exist.
func positiveLane[T Float](n int) []T {
	x := randomLane[T](n)
	Clamp(x, x, 0.25, 1)
	return x
}

func BenchmarkCopy(b *testing.B) { bench(b, contestCopy[float32], contestCopy[float64]) }

func contestCopy[T Float](n int) contest {
	dst, x := randomLane[T](n), randomLane[T](n)
	return contest{func() { Copy(dst, x) }, func() { copy(dst, x) }, size[T](2)}
}

func BenchmarkAdd(b *testing.B) { bench(b, contestAdd[float32], contestAdd[float64]) }

func contestAdd[T Float](n int) contest {
	dst, x, y := randomLane[T](n), randomLane[T](n), randomLane[T](n)
	return contest{func() { Add(dst, x, y) }, func() { addGeneric(dst, x, y) }, size[T](3)}
}

func BenchmarkSub(b *testing.B) { bench(b, contestSub[float32], contestSub[float64]) }

func contestSub[T Float](n int) contest {
	dst, x, y := randomLane[T](n), randomLane[T](n), randomLane[T](n)
	return contest{func() { Sub(dst, x, y) }, nil, size[T](3)}
}

func BenchmarkMul(b *testing.B) { bench(b, contestMul[float32], contestMul[float64]) }

func contestMul[T Float](n int) contest {
	dst, x, y := randomLane[T](n), randomLane[T](n), randomLane[T](n)
	return contest{func() { Mul(dst, x, y) }, nil, size[T](3)}
}

func BenchmarkDiv(b *testing.B) { bench(b, contestDiv[float32], contestDiv[float64]) }

func contestDiv[T Float](n int) contest {
	dst, x, y := randomLane[T](n), randomLane[T](n), positiveLane[T](n)
	return contest{func() { Div(dst, x, y) }, nil, size[T](3)}
}

func BenchmarkScale(b *testing.B) { bench(b, contestScale[float32], contestScale[float64]) }

func contestScale[T Float](n int) contest {
	dst, x := randomLane[T](n), randomLane[T](n)
	return contest{func() { Scale(dst, x, 0.5) }, nil, size[T](2)}
}

func BenchmarkMulAdd(b *testing.B) { bench(b, contestMulAdd[float32], contestMulAdd[float64]) }

func contestMulAdd[T Float](n int) contest {
	dst, x, y, z := randomLane[T](n), randomLane[T](n), randomLane[T](n), randomLane[T](n)
	return contest{func() { MulAdd(dst, x, y, z) }, nil, size[T](4)}
}

func BenchmarkLerp(b *testing.B) { bench(b, contestLerp[float32], contestLerp[float64]) }

func contestLerp[T Float](n int) contest {
	dst, x, y := randomLane[T](n), randomLane[T](n), randomLane[T](n)
	return contest{func() { Lerp(dst, x, y, 0.3) }, nil, size[T](3)}
}

func BenchmarkMinimum(b *testing.B) { bench(b, contestMinimum[float32], contestMinimum[float64]) }

func contestMinimum[T Float](n int) contest {
	dst, x, y := randomLane[T](n), randomLane[T](n), randomLane[T](n)
	return contest{func() { Minimum(dst, x, y) }, nil, size[T](3)}
}

func BenchmarkMaximum(b *testing.B) { bench(b, contestMaximum[float32], contestMaximum[float64]) }

func contestMaximum[T Float](n int) contest {
	dst, x, y := randomLane[T](n), randomLane[T](n), randomLane[T](n)
	return contest{func() { Maximum(dst, x, y) }, nil, size[T](3)}
}

func BenchmarkClamp(b *testing.B) { bench(b, contestClamp[float32], contestClamp[float64]) }

func contestClamp[T Float](n int) contest {
	dst, x := randomLane[T](n), randomLane[T](n)
	return contest{func() { Clamp(dst, x, -0.5, 0.5) }, nil, size[T](2)}
}

func BenchmarkAbs(b *testing.B) { bench(b, contestAbs[float32], contestAbs[float64]) }

func contestAbs[T Float](n int) contest {
	dst, x := randomLane[T](n), randomLane[T](n)
	return contest{func() { Abs(dst, x) }, nil, size[T](2)}
}

func BenchmarkNeg(b *testing.B) { bench(b, contestNeg[float32], contestNeg[float64]) }

func contestNeg[T Float](n int) contest {
	dst, x := randomLane[T](n), randomLane[T](n)
	return contest{func() { Neg(dst, x) }, nil, size[T](2)}
}

func BenchmarkSqrt(b *testing.B) { bench(b, contestSqrt[float32], contestSqrt[float64]) }

func contestSqrt[T Float](n int) contest {
	dst, x := randomLane[T](n), positiveLane[T](n)
	return contest{func() { Sqrt(dst, x) }, nil, size[T](2)}
}

func BenchmarkLess(b *testing.B) { bench(b, contestLess[float32], contestLess[float64]) }

func contestLess[T Float](n int) contest {
	mask, x, y := make([]uint64, MaskLen(n)), randomLane[T](n), randomLane[T](n)
	return contest{func() { Less(mask, x, y) }, nil, size[T](2)}
}

func BenchmarkBelow(b *testing.B) { bench(b, contestBelow[float32], contestBelow[float64]) }

func contestBelow[T Float](n int) contest {
	mask, x := make([]uint64, MaskLen(n)), randomLane[T](n)
	return contest{func() { Below(mask, x, 0) }, nil, size[T](1)}
}

func BenchmarkSelect(b *testing.B) { bench(b, contestSelect[float32], contestSelect[float64]) }

func contestSelect[T Float](n int) contest {
	dst, x, y, mask := randomLane[T](n), randomLane[T](n), randomLane[T](n), randomMask(n)
	return contest{func() { Select(dst, mask, x, y) }, nil, size[T](3)}
}

func BenchmarkCompress(b *testing.B) {
	bench(b, contestCompress[float32], contestCompress[float64])
}

func contestCompress[T Float](n int) contest {
	dst, x, mask := randomLane[T](n), randomLane[T](n), randomMask(n)
	return contest{func() { Compress(dst, x, mask) }, nil, size[T](2)}
}

// randomMask returns a mask that keeps about half of the rows.
func randomMask(n int) []uint64 {
	mask := make([]uint64, MaskLen(n))
	Below(mask, randomLane[float32](n), 0)
	return mask
}

// BenchmarkConvert measures conversions. Its sub-benchmarks are named after the destination type.
func BenchmarkConvert(b *testing.B) {
	bench(b, contestConvert[float32, float64], contestConvert[float64, float32])
}

func contestConvert[D, T Float](n int) contest {
	dst, x := randomLane[D](n), randomLane[T](n)
	return contest{func() { Convert(dst, x) }, nil, 12}
}

func BenchmarkSum(b *testing.B) { bench(b, contestSum[float32], contestSum[float64]) }

func contestSum[T Float](n int) contest {
	x := randomLane[T](n)
	return contest{func() { Sum(x) }, nil, size[T](1)}
}

func BenchmarkDot(b *testing.B) { bench(b, contestDot[float32], contestDot[float64]) }

func contestDot[T Float](n int) contest {
	x, y := randomLane[T](n), randomLane[T](n)
	return contest{func() { Dot(x, y) }, nil, size[T](2)}
}

func BenchmarkMin(b *testing.B) { bench(b, contestMin[float32], contestMin[float64]) }

func contestMin[T Float](n int) contest {
	x := randomLane[T](n)
	return contest{func() { Min(x) }, nil, size[T](1)}
}

func BenchmarkArgMin(b *testing.B) { bench(b, contestArgMin[float32], contestArgMin[float64]) }

func contestArgMin[T Float](n int) contest {
	x := randomLane[T](n)
	return contest{func() { ArgMin(x) }, nil, size[T](1)}
}

func BenchmarkPrefixSum(b *testing.B) {
	bench(b, contestPrefixSum[float32], contestPrefixSum[float64])
}

func contestPrefixSum[T Float](n int) contest {
	dst, x := randomLane[T](n), randomLane[T](n)
	return contest{func() { PrefixSum(dst, x) }, nil, size[T](2)}
}
