package forces

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

func TestQuantize(t *testing.T) {
	t.Run("float32", testQuantize[float32])
	t.Run("float64", testQuantize[float64])
}

// testQuantize compares Quantize and the steps of Drift with numbers that are rounded by a division, over the whole range.
func testQuantize[T kernels.Float](t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		quantum := T(math.Ldexp(1, r.IntN(60)-50))
		most := QuantumRange(quantum)
		nearest := func(x T) T { return T(math.RoundToEven(float64(x)/float64(quantum)) * float64(quantum)) }
		x := []T{most, -most, most - quantum/2, quantum/2 - most, -T(float64(most) * 0.75), 0, quantum / 2, -quantum / 2}
		for range 200 {
			x = append(x, T((2*r.Float64()-1)*float64(most)), T(r.NormFloat64()*float64(quantum)*4))
		}
		n := len(x)
		rounded, zero := make([]T, n), make([]T, n)
		copy(rounded, x)
		if err := Quantize(rounded, quantum); err != nil {
			t.Fatal(err)
		}
		pos, vel := kernels.Vec3s[T]{X: make([]T, n), Y: zero, Z: make([]T, n)}, kernels.Vec3s[T]{X: x, Y: zero, Z: x}
		Drift(&pos, &vel, 1, quantum)
		for i := range x {
			if want := nearest(x[i]); rounded[i] != want || pos.X[i] != want || pos.Z[i] != want {
				t.Fatalf("quantum %v: %v is %v, or %v and %v as a step, want %v", quantum, x[i], rounded[i], pos.X[i], pos.Z[i], want)
			}
		}
		far := T(float64(most) * 1.25)
		for _, sign := range []T{1, -1} {
			if Quantize([]T{far * sign}, quantum) == nil {
				t.Errorf("quantum %v: %v is accepted", quantum, far*sign)
			}
			for a := range 3 { // a step that is too long, from one end of the range into it
				pos, vel := kernels.Vec3s[T]{X: make([]T, 1), Y: make([]T, 1), Z: make([]T, 1)}, kernels.Vec3s[T]{X: make([]T, 1), Y: make([]T, 1), Z: make([]T, 1)}
				[3][]T{pos.X, pos.Y, pos.Z}[a][0], [3][]T{vel.X, vel.Y, vel.Z}[a][0] = -sign*most, sign*far
				if Drift(&pos, &vel, 1, quantum); !math.IsNaN(float64(pos.X[0])) {
					t.Errorf("quantum %v: a step of %v along axis %d leads to %v", quantum, sign*far, a, pos)
				}
			}
		}
	}
}
