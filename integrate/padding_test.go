package integrate

import (
	"math"
	"testing"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/random"
)

// TestPadding checks that the elements after the rows of a block stay zero in every method, even with the
// longest steps and with numbers that become infinite.
func TestPadding(t *testing.T) {
	const rows = 67
	for _, h := range []float64{0.1, math.MaxFloat32 / 2} {
		bath := &Bath[float32]{Friction: 1, Temperature: 1, Key: random.Key{Seed: 1}}
		for _, c := range []call[float32]{
			{name: "RK4", groups: 6, method: rk4},
			{name: "Verlet", groups: 3, method: verlet},
			{name: "Yoshida4", groups: 3, method: yoshida4},
			{name: "Langevin", groups: 5, method: langevin, bath: bath},
			{name: "DormandPrince", groups: 10, adapt: &adaption{control: &Control{Rtol: 1e-3, Atol: 1e-3, Next: make([]float64, rows)},
				length: h, sign: 1, longest: h, shortest: h * 1e-9, most: 300}},
		} {
			bath.keep, bath.heat = kernels.ExpOf(-h), 1
			for g := range 3 {
				if c.state[g] = [][]float32{make([]float32, rows)}; c.method < verlet {
					break
				}
			}
			kernels.Fill(c.state[0][0], 2)
			c.h, c.steps = h, 3
			c.rate = func(dst, x [][]float32, _ Block[float32]) error {
				kernels.Mul(dst[0], x[0], x[0])
				return nil
			}
			a := &arena[float32]{run: &c}
			a.setBlock(0, rows)
			if c.adapt != nil {
				_ = a.doAdaptive()
			} else {
				_ = a.doSteps()
			}
			for g, lane := range a.group {
				for i, x := range lane[rows:] {
					if x != 0 {
						t.Fatalf("%s, step %v: element %d after the rows of group %d is %v", c.name, h, i, g, x)
					}
				}
			}
		}
	}
}
