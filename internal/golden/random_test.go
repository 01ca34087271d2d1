package golden

import (
	"testing"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/random"
)

// randomRow draws numbers with every function. The workers share this work. The tests of
// package random have a hash of each function.
func randomRow(t *testing.T, pool *jobs.Pool) uint64 {
	s := newSum()
	drawAll[float32](t, s, pool)
	drawAll[float64](t, s, pool)
	return s.Sum64()
}

func drawAll[T kernels.Float](t *testing.T, s sum, pool *jobs.Pool) {
	const n = 1000
	key := random.Key{Seed: 1<<40 + 3, Tick: 9, Stream: 2}
	ids, mask, perm := make([]uint64, n), make([]uint64, kernels.MaskLen(n)), make([]int32, n)
	d := draw(n)
	for i := range ids {
		ids[i] = uint64(d.next())<<32 | uint64(d.next())
	}
	var x [10][]T
	for k := range x {
		x[k] = make([]T, n)
	}
	ok(t, pool.Range(n, 64, func(lo, hi int) {
		for k, r := range []random.Rows{key.Rows(uint64(lo)), key.IDs(ids[lo:hi])} {
			random.Range(x[k][lo:hi], r, -1, 3)
			random.Normal(x[2+k][lo:hi], r, 1, 2)
			random.Exponential(x[4+k][lo:hi], r, 2)
		}
		v := kernels.Vec3s[T]{X: x[6][lo:hi], Y: x[7][lo:hi], Z: x[8][lo:hi]}
		random.Directions3(&v, key.Rows(uint64(lo)))
		random.Noise3(x[9][lo:hi], x[0][lo:hi], x[2][lo:hi], x[4][lo:hi], 5)
	}))
	addFloats(s, x[:]...)
	random.Bernoulli(mask, n, key.IDs(ids), 0.3)
	s.add(mask...)
	random.Permutation(perm, key)
	for _, p := range perm {
		s.add(uint64(p))
	}
	random.Below(ids, key.Rows(4), 1<<63+1)
	s.add(ids...)
}
