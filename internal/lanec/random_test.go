package lanec

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A writer writes random functions with a loop over rows, which use every feature of a kernel.
type writer struct {
	r        *rand.Rand
	b        strings.Builder
	loose    bool // only some products are converted
	mixed    bool // with numbers of the other width
	looks    bool // with look-ups of elements, and no write before the end of the row
	f, i     string
	u        string
	of, oi   string   // those of the other width
	floats   []string // variables in scope
	ints     []string
	bools    []string
	counters []string // of the enclosing loops
	names    int
	depth    int
}

// randomKernel returns the source of the function k<n> and its helpers, and the body of its test. The
// kernel is named K<n>.
func randomKernel(seed uint64, n int, wide, loose bool) (source, test string) {
	w := &writer{r: rand.New(rand.NewPCG(seed, uint64(n))), loose: loose, looks: n%2 == 1, f: "float32", i: "int32", u: "uint32", of: "float64", oi: "int64", mixed: n%4 >= 2}
	if wide {
		w.f, w.i, w.u = "float64", "int64", "uint64"
		w.of, w.oi = "float32", "int32"
	}
	helper := w.helper(n)
	w.line("// k%d is random.\n//\n//lanec:kernel K%d", n, n)
	w.line("func k%d(x, y []%s, k []%s, h []%s, z []%s, s, t %s, flag bool, count int, g, w []%s, c []%s, sum *kernels.Total[%s], q []%s, r []%s,", n, w.f, w.i, w.u, w.f, w.f, w.f, w.u, w.f, w.of, w.oi)
	w.line("\tarr [4]%s, far *[8]%s, mode %s, mat [][16]%s, pair [][16]%s, other [][16]%s,", w.f, w.i, w.i, w.f, w.i, w.of)
	w.line("\tstart, list []int32, group int) {")
	w.depth++
	w.line("%s", w.pick("for i := range x {", "for i, first := range x {\n\t\t_ = first", "for i := 0; i < len(x); i++ {"))
	w.depth++
	w.line("a, b, n, m := y[i], s, k[i], %s(3)", w.i)
	w.line("e := &mat[i]")
	w.floats, w.ints = []string{"a", "b"}, []string{"n", "m"}
	w.depth--
	w.block(4+w.r.IntN(w.maxStatements(10)), n)
	w.depth++
	if w.looks {
		w.scatter()
	}
	w.line("x[i] = x[i] - a + %s", w.toFloat("n"))
	w.line("y[i] = %s(b * a) + %s", w.f, w.toFloat("m"))
	w.line("k[i] = n ^ m")
	w.line("h[i] ^= h[i] << %d", 1+w.r.IntN(20))
	if w.mixed {
		w.line("if a > b {\n\t\t\tq[i] = %s(a)\n\t\t}", w.of)
		w.line("r[i] -= %s(n)", w.oi)
		w.line("other[i][15] = %s(b) - other[i][0]", w.of)
	}
	w.line("e[0] = a")
	w.line("if n < m {\n\t\t\tpair[i][5] += n\n\t\t\tmat[i][15] = e[5]\n\t\t}")
	w.line("if a < b || n > m {\n\t\t\tsum.Add(i, a)\n\t\t}")
	w.depth--
	w.line("}")
	w.depth--
	w.line("}\n")
	lane := func(t string) string { return "kerneltest.Lane[" + t + "](in)" }
	test = strings.NewReplacer("FLOAT", w.f, "UINT", w.u, "OTHER", w.of, "OFINTS", w.oi, "LANES", lane(w.f), "INTEGERS", lane(w.i), "INT", w.i, "#", fmt.Sprint(n)).Replace(`kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		x, y, k, h, z := LANES, LANES, INTEGERS, kerneltest.Lane[UINT](in), kerneltest.Slice[FLOAT](in, 6)
		s, u, count, flag := kerneltest.Value[FLOAT](in), kerneltest.Value[FLOAT](in), in.Rows() % 7 - 1, in.Rows() % 2 == 0
		g, w, c := kerneltest.Slice[FLOAT](in, 8), kerneltest.Slice[FLOAT](in, 8), kerneltest.Slice[UINT](in, 8)
		out, q, r := kerneltest.Slice[FLOAT](in, 64), kerneltest.Lane[OTHER](in), kerneltest.Lane[OFINTS](in)
		arr, far, mode := [4]FLOAT(kerneltest.Slice[FLOAT](in, 4)), (*[8]INT)(kerneltest.Slice[INT](in, 8)), INT(in.Rows() % 5)
		m0, m1, m2 := LANES, LANES, LANES
		p0, p1, p2 := INTEGERS, INTEGERS, INTEGERS
		group := []int{16, 64, 5}[in.Rows() % 3]
		start, list := parts(in, group)
		o0, o1, o2 := kerneltest.Lane[OTHER](in), kerneltest.Lane[OTHER](in), kerneltest.Lane[OTHER](in)
		run := func(k func(sum *kernels.Total[FLOAT], mat [][16]FLOAT, pair [][16]INT, other [][16]OTHER)) func() {
			return func() {
				var sum kernels.Total[FLOAT]
				mat, pair, other := arrays(m0, m1, m2), arrays(p0, p1, p2), arrays(o0, o1, o2)
				defer func() {
					copy(out, sum.Sums())
					back(mat, m0, m1, m2)
					back(pair, p0, p1, p2)
					back(other, o0, o1, o2)
				}()
				k(&sum, mat, pair, other)
			}
		}
		return run(func(sum *kernels.Total[FLOAT], mat [][16]FLOAT, pair [][16]INT, other [][16]OTHER) {
				k#(x, y, k, h, z, s, u, flag, count, g, w, c, sum, q, r, arr, far, mode, mat, pair, other, start, list, group)
			}), run(func(sum *kernels.Total[FLOAT], mat [][16]FLOAT, pair [][16]INT, other [][16]OTHER) {
				K#(x, y, k, h, z, s, u, flag, count, g, w, c, sum, q, r, arr, far, mode, mat, pair, other, start, list, group)
			})
	})`)
	return helper + w.b.String(), test
}

// ofArrays holds the source that the tests of random functions share. It converts slices of arrays to
// lanes and back.
const ofArrays = `
// used are the numbers of an array that random functions know.
var used = [3]int{0, 5, 15}

func arrays[T kerneltest.Number](lanes ...[]T) [][16]T {
	m := make([][16]T, len(lanes[0]))
	for i := range m {
		for j := range m[i] {
			m[i][j] = T(j)
		}
		for j, at := range used {
			m[i][at] = lanes[j][i]
		}
	}
	return m
}

// parts returns a list of indices below 8. It also returns the positions where its parts begin; each group of
// n rows shares a part. One list in five has an index that is too large.
func parts(in *kerneltest.Input, n int) (start, list []int32) {
	r := in.Draw()
	start, list = make([]int32, (in.Rows()+n-1)/n+1), make([]int32, 20)
	for i := range list {
		list[i] = r.Int32N(8)
	}
	if r.IntN(5) == 0 {
		list[r.IntN(20)] = 8
	}
	for i := range start {
		start[i] = r.Int32N(5)
		if i > 0 {
			start[i] = min(start[i]+start[i-1], 20)
		}
	}
	return start, list
}

func back[T kerneltest.Number](m [][16]T, lanes ...[]T) {
	for i := range m {
		for j, at := range used {
			lanes[j][i] = m[i][at]
			m[i][at] = T(at)
		}
		for j := range m[i] {
			if m[i][j] != T(j) {
				panic("a number was changed that no function knows")
			}
		}
	}
}
`

// maxStatements is the largest number of statements in a function. It is small if products without
// a conversion are possible, because lanec would rarely accept a long function with such products.
func (w *writer) maxStatements(n int) int {
	if w.loose {
		return 2
	}
	return n
}

// helper writes a function of two floats with several returns.
func (w *writer) helper(n int) string {
	w.floats, w.ints, w.bools = []string{"p", "q"}, []string{"j"}, nil
	w.line("func help%d(p, q %s) (%s, %s) {", n, w.f, w.f, w.f)
	w.depth++
	w.line("j := %s(7)", w.i)
	saved := w.counters
	w.counters = nil
	if w.r.IntN(3) > 0 {
		w.line("if %s {\n\t\treturn %s, %s\n\t}", w.inHelper(w.cond), w.inHelper(w.float), w.inHelper(w.float))
	}
	w.line("q = %s", w.inHelper(w.float))
	w.line("j++")
	if w.r.IntN(2) > 0 {
		w.line("if %s {\n\t\tif %s {\n\t\t\treturn p, %s\n\t\t}\n\t\tp = -q\n\t}", w.inHelper(w.cond), w.inHelper(w.cond), w.inHelper(w.float))
	}
	w.line("return q, %s", w.inHelper(w.float))
	w.depth--
	w.line("}\n")
	w.counters = saved
	text := w.b.String()
	w.b.Reset()
	return text
}

// inHelper draws expressions until one uses no variables of the kernel.
func (w *writer) inHelper(draw func(d int) string) string {
	for {
		if text := draw(1); !strings.Contains(text, "[") && !strings.Contains(text, "(+") && !strings.Contains(text, "flag") {
			return text
		}
	}
}

func (w *writer) pick(list ...string) string { return list[w.r.IntN(len(list))] }

func (w *writer) line(format string, args ...any) {
	fmt.Fprintf(&w.b, strings.Repeat("\t", w.depth)+format+"\n", args...)
}

func (w *writer) toFloat(i string) string { return w.f + "(" + i + ")" }

func (w *writer) math(name, x string) string {
	if w.f == "float32" {
		return "float32(math." + name + "(float64(" + x + ")))"
	}
	return "math." + name + "(" + x + ")"
}

var floatConstants = []string{"0", "1", "-1", "0.5", "2", "3e-3", "1e20", "-7.25", "1e-30", "4"}

func (w *writer) float(d int) string {
	if d <= 0 || w.r.IntN(6) == 0 {
		switch w.r.IntN(6) {
		case 0:
			return w.round(w.pick(w.floats...) + w.pick(" + ", " - ", " / ", " * ") + "(" + w.pick(floatConstants...) + ")")
		case 1:
			if w.looks && w.r.IntN(2) == 0 {
				return w.pick("g", "g", "g", "g", "g", "g", "g", "g", "z") + "[" + w.pick(w.ints...) + "&7]" // z has six elements
			}
			if n := len(w.counters); n > 0 && w.r.IntN(4) > 0 {
				return "z[" + w.counters[n-1] + "]"
			}
			return w.pick("z[2]", "arr[1]", "arr[3]")
		case 2:
			return w.pick("x[i]", "y[i]", "(+s)", "(+t)", "mat[i][0]", "mat[i][5]", "e[15]")
		}
		return w.pick(w.floats...)
	}
	a := w.float(d - 1)
	if w.looks && w.r.IntN(8) == 0 {
		return "(" + a + " - " + w.pick("g["+w.pick("", w.u)+"("+w.int(d-1)+")&7]", "arr["+w.pick(w.ints...)+"&3]") + ")"
	}
	if w.mixed && w.r.IntN(4) == 0 {
		other := w.of + "(" + a + ")"
		number := "r[i]"
		if w.f == "float32" {
			number = "float64(r[i])"
		}
		return w.f + "(" + w.pick(other, "q[i]", "other[i][5]", number, other+" + q[i]", "min("+other+", q[i])", other+" / "+w.of+"("+w.float(d-1)+")", w.u+"("+w.int(d-1)+")") + ")"
	}
	switch w.r.IntN(17) {
	case 14:
		return w.f + "(kernels." + w.pick("FloorOf", "RoundOf", "FractOf", "RsqrtOf") + "[" + w.f + "](" + w.f + "(" + a + ")))"
	case 15:
		if w.looks { // nothing is written yet, as functions that leave rows to Go require
			return w.f + "(kernels." + w.pick("ModOf", "HypotOf", "KeplerOf") + "[" + w.f + "](" + w.f + "(" + a + "), " + w.f + "(" + w.float(d-1) + ")))"
		}
	case 0, 1:
		return "(" + a + " + " + w.float(d-1) + ")"
	case 2, 3:
		return "(" + a + " - " + w.float(d-1) + ")"
	case 4, 5, 6:
		return w.round(a + " * " + w.float(d-1))
	case 7:
		return w.f + "(" + a + " / " + w.float(d-1) + ")"
	case 8:
		return w.math("Sqrt", a)
	case 9:
		return w.math("Abs", a)
	case 10:
		return "(-" + a + ")"
	case 11:
		return w.pick("min", "max") + "(" + a + ", " + w.float(d-1) + ")"
	case 12:
		return w.math(w.pick("Floor", "Ceil", "Trunc", "RoundToEven"), a)
	case 13:
		return w.round(a + " / 2")
	}
	return w.toFloat(w.int(d - 1))
}

// round converts a product, so that it is not fused.
func (w *writer) round(product string) string {
	if w.loose && w.r.IntN(2) == 0 {
		return "(" + product + ")"
	}
	return w.f + "(" + product + ")"
}

func (w *writer) int(d int) string {
	if d <= 0 || w.r.IntN(5) == 0 {
		switch w.r.IntN(4) {
		case 0:
			return fmt.Sprintf("(%s %s (%d))", w.pick(w.ints...), w.pick("+", "^", "&"), int32(w.r.Uint32())>>w.r.IntN(32))
		case 1:
			return w.pick(w.i+"(h[i])", w.i+"(h[i]>>3)", "k[i]", "pair[i][0]", "pair[i][15]", "far[3]", "(+mode)")
		}
		return w.pick(w.ints...)
	}
	a := w.int(d - 1)
	if w.mixed && w.r.IntN(4) == 0 {
		bits := strings.TrimPrefix(w.i, "int")
		return w.pick(w.i+"(r[i])", w.i+"("+w.oi+"("+a+") * r[i])", w.i+"("+w.oi+"("+a+")>>3)",
			"kernels.ToInt"+bits+"("+w.float(d-1)+")", w.i+"(kernels.ToUint"+bits+"("+w.float(d-1)+"))", "kernels.ToInt"+bits+"(q[i])", w.i+"(kernels.ToUint32(q[i]))")
	}
	switch w.r.IntN(13) {
	case 11: // by few bits, and by a computed number of bits
		return fmt.Sprintf("(%s %s (%s(%s) & %d))", a, w.pick("<<", ">>"), w.u, w.int(d-1), w.r.IntN(128))
	case 12:
		return fmt.Sprintf("%s(%s(%s) %s %s(%s))", w.i, w.u, a, w.pick("<<", ">>"), w.u, w.int(d-1))
	case 10:
		by := int32(w.r.Uint32()) >> w.r.IntN(32)
		if by == 0 {
			by = 1
		}
		return fmt.Sprintf("(%s %s (%d))", a, w.pick("/", "%"), by)
	case 7:
		return fmt.Sprintf("(%s << %d)", a, w.r.IntN(34))
	case 8:
		return fmt.Sprintf("(%s >> %d)", a, w.r.IntN(34))
	case 9:
		return w.pick("min", "max") + "(" + a + ", " + w.int(d-1) + ")"
	}
	op := w.pick("+", "-", "*", "&", "|", "^", "&^")
	return "(" + a + " " + op + " " + w.int(d-1) + ")"
}

func (w *writer) cond(d int) string {
	compare := func() string { return w.pick(" < ", " <= ", " > ", " >= ", " == ", " != ") }
	if w.mixed && w.r.IntN(6) == 0 {
		return "(" + w.pick(w.of+"("+w.float(1)+")"+compare()+"q[i]", w.oi+"("+w.int(1)+")"+compare()+"r[i]") + ")"
	}
	switch w.r.IntN(8) {
	case 0:
		if d > 0 {
			return "(" + w.cond(d-1) + " && " + w.cond(d-1) + ")"
		}
	case 1:
		if d > 0 {
			return "(" + w.cond(d-1) + " || " + w.cond(d-1) + ")"
		}
	case 2:
		if d > 0 {
			return "!" + w.cond(d-1)
		}
	case 3:
		return "(" + w.int(1) + compare() + w.int(1) + ")"
	case 4:
		return w.pick(append([]string{"flag"}, w.bools...)...)
	case 5:
		return "(" + w.u + "(" + w.int(1) + ")" + compare() + w.u + "(" + w.int(1) + "))"
	}
	return "(" + w.float(1) + compare() + w.float(1) + ")"
}

// condition returns a condition for a branch: one that depends on the row, or one with the same
// value for all rows.
func (w *writer) condition() string {
	if w.r.IntN(3) > 0 {
		return w.cond(1)
	}
	return w.pick("flag", "!flag", "(+s) > (+t)", "(+s) <= (+t) && !flag", "(+t) != (+t) || flag", "z[2] < (+s)", "flag == ((+s) > 0)", "(+mode) > 2", "arr[2] < (+t) || mode == 1")
}
