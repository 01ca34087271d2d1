package order

import (
	"math"
	"testing"

	"github.com/lanewise/lanewise/kernels/kerneltest"
)

// TestWords compares the kernels that convert keys to words and back with their sources on every path.
func TestWords(t *testing.T) {
	t.Run("wordsOfFloats32", func(t *testing.T) { sameLanes(t, floatWords32, wordsOfFloats32) })
	t.Run("wordsOfFloats64", func(t *testing.T) { sameLanes(t, floatWords64, wordsOfFloats64) })
	t.Run("floatsOfWords32", func(t *testing.T) { sameLanes(t, wordFloats32, floatsOfWords32) })
	t.Run("floatsOfWords64", func(t *testing.T) { sameLanes(t, wordFloats64, floatsOfWords64) })
	t.Run("wordsOfInts32", func(t *testing.T) { sameLanes(t, intWords32, wordsOfInts32) })
	t.Run("wordsOfInts64", func(t *testing.T) { sameLanes(t, intWords64, wordsOfInts64) })
	t.Run("intsOfWords32", func(t *testing.T) { sameLanes(t, wordInts32, intsOfWords32) })
	t.Run("intsOfWords64", func(t *testing.T) { sameLanes(t, wordInts64, intsOfWords64) })
}

func sameLanes[D, S kerneltest.Number](t *testing.T, source, kernel func(dst []D, src []S)) {
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		dst, src := kerneltest.Lane[D](in), kerneltest.Lane[S](in)
		return func() { source(dst, src) }, func() { kernel(dst, src) }
	})
}

// TestWordsAndBack converts keys of all kinds to words and back. The bits must be the same as
// before, except for those of a NaN.
func TestWordsAndBack(t *testing.T) {
	back(t, []float32{0, float32(math.Copysign(0, -1)), 1, -1, 1e-45, -1e-45, math.MaxFloat32, float32(math.Inf(-1)), float32(math.NaN())}, math.Float32bits)
	back(t, []float64{0, math.Copysign(0, -1), 1, -1, 5e-324, -5e-324, math.MaxFloat64, math.Inf(-1), math.NaN()}, math.Float64bits)
	back(t, []int32{0, -1, math.MinInt32, math.MaxInt32}, func(x int32) int32 { return x })
	back(t, []int64{0, -1, math.MinInt64, math.MaxInt64}, func(x int64) int64 { return x })
	back(t, []uint32{0, math.MaxUint32}, func(x uint32) uint32 { return x })
	back(t, []uint64{0, math.MaxUint64}, func(x uint64) uint64 { return x })
}

func back[K Key, B comparable](t *testing.T, keys []K, bits func(K) B) {
	t.Helper()
	small, large, got := make([]uint32, len(keys)), make([]uint64, len(keys)), make([]K, len(keys))
	toWords(small, large, keys)
	toKeys(got, small, large)
	for i, k := range keys {
		if bits(got[i]) != bits(k) && !(k != k && got[i] != got[i]) {
			t.Errorf("%T %v comes back as %v", k, k, got[i])
		}
	}
}
