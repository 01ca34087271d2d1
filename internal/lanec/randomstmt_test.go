package lanec

import (
	"fmt"
	"slices"
	"strings"
)

// These methods write the statements of random functions.

func (w *writer) block(n, kernel int) {
	w.depth++
	floats, ints, bools := w.floats, w.ints, w.bools
	for range n {
		w.stmt(kernel)
	}
	for _, v := range slices.Concat(w.floats[len(floats):], w.ints[len(ints):], w.bools[len(bools):]) {
		w.line("_ = %s", v)
	}
	w.floats, w.ints, w.bools = floats, ints, bools
	w.depth--
}

func (w *writer) stmt(kernel int) {
	w.names++
	v := fmt.Sprintf("v%d", w.names)
	switch w.r.IntN(20) {
	case 19:
		if w.r.IntN(3) == 0 {
			w.zero(v)
		} else {
			w.sum(v, kernel)
		}
	case 18:
		w.writeSwitch(kernel)
	case 15:
		w.line("%s := %s", v, w.cond(2))
		w.bools = append(w.bools[:len(w.bools):len(w.bools)], v)
	case 16:
		if len(w.bools) > 1 && w.r.IntN(2) == 0 {
			w.line("%s, %s = %s, %s", w.bools[0], w.bools[len(w.bools)-1], w.bools[len(w.bools)-1], w.bools[0])
		} else if len(w.bools) > 0 {
			w.line("%s = %s", w.pick(w.bools...), w.pick(w.cond(1), w.bools[0]+" == "+w.pick(w.bools...), w.bools[0]+" != "+w.pick(w.bools...)))
		}
	case 17:
		w.line("%s, %s = %s, %s", w.floats[0], w.floats[len(w.floats)-1], w.floats[len(w.floats)-1], w.floats[0])
	case 0, 1:
		w.line("%s := %s", v, w.float(3))
		w.floats = append(w.floats[:len(w.floats):len(w.floats)], v)
	case 2:
		w.line("%s := %s", v, w.int(2))
		w.ints = append(w.ints[:len(w.ints):len(w.ints)], v)
	case 3, 4:
		w.line("%s = %s", w.pick(w.floats...), w.float(3))
	case 5:
		w.line("%s %s= %s", w.pick(w.floats...), w.pick("+", "-"), w.float(2))
	case 6:
		w.line("%s = %s", w.pick(w.ints...), w.int(2))
	case 7:
		switch {
		case w.looks:
		case w.r.IntN(3) == 0:
			w.line("sum.Add(i, %s)", w.float(2))
		case w.r.IntN(4) == 0:
			w.line("pair[i][%s] %s %s", w.pick("0", "5"), w.pick("=", "+=", "^="), w.int(1))
		default:
			w.line("%s = %s", w.pick("x[i]", "y[i]", "mat[i][5]", "e[0]"), w.float(2))
		}
	case 8, 9:
		if w.depth > 5 {
			return
		}
		w.line("if %s {", w.condition())
		w.block(1+w.r.IntN(3), kernel)
		if w.r.IntN(2) == 0 {
			w.line("} else {")
			w.block(1+w.r.IntN(3), kernel)
		}
		w.line("}")
	case 10, 11:
		w.writeCounted(v, kernel)
	case 12:
		w.writeConditional(v, kernel)
	case 13:
		w.line("%s, %s = help%d(%s, %s)", "a", "b", kernel, w.float(1), w.float(1))
	case 14:
		if len(w.counters) == 0 && w.depth < 4 && w.r.IntN(3) == 0 {
			w.line("if %s {\n\t\t\tcontinue\n\t\t}", w.cond(1))
		}
	}
}

// writeSwitch writes a switch.
func (w *writer) writeSwitch(kernel int) {
	if w.depth > 5 {
		return
	}
	is := w.condition
	switch w.r.IntN(3) {
	case 0:
		w.line("switch {")
	default:
		w.line("switch %s & 7 {", w.pick(w.int(1), "(+mode)"))
		from := 0
		is = func() string { from++; return fmt.Sprint(from) }
	}
	last := w.r.IntN(4) // the position of the default case, if any
	for i := range 3 {
		if i == last {
			w.line("default:")
		} else if w.r.IntN(3) == 0 {
			w.line("case %s, %s:", is(), is())
		} else {
			w.line("case %s:", is())
		}
		w.block(1+w.r.IntN(2), kernel)
	}
	w.line("}")
}

// sum writes a loop that adds to a number in some rows.
func (w *writer) sum(v string, kernel int) {
	if len(w.counters) > 1 || w.depth > 4 {
		return
	}
	w.line("%s := %s(%s)", v, w.f, w.pick("0", "0", "3", "x[i]", "-x[i]"))
	w.line("for range 3 {")
	w.counters = append(w.counters, "2")
	w.block(1+w.r.IntN(2), kernel)
	w.counters = w.counters[:len(w.counters)-1]
	w.depth++
	w.line("if %s {\n%s %s= %s\n}", w.cond(1), v, w.pick("+", "-"), w.float(1))
	if w.r.IntN(2) == 0 {
		w.line("if %s {\n%s\n}", w.cond(1), w.pick("break", "continue"))
		w.line("if %s {\n%s += %s\n} else {\n%[2]s -= %s\n}", w.cond(1), v, w.float(1), w.float(1))
	}
	w.depth--
	w.line("}")
	w.floats = append(w.floats[:len(w.floats):len(w.floats)], v)
}

// zero writes a sum that starts with a negated number and adds zero in some rows, and stores the
// result, so that a wrong sign of a zero is found.
func (w *writer) zero(v string) {
	if len(w.counters) > 1 || w.looks {
		return
	}
	w.line("%s := -%s", v, w.pick("x[i]", "y[i]"))
	w.line("%[1]sd := %[2]s(0)\nif %[3]s {\n%[1]sd = %[4]s\n}\n%[1]s += %[1]sd", v, w.f, w.cond(1), w.float(1))
	w.line("%s = %s", w.pick("x[i]", "y[i]"), v)
	w.floats = append(w.floats[:len(w.floats):len(w.floats)], v)
}

// writeCounted writes a loop with a fixed number of iterations.
func (w *writer) writeCounted(v string, kernel int) {
	if len(w.counters) > 1 || w.depth > 5 {
		return
	}
	if w.looks && w.r.IntN(2) == 0 {
		w.writeSpanned(v, kernel)
		return
	}
	w.line("%s", strings.ReplaceAll(w.pick("for J := range z {", "for J, zj := range z {\n_ = zj", "for J := 0; J < count; J++ {", "for J := range 3 {"), "J", v))
	w.line("\t_ = %s", v)
	w.counters = append(w.counters, v)
	w.block(1+w.r.IntN(3), kernel)
	if w.r.IntN(2) == 0 {
		w.depth++
		w.line("if %s {\n%s\n}", w.cond(1), w.pick("break", "continue"))
		w.line("%s = %s", w.pick(w.floats...), w.float(2))
		if w.r.IntN(3) == 0 {
			w.line("if %s {\nb = a\n%s\n}", w.cond(1), w.pick("break", "continue"))
			w.line("%s = %s", w.pick(w.ints...), w.int(2))
		}
		w.depth--
	}
	w.counters = w.counters[:len(w.counters)-1]
	w.line("}")
}

// writeSpanned writes a loop over a part of a list. The rows of a group share such a part.
func (w *writer) writeSpanned(v string, kernel int) {
	w.line("for _, %s := range list[start[i/group]:start[i/group+1]] {", v)
	w.line("\tb %s g[%s]", w.pick("+=", "-="), w.pick(v, "int("+v+")"))
	w.line("\tn ^= %s(%s)", w.i, v)
	w.counters = append(w.counters, "2")
	w.block(1+w.r.IntN(3), kernel)
	if w.r.IntN(2) == 0 {
		w.line("\tif %s {\n%s\n}", w.cond(1), w.pick("break", "continue"))
		w.line("\t%s = %s", w.pick(w.floats...), w.pick(w.float(2), w.float(1)+" - g["+v+"]"))
	}
	w.counters = w.counters[:len(w.counters)-1]
	w.line("}")
}

// writeConditional writes a loop whose number of iterations depends on the row.
func (w *writer) writeConditional(v string, kernel int) {
	if len(w.counters) > 1 || w.depth > 5 {
		return
	}
	leaves := false
	switch w.r.IntN(4) {
	case 0:
		w.line("for %s := n & 3; %s < m&7; %s++ {", v, v, v)
		leaves = true
	case 1:
		w.line("for %s := range %s & 7 {", v, w.pick(w.ints...))
		leaves = true
	default:
		w.line("%s := k[i] & 7", v)
		w.line("for %s > 0 && %s {", v, w.cond(1))
		w.line("\t%s--", v)
	}
	w.line("\t_ = %s", v)
	if w.looks {
		w.line("\tb += g[%s&7]", v)
	}
	w.counters = append(w.counters, "2")
	w.block(1+w.r.IntN(3), kernel)
	if leaves && w.r.IntN(2) == 0 {
		w.line("\tif %s {\n%s\n}", w.cond(1), w.pick("break", "continue"))
		w.line("\t%s = %s", w.pick(w.floats...), w.float(2))
	}
	w.counters = w.counters[:len(w.counters)-1]
	w.line("}")
}

// scatter writes a few elements at computed indices.
func (w *writer) scatter() {
	for range 1 + w.r.IntN(3) {
		at := "[" + w.pick("", w.u) + "(" + w.int(1) + ")&7]"
		if w.r.IntN(20) == 0 {
			at = "[k[i]&31]" // there are eight
		}
		text := w.pick(
			"w"+at+w.pick(" += ", " -= ", " += ", " = ")+w.float(2),
			"c"+at+w.pick("++", "--"),
			"c"+at+w.pick(" += ", " -= ", " ^= ", " |= ", " &= ", " = ")+w.u+"("+w.int(1)+")",
			"n, w"+at+", m = "+w.int(1)+", "+w.float(1)+", n",
		)
		if w.r.IntN(2) == 0 {
			text = "if " + w.cond(1) + " {\n" + text + "\n}"
		}
		w.line("%s", text)
	}
}
