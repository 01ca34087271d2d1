package golden

import (
	"testing"

	"github.com/lanewise/lanewise/integrate"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/random"
)

// integrateRow moves points in a potential by every method, as independent rows and as one system.
func integrateRow(t *testing.T, pool *jobs.Pool) uint64 {
	s := newSum()
	for _, coupled := range []bool{false, true} {
		throughIntegrate[float32](t, pool, s, coupled)
		throughIntegrate[float64](t, pool, s, coupled)
	}
	return s.Sum64()
}

func throughIntegrate[T kernels.Float](t *testing.T, pool *jobs.Pool, s sum, coupled bool) {
	const n, h = 3000, 0.125
	d := draw(n)
	x, v := lane[T](&d, n), lane[T](&d, n)
	pull := func(dst, x []T) {
		for i := range dst {
			dst[i] = -x[i] / (1 + T(x[i]*x[i]))
		}
	}
	motion := integrate.ODE[T]{Coupled: coupled, Pool: pool, Rate: func(dst, x [][]T, _ integrate.Block[T]) error {
		pull(dst[0], x[0])
		return nil
	}}
	ode := integrate.ODE[T]{Coupled: coupled, Pool: pool, Rate: func(dst, x [][]T, _ integrate.Block[T]) error {
		copy(dst[0], x[1])
		pull(dst[1], x[0])
		return nil
	}}
	all, pos, vel := [][]T{x, v}, [][]T{x}, [][]T{v}
	ok(t, ode.RK4(all, 1, h, 5))
	addFloats(s, x, v)
	control := integrate.Control{Rtol: 1e-5, Atol: 1e-5}
	ok(t, ode.DormandPrince(all, 1, 3, &control))
	s.add(uint64(control.Accepted), uint64(control.Rejected))
	addFloats(s, x, v)
	addFloats(s, control.Next)
	ok(t, motion.Verlet(pos, vel, nil, 0, h, 5))
	ok(t, motion.Yoshida4(pos, vel, nil, 0, h, 5))
	addFloats(s, x, v)
	ok(t, motion.Langevin(pos, vel, nil, 0, h, 5, &integrate.Bath[T]{Friction: 1, Temperature: 0.5, Key: random.Key{Seed: 4}}))
	addFloats(s, x, v)
}
