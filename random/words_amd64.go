//go:build !purego

package random

import "github.com/lanewise/lanewise/kernels"

// vectors reports whether words are made eight blocks at a time: on the kernels'
// paths that have AVX2.
func vectors() bool { return kernels.Vector() != 0 }

// wide512 reports whether vectors have 512 bits.
func wide512() bool { return kernels.Vector() == 64 }

// fillIDsAVX2 is fillIDs for a multiple of eight ids.
//
//go:noescape
func fillIDsAVX2(w *words, ids []uint64, tick, c3, k0, k1 uint32)

// fillIndexAVX2 is fillIndex for a multiple of 32 rows, whose first block is that of the
// id of these halves; the lower one does not overflow on the way.
//
//go:noescape
func fillIndexAVX2(w []uint32, lo, hi, tick, c3, k0, k1 uint32)

// unitsIndexAVX2 is unit32 of the words of fillIndexAVX2.
//
//go:noescape
func unitsIndexAVX2(dst []float32, lo, hi, tick, c3, k0, k1 uint32)

// Those with vectors of 512 bits do as many at a time, with two thirds of the
// instructions.
//
//go:noescape
func fillIDsAVX512(w *words, ids []uint64, tick, c3, k0, k1 uint32)

//go:noescape
func fillIndexAVX512(w []uint32, lo, hi, tick, c3, k0, k1 uint32)

//go:noescape
func unitsIndexAVX512(dst []float32, lo, hi, tick, c3, k0, k1 uint32)

// unitsAVX2 is unit32 of a multiple of eight words.
//
//go:noescape
func unitsAVX2(dst []float32, w []uint32)

// fillIDsFast fills what it can of the front, and returns how many ids that are.
func fillIDsFast(w *words, ids []uint64, tick, c3, k0, k1 uint32) int {
	n := len(ids) &^ 7
	if n == 0 || !vectors() {
		return 0
	}
	if wide512() {
		fillIDsAVX512(w, ids[:n], tick, c3, k0, k1)
	} else {
		fillIDsAVX2(w, ids[:n], tick, c3, k0, k1)
	}
	return n
}

// fillIndexFast does the same for rows, which begin with a block.
func fillIndexFast(w []uint32, id uint64, tick, c3, k0, k1 uint32) int {
	n := len(w) &^ 31
	if n == 0 || uint32(id) > 1<<32-1-some || !vectors() {
		return 0
	}
	if wide512() {
		fillIndexAVX512(w[:n], uint32(id), uint32(id>>32), tick, c3, k0, k1)
	} else {
		fillIndexAVX2(w[:n], uint32(id), uint32(id>>32), tick, c3, k0, k1)
	}
	return n
}

// unitsIndexFast does the same for numbers from 0 to below 1, of at most a piece.
func unitsIndexFast(dst []float32, id uint64, tick, c3, k0, k1 uint32) int {
	n := min(len(dst), piece) &^ 31
	if n == 0 || uint32(id) > 1<<32-1-piece || !vectors() {
		return 0
	}
	if wide512() {
		unitsIndexAVX512(dst[:n], uint32(id), uint32(id>>32), tick, c3, k0, k1)
	} else {
		unitsIndexAVX2(dst[:n], uint32(id), uint32(id>>32), tick, c3, k0, k1)
	}
	return n
}

// piece is how many rows one call makes: assembly does not stop.
const piece = 1 << 14

// unitsFast does the same for numbers from 0 to below 1.
func unitsFast(dst []float32, w []uint32) int {
	n := len(dst) &^ 7
	if n == 0 || !vectors() {
		return 0
	}
	unitsAVX2(dst[:n], w)
	return n
}
