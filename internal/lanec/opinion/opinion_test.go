package opinion

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

// texts holds the bodies that lanec compiles for one path.
type texts[T kernels.Float] struct {
	path     string
	mul      func(q, a, b *kernels.Quats[T])
	rotate   func(v *kernels.Vec3s[T], q *kernels.Quats[T], x *kernels.Vec3s[T])
	rotateBy func(v *kernels.Vec3s[T], q *[4]T, x *kernels.Vec3s[T])
}

// specials returns numbers that reveal errors in rounding, signs and NaN.
func specials[T kernels.Float]() []T {
	return []T{0, T(math.Copysign(0, -1)), 1, -1, T(math.Inf(1)), T(math.Inf(-1)), T(math.NaN()), 1e-38, -1e30, 1e19, 3}
}

// column returns a lane of n numbers followed by a guard.
func column[T kernels.Float](r *rand.Rand, n int) []T {
	special := specials[T]()
	x := make([]T, n, n+1)
	for i := range x {
		if x[i] = T(r.NormFloat64()); r.IntN(8) == 0 {
			x[i] = special[r.IntN(len(special))]
		}
	}
	x[:n+1][n] = 77
	return x
}

func quats[T kernels.Float](r *rand.Rand, n int) *kernels.Quats[T] {
	return &kernels.Quats[T]{X: column[T](r, n), Y: column[T](r, n), Z: column[T](r, n), W: column[T](r, n)}
}

func vectors[T kernels.Float](r *rand.Rand, n int) *kernels.Vec3s[T] {
	return &kernels.Vec3s[T]{X: column[T](r, n), Y: column[T](r, n), Z: column[T](r, n)}
}

// compareLanes reports the first difference of two lanes, or a damaged guard. All NaNs are equal.
func compareLanes[T kernels.Float](got, want []T) error {
	for i := range want {
		if g, w := got[i], want[i]; (g != w || math.Signbit(float64(g)) != math.Signbit(float64(w))) && (g == g || w == w) {
			return fmt.Errorf("row %d of %d is %v, want %v", i, len(want), g, w)
		}
	}
	if n := len(got); got[:n+1][n] != 77 {
		return fmt.Errorf("something was written behind row %d", n)
	}
	return nil
}

func lanes[T kernels.Float](v *kernels.Vec3s[T]) [][]T { return [][]T{v.X, v.Y, v.Z} }

func both[T kernels.Float](t *testing.T, what string, n int, got, want [][]T) {
	t.Helper()
	for k := range want {
		if err := compareLanes(got[k], want[k]); err != nil {
			t.Fatalf("%s, %d rows, lane %d: %v", what, n, k, err)
		}
	}
}

func compare[T kernels.Float](t *testing.T, all []texts[T]) {
	for _, text := range all {
		if !slices.Contains(kernels.Paths(), text.path) {
			t.Logf("this CPU has no %s", text.path)
			continue
		}
		r := rand.New(rand.NewPCG(1, 2))
		for n := range 70 {
			a, b, got, want := quats[T](r, n), quats[T](r, n), quats[T](r, n), quats[T](r, n)
			text.mul(got, a, b)
			want.Mul(a, b)
			both(t, text.path+" mul", n, [][]T{got.X, got.Y, got.Z, got.W}, [][]T{want.X, want.Y, want.Z, want.W})

			x, v, w := vectors[T](r, n), vectors[T](r, n), vectors[T](r, n)
			text.rotate(v, a, x)
			w.Rotate(a, x)
			both(t, text.path+" rotate", n, lanes(v), lanes(w))

			q := [4]T{T(r.NormFloat64()), 0.5, T(r.NormFloat64()), 0.25}
			text.rotateBy(v, &q, x)
			w.RotateBy(q, x)
			both(t, text.path+" rotateBy", n, lanes(v), lanes(w))
			text.rotateBy(x, &q, x)
			both(t, text.path+" rotateBy in place", n, lanes(x), lanes(w))
		}
	}
}

// TestOpinion compares the bodies that lanec compiles with the handwritten ones.
func TestOpinion(t *testing.T) {
	t.Run("float32", func(t *testing.T) { compare(t, texts32) })
	t.Run("float64", func(t *testing.T) { compare(t, texts64) })
}

// BenchmarkOpinion measures both bodies on the path of the CPU.
func BenchmarkOpinion(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 1024
	p, q, s, x, v := quats[float32](r, n), quats[float32](r, n), quats[float32](r, n), vectors[float32](r, n), vectors[float32](r, n)
	by := [4]float32{0.5, 0.5, 0.5, 0.5}
	for _, text := range texts32 {
		if text.path != kernels.Path() {
			continue
		}
		for name, f := range map[string]func(){
			"kernel=mul/by=hand": func() { s.Mul(p, q) }, "kernel=mul/by=lanec": func() { text.mul(s, p, q) },
			"kernel=rotate/by=hand": func() { v.Rotate(p, x) }, "kernel=rotate/by=lanec": func() { text.rotate(v, p, x) },
			"kernel=rotateBy/by=hand": func() { v.RotateBy(by, x) }, "kernel=rotateBy/by=lanec": func() { text.rotateBy(v, &by, x) },
		} {
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					f()
				}
			})
		}
	}
}
