package forces

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

// A potentialOf is a pairPotential of a type.
type potentialOf[T kernels.Float] interface {
	AddTo(force *kernels.Vec3s[T], energy, virial []T, pairs Pairs[T]) error
}

// pairPotentials returns a potential of each kind, with two species.
func pairPotentials[T kernels.Float]() []potentialOf[T] {
	lj := LennardJones[T]{Epsilon: 1, Sigma: 1, Cutoff: 2.5}
	switched := LennardJones[T]{Epsilon: 1, Sigma: 1, Cutoff: 2.5, SwitchFrom: 2}
	return []potentialOf[T]{
		lj, switched, LennardJones[T]{Epsilon: 1, Sigma: 1, Cutoff: 2.5, Quantum: 0x1p-9},
		NewMixture(2, func(int, int) LennardJones[T] { return lj }), NewMixture(2, func(a, b int) LennardJones[T] { return []LennardJones[T]{lj, switched}[(a+b)%2] }),
		Morse[T]{Depth: 1, Alpha: 6, Rest: 1, Cutoff: 2.5},
		Coulomb[T]{Constant: 1, Cutoff: 2.5}, Coulomb[T]{Constant: 1, Cutoff: 2.5, Damping: 1, Shifted: true},
	}
}

// molecules returns molecules of two rows each, which are so far apart that each list contains only the rows of a cluster.
func molecules[T kernels.Float](count, width int) Pairs[T] {
	p := Pairs[T]{At: nothing[T](2 * count), Width: width, Cutoff: 3}
	for i := range 2 * count {
		p.At.X[i] = T(100*(i/2) + i%2)
		p.Kinds, p.Charges = append(p.Kinds, int32(i%2)), append(p.Charges, T(1-2*(i%2)))
	}
	p.All = p.At
	for lo := 0; lo < 2*count; lo += width {
		p.Start = append(p.Start, int32(len(p.List)))
		for k := lo &^ 1; k < min(2*count, max(lo+width, lo|1+1)); k++ {
			p.List = append(p.List, int32(k))
		}
	}
	p.Start = append(p.Start, int32(len(p.List)))
	return p
}

// TestNoPosition checks that a row whose position is not finite is an error even if its list is empty.
func TestNoPosition(t *testing.T) {
	t.Run("float32", testNoPosition[float32])
	t.Run("float64", testNoPosition[float64])
}

func testNoPosition[T kernels.Float](t *testing.T) {
	check := func(potential potentialOf[T], p Pairs[T], row int, what string) {
		t.Helper()
		for _, energies := range []bool{false, true} {
			n := len(p.At.X)
			force, energy, virial := nothing[T](n), make([]T, n), make([]T, n)
			if !energies {
				energy, virial = nil, nil
			}
			err := potential.AddTo(&force, energy, virial, p)
			if want := fmt.Sprintf("AddTo: row %d is at (", row); !errors.Is(err, ErrNotFinite) || !strings.Contains(err.Error(), want) {
				t.Errorf("%T%+v, %s, energies %v: got the error %v, want %s", potential, potential, what, energies, err, want)
			}
		}
	}
	for _, count := range []int{1, 2, 9} {
		for _, width := range []int{1, 2, 4, 8, 16, 32} {
			for row := max(0, 2*count-2); row < 2*count; row++ {
				for axis, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
					p := molecules[T](count, width)
					[][]T{p.At.X, p.At.Y, p.At.Z}[axis][row] = T(bad)
					var a, b []int32
					for i := range int32(count) {
						a, b = append(a, 2*i), append(b, 2*i+1)
					}
					e := Exclude(Tie(2*count, a, b, make([]T, count), make([]T, count)), 1)
					excluded := e.From(p, nil)
					what := fmt.Sprintf("%d molecules, width %d, coordinate %d of row %d is %v", count, width, axis, row, bad)
					for _, potential := range pairPotentials[T]() {
						check(potential, p, row, what)
						check(potential, excluded, row, what+", with exclusions")
						lo := row / width * width
						check(potential, excluded.Rows(lo, min(lo+width, 2*count)), row, what+", with exclusions, a part")
					}
					p.Start, p.List = make([]int32, len(p.Start)), nil
					check(Coulomb[T]{Constant: 1, Cutoff: 2.5, PairsOnly: true}, p, row, what+", no pairs")
				}
			}
		}
	}
}

// TestTooLarge checks that an energy or a virial that is not finite is an error, although all forces are finite.
func TestTooLarge(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testTooLarge[float32](t, 1e20) })
	t.Run("float64", func(t *testing.T) { testTooLarge[float64](t, 1e160) })
}

// The square of large is infinite.
func testTooLarge[T kernels.Float](t *testing.T, large T) {
	sum := func(potential potentialOf[T], p Pairs[T], energy0, virial0 T) {
		t.Helper()
		force, energy, virial := nothing[T](2), []T{0, energy0}, []T{0, virial0}
		if err := potential.AddTo(&force, nil, nil, p); err != nil {
			t.Errorf("%T%+v, without energies: %v", potential, potential, err)
		}
		err := potential.AddTo(&force, energy, virial, p)
		row := 0
		if energy0 != 0 || virial0 != 0 {
			row = 1
		}
		if want := fmt.Sprintf("AddTo: row %d has the energy %v and the virial %v: ", row, energy[row], virial[row]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%T%+v: got the error %v, energies %v and virials %v, want %s", potential, potential, err, energy, virial, want)
		}
	}
	p := molecules[T](1, 2)
	p.Cutoff, p.Charges = T(math.Inf(1)), []T{large, 1}
	p.At.X[1] = 50
	for _, c := range []Coulomb[T]{{}, {Shifted: true}, {ForceShifted: true}, {Damping: 0.1}} {
		c.Constant, c.Cutoff = 1/large, 10
		sum(c, p, 0, 0)
	}
	p.Charges[0] = 1
	for _, potential := range pairPotentials[T]() {
		p.At.X[1] = 50
		sum(potential, p, T(math.Inf(-1)), 0)
		sum(potential, p, 0, T(math.NaN()))
		p.At.X[1] = large // the virial is the force, 0, times the square of this
		sum(potential, p, 0, 0)
	}
}
