package exact

import (
	"flag"
	"fmt"
	"go/format"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
)

var (
	programs = flag.Int("exact.programs", 4, "random programs that the compiler is asked about")
	seed     = flag.Uint64("exact.seed", 1, "where they begin")
)

// TestCompiler compares the analyzer with the compiler on random programs. If the compiler fuses an
// instruction of a function for arm64, the analyzer must have a finding in this function. After all
// fixes, there must be no fused instruction.
func TestCompiler(t *testing.T) {
	fused, reported := 0, 0
	for n := range *programs {
		source := program(rand.New(rand.NewPCG(*seed+uint64(n), 14)))
		before := fusedIn(t, source)
		found, mended := check(t, source)
		for f, lines := range before {
			fused += len(lines)
			if !slices.ContainsFunc(found, func(d analysis.Diagnostic) bool { return strings.Contains(d.Message, "sum") }) {
				t.Errorf("program %d: %s is fused, nothing is reported", n, f)
			}
		}
		reported += len(found)
		for f, lines := range fusedIn(t, mended) {
			t.Errorf("program %d, -exact.seed=%d: %s is fused still, in lines %v of\n%s", n, *seed+uint64(n), f, lines, numbered(mended, lines))
		}
	}
	if fused == 0 {
		t.Fatal("nothing was fused: the programs or the search are broken")
	}
	t.Logf("%d fused instructions, %d findings", fused, reported)
}

var fusedLine = regexp.MustCompile(`p\.go:(\d+)\)\s+(FN?M(?:ADD|SUB)[SD])\b`)

// fusedIn compiles a program for arm64 and returns the lines with fused instructions, by function.
func fusedIn(t *testing.T, source string) map[string][]string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "p.go")
	if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "tool", "compile", "-S", "-p", "p", "-o", filepath.Join(dir, "p.o"), file)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64")
	listing, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, listing, source)
	}
	all, function := map[string][]string{}, ""
	for line := range strings.Lines(string(listing)) {
		if name, _, ok := strings.Cut(line, " STEXT"); ok {
			function = name
		} else if m := fusedLine.FindStringSubmatch(line); m != nil {
			all[function] = append(all[function], m[1])
		}
	}
	return all
}

// check runs the analyzer on a program and applies all fixes.
func check(t *testing.T, source string) (found []analysis.Diagnostic, mended string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module p\n\ngo 1.26.0\n", "p.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	everywhere = true
	defer func() { everywhere = false }()
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax | packages.NeedModule, Dir: dir, Env: append(os.Environ(), "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"), "GOWORK=off")}, ".")
	if err != nil || packages.PrintErrors(pkgs) > 0 {
		t.Fatalf("%v\n%s", err, source)
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{Analyzer}, pkgs, nil)
	if err != nil || graph.Roots[0].Err != nil {
		t.Fatal(err, graph.Roots[0].Err)
	}
	type edit struct {
		from, to int
		text     string
	}
	var edits []edit
	file := pkgs[0].Fset.File(pkgs[0].Syntax[0].FileStart)
	for _, d := range graph.Roots[0].Diagnostics {
		found = append(found, d)
		if len(d.SuggestedFixes) == 0 {
			t.Errorf("no mend for %s", d.Message)
			continue
		}
		for _, e := range d.SuggestedFixes[0].TextEdits {
			if x := (edit{file.Offset(e.Pos), file.Offset(e.End), string(e.NewText)}); !slices.Contains(edits, x) {
				edits = append(edits, x)
			}
		}
	}
	slices.SortFunc(edits, func(x, y edit) int { return y.from - x.from })
	for i, e := range edits {
		if i > 0 && e.to > edits[i-1].from {
			t.Errorf("two mends overlap: %q and %q", e.text, edits[i-1].text)
		}
		source = source[:e.from] + e.text + source[e.to:]
	}
	if _, err := format.Source([]byte(source)); err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	return found, source
}

func numbered(source string, only []string) string {
	var b strings.Builder
	for i, line := range strings.Split(source, "\n") {
		if slices.Contains(only, fmt.Sprint(i+1)) {
			fmt.Fprintf(&b, "%d\t%s\n", i+1, line)
		}
	}
	return b.String()
}

// A writer writes random functions.
type writer struct {
	*rand.Rand
	strings.Builder
	vars  []string // assignable numbers in scope
	calls []string // earlier functions of two numbers
	next  int
}

// program returns a program whose functions have two numbers as parameters. The numbers have a fixed type or the type
// of a type parameter.
func program(r *rand.Rand) string {
	w := &writer{Rand: r}
	w.WriteString("package p\n\ntype N = " + w.pick("float32", "float64"))
	w.WriteString(`

type V struct{ X, Y N }
type Meters N
type I interface{ Do(x N) N }
type square struct{}

func (square) Do(x N) N        { return x * x }
func (v V) Scale(s N) V        { return V{v.X * s, v.Y * s} }
func (v V) Plus(u V) V         { return V{v.X + u.X, v.Y + u.Y} }
func (v *V) Grow(s N)          { v.X *= s }
func (v *V) Shift(s N)         { v.X += s }
func mul(a, b N) N             { return a * b }
func add(a, b N) N             { return a + b }
func div(a, b N) N             { return a / b }
func neg(a, b N) N             { return -a * b }
func both(a, b N) (N, N)       { return a * b, a - b }
func any1[T float32 | float64](a, b T) T { return a * b }
func any2[T float32 | float64](a, b T) T { return a + T(b) }
func put(x []N, i int, a, b N) { x[i] = a * b }
func sum(x []N, i int, a N) N  { return x[i] + a }

type Seq[V any] func(yield func(V) bool)
type Seq2[K, V any] func(yield func(K, V) bool)
type pair[A, B any] struct { a A; b B }
func id[T any](a T) T                          { return a }
func pick[T any](c bool, a, b T) T             { if c { return a }; return b }
func make2[A, B any](a A, b B) pair[A, B]      { return pair[A, B]{a, b} }
func (p pair[A, B]) first() A                  { return p.a }
func first[S ~[]E, E any](s S) E               { return s[0] }
func box(a N) any                              { return a }
func apply(a, b N, f func(N) N) N              { return f(a * b) }
func through(a, b N, f func(N, N) N) N         { return f(a, b) + a }
func each(x []N, k N, f func(int, N))          { for i, v := range x { f(i, v*k) } }
func scaled(x []N, k N) Seq[N]            { return func(yield func(N) bool) { for _, v := range x { if !yield(v * k) { return } } } }
func numbered(x []N, k N) Seq2[int, N]    { return func(yield func(int, N) bool) { for i, v := range x { if !yield(i, k*v) { return } } } }
func shifted(s Seq[N], k N) Seq[N]   { return func(yield func(N) bool) { for v := range s { if !yield(v + k) { return } } } }

`)
	w.calls = []string{"mul", "add", "div", "neg", "any1[N]", "any2[N]"}
	for n := range 40 {
		name := fmt.Sprintf("f%d", n)
		fmt.Fprintf(w, "func %s(a, b N, x, y []N, i, j int, v, u V, p *V, q *V, c bool) N {\n", name)
		w.vars, w.next = []string{"a", "b"}, 0
		w.block(1, 2+w.IntN(5))
		fmt.Fprintf(w, "\treturn %s\n}\n\n", w.number(3))
		if n%5 == 0 {
			small := fmt.Sprintf("g%d", n)
			w.vars = []string{"a", "b"}
			fmt.Fprintf(w, "func %s(a, b N) N { return %s }\n\n", small, w.pureExpr(2))
			w.calls = append(w.calls, small)
		}
	}
	return w.String()
}

func (w *writer) pick(of ...string) string { return of[w.IntN(len(of))] }

func (w *writer) fresh() string {
	w.next++
	return fmt.Sprintf("t%d", w.next)
}

// numbers contains neither 2 nor 0.5. Go compiles x*2 to x+x and may fuse this sum. The bits then stay
// the same (see TestTwice), but the listing does not show that this fused instruction is harmless.
var numbers = []string{"16", "0.0625", "4", "(-2)", "3", "0.25", "1", "(-1)", "0.1"}

// pureExpr returns an expression of a and b only.
func (w *writer) pureExpr(depth int) string {
	if depth == 0 || w.IntN(5) == 0 {
		return w.pick("a", "b", "a", "b", w.pick(numbers...))
	}
	x, y := w.pureExpr(depth-1), w.pureExpr(depth-1)
	switch w.IntN(7) {
	case 0:
		return "N(" + x + "*" + y + ")"
	case 1:
		return "(-(a*" + y + "))"
	}
	return "(" + w.pick("a", "b") + w.pick("+", "-", "*", "/") + y + w.pick("+", "-", "*") + "(" + x + "+b))"
}

// place returns an assignable expression.
func (w *writer) place() string {
	return w.pick(w.pick(w.vars...), "x[i]", "y[j]", "x[i+1]", "v.X", "u.Y", "p.X", "q.Y", "p.Y", "x[2]")
}

func (w *writer) number(depth int) string {
	if depth == 0 || w.IntN(8) == 0 {
		switch w.IntN(4) {
		case 0:
			return w.pick("x[i]", "y[j]", "x[j]", "v.X", "v.Y", "u.X", "p.X", "q.Y", "p.Y", "x[i+1]", "x[2]")
		default:
			return w.pick(w.vars...)
		}
	}
	x, y := w.number(depth-1), w.number(depth-1)
	switch w.IntN(29) {
	case 0, 1, 2, 3:
		return "(" + x + " + " + y + ")"
	case 4, 5, 6:
		return "(" + x + " - " + y + ")"
	case 7, 8, 9:
		return x + "*" + y
	case 10:
		return x + "*" + w.pick(numbers...)
	case 11:
		return x + "/" + w.pick(numbers...)
	case 12:
		return "N(" + x + ")"
	case 13:
		return "-(" + x + ")"
	case 14:
		return "(" + x + "/(" + y + "))"
	case 15:
		if f := w.pick(w.calls...); f[0] == 'g' { // not with constants: see analyzer.constant
			return f + "(" + w.pick("x[i]", "p.X", "v.Y") + ", " + w.pick("y[j]", "q.X", "u.X") + ")"
		} else {
			return f + "(" + x + ", " + w.pick(y, y, w.pick(numbers...)) + ")"
		}
	case 16:
		return w.pick("v", "u", "V{a, "+x+"}") + ".Scale(" + y + ")" + w.pick(".X", ".Y", ".Plus(u).X", ".Plus(v.Scale(b)).Y")
	case 17:
		return "N(Meters(" + x + ") * Meters(" + y + "))"
	case 18:
		return "func(s N) N { return s " + w.pick("+", "*", "-") + " " + y + " }(" + x + ")"
	case 19:
		return w.pick("min", "max") + "(" + x + ", " + y + ")"
	case 20:
		return "sum(x, " + w.pick("i", "j", "2") + ", " + x + ")"
	case 21:
		return w.pick("id", "id[N]") + "(" + x + "+0)"
	case 22:
		return "pick[N](c, " + x + ", " + y + ")"
	case 23:
		return "make2[N](" + x + ", " + w.pick("i", "v", "a") + ")" + w.pick(".a", ".first()")
	case 24:
		return w.pick("first([]N{"+x+"})", "append([]N(nil), "+x+")[0]", "append([]N{a}, "+x+")[i]")
	case 25:
		return w.pick("box("+x+").(N)", "id(box("+x+")).(N)")
	case 26:
		return "apply(" + x + ", " + y + ", func(s N) N { return s " + w.pick("+", "*", "-") + " " + w.pick(w.vars...) + " })"
	case 27:
		return "through(" + x + ", " + y + ", " + w.pick("mul", "add", "func(s, t N) N { return t*s }") + ")"
	}
	return "(" + x + " - " + y + "*" + w.pick(w.vars...) + ")"
}

func (w *writer) block(indent, n int) {
	tab := strings.Repeat("\t", indent)
	outer := len(w.vars)
	for range n {
		switch w.IntN(16) {
		case 0, 1, 2:
			t := w.fresh()
			fmt.Fprintf(w, "%s%s := %s\n%s_ = %s\n", tab, t, w.number(2), tab, t)
			w.vars = append(w.vars, t)
		case 3:
			t := w.fresh()
			fmt.Fprintf(w, "%svar %s N = %s\n%s_ = %s\n", tab, t, w.pick(numbers...), tab, t)
			w.vars = append(w.vars, t)
		case 4, 5:
			fmt.Fprintf(w, "%s%s = %s\n", tab, w.place(), w.number(2))
		case 6, 7:
			fmt.Fprintf(w, "%s%s %s %s\n", tab, w.place(), w.pick("+=", "-=", "*=", "+=", "*="), w.number(2))
		case 8:
			if indent < 3 {
				fmt.Fprintf(w, "%sif %s {\n", tab, w.pick("c", "a < b", "i < j"))
				w.block(indent+1, 1+w.IntN(2))
				fmt.Fprintf(w, "%s} else {\n", tab)
				w.block(indent+1, 1)
				fmt.Fprintf(w, "%s}\n", tab)
			}
		case 9:
			if indent < 3 {
				k := w.pick("i", "j")
				fmt.Fprintf(w, "%sfor %s := range x {\n%s\t_ = %s\n", tab, k, tab, k)
				w.block(indent+1, 1+w.IntN(3))
				fmt.Fprintf(w, "%s}\n", tab)
			}
		case 10:
			fmt.Fprintf(w, "%s%s\n", tab, w.pick("v.Grow(b)", "p.Grow(a)", "v.Shift(a*b)", "p.Shift(b)", "put(x, i, a, b)", "u = v.Scale(a)", "v = u", "*p = v", "u = *q", "v = u.Scale(b).Plus(v)"))
		case 11:
			t, s := w.fresh(), w.fresh()
			fmt.Fprintf(w, "%s%s, %s := both(%s, %s)\n%s_, _ = %s, %s\n", tab, t, s, w.number(1), w.number(1), tab, t, s)
			w.vars = append(w.vars, t, s)
		case 12:
			t := w.fresh()
			fmt.Fprintf(w, "%svar %s I = square{}\n%s%s += %s.Do(%s)\n", tab, t, tab, w.place(), t, w.number(1))
		case 13:
			fmt.Fprintf(w, "%sfunc() { %s %s %s }()\n", tab, w.pick(w.vars...), w.pick("=", "+=", "*="), w.number(1))
		case 14, 15:
			if indent < 3 {
				w.writeHanded(indent)
			}
		}
	}
	w.vars = w.vars[:outer]
}

// writeHanded writes a loop over an iterator, or a call with a function literal.
func (w *writer) writeHanded(indent int) {
	tab, e := strings.Repeat("\t", indent), w.fresh()
	forms := [][2]string{
		{"for " + e + " := range scaled(x, a) {", "}"},
		{"for " + e + " := range shifted(scaled(y, b), a) {", "}"},
		{"for _, " + e + " := range numbered(y, a) {", "}"},
		{"each(x, b, func(_ int, " + e + " N) {", "})"},
		{"scaled(y, a)(func(" + e + " N) bool {", "\treturn true })"},
	}
	form := forms[w.IntN(len(forms))]
	fmt.Fprintf(w, "%s%s\n%s\t%s %s %s\n", tab, form[0], tab, w.place(), w.pick("+=", "-=", "="), e)
	w.vars = append(w.vars, e)
	w.block(indent+1, w.IntN(2))
	w.vars = w.vars[:len(w.vars)-1]
	fmt.Fprintf(w, "%s%s\n", tab, form[1])
}
