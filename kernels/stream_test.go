package kernels

import "testing"

// TestManyMatrices composes so many matrices that Compose writes them past the caches. Streaming stores
// need alignment. Therefore some parts start at odd rows, and some numbers of rows are no multiple of a vector.
func TestManyMatrices(t *testing.T) {
	t.Run("type=f32", manyMatricesAgree[float32])
	t.Run("type=f64", manyMatricesAgree[float64])
}

func manyMatricesAgree[T Float](t *testing.T) {
	n := manyMatrices[T]() + 5
	if testing.Short() {
		n = 3005 // emulated CPUs have no streaming stores
	}
	pos, rot, scale := randomVecs[T](n), randomQuats[T](n), randomVecs[T](n)
	want, got := make([][16]T, n), make([][16]T, n)
	reference, m := &Mat4s[T]{want}, &Mat4s[T]{got}
	mat4ComposeGeneric(reference, pos, rot, scale)
	eachPath(t, func(t *testing.T) {
		for name, compose := range map[string]func(){
			"Compose":                func() { m.Compose(pos, rot, scale) },
			"ComposeStream":          func() { m.ComposeStream(pos, rot, scale) },
			"ComposeStream in parts": func() { composeParts(m, pos, rot, scale, 997, true) },
		} {
			clear(got)
			compose()
			for i := range want {
				if err := sameBits(got[i][:], want[i][:]); err != nil {
					t.Fatalf("%s: row %d: %v", name, i, err)
				}
			}
		}
	})
}
