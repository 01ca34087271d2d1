//go:build !race && !lanewise_guard

package random

import (
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

// TestAllocs calls every function that draws numbers and checks that none of them allocates.
func TestAllocs(t *testing.T) {
	const n = 2*batchRows + 3
	f32, f64, f32b, f64b, ints, longs, mask, perm := make([]float32, n), make([]float64, n), make([]float32, n), make([]float64, n), make([]int32, n), make([]uint64, n), make([]uint64, kernels.MaskLen(n)), make([]int32, n)
	v2, v3 := kernels.Vec2s[float32]{X: f32, Y: f32b}, kernels.Vec3s[float64]{X: f64, Y: f64b, Z: make([]float64, n)}
	ids := spread(n)
	var s Source
	for _, r := range []Rows{key.Rows(3), key.IDs(ids)} {
		if got := testing.AllocsPerRun(20, func() {
			Uniform(f32, r)
			Uniform(f64, r)
			Uniform4(f32, f32, f32, f32, r)
			Uniform4(f64, f64, f64, f64, r)
			Range(f32, r, 1, 2)
			Normal(f32, r, 0, 1)
			Normal(f64, r, 0, 1)
			Exponential(f32, r, 1)
			Exponential(f64, r, 1)
			Below(ints, r, 1<<30+1)
			Below(longs, r, 1<<63+1)
			Bernoulli(mask, n, r, 0.5)
			Directions2(&v2, r)
			Directions3(&v3, r)
			Permutation(perm, key)
			Noise2(f32, f32, f32, 1)
			Noise3(f64, f64, f64, f64, 1)
			s.Reset(r.rowAt(1))
			f64[0] = NormalOf[float64](r.rowAt(1), 0, 1) + float64(s.Uint64()&1)
		}); got != 0 {
			t.Errorf("by id %v: %v allocations", r.byID, got)
		}
	}
}
