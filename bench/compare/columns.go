package main

import (
	"math/rand/v2"

	"github.com/lanewise/lanewise/kernels"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/num/quat"
	"gonum.org/v1/gonum/spatial/r3"
)

// columnList lists the compared kernels on columns. gonum's vectors and
// quaternions are structs of float64 in one slice.
var columnList = []kernel{
	{"integrate", integrate32, integrate64},
	{"mulQuats", mulQuats[float32], mulQuats64},
	{"integrateQuats", integrateQuats[float32], integrateQuats[float64]},
	{"normalizeQuats", normalizeQuats[float32], normalizeQuats64},
	{"normalizeVec3s", normalizeVec3s[float32], normalizeVec3s64},
	{"slerp", slerp[float32], slerp[float64]},
	{"rotate", rotate[float32], rotate64},
	{"compose", compose[float32], compose[float64]},
	{"composeLanes", composeLanes[float32], composeLanes[float64]},
	{"mulMat4s", mulMat4s[float32], mulMat4s[float64]},
	{"mulFull", mulFull32, mulFull64},
	{"boxesInPlanes", boxesInPlanes[float32], boxesInPlanes[float64]},
	{"boxesTransform", boxesTransform[float32], boxesTransform[float64]},
}

// largest is the largest size of a column kernel's lanes in bytes. Larger lanes would take
// too long.
const largest = 128 << 20

// laneCount is the number of elements in a row of each column kernel.
var laneCount = map[string]int{
	"integrate": 6, "mulQuats": 12, "integrateQuats": 7, "normalizeQuats": 8, "normalizeVec3s": 6, "slerp": 12,
	"rotate": 10, "compose": 26, "composeLanes": 22, "mulMat4s": 48, "mulFull": 48,
	"boxesInPlanes": 7, "boxesTransform": 28,
}

// fitsColumn reports whether a kernel is measured with this number of rows.
func fitsColumn(name string, bits, n int) bool { return laneCount[name]*bits/8*n <= largest }

func vecs[T kernels.Float](n int) *kernels.Vec3s[T] {
	return &kernels.Vec3s[T]{X: lane[T](n), Y: lane[T](n), Z: lane[T](n)}
}

func quats[T kernels.Float](n int) *kernels.Quats[T] {
	q := &kernels.Quats[T]{X: lane[T](n), Y: lane[T](n), Z: lane[T](n), W: lane[T](n)}
	return q.Normalize(q)
}

// mats returns matrices. Unlike lanes, matrices start where the allocator places them.
func mats[T kernels.Float](n int) *kernels.Mat4s[T] {
	defer func(before int) { made = before + 1 }(made)
	return (&kernels.Mat4s[T]{M: make([][16]T, n)}).Compose(vecs[T](n), quats[T](n), vecs[T](n))
}

func r3s(n int) []r3.Vec {
	v := make([]r3.Vec, n)
	for i, x := range lane[float64](n) {
		v[i] = r3.Vec{X: x, Y: x / 2, Z: -x}
	}
	return v
}

func numbers(n int) []quat.Number {
	q := make([]quat.Number, n)
	for i, x := range lane[float64](n) {
		q[i] = quat.Number{Real: 0.5, Imag: x / 2, Jmag: 0.5, Kmag: -x / 2}
	}
	return q
}

func integrate[T kernels.Float](n int) ([]side, *kernels.Vec3s[T], *kernels.Vec3s[T]) {
	p, v := vecs[T](n), vecs[T](n)
	return ourSides(func() { p.AddScaled(p, v, 1e-9) }, func() { plainIntegrate(p, v, 1e-9) }), p, v
}

func integrate32(n int) []side {
	sides, p, v := integrate[float32](n)
	lane := func(x []float32) blas32.Vector { return blas32.Vector{N: n, Data: x, Inc: 1} }
	return append(sides, calls("gonum", "", func() {
		blas32.Axpy(1e-9, lane(v.X), lane(p.X))
		blas32.Axpy(1e-9, lane(v.Y), lane(p.Y))
		blas32.Axpy(1e-9, lane(v.Z), lane(p.Z))
	}))
}

func integrate64(n int) []side {
	sides, p, v := integrate[float64](n)
	lane := func(x []float64) blas64.Vector { return blas64.Vector{N: n, Data: x, Inc: 1} }
	sides = append(sides, calls("gonum", "", func() {
		blas64.Axpy(1e-9, lane(v.X), lane(p.X))
		blas64.Axpy(1e-9, lane(v.Y), lane(p.Y))
		blas64.Axpy(1e-9, lane(v.Z), lane(p.Z))
	}))
	a, b := r3s(n), r3s(n)
	return append(sides, calls("r3", "", func() {
		for i := range a {
			a[i] = r3.Add(a[i], r3.Scale(1e-9, b[i]))
		}
	}))
}

func mulQuats[T kernels.Float](n int) []side {
	q, a, b := quats[T](n), quats[T](n), quats[T](n)
	return ourSides(func() { q.Mul(a, b) }, func() { plainMulQuats(q, a, b) })
}

func mulQuats64(n int) []side {
	q, a, b := numbers(n), numbers(n), numbers(n)
	return append(mulQuats[float64](n), calls("gonum", "", func() {
		for i := range q {
			q[i] = quat.Mul(a[i], b[i])
		}
	}))
}

func integrateQuats[T kernels.Float](n int) []side {
	q, w := quats[T](n), vecs[T](n)
	return ourSides(func() { q.Integrate(q, w, 1e-9) }, func() { plainIntegrateQuats(q, w, 1e-9) })
}

func normalizeQuats[T kernels.Float](n int) []side {
	q, p := quats[T](n), quats[T](n)
	return ourSides(func() { q.Normalize(p) }, func() { plainNormalizeQuats(q, p) })
}

func normalizeQuats64(n int) []side {
	q, p := numbers(n), numbers(n)
	return append(normalizeQuats[float64](n), calls("gonum", "", func() {
		for i := range q {
			q[i] = quat.Scale(1/quat.Abs(p[i]), p[i])
		}
	}))
}

func normalizeVec3s[T kernels.Float](n int) []side {
	v, x := vecs[T](n), vecs[T](n)
	return ourSides(func() { v.Normalize(x) }, func() { plainNormalizeVec3s(v, x) })
}

func normalizeVec3s64(n int) []side {
	v, x := r3s(n), r3s(n)
	return append(normalizeVec3s[float64](n), calls("r3", "", func() {
		for i := range v {
			v[i] = r3.Unit(x[i])
		}
	}))
}

func slerp[T kernels.Float](n int) []side {
	q, a, b := quats[T](n), quats[T](n), quats[T](n)
	for i := range b.X { // different numbers from those of a
		b.X[i], b.Y[i] = b.Y[i]/2, -b.X[i]
	}
	b.Normalize(b)
	return ourSides(func() { q.Slerp(a, b, 0.3) }, func() { plainSlerp(q, a, b, 0.3) })
}

func rotate[T kernels.Float](n int) []side {
	v, q, x := vecs[T](n), quats[T](n), vecs[T](n)
	return ourSides(func() { v.Rotate(q, x) }, func() { plainRotate(v, q, x) })
}

func rotate64(n int) []side {
	v, q, x := r3s(n), numbers(n), r3s(n)
	return append(rotate[float64](n), calls("r3", "", func() {
		for i := range v {
			v[i] = r3.Rotation(q[i]).Rotate(x[i])
		}
	}))
}

func compose[T kernels.Float](n int) []side {
	m, pos, rot, scale := mats[T](n), vecs[T](n), quats[T](n), vecs[T](n)
	return ourSides(func() { m.Compose(pos, rot, scale) }, func() { plainCompose(m, pos, rot, scale) })
}

func composeLanes[T kernels.Float](n int) []side {
	m := &kernels.Mat3x4s[T]{}
	for _, l := range []*[]T{&m.XX, &m.XY, &m.XZ, &m.YX, &m.YY, &m.YZ, &m.ZX, &m.ZY, &m.ZZ, &m.TX, &m.TY, &m.TZ} {
		*l = lane[T](n)
	}
	pos, rot, scale := vecs[T](n), quats[T](n), vecs[T](n)
	return ourSides(func() { m.Compose(pos, rot, scale) }, func() { plainComposeLanes(m, pos, rot, scale) })
}

func mulMat4s[T kernels.Float](n int) []side {
	m, p, l := mats[T](n), mats[T](n), mats[T](n)
	return ourSides(func() { m.MulAffine(p, l) }, func() { plainMulMat4s(m, p, l) })
}

func mulFull[T kernels.Float](n int) (sides []side, m, p, l *kernels.Mat4s[T]) {
	m, p, l = mats[T](n), mats[T](n), mats[T](n)
	return ourSides(func() { m.MulFull(p, l) }, func() { plainMulFull(m, p, l) }), m, p, l
}

func mulFull32(n int) []side {
	sides, m, p, l := mulFull[float32](n)
	square := func(x *[16]float32) blas32.General {
		return blas32.General{Rows: 4, Cols: 4, Stride: 4, Data: x[:]}
	}
	return append(sides, calls("gonum", "", func() { // in row-major order, so its rows are our columns
		for i := range m.M {
			blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, square(&l.M[i]), square(&p.M[i]), 0, square(&m.M[i]))
		}
	}))
}

func mulFull64(n int) []side {
	sides, m, p, l := mulFull[float64](n)
	square := func(x *[16]float64) blas64.General {
		return blas64.General{Rows: 4, Cols: 4, Stride: 4, Data: x[:]}
	}
	return append(sides, calls("gonum", "", func() {
		for i := range m.M {
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, square(&l.M[i]), square(&p.M[i]), 0, square(&m.M[i]))
		}
	}))
}

// boxes returns boxes of random numbers between 0.25 and 1.25. A plain loop
// stops at the first plane that a box is outside of. Random numbers prevent the
// branch predictor from predicting that plane.
func boxes[T kernels.Float](n int) *kernels.Boxes[T] {
	r := rand.New(rand.NewPCG(1, 2))
	var l [6][]T
	for k := range l {
		l[k] = lane[T](n)
		for i := range l[k] {
			l[k][i] = T(0.25 + r.Float64())
		}
	}
	return &kernels.Boxes[T]{X: l[0], Y: l[1], Z: l[2], HX: l[3], HY: l[4], HZ: l[5]}
}

// sixPlanes are the planes of columns.c.
func sixPlanes[T kernels.Float]() []kernels.Plane[T] {
	return []kernels.Plane[T]{
		{X: 1, Y: 0.0625, D: -1}, {X: -1, Z: 0.0625, D: 0.5},
		{Y: 1, Z: 0.0625, D: -1}, {X: 0.0625, Y: -1, D: 0.5},
		{X: 0.0625, Z: 1, D: -1}, {Y: 0.0625, Z: -1, D: 0.5},
	}
}

func boxesInPlanes[T kernels.Float](n int) []side {
	b, mask, planes := boxes[T](n), make([]uint64, kernels.MaskLen(n)), sixPlanes[T]()
	return ourSides(func() { b.InPlanes(mask, planes) }, func() { plainInPlanes(b, mask, planes) })
}

func boxesTransform[T kernels.Float](n int) []side {
	m, b, local := mats[T](n), boxes[T](n), boxes[T](n)
	return ourSides(func() { b.Transform(m, local) }, func() { plainTransformBoxes(b, m, local) })
}
