package forces

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

// These tests compute forces in units of all sizes. Each result must be nearly that of units of usual size, or an error or a panic
// must name the reason.

// TestBondsScale compares bonds and angles with lengths and stiffnesses of all sizes with those of size 1, multiplied by the
// same powers of two.
func TestBondsScale(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testBondsScale[float32](t, 126) })
	t.Run("float64", func(t *testing.T) { testBondsScale[float64](t, 1020) })
}

func testBondsScale[T kernels.Float](t *testing.T, exponents int) {
	accepted, refused := 0, 0
	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(seed, 1))
		long, stiff := r.IntN(2*exponents-70)-exponents, r.IntN(2*exponents-20)-exponents+20
		if seed%2 == 0 {
			stiff /= 8
		}
		by := func(x float64, e int) T { return T(math.Ldexp(x, e)) }
		sum := func(long, stiff int, thin float64) (f [2]kernels.Vec3s[T], err error) {
			r := rand.New(rand.NewPCG(seed, 2))
			at := nothing[T](3)
			for i := range 3 {
				at.X[i], at.Y[i], at.Z[i] = by(r.Float64()+float64(i), long), by(thin*r.Float64(), long), by(thin*r.Float64(), long)
			}
			bonds := Bonds[T]{Net: Tie(3, []int32{0, 1}, []int32{1, 2}, []T{by(0.3, long), by(0.4, long)}, []T{by(0.7, stiff), by(0.9, stiff)})}
			angles := TieAngles(3, []int32{0}, []int32{1}, []int32{2}, []T{2}, []T{by(0.6, stiff)})
			f[0], f[1] = nothing[T](3), nothing[T](3)
			return f, errors.Join(bonds.AddTo(&f[0], nil, nil, &at), angles.AddTo(&f[1], nil, &at))
		}
		thin := []float64{1, 1, 0x1p-20, 0x1p-70}[seed%4]
		if long += r.IntN(70); math.Ldexp(thin, long) < math.Ldexp(1, 30-exponents) {
			long = 0 // so that no coordinate is too small for its bits
		}
		got, err := sum(long, stiff, thin)
		if err != nil {
			refused++
			if !errors.Is(err, ErrTooLarge) || long+stiff < exponents/2 && 2*long+stiff < exponents/2 && stiff-long < exponents/2 {
				t.Fatalf("lengths of 2^%d, stiffnesses of 2^%d: %v", long, stiff, err)
			}
			continue
		}
		want, err := sum(0, 0, thin)
		if err != nil {
			t.Fatal(err)
		}
		accepted++
		for kind, power := range [2]int{long + stiff, stiff - long} { // a stiffness of a bond is a force for a length, that of an angle an energy
			if math.Ldexp(thin, power) < math.Ldexp(1, 30-exponents) {
				continue // the force itself has few bits
			}
			for i := range 3 {
				if x := by(float64(want[kind].X[i]), power); got[kind].X[i] != x || got[kind].Y[i] != by(float64(want[kind].Y[i]), power) {
					t.Fatalf("kind %d, lengths of 2^%d, stiffnesses of 2^%d, thin %v: the force on row %d is %v, want %v", kind, long, stiff, thin, i, got[kind].X[i], x)
				}
			}
		}
	}
	if accepted < 500 || refused < 500 {
		t.Errorf("%d are accepted and %d are refused", accepted, refused)
	}
}

// TestRanges computes the force of pairs in float32 and in float64, with parameters of all sizes.
func TestRanges(t *testing.T) {
	type pair struct {
		single, wide func() (float64, error)
		scale        float64 // of forces
		panics       string  // a part of each message
		parameters   any
	}
	draws := map[string]func(r *rand.Rand) pair{
		"LennardJones": func(r *rand.Rand) pair {
			epsilon, sigma := size(r, 120), size(r, 30)
			at := float32(float64(sigma) * (1 + r.Float64()))
			p := LennardJones[float32]{Epsilon: epsilon, Sigma: sigma, Cutoff: float32(math.Inf(1))}
			q := LennardJones[float64]{Epsilon: float64(epsilon), Sigma: float64(sigma), Cutoff: math.Inf(1)}
			return pair{single: func() (float64, error) { return pairForce[float32](p, at, nil) }, wide: func() (float64, error) { return pairForce[float64](q, float64(at), nil) },
				scale: 24 * float64(epsilon) / float64(sigma), panics: "take reduced units", parameters: p}
		},
		"Morse": func(r *rand.Rand) pair {
			depth, rest := size(r, 120), size(r, 60)
			alpha := float32(math.Ldexp(1+r.Float64(), r.IntN(6)-2) / float64(rest))
			if alpha == 0 || math.IsInf(float64(alpha), 0) {
				alpha = 1
			}
			at := float32(float64(rest) * (0.8 + r.Float64()))
			p := Morse[float32]{Depth: depth, Alpha: alpha, Rest: rest, Cutoff: 3 * rest}
			q := Morse[float64]{Depth: float64(depth), Alpha: float64(alpha), Rest: float64(rest), Cutoff: 3 * float64(rest)}
			return pair{single: func() (float64, error) { return pairForce[float32](p, at, nil) }, wide: func() (float64, error) { return pairForce[float64](q, float64(at), nil) },
				scale: 2 * float64(depth) * float64(alpha) * math.Exp(2*float64(alpha)*math.Max(0, float64(rest)-float64(at))), panics: "take reduced units", parameters: p}
		},
		"Coulomb": func(r *rand.Rand) pair {
			constant, charge, cutoff := size(r, 60), size(r, 70), size(r, 60)
			at := float32(float64(cutoff) * (0.1 + 0.8*r.Float64()))
			p := Coulomb[float32]{Constant: constant, Cutoff: cutoff, ForceShifted: r.IntN(2) == 0}
			q := Coulomb[float64]{Constant: float64(constant), Cutoff: float64(cutoff), ForceShifted: p.ForceShifted}
			charges := []float64{float64(charge), -float64(charge)}
			return pair{single: func() (float64, error) { return pairForce[float32](p, at, charges) }, wide: func() (float64, error) { return pairForce[float64](q, float64(at), charges) },
				scale: float64(constant) * float64(charge) * float64(charge) / (float64(at) * float64(at)), panics: "take units in which", parameters: fmt.Sprint(p, charge)}
		},
	}
	for _, name := range []string{"LennardJones", "Morse", "Coulomb"} {
		accepted, refused := 0, 0
		for seed := range uint64(3000) {
			p := draws[name](rand.New(rand.NewPCG(seed, 5)))
			got, err := p.single()
			want, wrong := p.wide()
			switch {
			case wrong != nil:
				t.Fatalf("%s %v in float64: %v", name, p.parameters, wrong)
			case err == nil:
				accepted++
				if !(math.Abs(got-want) <= 1e-4*p.scale) {
					t.Errorf("%s %+v, seed %d: the force is %v, want %v", name, p.parameters, seed, got, want)
				}
			default:
				refused++
				if !strings.Contains(err.Error(), p.panics) && !strings.Contains(err.Error(), "a force is not finite") && !errors.Is(err, ErrTooNear) {
					t.Errorf("%s %+v: %v", name, p.parameters, err)
				}
			}
		}
		if accepted < 300 || refused < 300 {
			t.Errorf("%s: %d are accepted and %d are refused", name, accepted, refused)
		}
	}
}

// size returns a number between 2^-most and 2^most.
func size(r *rand.Rand, most int) float32 {
	return float32(math.Ldexp(1+r.Float64(), r.IntN(2*most)-most))
}

// pairForce returns the force on the second body of a pair. The error may be the message of a panic.
func pairForce[T kernels.Float](p interface {
	AddTo(force *kernels.Vec3s[T], energy, virial []T, pairs Pairs[T]) error
}, at T, charges []float64) (force float64, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New(fmt.Sprint(r))
		}
	}()
	pairs := Pairs[T]{At: kernels.Vec3s[T]{X: []T{0, at}, Y: []T{0, 0}, Z: []T{0, 0}}, Start: []int32{0, 2}, List: []int32{0, 1}, Width: 2, Cutoff: T(math.Inf(1))}
	pairs.All = pairs.At
	for _, q := range charges {
		pairs.Charges = append(pairs.Charges, T(q))
	}
	f := nothing[T](2)
	err = p.AddTo(&f, nil, nil, pairs)
	return float64(f.X[1]), err
}

// TestSpringRange checks the lengths that the comments of Springs and Gravity name.
func TestSpringRange(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testSpringRange[float32](t, 60, 42) })
	t.Run("float64", func(t *testing.T) { testSpringRange[float64](t, 500, 340) })
}

func testSpringRange[T kernels.Float](t *testing.T, spring, gravity int) {
	for e := -spring; e <= spring; e++ {
		long := T(math.Ldexp(1, e))
		at, vel, force := kernels.Vec3s[T]{X: []T{0, long}, Y: []T{0, 0}, Z: []T{0, 0}}, nothing[T](2), nothing[T](2)
		Springs(&force, &at, &vel, &at, &vel, Tie(2, []int32{0}, []int32{1}, []T{long / 2}, []T{4}), 1)
		if want := 2 * long; force.X[0] != want || force.X[1] != -want {
			t.Errorf("a spring of the length 2^%d has the force %v, want %v", e, force.X, want)
		}
		if e < -gravity || e > gravity {
			continue
		}
		acc, first, second := nothing[T](1), at.Slice(0, 1), at.Slice(1, 2)
		if Gravity(&acc, &first, &second, []T{1}, 0); acc.X[0] != T(math.Ldexp(1, -2*e)) {
			t.Errorf("over 2^%d a body is pulled by %v", e, acc.X[0])
		}
	}
}

// TestBondFormulas compares bonds and angles of usual size with the formulas of their comments, bit by bit.
func TestBondFormulas(t *testing.T) {
	t.Run("float32", testBondFormulas[float32])
	t.Run("float64", testBondFormulas[float64])
}

func testBondFormulas[T kernels.Float](t *testing.T) {
	type vec [3]T
	dot := func(a, b vec) T { return (T(a[0]*b[0]) + T(a[1]*b[1])) + T(a[2]*b[2]) }
	cross := func(a, b vec) vec {
		return vec{T(a[1]*b[2]) - T(a[2]*b[1]), T(a[2]*b[0]) - T(a[0]*b[2]), T(a[0]*b[1]) - T(a[1]*b[0])}
	}
	root := func(x T) T { return T(math.Sqrt(float64(x))) }
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 6))
		at, bond, angle := nothing[T](3), nothing[T](3), nothing[T](3)
		for _, lane := range [][]T{at.X, at.Y, at.Z} {
			for i := range lane {
				lane[i] = T(math.Ldexp(r.NormFloat64(), r.IntN(9)-4))
			}
		}
		way := func(to, from int) vec {
			return vec{at.X[to] - at.X[from], at.Y[to] - at.Y[from], at.Z[to] - at.Z[from]}
		}
		rest, stiff := T(r.Float64()), T(100*r.Float64())
		bonds := Bonds[T]{Net: Tie(3, []int32{0}, []int32{1}, []T{rest}, []T{stiff})}
		angles := TieAngles(3, []int32{0}, []int32{1}, []int32{2}, []T{rest}, []T{stiff})
		energy, virial, energies := make([]T, 3), make([]T, 3), make([]T, 3)
		if err := errors.Join(bonds.AddTo(&bond, energy, virial, &at), angles.AddTo(&angle, energies, &at)); err != nil {
			t.Fatal(err)
		}
		d := way(1, 0)
		length := root(dot(d, d))
		pull := T(stiff * (length - rest))
		if want := T((pull / length) * d[0]); bond.X[0] != want || energy[0] != T(T(0.5*pull)*(length-rest)) || virial[0] != -T(pull*length) {
			t.Fatalf("seed %d: a bond has the force %v along x, the energy %v and the virial %v, want the force %v", seed, bond.X[0], energy[0], virial[0], want)
		}
		u, v := way(0, 1), way(2, 1)
		n := cross(u, v)
		s := root(dot(n, n))
		wide := kernels.Atan2Of(s, dot(u, v)) - rest
		turn := T(stiff * wide)
		for k, w := range []vec{cross(u, n), cross(v, vec{-n[0], -n[1], -n[2]})} {
			end, side := 2*k, []vec{u, v}[k]
			f := -turn / T(dot(side, side)*s)
			if got, want := (vec{angle.X[end], angle.Y[end], angle.Z[end]}), (vec{T(f * w[0]), T(f * w[1]), T(f * w[2])}); got != want {
				t.Fatalf("seed %d: the force on end %d of an angle is %v, want %v", seed, end, got, want)
			}
		}
		if want := T(T(0.5*turn) * wide); energies[0] != want {
			t.Fatalf("seed %d: the energy of an angle is %v, want %v", seed, energies[0], want)
		}
	}
}
