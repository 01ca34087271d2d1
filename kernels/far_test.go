package kernels

import (
	"testing"

	"github.com/lanewise/lanewise/soa"
)

// TestArgFar places the smallest and the largest row in the second or third piece, where ArgMin and
// ArgMax must add the start of the piece to the index.
func TestArgFar(t *testing.T) {
	t.Run("type=f32", testArgFar[float32])
	t.Run("type=f64", testArgFar[float64])
}

func testArgFar[T Float](t *testing.T) {
	for _, at := range []int{5, piece - 1, piece, piece + 7, 2*piece + 2} {
		x := make([]T, 2*piece+3)
		x[at] = -3
		if got := ArgMin(x); got != at {
			t.Errorf("the least of %d is number %d, want %d", len(x), got, at)
		}
		x[at] = 3
		if got := ArgMax(x); got != at {
			t.Errorf("the greatest of %d is number %d, want %d", len(x), got, at)
		}
	}
}

// TestComposeFar composes more rows than the constant lanes have that replace a nil rotation or
// scale. Rows past the end of these lanes must still get the same values.
func TestComposeFar(t *testing.T) {
	const n = 3*constantRows + 5
	got, want := soa.Make[Mat3x4s[float64]](n), soa.Make[Mat3x4s[float64]](n)
	pos, scale, even := soa.Make[Vec3s[float64]](n), soa.Make[Vec3s[float64]](n), soa.Make[Vec3s[float64]](n)
	rot, none := soa.Make[Quats[float64]](n), soa.Make[Quats[float64]](n)
	for i := range n {
		v := float64(i)
		pos.X[i], pos.Y[i], pos.Z[i] = v, -v, v/2
		scale.X[i], scale.Y[i], scale.Z[i] = 1+v, 2+v, 3+v
		even.X[i], even.Y[i], even.Z[i] = 1, 1, 1
		rot.X[i], rot.Y[i], rot.Z[i], rot.W[i] = v/n, 0, 1, v
		none.W[i] = 1
	}
	rot.Normalize(&rot)
	for name, compose := range map[string]func(){
		"no rotation": func() { got.Compose(&pos, nil, &scale); want.Compose(&pos, &none, &scale) },
		"no scale":    func() { got.Compose(&pos, &rot, nil); want.Compose(&pos, &rot, &even) },
		"neither":     func() { got.Compose(&pos, nil, nil); want.Compose(&pos, &none, &even) },
	} {
		compose()
		g, w := mat3x4Lanes(&got), mat3x4Lanes(&want)
		for k := range w {
			for i := range w[k] {
				if g[k][i] != w[k][i] {
					t.Fatalf("%s: lane %d, row %d is %v, want %v", name, k, i, g[k][i], w[k][i])
				}
			}
		}
	}
}
