package main

import "fmt"

// compare writes the two loops of a kernel that makes a mask. The first loop computes
// whole words, which have the bits of 64 rows. The second loop computes the last,
// incomplete word vector by vector.
func (a *amd64) compare(k *comparison) {
	rows := a.vector / a.bytes
	a.gap()
	a.op("SUBQ", "$64, CX")
	a.op("JLT", "tail")
	a.label("loop64")
	if a.path == "AVX2" {
		a.word(k)
	} else {
		a.wideWord(k)
	}
	a.advance(k, 64*a.bytes)
	a.op("ADDQ", "$8, DI")
	a.op("SUBQ", "$64, CX")
	a.op("JGE", "loop64")

	a.label("tail")
	a.op("ADDQ", "$64, CX")
	a.op("JZ", "done")
	a.op("MOVQ", "CX, R9")
	a.op("XORL", "CX, CX")
	a.explain("row in the word")
	a.op("XORL", "AX, AX")
	a.explain("the word")
	a.op("SUBQ", "$%d, R9", rows)
	a.op("JLT", "last")
	a.label(fmt.Sprintf("loop%d", rows))
	a.vectorBits(k, false)
	a.op("SHLQ", "CX, BX")
	a.op("ORQ", "BX, AX")
	a.advance(k, a.vector)
	a.op("ADDQ", "$%d, CX", rows)
	a.op("SUBQ", "$%d, R9", rows)
	a.op("JGE", "loop%d", rows)
	a.label("last")
	a.op("ADDQ", "$%d, R9", rows)
	a.op("JZ", "store")
	a.mask("R9")
	a.vectorBits(k, true)
	a.op("SHLQ", "CX, BX")
	a.op("ORQ", "BX, AX")
	a.label("store")
	a.op("MOVQ", "AX, (DI)")
	a.label("done")
	a.op("VZEROUPPER", "")
	a.op("RET", "")
}

// word writes the code that sets AX to the bits of 64 rows. The code processes the vectors from the
// last to the first.
func (a *amd64) word(k *comparison) {
	rows := a.vector / a.bytes
	n := 64 / rows
	for u := n - 1; u >= 0; u-- {
		r := (n - 1 - u) % 8
		a.compareVector(k, u, r)
		if u == n-1 {
			a.explain(k.comment())
			a.op("VMOVMSK"+a.suffix(), "Y%d, AX", r)
			continue
		}
		a.op("VMOVMSK"+a.suffix(), "Y%d, BX", r)
		a.op("SHLQ", "$%d, AX", rows)
		a.op("ORQ", "BX, AX")
	}
	a.op("MOVQ", "AX, (DI)")
}

// compareVector writes the code that sets register r to the result of the comparison for vector u.
func (a *amd64) compareVector(k *comparison, u, r int) {
	if len(k.scalars) > 0 {
		a.op("VCMP"+a.suffix(), "$%s, %s, Y%d, Y%d", a.predicate(k), memoryAt(u*a.vector, "SI"), scalars["s"], r)
		return
	}
	a.op("VMOVU"+a.suffix(), "%s, Y%d", memoryAt(u*a.vector, "SI"), r)
	a.op("VCMP"+a.suffix(), "$%s, %s, Y%d, Y%d", a.predicate(k), memoryAt(u*a.vector, "DX"), r, r)
}

// predicate returns the immediate of the comparison instruction that selects the ordered, quiet
// form of the comparison.
func (a *amd64) predicate(k *comparison) string {
	return map[string]string{"==": "0", "<": "17", "<=": "18", ">=": "29", ">": "30"}[k.op]
}

// wideWord writes the code that computes a word of 64 rows in mask registers and stores it.
func (a *amd64) wideWord(k *comparison) {
	n := 64 * a.bytes / a.vector
	for u := range n {
		if len(k.scalars) > 0 {
			a.op("VCMP"+a.suffix(), "$%s, %s, Z%d, K%d", a.predicate(k), memoryAt(u*a.vector, "SI"), scalars["s"], u)
		} else {
			a.op("VMOVU"+a.suffix(), "%s, Z%d", memoryAt(u*a.vector, "SI"), u)
			a.op("VCMP"+a.suffix(), "$%s, %s, Z%d, K%d", a.predicate(k), memoryAt(u*a.vector, "DX"), u, u)
		}
		if u == 0 {
			a.explain(k.comment())
		}
	}
	for ; n > 1; n /= 2 {
		unpack := map[int]string{8: "KUNPCKBW", 4: "KUNPCKWD", 2: "KUNPCKDQ"}[n]
		for u := range n / 2 {
			a.op(unpack, "K%d, K%d, K%d", 2*u, 2*u+1, u)
		}
	}
	a.op("KMOVQ", "K0, (DI)")
}

// vectorBits writes the code that compares one vector and sets BX to the resulting bits.
func (a *amd64) vectorBits(k *comparison, masked bool) {
	if a.path == "AVX2" {
		a.load("x", 0, masked)
		y := fmt.Sprintf("Y%d", scalars["s"])
		if len(k.scalars) == 0 {
			a.load("y", 0, masked)
			y = fmt.Sprintf("Y%d", values["y"])
			a.op("VCMP"+a.suffix(), "$%s, %s, Y0, Y0", a.predicate(k), y)
		} else {
			a.op("VCMP"+a.suffix(), "$%s, Y0, %s, Y0", a.predicate(k), y)
		}
		a.explain(k.comment())
		if masked {
			a.op("VAND"+a.suffix(), "Y%d, Y0, Y0", rest)
		}
		a.op("VMOVMSK"+a.suffix(), "Y0, BX")
		return
	}
	a.load("x", 0, masked)
	operands := fmt.Sprintf("Z0, Z%d", scalars["s"])
	if len(k.scalars) == 0 {
		a.load("y", 0, masked)
		operands = fmt.Sprintf("Z%d, Z0", values["y"])
	}
	under := ""
	if masked {
		under = "K1, "
	}
	a.op("VCMP"+a.suffix(), "$%s, %s, %sK2", a.predicate(k), operands, under)
	a.explain(k.comment())
	a.op("KMOVW", "K2, BX")
}
