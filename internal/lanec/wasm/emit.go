package wasm

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// ErrUnsupported is the error for a kernel that needs an operation without a
// fast instruction. Such a kernel keeps its Go source.
var ErrUnsupported = errors.New("lanec: no vectors of WebAssembly for this kernel")

// vectorBytes is the size of a vector.
const vectorBytes = 16

// A types holds the names of the vector types for one width of elements.
type types struct {
	float, uint, int, element string
	bits, rows                int
}

var (
	types32 = types{"Float32x4", "Uint32x4", "Int32x4", "float32", 32, 4}
	types64 = types{"Float64x2", "Uint64x2", "Int64x2", "float64", 64, 2}
)

// An emitter writes one function. The names of the function's variables end in suffix, so that they differ from those
// of the parameters.
type emitter struct {
	strings.Builder
	k       *ir.Kernel
	suffix  string
	stop    string                // statements for a vector in which an index is out of range
	shift   int                   // rows of the vectors before this one, in an iteration with several vectors
	streams map[*ir.Stream]string // variables that hold lanes
	joined  map[*ir.Value]bool    // loads and conversions that are part of another statement
	unused  map[*ir.Value]bool    // values that no statement needs, for which Go would refuse a variable
	err     error
}

func newEmitter(k *ir.Kernel) *emitter {
	e := &emitter{k: k, streams: map[*ir.Stream]string{}, joined: map[*ir.Value]bool{}, unused: map[*ir.Value]bool{}}
	e.join()
	e.findUnused()
	return e
}

// EmitFrame returns the Go function of a kernel of package kernels, whose arguments are in the frame of the call. Its name is symbol
// followed by SIMD. The function of a kernel with a guard returns the number of rows that it has done. rest is the
// statement that computes the rows from i to n.
func EmitFrame(k *ir.Kernel, rest string) (string, error) {
	e := newEmitter(k)
	e.stop = "return i"
	e.line("\nfunc %sSIMD%s {\nn := %s", k.Frame.Symbol, k.Frame.Go, k.Number)
	e.function(rest)
	if k.Stop > 0 {
		e.line("return n")
	}
	e.line("}")
	return e.String(), e.err
}

// A Function describes the Go function for a kernel of any other package. Rest is the name of a function that computes the rows from its first
// argument to its second one. Its other parameters are Params. Slow is for tests: it also compiles kernels that are faster in Go.
type Function struct {
	Name, Params, Rest, Args string
	Slow                     bool
}

// Emit returns the function. Its parameters are the number of rows and those of the source. The names of the parameters do not end
// in an underscore.
func Emit(k *ir.Kernel, f Function) (string, error) {
	e := newEmitter(k)
	e.suffix = "_"
	if !f.Slow && e.isSlow() {
		e.unsupported("elements one by one, which take longer than in Go")
	}
	e.stop = fmt.Sprintf("%s(i_, i_+%d, %s)\ncontinue rows_", f.Rest, vectorBytes/k.Width, f.Args)
	e.line("\nfunc %s(n_ int, %s) {", f.Name, f.Params)
	e.function(fmt.Sprintf("%s(i_, n_, %s)", f.Rest, f.Args))
	e.line("}")
	return e.String(), e.err
}

func (e *emitter) line(format string, args ...any) { fmt.Fprintf(e, format+"\n", args...) }

// local returns the name of a local variable.
func (e *emitter) local(name string) string { return name + e.suffix }

// variable returns the name of the variable that holds a value.
func (e *emitter) variable(v *ir.Value) string { return e.local(fmt.Sprint("v", v.ID)) }

// counter returns the name of the variable that counts the iterations of a loop.
func (e *emitter) counter(l *ir.Loop) string { return e.local(fmt.Sprint("j", l.ID)) }

// types returns the vector types of a kind.
func (e *emitter) types(kind ir.Kind) types {
	if kind.Size(e.k.Width) == 4 {
		return types32
	}
	return types64
}

func (e *emitter) unsupported(why string) {
	if e.err == nil {
		e.err = fmt.Errorf("%w: %s", ErrUnsupported, why)
	}
}

// function writes the body of the function. rest is the statement for the rows after the last whole vector.
func (e *emitter) function(rest string) {
	e.declareLanes()
	e.region(e.k.Entry)
	i, n := e.local("i"), e.local("n")
	e.line("if %s < %s {\n%s\n}", i, n, rest)
}

// region writes the statements of a region.
func (e *emitter) region(r *ir.Region) {
	if r == nil {
		return
	}
	for _, it := range r.Items {
		switch it := it.(type) {
		case *ir.Value:
			e.value(it)
		case *ir.Loop:
			switch {
			case it == e.k.Rows:
				e.rows(it)
			case e.k.Frame != nil:
				e.unsupported("a loop in a row")
			case it.Once:
				e.branch(it)
			default:
				e.loop(it)
			}
		}
	}
}

// rows writes the loops over the whole vectors.
func (e *emitter) rows(l *ir.Loop) {
	rows := vectorBytes / e.k.Width
	i, n := e.local("i"), e.local("n")
	e.line("%s := 0", i)
	if vectors := e.vectorsPerIteration(); vectors > 1 {
		e.line("for ; %s <= %s-%d; %s += %d {", i, n, vectors*rows, i, vectors*rows)
		for v := range vectors {
			e.shift = v * rows
			e.line("{")
			e.region(l.Body)
			e.line("}")
		}
		e.shift = 0
		e.line("}")
	}
	if e.k.Stop > 0 && e.k.Frame == nil {
		e.line("%s:", e.local("rows"))
	}
	e.line("for ; %s <= %s-%d; %s += %d {", i, n, rows, i, rows)
	e.region(l.Body)
	e.line("}")
}

// vectorsPerIteration returns the number of vectors that an iteration of the main loop computes. If the body is short,
// it is more than one, because the jump back takes as long as several instructions.
func (e *emitter) vectorsPerIteration() int {
	if e.k.Stop > 0 {
		return 1
	}
	weight := 0
	for _, it := range e.k.Rows.Body.Items {
		v, ok := it.(*ir.Value)
		if !ok {
			return 1
		}
		if v.Op == ir.Div || v.Op == ir.Sqrt {
			weight += 7
		}
		weight++
	}
	switch {
	case weight <= 12:
		return 4
	case weight <= 24:
		return 2
	}
	return 1
}

// isSlow reports whether a kernel does little more than to access elements one by one. In such a kernel each element takes a few
// instructions more than in Go, and the other operations do not make up for it.
func (e *emitter) isSlow() bool {
	const (
		ofCheck = 4 // operations that check an index; in Go, the check is a part of the access
		ofShift = 3 // operations that limit a number of bits
		moves   = 3 // half operations to move an element into a vector or out of it
	)
	elements, operations := 0, 0
	e.k.Rows.Body.Walk(func(it ir.Item, _ *ir.Region, _ int) {
		v, ok := it.(*ir.Value)
		if !ok {
			return
		}
		switch v.Op {
		case ir.Gather:
			elements++
			operations -= ofCheck
		case ir.Scatter:
			elements += 2 * len(v.Puts) // with a branch
			operations -= ofCheck * len(v.Puts)
		case ir.ShlBy, ir.ShrBy, ir.SarBy:
			elements += 2 // of two operands
			operations -= ofShift
		default:
			if v.Op.Pure() && v.Op != ir.Cast && len(v.Args) > 0 {
				operations++
			}
		}
	})
	rows := vectorBytes / e.k.Width
	return elements > 0 && 2*operations*(rows-1) < moves*elements*rows
}

// branch writes a branch that all rows take or none.
func (e *emitter) branch(l *ir.Loop) {
	e.begin(l)
	e.line("if %s {", e.anySet(l.Alive, !l.Unless))
	e.region(l.Body)
	e.again(l)
	e.line("}")
}

// loop writes a loop inside the row.
func (e *emitter) loop(l *ir.Loop) {
	e.begin(l)
	switch j := e.counter(l); {
	case l.Span != nil:
		e.beginSpan(l)
	case l.Count != nil:
		e.line("for %s := 0; %s < %s; %s++ {", j, j, l.Count.Expr, j)
	case l.Turns >= 0:
		e.line("for %s := 0; %s < %d; %s++ {", j, j, l.Turns, j)
	default:
		e.line("for {")
	}
	e.region(l.Head)
	if l.Alive != nil {
		e.line("if %s {\nbreak\n}", e.anySet(l.Alive, false))
	}
	e.region(l.Body)
	e.again(l)
	if l.EndAlive != nil {
		e.line("if %s {\nbreak\n}", e.anySet(l.EndAlive, false))
	}
	e.line("}")
}

// begin declares the variables that a loop or branch changes.
func (e *emitter) begin(l *ir.Loop) {
	for _, p := range l.Phis {
		e.line("%s := %s", e.variable(p), e.arg(p.Args[0], p.Kind))
	}
}

// again assigns their values at the end of an iteration.
func (e *emitter) again(l *ir.Loop) {
	var to, from []string
	for _, p := range l.Phis {
		if p.Args[1] != p {
			to, from = append(to, e.variable(p)), append(from, e.arg(p.Args[1], p.Kind))
		}
	}
	if len(to) > 0 {
		e.line("%s = %s", strings.Join(to, ", "), strings.Join(from, ", "))
	}
}

// anySet returns the head of an if statement that asks whether an element of a mask is set, or whether none is.
func (e *emitter) anySet(mask *ir.Value, want bool) string {
	op := "!="
	if !want {
		op = "=="
	}
	text := e.arg(mask, ir.Mask)
	switch {
	case mask.Op == ir.Rows:
		return fmt.Sprint(want)
	case mask.Kind.IsHalf():
		e.unsupported("a mask of half the width")
	case e.types(mask.Kind) == types32:
		text += ".ReshapeToUint64s()"
	}
	m := e.local("m")
	return fmt.Sprintf("%s := %s; %s.GetElem(0)|%s.GetElem(1) %s 0", m, text, m, m, op)
}

// value writes the statement that computes a value.
func (e *emitter) value(v *ir.Value) {
	if e.unused[v] {
		return
	}
	switch v.Op {
	case ir.Const, ir.Rows: // their users write them
	case ir.Store:
		e.store(v)
	case ir.Scatter:
		e.scatter(v)
	case ir.Gather:
		e.gather(v)
	case ir.Guard:
		e.line("if %s {\n%s\n}", e.anySet(v.Args[0], true), e.stop)
	case ir.Within:
		e.line("if int(uint32(%s)) >= %s {\n%s\n}", e.listed(v.Loop), v.Scalar.Expr, e.stop)
	case ir.Load, ir.Narrow:
		if e.joined[v] {
			return // its users write it
		}
		fallthrough
	default:
		if text := e.expr(v); text != "" {
			e.line("%s := %s", e.variable(v), text)
			return
		}
		e.unsupported(v.String())
	}
}

// join finds loads and stores of floats of half the width that are written as one statement with the
// conversion before or after them. A load must not move past a store, because the two lanes may be the same.
func (e *emitter) join() {
	uses := map[*ir.Value][]*ir.Value{}
	e.k.Entry.Walk(func(it ir.Item, _ *ir.Region, _ int) {
		if v, ok := it.(*ir.Value); ok {
			for _, a := range v.Args {
				uses[a] = append(uses[a], v)
			}
		}
	})
	float := ir.Float | ir.Half
	for v, by := range uses { //lanewise:inexact each is independent
		other := func(op ir.Op) func(*ir.Value) bool { return func(u *ir.Value) bool { return u.Op != op } }
		switch {
		case v.Op == ir.Load && v.Kind == float:
			e.joined[v] = len(by) == 1 && by[0].Op == ir.Widen && isNext(v, by[0]) && !e.isPhi(v)
		case v.Op == ir.Narrow && v.Kind == float:
			e.joined[v] = !slices.ContainsFunc(by, other(ir.Store)) && !e.isPhi(v)
		}
	}
}

// findUnused finds the values that no other value needs, for example because their store was overwritten.
func (e *emitter) findUnused() {
	uses := e.k.Uses()
	for again := true; again; {
		again = false
		e.k.Entry.Walk(func(it ir.Item, _ *ir.Region, _ int) {
			v, ok := it.(*ir.Value)
			if !ok || v.Op.Acts() || uses[v] > 0 || e.unused[v] {
				return
			}
			e.unused[v], again = true, true
			for _, a := range v.Args {
				uses[a]--
			}
		})
	}
}

// isPhi reports whether a variable of a loop takes the value.
func (e *emitter) isPhi(v *ir.Value) (yes bool) {
	e.k.Entry.Walk(func(it ir.Item, _ *ir.Region, _ int) {
		if l, ok := it.(*ir.Loop); ok {
			yes = yes || slices.ContainsFunc(l.Phis, func(p *ir.Value) bool { return slices.Contains(p.Args, v) })
		}
	})
	return yes
}

// isNext reports whether u follows v in the same region, without a store, a scatter or a loop between them.
func isNext(v, u *ir.Value) bool {
	after := false
	for _, it := range v.Region.Items {
		w, ok := it.(*ir.Value)
		switch {
		case w == v && ok:
			after = true
		case !after:
		case w == u && ok:
			return true
		case !ok || w.Op == ir.Store || w.Op == ir.Scatter:
			return false
		}
	}
	return false
}
