package forces

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/kerneltest"
)

func TestCoulomb(t *testing.T) {
	t.Run("float32", testCoulomb[float32])
	t.Run("float64", testCoulomb[float64])
}

// testCoulomb compares the compiled loops with their sources.
func testCoulomb[T kernels.Float](t *testing.T) {
	for k, width := range []int{16, 4, 1, 8, 16, 32} {
		for _, energies := range []bool{false, true} {
			kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
				p, n := randomPairs[T](in, width, 80)
				p.Charges = kerneltest.Slice[T](in, 80)
				for i := range p.Charges {
					p.Charges[i] = T(in.Draw().Float64() - 0.5)
				}
				coulomb := Coulomb[T]{Constant: 2, Cutoff: 0.5, Damping: []T{0, 3}[k/2%2], Shifted: n%3 == 1, ForceShifted: n%3 == 2, PairsOnly: n%5 == 4, Quantum: []T{0, 0x1p-7}[k%2], MaxCharge: 0.5}
				force, c := kerneltest.View[kernels.Vec3s[T]](in), coulomb.constants(coulomb.Least())
				energy, virial := kerneltest.Lane[T](in), kerneltest.Lane[T](in)
				damped := coulomb.Damping > 0 || n%3 > 0
				p.noSelf = p.noSelf || coulomb.PairsOnly
				c[coulombItself] = p.itself()
				own := p.Charges[:n]
				if energies {
					return func() {
						coulombEnergiesOf(force, energy, virial, &p.At, &p.All, own, p.Charges, p.Start, p.List, width, damped, &c)
					}, func() { _ = coulomb.AddTo(force, energy, virial, p) }
				}
				return func() {
					coulombForcesOf(force, &p.At, &p.All, own, p.Charges, p.Start, p.List, width, coulomb.Quantum > 0, damped, &c)
				}, func() { _ = coulomb.AddTo(force, nil, nil, p) }
			})
		}
	}
}

// charged gives the potential charges, so that it can be tested like the others.
type charged struct {
	Coulomb[float64]
	charges []float64
}

func (c charged) AddTo(force *kernels.Vec3s[float64], energy, virial []float64, p Pairs[float64]) error {
	p.Charges = c.charges
	return c.Coulomb.AddTo(force, energy, virial, p)
}

// TestCoulombValues compares a pair with values from the definition of each kind of potential, and forces with differences of
// energies.
func TestCoulombValues(t *testing.T) {
	const scale, charge, cutoff, alpha = 1.7, 0.6, 2.2, 0.9
	for _, c := range []struct {
		name string
		Coulomb[float64]
		f, u func(r float64) float64 // of charges of 1, without the cutoff
		self float64                 // of a charge of 1, by the papers
	}{
		{"cut", Coulomb[float64]{}, func(r float64) float64 { return 1 / (r * r) }, func(r float64) float64 { return 1 / r }, 0},
		{"shifted", Coulomb[float64]{Shifted: true}, func(r float64) float64 { return 1 / (r * r) }, func(r float64) float64 { return 1/r - 1/cutoff }, -1 / (2 * cutoff)},
		{"shifted force", Coulomb[float64]{ForceShifted: true}, func(r float64) float64 { return 1/(r*r) - 1/(cutoff*cutoff) }, func(r float64) float64 { return 1/r - 1/cutoff + (r-cutoff)/(cutoff*cutoff) }, -1 / cutoff},
		{"Ewald", Coulomb[float64]{Damping: alpha}, dampedForce, dampedEnergy, -alpha / math.SqrtPi},
		{"Wolf", Coulomb[float64]{Damping: alpha, Shifted: true}, dampedForce, func(r float64) float64 { return dampedEnergy(r) - dampedEnergy(cutoff) }, -math.Erfc(alpha*cutoff)/(2*cutoff) - alpha/math.SqrtPi},
		{"Fennell and Gezelter", Coulomb[float64]{Damping: alpha, ForceShifted: true}, func(r float64) float64 { return dampedForce(r) - dampedForce(cutoff) },
			func(r float64) float64 {
				return dampedEnergy(r) - dampedEnergy(cutoff) + dampedForce(cutoff)*(r-cutoff)
			}, -(dampedEnergy(cutoff)+dampedForce(cutoff)*cutoff)/2 - alpha/math.SqrtPi},
	} {
		c.Constant, c.Cutoff = scale, cutoff
		p := charged{c.Coulomb, []float64{charge, -charge}}
		_, self := pairAt(t, p, 2*cutoff)
		if want := 2 * scale * charge * charge * c.self; math.Abs(self-want) > 1e-14 {
			t.Errorf("%s: twice the self energy is %v, want %v", c.name, self, want)
		}
		for r := 0.3; r < 2.4; r += 1e-3 {
			wantF, wantU := -scale*charge*charge*c.f(r), -scale*charge*charge*c.u(r)
			if r >= cutoff {
				wantF, wantU = 0, 0
			}
			f, u := pairAt(t, p, r)
			u -= self
			if math.Abs(f-wantF) > 1e-14*(1+math.Abs(wantF)) || math.Abs(u-wantU) > 1e-14*(1+math.Abs(wantU)) {
				t.Fatalf("%s: at %v the force and the energy are %v and %v, want %v and %v", c.name, r, f, u, wantF, wantU)
			}
		}
		atoms := droplet(rand.New(rand.NewPCG(1, 8)), 3, 0x1p-44)
		var charges []float64
		for i := range atoms.At.X {
			charges = append(charges, math.Sin(float64(i)))
		}
		if c.Cutoff = 20; c.ForceShifted { // others have a step where a pair of the droplet crosses the cutoff
			c.Cutoff = 1.5
		}
		checkEnergies(t, c.name, charged{c.Coulomb, charges}, atoms)
	}
}

// The force and the energy of two damped charges of 1.
func dampedForce(r float64) float64 {
	return math.Erfc(0.9*r)/(r*r) + 2*0.9/math.SqrtPi*math.Exp(-0.81*r*r)/r
}

func dampedEnergy(r float64) float64 { return math.Erfc(0.9*r) / r }

// An ionCrystal is a crystal of ions with the charges 1 and -1, whose nearest neighbours are 1 apart. One of its ions is at
// the origin.
type ionCrystal struct {
	name     string
	step     float64                   // of the grid of places
	charge   func(x, y, z int) float64 // of the ion at a place, or 0
	madelung float64
	waves    float64 // the factor of the longest waves in the energy of two ions
}

// The constants are those of D. Borwein and others, Journal of Mathematical Physics 26 (1985). The longest waves of the charges of
// both crystals have k^2 = 3π^2. They add 2π/V * Σ |S|^2/k^2 * exp(-k^2/(4*Damping^2)) to the energy of a cell of the volume V, where S is the
// sum of its charges, each with its phase.
var ionCrystals = []ionCrystal{
	{"NaCl", 1, func(x, y, z int) float64 { return 1 - 2*float64((x+y+z)&1) }, 1.747564594633182,
		2 * math.Pi / 8 * 8 * 64 / (3 * math.Pi * math.Pi) / 4}, // eight waves, eight ions in a cube of the side 2
	{"CsCl", 1 / math.Sqrt(3), func(x, y, z int) float64 {
		if x&1 != y&1 || y&1 != z&1 {
			return 0
		}
		return 1 - 2*float64(x&1)
	}, 1.762674773070988, 2 * math.Pi / (8 / (3 * math.Sqrt(3))) * 6 * 4 / (3 * math.Pi * math.Pi)}, // six waves, two ions in a cube of the side 2/√3
}

// pairs returns the ion at the origin, and the ions in a cube around it that holds a sphere with the radius of the cutoff.
func (c ionCrystal) pairs(cutoff float64) Pairs[float64] {
	p := Pairs[float64]{Width: 4, Cutoff: cutoff}
	most := int(cutoff/c.step) + 1
	for x := -most; x <= most; x++ {
		for y := -most; y <= most; y++ {
			for z := -most; z <= most; z++ {
				if q := c.charge(x, y, z); q != 0 {
					p.All.X, p.All.Y, p.All.Z = append(p.All.X, float64(x)*c.step), append(p.All.Y, float64(y)*c.step), append(p.All.Z, float64(z)*c.step)
					p.Charges, p.List = append(p.Charges, q), append(p.List, int32(len(p.List)))
				}
			}
		}
	}
	for k, x := range p.All.X { // the row comes first
		if x == 0 && p.All.Y[k] == 0 && p.All.Z[k] == 0 {
			for _, lane := range [][]float64{p.All.X, p.All.Y, p.All.Z, p.Charges} {
				lane[0], lane[k] = lane[k], lane[0]
			}
		}
	}
	p.At, p.Start = p.All.Slice(0, 1), []int32{0, int32(len(p.List))}
	return p
}

// TestMadelung compares the energy of two ions of a crystal by Wolf's sum with the published Madelung constant. The result has
// the two errors that the documentation names:
//
//   - The damping leaves out the sum over waves. The waves after the longest ones have k^2 of at least 6π^2, so with a damping of up to
//     1.1 they add less than a hundredth of the longest ones.
//   - The sum beyond the cutoff is below erfc(Damping*Cutoff) for each of the ions at the cutoff, and there are less than
//     4π*Cutoff^2 of them.
//
// With less damping, the sum therefore converges to the constant.
func TestMadelung(t *testing.T) {
	for _, crystal := range ionCrystals {
		for _, c := range []struct{ damping, cutoff float64 }{{1.1, 5}, {0.9, 6}, {0.7, 8}, {0.5, 10}} {
			coulomb := Coulomb[float64]{Constant: 1, Cutoff: c.cutoff, Damping: c.damping, Shifted: true}
			force, energy, virial := lanesOf(1)
			if err := coulomb.AddTo(&force, energy, virial, crystal.pairs(c.cutoff)); err != nil {
				t.Fatal(err)
			}
			if far := max(math.Abs(force.X[0]), math.Abs(force.Y[0]), math.Abs(force.Z[0])); far > 1e-12 {
				t.Errorf("%s, damping %v: the force on an ion is %v", crystal.name, c.damping, far)
			}
			waves := crystal.waves * math.Exp(-3*math.Pi*math.Pi/(4*c.damping*c.damping))
			want := -crystal.madelung - waves // energy[0] is twice the energy of an ion, and so that of two ions
			tolerance := float64(0.01*waves) + float64(4*math.Pi*c.cutoff*c.cutoff*math.Erfc(c.damping*c.cutoff))
			if math.Abs(energy[0]-want) > tolerance {
				t.Errorf("%s, damping %v: the energy is %.12f, want %.12f within %.2g", crystal.name, c.damping, energy[0], want, tolerance)
			}
		}
	}
}

// TestCoulombLeast checks two properties of the least distance: terms add up exactly if as many bodies as possible are around a body, and the
// distance is not much larger than needed.
func TestCoulombLeast(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 9))
		p := Coulomb[float64]{Constant: math.Exp(2 * r.NormFloat64()), Cutoff: 1 + 9*r.Float64(), Damping: float64(r.IntN(2)) * r.Float64(), ForceShifted: r.IntN(2) == 0, Quantum: math.Ldexp(1, -20-r.IntN(15)), MaxCharge: math.Exp(r.NormFloat64())}
		least := p.Least()
		if least >= p.Cutoff/2 {
			t.Fatalf("%+v: the least distance is %v", p, least)
		}
		most := math.Ldexp(p.Quantum, 53)
		a := p.Constant * p.MaxCharge * p.MaxCharge
		// Shells of a crystal with the largest density that spheres can have, √2 bodies for a cube of the least distance.
		forces, energies := 0.0, 0.0
		const parts = 10_000
		for k := range parts {
			d := least + (p.Cutoff-least)*(float64(k)+0.5)/parts
			bodies := math.Sqrt2 * 4 * math.Pi * d * d * (p.Cutoff - least) / parts / (least * least * least)
			forces, energies = forces+bodies*a/(d*d), energies+bodies*a/d
		}
		if forces > most || energies > most {
			t.Errorf("%+v: with the least distance %v terms add up to %v and %v, more than %v", p, least, forces, energies, most)
		}
		if max(forces, energies) < most/16 {
			t.Errorf("%+v: the least distance %v is larger than needed: %v of %v", p, least, max(forces, energies), most)
		}
	}
}

// TestCoulombExcludes checks that terms with a negative constant exclude pairs: with quanta, the sums have the bits of sums
// without these pairs, with and without each of the fields that change the energy of a row itself.
func TestCoulombExcludes(t *testing.T) {
	p := droplet(rand.New(rand.NewPCG(1, 1)), 3, 0x1p-44)
	n := p.At.Len()
	for i := range n {
		p.Charges = append(p.Charges, math.Sin(float64(i+1)))
	}
	reduced := p // row 4 and 5 do not meet
	reduced.Width, reduced.Start, reduced.List = 1, []int32{0}, nil
	bonded := reduced
	bonded.Start = []int32{0}
	for i := range int32(n) {
		for k := range int32(n) {
			if i+k != 9 || i != 4 && i != 5 {
				reduced.List = append(reduced.List, k)
			} else {
				bonded.List = append(bonded.List, k)
			}
		}
		reduced.Start, bonded.Start = append(reduced.Start, int32(len(reduced.List))), append(bonded.Start, int32(len(bonded.List)))
	}
	if len(bonded.List) != 2 {
		t.Fatalf("the list of the excluded pair is %v", bonded.List)
	}
	for _, coulomb := range []Coulomb[float64]{{}, {Damping: 0.3}, {Damping: 0.8, Shifted: true}, {Damping: 0.8, ForceShifted: true}, {ForceShifted: true}} {
		coulomb.Constant, coulomb.Cutoff, coulomb.Quantum, coulomb.MaxCharge = 3, 2.5, 0x1p-36, 1
		opposite := coulomb
		opposite.Constant, opposite.PairsOnly = -3, true
		for _, energies := range []bool{true, false} {
			wantForce, wantEnergy, wantVirial := lanesOf(n)
			force, energy, virial := lanesOf(n)
			if !energies {
				wantEnergy, wantVirial, energy, virial = nil, nil, nil, nil
			}
			for i, err := range []error{coulomb.AddTo(&wantForce, wantEnergy, wantVirial, reduced), coulomb.AddTo(&force, energy, virial, p), opposite.AddTo(&force, energy, virial, bonded)} {
				if err != nil {
					t.Fatalf("%+v, sum %d: %v", coulomb, i, err)
				}
			}
			for i, lane := range [][2][]float64{{force.X, wantForce.X}, {force.Y, wantForce.Y}, {force.Z, wantForce.Z}, {energy, wantEnergy}, {virial, wantVirial}} {
				for row := range lane[0] {
					if got, want := lane[0][row], lane[1][row]; got != want {
						t.Fatalf("%+v: lane %d of row %d is %v, want %v", coulomb, i, row, got, want)
					}
				}
			}
		}
	}
	force, _, _ := lanesOf(n)
	only := Coulomb[float64]{Constant: 1, Cutoff: 2.5, PairsOnly: true}
	if err := only.AddTo(&force, nil, nil, reduced); err == nil || err.Error() != "forces: Coulomb.AddTo: the list of row 0 contains the row itself, and PairsOnly is set: leave the row out" {
		t.Errorf("a list with the rows: %v", err)
	}
}

// TestCoulombErrors checks errors and messages.
func TestCoulombErrors(t *testing.T) {
	p := droplet(rand.New(rand.NewPCG(1, 1)), 4, 0x1p-44)
	n := p.At.Len()
	p.Charges = make([]float64, n)
	for i := range p.Charges {
		p.Charges[i] = 1
	}
	coulomb := Coulomb[float64]{Constant: 1, Cutoff: 2.5, Quantum: 0x1p-36, MaxCharge: 1}
	force, energy, virial := lanesOf(n)
	p.At.X[41], p.At.Y[41], p.At.Z[41] = p.At.X[40]+0.12, p.At.Y[40], p.At.Z[40]
	err := coulomb.AddTo(&force, energy, virial, p)
	if want := fmt.Sprintf("and body 41 of All are %v apart, and the least distance is %v", p.At.X[41]-p.At.X[40], coulomb.Least()); !errors.Is(err, ErrTooNear) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "forces: Coulomb.AddTo: row 40 at (") {
		t.Errorf("got %v, want %s", err, want)
	}
	p.At.Y[3] = math.NaN()
	if err := coulomb.AddTo(&force, nil, nil, p); !errors.Is(err, ErrNotFinite) || !strings.Contains(err.Error(), "forces: Coulomb.AddTo: row 3 is at (") {
		t.Errorf("a row without a position: %v", err)
	}
	add := func(c Coulomb[float64]) func() { return func() { _ = c.AddTo(&force, nil, nil, p) } }
	charge := func(i int, q float64) func() {
		return func() {
			c := p
			c.Charges = append([]float64(nil), p.Charges...)
			c.Charges[i] = q
			_ = coulomb.AddTo(&force, nil, nil, c)
		}
	}
	for want, call := range map[string]func(){
		"forces: Coulomb.AddTo: Constant, Cutoff, Damping and Quantum are 1, 0, 0 and 0: a finite number, a length above 0, a number of at least 0, and a power of two or 0":                                          add(Coulomb[float64]{Constant: 1}),
		"forces: Coulomb.AddTo: Constant, Cutoff, Damping and Quantum are +Inf, 1, 0 and 0: a finite number, a length above 0, a number of at least 0, and a power of two or 0":                                       add(Coulomb[float64]{Constant: math.Inf(1), Cutoff: 1}),
		"forces: Coulomb.AddTo: Constant, Cutoff, Damping and Quantum are 1, 1, -1 and 0: a finite number, a length above 0, a number of at least 0, and a power of two or 0":                                         add(Coulomb[float64]{Constant: 1, Cutoff: 1, Damping: -1}),
		"forces: Coulomb.AddTo: Constant, Cutoff, Damping and Quantum are 1, 1, 0 and 0.75: a finite number, a length above 0, a number of at least 0, and a power of two or 0":                                       add(Coulomb[float64]{Constant: 1, Cutoff: 1, Quantum: 0.75}),
		"forces: Coulomb.AddTo: Cutoff is +Inf, with Damping 1 and Quantum 0: it is infinite only without both, and otherwise its square and its product with Damping are numbers of the type float64":                add(Coulomb[float64]{Constant: 1, Cutoff: math.Inf(1), Damping: 1}),
		"forces: Coulomb.AddTo: Cutoff is 1e+200, with Damping 0 and Quantum 0: it is infinite only without both, and otherwise its square and its product with Damping are numbers of the type float64":              add(Coulomb[float64]{Constant: 1, Cutoff: 1e200}),
		"forces: Coulomb.AddTo: MaxCharge is 0: with a Quantum, it is the largest absolute value of a charge":                                                                                                         add(Coulomb[float64]{Constant: 1, Cutoff: 1, Quantum: 1}),
		"forces: Coulomb.AddTo: Quantum is 2.220446049250313e-16, and terms of pairs nearer than 4.3309740514602355, with charges up to MaxCharge, 1, cannot be added up exactly, and Cutoff is 2: take a larger one": add(Coulomb[float64]{Constant: 1, Cutoff: 2, Quantum: 0x1p-52, MaxCharge: 1}),
		"forces: Coulomb.AddTo: Cutoff is 2.5, and the list has pairs up to pairs.Cutoff, 2: make the list with the cutoff of the potential, and set pairs.Cutoff to that of the list":                                func() { q := p; q.Cutoff = 2; _ = coulomb.AddTo(&force, nil, nil, q) },
		"forces: Coulomb.AddTo: len(energy) is 64, len(virial) is 0, len(force.X) is 64: both are nil or have this length":                                                                                            func() { _ = coulomb.AddTo(&force, energy, nil, p) },
		"forces: Coulomb.AddTo: len(pairs.Charges) is 63, len(pairs.All.X) is 64, and the rows are 0 to 64: each body has a charge, and the first bodies are the rows":                                                func() { q := p; q.Charges = q.Charges[1:]; _ = coulomb.AddTo(&force, nil, nil, q) },
		"forces: Coulomb.AddTo: pairs.Charges[7] is -1.5, and MaxCharge is 1: a charge is finite, and its absolute value is at most MaxCharge unless this is 0":                                                       charge(7, -1.5),
		"forces: Coulomb.AddTo: pairs.Charges[8] is NaN, and MaxCharge is 1: a charge is finite, and its absolute value is at most MaxCharge unless this is 0":                                                        charge(8, math.NaN()),
	} {
		if got := panicOf(call); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}
