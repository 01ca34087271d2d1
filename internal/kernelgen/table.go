package main

import "strings"

// A kernel is one row of the table.
type kernel struct {
	name    string   // of its Go functions: add32 and add64 choose among addF32AVX2, addF64NEON, …
	lanes   []string // operands with one number a row, in order: x, y, z
	scalars []string // operands with one number, after the lanes
	steps   []step   // what is done with a row; the last one makes the result
	compare bool     // the last step makes a bit of a mask
	wide    bool     // it has AVX-512 bodies; where it has not, they are no faster than AVX2
}

// A step sets dst to a op b. Operations with one operand leave a empty.
type step struct{ dst, a, op, b string }

// table lists the kernels in the order in which they stand in the files.
var table = []kernel{
	{name: "add", lanes: xy, steps: []step{{"t", "x", "+", "y"}}, wide: true},
	{name: "sub", lanes: xy, steps: []step{{"t", "x", "-", "y"}}, wide: true},
	{name: "mul", lanes: xy, steps: []step{{"t", "x", "*", "y"}}, wide: true},
	{name: "div", lanes: xy, steps: []step{{"t", "x", "/", "y"}}},
	{name: "scale", lanes: x, scalars: s, steps: []step{{"t", "s", "*", "x"}}, wide: true},
	{name: "mulAdd", lanes: xyz, steps: []step{{"t", "x", "*", "y"}, {"t", "t", "+", "z"}}, wide: true},
	{name: "addScaled", lanes: xy, scalars: s, steps: []step{{"t", "s", "*", "y"}, {"t", "x", "+", "t"}}, wide: true},
	{name: "lerp", lanes: xy, scalars: s, steps: []step{{"t", "y", "-", "x"}, {"t", "s", "*", "t"}, {"t", "x", "+", "t"}}, wide: true},
	{name: "minimum", lanes: xy, steps: []step{{"t", "x", "min", "y"}}, wide: true},
	{name: "maximum", lanes: xy, steps: []step{{"t", "x", "max", "y"}}, wide: true},
	{name: "clamp", lanes: x, scalars: []string{"lo", "hi"}, steps: []step{{"t", "lo", "max", "x"}, {"u", "hi", "min", "t"}}, wide: true},
	{name: "abs", lanes: x, steps: []step{{"t", "", "abs", "x"}}, wide: true},
	{name: "neg", lanes: x, steps: []step{{"t", "", "neg", "x"}}, wide: true},
	{name: "sqrt", lanes: x, steps: []step{{"t", "", "sqrt", "x"}}},

	{name: "less", compare: true, lanes: xy, steps: []step{{"t", "x", "<", "y"}}, wide: true},
	{name: "lessEqual", compare: true, lanes: xy, steps: []step{{"t", "x", "<=", "y"}}, wide: true},
	{name: "equal", compare: true, lanes: xy, steps: []step{{"t", "x", "==", "y"}}, wide: true},
	{name: "below", compare: true, lanes: x, scalars: s, steps: []step{{"t", "s", ">", "x"}}, wide: true},
	{name: "atMost", compare: true, lanes: x, scalars: s, steps: []step{{"t", "s", ">=", "x"}}, wide: true},
	{name: "above", compare: true, lanes: x, scalars: s, steps: []step{{"t", "s", "<", "x"}}, wide: true},
	{name: "atLeast", compare: true, lanes: x, scalars: s, steps: []step{{"t", "s", "<=", "x"}}, wide: true},
	{name: "equalTo", compare: true, lanes: x, scalars: s, steps: []step{{"t", "s", "==", "x"}}, wide: true},
}

var (
	x   = []string{"x"}
	xy  = []string{"x", "y"}
	xyz = []string{"x", "y", "z"}
	s   = []string{"s"}
)

// An element is one of the two types of numbers.
type element struct {
	name  string // in the names of functions
	bits  string // behind the names of Go functions
	typ   string
	bytes int
}

var elements = []element{{"F32", "32", "float32", 4}, {"F64", "64", "float64", 8}}

// dst returns the name and the type of what the kernel writes.
func (k *kernel) dst(e element) (name, typ string) {
	if k.compare {
		return "mask", "[]uint64"
	}
	return "dst", "[]" + e.typ
}

// params returns the parameters as a Go declaration has them.
func (k *kernel) params(e element) string {
	name, typ := k.dst(e)
	if k.compare {
		name += " " + typ + ", " + strings.Join(k.lanes, ", ") + " []" + e.typ
	} else {
		name += ", " + strings.Join(k.lanes, ", ") + " " + typ
	}
	if len(k.scalars) > 0 {
		name += ", " + strings.Join(k.scalars, ", ") + " " + e.typ
	}
	return name
}

// args returns the arguments that pass the parameters on.
func (k *kernel) args(e element) string {
	name, _ := k.dst(e)
	return strings.Join(append(append([]string{name}, k.lanes...), k.scalars...), ", ")
}

// offset returns where parameter i of the lanes (0 is dst) starts in the frame.
func (k *kernel) offset(i int) int { return 24 * i }

// scalarOffset returns where scalar i starts in the frame.
func (k *kernel) scalarOffset(e element, i int) int { return 24*(1+len(k.lanes)) + e.bytes*i }

// frame returns the bytes of all parameters.
func (k *kernel) frame(e element) int { return k.scalarOffset(e, len(k.scalars)) }

// comment returns step i as it stands beside its instruction.
func (k *kernel) comment(i int) string {
	text := k.expression(i)
	if i+1 < len(k.steps) && k.steps[i+1].choice() {
		return k.steps[i].dst + " = " + text
	}
	return text
}

// choice reports whether the step names its operands twice: what they are stands
// beside the step before.
func (st step) choice() bool { return st.op == "min" || st.op == "max" }

// expression returns step i in the names of the signature.
func (k *kernel) expression(i int) string {
	st := k.steps[i]
	a, b := k.operand(i, st.a), k.operand(i, st.b)
	switch st.op {
	case "*", "/":
		return a + st.op + b
	case "min":
		return a + " < " + b + " ? " + a + " : " + b
	case "max":
		return a + " > " + b + " ? " + a + " : " + b
	case "abs":
		return "|" + b + "|"
	case "neg":
		return "-" + b
	case "sqrt":
		return "√" + b
	}
	return a + " " + st.op + " " + b
}

// operand returns what v is in step i: a parameter, or the step that made it.
func (k *kernel) operand(i int, v string) string {
	for j := i - 1; j >= 0; j-- {
		if k.steps[j].dst == v && !k.steps[i].choice() {
			if k.steps[i].op == "+" {
				return k.expression(j)
			}
			return "(" + k.expression(j) + ")"
		}
	}
	return v
}
