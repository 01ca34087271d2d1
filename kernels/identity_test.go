package kernels

import (
	"math"
	"math/rand/v2"
	"testing"
)

// These tests compare the generic bodies with mathematics: identities in float64, and quaternions as
// textbooks define them. The bounds are multiples of the rounding error of the type. They are measured
// and rounded up. For float64, the bounds include the rounding errors of the reference.

// epsilon returns half a unit in the last place of 1.
func epsilon[T Float]() float64 {
	if single[T]() {
		return 0x1p-24
	}
	return 0x1p-53
}

// wantNear fails the test unless |got-want| ≤ n·epsilon·scale.
func wantNear[T Float](t *testing.T, what string, got T, want, n, scale float64) {
	t.Helper()
	if d := math.Abs(float64(got) - want); !(d <= n*epsilon[T]()*scale) {
		t.Fatalf("%s is %v, want %v: %.1f roundings off, at most %v are promised", what, got, want, d/epsilon[T]()/scale, n)
	}
}

// testBoth runs a test for both types, with the same random numbers each time.
func testBoth(t *testing.T, test32, test64 func(t *testing.T)) {
	for name, test := range map[string]func(t *testing.T){"type=f32": test32, "type=f64": test64} {
		lanesMade = 0
		t.Run(name, test)
	}
}

const identityRows = 20_000

// quatAt returns row i.
func quatAt[T Float](q *Quats[T], i int) number4 {
	return number4{w: float64(q.W[i]), x: float64(q.X[i]), y: float64(q.Y[i]), z: float64(q.Z[i])}
}

func vecAt[T Float](v *Vec3s[T], i int) number4 {
	return number4{x: float64(v.X[i]), y: float64(v.Y[i]), z: float64(v.Z[i])}
}

// nearQuat compares row i with a quaternion.
func nearQuat[T Float](t *testing.T, what string, q *Quats[T], i int, want number4, n, scale float64) {
	t.Helper()
	wantNear(t, what+".x", q.X[i], want.x, n, scale)
	wantNear(t, what+".y", q.Y[i], want.y, n, scale)
	wantNear(t, what+".z", q.Z[i], want.z, n, scale)
	wantNear(t, what+".w", q.W[i], want.w, n, scale)
}

func newVecs[T Float](n int) *Vec3s[T] {
	return &Vec3s[T]{make([]T, n), make([]T, n), make([]T, n)}
}

func newQuats[T Float](n int) *Quats[T] {
	return &Quats[T]{make([]T, n), make([]T, n), make([]T, n), make([]T, n)}
}

func TestQuatsMul(t *testing.T) { testBoth(t, testQuatsMul[float32], testQuatsMul[float64]) }

func testQuatsMul[T Float](t *testing.T) {
	a, b, q := randomQuats[T](identityRows), randomQuats[T](identityRows), newQuats[T](identityRows)
	b.Mul(a, b) // b now differs from a
	q.Mul(a, b)
	for i := range q.X {
		nearQuat(t, "a*b", q, i, mul4(quatAt(a, i), quatAt(b, i)), 3, 1)
	}
}

func TestQuatsNormalize(t *testing.T) {
	testBoth(t, testQuatsNormalize[float32], testQuatsNormalize[float64])
}

func testQuatsNormalize[T Float](t *testing.T) {
	p, q := newQuats[T](identityRows), newQuats[T](identityRows)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range p.X {
		size := math.Exp2(r.Float64()*40 - 20)
		p.X[i], p.Y[i] = T(size*(r.Float64()-0.5)), T(size*(r.Float64()-0.5))
		p.Z[i], p.W[i] = T(size*(r.Float64()-0.5)), T(size*(r.Float64()-0.5))
	}
	q.Normalize(p)
	for i := range q.X {
		want := quatAt(p, i)
		nearQuat(t, "p/|p|", q, i, scale4(1/abs4(want), want), 5, 1)
		wantNear(t, "its length", T(abs4(quatAt(q, i))), 1, 5, 1)
	}
}

// TestQuatsNormalizeSpecial checks the rule for zero, infinite and NaN quaternions in the comment of
// Normalize.
func TestQuatsNormalizeSpecial(t *testing.T) {
	big := float32(0x1p100)
	p := &Quats[float32]{[]float32{0, 1e-30, big, 3}, []float32{0, 0, 0, 0}, []float32{0, 0, 0, 0}, []float32{0, 0, 0, 4}}
	eachPath(t, func(t *testing.T) {
		q := newQuats[float32](4).Normalize(p)
		if q.X[0] == q.X[0] || q.W[0] == q.W[0] {
			t.Errorf("zero gives %v, %v, want NaN", q.X[0], q.W[0])
		}
		if !math.IsInf(float64(q.X[1]), 1) || q.Y[1] == q.Y[1] {
			t.Errorf("(1e-30, 0, …) gives %v, %v, want +Inf, NaN", q.X[1], q.Y[1])
		}
		if q.X[2] != 0 || q.Y[2] != 0 {
			t.Errorf("(2^100, 0, …) gives %v, %v, want 0, 0", q.X[2], q.Y[2])
		}
		if q.X[3] != 0.6 || q.W[3] != 0.8 {
			t.Errorf("(3, 0, 0, 4) gives %v, %v, want 0.6, 0.8", q.X[3], q.W[3])
		}
	})
}

func TestQuatsSpin(t *testing.T) { testBoth(t, testQuatsSpin[float32], testQuatsSpin[float64]) }

func testQuatsSpin[T Float](t *testing.T) {
	p, q, speed := randomQuats[T](identityRows), newQuats[T](identityRows), randomLane[T](identityRows)
	const ux, uy, uz, dt = 0.48, -0.6, 0.64, 2.5
	q.Spin(p, ux, uy, uz, speed, dt)
	for i := range q.X {
		s, c := math.Sincos(float64(T(0.5*dt)) * float64(speed[i]))
		turn := number4{w: c, x: s * float64(T(ux)), y: s * float64(T(uy)), z: s * float64(T(uz))}
		want := quatAt(p, i)
		nearQuat(t, "spin", q, i, mul4(scale4(1/abs4(want), want), turn), 6, 1)
	}
}

// TestQuatsIntegrate compares one step with its formula, and many steps with a turn in closed form. A
// step that turns by the angle a has an error of a³/12.
func TestQuatsIntegrate(t *testing.T) {
	testBoth(t, testQuatsIntegrate[float32], testQuatsIntegrate[float64])
}

func testQuatsIntegrate[T Float](t *testing.T) {
	const n, dt = 1000, 0.125
	p, w, q := randomQuats[T](n), randomVecs[T](n), newQuats[T](n)
	q.Integrate(p, w, dt)
	for i := range q.X {
		want := quatAt(p, i)
		want = add4(want, scale4(dt/2, mul4(vecAt(w, i), want)))
		nearQuat(t, "p + ½dt·w·p", q, i, scale4(1/abs4(want), want), 3, 1)
	}
	const steps = 1 << 8
	q.Normalize(p)
	for range steps {
		q.Integrate(q, w, 1.0/steps)
	}
	for i := range q.X {
		angle := abs4(vecAt(w, i))
		want := mul4(exp4(scale4(0.5, vecAt(w, i))), quatAt(p, i))
		if d := abs4(sub4(quatAt(q, i), want)); d > angle*angle*angle/12/steps/steps+steps*4*epsilon[T]() {
			t.Fatalf("row %d: %v after %d steps, want %v", i, quatAt(q, i), steps, want)
		}
	}
}

func TestVec3sRotate(t *testing.T) { testBoth(t, testVec3sRotate[float32], testVec3sRotate[float64]) }

func testVec3sRotate[T Float](t *testing.T) {
	v, q, x := newVecs[T](identityRows), randomQuats[T](identityRows), randomVecs[T](identityRows)
	v.Rotate(q, x)
	one := newVecs[T](identityRows).RotateBy([4]T{q.X[0], q.Y[0], q.Z[0], q.W[0]}, x)
	for i := range v.X {
		p, size := quatAt(q, i), abs4(vecAt(x, i))
		want := mul4(mul4(p, vecAt(x, i)), conj4(p))
		wantNear(t, "x", v.X[i], want.x, 14, size)
		wantNear(t, "y", v.Y[i], want.y, 14, size)
		wantNear(t, "z", v.Z[i], want.z, 14, size)
		wantNear(t, "length", T(abs4(vecAt(v, i))), size, 14, size)

		p = quatAt(q, 0)
		want = mul4(mul4(p, vecAt(x, i)), conj4(p))
		wantNear(t, "x by the first", one.X[i], want.x, 14, size)
		wantNear(t, "y by the first", one.Y[i], want.y, 14, size)
		wantNear(t, "z by the first", one.Z[i], want.z, 14, size)
	}
}

// TestMat4sCompose applies the composed matrix to a point and compares the result with scaling,
// rotating and moving the point.
func TestMat4sCompose(t *testing.T) {
	testBoth(t, testMat4sCompose[float32], testMat4sCompose[float64])
}

func testMat4sCompose[T Float](t *testing.T) {
	const n = 5000
	m := &Mat4s[T]{make([][16]T, n)}
	pos, rot, scale, x := randomVecs[T](n), randomQuats[T](n), randomVecs[T](n), randomVecs[T](n)
	for _, parts := range []struct {
		rot   *Quats[T]
		scale *Vec3s[T]
	}{{rot, scale}, {nil, scale}, {rot, nil}, {nil, nil}} {
		m.Compose(pos, parts.rot, parts.scale)
		for i := range m.M {
			want := vecAt(x, i)
			if parts.scale != nil {
				s := vecAt(scale, i)
				want = number4{x: want.x * s.x, y: want.y * s.y, z: want.z * s.z}
			}
			if parts.rot != nil {
				want = mul4(mul4(quatAt(rot, i), want), conj4(quatAt(rot, i)))
			}
			want = add4(want, vecAt(pos, i))
			got := apply(&m.M[i], [4]float64{float64(x.X[i]), float64(x.Y[i]), float64(x.Z[i]), 1})
			wantNear(t, "x", T(got[0]), want.x, 10, 1)
			wantNear(t, "y", T(got[1]), want.y, 10, 1)
			wantNear(t, "z", T(got[2]), want.z, 10, 1)
			if got[3] != 1 {
				t.Fatalf("row %d: w is %v", i, got[3])
			}
		}
	}
}

// TestMat4sMul checks that the product of two matrices transforms a point like the two matrices one
// after the other.
func TestMat4sMul(t *testing.T) { testBoth(t, testMat4sMul[float32], testMat4sMul[float64]) }

func testMat4sMul[T Float](t *testing.T) {
	const n = 5000
	p, l := randomMats[T](n), randomMats[T](n)
	p.MulAffine(p, l) // p now differs from l
	m := (&Mat4s[T]{make([][16]T, n)}).MulAffine(p, l)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range m.M {
		x := [4]float64{r.Float64(), r.Float64(), r.Float64(), 1}
		got, want := apply(&m.M[i], x), apply(&p.M[i], apply(&l.M[i], x))
		for k := range 4 {
			wantNear(t, "a coordinate", T(got[k]), want[k], 12, 1)
		}
	}
}

// apply returns m·x, column by column.
func apply[T Float](m *[16]T, x [4]float64) (y [4]float64) {
	for i, v := range m {
		y[i%4] += float64(v) * x[i/4]
	}
	return y
}
