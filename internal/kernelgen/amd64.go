package main

import (
	"fmt"
	"strings"
)

// An amd64 writes the bodies of one path, AVX2 or AVX-512, for one type.
type amd64 struct {
	text
	element
	path   string // AVX2 or AVX512
	reg    string // Y or Z
	vector int    // bytes of a register
}

const amd64Head = header + `
//go:build !purego

#include "textflag.h"
#include "lanes_amd64.h"

// Comparisons that make masks, AVX2 and AVX-512. internal/kernelgen/compare.go
// lists them, and the generic bodies are their specification.
//
// The rows after the last whole vector use the same instructions under a mask,
// so that no byte outside of a slice is read or written.
`

// amd64Source returns masks_gen_amd64.s.
func amd64Source() string {
	var b strings.Builder
	b.WriteString(amd64Head)
	for _, k := range compares {
		for _, e := range elements {
			narrow := amd64{element: e, path: "AVX2", reg: "Y", vector: 32}
			b.WriteString(narrow.body(&k))
			wide := amd64{element: e, path: "AVX512", reg: "Z", vector: 64}
			b.WriteString(wide.body(&k))
		}
	}
	return b.String()
}

// pointers maps each lane to the register that holds its address.
var pointers = map[string]string{"x": "SI", "y": "DX"}

// values maps each lane to the vector register into which it is loaded. scalars
// maps each scalar parameter to its register.
var (
	values  = map[string]int{"x": 0, "y": 4}
	scalars = map[string]int{"s": 14}
)

// rest is the number of the register that holds the mask of the last rows on AVX2. AVX-512 uses K1.
const rest = 15

func (a *amd64) body(k *comparison) string {
	a.head(k)
	a.compare(k)
	return a.String()
}

// head writes the code before the first loop.
func (a *amd64) head(k *comparison) {
	requires := map[string]string{"AVX2": "AVX2", "AVX512": "AVX-512 and BMI2"}[a.path]
	a.line("\n// func %s%s%s(%s)", k.name, a.name, a.path, k.params(a.element))
	a.line("// Requires: %s.\n//", requires)
	a.line("//\tDI mask   %s   advanced by the loops", a.listLanes(k))
	a.line("//\tCX rows left")
	for _, s := range k.scalars {
		a.line("//\t%s%d %s in all elements", a.reg, scalars[s], s)
	}
	a.line("TEXT ·%s%s%s(SB), NOSPLIT, $0-%d", k.name, a.name, a.path, k.frame(a.element))
	a.op("MOVQ", "mask_base+0(FP), DI")
	for i, l := range k.lanes {
		a.op("MOVQ", "%s_base+%d(FP), %s", l, k.offset(i+1), pointers[l])
	}
	a.op("MOVQ", "x_len+32(FP), CX")
	for i, s := range k.scalars {
		a.op("VBROADCAST"+a.scalar(), "%s+%d(FP), %s%d", s, k.scalarOffset(a.element, i), a.reg, scalars[s])
	}
}

// listLanes lists the registers of the lanes.
func (a *amd64) listLanes(k *comparison) string {
	var s []string
	for _, l := range k.lanes {
		s = append(s, pointers[l]+" "+l)
	}
	return strings.Join(s, "   ")
}

// suffix returns the suffix of instructions on vectors of numbers.
func (a *amd64) suffix() string { return map[int]string{4: "PS", 8: "PD"}[a.bytes] }

// scalar returns the suffix of instructions on one number.
func (a *amd64) scalar() string { return map[int]string{4: "SS", 8: "SD"}[a.bytes] }

// load reads vector u of a lane.
func (a *amd64) load(lane string, u int, masked bool) {
	r := fmt.Sprintf("%s%d", a.reg, values[lane]+u)
	switch {
	case !masked:
		a.op("VMOVU"+a.suffix(), "%s, %s", memoryAt(u*a.vector, pointers[lane]), r)
	case a.path == "AVX2":
		a.op("VMASKMOV"+a.suffix(), "%s, Y%d, %s", memoryAt(u*a.vector, pointers[lane]), rest, r)
	default:
		a.op("VMOVU"+a.suffix()+".Z", "%s, K1, %s", memoryAt(u*a.vector, pointers[lane]), r)
	}
}

// advance moves the pointers of lanes.
func (a *amd64) advance(k *comparison, bytes int) {
	for _, l := range k.lanes {
		a.op("ADDQ", "$%d, %s", bytes, pointers[l])
	}
}

// mask writes the code that makes a mask for the first rows of a vector. The argument
// rows is the register that holds the number of these rows. The code overwrites this
// register and BX.
func (a *amd64) mask(rows string) {
	if a.path == "AVX2" {
		a.op("LEAQ", "lanes<>+32(SB), BX")
		a.op("SHLQ", "$%d, %s", map[int]int{4: 2, 8: 3}[a.bytes], rows)
		a.op("SUBQ", "%s, BX", rows)
		a.op("VMOVDQU", "(BX), Y%d", rest)
		return
	}
	a.op("MOVL", "$-1, BX")
	a.op("BZHIL", "%s, BX, BX", rows)
	a.op("KMOVW", "BX, K1")
}

// memoryAt returns a memory operand.
func memoryAt(offset int, register string) string {
	if offset == 0 {
		return "(" + register + ")"
	}
	return fmt.Sprintf("%d(%s)", offset, register)
}
