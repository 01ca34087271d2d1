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

// TestLennardJonesUnits checks for many units of length and energy that float32 either computes nearly
// the force of float64 or refuses the parameters. The message of the panic must name the remedy.
func TestLennardJonesUnits(t *testing.T) {
	accepted, refused := 0, 0
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		epsilon, sigma := math.Ldexp(1+r.Float64(), r.IntN(80)-40), math.Ldexp(1+r.Float64(), r.IntN(40)-20)
		if r.IntN(2) == 0 {
			epsilon = 1
		}
		epsilon, sigma = float64(float32(epsilon)), float64(float32(sigma))
		at := float64(float32(sigma * (1 + r.Float64())))
		single, message := forceOfPair[float32](float32(epsilon), float32(sigma), float32(at))
		double, none := forceOfPair(epsilon, sigma, at)
		switch {
		case none != "":
			t.Fatalf("float64: %s", none)
		case message == "":
			accepted++
			if scale := 24 * epsilon / sigma; math.Abs(float64(single)-double) > 1e-4*scale {
				t.Errorf("Epsilon %v, Sigma %v: the force at %v is %v, want %v", epsilon, sigma, at, single, double)
			}
		default:
			refused++
			if !strings.Contains(message, "reduced units") || !strings.Contains(message, fmt.Sprintf("Epsilon is %v and Sigma is %v,", float32(epsilon), float32(sigma))) {
				t.Errorf("the message is %s", message)
			}
		}
	}
	if accepted < 500 || refused < 500 {
		t.Errorf("%d are accepted and %d are refused", accepted, refused)
	}
	if force, message := forceOfPair[float32](0, 1e-3, 1); force != 0 || message != "" {
		t.Errorf("without Epsilon: %v, %s", force, message)
	}
}

// forceOfPair returns the force on the second body of a pair without a cutoff, or the message of a panic or an error.
func forceOfPair[T kernels.Float](epsilon, sigma, at T) (force T, message string) {
	return forceOf(LennardJones[T]{Epsilon: epsilon, Sigma: sigma, Cutoff: T(math.Inf(1))}, at)
}

// forceOf returns the force on the second body of a pair, or the message of a panic or an error.
func forceOf[T kernels.Float](potential LennardJones[T], at T) (force T, message string) {
	defer func() {
		if r := recover(); r != nil {
			message = fmt.Sprint(r)
		}
	}()
	p := Pairs[T]{At: kernels.Vec3s[T]{X: []T{0, at}, Y: []T{0, 0}, Z: []T{0, 0}}, Start: []int32{0, 2}, List: []int32{0, 1}, Width: 2, Cutoff: T(math.Inf(1))}
	p.All = p.At
	f := kernels.Vec3s[T]{X: make([]T, 2), Y: make([]T, 2), Z: make([]T, 2)}
	if err := potential.AddTo(&f, nil, nil, p); err != nil {
		return 0, err.Error()
	}
	return f.X[1], ""
}

// TestLennardJonesSquares checks cutoffs and switches of all sizes. float32 must either compute nearly the
// force of float64 or refuse the parameters with a message that names them and the remedy.
func TestLennardJonesSquares(t *testing.T) {
	accepted, refused := 0, 0
	check := func(cutoff, from float32, at float64) {
		single, message := switchedForce(cutoff, from, float32(at))
		double, none := switchedForce(float64(cutoff), float64(from), float64(float32(at)))
		switch {
		case none != "":
			t.Fatalf("float64: %s", none)
		case message == "":
			accepted++
			if math.Abs(float64(single)-double) > 1e-4 || single != single {
				t.Errorf("Cutoff %v, SwitchFrom %v: the force at %v is %v, want %v", cutoff, from, at, single, double)
			}
		default:
			refused++
			square := float64(cutoff) * float64(cutoff)
			switch {
			case square > math.MaxFloat32 && strings.HasPrefix(message, fmt.Sprintf("forces: LennardJones.AddTo: Cutoff is %v, and float32 cannot hold its square: take a smaller one", cutoff)):
			case from > 0 && strings.HasPrefix(message, fmt.Sprintf("forces: LennardJones.AddTo: SwitchFrom is %v and Cutoff is %v, so that 1/(", from, cutoff)) && strings.Contains(message, "take reduced units"):
			default:
				t.Errorf("Cutoff %v, SwitchFrom %v: the message is %s", cutoff, from, message)
			}
		}
	}
	check(1e20, 5e19, 1.5)
	check(1e20, 0, 1.5)
	check(1.5e19, 1e19, 1.5)
	check(math.Nextafter32(4097, 5000), 4097, 1.5)
	check(1e20, math.MaxUint8, 1.5)
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 2))
		cutoff := float32(math.Ldexp(1+r.Float64(), 1+r.IntN(70)))
		from := max(1, cutoff*r.Float32())
		if r.IntN(3) == 0 {
			from = 0
		}
		check(cutoff, from, 1+r.Float64()*math.Min(float64(cutoff), 10))
	}
	if accepted < 500 || refused < 100 {
		t.Errorf("%d are accepted and %d are refused", accepted, refused)
	}
	for from, cutoff := float32(1), float32(0); from < 1e18; from *= 1.37 { // squares that are equal after rounding
		cutoff = math.Nextafter32(from, 2*from)
		if from*from == cutoff*cutoff {
			if _, message := switchedForce(cutoff, from, from); !strings.Contains(message, "a longer switch") {
				t.Errorf("SwitchFrom %v, Cutoff %v: %s", from, cutoff, message)
			}
		}
	}
}

// switchedForce returns the force on the second body of a pair with Epsilon and Sigma 1, or the message of a panic or an error.
func switchedForce[T kernels.Float](cutoff, from, at T) (force T, message string) {
	return forceOf(LennardJones[T]{Epsilon: 1, Sigma: 1, Cutoff: cutoff, SwitchFrom: from}, at)
}

// TestLennardJonesNames calls AddTo for a part of the rows and checks that an error names the row by its
// number among all rows. It also checks that the error names a body that has no position.
func TestLennardJonesNames(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := droplet(r, 4, 0x1p-44)
		p.All = kernels.Vec3s[float64]{X: append([]float64(nil), p.At.X...), Y: append([]float64(nil), p.At.Y...), Z: append([]float64(nil), p.At.Z...)}
		n := p.At.Len()
		row, axis := 16+r.IntN(n-16), r.IntN(3)
		bad := []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[r.IntN(3)]
		part := p.Rows(8, n).Rows(8, n-8)
		want := fmt.Sprintf("row %d is at (", row)
		if seed%2 == 0 {
			[3][]float64{p.At.X, p.At.Y, p.At.Z}[axis][row] = bad
		} else {
			k := r.IntN(16) // a body whose row is in another part
			[3][]float64{p.All.X, p.All.Y, p.All.Z}[axis][k] = bad
			want = fmt.Sprintf("body %d of All, in the list of row 16, is at (", k)
		}
		lj := LennardJones[float64]{Epsilon: 1, Sigma: 1, Cutoff: 2.5}
		force, energy, virial := lanesOf(n - 16)
		if seed%3 == 0 {
			energy, virial = nil, nil
		}
		if err := lj.AddTo(&force, energy, virial, part); !errors.Is(err, ErrNotFinite) || !strings.Contains(err.Error(), want) {
			t.Errorf("seed %d: %v, want %s", seed, err, want)
		}
	}
}
