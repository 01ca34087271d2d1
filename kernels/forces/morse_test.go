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

func TestMorse(t *testing.T) {
	t.Run("float32", testMorse[float32])
	t.Run("float64", testMorse[float64])
}

// testMorse compares the compiled loops with their sources.
func testMorse[T kernels.Float](t *testing.T) {
	for k, width := range []int{16, 4, 1, 8} {
		for _, energies := range []bool{false, true} {
			kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
				p, n := randomPairs[T](in, width, 20)
				morse := Morse[T]{Depth: 1, Alpha: 9, Rest: 0.3, Cutoff: 0.5, Shifted: n%2 == 0, Quantum: []T{0, 0x1p-7}[k%2]}
				force, c := kerneltest.View[kernels.Vec3s[T]](in), morse.constants(morse.Least())
				energy, virial := kerneltest.Lane[T](in), kerneltest.Lane[T](in)
				c[morseItself] = p.itself()
				if energies {
					return func() { morseEnergiesOf(force, energy, virial, &p.At, &p.All, p.Start, p.List, width, &c) },
						func() { _ = morse.AddTo(force, energy, virial, p) }
				}
				return func() { morseForcesOf(force, &p.At, &p.All, p.Start, p.List, width, morse.Quantum > 0, &c) },
					func() { _ = morse.AddTo(force, nil, nil, p) }
			})
		}
	}
}

// TestMorseValues compares a pair with values from the formula, and forces with differences of energies.
func TestMorseValues(t *testing.T) {
	morse := Morse[float64]{Depth: 1.5, Alpha: 5, Rest: 1.1, Cutoff: 2.2, Shifted: true}
	at := func(r float64) (f, u float64) { // from the definition of the potential as a difference to the ground state
		x := math.Exp(-5 * (r - 1.1))
		return -1.5 * 2 * 5 * x * (1 - x), 1.5 * ((1-x)*(1-x) - 1)
	}
	_, shift := at(2.2)
	for r := 0.3; r < 2.4; r += 1e-3 {
		wantF, wantU := at(r)
		wantU -= shift
		if r >= 2.2 {
			wantF, wantU = 0, 0
		}
		if f, u := pairAt(t, morse, r); math.Abs(f-wantF) > 1e-13*(1+math.Abs(wantF)) || math.Abs(u-wantU) > 1e-13*(1+math.Abs(wantU)) {
			t.Fatalf("at %v the force and the energy are %v and %v, want %v and %v", r, f, u, wantF, wantU)
		}
	}
	if f, u := pairAt(t, Morse[float64]{Depth: 1.5, Alpha: 5, Rest: 1.1, Cutoff: 2.2}, 1.1); f != 0 || u != -1.5 {
		t.Errorf("at rest the force and the energy are %v and %v", f, u)
	}
	for seed := range uint64(3) {
		checkEnergies(t, fmt.Sprint("seed ", seed), morse, droplet(rand.New(rand.NewPCG(seed, 8)), 3, 0x1p-44))
	}
}

// TestMorseLeast checks two properties of the least distance: the terms of a body add up exactly if shells of
// other bodies surround it at this distance, and the distance is not much larger than needed.
func TestMorseLeast(t *testing.T) {
	tested := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 9))
		p := Morse[float64]{Depth: math.Exp(2 * r.NormFloat64()), Alpha: 0.5 + 8*r.Float64(), Rest: 0.5 + 2*r.Float64(), Quantum: math.Ldexp(1, -20-r.IntN(22))}
		p.Cutoff = p.Rest * (1.2 + 2*r.Float64())
		least := p.Least()
		if !p.addsUp(p.Rest) {
			continue // AddTo refuses it
		}
		tested++
		sum := func(d float64) (sum float64) {
			for k := 1.0; k*d < p.Cutoff; k++ {
				at := k * d
				e := math.Exp(p.Alpha * (p.Rest - at))
				force := math.Abs(2 * p.Alpha * p.Depth * e * (e - 1))
				sum += (24*k*k + 2) * max(force, force*at, math.Abs(p.Depth*e*(e-2))+p.Depth)
			}
			return sum
		}
		if got, most := sum(least), math.Ldexp(p.Quantum, 53); got > most {
			t.Errorf("%+v: with the least distance %v terms add up to %v, more than %v", p, least, got, most)
		}
		if least > p.Rest/50 && sum(least*0.7) < math.Ldexp(p.Quantum, 53)/64 {
			t.Errorf("%+v: the least distance %v is larger than needed", p, least)
		}
	}
	if tested < 200 {
		t.Errorf("%d potentials are too few for a test", tested)
	}
	p := Morse[float64]{Depth: 1, Alpha: 6, Rest: 1, Cutoff: 2.5, Quantum: 0x1p-36}
	if got := p.Least(); math.Abs(got-0.504) > 5e-4 {
		t.Errorf("the least distance is %v", got)
	}
}

// TestMorseErrors checks errors and messages.
func TestMorseErrors(t *testing.T) {
	p := droplet(rand.New(rand.NewPCG(1, 1)), 4, 0x1p-44)
	n := p.At.Len()
	morse := Morse[float64]{Depth: 1, Alpha: 6, Rest: 1, Cutoff: 2.5, Quantum: 0x1p-36}
	force, energy, virial := lanesOf(n)
	p.At.X[41], p.At.Y[41], p.At.Z[41] = p.At.X[40]+0.5, p.At.Y[40], p.At.Z[40]
	err := morse.AddTo(&force, energy, virial, p)
	if want := fmt.Sprintf("and body 41 of All are %v apart, and the least distance is %v", p.At.X[41]-p.At.X[40], morse.Least()); !errors.Is(err, ErrTooNear) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "forces: Morse.AddTo: row 40 at (") {
		t.Errorf("got %v, want %s", err, want)
	}
	p.At.Y[3] = math.NaN()
	if err := morse.AddTo(&force, nil, nil, p); !errors.Is(err, ErrNotFinite) || !strings.Contains(err.Error(), "forces: Morse.AddTo: row 3 is at (") {
		t.Errorf("a row without a position: %v", err)
	}
	for want, call := range map[string]func(){
		"forces: Morse.AddTo: Depth, Alpha, Rest, Cutoff and Quantum are 1, 0, 1, 2 and 0: numbers above 0, and a power of two or 0":                                                          func() { _ = Morse[float64]{1, 0, 1, 2, false, 0}.AddTo(&force, nil, nil, p) },
		"forces: Morse.AddTo: Depth, Alpha, Rest, Cutoff and Quantum are 1, 1, 1, 2 and 0.75: numbers above 0, and a power of two or 0":                                                       func() { _ = Morse[float64]{1, 1, 1, 2, false, 0.75}.AddTo(&force, nil, nil, p) },
		"forces: Morse.AddTo: Quantum is 2.220446049250313e-16, and terms of pairs at Rest or beyond, up to the cutoff of 2, cannot be added up exactly: take a larger one":                   func() { _ = Morse[float64]{1, 1, 1, 2, false, 0x1p-52}.AddTo(&force, nil, nil, p) },
		"forces: Morse.AddTo: Cutoff is 2.5, and the list has pairs up to pairs.Cutoff, 2: make the list with the cutoff of the potential, and set pairs.Cutoff to that of the list":          func() { q := p; q.Cutoff = 2; _ = morse.AddTo(&force, nil, nil, q) },
		"forces: Morse.AddTo: len(energy) is 64, len(virial) is 0, len(force.X) is 64: both are nil or have this length":                                                                      func() { _ = morse.AddTo(&force, energy, nil, p) },
		"forces: Morse.AddTo: pairs.Width is 8 and len(pairs.Start) is 8, len(force.X) is 64: each group of Width rows has a part of the list, and the end of the last part is in Start, too": func() { q := p; q.Start = q.Start[:8]; _ = morse.AddTo(&force, nil, nil, q) },
	} {
		if got := panicOf(call); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}
