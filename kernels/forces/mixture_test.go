package forces

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/kerneltest"
)

// blend returns a mixture of three species, in which pairs can be cut, shifted or switched. scale
// is the unit of length.
func blend[T kernels.Float](scale, quantum T, switched bool) Mixture[T] {
	return NewMixture(3, func(a, b int) LennardJones[T] {
		p := LennardJones[T]{Epsilon: T(1+a) / T(1+b), Sigma: scale * T(8+a+b) / 10, Cutoff: scale * T(20+a+2*b) / 10, Quantum: quantum}
		switch {
		case a == b && switched:
			p.SwitchFrom = p.Cutoff * 3 / 4
		case a == 0:
			p.Shifted = true
		}
		return p
	})
}

// kinds returns species of bodies, at random.
func kinds(r *rand.Rand, n int, species int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(r.IntN(species))
	}
	return out
}

func TestMixture(t *testing.T) {
	t.Run("float32", testMixture[float32])
	t.Run("float64", testMixture[float64])
}

// testMixture compares the compiled loops with their sources.
func testMixture[T kernels.Float](t *testing.T) {
	for k, quantum := range []T{0, 0x1p-7, 0, 0x1p-7} {
		m := blend[T](0.15, quantum, k >= 2)
		for _, width := range []int{16, 4, 1} {
			for _, energies := range []bool{false, true} {
				kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
					p, n := randomPairs[T](in, width, 20)
					force, energy, virial := kerneltest.View[kernels.Vec3s[T]](in), kerneltest.Lane[T](in), kerneltest.Lane[T](in)
					s, c := &mixScratch[T]{list: p.List}, [2]T{m.round, T(math.NaN())}
					s.fill(&m, kinds(in.Draw(), n, 3), in.Draw().IntN(3), energies, p.noSelf)
					l := &s.lanes
					if energies {
						return func() {
							mixtureEnergies(force, energy, virial, &p.At, &p.All, s.self, l[ljLeast], l[ljCutoff], l[ljForce12], l[ljForce6], l[ljEnergy12], l[ljEnergy6], l[ljShift],
								l[ljSwitch], l[ljSwitchForce], p.Start, p.List, width, m.switched, &c)
						}, func() { mixEnergies(s, force, energy, virial, &p.At, &p.All, p.Start, width, m.switched, &c) }
					}
					return func() {
						mixtureForces(force, &p.At, &p.All, s.self, l[ljLeast], l[ljCutoff], l[ljForce12], l[ljForce6], l[ljEnergy12], l[ljEnergy6],
							l[ljSwitch], l[ljSwitchForce], p.Start, p.List, width, quantum > 0, m.switched, &c)
					}, func() { mixForces(s, force, &p.At, &p.All, p.Start, width, m.switched, &c) }
				})
			}
		}
	}
}

// TestMixtureAlike checks that a mixture of one species gives the same bits as its potential, and that
// sums of quanta of several equal species give these bits, too.
func TestMixtureAlike(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 3))
		p := droplet(r, 4, 0x1p-44)
		n := p.At.Len()
		lj := LennardJones[float64]{Epsilon: 0.5 + r.Float64(), Sigma: 0.9 + 0.1*r.Float64(), Cutoff: 2 + r.Float64(), Quantum: []float64{0, 0x1p-36}[seed%2]}
		switch seed % 3 {
		case 1:
			lj.Shifted = true
		case 2:
			lj.SwitchFrom = 1.2 + r.Float64()/2
		}
		species := 1
		if lj.Quantum > 0 {
			species += r.IntN(4)
		}
		other := lj
		other.SwitchFrom, other.Shifted = 1.3, false
		m := NewMixture(species+1, func(a, b int) LennardJones[float64] {
			if b == species && seed%4 == 0 { // a species that does not occur, with a switch
				return other
			}
			return lj
		})
		p.Kinds = kinds(r, n, species)
		want, energy, virial := lanesOf(n)
		got, energy2, virial2 := lanesOf(n)
		alone, _, _ := lanesOf(n)
		for _, err := range []error{lj.AddTo(&want, energy, virial, p), m.AddTo(&got, energy2, virial2, p), m.AddTo(&alone, nil, nil, p)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(got.X, want.X) || !slices.Equal(got.Z, want.Z) || !slices.Equal(energy, energy2) || !slices.Equal(virial, virial2) || !slices.Equal(alone.Y, want.Y) {
			t.Fatalf("seed %d: the sums of %+v with %d species differ from those of the potential", seed, lj, species)
		}
	}
}

// TestMixtureValues compares the forces of three species with differences of energies. It also compares sums
// of quanta with sums in another order.
func TestMixtureValues(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 5))
		p := droplet(r, 3, 0x1p-44)
		n := p.At.Len()
		p.Kinds = kinds(r, n, 3)
		checkEnergies(t, fmt.Sprint("seed ", seed), blend(1, 0.0, seed%2 == 0), p)
		m := blend(1, 0x1p-34, seed%2 == 0)
		force, energy, virial := lanesOf(n)
		again, energy2, virial2 := lanesOf(n)
		if err := m.AddTo(&force, energy, virial, p); err != nil {
			t.Fatal(err)
		}
		for k := range len(p.Start) - 1 {
			part := p.List[p.Start[k]:p.Start[k+1]]
			r.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
		}
		for lo := 0; lo < n; lo += 8 {
			hi := min(n, lo+8)
			f := again.Slice(lo, hi)
			if err := m.AddTo(&f, energy2[lo:hi], virial2[lo:hi], p.Rows(lo, hi)); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(force.X, again.X) || !slices.Equal(force.Z, again.Z) || !slices.Equal(energy, energy2) || !slices.Equal(virial, virial2) {
			t.Errorf("seed %d: the sums depend on the order of the list", seed)
		}
		sum := 0.0
		for _, f := range force.Y {
			sum += f
		}
		if sum != 0 {
			t.Errorf("seed %d: all forces add up to %g", seed, sum)
		}
	}
}

// TestMixtureLeast checks that the sums of a large body among small bodies are exact. The small bodies form
// shells, with as many bodies as fit at the least distances.
func TestMixtureLeast(t *testing.T) {
	for _, size := range []float64{1, 1.5, 3, 8} {
		const quantum = 0x1p-30
		m := NewMixture(2, func(a, b int) LennardJones[float64] {
			sigma := []float64{1, (1 + size) / 2, size}[a+b]
			return LennardJones[float64]{Epsilon: 1, Sigma: sigma, Cutoff: 3 * sigma, Quantum: quantum}
		})
		between, alike, sum := m.Least(0, 1), m.Least(0, 0), 0.0
		for r := between; r < 3*between; r += alike * math.Sqrt(2./3) {
			fit := math.Pi / math.Sqrt(12) * 2 / (1 - math.Cos(math.Asin(alike/(2*r)))) // caps on a sphere
			sum += fit * m.pairs[1].largest(r)
		}
		if most := math.Ldexp(quantum, 53); sum > most {
			t.Errorf("size %v: terms add up to %v, more than %v", size, sum, most)
		}
		if m.Least(0, 1) != m.Least(1, 0) {
			t.Errorf("size %v: the least distances are %v and %v", size, m.Least(0, 1), m.Least(1, 0))
		}
	}
}

// TestMixtureErrors checks the errors and messages of mixtures.
func TestMixtureErrors(t *testing.T) {
	p := droplet(rand.New(rand.NewPCG(1, 1)), 4, 0x1p-44)
	n := p.At.Len()
	p.Kinds = make([]int32, n)
	p.Kinds[40] = 1
	lj := LennardJones[float64]{Epsilon: 1, Sigma: 1, Cutoff: 2.5, Quantum: 0x1p-36}
	m := NewMixture(2, func(a, b int) LennardJones[float64] {
		q := lj
		if a+b == 1 {
			q.Sigma = 1.2
		}
		return q
	})
	p.At.X[41], p.At.Y[41], p.At.Z[41] = p.At.X[40]+0.75, p.At.Y[40], p.At.Z[40]
	force, energy, virial := lanesOf(n - 8)
	err := m.AddTo(&force, energy, virial, p.Rows(8, n))
	want := fmt.Sprintf("and body 41 of All are %v apart, and the least distance is %v", p.At.X[41]-p.At.X[40], m.Least(0, 1))
	if !errors.Is(err, ErrTooNear) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "forces: Mixture.AddTo: row 40 at (") {
		t.Errorf("got %v, want %s", err, want)
	}
	p.At.Z[50] = math.Inf(1)
	if err := m.AddTo(&force, energy, virial, p.Rows(8, n)); !errors.Is(err, ErrNotFinite) || !strings.Contains(err.Error(), "forces: Mixture.AddTo: row 50 is at (") {
		t.Errorf("a row without a position: %v", err)
	}
	force, energy, virial = lanesOf(n)
	of := func(q LennardJones[float64]) func(a, b int) LennardJones[float64] {
		return func(a, b int) LennardJones[float64] {
			if b == 1 {
				return q
			}
			return lj
		}
	}
	shifted := lj
	shifted.Shifted = true
	for want, call := range map[string]func(){
		"forces: NewMixture: there are 0 species: a mixture has from 1 to 256":                                                                                            func() { NewMixture(0, of(lj)) },
		"forces: NewMixture: Quantum is 0.5 for the species 0 and 1, and 1.4551915228366852e-11 for the species 0 and 0: all terms of a sum are multiples of one quantum": func() { NewMixture(2, of(LennardJones[float64]{1, 1, 2, false, 0.5, 0})) },
		"forces: NewMixture: species 0 and 1: Epsilon, Sigma, Cutoff and Quantum are 1, 0, 2 and 1.4551915228366852e-11: lengths above 0, and a power of two or 0":        func() { NewMixture(2, of(LennardJones[float64]{1, 0, 2, false, 0x1p-36, 0})) },
		"forces: Mixture.AddTo: len(pairs.Kinds) is 63, len(pairs.All.X) is 64, and the rows are 0 to 64: each body has a species, and the first bodies are the rows":     func() { q := p; q.Kinds = q.Kinds[1:]; _ = m.AddTo(&force, energy, virial, q) },
		"forces: Mixture.AddTo: pairs.Kinds[60] is -1, and the mixture has 2 species": func() {
			q := p
			q.Kinds = slices.Clone(q.Kinds)
			q.Kinds[60] = -1
			_ = m.AddTo(&force, energy, virial, q)
		},
		"forces: Mixture.AddTo: pairs.Kinds[60] is 2, and the mixture has 2 species": func() {
			q := p
			q.Kinds = slices.Clone(q.Kinds)
			q.Kinds[60] = 2
			f := force.Slice(56, 64)
			_ = m.AddTo(&f, nil, nil, q.Rows(56, 64))
		},
		"forces: Mixture.AddTo: Cutoff is 2.5, and the list has pairs up to pairs.Cutoff, 2: make the list with the cutoff of the potential, and set pairs.Cutoff to that of the list":                            func() { q := p; q.Cutoff = 2; _ = m.AddTo(&force, energy, virial, q) },
		"forces: LennardJones.Mix: Quantum, Shifted and SwitchFrom are 1.4551915228366852e-11, false and 0, and 1.4551915228366852e-11, true and 0: both have one quantum, and both are cut, shifted or switched": func() { lj.Mix(shifted) },
	} {
		if got := panicOf(call); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

// TestMixtureIdeal checks species whose bodies do not repel each other. Any number of such bodies could be near a body of another species, so no
// quantum gives an exact sum. The message of the panic must say so.
func TestMixtureIdeal(t *testing.T) {
	mix := func(species, ideal int, between, quantum float64) func() {
		return func() {
			NewMixture(species, func(a, b int) LennardJones[float64] {
				q := LennardJones[float64]{Epsilon: 1, Sigma: 1, Cutoff: 2.5, Quantum: quantum}
				switch {
				case a == ideal && b == ideal:
					q.Epsilon = 0
				case a == ideal || b == ideal:
					q.Epsilon = between
				}
				return q
			})
		}
	}
	for _, quantum := range []float64{0x1p-36, 0x1p-4, 0x1p20} {
		for ideal := range 3 {
			got, of := panicOf(mix(3, ideal, 0.5, quantum)), fmt.Sprintf("0 between two bodies of species %d,", ideal)
			if !strings.HasPrefix(got, "forces: NewMixture: species ") || !strings.Contains(got, of) || !strings.Contains(got, "Epsilon is 0.5,") || !strings.HasSuffix(got, "take Quantum 0") {
				t.Errorf("quantum %v, species %d is ideal: %s", quantum, ideal, got)
			}
			if got := panicOf(mix(3, ideal, 0, quantum)); got != "<nil>" {
				t.Errorf("quantum %v, species %d is ideal with all: %s", quantum, ideal, got)
			}
		}
	}
	for ideal := range 3 {
		if got := panicOf(mix(3, ideal, 0.5, 0)); got != "<nil>" {
			t.Errorf("species %d is ideal, without a quantum: %s", ideal, got)
		}
	}
}

// TestMix checks the rules of Lorentz and Berthelot.
func TestMix(t *testing.T) {
	a, b := LennardJones[float64]{Epsilon: 4, Sigma: 1, Cutoff: 2.5, SwitchFrom: 2}, LennardJones[float64]{Epsilon: 0.25, Sigma: 2, Cutoff: 5, SwitchFrom: 3}
	if got, want := a.Mix(b), (LennardJones[float64]{Epsilon: 1, Sigma: 1.5, Cutoff: 3.75, SwitchFrom: 2.5}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 6))
		draw := func() LennardJones[float32] {
			return LennardJones[float32]{Epsilon: r.Float32(), Sigma: r.Float32(), Cutoff: 2 + r.Float32(), Shifted: true}
		}
		a, b := draw(), draw()
		if a.Mix(b) != b.Mix(a) || a.Mix(a) != a {
			t.Fatalf("%+v and %+v: %+v, %+v and %+v", a, b, a.Mix(b), b.Mix(a), a.Mix(a))
		}
	}
}
