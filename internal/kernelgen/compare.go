package main

import "strings"

// A comparison is a kernel that computes one bit for each row: the result of the operator op for
// the operands a and b.
type comparison struct {
	name     string
	lanes    []string // operands with one number a row
	scalars  []string // operands with one number
	a, op, b string
}

// compares lists the comparisons in the order of the files.
var compares = []comparison{
	{"less", xy, nil, "x", "<", "y"},
	{"lessEqual", xy, nil, "x", "<=", "y"},
	{"equal", xy, nil, "x", "==", "y"},
	{"below", x, s, "s", ">", "x"},
	{"atMost", x, s, "s", ">=", "x"},
	{"above", x, s, "s", "<", "x"},
	{"atLeast", x, s, "s", "<=", "x"},
	{"equalTo", x, s, "s", "==", "x"},
}

var (
	x  = []string{"x"}
	xy = []string{"x", "y"}
	s  = []string{"s"}
)

// comparisons returns the assembly of all comparisons, keyed by file name.
func comparisons() map[string]string {
	return map[string]string{"masks_gen_amd64.s": amd64Source(), "masks_gen_arm64.s": arm64Source()}
}

// params returns the parameters as in a Go declaration.
func (k *comparison) params(e element) string {
	text := "mask []uint64, " + strings.Join(k.lanes, ", ") + " []" + e.typ
	if len(k.scalars) > 0 {
		text += ", " + strings.Join(k.scalars, ", ") + " " + e.typ
	}
	return text
}

// offset returns the offset of lane i in the frame. Lane 0 is the mask.
func (k *comparison) offset(i int) int { return 24 * i }

// scalarOffset returns the offset of scalar i in the frame.
func (k *comparison) scalarOffset(e element, i int) int { return 24*(1+len(k.lanes)) + e.bytes*i }

// frame returns the number of bytes of all parameters.
func (k *comparison) frame(e element) int { return k.scalarOffset(e, len(k.scalars)) }

// comment returns the comment for the comparison instruction.
func (k *comparison) comment() string { return k.a + " " + k.op + " " + k.b }
