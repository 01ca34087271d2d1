package main

import (
	"fmt"
	"strings"
)

// An arm64 writes the NEON body for one type.
type arm64 struct {
	text
	element
}

const arm64Head = header + `
//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// Element-wise kernels on slices, NEON. See table.go of internal/kernelgen for
// what they are, and the generic bodies for what they do.
//
// The rows left over after whole vectors go through the same instructions with
// one row in the vectors and zeros beside it.
`

// arm64Source returns arith_arm64.s.
func arm64Source() string {
	var b strings.Builder
	b.WriteString(arm64Head)
	for _, k := range table {
		for _, e := range elements {
			a := arm64{element: e}
			b.WriteString(a.body(&k))
		}
	}
	return b.String()
}

// neonPointers are the registers of the lanes; R0 is dst.
var neonPointers = map[string]int{"x": 1, "y": 2, "z": 3}

// neonValues are the first of four registers for the values of a row,
// neonScalars those of the scalars.
var (
	neonValues  = map[string]int{"x": 0, "y": 4, "z": 8, "t": 16, "u": 20}
	neonScalars = map[string]int{"s": 9, "lo": 8, "hi": 9}
)

func (a *arm64) body(k *kernel) string {
	a.head(k)
	if k.compare {
		a.compare(k)
	} else {
		a.arithmetic(k)
	}
	return a.String()
}

// shape is how macros and registers name a vector: 4S and S4, or 2D and D2.
func (a *arm64) shape() (macro, register string) {
	if a.bytes == 4 {
		return "4S", "S4"
	}
	return "2D", "D2"
}

// lane is S or D.
func (a *arm64) lane() string { return map[int]string{4: "S", 8: "D"}[a.bytes] }

// head writes what stands above the first loop.
func (a *arm64) head(k *kernel) {
	dst, _ := k.dst(a.element)
	a.line("\n// func %s%sNEON(%s)\n//", k.name, a.name, k.params(a.element))
	names := []string{"R0 " + dst}
	for _, l := range k.lanes {
		names = append(names, fmt.Sprintf("R%d %s", neonPointers[l], l))
	}
	a.line("//\t%s   advanced by the loops", strings.Join(names, "   "))
	a.line("//\tR4 rows left")
	for _, s := range k.scalars {
		a.line("//\tV%d %s in all elements", neonScalars[s], s)
	}
	a.line("TEXT ·%s%sNEON(SB), NOSPLIT, $0-%d", k.name, a.name, k.frame(a.element))
	a.op("MOVD", "%s_base+0(FP), R0", dst)
	for i, l := range k.lanes {
		a.op("MOVD", "%s_base+%d(FP), R%d", l, k.offset(i+1), neonPointers[l])
	}
	a.op("MOVD", "x_len+32(FP), R4")
	for i, s := range k.scalars {
		a.op("FMOV"+a.lane(), "%s+%d(FP), F%d", s, k.scalarOffset(a.element, i), neonScalars[s])
	}
	_, shape := a.shape()
	for _, s := range k.scalars {
		a.op("VDUP", "V%d.%s[0], V%d.%s", neonScalars[s], a.lane(), neonScalars[s], shape)
	}
}

// arithmetic writes the loops of a kernel that makes numbers.
func (a *arm64) arithmetic(k *kernel) {
	rows := 16 / a.bytes
	wide := 4 * rows
	a.gap()
	a.op("SUBS", "$%d, R4", wide)
	a.op("BLT", "tail")
	a.label(fmt.Sprintf("loop%d", wide))
	for _, l := range k.lanes {
		r, v := neonPointers[l], neonValues[l]
		a.op("FLDPQ", "32(R%d), (F%d, F%d)", r, v+2, v+3)
		a.op("FLDPQ.P", "64(R%d), (F%d, F%d)", r, v, v+1)
	}
	out := a.steps(k, 4)
	a.op("FSTPQ", "(F%d, F%d), 32(R0)", out+2, out+3)
	a.op("FSTPQ.P", "(F%d, F%d), 64(R0)", out, out+1)
	a.op("SUBS", "$%d, R4", wide)
	a.op("BGE", "loop%d", wide)
	a.label("tail")
	a.op("ADDS", "$%d, R4", wide-rows)
	a.op("BLT", "last")
	a.label(fmt.Sprintf("loop%d", rows))
	a.single(k, "FMOVQ.P", 16)
	a.op("SUBS", "$%d, R4", rows)
	a.op("BGE", "loop%d", rows)
	a.label("last")
	a.op("ADDS", "$%d, R4", rows)
	a.op("BEQ", "done")
	a.label("loop1")
	a.single(k, "FMOV"+a.lane()+".P", a.bytes)
	a.op("SUBS", "$1, R4")
	a.op("BNE", "loop1")
	a.label("done")
	a.op("RET", "")
}

// single writes one turn on one register of each value, loaded and stored by move.
func (a *arm64) single(k *kernel, move string, bytes int) {
	for _, l := range k.lanes {
		a.op(move, "%d(R%d), F%d", bytes, neonPointers[l], neonValues[l])
	}
	out := a.steps(k, 1)
	a.op(move, "F%d, %d(R0)", out, bytes)
}

// steps writes the kernel's steps for n vectors and returns where the result is.
func (a *arm64) steps(k *kernel, n int) (out int) {
	for i, st := range k.steps {
		for u := range n {
			a.step(st, u)
			if u == 0 {
				a.why(k.comment(i))
			}
		}
		out = neonValues[st.dst]
	}
	return out
}

// register returns vector u of a value.
func (a *arm64) register(v string, u int) int {
	if r, ok := neonScalars[v]; ok {
		return r
	}
	return neonValues[v] + u
}

// step writes one step for vector u. Macros have the sources first, last
// operand first.
func (a *arm64) step(st step, u int) {
	x, y, d := a.register(st.a, u), a.register(st.b, u), a.register(st.dst, u)
	shape, _ := a.shape()
	names := map[string]string{"+": "VFADD", "-": "VFSUB", "*": "VFMUL", "/": "VFDIV", "abs": "VFABS", "neg": "VFNEG", "sqrt": "VFSQRT"}
	switch st.op {
	case "abs", "neg", "sqrt":
		a.macro(names[st.op]+shape, y, d)
	case "min": // y > x chooses x
		a.macro("VFCMGT"+shape, x, y, d)
		a.op("VBSL", "V%d.B16, V%d.B16, V%d.B16", y, x, d)
	case "max":
		a.macro("VFCMGT"+shape, y, x, d)
		a.op("VBSL", "V%d.B16, V%d.B16, V%d.B16", y, x, d)
	default:
		a.macro(names[st.op]+shape, y, x, d)
	}
}
