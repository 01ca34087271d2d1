package main

import (
	"fmt"
	"slices"
	"strings"
)

// An amd64 writes the bodies of one path for one type.
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

// Element-wise kernels on slices, AVX2 and AVX-512. See table.go of
// internal/kernelgen for what they are, and the generic bodies for what they do.
//
// The rows left over after whole vectors go through the same instructions under
// a mask: what lies beside a slice is neither read nor written.
`

// amd64Source returns arith_amd64.s.
func amd64Source() string {
	var b strings.Builder
	b.WriteString(amd64Head)
	for _, k := range table {
		for _, e := range elements {
			narrow := amd64{element: e, path: "AVX2", reg: "Y", vector: 32}
			b.WriteString(narrow.body(&k))
			if k.wide {
				wide := amd64{element: e, path: "AVX512", reg: "Z", vector: 64}
				b.WriteString(wide.body(&k))
			}
		}
	}
	return b.String()
}

// pointers are the registers of dst and the lanes.
var pointers = map[string]string{"dst": "DI", "mask": "DI", "x": "SI", "y": "DX", "z": "R8"}

// unroll is the number of vectors a turn of the wide loop has.
const unroll = 4

// values are the first registers for what a row has: unroll of them each, but z,
// which is read from memory except under a mask. scalars are those of the scalars.
var (
	values  = map[string]int{"x": 0, "y": 4, "t": 8, "u": 8, "z": 12}
	scalars = map[string]int{"s": 14, "lo": 13, "hi": 14}
)

const (
	signs = 14 // the mask that abs and neg are made with
	rest  = 15 // the mask of the last rows for AVX2; AVX-512 has K1
)

func (a *amd64) body(k *kernel) string {
	a.head(k)
	if k.compare {
		a.compare(k)
	} else {
		a.arithmetic(k)
	}
	return a.String()
}

// head writes what stands above the first loop.
func (a *amd64) head(k *kernel) {
	dst, _ := k.dst(a.element)
	requires := map[string]string{"AVX2": "AVX2", "AVX512": "AVX-512 and BMI2"}[a.path]
	a.line("\n// func %s%s%s(%s)", k.name, a.name, a.path, k.params(a.element))
	a.line("// Requires: %s.\n//", requires)
	a.line("//\tDI %s   %s   advanced by the loops", dst, a.lanes(k))
	a.line("//\tCX rows left")
	for _, s := range k.scalars {
		a.line("//\t%s%d %s in all elements", a.reg, scalars[s], s)
	}
	a.line("TEXT ·%s%s%s(SB), NOSPLIT, $0-%d", k.name, a.name, a.path, k.frame(a.element))
	a.op("MOVQ", "%s_base+0(FP), DI", dst)
	for i, l := range k.lanes {
		a.op("MOVQ", "%s_base+%d(FP), %s", l, k.offset(i+1), pointers[l])
	}
	a.op("MOVQ", "x_len+32(FP), CX")
	for i, s := range k.scalars {
		a.op("VBROADCAST"+a.scalar(), "%s+%d(FP), %s%d", s, k.scalarOffset(a.element, i), a.reg, scalars[s])
	}
	a.constants(k)
}

// lanes lists the registers of the lanes.
func (a *amd64) lanes(k *kernel) string {
	var s []string
	for _, l := range k.lanes {
		s = append(s, pointers[l]+" "+l)
	}
	return strings.Join(s, "   ")
}

// suffix is what instructions on vectors of numbers end with.
func (a *amd64) suffix() string { return map[int]string{4: "PS", 8: "PD"}[a.bytes] }

// scalar is what instructions on one number end with.
func (a *amd64) scalar() string { return map[int]string{4: "SS", 8: "SD"}[a.bytes] }

// constants makes the sign bits that abs and neg need.
func (a *amd64) constants(k *kernel) {
	op, word := k.steps[0].op, map[int]string{4: "D", 8: "Q"}[a.bytes]
	if op != "abs" && op != "neg" {
		return
	}
	c := fmt.Sprintf("%s%d", a.reg, signs)
	if a.path == "AVX512" {
		a.op("VPTERNLOG"+word, "$255, %s, %s, %s", c, c, c)
	} else {
		a.op("VPCMPEQ"+word, "%s, %s, %s", c, c, c)
	}
	if op == "abs" {
		a.op("VPSRL"+word, "$1, %s, %s", c, c)
		a.why("all but the sign")
	} else {
		a.op("VPSLL"+word, "$%d, %s, %s", 8*a.bytes-1, c, c)
		a.why("the sign")
	}
}

// arithmetic writes the loops of a kernel that makes numbers.
func (a *amd64) arithmetic(k *kernel) {
	rows := a.vector / a.bytes
	wide := unroll * rows
	a.gap()
	a.op("SUBQ", "$%d, CX", wide)
	a.op("JLT", "tail")
	a.label(fmt.Sprintf("loop%d", wide))
	a.turn(k, unroll, false)
	a.advance(k, unroll*a.vector)
	a.op("SUBQ", "$%d, CX", wide)
	a.op("JGE", "loop%d", wide)
	a.label("tail")
	a.op("ADDQ", "$%d, CX", wide-rows)
	a.op("JLT", "last")
	a.label(fmt.Sprintf("loop%d", rows))
	a.turn(k, 1, false)
	a.advance(k, a.vector)
	a.op("SUBQ", "$%d, CX", rows)
	a.op("JGE", "loop%d", rows)
	a.label("last")
	a.op("ADDQ", "$%d, CX", rows)
	a.op("JZ", "done")
	a.mask("CX")
	a.turn(k, 1, true)
	a.label("done")
	a.op("VZEROUPPER", "")
	a.op("RET", "")
}

// turn writes n vectors of rows, or the last one under the mask. One vector is stored
// before the next is loaded: loads and stores that come in runs wait for each other.
func (a *amd64) turn(k *kernel, n int, masked bool) {
	result := values[k.steps[len(k.steps)-1].dst]
	for u := range n {
		for _, l := range k.lanes {
			if masked || !a.inMemory(k, l) {
				a.load(l, u, masked)
			}
		}
		for i := range k.steps {
			a.step(k, i, u, masked)
			if u == 0 {
				a.why(k.comment(i))
			}
		}
		switch {
		case !masked:
			a.op("VMOVU"+a.suffix(), "%s%d, %s", a.reg, result+u, at(u*a.vector, "DI"))
		case a.path == "AVX2":
			a.op("VMASKMOV"+a.suffix(), "Y%d, Y%d, (DI)", result, rest)
		default:
			a.op("VMOVU"+a.suffix(), "Z%d, K1, (DI)", result)
		}
	}
}

// inMemory reports whether the only use of a lane can read it from memory.
func (a *amd64) inMemory(k *kernel, lane string) bool {
	uses := 0
	for _, s := range k.steps {
		if s.a == lane {
			return false
		}
		if s.b == lane {
			uses++
		}
	}
	return uses == 1
}

// load reads vector u of a lane.
func (a *amd64) load(lane string, u int, masked bool) {
	r := fmt.Sprintf("%s%d", a.reg, values[lane]+u)
	switch {
	case !masked:
		a.op("VMOVU"+a.suffix(), "%s, %s", at(u*a.vector, pointers[lane]), r)
	case a.path == "AVX2":
		a.op("VMASKMOV"+a.suffix(), "%s, Y%d, %s", at(u*a.vector, pointers[lane]), rest, r)
	default:
		a.op("VMOVU"+a.suffix()+".Z", "%s, K1, %s", at(u*a.vector, pointers[lane]), r)
	}
}

// operand returns vector u of a value of step operands.
func (a *amd64) operand(k *kernel, v string, u int, masked bool) string {
	if r, ok := scalars[v]; ok {
		return fmt.Sprintf("%s%d", a.reg, r)
	}
	if slices.Contains(k.lanes, v) && !masked && a.inMemory(k, v) {
		return at(u*a.vector, pointers[v])
	}
	return fmt.Sprintf("%s%d", a.reg, values[v]+u)
}

// step writes step i of the kernel for vector u.
func (a *amd64) step(k *kernel, i, u int, masked bool) {
	st := k.steps[i]
	dst := fmt.Sprintf("%s%d", a.reg, values[st.dst]+u)
	x, y := a.operand(k, st.a, u, masked), a.operand(k, st.b, u, masked)
	c := fmt.Sprintf("%s%d", a.reg, signs)
	switch st.op {
	case "sqrt":
		a.op("VSQRT"+a.suffix(), "%s, %s", y, dst)
	case "abs":
		a.op("VAND"+a.suffix(), "%s, %s, %s", y, c, dst)
	case "neg":
		a.op("VXOR"+a.suffix(), "%s, %s, %s", y, c, dst)
	default:
		name := map[string]string{"+": "VADD", "-": "VSUB", "*": "VMUL", "/": "VDIV", "min": "VMIN", "max": "VMAX"}[st.op]
		a.op(name+a.suffix(), "%s, %s, %s", y, x, dst)
	}
}

// advance moves the pointers; that to a mask has a step of its own.
func (a *amd64) advance(k *kernel, bytes int) {
	for _, l := range k.lanes {
		a.op("ADDQ", "$%d, %s", bytes, pointers[l])
	}
	if !k.compare {
		a.op("ADDQ", "$%d, DI", bytes)
	}
}

// mask makes the mask of the first rows of a vector, as many as the register
// says, and spoils BX and that one.
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

// at is a memory operand.
func at(offset int, register string) string {
	if offset == 0 {
		return "(" + register + ")"
	}
	return fmt.Sprintf("%d(%s)", offset, register)
}
