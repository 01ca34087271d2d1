package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
)

// A contest consists of one kernel on n rows and of the plain Go loop that a program would use
// instead.
type contest struct {
	kernel, plain func()
	rowBytes      int
}

// sizes holds numbers of rows: one row and eight rows, as in small archetypes, and numbers that fit
// in the first-level cache, the second-level cache, the third-level cache, and memory.
var sizes = []int{1, 8, 160, 1024, 16384, 262144, 4194304}

// largest is the largest number of bytes of the operands of one benchmark. Only products of four
// million matrices exceed it. The benchmark prints a line when it leaves a size out.
const largest = 512 << 20

// bench runs the kernel on every path, and the plain loop, for both types. The operands of a size are
// created by the first benchmark that uses them, because all sizes together need much memory.
func bench(b *testing.B, single, double func(n int) contest) {
	defer use(Path())
	for _, t := range []struct {
		name string
		make func(n int) contest
	}{{"f32", single}, {"f64", double}} {
		sample := t.make(1)
		for _, n := range sizes {
			made := sync.OnceValue(func() contest { return t.make(n) })
			run := func(path string, loop func(contest) func()) {
				b.Run(fmt.Sprintf("path=%s/type=%s/n=%d", path, t.name, n), func(b *testing.B) {
					if bytes := n * sample.rowBytes; bytes > largest {
						why := fmt.Sprintf("its operands have %d MiB, more than %d", bytes>>20, largest>>20)
						fmt.Printf("left out: %s: %s\n", b.Name(), why) // without -v, go test does not print the reason of a skip
						b.Skip(why)
					}
					f := loop(made())
					b.SetBytes(int64(n * sample.rowBytes))
					b.ReportAllocs()
					for b.Loop() {
						f()
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
				})
			}
			for _, path := range Paths() {
				use(path)
				run(path, func(c contest) func() { return c.kernel })
			}
			if sample.plain != nil {
				run("plain", func(c contest) func() { return c.plain })
			}
		}
	}
}

var lanesMade uint64 // changes with each lane, so that no two lanes are alike

func randomLane[T Float](n int) []T {
	lanesMade++
	r := rand.New(rand.NewPCG(lanesMade, 1))
	p := make([]T, n)
	period := min(n, 1<<17) // the numbers repeat, because the long lanes only measure memory
	for i := range p[:period] {
		p[i] = T(r.Float64()*2 - 1)
	}
	for at := period; 0 < at && at < n; at *= 2 {
		copy(p[at:], p[:at])
	}
	return p
}

func randomVecs[T Float](n int) *Vec3s[T] {
	return &Vec3s[T]{randomLane[T](n), randomLane[T](n), randomLane[T](n)}
}

func randomQuats[T Float](n int) *Quats[T] {
	q := &Quats[T]{randomLane[T](n), randomLane[T](n), randomLane[T](n), randomLane[T](n)}
	return q.Normalize(q)
}

func size[T Float](elements int) int { return rowBytes[T](1) * elements }

func BenchmarkFill(b *testing.B) { bench(b, contestFill[float32], contestFill[float64]) }

func contestFill[T Float](n int) contest {
	dst := randomLane[T](n)
	return contest{func() { Fill(dst, 1) }, func() { plainFill(dst, 1) }, size[T](1)}
}

//go:noinline
func plainFill[T Float](dst []T, s T) {
	for i := range dst {
		dst[i] = s
	}
}

func BenchmarkAddScaled(b *testing.B) { bench(b, contestAddScaled[float32], contestAddScaled[float64]) }

func contestAddScaled[T Float](n int) contest {
	dst, y := randomLane[T](n), randomLane[T](n)
	return contest{func() { AddScaled(dst, dst, y, 1e-9) }, func() { plainAddScaled(dst, y, 1e-9) }, size[T](3)}
}

//go:noinline
func plainAddScaled[T Float](dst, y []T, s T) {
	y = y[:len(dst)]
	for i := range dst {
		dst[i] += s * y[i]
	}
}

func BenchmarkAddScaledVec3s(b *testing.B) {
	bench(b, contestAddScaledVec3s[float32], contestAddScaledVec3s[float64])
}

func contestAddScaledVec3s[T Float](n int) contest {
	p, v := randomVecs[T](n), randomVecs[T](n)
	return contest{func() { p.AddScaled(p, v, 1e-9) }, func() { plainAddScaledVec3s(p, v, 1e-9) }, size[T](9)}
}

//go:noinline
func plainAddScaledVec3s[T Float](p, v *Vec3s[T], s T) {
	n := len(p.X)
	px, py, pz := p.X, p.Y[:n], p.Z[:n]
	vx, vy, vz := v.X[:n], v.Y[:n], v.Z[:n]
	for i := range px {
		px[i] += vx[i] * s
		py[i] += vy[i] * s
		pz[i] += vz[i] * s
	}
}

func BenchmarkMulQuats(b *testing.B) { bench(b, contestMulQuats[float32], contestMulQuats[float64]) }

func contestMulQuats[T Float](n int) contest {
	q, x, y := randomQuats[T](n), randomQuats[T](n), randomQuats[T](n)
	return contest{func() { q.Mul(x, y) }, func() { plainMulQuats(q, x, y) }, size[T](12)}
}

//go:noinline
func plainMulQuats[T Float](q, a, b *Quats[T]) {
	n := len(q.X)
	qx, qy, qz, qw := q.X, q.Y[:n], q.Z[:n], q.W[:n]
	ax, ay, az, aw := a.X[:n], a.Y[:n], a.Z[:n], a.W[:n]
	bx, by, bz, bw := b.X[:n], b.Y[:n], b.Z[:n], b.W[:n]
	for i := range qx {
		x, y, z, w := ax[i], ay[i], az[i], aw[i]
		u, v, s, t := bx[i], by[i], bz[i], bw[i]
		qx[i] = w*u + x*t + y*s - z*v
		qy[i] = w*v + y*t + z*u - x*s
		qz[i] = w*s + z*t + x*v - y*u
		qw[i] = w*t - x*u - y*v - z*s
	}
}

func BenchmarkNormalizeQuats(b *testing.B) {
	bench(b, contestNormalizeQuats[float32], contestNormalizeQuats[float64])
}

func contestNormalizeQuats[T Float](n int) contest {
	q, p := randomQuats[T](n), randomQuats[T](n)
	return contest{func() { q.Normalize(p) }, nil, size[T](8)}
}

func BenchmarkIntegrateQuats(b *testing.B) {
	bench(b, contestIntegrateQuats[float32], contestIntegrateQuats[float64])
}

func contestIntegrateQuats[T Float](n int) contest {
	q, w := randomQuats[T](n), randomVecs[T](n)
	return contest{func() { q.Integrate(q, w, 1e-3) }, nil, size[T](11)}
}

func BenchmarkSpinQuats(b *testing.B) { bench(b, contestSpinQuats[float32], contestSpinQuats[float64]) }

func contestSpinQuats[T Float](n int) contest {
	q, speed := randomQuats[T](n), randomLane[T](n)
	return contest{func() { q.Spin(q, 0, 1, 0, speed, 1e-2) }, nil, size[T](9)}
}

func BenchmarkRotate(b *testing.B) { bench(b, contestRotate[float32], contestRotate[float64]) }

func contestRotate[T Float](n int) contest {
	v, q, x := randomVecs[T](n), randomQuats[T](n), randomVecs[T](n)
	return contest{func() { v.Rotate(q, x) }, func() { plainRotate(v, q, x) }, size[T](10)}
}

//go:noinline
func plainRotate[T Float](v *Vec3s[T], q *Quats[T], x *Vec3s[T]) {
	n := len(v.X)
	vx, vy, vz := v.X, v.Y[:n], v.Z[:n]
	qx, qy, qz, qw := q.X[:n], q.Y[:n], q.Z[:n], q.W[:n]
	xx, xy, xz := x.X[:n], x.Y[:n], x.Z[:n]
	for i := range vx {
		x, y, z, w := qx[i], qy[i], qz[i], qw[i]
		a, b, c := xx[i], xy[i], xz[i]
		tx, ty, tz := 2*(y*c-z*b), 2*(z*a-x*c), 2*(x*b-y*a)
		vx[i] = a + w*tx + y*tz - z*ty
		vy[i] = b + w*ty + z*tx - x*tz
		vz[i] = c + w*tz + x*ty - y*tx
	}
}

func BenchmarkRotateBy(b *testing.B) { bench(b, contestRotateBy[float32], contestRotateBy[float64]) }

func contestRotateBy[T Float](n int) contest {
	v, x := randomVecs[T](n), randomVecs[T](n)
	q := [4]T{0, T(math.Sqrt(0.5)), 0, T(math.Sqrt(0.5))}
	return contest{func() { v.RotateBy(q, x) }, nil, size[T](6)}
}

func BenchmarkCompose(b *testing.B) { bench(b, contestCompose[float32], contestCompose[float64]) }

func contestCompose[T Float](n int) contest {
	m := &Mat4s[T]{make([][16]T, n)}
	pos, rot, scale := randomVecs[T](n), randomQuats[T](n), randomVecs[T](n)
	return contest{func() { m.Compose(pos, rot, scale) }, func() { plainCompose(m, pos, rot, scale) }, size[T](26)}
}

//go:noinline
func plainCompose[T Float](m *Mat4s[T], pos *Vec3s[T], rot *Quats[T], scale *Vec3s[T]) {
	n := len(m.M)
	px, py, pz := pos.X[:n], pos.Y[:n], pos.Z[:n]
	rx, ry, rz, rw := rot.X[:n], rot.Y[:n], rot.Z[:n], rot.W[:n]
	sx, sy, sz := scale.X[:n], scale.Y[:n], scale.Z[:n]
	for i := range m.M {
		x, y, z, w := rx[i], ry[i], rz[i], rw[i]
		sx, sy, sz := sx[i], sy[i], sz[i]
		o := &m.M[i]
		o[0], o[1], o[2], o[3] = (1-2*(y*y+z*z))*sx, 2*(x*y+w*z)*sx, 2*(x*z-w*y)*sx, 0
		o[4], o[5], o[6], o[7] = 2*(x*y-w*z)*sy, (1-2*(x*x+z*z))*sy, 2*(y*z+w*x)*sy, 0
		o[8], o[9], o[10], o[11] = 2*(x*z+w*y)*sz, 2*(y*z-w*x)*sz, (1-2*(x*x+y*y))*sz, 0
		o[12], o[13], o[14], o[15] = px[i], py[i], pz[i], 1
	}
}

func BenchmarkMulMat4s(b *testing.B) { bench(b, contestMulMat4s[float32], contestMulMat4s[float64]) }

func contestMulMat4s[T Float](n int) contest {
	m, p, l := randomMats[T](n), randomMats[T](n), randomMats[T](n)
	return contest{func() { m.MulAffine(p, l) }, func() { plainMulMat4s(m, p, l) }, size[T](48)}
}

func randomMats[T Float](n int) *Mat4s[T] {
	m := &Mat4s[T]{make([][16]T, n)}
	return m.Compose(randomVecs[T](n), randomQuats[T](n), randomVecs[T](n))
}

//go:noinline
func plainMulMat4s[T Float](m, p, l *Mat4s[T]) {
	n := len(m.M)
	ps, ls := p.M[:n], l.M[:n]
	for i := range m.M {
		o, a, b := &m.M[i], &ps[i], &ls[i]
		for c := 0; c < 12; c += 4 { // the last row is 0, 0, 0, 1, so it needs no products
			x, y, z := b[c], b[c+1], b[c+2]
			o[c] = a[0]*x + a[4]*y + a[8]*z
			o[c+1] = a[1]*x + a[5]*y + a[9]*z
			o[c+2] = a[2]*x + a[6]*y + a[10]*z
			o[c+3] = 0
		}
		x, y, z := b[12], b[13], b[14]
		o[12] = a[0]*x + a[4]*y + a[8]*z + a[12]
		o[13] = a[1]*x + a[5]*y + a[9]*z + a[13]
		o[14] = a[2]*x + a[6]*y + a[10]*z + a[14]
		o[15] = 1
	}
}

//go:noinline
func plainMulFull[T Float](m, parent, local *Mat4s[T]) {
	n := len(m.M)
	ps, ls := parent.M[:n], local.M[:n]
	for i := range m.M {
		o, a, b := &m.M[i], &ps[i], &ls[i]
		for c := 0; c < 16; c += 4 {
			x, y, z, w := b[c], b[c+1], b[c+2], b[c+3]
			o[c] = a[0]*x + a[4]*y + a[8]*z + a[12]*w
			o[c+1] = a[1]*x + a[5]*y + a[9]*z + a[13]*w
			o[c+2] = a[2]*x + a[6]*y + a[10]*z + a[14]*w
			o[c+3] = a[3]*x + a[7]*y + a[11]*z + a[15]*w
		}
	}
}

func BenchmarkMulAffineByParent(b *testing.B) {
	bench(b, contestMulAffineByParent[float32], contestMulAffineByParent[float64])
}

func contestMulAffineByParent[T Float](n int) contest {
	m, p, l := randomMats[T](n), randomMats[T](n), randomMats[T](n)
	index := make([]int32, n)
	for i := range index {
		index[i] = int32(i / 8)
	}
	return contest{func() { m.MulAffineByParent(p, index, l) }, nil, size[T](48) + 4}
}

func BenchmarkSincos(b *testing.B) { bench(b, contestSincos[float32], contestSincos[float64]) }

func contestSincos[T Float](n int) contest {
	s, c, x := randomLane[T](n), randomLane[T](n), randomLane[T](n)
	return contest{func() { Sincos(s, c, x) }, func() { plainSincos(s, c, x) }, size[T](3)}
}

//go:noinline
func plainSincos[T Float](sin, cos, x []T) {
	sin, cos = sin[:len(x)], cos[:len(x)]
	for i := range x {
		s, c := math.Sincos(float64(x[i]))
		sin[i], cos[i] = T(s), T(c)
	}
}

func BenchmarkKepler(b *testing.B) { bench(b, contestKepler[float32], contestKepler[float64]) }

func contestKepler[T Float](n int) contest {
	E, M, e := randomLane[T](n), randomLane[T](n), randomLane[T](n)
	for i := range e {
		M[i] *= math.Pi
		e[i] = T(math.Abs(float64(e[i])))
	}
	return contest{func() { Kepler(E, M, e) }, nil, size[T](3)}
}
