package kernels

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// These tests compare the generic bodies with their comments. The other paths return exactly the
// same results, which the harness checks.

// unitQuats returns n random quaternions of length 1, computed in float64 and rounded to T.
func unitQuats[T Float](n int, seed uint64) *Quats[T] {
	r := rand.New(rand.NewPCG(seed, 21))
	q := newQuats[T](n)
	for i := range n {
		x, y, z, w := r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
		l := math.Sqrt(x*x + y*y + z*z + w*w)
		q.X[i], q.Y[i], q.Z[i], q.W[i] = T(x/l), T(y/l), T(z/l), T(w/l)
	}
	return q
}

func unitVecs[T Float](n int, seed uint64) *Vec3s[T] {
	r := rand.New(rand.NewPCG(seed, 22))
	v := newVecs[T](n)
	for i := range n {
		x, y, z := r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
		l := math.Sqrt(x*x + y*y + z*z)
		v.X[i], v.Y[i], v.Z[i] = T(x/l), T(y/l), T(z/l)
	}
	return v
}

// TestNormalizeVectors checks length, direction and the rule for zero.
func TestNormalizeVectors(t *testing.T) {
	testBoth(t, testNormalizeVectors[float32], testNormalizeVectors[float64])
}

func testNormalizeVectors[T Float](t *testing.T) {
	const n = 1000
	x := newVecs[T](n)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range n {
		x.X[i], x.Y[i], x.Z[i] = T(r.NormFloat64()*50), T(r.NormFloat64()), T(r.NormFloat64())
	}
	v, length := newVecs[T](n), make([]T, n)
	v.Normalize(x).Length(length)
	worst := 0.0
	for i, l := range length {
		worst = max(worst, math.Abs(float64(l)-1)/epsilon[T]())
		if v.X[i]*x.X[i] < 0 || v.Y[i]*x.Y[i] < 0 || v.Z[i]*x.Z[i] < 0 {
			t.Fatalf("row %d points elsewhere", i)
		}
	}
	t.Logf("length within %.2f units of %g", worst, epsilon[T]())
	if worst > 4 {
		t.Errorf("length is %v units of %g off", worst, epsilon[T]())
	}

	tiny := T(1e-30) // its square is zero as a float32
	if !single[T]() {
		tiny = 1e-200
	}
	minus := T(math.Copysign(0, -1))
	zeros := &Vec3s[T]{[]T{0, minus, tiny, minus}, []T{0, 0, -tiny, 0}, []T{0, minus, 0, 0}}
	got := newVecs[T](4)
	got.Normalize(zeros)
	want := &Vec3s[T]{[]T{0, minus, 0, minus}, []T{0, 0, minus, 0}, []T{0, minus, 0, 0}}
	for k, lanes := range [][2][]T{{got.X, want.X}, {got.Y, want.Y}, {got.Z, want.Z}} {
		if err := sameBits(lanes[0], lanes[1]); err != nil {
			t.Errorf("zero vectors: lane %d: %v", k, err)
		}
	}
	nan := &Vec2s[T]{[]T{T(math.NaN()), 1}, []T{1, 0}}
	nan.Normalize(nan)
	if nan.Y[0] == nan.Y[0] || nan.X[1] != 1 {
		t.Errorf("(NaN, 1) becomes (%v, %v)", nan.X[0], nan.Y[0])
	}
}

// TestVectorIdentities checks identities between cross and dot products, reflection and distance.
func TestVectorIdentities(t *testing.T) {
	testBoth(t, testVectorIdentities[float32], testVectorIdentities[float64])
}

func testVectorIdentities[T Float](t *testing.T) {
	const n = 1000
	eps := epsilon[T]()
	x, y := unitVecs[T](n, 1), unitVecs[T](n, 2)
	c, d, e := newVecs[T](n), make([]T, n), make([]T, n)
	about := func(what string, i int, got, want, units float64) {
		if math.Abs(got-want) > units*eps {
			t.Fatalf("%s: row %d is %v, want %v within %v units", what, i, got, want, units)
		}
	}
	c.Cross(x, y).Dot(d, x)
	for i := range d {
		about("cross and dot", i, float64(d[i]), 0, 6)
	}
	// |x × y|² + (x·y)² = 1
	c.Length(e)
	x.Dot(d, y)
	for i := range d {
		about("Lagrange", i, float64(d[i])*float64(d[i])+float64(e[i])*float64(e[i]), 1, 10)
	}
	// Two reflections restore the vector, and one reflection keeps its length.
	back := newVecs[T](n)
	c.Reflect(x, y)
	back.Reflect(c, y).Distance(e, x)
	for i := range e {
		about("reflected twice", i, float64(e[i]), 0, 20)
	}
	c.Length(e)
	for i := range e {
		about("reflected", i, float64(e[i]), 1, 8)
	}
	// The midpoint has the same distance from both ends.
	back.Lerp(x, y, 0.5).Distance(d, x)
	back.Distance(e, y)
	for i := range e {
		about("half-way", i, float64(d[i]), float64(e[i]), 8)
	}
	// Reflect the vector (1, 2) with the normal (1, 0), and (3, 4) with the normal (0, 1).
	v := Vec2s[T]{[]T{1, 3}, []T{2, 4}}
	v.Reflect(&v, &Vec2s[T]{[]T{1, 0}, []T{0, 1}})
	if v.X[0] != -1 || v.Y[0] != 2 || v.X[1] != 3 || v.Y[1] != -4 {
		t.Errorf("reflected: %v", v)
	}
	w := Vec4s[T]{[]T{1}, []T{2}, []T{3}, []T{4}}
	w.Dot(d[:1], &Vec4s[T]{[]T{5}, []T{6}, []T{7}, []T{8}})
	w.Distance(e[:1], &Vec4s[T]{[]T{1}, []T{2}, []T{0}, []T{0}})
	if d[0] != 70 || e[0] != 5 {
		t.Errorf("dot is %v, distance %v", d[0], e[0])
	}
}

// TestTransformAgreesWithRotate moves points by a composed matrix, and by the scale, rotation and
// translation one after the other, and compares the results.
func TestTransformAgreesWithRotate(t *testing.T) {
	testBoth(t, testTransformAgreesWithRotate[float32], testTransformAgreesWithRotate[float64])
}

func testTransformAgreesWithRotate[T Float](t *testing.T) {
	const n = 1000
	q, x, pos := unitQuats[T](n, 3), unitVecs[T](n, 4), unitVecs[T](n, 5)
	m := &Mat4s[T]{make([][16]T, n)}
	m.Compose(pos, q, nil)
	got, want, off := newVecs[T](n), newVecs[T](n), make([]T, n)
	want.Rotate(q, x)
	got.TransformVector(m, x).Distance(off, want)
	for i, d := range off {
		if float64(d) > 10*epsilon[T]() {
			t.Fatalf("vector %d is %v off", i, d)
		}
	}
	m.FromQuats(q)
	got.Transform(m, x).Distance(off, want)
	for i, d := range off {
		if float64(d) > 10*epsilon[T]() {
			t.Fatalf("FromQuats: vector %d is %v off", i, d)
		}
	}
	m.Compose(pos, q, nil)
	want.Add(want, pos)
	got.Transform(m, x).Distance(off, want)
	for i, d := range off {
		if float64(d) > 12*epsilon[T]() {
			t.Fatalf("point %d is %v off", i, d)
		}
	}
	one := newVecs[T](n)
	one.TransformBy(m.M[7], x)
	many := &Mat4s[T]{make([][16]T, n)}
	for i := range many.M {
		many.M[i] = m.M[7]
	}
	got.Transform(many, x)
	for k, lanes := range [][2][]T{{got.X, one.X}, {got.Y, one.Y}, {got.Z, one.Z}} {
		if err := sameBits(lanes[0], lanes[1]); err != nil {
			t.Errorf("one matrix: lane %d: %v", k, err)
		}
	}
}

// TestFromEuler composes the three turns of every order and compares the result with FromEuler.
func TestFromEuler(t *testing.T) {
	testBoth(t, testFromEuler[float32], testFromEuler[float64])
}

func testFromEuler[T Float](t *testing.T) {
	const n = 500
	angles := newVecs[T](n)
	r := rand.New(rand.NewPCG(6, 6))
	for i := range n {
		angles.X[i], angles.Y[i], angles.Z[i] = T(r.Float64()*8-4), T(r.Float64()*8-4), T(r.Float64()*8-4)
	}
	zeros, ones := make([]T, n), make([]T, n)
	Fill(ones, 1)
	var turns [3]*Quats[T]
	for k, axis := range []*Vec3s[T]{{ones, zeros, zeros}, {zeros, ones, zeros}, {zeros, zeros, ones}} {
		turns[k] = newQuats[T](n).FromAxisAngle(axis, [][]T{angles.X, angles.Y, angles.Z}[k])
	}
	for order, axes := range map[RotationOrder][3]int{
		OrderXYZ: {0, 1, 2}, OrderXZY: {0, 2, 1}, OrderYXZ: {1, 0, 2}, OrderYZX: {1, 2, 0}, OrderZXY: {2, 0, 1}, OrderZYX: {2, 1, 0},
	} {
		want := newQuats[T](n)
		want.Mul(turns[axes[1]], turns[axes[0]])
		want.Mul(turns[axes[2]], want)
		got := newQuats[T](n).FromEuler(angles, order)
		for k, lanes := range [][2][]T{{got.X, want.X}, {got.Y, want.Y}, {got.Z, want.Z}, {got.W, want.W}} {
			for i := range n {
				if d := math.Abs(float64(lanes[0][i] - lanes[1][i])); d > 6*epsilon[T]() {
					t.Fatalf("order %d: lane %d of row %d is %v off", order, k, i, d)
				}
			}
		}
	}
	const want = "kernels: Quats.FromEuler: order is 6, the last one is 5"
	if got := panicOf(func() { newQuats[T](1).FromEuler(newVecs[T](1), OrderZYX+1) }); got != want {
		t.Errorf("panic %q, want %q", got, want)
	}
}

// TestBetween checks that Between turns a vector to its target. It also tries targets in almost the
// same or the opposite direction, where the axis is hard to find.
func TestBetween(t *testing.T) {
	testBoth(t, testBetween[float32], testBetween[float64])
}

func testBetween[T Float](t *testing.T) {
	const n = 4000
	x, y := unitVecs[T](n, 7), unitVecs[T](n, 8)
	r := rand.New(rand.NewPCG(9, 9))
	for i := range n {
		if i%4 == 0 {
			continue
		}
		// From here on, y is close to x or to its opposite, closer with each step.
		by := math.Exp(r.Float64() * math.Log(epsilon[T]()))
		a, b, c := float64(x.X[i])+by*r.NormFloat64(), float64(x.Y[i])+by*r.NormFloat64(), float64(x.Z[i])+by*r.NormFloat64()
		l := math.Sqrt(a*a + b*b + c*c)
		if i%4 > 1 {
			l = -l
		}
		y.X[i], y.Y[i], y.Z[i] = T(a/l), T(b/l), T(c/l)
		if i%16 == 3 {
			y.X[i], y.Y[i], y.Z[i] = -x.X[i], -x.Y[i], -x.Z[i]
		}
	}
	q, got, off := newQuats[T](n), newVecs[T](n), make([]T, n)
	got.Rotate(q.Between(x, y), x).Distance(off, y)
	worst := 0.0
	for i, d := range off {
		worst = max(worst, float64(d)/epsilon[T]())
		if !(float64(d) < 20*epsilon[T]()) {
			t.Fatalf("row %d: x = %v %v %v, y = %v %v %v: %v off", i, x.X[i], x.Y[i], x.Z[i], y.X[i], y.Y[i], y.Z[i], d)
		}
	}
	t.Logf("within %.1f units of %g", worst, epsilon[T]())
	axes := &Vec3s[T]{[]T{1, 0, 0, -1, 0}, []T{0, 1, 0, 0, 0}, []T{0, 0, 1, 0, -1}}
	opposite := newVecs[T](5)
	opposite.Scale(axes, -1)
	p := newQuats[T](5).Between(axes, opposite)
	for i, want := range [][4]T{{0, 1, 0, 0}, {0, 0, 1, 0}, {0, -1, 0, 0}, {0, -1, 0, 0}, {0, 1, 0, 0}} {
		if got := [4]T{p.X[i], p.Y[i], p.Z[i], p.W[i]}; got != want {
			t.Errorf("opposite %d: %v, want %v", i, got, want)
		}
	}
}

// TestLookRotation checks three things: the z axis turns to forward; the y axis is in the plane of
// forward and up, on the side of up; and the vectors may have any length. Some vectors are nearly
// parallel, parallel or zero.
func TestLookRotation(t *testing.T) {
	testBoth(t, testLookRotation[float32], testLookRotation[float64])
}

func testLookRotation[T Float](t *testing.T) {
	const n = 4000
	f, u := unitVecs[T](n, 17), unitVecs[T](n, 18)
	r := rand.New(rand.NewPCG(19, 19))
	lengths := make([]T, n)
	for i := range n {
		lengths[i] = T(math.Exp(5 * r.NormFloat64()))
		switch k := T(math.Exp(4 * r.NormFloat64())); i % 4 {
		case 0: // parallel or opposite
			if i%8 == 0 {
				k = -k
			}
			u.X[i], u.Y[i], u.Z[i] = k*f.X[i], k*f.Y[i], k*f.Z[i]
		case 1:
			by := math.Exp(r.Float64() * math.Log(epsilon[T]()))
			u.X[i], u.Y[i], u.Z[i] = f.X[i]+T(by*r.NormFloat64()), f.Y[i]+T(by*r.NormFloat64()), f.Z[i]+T(by*r.NormFloat64())
		case 2:
			if i%16 == 2 {
				u.X[i], u.Y[i], u.Z[i] = 0, 0, 0
			}
		}
	}
	scaled := newVecs[T](n)
	for i := range n {
		scaled.X[i], scaled.Y[i], scaled.Z[i] = f.X[i]*lengths[i], f.Y[i]*lengths[i], f.Z[i]*lengths[i]
	}
	q, x, y, z := newQuats[T](n), newVecs[T](n), newVecs[T](n), newVecs[T](n)
	q.LookRotation(scaled, u)
	for i := range n {
		x.X[i], y.Y[i], z.Z[i] = 1, 1, 1
	}
	x.Rotate(q, x)
	y.Rotate(q, y)
	z.Rotate(q, z)
	for i := range n {
		off := math.Abs(float64(z.X[i]-f.X[i])) + math.Abs(float64(z.Y[i]-f.Y[i])) + math.Abs(float64(z.Z[i]-f.Z[i]))
		if !(off < 20*epsilon[T]()) {
			t.Fatalf("row %d: the z axis is %v off from forward", i, off)
		}
		if i%4 < 2 {
			continue // the plane is made of rounding errors
		}
		across := float64(x.X[i]*u.X[i]) + float64(x.Y[i]*u.Y[i]) + float64(x.Z[i]*u.Z[i])
		along := float64(y.X[i]*u.X[i]) + float64(y.Y[i]*u.Y[i]) + float64(y.Z[i]*u.Z[i])
		if !(math.Abs(across) < 20*epsilon[T]()) {
			t.Fatalf("row %d: up is %v beside the plane of the y and z axes", i, across)
		}
		if along < 0 {
			t.Fatalf("row %d: the y axis is opposite to up: %v", i, along)
		}
	}
	for name, c := range map[string]struct {
		f, u [3]T
		want [4]T
	}{
		"identity":       {[3]T{0, 0, 1}, [3]T{0, 1, 0}, [4]T{0, 0, 0, 1}},
		"zero forward":   {[3]T{}, [3]T{0, 1, 0}, [4]T{0, 0, 0, 1}},
		"two zeros":      {[3]T{}, [3]T{}, [4]T{0, 0, 0, 1}},
		"behind":         {[3]T{0, 0, -4}, [3]T{0, 1, 0}, [4]T{0, 1, 0, 0}},
		"head over feet": {[3]T{0, 0, 2}, [3]T{0, -3, 0}, [4]T{0, 0, 1, 0}},
	} {
		one := newQuats[T](1).LookRotation(&Vec3s[T]{c.f[:1], c.f[1:2], c.f[2:]}, &Vec3s[T]{c.u[:1], c.u[1:2], c.u[2:]})
		if got := [4]T{one.X[0], one.Y[0], one.Z[0], one.W[0]}; got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestArcULP measures the distance of arc from the exact arc cosine.
func TestArcULP(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	worst32, worst64 := 0.0, 0.0
	for i := range samples(400_000) {
		x := r.Float64()
		if i%4 == 0 { // close to one end
			x = math.Exp(-30 * r.Float64())
			if i%8 == 0 {
				x = 1 - x
			}
		}
		y := float32(x)
		worst32 = max(worst32, ulps32(arc(y), math.Acos(float64(y))))
		if i%100 < 4 {
			worst64 = max(worst64, ulps(arc(x), bigArc(newBig(x)), 53))
		}
	}
	t.Logf("f32 %.3f ulp, f64 %.3f ulp", worst32, worst64)
	if worst32 > 1.5 || worst64 > 1.5 {
		t.Errorf("f32 is %.3f ulp off, f64 %.3f: 1.5 are promised", worst32, worst64)
	}
	for _, x := range []float64{0, 0.5, math.Nextafter(0.5, 1), 1} {
		if got := arc(x); math.Abs(got-math.Acos(x)) > 4e-16 {
			t.Errorf("arc(%v) is %v", x, got)
		}
	}
	if arc(1.0) != 0 || arc(float32(1)) != 0 {
		t.Errorf("arc(1) is %v, %v", arc(1.0), arc(float32(1)))
	}
}

// bigArc returns the arc cosine of x to about 200 bits, by Newton's method on
// the cosine.
func bigArc(x *big.Float) *big.Float {
	f, _ := x.Float64()
	angle := newBig(math.Acos(f))
	if one := newBig(1); x.Cmp(one) < 0 && f > 0.999 { // acos x ≈ √(2(1-x))
		rest := new(big.Float).SetPrec(220).Sub(one, x)
		angle = new(big.Float).SetPrec(220).Sqrt(rest.Mul(rest, newBig(2)))
	}
	for range 5 {
		s, c := bigSincos(new(big.Float).SetPrec(bigBits).Set(angle))
		if s.Sign() == 0 {
			break
		}
		step := new(big.Float).SetPrec(220).Sub(c, x)
		angle = new(big.Float).SetPrec(220).Add(angle, step.Quo(step, s))
	}
	return angle
}

// TestSlerpULP measures the distance of Slerp from the exact result for the same operands.
func TestSlerpULP(t *testing.T) {
	testBoth(t, testSlerp[float32], testSlerp[float64])
}

func testSlerp[T Float](t *testing.T) {
	const bound = 4
	n := samples(2000)
	a, b := unitQuats[T](n, 11), unitQuats[T](n, 12)
	r := rand.New(rand.NewPCG(13, 13))
	for i := range n {
		if i%3 == 0 { // closer with each step
			by := math.Exp(r.Float64() * math.Log(epsilon[T]()))
			b.X[i], b.Y[i], b.Z[i], b.W[i] = a.X[i]+T(by*r.NormFloat64()), a.Y[i]+T(by*r.NormFloat64()), a.Z[i]+T(by*r.NormFloat64()), a.W[i]
			one := b.Slice(i, i+1)
			one.Normalize(&one)
		}
	}
	q := newQuats[T](n)
	for _, at := range []T{0, 0.001, 0.25, 0.5, 0.8, 1} {
		q.Slerp(a, b, at)
		worst, short := 0.0, 0.0
		for i := range n {
			want := exactSlerp([4]T{a.X[i], a.Y[i], a.Z[i], a.W[i]}, [4]T{b.X[i], b.Y[i], b.Z[i], b.W[i]}, at)
			got := [4]T{q.X[i], q.Y[i], q.Z[i], q.W[i]}
			square := 0.0
			for k := range got {
				e := math.Abs(difference(got[k], want[k])) / epsilon[T]()
				worst = max(worst, e)
				square += float64(got[k]) * float64(got[k])
			}
			short = max(short, math.Abs(math.Sqrt(square)-1)/epsilon[T]())
		}
		t.Logf("t=%v: within %.2f units of %g, length within %.2f", at, worst, epsilon[T](), short)
		if worst > bound {
			t.Errorf("t=%v: %v units of %g off, %d are promised", at, worst, epsilon[T](), bound)
		}
	}
	q.Slerp(a, b, 0)
	for k, lanes := range [][2][]T{{q.X, a.X}, {q.Y, a.Y}, {q.Z, a.Z}, {q.W, a.W}} {
		for i := range lanes[0] {
			if lanes[0][i] != lanes[1][i] {
				t.Fatalf("t=0: lane %d of row %d is %v, want %v", k, i, lanes[0][i], lanes[1][i])
			}
		}
	}
}

func difference[T Float](got T, want *big.Float) float64 {
	d, _ := new(big.Float).SetPrec(220).Sub(newBig(float64(got)), want).Float64()
	return d
}

// exactSlerp returns sin((1-t)θ)/sinθ·a + sin(tθ)/sinθ·b in many digits, where θ is the angle between
// a and the nearer of b and -b. It does not normalize a and b.
func exactSlerp[T Float](a, b [4]T, at T) (q [4]*big.Float) {
	f := func() *big.Float { return new(big.Float).SetPrec(220) }
	d, aa, bb := f(), f(), f()
	for k := range a {
		x, y := newBig(float64(a[k])), newBig(float64(b[k]))
		d.Add(d, f().Mul(x, y))
		aa.Add(aa, f().Mul(x, x))
		bb.Add(bb, f().Mul(y, y))
	}
	far := d.Sign() < 0
	d.Abs(d)
	d.Quo(d, f().Sqrt(f().Mul(aa, bb))) // the cosine of the angle between the directions
	u, v := f().Sub(newBig(1), newBig(float64(at))), newBig(float64(at))
	if rest := f().Sub(newBig(1), d); rest.Sign() > 0 {
		angle := bigArc(d)
		s, _ := bigSincos(new(big.Float).SetPrec(bigBits).Set(angle))
		su, _ := bigSincos(new(big.Float).SetPrec(bigBits).Mul(angle, u))
		sv, _ := bigSincos(new(big.Float).SetPrec(bigBits).Mul(angle, v))
		u, v = f().Quo(su, s), f().Quo(sv, s)
	}
	if far {
		v.Neg(v)
	}
	for k := range q {
		q[k] = f().Add(f().Mul(u, newBig(float64(a[k]))), f().Mul(v, newBig(float64(b[k]))))
	}
	return q
}

// TestNlerp checks that the results of Nlerp have length 1, that t = 0 gives a and t = 1 gives b,
// and that it takes the shorter way.
func TestNlerp(t *testing.T) {
	testBoth(t, testNlerp[float32], testNlerp[float64])
}

func testNlerp[T Float](t *testing.T) {
	const n = 1000
	a, b := unitQuats[T](n, 14), unitQuats[T](n, 15)
	q, s := newQuats[T](n), newQuats[T](n)
	for _, at := range []T{0, 0.5, 1} { // Nlerp and Slerp agree here
		q.Nlerp(a, b, at)
		s.Slerp(a, b, at)
		for k, lanes := range [][2][]T{{q.X, s.X}, {q.Y, s.Y}, {q.Z, s.Z}, {q.W, s.W}} {
			for i := range n {
				if d := math.Abs(float64(lanes[0][i] - lanes[1][i])); d > 8*epsilon[T]() {
					t.Fatalf("t=%v: lane %d of row %d is %v off", at, k, i, d)
				}
			}
		}
	}
	for i := range n {
		d := float64(a.X[i]*q.X[i] + a.Y[i]*q.Y[i] + a.Z[i]*q.Z[i] + a.W[i]*q.W[i])
		if d < 0 {
			t.Fatalf("row %d went the longer way", i)
		}
	}
}

func TestRotationOrderString(t *testing.T) {
	for order, want := range map[RotationOrder]string{
		OrderXYZ: "XYZ", OrderXZY: "XZY", OrderYXZ: "YXZ", OrderYZX: "YZX", OrderZXY: "ZXY", OrderZYX: "ZYX", OrderZYX + 1: "RotationOrder(6)",
	} {
		if got := fmt.Sprint(order); got != want {
			t.Errorf("order %d is %q, want %q", uint8(order), got, want)
		}
	}
}
