package wasm

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// ErrUnsupported is the error for a kernel that needs an operation without a
// fast instruction. Such a kernel keeps its generic body.
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

type emitter struct {
	strings.Builder
	k       *ir.Kernel
	shift   int                   // rows of the vectors before this one, in an iteration with several vectors
	streams map[*ir.Stream]string // variables that hold lanes
	joined  map[*ir.Value]bool    // loads and conversions that are part of another statement
	err     error
}

// EmitFrame returns the Go function of a kernel whose arguments are in the frame of the call. Its name is symbol
// followed by SIMD. The function of a kernel with a guard returns the number of rows that it has done. rest is the
// statement that computes the rows from i to n.
func EmitFrame(k *ir.Kernel, rest string) (string, error) {
	e := &emitter{k: k, streams: map[*ir.Stream]string{}, joined: map[*ir.Value]bool{}}
	e.join()
	e.function(rest)
	return e.String(), e.err
}

func (e *emitter) line(format string, args ...any) { fmt.Fprintf(e, format+"\n", args...) }

// types returns the vector types of a kind.
func (e *emitter) types(kind ir.Kind) types {
	if kind.Size(e.k.Width) == 4 {
		return types32
	}
	return types64
}

func (e *emitter) function(rest string) {
	k := e.k
	e.line("\nfunc %sSIMD%s {", k.Frame.Symbol, k.Frame.Go)
	e.line("n := %s", k.Number)
	for i, s := range k.Streams {
		switch {
		case s.Offset == 0:
		case s.Matrix != "" || s.Ring || s.Group != "" || s.Ahead != 0:
			e.unsupported("stream " + s.Expr)
		case s.Place.Kind == ir.Array:
			e.streams[s] = s.Expr
		default:
			name := fmt.Sprintf("p%d", i)
			e.line("%s := %s[:n:n]", name, s.Expr)
			e.streams[s] = name
		}
	}
	rows := vectorBytes / k.Width
	for _, it := range k.Entry.Items {
		if it == k.Rows {
			break
		}
		v, ok := it.(*ir.Value)
		if !ok {
			e.unsupported("a loop before the rows")
			return
		}
		e.value(v)
	}
	e.line("i := 0")
	if n := e.vectorsPerIteration(); n > 1 {
		e.line("for ; i <= n-%d; i += %d {", n*rows, n*rows)
		for v := range n {
			e.shift = v * rows
			e.line("{")
			e.body()
			e.line("}")
		}
		e.shift = 0
		e.line("}")
	}
	e.line("for ; i <= n-%d; i += %d {", rows, rows)
	e.body()
	e.line("}")
	e.line("if i < n {\n%s\n}", rest)
	if k.Stop > 0 {
		e.line("return n")
	}
	e.line("}")
}

func (e *emitter) body() {
	for _, it := range e.k.Rows.Body.Items {
		v, ok := it.(*ir.Value)
		if !ok {
			e.unsupported("a loop in a row")
			return
		}
		e.value(v)
	}
}

// vectorsPerIteration returns the number of vectors that an iteration of the main loop computes. If the body is short,
// it is more than one, because the jump back takes as long as several instructions.
func (e *emitter) vectorsPerIteration() int {
	if e.k.Stop > 0 {
		return 1
	}
	weight := 0
	for _, it := range e.k.Rows.Body.Items {
		if v, ok := it.(*ir.Value); ok && (v.Op == ir.Div || v.Op == ir.Sqrt) {
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

func (e *emitter) unsupported(why string) {
	if e.err == nil {
		e.err = fmt.Errorf("%w: %s: %s", ErrUnsupported, e.k.Name, why)
	}
}

// value writes the statement that computes a value.
func (e *emitter) value(v *ir.Value) {
	switch v.Op {
	case ir.Const: // its users write it
	case ir.Store:
		e.store(v)
	case ir.Guard:
		m := e.arg(v.Args[0], ir.Mask)
		if e.types(v.Args[0].Kind) == types32 {
			m += ".ReshapeToUint64s()"
		}
		e.line("if m := %s; m.GetElem(0)|m.GetElem(1) != 0 {\nreturn i\n}", m)
	case ir.Load, ir.Narrow:
		if e.joined[v] {
			return // its users write it
		}
		fallthrough
	default:
		if text := e.expr(v); text != "" {
			e.line("v%d := %s", v.ID, text)
			return
		}
		e.unsupported(v.String())
	}
}

// store writes a Store. Floats of half the width are stored one by one, because the two floats fill only
// half of a vector.
func (e *emitter) store(v *ir.Value) {
	if !v.Stream.Elem.IsHalf() {
		e.line("%s.StoreArray(%s)", e.arg(v.Args[0], v.Stream.Elem), e.row(v.Stream))
		return
	}
	for k := range vectorBytes / e.k.Width {
		if x := v.Args[0]; e.joined[x] {
			e.line("%s = float32(%s.GetElem(%d))", e.element(v.Stream, k), e.arg(x.Args[0], ir.Float), k)
		} else {
			e.line("%s = %s.GetElem(%d)", e.element(v.Stream, k), e.arg(x, ir.Float), k)
		}
	}
}

// join finds loads and stores of floats of half the width that are written as one statement with the
// conversion before or after them.
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
			e.joined[v] = len(by) == 1 && !slices.ContainsFunc(by, other(ir.Widen))
		case v.Op == ir.Narrow && v.Kind == float:
			e.joined[v] = !slices.ContainsFunc(by, other(ir.Store))
		}
	}
}

// row returns the expression for the address of the current vector in a stream.
func (e *emitter) row(s *ir.Stream) string {
	t := e.types(s.Elem)
	if s.Elem.Base() != ir.Float {
		e.unsupported("elements of " + s.Expr)
	}
	return fmt.Sprintf("(*[%d]%s)(%s[%s:])", t.rows, t.element, e.streams[s], e.elementIndex(0))
}

// element returns the expression for element k of the current vector in a stream.
func (e *emitter) element(s *ir.Stream, k int) string {
	if s.Elem.Base() != ir.Float {
		e.unsupported("elements of " + s.Expr)
	}
	return fmt.Sprintf("%s[%s]", e.streams[s], e.elementIndex(k))
}

// elementIndex returns the expression for the index of element k of the current vector.
func (e *emitter) elementIndex(k int) string {
	if k += e.shift; k > 0 {
		return fmt.Sprintf("i+%d", k)
	}
	return "i"
}

// ref returns the expression for a value without a conversion.
func (e *emitter) ref(v *ir.Value) string {
	if v.Op != ir.Const {
		return fmt.Sprintf("v%d", v.ID)
	}
	t := e.types(v.Kind)
	if v.Kind.Base() != ir.Float {
		return fmt.Sprintf("archsimd.Broadcast%s(%#x)", t.uint, v.Bits)
	}
	f := math.Float64frombits(v.Bits)
	if t.bits == 32 {
		f = float64(math.Float32frombits(uint32(v.Bits)))
	}
	if f != f || math.IsInf(f, 0) || f == 0 && v.Bits != 0 {
		return fmt.Sprintf("archsimd.Broadcast%s(%#x).BitsToFloat%d()", t.uint, v.Bits, t.bits)
	}
	return fmt.Sprintf("archsimd.Broadcast%s(%x)", t.float, f)
}

// arg returns the expression for a value as an argument of the given kind: as a float, or as bits
// for any other kind.
func (e *emitter) arg(v *ir.Value, kind ir.Kind) string {
	from, to := v.Kind.Base() == ir.Float, kind.Base() == ir.Float
	t := e.types(v.Kind)
	switch {
	case from && !to:
		return e.ref(v) + ".ToBits()"
	case !from && to:
		return fmt.Sprintf("%s.BitsToFloat%d()", e.ref(v), t.bits)
	}
	return e.ref(v)
}

// signed returns the expression for a value as signed integers.
func (e *emitter) signed(v *ir.Value) string {
	return fmt.Sprintf("%s.BitsToInt%d()", e.arg(v, ir.Int), e.types(v.Kind).bits)
}

var (
	floatMethods = map[ir.Op]string{
		ir.Add: "Add", ir.Sub: "Sub", ir.Mul: "Mul", ir.Div: "Div", ir.Min: "Min", ir.Max: "Max", ir.Sqrt: "Sqrt",
		ir.Abs: "Abs", ir.Neg: "Neg", ir.Floor: "Floor", ir.Ceil: "Ceil", ir.Trunc: "Trunc", ir.Round: "Round",
	}
	comparisons = map[ir.Op]string{ir.Less: "Less", ir.LessEqual: "LessEqual", ir.Equal: "Equal", ir.NotEqual: "NotEqual"}
	bitMethods  = map[ir.Op]string{
		ir.And: "And", ir.Or: "Or", ir.Xor: "Xor", ir.AndNot: "AndNot", ir.Not: "Not", ir.IntAdd: "Add", ir.IntSub: "Sub", ir.IntMul: "Mul",
	}
)

// expr returns the expression of a value, or an empty one if there is none.
func (e *emitter) expr(v *ir.Value) string {
	t := e.types(v.Kind)
	for _, a := range v.Args {
		if comparisons[v.Op] == "" && v.Op != ir.Widen && v.Op != ir.Narrow && v.Op != ir.ToFloat && e.types(a.Kind) != t {
			e.unsupported("operands of two widths: " + v.String())
		}
	}
	call := func(name string, kind ir.Kind) string {
		text := e.arg(v.Args[0], kind) + "." + name + "("
		if len(v.Args) > 1 {
			text += e.arg(v.Args[1], kind)
		}
		return text + ")"
	}
	mask := func(text string) string { return fmt.Sprintf("%s.ToInt%dx%d().ToBits()", text, t.bits, t.rows) }
	float := v.Kind.Base() == ir.Float
	if name := floatMethods[v.Op]; name != "" {
		return call(name, ir.Float)
	}
	if name := comparisons[v.Op]; name != "" && v.Args[0].Kind.IsHalf() && !v.Kind.IsHalf() {
		return call(name, ir.Float) + ".ToInt32x4().ExtendLo2ToInt64().ToBits()"
	} else if name != "" {
		return mask(call(name, ir.Float))
	}
	if name := bitMethods[v.Op]; name != "" {
		text := call(name, ir.Uint)
		if float {
			text += fmt.Sprintf(".BitsToFloat%d()", t.bits)
		}
		return text
	}
	switch v.Op {
	case ir.Param:
		if v.Kind.Base() == ir.Mask {
			return fmt.Sprintf("archsimd.Broadcast%s(allOnes[uint%d](%s))", t.uint, t.bits, v.Scalar.Expr)
		}
		if !float {
			return ""
		}
		return fmt.Sprintf("archsimd.Broadcast%s(%s)", t.float, v.Scalar.Expr)
	case ir.Spread:
		if v.Loop != nil || !float {
			return ""
		}
		return fmt.Sprintf("archsimd.Broadcast%s(%s[%d])", t.float, v.Stream.Expr, v.Bits)
	case ir.Rows:
		return fmt.Sprintf("archsimd.Broadcast%s(%#x)", t.uint, uint64(math.MaxUint64)>>(64-t.bits))
	case ir.Load:
		if v.Kind.IsHalf() {
			return fmt.Sprintf("archsimd.BroadcastFloat32x4(%s).SetElem(1, %s)", e.element(v.Stream, 0), e.element(v.Stream, 1))
		}
		return fmt.Sprintf("archsimd.Load%sArray(%s)", t.float, e.row(v.Stream))
	case ir.Sel:
		m, x, y := e.arg(v.Args[0], ir.Mask), e.arg(v.Args[1], ir.Uint), e.arg(v.Args[2], ir.Uint)
		text := fmt.Sprintf("%s.BitSelect(%s, %s)", x, y, m)
		if float {
			text += fmt.Sprintf(".BitsToFloat%d()", t.bits)
		}
		return text
	case ir.Cast:
		return e.arg(v.Args[0], v.Kind)
	case ir.Shl, ir.Shr:
		name := map[ir.Op]string{ir.Shl: "ShiftAllLeft", ir.Shr: "ShiftAllRight"}[v.Op]
		return fmt.Sprintf("%s.%s(%d)", e.arg(v.Args[0], ir.Uint), name, v.Bits)
	case ir.Sar:
		return fmt.Sprintf("%s.ShiftAllRight(%d).ToBits()", e.signed(v.Args[0]), v.Bits)
	case ir.IntEqual:
		return mask(call("Equal", ir.Uint))
	case ir.IntGreater:
		return mask(fmt.Sprintf("%s.Greater(%s)", e.signed(v.Args[0]), e.signed(v.Args[1])))
	case ir.MulWide:
		low := "archsimd.BroadcastUint64x2(0xffffffff)"
		return fmt.Sprintf("%s.And(%s).Mul(%s.And(%s))", e.arg(v.Args[0], ir.Uint), low, e.arg(v.Args[1], ir.Uint), low)
	}
	return e.convert(v)
}

// convert returns the expression of a conversion between numbers.
func (e *emitter) convert(v *ir.Value) string {
	a := v.Args[0]
	from, to := e.types(a.Kind), e.types(v.Kind)
	switch {
	case v.Op == ir.ToFloat && from == types32 && to == types32:
		return e.signed(a) + ".ConvertToFloat32()"
	case v.Op == ir.ToFloat && from == types32:
		return e.signed(a) + ".ConvertLo2ToFloat64()"
	case v.Op == ir.ToInt && to == types32:
		return e.arg(a, ir.Float) + ".ConvertToInt32().ToBits()"
	case v.Op == ir.Widen && v.Kind.Base() == ir.Int:
		return e.signed(a) + ".ExtendLo2ToInt64().ToBits()"
	case v.Op == ir.Widen && v.Kind.Base() == ir.Uint:
		return e.arg(a, ir.Uint) + ".ExtendLo2ToUint64()"
	case v.Op == ir.Narrow && v.Kind.Base() != ir.Float:
		x := e.arg(a, ir.Uint) + ".ReshapeToUint32s()"
		return fmt.Sprintf("%s.SetElem(1, %s.GetElem(2))", x, x)
	case v.Op == ir.Narrow: // SetElem is one instruction
		x := e.arg(a, ir.Float)
		return fmt.Sprintf("archsimd.BroadcastFloat32x4(float32(%s.GetElem(0))).SetElem(1, float32(%s.GetElem(1)))", x, x)
	case v.Op == ir.Widen && v.Kind.Base() == ir.Float && e.joined[a]:
		return fmt.Sprintf("archsimd.BroadcastFloat64x2(float64(%s)).SetElem(1, float64(%s))", e.element(a.Stream, 0), e.element(a.Stream, 1))
	case v.Op == ir.Widen && v.Kind.Base() == ir.Float:
		x := e.arg(a, ir.Float)
		return fmt.Sprintf("archsimd.BroadcastFloat64x2(float64(%s.GetElem(0))).SetElem(1, float64(%s.GetElem(1)))", x, x)
	}
	return ""
}
