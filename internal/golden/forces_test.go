package golden

import (
	"testing"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/forces"
)

// forcesRow computes forces between bodies, by gravity and by springs, in parts on the workers.
func forcesRow(t *testing.T, pool *jobs.Pool) uint64 {
	s := newSum()
	for _, n := range []int{1, 2, 17, 300} {
		throughForces[float32](t, pool, s, n)
		throughForces[float64](t, pool, s, n)
	}
	leastDistances[float32](s)
	leastDistances[float64](s)
	return s.Sum64()
}

// leastDistances adds the least distances of potentials with many parameters. These distances are the
// results of a search.
func leastDistances[T kernels.Float](s sum) {
	d := draw(24)
	number := func() T { return 0.5 + T(d.next()>>8)*0x1p-23 } // from 0.5 to 2.5
	for range 200 {
		quantum := T(0x1p-4)
		for range d.next() >> 8 % 6 {
			quantum /= 2
		}
		morse := forces.Morse[T]{Depth: number(), Alpha: 2 * number(), Rest: number(), Quantum: quantum}
		morse.Cutoff = 2 * morse.Rest
		lj := forces.LennardJones[T]{Epsilon: number(), Sigma: number(), Quantum: quantum}
		lj.Cutoff = 3 * lj.Sigma
		addFloats(s, []T{morse.Least(), lj.Least()})
	}
	mixture := forces.NewMixture(3, func(a, b int) forces.LennardJones[T] {
		return forces.LennardJones[T]{Epsilon: number(), Sigma: T(1+a+b) / 4, Cutoff: 3, Quantum: 0x1p-4}
	})
	for a := range 3 {
		for b := range 3 {
			addFloats(s, []T{mixture.Least(a, b)})
		}
	}
}

func throughForces[T kernels.Float](t *testing.T, pool *jobs.Pool, s sum, n int) {
	d := draw(n)
	lane := func() []T {
		x := make([]T, n)
		for i := range x {
			x[i] = T(d.next()>>8)*0x1p-22 - 2
		}
		return x
	}
	view := func() *kernels.Vec3s[T] { return &kernels.Vec3s[T]{X: lane(), Y: lane(), Z: lane()} }
	pos, vel, force, rest, stiff := view(), view(), view(), lane(), lane()
	a, b := make([]int32, n), make([]int32, n)
	for i := range a {
		a[i], b[i] = int32(d.next()>>8)%int32(n), int32(d.next()>>8)%int32(n)
	}
	net := forces.Tie(n, a, b, rest, stiff)
	ok(t, pool.Range(n, 64, func(lo, hi int) {
		f, p, v := force.Slice(lo, hi), pos.Slice(lo, hi), vel.Slice(lo, hi)
		forces.Gravity(&f, &p, pos, stiff, 0.01)
		forces.Springs(&f, &p, &v, pos, vel, net.Rows(lo, hi), 0.5)
	}))
	addFloats(s, force.X, force.Y, force.Z)
}
