package kernels

import (
	"fmt"
	"strings"
)

// This file has the panic messages of kernels on plain slices for operands of wrong lengths. The
// functions take only lengths. If a function put the slices themselves into a message, the slices
// and the arrays of every caller would escape to the heap.

// differ returns the message about the first of the lengths in rows that differs from
// rows[0]. The names of the operands are separated by spaces.
func differ(kernel, names string, rows ...int) string {
	name := strings.Fields(names)
	for i, n := range rows {
		if n != rows[0] {
			return fmt.Sprintf("kernels: %s: len(%s) is %d, len(%s) is %d", kernel, name[i], n, name[0], rows[0])
		}
	}
	return "kernels: " + kernel + ": lengths differ"
}

// maskLength returns the message for a mask that does not fit a lane.
func maskLength(kernel string, words int, lane string, rows int) string {
	return fmt.Sprintf("kernels: %s: len(mask) is %d, len(%s) is %d, for which a mask has %d words",
		kernel, words, lane, rows, MaskLen(rows))
}

// f32 and f64 convert a slice to its type. Call them only in a branch on
// single, in which the type is known.
func f32[T Float](x []T) []float32 { return *as[[]float32](&x) }
func f64[T Float](x []T) []float64 { return *as[[]float64](&x) }
