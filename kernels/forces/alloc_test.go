//go:build !race && !lanewise_guard

package forces

import (
	"math/rand/v2"
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

// TestLennardJonesAllocs checks that a step of molecular dynamics does not allocate.
func TestLennardJonesAllocs(t *testing.T) {
	p := droplet(rand.New(rand.NewPCG(1, 1)), 3, 0x1p-44)
	force, energy, virial := lanesOf(p.At.Len())
	lj := LennardJones[float64]{Epsilon: 1, Sigma: 1, Cutoff: 2.5}
	quanta, switched := lj, lj
	quanta.Quantum, switched.SwitchFrom = 0x1p-36, 2
	p.Kinds = make([]int32, p.At.Len())
	morse := Morse[float64]{Depth: 1, Alpha: 6, Rest: 1, Cutoff: 2.5}
	coulomb := Coulomb[float64]{Constant: 1, Cutoff: 2.5, Damping: 1, Shifted: true}
	p.Charges = make([]float64, p.At.Len())
	s := randomSkeleton(rand.New(rand.NewPCG(1, 2)), p.At.Len(), 0)
	bonds, angles, order := s.bonds, s.angles, make([]int32, p.At.Len())
	for i := range order {
		order[i] = int32(len(order) - 1 - i)
	}
	excluded := Exclude(s.bonds.Net, 2)
	mixture := NewMixture(1, func(int, int) LennardJones[float64] { return lj })
	for _, addTo := range []func(force *kernels.Vec3s[float64], energy, virial []float64, p Pairs[float64]) error{lj.AddTo, quanta.AddTo, switched.AddTo, mixture.AddTo, morse.AddTo, coulomb.AddTo} {
		n := testing.AllocsPerRun(5, func() {
			if addTo(&force, energy, virial, p) != nil || addTo(&force, nil, nil, p) != nil {
				t.Error("an error")
			}
			if bonds.AddTo(&force, energy, virial, &p.At) != nil || angles.AddTo(&force, energy, &p.At) != nil {
				t.Error("an error")
			}
			excluded.Reorder(order)
			if addTo(&force, energy, virial, excluded.From(p, nil)) != nil {
				t.Error("an error")
			}
			bonds.Reorder(order)
			angles.Reorder(order)
			Drift(&p.At, &force, 0, 0x1p-44)
		})
		if n != 0 {
			t.Errorf("%v allocations", n)
		}
	}
}
