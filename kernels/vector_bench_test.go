package kernels

import "testing"

func randomVecs2[T Float](n int) *Vec2s[T] { return &Vec2s[T]{randomLane[T](n), randomLane[T](n)} }

func randomVecs4[T Float](n int) *Vec4s[T] {
	return &Vec4s[T]{randomLane[T](n), randomLane[T](n), randomLane[T](n), randomLane[T](n)}
}

func BenchmarkAddVec3s(b *testing.B) { bench(b, contestAddVec3s[float32], contestAddVec3s[float64]) }

func contestAddVec3s[T Float](n int) contest {
	v, x, y := randomVecs[T](n), randomVecs[T](n), randomVecs[T](n)
	return contest{func() { v.Add(x, y) }, nil, size[T](9)}
}

func BenchmarkLerpVec3s(b *testing.B) { bench(b, contestLerpVec3s[float32], contestLerpVec3s[float64]) }

func contestLerpVec3s[T Float](n int) contest {
	v, x, y := randomVecs[T](n), randomVecs[T](n), randomVecs[T](n)
	return contest{func() { v.Lerp(x, y, 0.3) }, nil, size[T](9)}
}

func BenchmarkDotVec3s(b *testing.B) { bench(b, contestDotVec3s[float32], contestDotVec3s[float64]) }

func contestDotVec3s[T Float](n int) contest {
	dst, x, y := randomLane[T](n), randomVecs[T](n), randomVecs[T](n)
	return contest{func() { x.Dot(dst, y) }, nil, size[T](7)}
}

func BenchmarkCross(b *testing.B) { bench(b, contestCross[float32], contestCross[float64]) }

func contestCross[T Float](n int) contest {
	v, x, y := randomVecs[T](n), randomVecs[T](n), randomVecs[T](n)
	return contest{func() { v.Cross(x, y) }, nil, size[T](9)}
}

func BenchmarkLengthVec3s(b *testing.B) {
	bench(b, contestLengthVec3s[float32], contestLengthVec3s[float64])
}

func contestLengthVec3s[T Float](n int) contest {
	dst, x := randomLane[T](n), randomVecs[T](n)
	return contest{func() { x.Length(dst) }, nil, size[T](4)}
}

func BenchmarkNormalizeVec2s(b *testing.B) {
	bench(b, contestNormalizeVec2s[float32], contestNormalizeVec2s[float64])
}

func contestNormalizeVec2s[T Float](n int) contest {
	v, x := randomVecs2[T](n), randomVecs2[T](n)
	return contest{func() { v.Normalize(x) }, nil, size[T](4)}
}

func BenchmarkNormalizeVec3s(b *testing.B) {
	bench(b, contestNormalizeVec3s[float32], contestNormalizeVec3s[float64])
}

func contestNormalizeVec3s[T Float](n int) contest {
	v, x := randomVecs[T](n), randomVecs[T](n)
	return contest{func() { v.Normalize(x) }, func() { plainNormalizeVec3s(v, x) }, size[T](6)}
}

//go:noinline
func plainNormalizeVec3s[T Float](v, x *Vec3s[T]) {
	n := len(v.X)
	vx, vy, vz := v.X, v.Y[:n], v.Z[:n]
	xx, xy, xz := x.X[:n], x.Y[:n], x.Z[:n]
	for i := range vx {
		x, y, z := xx[i], xy[i], xz[i]
		r := 1 / root(x*x+y*y+z*z)
		vx[i], vy[i], vz[i] = x*r, y*r, z*r
	}
}

func BenchmarkNormalizeVec4s(b *testing.B) {
	bench(b, contestNormalizeVec4s[float32], contestNormalizeVec4s[float64])
}

func contestNormalizeVec4s[T Float](n int) contest {
	v, x := randomVecs4[T](n), randomVecs4[T](n)
	return contest{func() { v.Normalize(x) }, nil, size[T](8)}
}

func BenchmarkDistanceVec3s(b *testing.B) {
	bench(b, contestDistanceVec3s[float32], contestDistanceVec3s[float64])
}

func contestDistanceVec3s[T Float](n int) contest {
	dst, x, y := randomLane[T](n), randomVecs[T](n), randomVecs[T](n)
	return contest{func() { x.Distance(dst, y) }, nil, size[T](7)}
}

func BenchmarkReflectVec3s(b *testing.B) {
	bench(b, contestReflectVec3s[float32], contestReflectVec3s[float64])
}

func contestReflectVec3s[T Float](n int) contest {
	v, x, y := randomVecs[T](n), randomVecs[T](n), randomVecs[T](n)
	return contest{func() { v.Reflect(x, y) }, nil, size[T](9)}
}

func BenchmarkTransformVec4s(b *testing.B) {
	bench(b, contestTransformVec4s[float32], contestTransformVec4s[float64])
}

func contestTransformVec4s[T Float](n int) contest {
	v, x, m := (*Vec4s[T])(randomQuats[T](n)), (*Vec4s[T])(randomQuats[T](n)), randomMats[T](n)
	return contest{func() { v.Transform(m, x) }, nil, size[T](24)}
}

func BenchmarkTransformVec4sBy(b *testing.B) {
	bench(b, contestTransformVec4sBy[float32], contestTransformVec4sBy[float64])
}

func contestTransformVec4sBy[T Float](n int) contest {
	v, x := (*Vec4s[T])(randomQuats[T](n)), (*Vec4s[T])(randomQuats[T](n))
	m := randomMats[T](1).M[0]
	return contest{func() { v.TransformBy(m, x) }, nil, size[T](8)}
}

func BenchmarkTransform(b *testing.B) { bench(b, contestTransform[float32], contestTransform[float64]) }

func contestTransform[T Float](n int) contest {
	v, m, x := randomVecs[T](n), randomMats[T](n), randomVecs[T](n)
	return contest{func() { v.Transform(m, x) }, nil, size[T](22)}
}

func BenchmarkTransformBy(b *testing.B) {
	bench(b, contestTransformBy[float32], contestTransformBy[float64])
}

func contestTransformBy[T Float](n int) contest {
	v, m, x := randomVecs[T](n), randomMats[T](1).M[0], randomVecs[T](n)
	return contest{func() { v.TransformBy(m, x) }, nil, size[T](6)}
}

func BenchmarkConjugate(b *testing.B) { bench(b, contestConjugate[float32], contestConjugate[float64]) }

func contestConjugate[T Float](n int) contest {
	q, p := randomQuats[T](n), randomQuats[T](n)
	return contest{func() { q.Conjugate(p) }, nil, size[T](8)}
}

func BenchmarkFromAxisAngle(b *testing.B) {
	bench(b, contestFromAxisAngle[float32], contestFromAxisAngle[float64])
}

func contestFromAxisAngle[T Float](n int) contest {
	q, x, angle := randomQuats[T](n), randomVecs[T](n), randomLane[T](n)
	x.Normalize(x)
	return contest{func() { q.FromAxisAngle(x, angle) }, nil, size[T](8)}
}

func BenchmarkFromEuler(b *testing.B) { bench(b, contestFromEuler[float32], contestFromEuler[float64]) }

func contestFromEuler[T Float](n int) contest {
	q, x := randomQuats[T](n), randomVecs[T](n)
	return contest{func() { q.FromEuler(x, OrderZXY) }, nil, size[T](7)}
}

func BenchmarkNlerp(b *testing.B) { bench(b, contestNlerp[float32], contestNlerp[float64]) }

func contestNlerp[T Float](n int) contest {
	q, x, y := randomQuats[T](n), randomQuats[T](n), randomQuats[T](n)
	return contest{func() { q.Nlerp(x, y, 0.3) }, nil, size[T](12)}
}

func BenchmarkSlerp(b *testing.B) { bench(b, contestSlerp[float32], contestSlerp[float64]) }

func contestSlerp[T Float](n int) contest {
	q, x, y := newQuats[T](n), unitQuats[T](n, 1), unitQuats[T](n, 2)
	return contest{func() { q.Slerp(x, y, 0.3) }, nil, size[T](12)}
}

func BenchmarkBetween(b *testing.B) { bench(b, contestBetween[float32], contestBetween[float64]) }

func contestBetween[T Float](n int) contest {
	q, x, y := newQuats[T](n), unitVecs[T](n, 1), unitVecs[T](n, 2)
	return contest{func() { q.Between(x, y) }, nil, size[T](10)}
}
