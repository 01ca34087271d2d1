package grid

import (
	"math"

	"github.com/lanewise/lanewise/kernels"
)

//go:generate go run ../cmd/lanec

// toWhole rounds a float64 of at most 2^50 to the nearest whole number: (x + toWhole) - toWhole.
const toWhole = 3 << 51

// toCells writes positions in cells. A position from first to last is inside the n cells of
// the axis, no matter how the computation rounds.
//
//lanec:kernel toCells32[float32]
//lanec:kernel toCells64[float64]
func toCells[T kernels.Float](u []float64, x []T, low, inverse, first, last, n float64) {
	for i := range u {
		at := float64(x[i])
		v := float64((at - low) * inverse)
		if v < 0 && at >= first {
			v = 0
		}
		if v > n && at <= last {
			v = n
		}
		u[i] = v
	}
}

// wrap replaces each position outside of a periodic axis of n cells by the position of its
// image.
//
//lanec:kernel wrapCells
func wrap(u []float64, n float64) {
	for i := range u {
		v := u[i]
		if !(v >= 0 && v <= n) {
			v -= float64(n * math.Floor(v/n))
			if v < 0 || v > n { // the rounding of a position far outside
				v = 0
			}
		}
		u[i] = v
	}
}

// outsiders counts the positions that are not from 0 to n.
//
//lanec:kernel countOutsiders
func outsiders(sum *kernels.Total[float64], u []float64, n float64) {
	for i := range u {
		v := 1.0
		if u[i] >= 0 && u[i] <= n {
			v = 0
		}
		sum.Add(i, v)
	}
}

// quantaOf rounds values to quanta.
//
//lanec:kernel roundValues
func quantaOf(values []float64, perUnit float64) {
	for i := range values {
		values[i] = (float64(values[i]*perUnit) + toWhole) - toWhole
	}
}

// burden adds the quanta of values, each counted as positive and rounded up. A value that
// is not finite or has too many quanta counts as twice the limit for all values together.
//
//lanec:kernel countQuanta
func burden(sum *kernels.Total[float64], values []float64, perUnit float64) {
	for i := range values {
		v := math.Abs(values[i]) * perUnit
		load := 2.0 * mostLoad
		if v <= mostQuanta {
			load = math.Ceil(v)
		}
		sum.Add(i, load)
	}
}

// nearest finds the cell of each position.
//
//lanec:kernel placeNearest
func nearest(first []int32, u []float64, n float64) {
	for i := range first {
		first[i] = kernels.ToInt32(min(math.Floor(u[i]), n-1))
	}
}

// linear finds the first of two cells and their weights.
//
//lanec:kernel placeLinear
func linear(first []int32, w0, w1, u []float64) {
	for i := range first {
		t := u[i] + 0.5
		cell := math.Floor(t)
		d := t - cell
		first[i] = kernels.ToInt32(cell - 1)
		w0[i], w1[i] = 1-d, d
	}
}

// quadratic finds the first of three cells and their weights.
//
//lanec:kernel placeQuadratic
func quadratic(first []int32, w0, w1, w2, u []float64, n float64) {
	for i := range first {
		cell := min(math.Floor(u[i]), n-1)
		d := u[i] - (cell + 0.5)
		low, high := 0.5-d, 0.5+d
		first[i] = kernels.ToInt32(cell - 1)
		w0[i], w1[i], w2[i] = 0.5*(low*low), 0.75-float64(d*d), 0.5*(high*high)
	}
}

// cubic finds the first of four cells and their weights.
//
//lanec:kernel placeCubic
func cubic(first []int32, w0, w1, w2, w3, u []float64) {
	for i := range first {
		t := u[i] + 0.5
		cell := math.Floor(t)
		d := t - cell
		e := 1 - d
		first[i] = kernels.ToInt32(cell - 2)
		w0[i], w3[i] = (e*e*e)/6, (d*d*d)/6
		w1[i] = ((4 - float64(6*(d*d))) + float64(3*(d*d*d))) / 6
		w2[i] = ((4 - float64(6*(e*e))) + float64(3*(e*e*e))) / 6
	}
}

// split computes one part of some quanta and rounds it to a whole number of quanta. It
// subtracts the part from the quanta in from, and stores the rest in left.
//
//lanec:kernel splitQuanta
func split(part, left, from, all, w []float64) {
	for i := range part {
		n := (float64(all[i]*w[i]) + toWhole) - toWhole
		left[i] = from[i] - n
		part[i] = n
	}
}

// splitInt is split for cells.
//
//lanec:kernel splitCells
func splitInt(cell []int64, left, from, all, w []float64) {
	for i := range cell {
		n := (float64(all[i]*w[i]) + toWhole) - toWhole
		left[i] = from[i] - n
		cell[i] = kernels.ToInt64(n)
	}
}

// splitTwo divides quanta between two cells.
//
//lanec:kernel splitPair
func splitTwo(first, second []int64, all, w []float64) {
	for i := range first {
		n := (float64(all[i]*w[i]) + toWhole) - toWhole
		first[i] = kernels.ToInt64(n)
		second[i] = kernels.ToInt64(all[i] - n)
	}
}

// wholes converts quanta.
//
//lanec:kernel wholeCells
func wholes(cell []int64, left []float64) {
	for i := range cell {
		cell[i] = kernels.ToInt64(left[i])
	}
}

// lookUp multiplies, for each particle, the value of one cell by a weight, and adds the product to line.
//
//lanec:kernel lookUp32[float32]
//lanec:kernel lookUp64[float64]
func lookUp[T kernels.Float](line, w []float64, cells []T, base []int32) {
	for i := range line {
		line[i] += float64(w[i] * float64(cells[base[i]]))
	}
}

// addTimes adds products.
//
//lanec:kernel addProducts
func addTimes(sum, w, x []float64) {
	for i := range sum {
		sum[i] += float64(w[i] * x[i])
	}
}
