package main

import "fmt"

// These registers hold weights: byteWeights holds the weight of each bit in a byte, and
// elementWeights holds the weight of each element in a vector.
const (
	byteWeights    = 28
	elementWeights = 29
)

// compare writes the two loops of a kernel that makes a mask. The first loop computes
// whole words, which have the bits of 64 rows. The second loop computes the last,
// incomplete word vector by vector.
func (a *arm64) compare(k *comparison) {
	a.writeWeights()
	a.writeWords(k)
	a.lastWord(k)
	a.op("RET", "")
}

// writeWeights writes the code that sets the registers of weights.
func (a *arm64) writeWeights() {
	a.op("MOVD", "$0x8040201008040201, R5")
	a.op("VDUP", "R5, V%d.D2", byteWeights)
	if a.bytes == 4 {
		a.op("MOVD", "$0x0000000200000001, R5")
		a.op("MOVD", "$0x0000000800000004, R6")
	} else {
		a.op("MOVD", "$1, R5")
		a.op("MOVD", "$2, R6")
	}
	a.op("VMOV", "R5, V%d.D[0]", elementWeights)
	a.op("VMOV", "R6, V%d.D[1]", elementWeights)

	a.gap()
}

// writeWords writes the loop over whole words.
func (a *arm64) writeWords(k *comparison) {
	a.op("SUBS", "$64, R4")
	a.op("BLT", "tail")
	a.label("loop64")
	for sixteen := range 4 {
		a.sixteen(k, 16+sixteen)
		if sixteen == 0 {
			a.explain("bits of 16 rows, a byte each")
		}
	}
	a.op("VADDP", "V17.B16, V16.B16, V16.B16")
	a.op("VADDP", "V19.B16, V18.B16, V18.B16")
	a.op("VADDP", "V18.B16, V16.B16, V16.B16")
	a.op("VADDP", "V16.B16, V16.B16, V16.B16")
	a.op("FMOVD.P", "F16, 8(R0)")
	a.op("SUBS", "$64, R4")
	a.op("BGE", "loop64")
}

// lastWord writes the loops over the rows of an incomplete word. R6 collects
// the bits of this word.
func (a *arm64) lastWord(k *comparison) {
	rows := 16 / a.bytes
	a.label("tail")
	a.op("ADDS", "$64, R4")
	a.op("BEQ", "done")
	a.op("MOVD", "$0, R5")
	a.explain("row in the word")
	a.op("MOVD", "$0, R6")
	a.explain("the word")
	a.op("SUBS", "$%d, R4", rows)
	a.op("BLT", "last")
	a.label(fmt.Sprintf("loop%d", rows))
	for _, l := range k.lanes {
		a.op("FMOVQ.P", "16(R%d), F%d", neonPointers[l], neonValues[l])
	}
	a.compareVector(k, 0, 0)
	a.explain(k.comment())
	a.op("VAND", "V%d.B16, V0.B16, V0.B16", elementWeights)
	_, shape := a.shape()
	for n := rows; n > 1; n /= 2 {
		a.op("VADDP", "V0.%s, V0.%s, V0.%s", shape, shape, shape)
	}
	a.op("VMOV", "V0.%s[0], R7", a.lane())
	a.op("LSL", "R5, R7, R7")
	a.op("ORR", "R7, R6, R6")
	a.op("ADD", "$%d, R5", rows)
	a.op("SUBS", "$%d, R4", rows)
	a.op("BGE", "loop%d", rows)
	a.label("last")
	a.op("ADDS", "$%d, R4", rows)
	a.op("BEQ", "store")
	a.label("loop1")
	for _, l := range k.lanes {
		a.op("FMOV"+a.lane()+".P", "%d(R%d), F%d", a.bytes, neonPointers[l], neonValues[l])
	}
	a.compareVector(k, 0, 0)
	a.explain(k.comment())
	a.op("VMOV", "V0.%s[0], R7", a.lane())
	a.op("AND", "$1, R7, R7")
	a.op("LSL", "R5, R7, R7")
	a.op("ORR", "R7, R6, R6")
	a.op("ADD", "$1, R5")
	a.op("SUBS", "$1, R4")
	a.op("BNE", "loop1")
	a.label("store")
	a.op("MOVD", "R6, (R0)")
	a.label("done")
}

// sixteen writes the code that compares 16 rows and sets register out to 16 bytes: each byte is the
// weight of its bit if the comparison is true, and otherwise 0.
func (a *arm64) sixteen(k *comparison, out int) {
	if a.bytes == 4 {
		a.four(k, 0)
		a.op("VUZP1", "V1.H8, V0.H8, V0.H8")
		a.op("VUZP1", "V3.H8, V2.H8, V2.H8")
		a.op("VUZP1", "V2.B16, V0.B16, V0.B16")
	} else {
		a.four(k, 0)
		a.op("VUZP1", "V1.S4, V0.S4, V20.S4")
		a.op("VUZP1", "V3.S4, V2.S4, V21.S4")
		a.four(k, 0)
		a.op("VUZP1", "V1.S4, V0.S4, V0.S4")
		a.op("VUZP1", "V3.S4, V2.S4, V2.S4")
		a.op("VUZP1", "V21.H8, V20.H8, V20.H8")
		a.op("VUZP1", "V2.H8, V0.H8, V0.H8")
		a.op("VUZP1", "V0.B16, V20.B16, V0.B16")
	}
	a.op("VAND", "V%d.B16, V0.B16, V%d.B16", byteWeights, out)
}

// four writes the code that compares the next four vectors. The results are in four registers, beginning with
// out.
func (a *arm64) four(k *comparison, out int) {
	for _, l := range k.lanes {
		r, v := neonPointers[l], neonValues[l]
		a.op("FLDPQ.P", "32(R%d), (F%d, F%d)", r, v, v+1)
		a.op("FLDPQ.P", "32(R%d), (F%d, F%d)", r, v+2, v+3)
	}
	for u := range 4 {
		a.compareVector(k, u, out+u)
	}
}

// compareVector writes the code that sets register out to the result of the comparison for vector
// u.
func (a *arm64) compareVector(k *comparison, u, out int) {
	x, y := a.register(k.a, u), a.register(k.b, u)
	shape, _ := a.shape()
	switch k.op {
	case "<":
		a.macro("VFCMGT"+shape, x, y, out)
	case "<=":
		a.macro("VFCMGE"+shape, x, y, out)
	case ">":
		a.macro("VFCMGT"+shape, y, x, out)
	case ">=":
		a.macro("VFCMGE"+shape, y, x, out)
	default:
		a.macro("VFCMEQ"+shape, y, x, out)
	}
}
