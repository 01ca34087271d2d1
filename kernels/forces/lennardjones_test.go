package forces

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/kerneltest"
)

func TestLennardJones(t *testing.T) {
	t.Run("float32", testLennardJones[float32])
	t.Run("float64", testLennardJones[float64])
}

// testLennardJones compares the compiled loops with their sources. It uses groups of rows that consist of
// whole vectors and groups that do not. Some lists contain numbers of bodies that do not exist.
func testLennardJones[T kernels.Float](t *testing.T) {
	for _, quantum := range []T{0, 0x1p-10} {
		for _, energies := range []bool{false, true} {
			for k, width := range []int{16, 4, 32, 1, 8, 4} {
				kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
					p, n := randomPairs[T](in, width, 20)
					lj := LennardJones[T]{Epsilon: 1, Sigma: 0.1, Cutoff: 0.5, Shifted: n%2 == 0 && k < 4, Quantum: quantum}
					if k >= 4 {
						lj.SwitchFrom = 0.3
					}
					force, c := kerneltest.View[kernels.Vec3s[T]](in), lj.constants(lj.Least())
					energy, virial := kerneltest.Lane[T](in), kerneltest.Lane[T](in)
					c[ljItself] = p.itself()
					want = func() { lennardJones(force, &p.At, &p.All, p.Start, p.List, width, (*[12]T)(&c)) }
					if quantum > 0 {
						want = func() { lennardJonesRounded(force, &p.At, &p.All, p.Start, p.List, width, (*[12]T)(&c)) }
					}
					switch {
					case k >= 4 && energies:
						want = func() {
							lennardJonesSwitchedEnergies(force, energy, virial, &p.At, &p.All, p.Start, p.List, width, (*[12]T)(&c))
						}
					case k >= 4:
						want = func() {
							lennardJonesSwitched(force, &p.At, &p.All, p.Start, p.List, width, quantum > 0, (*[12]T)(&c))
						}
					case energies:
						want = func() {
							lennardJonesEnergies(force, energy, virial, &p.At, &p.All, p.Start, p.List, width, (*[12]T)(&c))
						}
					}
					return want, func() {
						if !energies {
							_ = lj.AddTo(force, nil, nil, p)
						} else {
							_ = lj.AddTo(force, energy, virial, p)
						}
					}
				})
			}
		}
	}
}

// randomPairs returns rows in a cube, and a list of some bodies for each group of them.
func randomPairs[T kernels.Float](in *kerneltest.Input, width, count int) (p Pairs[T], n int) {
	r := in.Draw()
	n = in.Rows()
	p = Pairs[T]{At: *kerneltest.View[kernels.Vec3s[T]](in), All: *bodies[T](in, count), Width: width, Cutoff: 0.5}
	for _, lane := range [][]T{p.At.X, p.At.Y, p.At.Z, p.All.X, p.All.Y, p.All.Z} {
		for i := range lane {
			lane[i] = T(r.Float64())
		}
	}
	p.noSelf = n%7 == 5
	if n > 2 && r.IntN(9) == 0 {
		p.At.Y[2] = T(math.NaN())
	}
	p.Start, p.List = kerneltest.Slice[int32](in, (n+width-1)/width+1), kerneltest.Slice[int32](in, 60)
	for k := range p.List {
		p.List[k] = int32(r.IntN(count))
	}
	if r.IntN(9) == 0 {
		p.List[r.IntN(60)] = int32(count)
	}
	for k := range p.Start {
		p.Start[k] = int32(r.IntN(9))
		if k > 0 {
			p.Start[k] = min(p.Start[k]+p.Start[k-1], 60)
		}
	}
	return p, n
}

// droplet returns the atoms of a cube of a crystal. Each atom is moved a little from its place in the
// crystal, and its position is rounded to quanta. The list of each atom contains all atoms.
func droplet(r *rand.Rand, cells int, quantum float64) Pairs[float64] {
	var x [3][]float64
	for i := range cells * cells * cells {
		for a, k := range []int{i % cells, i / cells % cells, i / cells / cells} {
			x[a] = append(x[a], float64(1.1*float64(k))+float64(0.1*r.Float64()))
		}
	}
	n := len(x[0])
	for a := range x {
		if err := Quantize(x[a], quantum); err != nil {
			panic(err)
		}
	}
	p := Pairs[float64]{At: kernels.Vec3s[float64]{X: x[0], Y: x[1], Z: x[2]}, Width: 8, Cutoff: math.Inf(1)}
	p.All = p.At
	for range (n + 7) / 8 {
		p.Start = append(p.Start, int32(len(p.List)))
		for _, k := range r.Perm(n) {
			p.List = append(p.List, int32(k))
		}
	}
	p.Start = append(p.Start, int32(len(p.List)))
	return p
}

// lanesOf returns lanes of zeros for n rows.
func lanesOf(n int) (force kernels.Vec3s[float64], energy, virial []float64) {
	return kernels.Vec3s[float64]{X: make([]float64, n), Y: make([]float64, n), Z: make([]float64, n)}, make([]float64, n), make([]float64, n)
}

// TestLennardJonesOrder checks two properties of sums of quanta: they do not depend on the order of the list
// or on the partition of the rows, and the forces of all pairs cancel. It also checks that ordered sums have
// neither property.
func TestLennardJonesOrder(t *testing.T) {
	for seed := range uint64(20) {
		for _, quantum := range []float64{0x1p-36, 0} {
			lj := LennardJones[float64]{Epsilon: 1, Sigma: 1, Cutoff: 2.5, Quantum: quantum}
			p := droplet(rand.New(rand.NewPCG(seed, 1)), 5, 0x1p-44)
			n := p.At.Len()
			force, energy, virial := lanesOf(n)
			if err := lj.AddTo(&force, energy, virial, p); err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(seed, 2))
			for k := range len(p.Start) - 1 {
				part := p.List[p.Start[k]:p.Start[k+1]]
				r.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
			}
			again, energy2, virial2 := lanesOf(n)
			for _, lo := range []int{0, 64} {
				hi := min(n, lo+64)
				f := again.Slice(lo, hi)
				if err := lj.AddTo(&f, energy2[lo:hi], virial2[lo:hi], p.Rows(lo, hi)); err != nil {
					t.Fatal(err)
				}
			}
			same := slices.Equal(force.X, again.X) && slices.Equal(force.Z, again.Z) && slices.Equal(energy, energy2) && slices.Equal(virial, virial2)
			if same != (quantum > 0) {
				t.Fatalf("seed %d, quantum %v: the sums are the same: %v", seed, quantum, same)
			}
			alone, _, _ := lanesOf(n)
			if err := lj.AddTo(&alone, nil, nil, p); err != nil || quantum > 0 && !slices.Equal(alone.Y, force.Y) {
				t.Fatalf("seed %d: without energies the forces differ: %v", seed, err)
			}
			sum := 0.0
			for _, f := range force.Y {
				sum += f
			}
			if (sum == 0) != (quantum > 0) {
				t.Errorf("seed %d, quantum %v: the sum of all forces is %g", seed, quantum, sum)
			}
		}
	}
}

// TestLennardJonesValues compares forces with differences of energies, the virial with the forces, and a pair with values from the formula.
func TestLennardJonesValues(t *testing.T) {
	for _, lj := range []LennardJones[float64]{
		{Epsilon: 1.5, Sigma: 0.9, Cutoff: 2.2, Shifted: true},
		{Epsilon: 1.5, Sigma: 0.9, Cutoff: 2.2, SwitchFrom: 1.2},
		{Epsilon: 0.7, Sigma: 1.05, Cutoff: 1.8, SwitchFrom: 1.05},
	} {
		checkEnergies(t, fmt.Sprintf("%+v", lj), lj, droplet(rand.New(rand.NewPCG(1, 1)), 3, 0x1p-44))
	}
	lj := LennardJones[float64]{Epsilon: 1.5, Sigma: 0.9, Cutoff: 2.2, Shifted: true}
	force, energy := pairAt(t, lj, 1.2)
	s, c := math.Pow(0.9/1.2, 6), math.Pow(0.9/2.2, 6)
	if want := 6*(s*s-s) - 6*(c*c-c); math.Abs(energy-want) > 1e-14 {
		t.Errorf("the energy of a pair is %v, want %v", energy, want)
	}
	if want := 36 / 1.2 * (2*s*s - s); math.Abs(force-want) > 1e-13 {
		t.Errorf("the force of a pair is %v, want %v", force, want)
	}
}

// TestLennardJonesSwitch compares the energy of a pair with the usual form of the switch, at distances around
// the ends of the switch. Neither the energy nor the force may have a step at these ends.
func TestLennardJonesSwitch(t *testing.T) {
	plain := LennardJones[float64]{Epsilon: 1.5, Sigma: 0.9, Cutoff: 2.2}
	lj := plain
	lj.SwitchFrom = 1.6
	c, o := lj.Cutoff*lj.Cutoff, lj.SwitchFrom*lj.SwitchFrom
	for r := 0.95; r < 2.3; r += 1e-3 {
		force, energy := pairAt(t, lj, r)
		f, u := pairAt(t, plain, r)
		if r <= lj.SwitchFrom && (force != f || energy != u) {
			t.Fatalf("at %v, before the switch, force and energy are %v and %v, want %v and %v", r, force, energy, f, u)
		}
		s, d := 1.0, 0.0
		if x := r * r; r > lj.SwitchFrom && r < lj.Cutoff {
			s = (c - x) * (c - x) * (c + 2*x - 3*o) / ((c - o) * (c - o) * (c - o))
			d = 12 * r * (c - x) * (o - x) / ((c - o) * (c - o) * (c - o))
		}
		if want := u * s; math.Abs(energy-want) > 1e-14 {
			t.Fatalf("at %v the energy is %v, want %v", r, energy, want)
		}
		if want := f*s - u*d; math.Abs(force-want) > 1e-13 {
			t.Fatalf("at %v the force is %v, want %v", r, force, want)
		}
	}
	for _, end := range []float64{lj.SwitchFrom, lj.Cutoff} {
		const h = 1e-9
		f0, u0 := pairAt(t, lj, end-h)
		f1, u1 := pairAt(t, lj, end+h)
		if math.Abs(f0-f1) > 1e-7 || math.Abs(u0-u1) > 1e-7 {
			t.Errorf("at %v the force goes from %v to %v, and the energy from %v to %v", end, f0, f1, u0, u1)
		}
	}
}

// A pairPotential adds forces of pairs.
type pairPotential interface {
	AddTo(force *kernels.Vec3s[float64], energy, virial []float64, pairs Pairs[float64]) error
}

// pairAt returns the energy of two rows at the distance r, and the force on the second row, which is positive if it
// points away from the first row.
func pairAt(t *testing.T, p pairPotential, r float64) (f, u float64) {
	t.Helper()
	two := Pairs[float64]{At: kernels.Vec3s[float64]{X: []float64{0, r}, Y: []float64{0, 0}, Z: []float64{0, 0}}, Start: []int32{0, 2}, List: []int32{0, 1}, Width: 2, Cutoff: math.Inf(1)}
	two.All = two.At
	force, energy, virial := lanesOf(2)
	if err := p.AddTo(&force, energy, virial, two); err != nil {
		t.Fatal(err)
	}
	if force.X[0] != -force.X[1] || energy[0] != energy[1] || virial[0] != virial[1] {
		t.Errorf("two rows %v apart have the forces %v, the energies %v and the virials %v", r, force.X, energy, virial)
	}
	if want := force.X[1] * r; math.Abs(virial[1]-want) > 1e-13*(1+math.Abs(want)) {
		t.Errorf("the virial of a pair %v apart is %v, want %v", r, virial[1], want)
	}
	return force.X[1], energy[1]
}

// checkEnergies compares forces with differences of energies, and the virial with the forces.
func checkEnergies(t *testing.T, name string, potential pairPotential, p Pairs[float64]) {
	t.Helper()
	n := p.At.Len()
	total := func() float64 {
		force, energy, virial := lanesOf(n)
		if err := potential.AddTo(&force, energy, virial, p); err != nil {
			t.Fatal(err)
		}
		return kernels.Sum(energy) / 2
	}
	force, energy, virial := lanesOf(n)
	if err := potential.AddTo(&force, energy, virial, p); err != nil {
		t.Fatal(err)
	}
	const h = 1e-5
	for i := range n {
		for a, lane := range [][]float64{p.At.X, p.At.Y, p.At.Z} {
			x := lane[i]
			lane[i] = x - h
			before := total()
			lane[i] = x + h
			want := (before - total()) / (2 * h)
			lane[i] = x
			if got := [][]float64{force.X, force.Y, force.Z}[a][i]; math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
				t.Errorf("%s: the force on row %d along axis %d is %v, want %v", name, i, a, got, want)
			}
		}
	}
	want := kernels.Dot(p.At.X, force.X) + kernels.Dot(p.At.Y, force.Y) + kernels.Dot(p.At.Z, force.Z)
	if got := kernels.Sum(virial) / 2; math.Abs(got-want) > 1e-9*math.Abs(want) {
		t.Errorf("%s: the virial is %v, want %v", name, got, want)
	}
}

// TestLennardJonesLeast checks that sums of quanta are exact in the worst case: one body is surrounded by as
// many bodies as possible, all at the least distance from it and from each other, and all forces have the
// same direction.
func TestLennardJonesLeast(t *testing.T) {
	for _, quantum := range []float64{0x1p-36, 0x1p-30, 0x1p-20} {
		lj := LennardJones[float64]{Epsilon: 2, Sigma: 1.5, Cutoff: 4, Quantum: quantum}
		c := lj.constants(lj.Least())
		least := lj.Least()
		most := new(big.Float).SetFloat64(math.Ldexp(quantum, 53))
		d := least * (1 + 1e-12)
		sum := new(big.Float)
		for k := 1; k <= 6; k++ { // shells of a crystal, with more bodies than can be there
			v := 1 / (d * d * float64(k) * float64(k))
			s := v * v * v
			f := (c[ljForce12]*s - c[ljForce6]) * s * v * d * float64(k)
			for range 24*k*k + 2 {
				sum.Add(sum, new(big.Float).SetFloat64(math.Abs(f)))
			}
		}
		if sum.Cmp(most) > 0 {
			t.Errorf("quantum %v: terms add up to %v, more than %v", quantum, sum, most)
		}
		if lj.largest(0.97*least)*32 < math.Ldexp(quantum, 53) {
			t.Errorf("quantum %v: the least distance %v is larger than needed", quantum, least)
		}
	}
	for _, c := range []struct{ quantum, want float64 }{{0x1p-36, 0.7068}, {0x1p-40, 0.8636}} {
		lj := LennardJones[float64]{Epsilon: 1, Sigma: 1, Cutoff: 2.5, Quantum: c.quantum}
		if got := lj.Least(); math.Abs(got-c.want) > 5e-4 {
			t.Errorf("quantum %v: the least distance is %v, want %v", c.quantum, got, c.want)
		}
	}
	single := LennardJones[float32]{Epsilon: 1, Sigma: 1, Cutoff: 2.5, Quantum: 0x1p-9}
	if got := single.Least(); math.Abs(float64(got)-0.7829) > 5e-4 {
		t.Errorf("float32: the least distance is %v", got)
	}
}

// TestLennardJonesErrors checks three kinds of errors: bodies that are too near to each other, rows without a
// position, and lists that do not contain the row.
func TestLennardJonesErrors(t *testing.T) {
	for _, c := range []struct {
		name    string
		quantum float64
		change  func(p *Pairs[float64])
		want    string
		is      error
	}{
		{"near", 0x1p-36, func(p *Pairs[float64]) {
			p.All.X[5] = p.All.X[4] + 0.7
			p.All.Y[5] = p.All.Y[4]
			p.All.Z[5] = p.All.Z[4]
		}, "are 0.7", ErrTooNear},
		{"the same place", 0, func(p *Pairs[float64]) { p.All.X[5] = p.All.X[4]; p.All.Y[5] = p.All.Y[4]; p.All.Z[5] = p.All.Z[4] }, "are 0 apart, and the least distance is 0.01", ErrTooNear},
		{"NaN", 0, func(p *Pairs[float64]) { p.At.Y[9] = math.NaN() }, "forces: LennardJones.AddTo: row 9 is at (", ErrNotFinite},
		{"without itself", 0, func(p *Pairs[float64]) {
			at := p.Start[1] + int32(slices.Index(p.List[p.Start[1]:p.Start[2]], 9))
			p.List[at] = 8
		}, "are 0 apart", ErrTooNear},
		{"without itself, far", 0, func(p *Pairs[float64]) {
			for i := range p.List[p.Start[1]:p.Start[2]] {
				p.List[p.Start[1]+int32(i)] = 0
			}
		}, "does not contain the row itself", nil},
	} {
		p := droplet(rand.New(rand.NewPCG(1, 1)), 4, 0x1p-44)
		c.change(&p)
		lj := LennardJones[float64]{Epsilon: 1, Sigma: 1, Cutoff: 2.5, Quantum: c.quantum}
		force, energy, virial := lanesOf(p.At.Len())
		err := lj.AddTo(&force, energy, virial, p)
		if err == nil || errors.Is(err, ErrTooNear) != (c.is == ErrTooNear) || errors.Is(err, ErrNotFinite) != (c.is == ErrNotFinite) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
		again, _, _ := lanesOf(p.At.Len())
		if lj.AddTo(&again, nil, nil, p) == nil {
			t.Errorf("%s: accepted without energies", c.name)
		}
	}
}

// TestLennardJonesPanics checks the messages about wrong arguments.
func TestLennardJonesPanics(t *testing.T) {
	p := droplet(rand.New(rand.NewPCG(1, 1)), 3, 0x1p-44)
	lj := LennardJones[float64]{Epsilon: 1, Sigma: 1, Cutoff: 2.5}
	force, energy, virial := lanesOf(27)
	for want, call := range map[string]func(){
		"forces: LennardJones.AddTo: len(pairs.At.X) is 27, len(force.X) is 26":                                                      func() { f := force.Slice(0, 26); _ = lj.AddTo(&f, nil, nil, p) },
		"forces: LennardJones.AddTo: len(energy) is 27, len(virial) is 0, len(force.X) is 27: both are nil or have this length":      func() { _ = lj.AddTo(&force, energy, nil, p) },
		"forces: LennardJones.AddTo: len(energy) is 26, len(virial) is 26, len(force.X) is 27: both are nil or have this length":     func() { _ = lj.AddTo(&force, energy[:26], virial[:26], p) },
		"forces: LennardJones.AddTo: Epsilon, Sigma, Cutoff and Quantum are 1, 1, 0 and 0: lengths above 0, and a power of two or 0": func() { _ = LennardJones[float64]{Epsilon: 1, Sigma: 1}.AddTo(&force, nil, nil, p) },
		"forces: LennardJones.AddTo: Epsilon, Sigma, Cutoff and Quantum are 1, 1, 2 and 0.3: lengths above 0, and a power of two or 0": func() {
			_ = LennardJones[float64]{Epsilon: 1, Sigma: 1, Cutoff: 2, Quantum: 0.3}.AddTo(&force, nil, nil, p)
		},
		"forces: LennardJones.AddTo: SwitchFrom is 2.5, with Sigma 1, Cutoff 2.5 and Shifted false: it is 0, or from Sigma to below a finite Cutoff, for an energy that is not shifted": func() {
			_ = LennardJones[float64]{Epsilon: 1, Sigma: 1, Cutoff: 2.5, SwitchFrom: 2.5}.AddTo(&force, nil, nil, p)
		},
		"forces: LennardJones.AddTo: SwitchFrom is 2, with Sigma 1, Cutoff 2.5 and Shifted true: it is 0, or from Sigma to below a finite Cutoff, for an energy that is not shifted": func() {
			_ = LennardJones[float64]{Epsilon: 1, Sigma: 1, Cutoff: 2.5, Shifted: true, SwitchFrom: 2}.AddTo(&force, nil, nil, p)
		},
		"forces: LennardJones.AddTo: SwitchFrom is NaN, with Sigma 1, Cutoff 2.5 and Shifted false: it is 0, or from Sigma to below a finite Cutoff, for an energy that is not shifted": func() {
			_ = LennardJones[float64]{Epsilon: 1, Sigma: 1, Cutoff: 2.5, SwitchFrom: math.NaN()}.AddTo(&force, nil, nil, p)
		},
		"forces: LennardJones.AddTo: Quantum is 9.313225746154785e-10, and terms up to 3.7500247494759825e+06, those of a pair at Sigma or beyond, cannot be added up exactly: take a larger one": func() {
			_ = LennardJones[float64]{Epsilon: 1, Sigma: 1, Cutoff: 2.5, Quantum: 0x1p-30, SwitchFrom: 2.499999}.AddTo(&force, nil, nil, p)
		},
		"forces: LennardJones.AddTo: Quantum is 2.220446049250313e-16, and terms up to 24, those of a pair at Sigma or beyond, cannot be added up exactly: take a larger one": func() {
			_ = LennardJones[float64]{Epsilon: 1, Sigma: 1, Cutoff: 2, Quantum: 0x1p-52}.AddTo(&force, nil, nil, p)
		},
		"forces: LennardJones.AddTo: pairs.Width is 0 and len(pairs.Start) is 5, len(force.X) is 27: each group of Width rows has a part of the list, and the end of the last part is in Start, too": func() { q := p; q.Width = 0; _ = lj.AddTo(&force, nil, nil, q) },
		"forces: LennardJones.AddTo: pairs.Width is 8 and len(pairs.Start) is 4, len(force.X) is 27: each group of Width rows has a part of the list, and the end of the last part is in Start, too": func() { q := p; q.Start = p.Start[:4]; _ = lj.AddTo(&force, nil, nil, q) },
		"forces: LennardJones.AddTo: Cutoff is 2.5, and the list has pairs up to pairs.Cutoff, 2.4: make the list with the cutoff of the potential, and set pairs.Cutoff to that of the list":        func() { q := p; q.Cutoff = 2.4; _ = lj.AddTo(&force, nil, nil, q) },
		"forces: LennardJones.AddTo: Cutoff is 2.5, and the list has pairs up to pairs.Cutoff, 0: make the list with the cutoff of the potential, and set pairs.Cutoff to that of the list":          func() { q := p; q.Cutoff = 0; _ = lj.AddTo(&force, nil, nil, q) },
		"forces: Pairs.Rows: rows 4 to 9 of 27: the first one must be a multiple of the width, 8":                                                                                                    func() { p.Rows(4, 9) },
		"forces: Mixture.AddTo: the mixture is the zero value and has no species: create it with NewMixture":                                                                                         func() { _ = Mixture[float64]{}.AddTo(&force, nil, nil, p) },
		"forces: the quantum is 0.3: it must be a power of two": func() { _ = Quantize(energy, 0.3) },
		"forces: Drift: len(vel.X) is 27, len(pos.X) is 26":     func() { f := force.Slice(0, 26); Drift(&f, &force, 1, 0x1p-44) },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); got != want {
					t.Errorf("got %s\nwant %s", got, want)
				}
			}()
			call()
		}()
	}
}

func TestDrift(t *testing.T) {
	t.Run("float32", testDrift[float32])
	t.Run("float64", testDrift[float64])
}

// testDrift compares the compiled loop with its source.
func testDrift[T kernels.Float](t *testing.T) {
	quantum := T(math.Ldexp(1, 8-mantissa[T]()))
	most, round, nan := QuantumRange(quantum), rounding(quantum), T(math.NaN())
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		pos, vel, dt := kerneltest.View[kernels.Vec3s[T]](in), kerneltest.View[kernels.Vec3s[T]](in), kerneltest.Value[T](in)
		return func() { drift(pos, vel, dt, round, most, nan) }, func() { Drift(pos, vel, dt, quantum) }
	})
}

// TestDriftWraps moves bodies that are wrapped into a periodic box at different times. It checks that
// their positions remain the same modulo the side of the box.
func TestDriftWraps(t *testing.T) {
	const quantum = 0x1p-44
	r := rand.New(rand.NewPCG(1, 2))
	side := []float64{10 * math.Pi}
	if err := Quantize(side, quantum); err != nil {
		t.Fatal(err)
	}
	var x, v [3][]float64
	for a := range x {
		for range 50 {
			x[a], v[a] = append(x[a], side[0]*r.Float64()), append(v[a], 20*r.NormFloat64())
		}
		if err := Quantize(x[a], quantum); err != nil {
			t.Fatal(err)
		}
	}
	free := kernels.Vec3s[float64]{X: slices.Clone(x[0]), Y: slices.Clone(x[1]), Z: slices.Clone(x[2])}
	boxed, vel := kernels.Vec3s[float64]{X: x[0], Y: x[1], Z: x[2]}, kernels.Vec3s[float64]{X: v[0], Y: v[1], Z: v[2]}
	into := func(x float64) float64 {
		for x >= side[0] {
			x -= side[0]
		}
		for x < 0 {
			x += side[0]
		}
		return x
	}
	for step := range 150 {
		Drift(&free, &vel, 0.01, quantum)
		Drift(&boxed, &vel, 0.01, quantum)
		for i := range boxed.X {
			if r.IntN(4) == 0 {
				boxed.X[i] = into(boxed.X[i])
			}
			if into(boxed.X[i]) != into(free.X[i]) {
				t.Fatalf("step %d: row %d is at %v, want %v", step, i, into(boxed.X[i]), into(free.X[i]))
			}
		}
	}
	vel.X[7] = 1e6
	Drift(&boxed, &vel, 1, quantum)
	if !math.IsNaN(boxed.X[7]) || math.IsNaN(boxed.X[8]) {
		t.Errorf("out of range is %v", boxed.X[7:9])
	}
	if err := Quantize([]float64{1, 129}, quantum); err == nil || err.Error() != "forces: Quantize: x[1] is 129: numbers from -128 to 128 are multiples of 5.684341886080802e-14 that can be added up exactly" {
		t.Error(err)
	}
}
