package forces

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// Quantize rounds each number of a lane to the nearest multiple of quantum, a
// power of two. Use it for the initial positions of bodies that Drift moves. The
// corners of a periodic box must be multiples of the quantum, too.
//
// It returns an error, and changes nothing, if a number is not finite or is
// larger than [QuantumRange]. It panics if quantum is not a power of two.
func Quantize[T kernels.Float](x []T, quantum T) error {
	most, round := QuantumRange(quantum), rounding(quantum)
	for i, v := range x {
		if !(v >= -most && v <= most) {
			return fmt.Errorf("forces: Quantize: x[%d] is %v: numbers from %v to %v are multiples of %v that can be added up exactly", i, v, -most, most, quantum)
		}
	}
	for i, v := range x {
		x[i] = (v + round) - round
	}
	return nil
}

// QuantumRange returns the largest coordinate that Quantize and Drift accept, which is
// also the largest step of Drift. It is 2^51 quanta for float64, and 2^22 quanta for
// float32. For example, with float64 and a quantum of 2^-44, it is 128. The sum or
// difference of two multiples of the quantum within this range is exact.
//
// It panics if quantum is not a power of two.
func QuantumRange[T kernels.Float](quantum T) T {
	rounding(quantum)
	return T(math.Ldexp(float64(quantum), mantissa[T]()-2))
}

// rounding returns a number r for a quantum: (x + r) - r is the multiple of the quantum nearest to x, if |x| is at most QuantumRange.
func rounding[T kernels.Float](quantum T) T {
	if !isPowerOfTwo(float64(quantum)) {
		panic(fmt.Sprintf("forces: the quantum is %v: it must be a power of two", quantum))
	}
	return roundingOf(quantum)
}

// roundingOf returns the number that rounds a term to a multiple of a power of two if it is added and then subtracted. For the
// quantum 0, it is 0.
func roundingOf[T kernels.Float](quantum T) T {
	return T(1.5 * math.Ldexp(float64(quantum), mantissa[T]()-1))
}

// Drift adds dt*vel to pos, rounded to a multiple of quantum. So positions remain
// multiples of the quantum, and the differences between positions are exact. This
// includes differences to images, which are displaced by a side of a periodic box. It
// therefore does not matter at which step a position is wrapped into the box. In each
// step, the rounding changes a position by less than a quantum; 2^-44 is a good quantum
// for float64.
//
//	pos = pos + ((dt*vel + r) - r), where r is 1.5 * 2^52 * quantum
//
// If a coordinate would leave the range of QuantumRange, or if a step dt*vel is longer
// than this range, X becomes NaN, so that near.Clusters.Move reports the body. For
// float32 r is 1.5 * 2^23 * quantum.
//
// Shape: all lanes of pos and vel have the same length; any length, any alignment.
// Alias: pos must not overlap vel.
// Values: exact, in the order written.
// It panics if the lengths differ, or if quantum is not a power of two. It does
// not allocate.
func Drift[T kernels.Float](pos, vel *kernels.Vec3s[T], dt, quantum T) {
	checkView("Drift", "pos", pos, len(pos.X), "len(pos.X)")
	checkView("Drift", "vel", vel, len(pos.X), "len(pos.X)")
	most, round, nan := QuantumRange(quantum), rounding(quantum), T(math.NaN())
	switch pos := any(pos).(type) {
	case *kernels.Vec3s[float32]:
		drift32(pos, viewOf[float32](vel), float32(dt), float32(round), float32(most), float32(nan))
	case *kernels.Vec3s[float64]:
		drift64(pos, viewOf[float64](vel), float64(dt), float64(round), float64(most), float64(nan))
	}
}

//lanec:kernel drift32[float32]
//lanec:kernel drift64[float64]
func drift[T kernels.Float](pos, vel *kernels.Vec3s[T], dt, round, most, nan T) {
	for i := range pos.X {
		dx, dy, dz := T(dt*vel.X[i]), T(dt*vel.Y[i]), T(dt*vel.Z[i])
		x := pos.X[i] + ((dx + round) - round)
		y := pos.Y[i] + ((dy + round) - round)
		z := pos.Z[i] + ((dz + round) - round)
		if !(dx >= -most && dx <= most && dy >= -most && dy <= most && dz >= -most && dz <= most) {
			x = nan // the rounding is not to quanta
		}
		if !(x >= -most && x <= most && y >= -most && y <= most && z >= -most && z <= most) {
			x = nan
		}
		pos.X[i], pos.Y[i], pos.Z[i] = x, y, z
	}
}
