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
)

// A skeleton has bonds and angles, which the tests add up like the terms of a potential.
type skeleton struct {
	bonds  Bonds[float64]
	angles Angles[float64]
}

func (s *skeleton) AddTo(force *kernels.Vec3s[float64], energy, virial []float64, p Pairs[float64]) error {
	return errors.Join(s.bonds.AddTo(force, energy, virial, &p.At), s.angles.AddTo(force, energy, &p.At))
}

// randomSkeleton ties random rows together. Some rows have several bonds and angles, and some have none.
func randomSkeleton(r *rand.Rand, rows int, quantum float64) *skeleton {
	var a, b, c, d, e []int32
	var rest, stiff, bent, stiffness []float64
	for range rows {
		rows := r.Perm(rows)
		a, b = append(a, int32(rows[0])), append(b, int32(rows[1]))
		c, d, e = append(c, int32(rows[2])), append(d, int32(rows[3])), append(e, int32(rows[4]))
		rest, stiff = append(rest, 0.5+r.Float64()), append(stiff, 100*r.Float64())
		bent, stiffness = append(bent, math.Pi*r.Float64()), append(stiffness, 30*r.Float64())
	}
	return &skeleton{
		Bonds[float64]{Net: Tie(rows, a, b, rest, stiff), Quantum: quantum},
		func() Angles[float64] {
			g := TieAngles(rows, c, d, e, bent, stiffness)
			g.Quantum = quantum
			return g
		}(),
	}
}

// TestBonds compares the forces of bonds and angles with differences of energies, and virials with forces. It also checks that all
// forces add up to 0, and all torques too.
func TestBonds(t *testing.T) {
	for seed := range uint64(5) {
		r := rand.New(rand.NewPCG(seed, 1))
		for _, quantum := range []float64{0, 0x1p-36} {
			name := fmt.Sprintf("seed %d, quantum %v", seed, quantum)
			p := droplet(r, 3, 0x1p-44)
			n := p.At.Len()
			s := randomSkeleton(r, n, quantum)
			checkEnergies(t, name, s, p)
			force, energy, virial := lanesOf(n)
			if err := s.AddTo(&force, energy, virial, p); err != nil {
				t.Fatal(err)
			}
			total := [3]float64{kernels.SumExact(force.X), kernels.SumExact(force.Y), kernels.SumExact(force.Z)}
			most := 1e-11
			if quantum > 0 {
				most = 0
			}
			torque := [3]float64{
				kernels.Dot(p.At.Y, force.Z) - kernels.Dot(p.At.Z, force.Y),
				kernels.Dot(p.At.Z, force.X) - kernels.Dot(p.At.X, force.Z),
				kernels.Dot(p.At.X, force.Y) - kernels.Dot(p.At.Y, force.X),
			}
			for a := range total {
				if math.Abs(total[a]) > most || math.Abs(torque[a]) > 1e-8 { // each of some hundred terms is rounded to a quantum, or to an ulp of a hundred
					t.Errorf("%s: all forces add up to %v, and all torques to %v", name, total, torque)
				}
			}
		}
	}
}

// TestBondValues compares single bonds and angles with their formulas.
func TestBondValues(t *testing.T) {
	bonds := Bonds[float64]{Net: Tie(2, []int32{0}, []int32{1}, []float64{1.2}, []float64{7})}
	f, u := pairAt(t, &skeleton{bonds, TieAngles[float64](2, nil, nil, nil, nil, nil)}, 1.5)
	if math.Abs(f+7*0.3) > 1e-14 || math.Abs(u-3.5*0.09) > 1e-14 {
		t.Errorf("a bond has the force %v and the energy %v", f, u)
	}
	for _, degrees := range []float64{0, 1e-6, 30, 90, 104.52, 179, 180 - 1e-6, 180} {
		wide := degrees * math.Pi / 180
		sin, cos := math.Sincos(wide)
		if degrees == 180 {
			sin = 0
		}
		at := kernels.Vec3s[float64]{X: []float64{2, 0, 0.5 * cos}, Y: []float64{0, 0, 0.5 * sin}, Z: []float64{0, 0, 0}}
		g := TieAngles(3, []int32{0}, []int32{1}, []int32{2}, []float64{1.9}, []float64{3})
		force, energy, _ := lanesOf(3)
		if err := g.AddTo(&force, energy, &at); err != nil {
			t.Fatal(err)
		}
		want := 1.5 * (wide - 1.9) * (wide - 1.9)
		if math.Abs(energy[0]-want) > 1e-14 || energy[1] != 0 || energy[2] != energy[0] {
			t.Errorf("%v degrees: the energies are %v, want %v at both ends", degrees, energy, want)
		}
		pull := 3 * (wide - 1.9) // the torque that makes the angle smaller, divided by the lengths 2 and 0.5
		if degrees == 0 || degrees == 180 {
			pull = 0
		}
		for i, want := range [][2]float64{{0, pull / 2}, {-pull / 0.5 * sin, -pull/2 + pull/0.5*cos}, {pull / 0.5 * sin, -pull / 0.5 * cos}} {
			if math.Abs(force.X[i]-want[0]) > 1e-7 || math.Abs(force.Y[i]-want[1]) > 1e-7 || force.Z[i] != 0 {
				t.Errorf("%v degrees: the force on row %d is (%v, %v, %v), want %v", degrees, i, force.X[i], force.Y[i], force.Z[i], want)
			}
		}
	}
}

// TestBondsSingle compares terms of float32 with those of float64, in quanta and without.
func TestBondsSingle(t *testing.T) {
	for _, quantum := range []float64{0, 0x1p-10} {
		m := newTriatomic(quantum)
		at := kernels.Vec3s[float32]{}
		for a, x := range [][]float64{m.pairs.At.X, m.pairs.At.Y, m.pairs.At.Z} {
			for _, x := range x {
				lane := []*[]float32{&at.X, &at.Y, &at.Z}[a]
				*lane = append(*lane, float32(x))
			}
		}
		bonds := Bonds[float32]{Net: Tie(3, []int32{0, 1}, []int32{1, 2}, []float32{1.012, 1.012}, []float32{1059.162, 1059.162}), Quantum: float32(quantum)}
		angles := TieAngles(3, []int32{0}, []int32{1}, []int32{2}, []float32{113.24 * math.Pi / 180}, []float32{75.90})
		angles.Quantum = float32(quantum)
		force := nothing[float32](3)
		energy, virial := make([]float32, 3), make([]float32, 3)
		want, wantEnergy, wantVirial := lanesOf(3)
		if err := errors.Join(bonds.AddTo(&force, energy, virial, &at), angles.AddTo(&force, energy, &at), m.AddTo(&want, wantEnergy, wantVirial, m.pairs)); err != nil {
			t.Fatal(err)
		}
		for k, pair := range []struct {
			got  []float32
			want []float64
		}{{force.X, want.X}, {force.Y, want.Y}, {force.Z, want.Z}, {energy, wantEnergy}, {virial, wantVirial}} {
			for i, x := range pair.got {
				if math.Abs(float64(x)-pair.want[i]) > 2e-3 || quantum > 0 && math.Mod(float64(x), quantum) != 0 {
					t.Errorf("quantum %v: lane %d of row %d is %v, want %v", quantum, k, i, x, pair.want[i])
				}
			}
			if total := pair.got[0] + pair.got[1] + pair.got[2]; quantum > 0 && k < 3 && total != 0 {
				t.Errorf("all forces along axis %d add up to %v", k, total)
			}
		}
	}
}

// TestBondsOrder computes the same terms in one piece, in parts, after the rows have changed their order, and across the
// boundary of a periodic box. With quanta, all results have the same bits. The parts also have them without quanta.
func TestBondsOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	p := droplet(r, 4, 0x1p-44)
	n := p.At.Len()
	side := [3]float64{16, 12, 0}
	for _, quantum := range []float64{0, 0x1p-36} {
		s := randomSkeleton(rand.New(rand.NewPCG(5, 5)), n, quantum)
		want, wantEnergy, wantVirial := lanesOf(n)
		if err := s.AddTo(&want, wantEnergy, wantVirial, p); err != nil {
			t.Fatal(err)
		}
		order := make([]int32, n)
		at := kernels.Vec3s[float64]{X: slices.Clone(p.At.X), Y: slices.Clone(p.At.Y), Z: slices.Clone(p.At.Z)}
		for round := range 4 {
			force, energy, virial := lanesOf(n)
			for lo := 0; lo < n; {
				hi := min(lo+1+r.IntN(9), n)
				bonds, angles, f := s.bonds.Rows(lo, hi), s.angles.Rows(lo, hi), force.Slice(lo, hi)
				if err := errors.Join(bonds.AddTo(&f, energy[lo:hi], virial[lo:hi], &at), angles.AddTo(&f, energy[lo:hi], &at)); err != nil {
					t.Fatal(err)
				}
				lo = hi
			}
			for i := range n { // want is in the order of at
				same := force.X[i] == want.X[i] && force.Y[i] == want.Y[i] && force.Z[i] == want.Z[i] && energy[i] == wantEnergy[i] && virial[i] == wantVirial[i]
				if quantum == 0 && round > 0 { // the shift by a side is rounded
					same = math.Abs(force.X[i]-want.X[i]) < 1e-9 && math.Abs(energy[i]-wantEnergy[i]) < 1e-9
				}
				if !same {
					t.Fatalf("quantum %v, round %d, row %d: the force is (%v, %v, %v), want (%v, %v, %v); the energy is %v, want %v", quantum, round, i, force.X[i], force.Y[i], force.Z[i], want.X[i], want.Y[i], want.Z[i], energy[i], wantEnergy[i])
				}
			}
			for i, k := range r.Perm(n) {
				order[i] = int32(k)
			}
			s.bonds.Reorder(order)
			s.angles.Reorder(order)
			s.bonds.Side, s.angles.Side = side, side
			for _, lane := range []*[]float64{&at.X, &at.Y, &at.Z, &want.X, &want.Y, &want.Z, &wantEnergy, &wantVirial} {
				moved := make([]float64, n)
				kernels.Gather(moved, *lane, order)
				*lane = moved
			}
			for i := range n { // to other images
				at.X[i] += 16 * float64(r.IntN(3)-1)
				at.Y[i] += 12 * float64(r.IntN(3)-1)
			}
		}
	}
}

// A triatomic has three atoms, like a molecule of water. Its units are Å, kcal/mol and atomic mass units; the unit of time is 48.888 fs. The
// constants are those of the flexible model SPC/Fw: Y. Wu, H. L. Tepper and G. A. Voth, Journal of Chemical Physics 124 (2006), whose
// energies have the factor 1/2, too.
type triatomic struct {
	skeleton
	pairs      Pairs[float64]
	vel, force kernels.Vec3s[float64]
	mass       []float64
}

func newTriatomic(quantum float64) *triatomic {
	m := &triatomic{mass: []float64{1.00794, 15.9994, 1.00794}}
	m.bonds = Bonds[float64]{Net: Tie(3, []int32{0, 1}, []int32{1, 2}, []float64{1.012, 1.012}, []float64{1059.162, 1059.162}), Quantum: quantum}
	m.angles = TieAngles(3, []int32{0}, []int32{1}, []int32{2}, []float64{113.24 * math.Pi / 180}, []float64{75.90})
	m.angles.Quantum = quantum
	m.pairs.At = kernels.Vec3s[float64]{X: []float64{0.9, 0, -0.3}, Y: []float64{0.1, 0, 1}, Z: []float64{0, 0, 0.2}}
	m.vel = kernels.Vec3s[float64]{X: []float64{0.4, 0, 0}, Y: []float64{0, 0, -0.6}, Z: []float64{0.9, -0.05, 0}}
	m.force = nothing[float64](3)
	for _, x := range [][]float64{m.pairs.At.X, m.pairs.At.Y, m.pairs.At.Z} {
		if err := Quantize(x, 0x1p-44); err != nil {
			panic(err)
		}
	}
	return m
}

// kick adds the forces of a time to the velocities. It returns the potential energy.
func (m *triatomic) kick(t *testing.T, time float64) float64 {
	m.force = nothing[float64](3)
	energy, virial := make([]float64, 3), make([]float64, 3)
	if err := m.AddTo(&m.force, energy, virial, m.pairs); err != nil {
		t.Fatal(err)
	}
	for i, mass := range m.mass {
		m.vel.X[i] += float64(time / mass * m.force.X[i])
		m.vel.Y[i] += float64(time / mass * m.force.Y[i])
		m.vel.Z[i] += float64(time / mass * m.force.Z[i])
	}
	return kernels.Sum(energy) / 2
}

// state returns the kinetic energy, the momentum and the angular momentum.
func (m *triatomic) state() (kinetic float64, momentum, spin [3]float64) {
	at, v := &m.pairs.At, &m.vel
	for i, mass := range m.mass {
		kinetic += mass / 2 * (v.X[i]*v.X[i] + v.Y[i]*v.Y[i] + v.Z[i]*v.Z[i])
		for a, k := range [3][2]float64{{v.X[i], at.Y[i]*v.Z[i] - at.Z[i]*v.Y[i]}, {v.Y[i], at.Z[i]*v.X[i] - at.X[i]*v.Z[i]}, {v.Z[i], at.X[i]*v.Y[i] - at.Y[i]*v.X[i]}} {
			momentum[a] += mass * k[0]
			spin[a] += mass * k[1]
		}
	}
	return kinetic, momentum, spin
}

// TestTriatomic moves a molecule of water by velocity Verlet, for two picoseconds. Its energy deviates by less than a bound that is four
// times smaller with half of the step, and does not drift. Its momentum and its angular momentum remain the same.
func TestTriatomic(t *testing.T) {
	for _, quantum := range []float64{0, 0x1p-36} {
		var deviations [2]float64
		for k, femtoseconds := range []float64{0.2, 0.1} {
			m := newTriatomic(quantum)
			dt := femtoseconds / 48.888
			steps := int(2000 / femtoseconds)
			potential := m.kick(t, 0)
			kinetic, momentum, spin := m.state()
			start, late := potential+kinetic, 0.0
			for step := range steps {
				m.kick(t, dt/2)
				Drift(&m.pairs.At, &m.vel, dt, 0x1p-44)
				potential = m.kick(t, dt/2)
				kinetic, _, _ = m.state()
				deviations[k] = max(deviations[k], math.Abs(potential+kinetic-start))
				if step >= steps/2 {
					late += (potential + kinetic - start) / float64(steps/2)
				} else {
					late -= (potential + kinetic - start) / float64(steps/2)
				}
			}
			_, p, l := m.state()
			for a := range p {
				if math.Abs(p[a]-momentum[a]) > 1e-12 || math.Abs(l[a]-spin[a]) > 1e-9 {
					t.Errorf("quantum %v, %v fs: momentum and angular momentum go from %v and %v to %v and %v", quantum, femtoseconds, momentum, spin, p, l)
				}
			}
			if math.Abs(late) > deviations[k]/10 {
				t.Errorf("quantum %v, %v fs: the mean energy of the second half is larger by %v than that of the first, and deviations are up to %v", quantum, femtoseconds, late, deviations[k])
			}
		}
		if ratio := deviations[0] / deviations[1]; ratio < 3.6 || ratio > 4.4 {
			t.Errorf("quantum %v: with half of the step, the deviation is smaller by a factor of %v, want 4", quantum, ratio)
		}
	}
}

// TestBondErrors checks errors and messages.
func TestBondErrors(t *testing.T) {
	at := kernels.Vec3s[float64]{X: []float64{0, 1, 1, 50}, Y: []float64{0, 0, 1, 0}, Z: make([]float64, 4)}
	bonds := Bonds[float64]{Net: Tie(4, []int32{0, 1}, []int32{1, 3}, []float64{1, 1}, []float64{5, 1e4}), Quantum: 0x1p-36}
	angles := TieAngles(4, []int32{0}, []int32{1}, []int32{2}, []float64{1}, []float64{5})
	force, energy, virial := lanesOf(4)
	err := bonds.AddTo(&force, energy, virial, &at)
	want := "forces: Bonds.AddTo: the bond of row 1 at (1, 0, 0) and row 3 has the length 49, and at rest 1: its terms are too large"
	if !errors.Is(err, ErrTooLarge) || !strings.HasPrefix(err.Error(), want) || !math.IsNaN(force.X[1]) {
		t.Errorf("got %v and the force %v, want %s", err, force.X[1], want)
	}
	part, f := bonds.Rows(1, 2), force.Slice(1, 2)
	if err := part.AddTo(&f, nil, nil, &at); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
	heavy := TieAngles(4, []int32{0}, []int32{1}, []int32{2}, []float64{1}, []float64{1e9})
	heavy.Quantum = 0x1p-36
	if err := heavy.AddTo(&force, nil, &at); !errors.Is(err, ErrTooLarge) || !strings.HasPrefix(err.Error(), "forces: Angles.AddTo: the angle of the rows 0, 1 and 2, whose centre is at (1, 0, 0): its terms") {
		t.Error(err)
	}
	at.Y[0] = math.Inf(1)
	for _, err := range []error{bonds.AddTo(&force, energy, virial, &at), angles.AddTo(&force, energy, &at)} {
		if !errors.Is(err, ErrNotFinite) || !strings.Contains(err.Error(), ".AddTo: row 0 is at (0, +Inf, 0): ") {
			t.Error(err)
		}
	}
	two := []int32{0, 1}
	for want, call := range map[string]func(){
		"forces: Bonds.AddTo: len(at.Y) is 3, len(at.X) is 4": func() {
			_ = bonds.AddTo(&force, nil, nil, &kernels.Vec3s[float64]{X: at.X, Y: at.Y[1:], Z: at.Z})
		},
		"forces: Bonds.AddTo: len(net.Start) is 5, len(force.X) is 3: it must be one more":                             func() { f := force.Slice(0, 3); _ = bonds.AddTo(&f, nil, nil, &at) },
		"forces: Bonds.AddTo: len(energy) is 4, len(virial) is 0, len(force.X) is 4: both are nil or have this length": func() { _ = bonds.AddTo(&force, energy, nil, &at) },
		"forces: Angles.AddTo: len(energy) is 3, len(force.X) is 4: it is nil or has this length":                      func() { _ = angles.AddTo(&force, energy[1:], &at) },
		"forces: Angles.AddTo: the angles have 4 rows, len(force.X) is 3":                                              func() { f := force.Slice(0, 3); _ = angles.AddTo(&f, nil, &at) },
		"forces: Angles.AddTo: Side is [0 -1 0]: lengths, or 0 along an axis without a periodic boundary":              func() { g := angles; g.Side[1] = -1; _ = g.AddTo(&force, nil, &at) },
		"forces: the quantum is 0.3: it must be a power of two":                                                        func() { b := bonds; b.Quantum = 0.3; _ = b.AddTo(&force, nil, nil, &at) },
		"forces: Bonds.Reorder: len(order) is 2, and there are 4 rows":                                                 func() { b := bonds; b.Reorder(two) },
		"forces: Angles.Reorder: order[2] is 1: it must have each of the 4 rows once":                                  func() { g := angles; g.Reorder([]int32{0, 1, 1, 3}) },
		"forces: TieAngles: c[0] is 3, rows is 3":                                                                      func() { TieAngles(3, two[:1], two[1:], []int32{3}, []float64{1}, []float64{1}) },
		"forces: TieAngles: rows is -1":                                                                                func() { TieAngles[float64](-1, nil, nil, nil, nil, nil) },
		"forces: TieAngles: angle 0 is between the rows 0, 1 and 0: they must be different":                            func() { TieAngles(3, two[:1], two[1:], two[:1], []float64{1}, []float64{1}) },
		"forces: TieAngles: lengths of a, b, c, rest and stiff are 2, 1, 2, 1 and 1: they are equal, and below 2^29":   func() { TieAngles(3, two, two[1:], two, []float64{1}, []float64{1}) },
	} {
		if got := panicOf(call); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

// TestNegativeStiffness checks that the energy of a bond or an angle may not become -Inf.
func TestNegativeStiffness(t *testing.T) {
	at := nothing[float32](3)
	at.X[1], at.X[2] = 1, 2
	force, energy, virial := nothing[float32](3), make([]float32, 3), make([]float32, 3)
	bonds := Bonds[float32]{Net: Tie(3, []int32{0}, []int32{1}, []float32{1e30}, []float32{-1})}
	if err := bonds.AddTo(&force, energy, virial, &at); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a bond: got the error %v and the energies %v, want %v", err, energy, ErrTooLarge)
	}
	force, energy = nothing[float32](3), make([]float32, 3)
	angles := TieAngles(3, []int32{0}, []int32{1}, []int32{2}, []float32{0}, []float32{-3e38})
	if err := angles.AddTo(&force, energy, &at); !errors.Is(err, ErrTooLarge) {
		t.Errorf("an angle: got the error %v and the energies %v, want %v", err, energy, ErrTooLarge)
	}
}
