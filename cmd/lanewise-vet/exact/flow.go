package exact

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// An origin is where an unrounded number may come from: a product of this package,
// a call that returns one of another package, or a part of a parameter.
type origin struct {
	product *ssa.BinOp
	call    ssa.Instruction
	text    string // of a call: where the product is
	param   *ssa.Parameter
	path    string         // of a parameter, its steps joined by spaces
	cond    *ssa.Parameter // a quotient is a product if this is a power of two
}

// A query collects the origins of values.
type query struct {
	a    *analyzer
	at   ssa.Instruction
	seen map[string]bool
	out  map[origin]bool
}

// origins returns where the number at a path of a value may come from unrounded.
// The value is used at an instruction: what is written later does not count.
func (a *analyzer) origins(v ssa.Value, p path, at ssa.Instruction) map[origin]bool {
	q := query{a, at, map[string]bool{}, map[origin]bool{}}
	q.value(v, p)
	return q.out
}

func (q *query) value(v ssa.Value, p path) {
	key := q.a.name(v) + " " + p.String()
	if q.seen[key] || len(p) > longest {
		return
	}
	q.seen[key] = true
	if len(p) > 0 && p[0] == "*" {
		q.memory(q.a.of(v).to(p...), q.at)
	}
	switch v := v.(type) {
	case *ssa.BinOp:
		q.arithmetic(v)
	case *ssa.UnOp:
		switch v.Op {
		case token.SUB:
			q.value(v.X, p)
		case token.MUL:
			q.memory(q.a.at(v.X).to(p...), v)
		}
	case *ssa.Phi:
		for _, e := range v.Edges {
			q.value(e, p)
		}
	case *ssa.ChangeType:
		if !v.Pos().IsValid() || !inexact(v.Type()) { // else a conversion that was written
			q.value(v.X, p)
		}
	case *ssa.MakeInterface:
		q.value(v.X, p)
	case *ssa.ChangeInterface:
		q.value(v.X, p)
	case *ssa.TypeAssert:
		q.value(v.X, p)
	case *ssa.Field:
		q.value(v.X, path{fmt.Sprintf(".%d", v.Field)}.to(p...))
	case *ssa.Index:
		q.value(v.X, path{q.a.index(v.Index)}.to(p...))
	case *ssa.Extract:
		switch t := v.Tuple.(type) {
		case *ssa.Call:
			q.result(t, v.Index, p)
		case *ssa.TypeAssert:
			if v.Index == 0 {
				q.value(t.X, p)
			}
		}
	case *ssa.Call:
		q.result(v, 0, p)
	case *ssa.Parameter:
		q.out[origin{param: v, path: strings.Join(p, " ")}] = true
	case *ssa.FreeVar:
		if outer := q.a.captured[v]; outer != nil {
			q.value(outer, p)
		}
	}
}

// arithmetic takes a product as it is, and a quotient where Go makes one of it.
func (q *query) arithmetic(v *ssa.BinOp) {
	if !inexact(v.Type()) {
		return
	}
	switch v.Op {
	case token.MUL:
		q.out[origin{product: v}] = true
	case token.QUO:
		sure, params := q.a.constant(v.Y, powerOfTwo)
		if sure {
			q.out[origin{product: v}] = true
		}
		for _, p := range params {
			q.out[origin{product: v, cond: p}] = true
		}
	}
}

// memory looks at what was written to a place before it is read.
func (q *query) memory(l location, read ssa.Instruction) {
	key := l.root + l.path.String()
	if q.seen[key] || len(l.path) > longest {
		return
	}
	q.seen[key] = true
	for _, w := range q.a.writes[l.root] {
		if p, ok := l.path.rest(w.path); ok && mayPrecede(w.instr, read) {
			if w.flow == nil {
				q.value(w.value, p)
			} else if len(p) == 0 {
				q.source(w.instr.(ssa.CallInstruction), &w.flow.Source)
			}
		}
	}
	if p := q.a.params[l.root]; p != nil {
		q.out[origin{param: p, path: strings.Join(l.path, " ")}] = true
	}
}

// result looks into a function that is called.
func (q *query) result(call *ssa.Call, index int, p path) {
	if b, ok := call.Call.Value.(*ssa.Builtin); ok {
		switch b.Name() {
		case rounding, "real":
			if !isComplex(call.Call.Args[0].Type()) {
				return // a conversion
			}
			q.value(call.Call.Args[0], p)
		case "complex", "min", "max":
			for _, arg := range call.Call.Args {
				q.value(arg, p)
			}
		}
		return
	}
	for _, s := range q.a.callees(call) {
		for i := range s.Returns {
			if f := &s.Returns[i]; f.Slot == index && len(f.Path) == len(p) {
				if _, ok := p.rest(f.Path); ok {
					q.source(call, &f.Source)
				}
			}
		}
	}
}

// source brings what a function says of its callers' side into the caller.
func (q *query) source(call ssa.CallInstruction, s *source) {
	args := arguments(call)
	switch {
	case s.product == nil && s.Text == "":
		if s.param != nil && s.param.Parent() != s.of {
			q.out[origin{param: s.param, path: strings.Join(s.FromPath, " ")}] = true // of a function around the callee
		} else if s.From >= 0 && s.From < len(args) {
			q.value(args[s.From], s.FromPath)
		}
		return
	case s.Cond >= 0:
		if s.Cond >= len(args) {
			return
		}
		sure, params := q.a.constant(args[s.Cond], powerOfTwo)
		if !sure {
			for _, p := range params {
				q.out[s.origin(call, p)] = true
			}
			return
		}
	}
	q.out[s.origin(call, nil)] = true
}

func (s *source) origin(call ssa.Instruction, cond *ssa.Parameter) origin {
	if s.product != nil {
		return origin{product: s.product, cond: cond}
	}
	return origin{call: call, text: s.Text, cond: cond}
}

// arguments are those of the function as it is declared, the receiver first.
func arguments(call ssa.CallInstruction) []ssa.Value {
	c := call.Common()
	if c.IsInvoke() {
		return append([]ssa.Value{c.Value}, c.Args...)
	}
	return c.Args
}

// callees returns what is known of the functions that a call may enter.
func (a *analyzer) callees(call ssa.CallInstruction) (all []*summary) {
	c := call.Common()
	add := func(f *ssa.Function) {
		if s := a.summaryOf(f); s != nil {
			all = append(all, s)
		}
	}
	for _, v := range a.definitions(c.Value) {
		switch v := v.(type) {
		case *ssa.Function:
			add(v)
		case *ssa.MakeClosure:
			add(v.Fn.(*ssa.Function))
		default:
			if c.IsInvoke() && !types.IsInterface(v.Type()) {
				sel := a.pkg.Prog.MethodSets.MethodSet(v.Type()).Lookup(c.Method.Pkg(), c.Method.Name())
				if sel == nil || len(sel.Index()) > 1 {
					continue
				}
				if s := a.summaryOfObject(sel.Obj().(*types.Func)); s != nil {
					all = append(all, s)
				}
			}
		}
	}
	return all
}

// definitions follows a function, an interface or a number to what it may be.
func (a *analyzer) definitions(v ssa.Value) (all []ssa.Value) {
	seen := map[ssa.Value]bool{}
	var walk func(v ssa.Value)
	walk = func(v ssa.Value) {
		if v == nil || seen[v] || len(seen) > 64 {
			return
		}
		seen[v] = true
		switch v := v.(type) {
		case *ssa.Phi:
			for _, e := range v.Edges {
				walk(e)
			}
		case *ssa.ChangeType:
			walk(v.X)
		case *ssa.ChangeInterface:
			walk(v.X)
		case *ssa.MakeInterface:
			walk(v.X)
		case *ssa.UnOp:
			if v.Op != token.MUL {
				all = append(all, v)
				return
			}
			l := a.at(v.X)
			for _, w := range a.writes[l.root] {
				if p, ok := l.path.rest(w.path); ok && len(p) == 0 && w.flow == nil && mayPrecede(w.instr, v) {
					walk(w.value)
				} else if ok && w.flow == nil {
					if m, ok := w.value.(*ssa.Parameter); ok {
						all = append(all, m)
					}
				}
			}
		case *ssa.FreeVar:
			walk(a.captured[v])
		case *ssa.Call:
			if b, ok := v.Call.Value.(*ssa.Builtin); ok && b.Name() == rounding {
				walk(v.Call.Args[0])
				return
			}
			all = append(all, v)
		default:
			all = append(all, v)
		}
	}
	walk(v)
	return all
}

// What a constant must be for Go to write an operation as another.
const (
	powerOfTwo = 'p' // a quotient by it is a product
	two        = '2' // a product by it is a sum
	half       = 'h' // a quotient by it is such a product
)

// constant says whether a value may be a constant of a kind, or a parameter, which
// is one where the function is inlined into a call with a constant. What is computed
// from parameters is left out.
func (a *analyzer) constant(v ssa.Value, kind byte) (sure bool, params []*ssa.Parameter) {
	values, params := a.folded(v, 4)
	return slices.ContainsFunc(values, func(x float64) bool { return isKind(x, kind) }), params
}

// folded returns the constants and parameters that a value may be.
func (a *analyzer) folded(v ssa.Value, depth int) (values []float64, params []*ssa.Parameter) {
	if depth == 0 {
		return nil, nil
	}
	round := func(x float64) float64 {
		if is(v.Type(), types.Float32) {
			return float64(float32(x))
		}
		return x
	}
	for _, d := range a.definitions(v) {
		switch d := d.(type) {
		case *ssa.Const:
			if d.Value != nil && inexact(d.Type()) {
				x, _ := constant.Float64Val(constant.ToFloat(d.Value))
				values = append(values, round(x))
			}
		case *ssa.Parameter:
			params = append(params, d)
		case *ssa.UnOp:
			if d.Op == token.SUB {
				xs, _ := a.folded(d.X, depth-1)
				for _, x := range xs {
					values = append(values, -x)
				}
			}
		case *ssa.BinOp:
			xs, _ := a.folded(d.X, depth-1)
			if len(xs) == 0 {
				continue
			}
			ys, _ := a.folded(d.Y, depth-1)
			for _, x := range xs[:min(len(xs), 8)] {
				for _, y := range ys[:min(len(ys), 8)] {
					switch d.Op {
					case token.ADD:
						values = append(values, round(x+y))
					case token.SUB:
						values = append(values, round(x-y))
					case token.MUL:
						values = append(values, round(x*y))
					case token.QUO:
						values = append(values, round(x/y))
					}
				}
			}
		}
	}
	return values, params
}

func isKind(x float64, kind byte) bool {
	switch kind {
	case two:
		return x == 2
	case half:
		return x == 0.5
	}
	m, _ := math.Frexp(x)
	return math.Abs(m) == 0.5
}

// mayPrecede says whether a write can come before a read with no turn of a loop
// between: nothing is known of what the last turn has written.
func mayPrecede(w, r ssa.Instruction) bool {
	if w.Parent() != r.Parent() {
		return true
	}
	from, to := w.Block(), r.Block()
	if from == to {
		for _, i := range from.Instrs {
			switch i {
			case r:
				return false
			case w:
				return true
			}
		}
	}
	seen := map[*ssa.BasicBlock]bool{}
	var reaches func(b *ssa.BasicBlock) bool
	reaches = func(b *ssa.BasicBlock) bool {
		if b == to {
			return true
		}
		if seen[b] {
			return false
		}
		seen[b] = true
		for _, next := range b.Succs {
			if !next.Dominates(b) && reaches(next) {
				return true
			}
		}
		return false
	}
	return reaches(from)
}
