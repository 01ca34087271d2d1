package kernels

import (
	"strings"
	"testing"
)

// TestOverlap checks the rule of checking builds: operands may share the same rows of the same lane,
// and any other overlap panics.
func TestOverlap(t *testing.T) {
	if !checked {
		t.Skip("overlaps are looked for in race and guard builds")
	}
	p := make([]float32, 100)
	lane := func(at int) []float32 { return p[at : at+8] }
	vec := func(x, y, z int) *Vec3s[float32] { return &Vec3s[float32]{lane(x), lane(y), lane(z)} }
	quat := func(x, y, z, w int) *Quats[float32] { return &Quats[float32]{lane(x), lane(y), lane(z), lane(w)} }
	m := &Mat4s[float32]{make([][16]float32, 10)}
	mats := func(lo int) *Mat4s[float32] { s := m.Slice(lo, lo+8); return &s }
	inside := m.M[0][3:11]

	for _, c := range []struct {
		name string
		run  func()
		want string // part of the panic's message; "" for no panic
	}{
		{"same slice", func() { AddScaled(lane(0), lane(0), lane(0), 1) }, ""},
		{"neighbours", func() { AddScaled(lane(8), lane(0), lane(16), 1) }, ""},
		{"one row on", func() { AddScaled(lane(1), lane(0), lane(40), 1) }, "kernels: AddScaled: dst and x overlap: x starts 4 bytes before dst"},
		{"one row back", func() { AddScaled(lane(0), lane(40), lane(1), 1) }, "kernels: AddScaled: dst and y overlap: y starts 4 bytes after dst, each row has 4: give y memory of its own"},
		{"same view", func() { vec(0, 8, 16).AddScaled(vec(0, 8, 16), vec(24, 32, 40), 1) }, ""},
		{"lanes swapped", func() { vec(0, 8, 16).AddScaled(vec(8, 0, 16), vec(24, 32, 40), 1) }, "v.X and x.Y overlap"},
		{"one lane twice", func() { vec(0, 0, 16).AddScaled(vec(24, 32, 40), vec(24, 32, 40), 1) }, "v.X and v.Y overlap: v.Y starts where v.X does"},
		{"shared operands", func() { vec(0, 8, 16).AddScaled(vec(24, 24, 24), vec(24, 24, 24), 1) }, ""},
		{"product", func() { quat(0, 8, 16, 24).Mul(quat(0, 8, 16, 24), quat(0, 8, 16, 24)) }, ""},
		{"product into w", func() { quat(0, 8, 16, 24).Mul(quat(32, 40, 48, 56), quat(32, 40, 48, 25)) }, "q.W and b.W overlap"},
		{"speed", func() { quat(0, 8, 16, 24).Spin(quat(0, 8, 16, 24), 0, 1, 0, lane(0), 1) }, "q.X and speed overlap"},
		{"rotation", func() { vec(0, 8, 16).Rotate(quat(8, 32, 40, 48), vec(56, 64, 72)) }, "v.Y and q.X overlap"},
		{"sine and cosine", func() { Sincos(lane(0), lane(4), lane(50)) }, "sin and cos overlap"},
		{"matrices", func() { mats(0).MulAffine(mats(0), mats(0)) }, ""},
		{"matrices one row on", func() { mats(1).MulAffine(mats(0), mats(1)) }, "m.M and parent.M overlap"},
		{"parents", func() { mats(1).MulAffineByParent(m, make([]int32, 8), mats(1)) }, ""},
		{"into its positions", func() { mats(0).Compose(&Vec3s[float32]{inside, inside, inside}, nil, nil) }, "m.M and pos.X overlap"},
	} {
		got := panicOf(c.run)
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: panic %q, want %q", c.name, got, c.want)
		}
	}
}
