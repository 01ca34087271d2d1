package kernels

import "testing"

// TestMulAffineByParentHierarchy computes a whole hierarchy in place. Parents precede their children.
// So the parent of a row may be the row just before it, which the loop has only just stored.
func TestMulAffineByParentHierarchy(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		t.Run("type=f32", testWholeHierarchy[float32])
		t.Run("type=f64", testWholeHierarchy[float64])
	})
}

func testWholeHierarchy[T Float](t *testing.T) {
	const n = 100
	local := randomMats[T](n)
	world, index := Mat4s[T]{make([][16]T, n)}, make([]int32, n)
	world.M[0] = local.M[0]
	want := []Mat4s[T]{{local.M[:1]}}
	for i := 1; i < n; i++ {
		index[i] = int32((i - 1) / 2)
		one := local.Slice(i, i+1)
		want = append(want, *(&Mat4s[T]{make([][16]T, 1)}).MulAffine(&want[index[i]], &one))
	}
	children, locals := world.Slice(1, n), local.Slice(1, n)
	children.MulAffineByParent(&world, index[1:], &locals)
	for i := range n {
		if err := sameBits(world.M[i][:], want[i].M[0][:]); err != nil {
			t.Fatalf("row %d: %v", i, err)
		}
	}
}

func TestMulAffineByParentIndex(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		t.Run("type=f32", testIndex[float32])
		t.Run("type=f64", testIndex[float64])
	})
}

func testIndex[T Float](t *testing.T) {
	const n = piece + 20
	parent, local := randomMats[T](8), &Mat4s[T]{make([][16]T, n)}
	for _, c := range []struct {
		at   int
		bad  int32
		want string
	}{
		{0, 8, "kernels: Mat4s.MulAffineByParent: index[0] is 8, len(parent.M) is 8"},
		{5, -1, "kernels: Mat4s.MulAffineByParent: index[5] is -1, len(parent.M) is 8"},
		{piece + 19, 1<<31 - 1, "kernels: Mat4s.MulAffineByParent: index[65555] is 2147483647, len(parent.M) is 8"},
	} {
		m, index := &Mat4s[T]{make([][16]T, n)}, make([]int32, n)
		for i := range m.M {
			m.M[i][0] = 7
		}
		index[c.at] = c.bad
		if got := panicOf(func() { m.MulAffineByParent(parent, index, local) }); got != c.want {
			t.Errorf("panic %q, want %q", got, c.want)
		}
		for i := range m.M {
			if done := m.M[i][0] != 7; done != (i < c.at) {
				t.Fatalf("index[%d] is bad; row %d is done: %v", c.at, i, done)
			}
		}
	}
	if got := panicOf(func() { new(Mat4s[T]).MulAffineByParent(new(Mat4s[T]), nil, new(Mat4s[T])) }); got != "" {
		t.Errorf("no rows: panic %q", got)
	}
}
