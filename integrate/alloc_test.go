//go:build !race && !lanewise_guard

package integrate_test

import (
	"math"
	"testing"
	"time"

	"github.com/lanewise/lanewise/integrate"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/random"
)

// TestAllocs checks that calls do not allocate after the first ones.
func TestAllocs(t *testing.T) {
	pool := jobs.New(jobs.Workers(2))
	defer func() { must(t, pool.Close()) }()
	for _, coupled := range []bool{false, true} {
		for _, p := range []*jobs.Pool{nil, pool} {
			x, v, acc := lanesOf[float32](2, 5000), lanesOf[float32](2, 5000), lanesOf[float32](2, 5000)
			for i := range x[0] {
				x[0][i], v[1][i] = 1, 1
			}
			all := append(append([][]float32{}, x...), v...)
			motion := integrate.ODE[float32]{Rate: keplerFirst[float32], Coupled: coupled, Pool: p}
			o := integrate.ODE[float32]{Rate: kepler[float32], Coupled: coupled, Pool: p}
			control := integrate.Control{Rtol: 1e-4, Atol: 1e-4}
			bath := integrate.Bath[float32]{Friction: 0.1, Key: random.Key{Seed: 1}}
			for name, run := range map[string]func() error{
				"Eval":          func() error { return o.Eval(acc, x, 0) },
				"RK4":           func() error { return motion.RK4(all, 0, 0.01, 2) },
				"Verlet":        func() error { return o.Verlet(x, v, acc, 0, 0.01, 2) },
				"Yoshida4":      func() error { return o.Yoshida4(x, v, nil, 0, 0.01, 2) },
				"Langevin":      func() error { return o.Langevin(x, v, acc, 0, 0.01, 2, &bath) },
				"DormandPrince": func() error { return motion.DormandPrince(all, 0, 0.1, &control) },
			} {
				least := math.Inf(1)
				for start, tries := time.Now(), 0; least > 0 && (tries < 20 || time.Since(start) < 2*time.Second); tries++ { // the garbage collector takes memory that is not in use, and late workers allocate
					least = min(least, testing.AllocsPerRun(1, func() {
						if err := run(); err != nil {
							t.Error(err)
						}
					}))
				}
				if least != 0 {
					t.Errorf("%s, coupled %v, pool %v: %v allocations", name, coupled, p, least)
				}
			}
		}
	}
}
