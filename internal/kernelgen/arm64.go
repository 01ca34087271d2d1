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

// Comparisons that make masks, NEON. internal/kernelgen/compare.go lists them,
// and the generic bodies are their specification.
//
// The rows after the last whole vector use the same instructions, with one row
// and zeros in a vector.
`

// arm64Source returns masks_gen_arm64.s.
func arm64Source() string {
	var b strings.Builder
	b.WriteString(arm64Head)
	for _, k := range compares {
		for _, e := range elements {
			a := arm64{element: e}
			b.WriteString(a.body(&k))
		}
	}
	return b.String()
}

// neonPointers maps each lane to the register that holds its address. R0 holds
// the address of the mask.
var neonPointers = map[string]int{"x": 1, "y": 2}

// neonValues maps each value of a row to the first of its four registers.
// neonScalars maps each scalar to its register.
var (
	neonValues  = map[string]int{"x": 0, "y": 4}
	neonScalars = map[string]int{"s": 9}
)

func (a *arm64) body(k *comparison) string {
	a.head(k)
	a.compare(k)
	return a.String()
}

// shape returns the names of a vector in macros and registers: 4S and S4, or 2D
// and D2.
func (a *arm64) shape() (macro, register string) {
	if a.bytes == 4 {
		return "4S", "S4"
	}
	return "2D", "D2"
}

// lane returns S or D.
func (a *arm64) lane() string { return map[int]string{4: "S", 8: "D"}[a.bytes] }

// head writes the code before the first loop.
func (a *arm64) head(k *comparison) {
	a.line("\n// func %s%sNEON(%s)\n//", k.name, a.name, k.params(a.element))
	names := []string{"R0 mask"}
	for _, l := range k.lanes {
		names = append(names, fmt.Sprintf("R%d %s", neonPointers[l], l))
	}
	a.line("//\t%s   advanced by the loops", strings.Join(names, "   "))
	a.line("//\tR4 rows left")
	for _, s := range k.scalars {
		a.line("//\tV%d %s in all elements", neonScalars[s], s)
	}
	a.line("TEXT ·%s%sNEON(SB), NOSPLIT, $0-%d", k.name, a.name, k.frame(a.element))
	a.op("MOVD", "mask_base+0(FP), R0")
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

// register returns the number of the register that holds vector u of an operand.
func (a *arm64) register(v string, u int) int {
	if r, ok := neonScalars[v]; ok {
		return r
	}
	return neonValues[v] + u
}
