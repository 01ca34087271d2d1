package kernels

import (
	"fmt"
	"math"
)

// Histogram adds one to counts[k] for each row of x in bin k, and returns the
// number of rows that are in no bin. The bins divide [lo, hi] into len(counts)
// parts of equal width:
//
//	k = trunc((x[i]-lo)*(len(counts)/(hi-lo)))
//
// and hi belongs to the last bin. A row that is below lo, above hi, or NaN is in no bin. A call
// adds to the numbers that counts already has, so a program can compute one histogram of many
// chunks.
//
// Shape: counts has an element for each bin, at least one; x has any length,
// any alignment.
// Alias: counts must not overlap x.
// Values: exact, in that formula.
// It panics if there are no bins, if lo is not below hi, if hi-lo or
// len(counts)/(hi-lo) is infinite, or if there are more bins than
// consecutive integers that T can represent. It does not allocate.
func Histogram[T Float](counts []int, x []T, lo, hi T) (outside int) {
	n := T(len(counts))
	scale := n / (hi - lo)
	switch {
	case len(counts) == 0 || int64(n) != int64(len(counts)) || int64(n+1) == int64(n):
		panic(fmt.Sprintf("kernels: Histogram: len(counts) is %d, bins are at least 1 and numbers of the type of x", len(counts)))
	case !(lo < hi) || math.IsInf(float64(hi-lo), 0) || math.IsInf(float64(scale), 0):
		panic(fmt.Sprintf("kernels: Histogram: lo is %v and hi is %v, lo must be below hi, and neither their distance nor the number of bins divided by it infinite", lo, hi))
	}
	if checked {
		inspectMove("Histogram", spanOf("counts", counts), spanOf("x", x))
	}
	last := len(counts) - 1
	for _, v := range x {
		if v >= lo && v <= hi {
			counts[min(int((v-lo)*scale), last)]++
		} else {
			outside++
		}
	}
	return outside
}
