package kernels

import (
	"math"
	"strings"
	"testing"
)

// eachPathAndType runs a test on every path for both types.
func eachPathAndType(t *testing.T, single, double func(*testing.T)) {
	eachPath(t, func(t *testing.T) {
		t.Run("type=f32", single)
		t.Run("type=f64", double)
	})
}

// randomParts returns positions, rotations and scales. Scales have either sign and are not close to
// zero.
func randomParts[T Float](n int) (pos *Vec3s[T], rot *Quats[T], scale *Vec3s[T]) {
	pos, rot, scale = randomVecs[T](n), randomQuats[T](n), randomVecs[T](n)
	for _, lane := range vec3Lanes(scale) {
		for i, s := range lane {
			lane[i] = T(math.Copysign(math.Abs(float64(s))+0.25, float64(s)))
		}
	}
	return pos, rot, scale
}

// TestLayouts checks that kernels give the same bits on both layouts of matrices.
func TestLayouts(t *testing.T) { eachPathAndType(t, testLayouts[float32], testLayouts[float64]) }

func testLayouts[T Float](t *testing.T) {
	const n = 131
	pos, rot, scale := randomParts[T](n)
	blocks := &Mat4s[T]{make([][16]T, n)}
	same := func(name string, lanes *Mat3x4s[T]) {
		t.Helper()
		got := (&Mat4s[T]{make([][16]T, n)}).FromMat3x4s(lanes)
		for i := range n {
			for j := 0; j < 16; j += 4 { // the bottom row is left out, because Mul may give negative zeros there
				if err := sameBits(got.M[i][j:j+3], blocks.M[i][j:j+3]); err != nil {
					t.Fatalf("%s: row %d, column %d: %v", name, i, j/4, err)
				}
			}
		}
	}
	lanes := newMat3x4s[T](n).Compose(pos, rot, scale)
	blocks.Compose(pos, rot, scale)
	same("Compose", lanes)
	same("FromMat4s", newMat3x4s[T](n).FromMat4s(blocks))

	blocks.Compose(pos, nil, scale)
	same("Compose without rot", newMat3x4s[T](n).Compose(pos, nil, scale))
	blocks.Compose(pos, rot, nil)
	same("Compose without scale", newMat3x4s[T](n).Compose(pos, rot, nil))
	blocks.Compose(pos, nil, nil)
	same("Compose of pos alone", newMat3x4s[T](n).Compose(pos, nil, nil))

	blocks.FromQuats(rot)
	same("FromQuats", newMat3x4s[T](n).FromQuats(rot))

	other := randomMat3x4s[T](n)
	local := (&Mat4s[T]{make([][16]T, n)}).FromMat3x4s(other)
	blocks.Compose(pos, rot, scale).MulAffine(blocks, local)
	same("Mul", newMat3x4s[T](n).MulAffine(lanes, other))

	blocks.Compose(pos, rot, scale).Inverse(blocks)
	same("Inverse", newMat3x4s[T](n).Inverse(lanes))

	x, got, want := randomVecs[T](n), newVecs[T](n), newVecs[T](n)
	blocks.Compose(pos, rot, scale)
	sameVecs(t, "Transform", got.TransformAffine(lanes, x), want.Transform(blocks, x))
	sameVecs(t, "TransformVector", got.TransformVectorAffine(lanes, x), want.TransformVector(blocks, x))

	p, r, s := randomParts[T](n)
	pp, rr, ss := randomParts[T](n)
	lanes.Decompose(p, r, s)
	blocks.Compose(pos, rot, scale).Decompose(pp, rr, ss)
	a, b := parts(p, r, s), parts(pp, rr, ss)
	for k := range a {
		if err := sameBits(b[k], a[k]); err != nil {
			t.Fatalf("Decompose: %s: %v", partNames[k], err)
		}
	}
}

// sameVecs compares vectors bit by bit.
func sameVecs[T Float](t *testing.T, name string, got, want *Vec3s[T]) {
	t.Helper()
	for k, lane := range vec3Lanes(want) {
		if err := sameBits(vec3Lanes(got)[k], lane); err != nil {
			t.Fatalf("%s: lane %d: %v", name, k, err)
		}
	}
}

func TestInverse(t *testing.T) { eachPathAndType(t, testInverse[float32], testInverse[float64]) }

// testInverse multiplies by the inverse from both sides. The largest measured error is 11, and
// the bound is twice as large.
func testInverse[T Float](t *testing.T) {
	n := samples(4000)
	pos, rot, scale := randomParts[T](n)
	m := newMat3x4s[T](n).Compose(pos, rot, scale)
	inverse := newMat3x4s[T](n).Inverse(m)
	identity := []T{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}
	for _, product := range []*Mat3x4s[T]{newMat3x4s[T](n).MulAffine(m, inverse), newMat3x4s[T](n).MulAffine(inverse, m)} {
		worst := 0.0
		for k, lane := range mat3x4Lanes(product) {
			for _, x := range lane {
				worst = max(worst, math.Abs(float64(x-identity[k]))/epsilon[T]())
			}
		}
		if !(worst <= 24) {
			t.Errorf("a matrix times its inverse differs from 1 by %.1f epsilon", worst)
		}
	}
}

func TestInverseSingular(t *testing.T) {
	eachPathAndType(t, testInverseSingular[float32], testInverseSingular[float64])
}

func testInverseSingular[T Float](t *testing.T) {
	flat := &Mat4s[T]{[][16]T{{0: 1, 5: 1, 15: 1}}}
	flat.Inverse(flat)
	if got := float64(flat.M[0][10]); !math.IsInf(got, 1) {
		t.Errorf("the inverse of a matrix flat in z has %v there, want +Inf", got)
	}
	if got := flat.M[0]; got[3] != 0 || got[7] != 0 || got[11] != 0 || got[15] != 1 {
		t.Errorf("the bottom row of an inverse is %v", [4]T{got[3], got[7], got[11], got[15]})
	}
}

func TestDecompose(t *testing.T) { eachPathAndType(t, testDecompose[float32], testDecompose[float64]) }

// testDecompose takes matrices apart and composes them again. The largest measured error is 12, and
// the bound is twice as large.
func testDecompose[T Float](t *testing.T) {
	n := samples(4000)
	pos, rot, scale := randomParts[T](n)
	m := newMat3x4s[T](n).Compose(pos, rot, scale)
	p, r, s := randomParts[T](n)
	m.Decompose(p, r, s)
	again := newMat3x4s[T](n).Compose(p, r, s)
	worst := 0.0
	for k := range mat3x4Lanes(m) {
		for i := range n {
			worst = max(worst, math.Abs(float64(mat3x4Lanes(again)[k][i]-mat3x4Lanes(m)[k][i]))/epsilon[T]())
		}
	}
	if !(worst <= 24) {
		t.Errorf("a matrix composed of its parts differs by %.1f epsilon", worst)
	}
	cases := [4]int{}
	for i := range n {
		if mirrors := scale.X[i]*scale.Y[i]*scale.Z[i] < 0; s.X[i] < 0 != mirrors || s.Y[i] < 0 || s.Z[i] < 0 {
			t.Fatalf("row %d: scale is (%v, %v, %v), mirrored: %v", i, s.X[i], s.Y[i], s.Z[i], mirrors)
		}
		largest := 0
		for k, lane := range quatLanes4(r) {
			if math.Abs(float64(lane[i])) > math.Abs(float64(quatLanes4(r)[largest][i])) {
				largest = k
			}
		}
		cases[largest]++
	}
	for k, count := range cases {
		if count < n/20 {
			t.Errorf("rot.%c is the largest in %d of %d rows: the cases are not all tried", "XYZW"[k], count, n)
		}
	}
}

func quatLanes4[T Float](q *Quats[T]) [4][]T { return [4][]T{q.X, q.Y, q.Z, q.W} }

// TestDecomposeOneZero decomposes matrices with one zero column and composes them again. The two other
// columns determine the rotation, no matter which column is zero. It tests both layouts of matrices,
// with numbers of rows from one to several blocks of a mask.
func TestDecomposeOneZero(t *testing.T) {
	eachPathAndType(t, testDecomposeOneZero[float32], testDecomposeOneZero[float64])
}

func testDecomposeOneZero[T Float](t *testing.T) {
	for _, n := range []int{1, 3, 8, 17, 64, 65, 700, 2100} {
		pos, rot, scale := randomParts[T](n)
		flat := 0
		for i := range n {
			if k := i % 5; k < 3 { // the other rows keep three columns
				[][]T{scale.X, scale.Y, scale.Z}[k][i] = 0
				flat++
			}
		}
		m := newMat3x4s[T](n).Compose(pos, rot, scale)
		p, r, s := randomParts[T](n)
		m.Decompose(p, r, s)
		again := newMat3x4s[T](n).Compose(p, r, s)
		for k := range mat3x4Lanes(m) {
			for i := range n {
				if d := math.Abs(float64(mat3x4Lanes(again)[k][i]-mat3x4Lanes(m)[k][i])) / epsilon[T](); !(d <= 24) {
					t.Fatalf("%d rows, row %d, scale (%v, %v, %v): element %d of the matrix composed of the parts differs by %.1f epsilon",
						n, i, scale.X[i], scale.Y[i], scale.Z[i], k, d)
				}
			}
		}
		blocks := (&Mat4s[T]{make([][16]T, n)}).Compose(pos, rot, scale)
		pp, rr, ss := randomParts[T](n)
		blocks.Decompose(pp, rr, ss)
		got, want := parts(pp, rr, ss), parts(p, r, s)
		for k := range got {
			if err := sameBits(got[k], want[k]); err != nil {
				t.Fatalf("%d rows: Mat4s.Decompose: %s: %v", n, partNames[k], err)
			}
		}
	}
}

// TestDecomposeSpecial checks the special matrices that the comment of Decompose names.
func TestDecomposeSpecial(t *testing.T) {
	eachPathAndType(t, testDecomposeSpecial[float32], testDecomposeSpecial[float64])
}

func testDecomposeSpecial[T Float](t *testing.T) {
	for _, c := range []struct {
		name string
		m    [16]T
		want [10]T
	}{
		{"identity", [16]T{0: 1, 5: 1, 10: 1, 15: 1}, [10]T{6: 1, 7: 1, 8: 1, 9: 1}},
		{"zeros", [16]T{12: 1, 13: 2, 14: 3}, [10]T{1, 2, 3, 0, 0, 0, 1, 0, 0, 0}},
		{"mirrored in z", [16]T{0: 1, 5: 1, 10: -1}, [10]T{0, 0, 0, 0, 1, 0, 0, -1, 1, 1}},
		{"half a turn about x", [16]T{0: 2, 5: -3, 10: -4}, [10]T{0, 0, 0, 1, 0, 0, 0, 2, 3, 4}},
		{"half a turn about y", [16]T{0: -2, 5: 3, 10: -4}, [10]T{0, 0, 0, 0, 1, 0, 0, 2, 3, 4}},
		{"half a turn about z", [16]T{0: -2, 5: -3, 10: 4}, [10]T{0, 0, 0, 0, 0, 1, 0, 2, 3, 4}},
	} {
		m := &Mat4s[T]{[][16]T{c.m}}
		pos, rot, scale := randomParts[T](1)
		m.Decompose(pos, rot, scale)
		for k, lane := range parts(pos, rot, scale) {
			if lane[0] != c.want[k] {
				t.Errorf("%s: %s is %v, want %v", c.name, partNames[k], lane[0], c.want[k])
			}
		}
	}
}

func TestMulFull(t *testing.T) { eachPathAndType(t, testMulFull[float32], testMulFull[float64]) }

func testMulFull[T Float](t *testing.T) {
	const n = 50
	a, b := &Mat4s[T]{make([][16]T, n)}, &Mat4s[T]{make([][16]T, n)}
	for i := range n {
		copy(a.M[i][:], randomLane[T](16))
		copy(b.M[i][:], randomLane[T](16))
	}
	m := (&Mat4s[T]{make([][16]T, n)}).MulFull(a, b)
	for i := range n {
		for k, got := range m.M[i] {
			row, column := k%4, k-k%4
			want, size := 0.0, 0.0
			for j := range 4 {
				term := float64(a.M[i][4*j+row]) * float64(b.M[i][column+j])
				want, size = want+term, size+math.Abs(term)
			}
			if math.Abs(float64(got)-want) > 4*size*epsilon[T]() {
				t.Fatalf("row %d: element %d is %v, want %v", i, k, got, want)
			}
		}
	}

	affine, local := randomMats[T](n), randomMats[T](n)
	full := (&Mat4s[T]{make([][16]T, n)}).MulFull(affine, local)
	affine.MulAffine(affine, local)
	for i := range n {
		if full.M[i] != affine.M[i] { // zeros may differ in sign
			t.Fatalf("row %d: MulFull is %v, Mul %v", i, full.M[i], affine.M[i])
		}
	}
}

// TestMatrixOverlap makes the same checks for matrices as TestOverlap makes for other kernels.
func TestMatrixOverlap(t *testing.T) {
	if !checked {
		t.Skip("overlaps are looked for in race and guard builds")
	}
	const n = 8
	m, other, blocks := randomMat3x4s[float32](n), randomMat3x4s[float32](n), randomMats[float32](n+1)
	pos, rot, scale := randomParts[float32](n)
	crossed := *m
	crossed.XX, crossed.XY = m.XY, m.XX
	rows := func(lo int) *Mat4s[float32] { s := blocks.Slice(lo, lo+n); return &s }
	for _, c := range []struct {
		name, want string
		run        func()
	}{
		{"in place", "", func() { m.MulAffine(m, m).Inverse(m) }},
		{"lanes swapped", "kernels: Mat3x4s.MulAffine: m.XX and parent.XY overlap", func() { m.MulAffine(&crossed, other) }},
		{"one lane twice", "kernels: Mat3x4s.Inverse: m.XX and m.XY overlap", func() {
			twice := *m
			twice.XY = m.XX
			twice.Inverse(other)
		}},
		{"a matrix of its own parts", "kernels: Mat3x4s.Compose: m.TX and pos.X overlap", func() {
			m.Compose(&Vec3s[float32]{m.TX, m.TY, m.TZ}, rot, nil)
		}},
		{"parts in the matrix", "kernels: Mat3x4s.Decompose: scale.X and m.XX overlap", func() {
			m.Decompose(pos, rot, &Vec3s[float32]{m.XX, scale.Y, scale.Z})
		}},
		{"blocks one row on", "kernels: Mat4s.Inverse: m.M and x.M overlap", func() { rows(1).Inverse(rows(0)) }},
		{"whole blocks one row on", "kernels: Mat4s.MulFull: m.M and local.M overlap", func() { rows(1).MulFull(rows(1), rows(0)) }},
		{"parents", "", func() { rows(1).MulFullByParent(blocks, make([]int32, n), rows(1)) }},
	} {
		if got := panicOf(c.run); (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: panic %q, want %q", c.name, got, c.want)
		}
	}
}

func TestDecomposeFlat(t *testing.T) {
	eachPathAndType(t, testDecomposeFlat[float32], testDecomposeFlat[float64])
}

// testDecomposeFlat decomposes matrices with columns that are zero, of either sign, or so short that
// their square is zero. It compares the results with the documented formula bit by bit. There are
// enough rows for the widest loop and its tail.
func testDecomposeFlat[T Float](t *testing.T) {
	tiny := T(1e-30)
	if _, double := any(tiny).(float64); double {
		tiny = T(math.Ldexp(1, -600))
	}
	columns := [][3]T{
		{0, 0, 0}, {0, 0, 0}, {-tiny, 0, 0}, {0, -tiny, tiny}, {-tiny, -tiny, -tiny},
		{1, 0, 0}, {0, 2, 0}, {0, 0, -1}, {0, -3, 0}, {-tiny, 0, -2}, {tiny, -1, tiny},
	}
	for i := range columns[1] {
		columns[1][i] = T(math.Copysign(0, -1))
	}
	n := len(columns) * len(columns) * len(columns)
	m := newMat3x4s[T](n)
	for row := range n {
		for k, at := 0, row; k < 3; k, at = k+1, at/len(columns) {
			for j, v := range columns[at%len(columns)] {
				mat3x4Lanes(m)[3*k+j][row] = v
			}
		}
	}
	pos, rot, scale := newVecs[T](n), newQuats[T](n), newVecs[T](n)
	m.Decompose(pos, rot, scale)
	negative := 0
	for row := range n {
		var c [3][3]T
		for k := range c {
			for j := range c[k] {
				c[k][j] = mat3x4Lanes(m)[3*k+j][row]
			}
		}
		q, s := decomposeAsDocumented(c)
		got := []T{rot.X[row], rot.Y[row], rot.Z[row], rot.W[row], scale.X[row], scale.Y[row], scale.Z[row]}
		if err := sameBits(got, append(q[:], s[:]...)); err != nil {
			t.Fatalf("columns %v: %v", c, err)
		}
		for _, v := range q {
			if v == 0 && math.Signbit(float64(v)) {
				negative++
			}
		}
	}
	if negative == 0 {
		t.Error("no rotation has a -0: the signs are not tried")
	}
}

// decomposeAsDocumented computes the formula in the comment of Mat3x4s.Decompose.
func decomposeAsDocumented[T Float](m [3][3]T) (q [4]T, s [3]T) {
	var u [3][3]T
	for k, v := range m {
		square := (T(v[0]*v[0]) + T(v[1]*v[1])) + T(v[2]*v[2])
		s[k] = T(math.Sqrt(float64(square)))
		r := T(0)
		if square != 0 {
			r = 1 / s[k]
		}
		for j := range v {
			u[k][j] = T(v[j] * r)
		}
	}
	zeros, last := 0, 0
	for k := range s {
		if s[k] == 0 {
			zeros, last = zeros+1, k
		}
	}
	if zeros == 1 {
		p, q := u[(last+1)%3], u[(last+2)%3]
		n := [3]T{T(p[1]*q[2]) - T(p[2]*q[1]), T(p[2]*q[0]) - T(p[0]*q[2]), T(p[0]*q[1]) - T(p[1]*q[0])}
		square := (T(n[0]*n[0]) + T(n[1]*n[1])) + T(n[2]*n[2])
		r := T(0)
		if square != 0 {
			r = 1 / T(math.Sqrt(float64(square)))
		}
		u[last] = [3]T{T(n[0] * r), T(n[1] * r), T(n[2] * r)}
	}
	a, b, c := u[0], u[1], u[2]
	n := [3]T{T(b[1]*c[2]) - T(b[2]*c[1]), T(b[2]*c[0]) - T(b[0]*c[2]), T(b[0]*c[1]) - T(b[1]*c[0])}
	if zeros != 1 && (T(a[0]*n[0])+T(a[1]*n[1]))+T(a[2]*n[2]) < 0 {
		s[0], a = -s[0], [3]T{-a[0], -a[1], -a[2]}
	}
	switch {
	case c[2] < 0 && a[0] > b[1]:
		q = [4]T{(1 + a[0]) - (b[1] + c[2]), a[1] + b[0], a[2] + c[0], b[2] - c[1]}
	case c[2] < 0:
		q = [4]T{a[1] + b[0], (1 - a[0]) + (b[1] - c[2]), b[2] + c[1], c[0] - a[2]}
	case a[0] < -b[1]:
		q = [4]T{a[2] + c[0], b[2] + c[1], (1 - a[0]) - (b[1] - c[2]), a[1] - b[0]}
	default:
		q = [4]T{b[2] - c[1], c[0] - a[2], a[1] - b[0], (1 + a[0]) + (b[1] + c[2])}
	}
	r := 1 / T(math.Sqrt(float64(((T(q[0]*q[0])+T(q[1]*q[1]))+T(q[2]*q[2]))+T(q[3]*q[3]))))
	for k := range q {
		q[k] = T(q[k] * r)
	}
	return q, s
}
