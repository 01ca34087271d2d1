//go:build !purego && (amd64 || arm64)

package kernels

import "math/bits"

// fillCompressOrder writes the permutation that moves the rows of mask to the front of a
// vector. For each of these rows, in order, it writes the indices of the row's parts. A row has
// several parts if the instruction permutes units that are smaller than a row, such as bytes.
func fillCompressOrder(order []byte, mask uint8, parts int) {
	for ; mask != 0; mask &= mask - 1 {
		row := bits.TrailingZeros8(mask)
		for p := range parts {
			order[p] = byte(row*parts + p)
		}
		order = order[parts:]
	}
}
