//go:build goexperiment.simd && go1.27 && !purego

package kernels

import "simd/archsimd"

// mat3x4ComposeF32SIMD does the arithmetic of composeRow for 4 rows at once.
func mat3x4ComposeF32SIMD(m *Mat3x4s[float32], pos *Vec3s[float32], rot *Quats[float32], scale *Vec3s[float32]) {
	n := len(m.XX)
	rx, ry, rz, rw := rot.X[:n:n], rot.Y[:n:n], rot.Z[:n:n], rot.W[:n:n]
	px, py, pz := pos.X[:n:n], pos.Y[:n:n], pos.Z[:n:n]
	scx, scy, scz := scale.X[:n:n], scale.Y[:n:n], scale.Z[:n:n]
	xx, xy, xz := m.XX[:n:n], m.XY[:n:n], m.XZ[:n:n]
	yx, yy, yz := m.YX[:n:n], m.YY[:n:n], m.YZ[:n:n]
	zx, zy, zz := m.ZX[:n:n], m.ZY[:n:n], m.ZZ[:n:n]
	tx, ty, tz := m.TX[:n:n], m.TY[:n:n], m.TZ[:n:n]
	one := archsimd.BroadcastFloat32x4(1)
	i := 0
	for ; i <= n-4; i += 4 {
		x, y, z, w := archsimd.LoadFloat32x4Array((*[4]float32)(rx[i:])), archsimd.LoadFloat32x4Array((*[4]float32)(ry[i:])), archsimd.LoadFloat32x4Array((*[4]float32)(rz[i:])), archsimd.LoadFloat32x4Array((*[4]float32)(rw[i:]))
		sx, sy, sz := archsimd.LoadFloat32x4Array((*[4]float32)(scx[i:])), archsimd.LoadFloat32x4Array((*[4]float32)(scy[i:])), archsimd.LoadFloat32x4Array((*[4]float32)(scz[i:]))
		dx, dy, dz := archsimd.LoadFloat32x4Array((*[4]float32)(px[i:])), archsimd.LoadFloat32x4Array((*[4]float32)(py[i:])), archsimd.LoadFloat32x4Array((*[4]float32)(pz[i:]))
		x2, y2, z2 := x.Add(x), y.Add(y), z.Add(z)
		qxx, qxy, qxz := x.Mul(x2), x.Mul(y2), x.Mul(z2)
		qyy, qyz, qzz := y.Mul(y2), y.Mul(z2), z.Mul(z2)
		wx, wy, wz := w.Mul(x2), w.Mul(y2), w.Mul(z2)
		one.Sub(qyy.Add(qzz)).Mul(sx).StoreArray((*[4]float32)(xx[i:]))
		qxy.Add(wz).Mul(sx).StoreArray((*[4]float32)(xy[i:]))
		qxz.Sub(wy).Mul(sx).StoreArray((*[4]float32)(xz[i:]))
		qxy.Sub(wz).Mul(sy).StoreArray((*[4]float32)(yx[i:]))
		one.Sub(qxx.Add(qzz)).Mul(sy).StoreArray((*[4]float32)(yy[i:]))
		qyz.Add(wx).Mul(sy).StoreArray((*[4]float32)(yz[i:]))
		qxz.Add(wy).Mul(sz).StoreArray((*[4]float32)(zx[i:]))
		qyz.Sub(wx).Mul(sz).StoreArray((*[4]float32)(zy[i:]))
		one.Sub(qxx.Add(qyy)).Mul(sz).StoreArray((*[4]float32)(zz[i:]))
		dx.StoreArray((*[4]float32)(tx[i:]))
		dy.StoreArray((*[4]float32)(ty[i:]))
		dz.StoreArray((*[4]float32)(tz[i:]))
	}
	p, l := parts(pos, rot, scale), (*[12][]float32)(mat3x4Lanes(m))
	for ; i < n; i++ {
		composeRow(l, &p, i)
	}
}

// mat3x4ComposeF64SIMD does the arithmetic of composeRow for 2 rows at once.
func mat3x4ComposeF64SIMD(m *Mat3x4s[float64], pos *Vec3s[float64], rot *Quats[float64], scale *Vec3s[float64]) {
	n := len(m.XX)
	rx, ry, rz, rw := rot.X[:n:n], rot.Y[:n:n], rot.Z[:n:n], rot.W[:n:n]
	px, py, pz := pos.X[:n:n], pos.Y[:n:n], pos.Z[:n:n]
	scx, scy, scz := scale.X[:n:n], scale.Y[:n:n], scale.Z[:n:n]
	xx, xy, xz := m.XX[:n:n], m.XY[:n:n], m.XZ[:n:n]
	yx, yy, yz := m.YX[:n:n], m.YY[:n:n], m.YZ[:n:n]
	zx, zy, zz := m.ZX[:n:n], m.ZY[:n:n], m.ZZ[:n:n]
	tx, ty, tz := m.TX[:n:n], m.TY[:n:n], m.TZ[:n:n]
	one := archsimd.BroadcastFloat64x2(1)
	i := 0
	for ; i <= n-2; i += 2 {
		x, y, z, w := archsimd.LoadFloat64x2Array((*[2]float64)(rx[i:])), archsimd.LoadFloat64x2Array((*[2]float64)(ry[i:])), archsimd.LoadFloat64x2Array((*[2]float64)(rz[i:])), archsimd.LoadFloat64x2Array((*[2]float64)(rw[i:]))
		sx, sy, sz := archsimd.LoadFloat64x2Array((*[2]float64)(scx[i:])), archsimd.LoadFloat64x2Array((*[2]float64)(scy[i:])), archsimd.LoadFloat64x2Array((*[2]float64)(scz[i:]))
		dx, dy, dz := archsimd.LoadFloat64x2Array((*[2]float64)(px[i:])), archsimd.LoadFloat64x2Array((*[2]float64)(py[i:])), archsimd.LoadFloat64x2Array((*[2]float64)(pz[i:]))
		x2, y2, z2 := x.Add(x), y.Add(y), z.Add(z)
		qxx, qxy, qxz := x.Mul(x2), x.Mul(y2), x.Mul(z2)
		qyy, qyz, qzz := y.Mul(y2), y.Mul(z2), z.Mul(z2)
		wx, wy, wz := w.Mul(x2), w.Mul(y2), w.Mul(z2)
		one.Sub(qyy.Add(qzz)).Mul(sx).StoreArray((*[2]float64)(xx[i:]))
		qxy.Add(wz).Mul(sx).StoreArray((*[2]float64)(xy[i:]))
		qxz.Sub(wy).Mul(sx).StoreArray((*[2]float64)(xz[i:]))
		qxy.Sub(wz).Mul(sy).StoreArray((*[2]float64)(yx[i:]))
		one.Sub(qxx.Add(qzz)).Mul(sy).StoreArray((*[2]float64)(yy[i:]))
		qyz.Add(wx).Mul(sy).StoreArray((*[2]float64)(yz[i:]))
		qxz.Add(wy).Mul(sz).StoreArray((*[2]float64)(zx[i:]))
		qyz.Sub(wx).Mul(sz).StoreArray((*[2]float64)(zy[i:]))
		one.Sub(qxx.Add(qyy)).Mul(sz).StoreArray((*[2]float64)(zz[i:]))
		dx.StoreArray((*[2]float64)(tx[i:]))
		dy.StoreArray((*[2]float64)(ty[i:]))
		dz.StoreArray((*[2]float64)(tz[i:]))
	}
	p, l := parts(pos, rot, scale), (*[12][]float64)(mat3x4Lanes(m))
	for ; i < n; i++ {
		composeRow(l, &p, i)
	}
}
