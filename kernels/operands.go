package kernels

import (
	"fmt"
	"strings"
)

// Messages for operands of kernels on plain slices that do not fit. They are made
// of lengths alone: a function that takes the slices themselves into a message
// sends them to the heap, and with them the arrays of every caller.

// differ is the message for lengths that differ from the first one. The names are
// separated by spaces.
func differ(kernel, names string, rows ...int) string {
	name := strings.Fields(names)
	for i, n := range rows {
		if n != rows[0] {
			return fmt.Sprintf("kernels: %s: len(%s) is %d, len(%s) is %d", kernel, name[i], n, name[0], rows[0])
		}
	}
	return "kernels: " + kernel + ": lengths differ"
}

// maskLength is the message for a mask that does not fit a lane.
func maskLength(kernel string, words int, lane string, rows int) string {
	return fmt.Sprintf("kernels: %s: len(mask) is %d, len(%s) is %d, for which a mask has %d words",
		kernel, words, lane, rows, MaskLen(rows))
}

// f32 and f64 convert a slice to its type. Call them only in a branch on
// single, where the type is known.
func f32[T Float](x []T) []float32 { return *as[[]float32](&x) }
func f64[T Float](x []T) []float64 { return *as[[]float64](&x) }
