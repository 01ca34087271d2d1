//go:build !race && !lanewise_guard

package forces

import (
	"math/rand/v2"
	"testing"
)

// TestLennardJonesAllocs checks that a step of molecular dynamics does not allocate.
func TestLennardJonesAllocs(t *testing.T) {
	p := droplet(rand.New(rand.NewPCG(1, 1)), 3, 0x1p-44)
	force, energy, virial := lanesOf(p.At.Len())
	for _, lj := range []LennardJones[float64]{{Epsilon: 1, Sigma: 1, Cutoff: 2.5}, {Epsilon: 1, Sigma: 1, Cutoff: 2.5, Quantum: 0x1p-36}} {
		n := testing.AllocsPerRun(5, func() {
			if lj.AddTo(&force, energy, virial, p) != nil || lj.AddTo(&force, nil, nil, p) != nil {
				t.Error("an error")
			}
			Drift(&p.At, &force, 0, 0x1p-44)
		})
		if n != 0 {
			t.Errorf("%v allocations", n)
		}
	}
}
