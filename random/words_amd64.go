//go:build !purego

package random

import "github.com/lanewise/lanewise/kernels"

// hasAVX2 reports whether package kernels uses AVX2. If so, words are computed eight blocks at a
// time.
func hasAVX2() bool { return kernels.VectorBytes() != 0 }

// hasAVX512 reports whether vectors have 512 bits.
func hasAVX512() bool { return kernels.VectorBytes() == 64 }

// A keySchedule holds the values that are the same for all counters of a call: the keys of the ten rounds,
// and the parts of the first three rounds that do not depend on the lower half of the id. c0 to c3 are the
// words of a counter after the previous round. In round 0, c0 and c1 are the id, and c2 is the tick.
type keySchedule struct {
	keys [20]uint32 // k0 and k1 of each round

	tickHighRound0 uint32 // upper half of B*tick, ^ k0 of round 0; c1 of the id is XORed with it and becomes c0
	c3Round0       uint32 // c3 ^ k1 of round 0
	tickLowRound1  uint32 // lower half of B*tick, ^ k0 of round 1
	idHighRound1   uint32 // upper half of A*c0, ^ k1 of round 1, for the upper half of the id
	idLowRound2    uint32 // lower half of A*c0, ^ k1 of round 2

	nextID uint32 // the lower half of the next id, where ids are consecutive
}

// newKeySchedule returns the key schedule of a call. The ids of the call have the upper half hi,
// and their lower halves begin at lo.
func newKeySchedule(lo, hi, tick, c3, k0, k1 uint32) (s keySchedule) {
	for i := 0; i < len(s.keys); i += 2 {
		s.keys[i], s.keys[i+1] = k0, k1
		k0, k1 = k0+weylA, k1+weylB
	}
	b := uint64(tick) * mulB
	s.tickHighRound0, s.tickLowRound1 = uint32(b>>32)^s.keys[0], uint32(b)^s.keys[2]
	s.c3Round0 = c3 ^ s.keys[1]
	a := uint64(s.tickHighRound0^hi) * mulA
	s.idHighRound1, s.idLowRound2 = uint32(a>>32)^s.keys[3], uint32(a)^s.keys[5]
	s.nextID = lo
	return s
}

// fillIDsAVX2 does the work of fillIDs for a multiple of eight ids.
//
//go:noescape
func fillIDsAVX2(w *wordBatch, ids []uint64, s *keySchedule)

// unitsIDsAVX2 sets dst to unit32 of the first word of each id. The number of ids is a multiple of
// eight.
//
//go:noescape
func unitsIDsAVX2(dst []float32, ids []uint64, s *keySchedule)

// fillIndexAVX2 does the work of fillIndex for a multiple of 32 rows. The id of the key schedule is
// the id of the first block; its lower half must not overflow during the call.
//
//go:noescape
func fillIndexAVX2(w []uint32, s *keySchedule)

// unitsIndexAVX2 computes the same words as fillIndexAVX2 and sets dst to unit32 of them.
//
//go:noescape
func unitsIndexAVX2(dst []float32, s *keySchedule)

// fillIDsAVX512 does the work of fillIDsAVX2 with half of the instructions.
//
//go:noescape
func fillIDsAVX512(w *wordBatch, ids []uint64, s *keySchedule)

//go:noescape
func unitsIDsAVX512(dst []float32, ids []uint64, s *keySchedule)

//go:noescape
func fillIndexAVX512(w []uint32, s *keySchedule)

//go:noescape
func unitsIndexAVX512(dst []float32, s *keySchedule)

// unitsAVX2 sets dst to unit32 of the words. Their number is a multiple of eight.
//
//go:noescape
func unitsAVX2(dst []float32, w []uint32)

// fillIDsFast computes the words of as many of the first ids as the assembly can process, and
// returns their number.
func fillIDsFast(w *wordBatch, ids []uint64, tick, c3, k0, k1 uint32) int {
	n := len(ids) &^ 7
	if n == 0 || !hasAVX2() {
		return 0
	}
	k := newKeySchedule(0, 0, tick, c3, k0, k1)
	if hasAVX512() {
		fillIDsAVX512(w, ids[:n], &k)
	} else {
		fillIDsAVX2(w, ids[:n], &k)
	}
	return n
}

// unitsIDsFast computes numbers in [0, 1) for as many of the first ids as one call of
// assembly can process, which is at most maxCallRows, and returns their number.
func unitsIDsFast(dst []float32, ids []uint64, tick, c3, k0, k1 uint32) int {
	n := min(len(dst), maxCallRows) &^ 7
	if n == 0 || !hasAVX2() {
		return 0
	}
	k := newKeySchedule(0, 0, tick, c3, k0, k1)
	if hasAVX512() {
		unitsIDsAVX512(dst[:n], ids[:n], &k)
	} else {
		unitsIDsAVX2(dst[:n], ids[:n], &k)
	}
	return n
}

// fillIndexFast computes the words of as many of the first rows as the assembly can process, and
// returns their number. The first row must be the first one of a block.
func fillIndexFast(w []uint32, id uint64, tick, c3, k0, k1 uint32) int {
	n := len(w) &^ 31
	if n == 0 || uint32(id) > 1<<32-1-batchRows || !hasAVX2() {
		return 0
	}
	k := newKeySchedule(uint32(id), uint32(id>>32), tick, c3, k0, k1)
	if hasAVX512() {
		fillIndexAVX512(w[:n], &k)
	} else {
		fillIndexAVX2(w[:n], &k)
	}
	return n
}

// unitsIndexFast computes numbers in [0, 1) for as many of the first rows as one call of
// assembly can process, which is at most maxCallRows, and returns their number.
func unitsIndexFast(dst []float32, id uint64, tick, c3, k0, k1 uint32) int {
	n := min(len(dst), maxCallRows) &^ 31
	if n == 0 || uint32(id) > 1<<32-1-maxCallRows || !hasAVX2() {
		return 0
	}
	k := newKeySchedule(uint32(id), uint32(id>>32), tick, c3, k0, k1)
	if hasAVX512() {
		unitsIndexAVX512(dst[:n], &k)
	} else {
		unitsIndexAVX2(dst[:n], &k)
	}
	return n
}

// maxCallRows is the largest number of rows of one call of assembly. The limit exists because Go
// cannot preempt assembly.
const maxCallRows = 1 << 14

// unitsFast computes numbers in [0, 1) from as many of the first words as the assembly can process,
// and returns their number.
func unitsFast(dst []float32, w []uint32) int {
	n := len(dst) &^ 7
	if n == 0 || !hasAVX2() {
		return 0
	}
	unitsAVX2(dst[:n], w)
	return n
}
