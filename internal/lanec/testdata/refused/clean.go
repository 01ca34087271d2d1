package refused

import (
	"math"

	"github.com/lanewise/lanewise/kernels"
)

//lanec:kernel Bits
func bits(x []float32, k []uint32) {
	for i := range x {
		k[i] = math.Float32bits(x[i] + 1) // those of a NaN differ between CPUs
	}
}

//lanec:kernel BitsOfBranch
func bitsOfBranch(x []float32, k []uint32, on bool, s float32) {
	for i := range x {
		v := x[i]
		if on {
			v += s
		}
		k[i] = math.Float32bits(v) // those of a NaN differ between CPUs
	}
}

//lanec:kernel BitsStored
func bitsStored(x, y []float32, k []uint32) {
	for i := range x {
		if y[i] > 0 {
			x[i] *= y[i]
		}
		y[i] = 0
		k[i] = math.Float32bits(x[i]) // those of a NaN differ between CPUs
	}
}

//lanec:kernel BitsOfSame
func bitsOfSame(x, y []float32, k []uint32) {
	for i := range x {
		x[i] *= x[i]
		k[i] = math.Float32bits(y[i]) // those of a NaN differ between CPUs
	}
}

//lanec:kernel BitsElsewhere
func bitsElsewhere(x, y []float32, k []uint32) {
	for i := range x {
		k[i] = math.Float32bits(y[3]) // an earlier row may have computed
		x[i] *= x[i]
	}
}

//lanec:kernel BitsAhead
func bitsAhead(x, y []float32, k []uint32) {
	for i := range x {
		v := y[i] + y[i+1]
		k[i] = math.Float32bits(y[i]) // an earlier row may have computed
		x[i] = v
	}
}

//lanec:kernel BitsLookedUp
func bitsLookedUp(x, y, z []float32, at []int32, k []uint32) {
	for i := range k {
		n := math.Float32bits(y[at[i]]) // an earlier row may have computed
		x[at[i]] += z[i]
		k[i] = n
	}
}

//lanec:kernel BitsHandedOn
func bitsHandedOn(x, y, z []float32, k []uint32, on bool) {
	for i := range x {
		v := z[i]
		if on {
			v = y[0]
		}
		z[i] = v
		k[i] = math.Float32bits(v) // an earlier row may have computed
		x[i] *= x[i]
	}
}

//lanec:kernel BitsOfTurn
func bitsOfTurn(x, y []float32, k []uint32) {
	for i := range x {
		var n uint32
		for range 3 {
			n += math.Float32bits(y[i]) // those of a NaN differ between CPUs
			x[i] *= x[i]
		}
		k[i] = n
	}
}

//lanec:kernel BitsOfOther
func bitsOfOther(x, y []float32, k []uint32) {
	for i := range x {
		v, w := x[i]+1, y[i]+1
		if v == v || w == w {
			k[i] = math.Float32bits(v) // those of a NaN differ between CPUs
		}
	}
}

//lanec:kernel BitsOfAbs
func bitsOfAbs(x []float32, k []uint32) {
	for i := range x {
		k[i] = math.Float32bits(float32(math.Abs(float64(x[i])))) // those of a NaN differ between CPUs
	}
}

//lanec:kernel Signed
func signed(x, y []float32) {
	for i := range x {
		x[i] = kernels.CopySignOf(x[i], y[i])
		y[i] = kernels.CopySignOf(1, x[i]+y[i]) // the sign of a number that is computed
	}
}

//lanec:kernel LeftBits
func leftBits(x []float32, k []uint32) {
	for i := range x {
		k[i] = math.Float32bits(left(x[i])) // those of a NaN differ
	}
}
