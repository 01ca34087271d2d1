package kernels

import "testing"

// newMat3x4s leaves a cache line free between lanes. Otherwise the lanes, up to 36 of them,
// would have the same offsets in their pages, and the elements of each row would compete for the
// same few cache lines.
func newMat3x4s[T Float](n int) *Mat3x4s[T] {
	m, space := &Mat3x4s[T]{}, make([]T, 12*(n+16))
	for k := range mat3x4Lanes(m) {
		mat3x4Lanes(m)[k] = space[k*(n+16):][:n:n]
	}
	return m
}

func randomMat3x4s[T Float](n int) *Mat3x4s[T] {
	return newMat3x4s[T](n).Compose(randomVecs[T](n), randomQuats[T](n), randomVecs[T](n))
}

func BenchmarkComposeMat3x4s(b *testing.B) {
	bench(b, contestComposeMat3x4s[float32], contestComposeMat3x4s[float64])
}

func contestComposeMat3x4s[T Float](n int) contest {
	m := newMat3x4s[T](n)
	pos, rot, scale := randomVecs[T](n), randomQuats[T](n), randomVecs[T](n)
	return contest{func() { m.Compose(pos, rot, scale) }, func() { plainComposeMat3x4s(m, pos, rot, scale) }, size[T](22)}
}

//go:noinline
func plainComposeMat3x4s[T Float](m *Mat3x4s[T], pos *Vec3s[T], rot *Quats[T], scale *Vec3s[T]) {
	n := len(m.XX)
	ax, ay, az := m.XX[:n], m.XY[:n], m.XZ[:n]
	bx, by, bz := m.YX[:n], m.YY[:n], m.YZ[:n]
	cx, cy, cz := m.ZX[:n], m.ZY[:n], m.ZZ[:n]
	tx, ty, tz := m.TX[:n], m.TY[:n], m.TZ[:n]
	px, py, pz := pos.X[:n], pos.Y[:n], pos.Z[:n]
	rx, ry, rz, rw := rot.X[:n], rot.Y[:n], rot.Z[:n], rot.W[:n]
	sx, sy, sz := scale.X[:n], scale.Y[:n], scale.Z[:n]
	for i := range n {
		x, y, z, w := rx[i], ry[i], rz[i], rw[i]
		sx, sy, sz := sx[i], sy[i], sz[i]
		ax[i], ay[i], az[i] = (1-2*(y*y+z*z))*sx, 2*(x*y+w*z)*sx, 2*(x*z-w*y)*sx
		bx[i], by[i], bz[i] = 2*(x*y-w*z)*sy, (1-2*(x*x+z*z))*sy, 2*(y*z+w*x)*sy
		cx[i], cy[i], cz[i] = 2*(x*z+w*y)*sz, 2*(y*z-w*x)*sz, (1-2*(x*x+y*y))*sz
		tx[i], ty[i], tz[i] = px[i], py[i], pz[i]
	}
}

func BenchmarkFromQuatsMat3x4s(b *testing.B) {
	bench(b, contestFromQuatsMat3x4s[float32], contestFromQuatsMat3x4s[float64])
}

func contestFromQuatsMat3x4s[T Float](n int) contest {
	m, q := newMat3x4s[T](n), randomQuats[T](n)
	return contest{func() { m.FromQuats(q) }, nil, size[T](16)}
}

func BenchmarkMulAffineMat3x4s(b *testing.B) {
	bench(b, contestMulAffineMat3x4s[float32], contestMulAffineMat3x4s[float64])
}

func contestMulAffineMat3x4s[T Float](n int) contest {
	m, p, l := newMat3x4s[T](n), randomMat3x4s[T](n), randomMat3x4s[T](n)
	return contest{func() { m.MulAffine(p, l) }, nil, size[T](36)}
}

func BenchmarkTransformAffine(b *testing.B) {
	bench(b, contestTransformAffine[float32], contestTransformAffine[float64])
}

func contestTransformAffine[T Float](n int) contest {
	m, v, x := randomMat3x4s[T](n), randomVecs[T](n), randomVecs[T](n)
	return contest{func() { v.TransformAffine(m, x) }, nil, size[T](18)}
}

func BenchmarkInverseMat3x4s(b *testing.B) {
	bench(b, contestInverseMat3x4s[float32], contestInverseMat3x4s[float64])
}

func contestInverseMat3x4s[T Float](n int) contest {
	m, x := newMat3x4s[T](n), randomMat3x4s[T](n)
	return contest{func() { m.Inverse(x) }, nil, size[T](24)}
}

func BenchmarkDecomposeMat3x4s(b *testing.B) {
	bench(b, contestDecomposeMat3x4s[float32], contestDecomposeMat3x4s[float64])
}

func contestDecomposeMat3x4s[T Float](n int) contest {
	m, pos, rot, scale := randomMat3x4s[T](n), randomVecs[T](n), randomQuats[T](n), randomVecs[T](n)
	return contest{func() { m.Decompose(pos, rot, scale) }, nil, size[T](22)}
}

func BenchmarkFromMat4s(b *testing.B) {
	bench(b, contestFromMat4s[float32], contestFromMat4s[float64])
}

func contestFromMat4s[T Float](n int) contest {
	m, x := newMat3x4s[T](n), randomMats[T](n)
	return contest{func() { m.FromMat4s(x) }, nil, size[T](28)}
}

func BenchmarkFromMat3x4s(b *testing.B) {
	bench(b, contestFromMat3x4s[float32], contestFromMat3x4s[float64])
}

func contestFromMat3x4s[T Float](n int) contest {
	m, x := randomMats[T](n), randomMat3x4s[T](n)
	return contest{func() { m.FromMat3x4s(x) }, nil, size[T](28)}
}

func BenchmarkInverseMat4s(b *testing.B) {
	bench(b, contestInverseMat4s[float32], contestInverseMat4s[float64])
}

func contestInverseMat4s[T Float](n int) contest {
	m, x := randomMats[T](n), randomMats[T](n)
	return contest{func() { m.Inverse(x) }, nil, size[T](32)}
}

func BenchmarkDecomposeMat4s(b *testing.B) {
	bench(b, contestDecomposeMat4s[float32], contestDecomposeMat4s[float64])
}

func contestDecomposeMat4s[T Float](n int) contest {
	m, pos, rot, scale := randomMats[T](n), randomVecs[T](n), randomQuats[T](n), randomVecs[T](n)
	return contest{func() { m.Decompose(pos, rot, scale) }, nil, size[T](26)}
}

func BenchmarkMulFull(b *testing.B) { bench(b, contestMulFull[float32], contestMulFull[float64]) }

func contestMulFull[T Float](n int) contest {
	m, p, l := randomMats[T](n), randomMats[T](n), randomMats[T](n)
	return contest{func() { m.MulFull(p, l) }, func() { plainMulFull(m, p, l) }, size[T](48)}
}

func BenchmarkMulFullByParent(b *testing.B) {
	bench(b, contestMulFullByParent[float32], contestMulFullByParent[float64])
}

func contestMulFullByParent[T Float](n int) contest {
	m, p, l := randomMats[T](n), randomMats[T](n), randomMats[T](n)
	index := make([]int32, n)
	for i := range index {
		index[i] = int32(i / 8)
	}
	return contest{func() { m.MulFullByParent(p, index, l) }, nil, size[T](48) + 4}
}
