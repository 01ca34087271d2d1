//go:build !purego && (amd64 || arm64)

package kernels

import "math/bits"

// keep writes what moves the rows of mask to the front of a vector: for each of
// them, in order, the numbers of its parts. Instructions that permute take bytes
// or words, so a row may have several.
func keep(order []byte, mask uint8, parts int) {
	for ; mask != 0; mask &= mask - 1 {
		row := bits.TrailingZeros8(mask)
		for p := range parts {
			order[p] = byte(row*parts + p)
		}
		order = order[parts:]
	}
}
