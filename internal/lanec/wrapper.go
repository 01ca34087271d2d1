package lanec

import (
	"fmt"
	"go/format"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/lanewise/lanewise/internal/lanec/amd64"
	"github.com/lanewise/lanewise/internal/lanec/ir"
	"github.com/lanewise/lanewise/internal/lanec/wasm"
)

const (
	kernelsPath  = "github.com/lanewise/lanewise/kernels"
	archsimdPath = "simd/archsimd"
)

// simdBuild is the build constraint of the vectors of WebAssembly: package simd/archsimd is an experiment of Go 1.27.
const simdBuild = "(wasm && goexperiment.simd && go1.27)"

// imports holds the packages that the generated Go files import, with the names that
// these files use for them.
type imports struct {
	own   *types.Package
	names map[string]string // by path
}

func newImports(own *types.Package) *imports {
	return &imports{own, map[string]string{kernelsPath: "kernels", "strconv": "strconv"}}
}

// newImportsOfVectors returns the imports of the file for WebAssembly.
func newImportsOfVectors(own *types.Package) *imports {
	return &imports{own, map[string]string{archsimdPath: "archsimd"}}
}

// qualify is a types.Qualifier. If two packages have the same name, one gets a
// number.
func (i *imports) qualify(p *types.Package) string {
	if p == i.own {
		return ""
	}
	if name := i.names[p.Path()]; name != "" {
		return name
	}
	name := p.Name()
	for n := 2; slices.Contains(slices.Collect(maps.Values(i.names)), name); n++ { //lanewise:inexact asks whether it is there
		name = p.Name() + strconv.Itoa(n)
	}
	i.names[p.Path()] = name
	return name
}

func (i *imports) String() string {
	var own, others strings.Builder
	for _, path := range slices.Sorted(maps.Keys(i.names)) {
		b := &own
		if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
			b = &others
		}
		if name := i.names[path]; name != filepath.Base(path) {
			fmt.Fprintf(b, "%s ", name)
		}
		fmt.Fprintf(b, "%q\n", path)
	}
	return "import (\n" + own.String() + "\n" + others.String() + ")\n"
}

// writeGo generates the Go files.
func (p *Package) writeGo(pkg string, names *imports) error {
	var wrappers, x86, arm, other, none strings.Builder
	vectors, vectorImports, err := p.writeVectors(names.own)
	if err != nil {
		return err
	}
	masks := false
	for _, k := range p.Kernels {
		k.declareArguments(&wrappers)
		if err := k.wrapper(&wrappers, pkg, names); err != nil {
			return err
		}
		masks = masks || slices.ContainsFunc(k.IR.Scalars, func(s *ir.Scalar) bool { return s.Kind == ir.Mask && s.Offset > 0 })
		s := k.symbol()
		wide := amd64.AVX512.Symbol(s)
		fmt.Fprintf(&x86, "\n//go:noescape\nfunc %s(a *%sArgs)\n\n//go:noescape\nfunc %s(a *%sArgs)\n", s, s, wide, s)
		fmt.Fprintf(&arm, "\n//go:noescape\nfunc %s(a *%sArgs)\n\nfunc %s(*%sArgs) {}\n", s, s, wide, s)
		fmt.Fprintf(&other, "\nfunc %s(*%sArgs) {}\n\nfunc %s(*%sArgs) {}\n", s, s, wide, s)
		if onStack(k.IR) > 0 {
			declared := fmt.Sprintf("\n//go:noescape\nfunc %sStack(c *%sCall)\n", s, s)
			x86.WriteString(declared)
			arm.WriteString(declared)
			fmt.Fprintf(&other, "\nfunc %sStack(*%sCall) {}\n", s, s)
		}
		if k.NoSIMD == nil {
			fmt.Fprintf(&none, "\nfunc %s(...any) {}\n", k.vectorSymbol())
		}
	}
	text := wrappers.String() + short + yield
	if strings.Contains(text, "lanecShift(") {
		text += groups
	}
	if masks {
		text += bools
	}
	//lanewise:inexact each is a file of its own
	for name, text := range map[string]string{
		"lanec_gen.go":       "package " + pkg + "\n\n" + names.String() + text,
		"lanec_amd64_gen.go": "//go:build amd64 && !purego\n\npackage " + pkg + "\n\nconst lanecHere, lanecWide, lanecSIMD = true, 64, false // bytes of a vector\n" + x86.String() + none.String(),
		"lanec_arm64_gen.go": "//go:build arm64 && !purego\n\npackage " + pkg + "\n\nconst lanecHere, lanecWide, lanecSIMD = true, -1, false\n" + arm.String() + none.String(),
		"lanec_wasm_gen.go": "//go:build " + simdBuild + " && !purego\n\npackage " + pkg + "\n\n" + vectorImports + "\nconst lanecHere, lanecWide, lanecSIMD = true, -1, true\n" +
			other.String() + vectors,
		"lanec_noasm_gen.go": "//go:build purego || !(amd64 || arm64 || " + simdBuild + ")\n\npackage " + pkg + "\n\nconst lanecHere, lanecWide, lanecSIMD = false, -1, false\n" + other.String() + none.String(),
	} {
		formatted, err := format.Source([]byte(head + text))
		if err != nil {
			return fmt.Errorf("lanec wrote what is no Go, which is a fault of lanec: %s: %w", name, err)
		}
		p.Files[name] = formatted
	}
	return nil
}

const short = `
// lanecShort says which number of rows is too small for a kernel's loops.
func lanecShort(kernel, have string, n int, want string, least int) string {
	text := kernel + ": " + have + " is " + strconv.Itoa(n) + ", "
	if want == strconv.Itoa(least) {
		return text + "which must be at least " + want
	}
	return text + want + " is " + strconv.Itoa(least)
}
`

const bools = `
// lanecMask is a bool in all bits of an element.
func lanecMask[T int32 | int64](b bool) T {
	if b {
		return -1
	}
	return 0
}
`

const groups = `
// lanecGroups reports whether groups of n rows consist of whole vectors, and whether pieces of rows consist of whole groups.
func lanecGroups(n, vector int) bool { return n >= vector && n <= 64 && n&(n-1) == 0 }

// lanecShift returns the logarithm of a power of two.
func lanecShift(n int) (shift int) {
	for ; n > 1; n /= 2 {
		shift++
	}
	return shift
}
`

const yield = `
// lanecYield lets Go stop the world: between pieces of rows, and after a number of iterations inside a kernel. The stack check at its entry is the
// preemption point; it has one because it is no leaf.
//
//go:noinline
func lanecYield() { lanecSafepoint() }

//go:noinline
func lanecSafepoint() {}
`

// declareArguments declares the argument block of the assembly.
func (k *Kernel) declareArguments(b *strings.Builder) {
	fmt.Fprintf(b, "\ntype %sArgs struct {\n\trows int\n", k.symbol())
	if k.IR.Stop > 0 {
		b.WriteString("\tstop int // the row of a vector in which an index is out of range\n")
	}
	for _, s := range k.IR.Streams {
		if s.Offset > 0 {
			fmt.Fprintf(b, "\t%s *%s // %s\n", s.Name, s.Type, s.Expr)
		}
	}
	for _, c := range k.IR.Counts {
		if c.Offset > 0 {
			fmt.Fprintf(b, "\t%s int // %s\n", c.Name, c.Expr)
		}
	}
	for _, l := range k.IR.Lengths {
		if l.Offset > 0 {
			fmt.Fprintf(b, "\t%s %s // %s\n", l.Name, l.Type, l.Expr)
		}
	}
	for _, s := range k.IR.Scalars {
		if s.Offset > 0 {
			fmt.Fprintf(b, "\t%s_ %s\n", s.Name, k.typeOf(s))
		}
	}
	b.WriteString("}\n")
}

// typeOf returns the type of a scalar in the block: masks are integers.
func (k *Kernel) typeOf(s *ir.Scalar) string {
	if s.Kind == ir.Mask {
		return fmt.Sprintf("int%d", 8*k.IR.Width)
	}
	return s.Type
}

// wrapper writes the function that users call.
func (k *Kernel) wrapper(b *strings.Builder, pkg string, names *imports) error {
	params, args, fields := k.parameters(names)
	instance, of := k.Source, ""
	if k.mark.elem != nil {
		instance += "[" + k.mark.elem.String() + "]"
		of = "of " + k.mark.elem.String() + ", "
	}
	source := fmt.Sprintf("%s(%s)", instance, strings.Join(args, ", "))
	fmt.Fprintf(b, "\n// %s is [%s], %scompiled for the vectors of each CPU, with the same bits.\n//\n", k.Name, k.Source, of)
	fmt.Fprintf(b, "// It panics if a slice is shorter than the loops need. It does not allocate.\nfunc %s(%s) {\n", k.Name, strings.Join(params, ", "))
	fmt.Fprintf(b, "\trows_ := %s\n", k.IR.Number)
	isCount := func(w ir.Want) bool { return w.Least == "0" } // x[:n] panics if n is negative
	k.writeWants(b, pkg, isCount)
	if slices.ContainsFunc(k.IR.Streams, func(s *ir.Stream) bool { return s.Ahead > 0 }) {
		b.WriteString("\tif rows_ <= 0 {\n\t\treturn\n\t}\n") // nothing is read ahead
	}
	k.writeWants(b, pkg, func(w ir.Want) bool { return !isCount(w) })
	if !strings.HasPrefix(k.IR.Number, "len(") {
		b.WriteString("\trows_ = max(rows_, 0)\n")
	}
	here := "lanecHere"
	if k.NoSIMD != nil {
		here += " && !lanecSIMD"
	}
	fmt.Fprintf(b, "\tvector_ := 0\n\tif %s {\n\t\tvector_ = kernels.VectorBytes()\n\t}\n", here)
	apart, narrow := k.groups()
	b.WriteString(narrow)
	fmt.Fprintf(b, "\tif vector_ == 0%s%s {\n\t\t%s\n\t\treturn\n\t}\n", apart, k.overlapCondition(), source)
	k.announce(b, pkg)
	if k.NoSIMD == nil {
		fmt.Fprintf(b, "\tif lanecSIMD {\n\t\t%s(rows_, %s)\n\t\treturn\n\t}\n", k.vectorSymbol(), strings.Join(args, ", "))
	}
	if onStack(k.IR) > 0 {
		k.writeWithin(b, fields, args)
	}
	k.writePieces(b, strings.Join(args, ", "))
	b.WriteString("}\n")
	if k.IR.Stop > 0 {
		return k.rest(b, strings.Join(params, ", "), names)
	}
	return nil
}

// vectorSymbol returns the name of the kernel's function with vectors of WebAssembly.
func (k *Kernel) vectorSymbol() string { return "lanec128" + strings.TrimPrefix(k.symbol(), "lanec") }

// writeVectors writes the functions with vectors of WebAssembly, and returns them with the imports of their file. Kernels without such a
// function run the Go source there.
func (p *Package) writeVectors(own *types.Package) (text, imports string, err error) {
	names := newImportsOfVectors(own)
	var b strings.Builder
	found := false
	for _, k := range p.Kernels {
		// This first call only asks whether the kernel has such a function, because parameters adds imports, and Go refuses imports that no function uses.
		if _, k.NoSIMD = wasm.Emit(k.IR, wasm.Function{Slow: testSlowVectors}); k.NoSIMD != nil {
			continue
		}
		params, args, _ := k.parameters(names)
		list := strings.Join(params, ", ")
		written, err := wasm.Emit(k.IR, wasm.Function{Name: k.vectorSymbol(), Params: list, Rest: k.restSymbol(), Args: strings.Join(args, ", "), Slow: testSlowVectors})
		if err != nil {
			return "", "", err
		}
		b.WriteString(written)
		if k.IR.Stop == 0 { // otherwise every CPU has it
			if err := k.rest(&b, list, names); err != nil {
				return "", "", err
			}
		}
		found = true
	}
	if !found {
		return "", "", nil
	}
	return b.String(), names.String(), nil
}

// parameters returns the parameters of the source as Go: for the head of a function, their names, and each with its type.
func (k *Kernel) parameters(names *imports) (params, args, fields []string) {
	all := slices.Collect(k.mark.signature.Params().Variables())
	for i, v := range all {
		param, t := v.Name(), types.TypeString(v.Type(), names.qualify)
		if i+1 == len(all) || types.TypeString(all[i+1].Type(), names.qualify) != t {
			param += " " + t
		}
		params, args, fields = append(params, param), append(args, v.Name()), append(fields, v.Name()+" "+t)
	}
	return params, args, fields
}

// groups returns two pieces of code. apart is the condition under which only the Go
// source can run: the rows of a vector may belong to several groups, or a group has no
// part of its list. narrow runs before this condition: it selects vectors of half the
// size if groups are too small for the vectors of AVX-512.
func (k *Kernel) groups() (apart, narrow string) {
	said := map[string]bool{}
	for _, s := range k.IR.Streams {
		if s.Group == "" || s.Offset == 0 || said[s.Expr+s.Group] {
			continue
		}
		said[s.Expr+s.Group] = true
		fits := fmt.Sprintf("lanecGroups(%s, vector_/%d)", s.Group, k.IR.Width)
		narrow += fmt.Sprintf("\tif vector_ == lanecWide && !%s {\n\t\tvector_ /= 2\n\t}\n", fits)
		apart += fmt.Sprintf(" ||\n\t\t!%s || len(%s) <= (rows_-1)/%s+1", fits, s.Expr, s.Group)
	}
	return apart, narrow
}

// writeWants writes the checks of those lengths that a predicate selects.
func (k *Kernel) writeWants(b *strings.Builder, pkg string, which func(w ir.Want) bool) {
	for _, w := range k.IR.Wants {
		if !which(w) {
			continue
		}
		least := w.Least
		if least == k.IR.Number {
			least = "rows_"
		}
		fmt.Fprintf(b, "\tif %s < %s {\n\t\tpanic(lanecShort(%q, %q, %s, %q, %s))\n\t}\n", w.Have, least, pkg+": "+k.Name, w.Have, w.Have, w.Least, least)
	}
}

// announce writes the code that tells the race detector about reads and writes,
// for builds that need it.
func (k *Kernel) announce(b *strings.Builder, pkg string) {
	fmt.Fprintf(b, "\tif kernels.Checked {\n\t\tkernels.Announce(%q,\n", pkg+": "+k.Name)
	for _, s := range k.IR.Streams {
		switch {
		case s.Offset == 0, s.Matrix != "", s.ByLoop && len(s.Reach) == 0 && s.Group == "": // the looked-up elements are not known in advance
		case s.Group != "":
			fmt.Fprintf(b, "\t\t\tkernels.Reads(%q, %s[:(rows_-1)/%s+2]),\n", s.Expr, s.Expr, s.Group)
		case s.ByLoop:
			fmt.Fprintf(b, "\t\t\tkernels.Reads(%q, %s[:max(0, %s)]),\n", s.Expr, s.Expr, strings.Join(s.Reach, ", "))
		case s.Ring:
			fmt.Fprintf(b, "\t\t\tkernels.Writes(%q, %s.Sums()),\n", s.Expr, s.Expr)
		case s.Ahead > 0:
			fmt.Fprintf(b, "\t\t\tkernels.Reads(%q, %s[%d:rows_+%d]),\n", s.Expr, s.Expr, s.Ahead, s.Ahead)
		case s.Written:
			fmt.Fprintf(b, "\t\t\tkernels.Writes(%q, %s[:rows_]),\n", s.Expr, s.Expr)
		default:
			fmt.Fprintf(b, "\t\t\tkernels.Reads(%q, %s[:rows_]),\n", s.Expr, s.Expr)
		}
	}
	for _, m := range matrices(k.IR) {
		use := "Reads"
		if m.written {
			use = "Writes"
		}
		fmt.Fprintf(b, "\t\t\tkernels.%s(%q, %s[:rows_]),\n", use, m.expr, m.expr)
	}
	b.WriteString("\t\t)\n\t}\n")
}

// overlapCondition returns the condition under which lanes overlap in such a way that
// the order of accesses matters. This is so if a lane that is read at other rows
// overlaps one that is written, or a lane that is written at other rows overlaps one
// that is used. In this case only the Go source has the right order.
func (k *Kernel) overlapCondition() string {
	var b strings.Builder
	said := map[string]bool{}
	for i, s := range k.IR.Streams {
		for _, t := range k.IR.Streams[:i] {
			w, r := s, t
			if !w.Written {
				w, r = t, s
			}
			if !meet(w, r) {
				continue
			}
			text := fmt.Sprintf(" ||\n\t\tkernels.Overlap(%s, %s)", memory(r), memory(w))
			if !said[text] {
				b.WriteString(text)
			}
			said[text] = said[text] || r.Matrix != "" || w.Matrix != ""
		}
	}
	return b.String()
}

// meet reports whether an iteration of the loop may read from r what another iteration
// writes to w, if r and w share memory.
func meet(w, r *ir.Stream) bool {
	return w.Written && !w.Ring && !r.Ring && w.Offset > 0 && r.Offset > 0 && (w.ByLoop || r.ByLoop || r.Ahead > 0 || r.Matrix != w.Matrix)
}

const (
	piece      = 1 << 16 // rows, or iterations of constant loops, between two yields; kernels with other loops yield by themselves
	leastRows  = 16
	rowsOfRing = 64 // of a Total
)

// block writes the assignments to the argument block that are the same for all
// pieces. They are separate assignments. If they were a composite literal, Go would
// write a copy with stores of one size and read it with loads of another size, which
// stalls the CPU.
func (k *Kernel) block(b *strings.Builder) {
	fmt.Fprintf(b, "\tvar a_ %sArgs\n", k.symbol())
	for _, c := range k.IR.Counts {
		if c.Offset > 0 {
			fmt.Fprintf(b, "\ta_.%s = %s\n", c.Name, c.Expr)
		}
	}
	for _, l := range k.IR.Lengths {
		if l.Offset > 0 { // an index that is too large stops here as well, and then Go continues
			fmt.Fprintf(b, "\ta_.%s = %s(min(%s, 1<<31-1))\n", l.Name, l.Type, l.Expr)
		}
	}
	for _, s := range k.IR.Scalars {
		switch {
		case s.Offset == 0:
		case s.Kind == ir.Mask:
			fmt.Fprintf(b, "\ta_.%s_ = lanecMask[%s](bool(%s))\n", s.Name, k.typeOf(s), s.Expr)
		default:
			fmt.Fprintf(b, "\ta_.%s_ = %s\n", s.Name, s.Expr)
		}
	}
	for _, s := range k.IR.Streams {
		switch {
		case s.Offset == 0:
		case s.Matrix != "":
			fmt.Fprintf(b, "\ta_.%s = &l_.%[1]s[0]\n", s.Name)
		case s.Ring:
			fmt.Fprintf(b, "\ta_.%s = &%s.Sums()[0]\n", s.Name, s.Expr)
		case s.Group != "":
		case s.ByLoop:
			fmt.Fprintf(b, "\tif len(%s) > 0 {\n\t\ta_.%s = &%s[0]\n\t}\n", s.Expr, s.Name, s.Expr)
		}
	}
}

// writePieces writes the loop over pieces of the rows.
func (k *Kernel) writePieces(b *strings.Builder, args string) {
	most := piece
	k.IR.Entry.Walk(func(it ir.Item, _ *ir.Region, _ int) {
		if l, ok := it.(*ir.Loop); ok && l != k.IR.Rows && !k.IR.CountsIterations(l) {
			most = min(most, max(leastRows, piece/int(max(1, l.IterationsPerRow()))))
		}
	})
	if slices.ContainsFunc(k.IR.Streams, func(s *ir.Stream) bool { return s.Ring || s.Group != "" }) {
		most = max(rowsOfRing, most&^(rowsOfRing-1)) // so that each piece begins with the first accumulator, and with the first row of a group
	}
	k.block(b)
	arrays := matrices(k.IR)
	if len(arrays) > 0 {
		most = min(most, rowsOfMatrix)
	}
	next := "at_ += piece_"
	fmt.Fprintf(b, "\tconst piece_ = %d\n", most)
	if k.IR.Stop > 0 {
		next = ""
	} else { // a short call should not pay for preparations that only a long one needs
		b.WriteString("\tif rows_ <= piece_ {\n\t\tif rows_ == 0 {\n\t\t\treturn\n\t\t}\n\t\ta_.rows = rows_\n")
		k.writeLanes(b, "")
		writeApart(b, arrays, "0")
		k.run(b)
		rejoin(b, arrays, "0", "a_.rows")
		b.WriteString("\t\treturn\n\t}\n")
	}
	fmt.Fprintf(b, "\tfor at_ := 0; at_ < rows_; %s {\n\t\tif at_ > 0 {\n\t\t\tlanecYield()\n\t\t}\n\t\ta_.rows = min(rows_-at_, piece_)\n", next)
	if k.IR.Stop > 0 {
		b.WriteString("\t\ta_.stop = a_.rows\n")
	}
	k.writeLanes(b, "at_")
	writeApart(b, arrays, "at_")
	k.run(b)
	done := "a_.rows"
	if k.IR.Stop > 0 {
		done = "a_.stop"
	}
	rejoin(b, arrays, "at_", done)
	if k.IR.Stop > 0 {
		// The Go source computes the rows up to the next row that uses the first accumulator.
		fmt.Fprintf(b, "\t\tif a_.stop < a_.rows {\n\t\t\tstop_ := at_ + a_.stop\n\t\t\tat_ = min(at_+a_.stop&^%d+%d, rows_)\n\t\t\t%s(stop_, at_, %s)\n\t\t\tcontinue\n\t\t}\n\t\tat_ += a_.rows\n", rowsOfRing-1, rowsOfRing, k.restSymbol(), args)
	}
	b.WriteString("\t}\n")
}

// writeLanes writes code that stores the pointers to the elements of a row, or of the first row if
// row is "".
func (k *Kernel) writeLanes(b *strings.Builder, row string) {
	for _, s := range k.IR.Streams {
		if s.Group != "" && s.Offset > 0 {
			fmt.Fprintf(b, "\t\ta_.%s = &%s[%s/%s]\n", s.Name, s.Expr, row, s.Group)
		}
		if s.Offset == 0 || s.ByLoop || s.Ring || s.Matrix != "" {
			continue
		}
		at := row
		switch {
		case s.Ahead > 0 && row != "":
			at = fmt.Sprintf("%s+%d", row, s.Ahead)
		case row == "":
			at = strconv.Itoa(s.Ahead)
		}
		fmt.Fprintf(b, "\t\ta_.%s = &%s[%s]\n", s.Name, s.Expr, at)
	}
}

// run calls the assembly of the path.
func (k *Kernel) run(b *strings.Builder) {
	fmt.Fprintf(b, "\t\tif vector_ == lanecWide {\n\t\t\t%s(&a_)\n\t\t} else {\n\t\t\t%s(&a_)\n\t\t}\n", amd64.AVX512.Symbol(k.symbol()), k.symbol())
}
