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

// An origin is a possible source of an unrounded number: a product of this
// package, a call of another package's function that returns a product, or a
// part of a parameter.
type origin struct {
	product *ssa.BinOp
	call    ssa.Instruction
	text    string // of a call: the position of the product
	handed  bool   // of a call: to a function that is its argument
	param   *ssa.Parameter
	path    string         // of a parameter, its steps joined by spaces
	cond    *ssa.Parameter // the quotient is a product if this parameter is a power of two
}

// A query collects the origins of values.
type query struct {
	a    *analyzer
	at   ssa.Instruction
	seen map[string]bool
	out  map[origin]bool
}

// origins returns the possible sources of the unrounded number at a path of a
// value. It ignores writes that come after the instruction at, which uses the
// value.
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
		q.memory(q.a.valueLocation(v).to(p...), q.at)
	}
	switch v := v.(type) {
	case *ssa.BinOp:
		q.arithmetic(v)
	case *ssa.UnOp:
		switch v.Op {
		case token.SUB:
			q.value(v.X, p)
		case token.MUL:
			q.memory(q.a.addressLocation(v.X).to(p...), v)
		}
	case *ssa.Phi:
		for _, e := range v.Edges {
			q.value(e, p)
		}
	case *ssa.ChangeType:
		if !v.Pos().IsValid() || !number(v.Type()) { // otherwise it is an explicit conversion
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
	case *ssa.Function:
		q.followFunc(v, p)
	case *ssa.MakeClosure:
		q.followFunc(v.Fn.(*ssa.Function), p)
	case *ssa.Parameter:
		q.out[origin{param: v, path: strings.Join(p, " ")}] = true
		for _, b := range q.a.bound[v] {
			q.followBinding(b, p)
		}
	case *ssa.FreeVar:
		if outer := q.a.captured[v]; outer != nil {
			q.value(outer, p)
		}
	}
}

// followBinding follows a value that a call passes to a parameter of a function
// literal.
func (q *query) followBinding(b binding, p path) {
	if b.flow == nil {
		q.value(b.value, p)
		return
	}
	rest, ok := p.rest(b.flow.Path)
	if !ok {
		return
	}
	sub := query{q.a, b.call, q.seen, map[origin]bool{}}
	sub.source(b.call, b.args, &b.flow.Source, rest)
	for o := range sub.out {
		o.handed = o.call != nil
		q.out[o] = true
	}
}

// followFunc handles a function that is passed as an argument: the path "()0" leads to
// its first result.
func (q *query) followFunc(f *ssa.Function, p path) {
	s := q.a.summaryOf(f)
	if s == nil || len(p) == 0 {
		return
	}
	for i := range s.Returns {
		g := &s.Returns[i]
		if rest, ok := p[1:].rest(g.Path); ok && p[0] == step(g.Slot) && len(rest) == 0 && (g.Source.product != nil || g.Source.Text != "") && g.Source.Cond < 0 {
			q.out[g.Source.origin(q.at, nil)] = true
		}
	}
}

// step returns the path element from a function to one of its results.
func step(slot int) string { return fmt.Sprintf("()%d", slot) }

// arithmetic records a product, and a quotient that Go compiles as a product. It
// skips a multiplication by two. Go writes x*2 as x+x; even if x is itself a
// product a*b, and Go fuses a*b + x into one rounding, the result is exactly x*2.
func (q *query) arithmetic(v *ssa.BinOp) {
	if !number(v.Type()) {
		return
	}
	switch v.Op {
	case token.MUL:
		if !isConst(v.X, 2) && !isConst(v.Y, 2) {
			q.out[origin{product: v}] = true
		}
	case token.QUO:
		if isConst(v.Y, 0.5) {
			return
		}
		sure, params := q.a.power(v.Y)
		if sure {
			q.out[origin{product: v}] = true
		}
		for _, p := range params {
			q.out[origin{product: v, cond: p}] = true
		}
	}
}

// memory follows the writes that may have set a memory location before the
// instruction that reads it.
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
			} else {
				q.source(w.instr.(ssa.CallInstruction), w.args, &w.flow.Source, p)
			}
		}
	}
	if v := q.a.made[l.root]; v != nil {
		q.value(v, l.path)
	}
	if p := q.a.params[l.root]; p != nil {
		q.out[origin{param: p, path: strings.Join(l.path, " ")}] = true
	}
}

// result follows the result of a call into the called function.
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
		case "append":
			if len(p) > 1 && p[0] == "*" {
				for _, arg := range call.Call.Args {
					q.value(arg, path{"*", "[]"}.to(p[2:]...))
				}
			}
		}
		return
	}
	for _, v := range q.a.followDefinitions(call.Call.Value) {
		if f, ok := v.(*ssa.Parameter); ok && !call.Call.IsInvoke() {
			q.out[origin{param: f, path: strings.Join(path{step(index)}.to(p...), " ")}] = true
		}
	}
	for _, c := range q.a.callees(call) {
		for i := range c.Returns {
			if f := &c.Returns[i]; f.Slot == index {
				if rest, ok := p.rest(f.Path); ok {
					q.source(call, c.args, &f.Source, rest)
				}
			}
		}
	}
}

// source replaces a source in a called function by its meaning for the
// caller. If the source is a part of a parameter, it follows the caller's
// argument. If it is a product, the rest of the path must be empty, because a
// number has no parts.
func (q *query) source(call ssa.CallInstruction, args []ssa.Value, s *source, rest path) {
	switch {
	case s.product == nil && s.Text == "":
		if from := s.FromPath.to(rest...); s.param != nil && s.param.Parent() != s.of {
			q.out[origin{param: s.param, path: strings.Join(from, " ")}] = true // of a function that contains the callee
		} else if s.From >= 0 && s.From < len(args) {
			q.value(args[s.From], from)
		}
		return
	case len(rest) > 0:
		return
	case s.Cond >= 0:
		if s.Cond >= len(args) {
			return
		}
		sure, params := q.a.power(args[s.Cond])
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

// A target is a function that a call may enter, with the arguments of the call, the
// receiver first.
type target struct {
	*summary
	args []ssa.Value
	fn   *ssa.Function // nil if it belongs to another package
	obj  *types.Func   // nil if it has no name
}

// callees returns the summaries of the functions that a call may enter.
func (a *analyzer) callees(call ssa.CallInstruction) (all []target) {
	c := call.Common()
	add := func(f *ssa.Function, args []ssa.Value) {
		obj, _ := f.Object().(*types.Func)
		if s := a.summaryOf(f); s != nil {
			all = append(all, target{s, args, a.localFunc(f), obj})
		}
	}
	for _, v := range a.followDefinitions(c.Value) {
		switch v := v.(type) {
		case *ssa.Function:
			add(v, c.Args)
		case *ssa.MakeClosure:
			f := v.Fn.(*ssa.Function)
			if f.Synthetic != "" && f.Object() != nil { // the method value x.f
				add(f, append(slices.Clone(v.Bindings), c.Args...))
			} else {
				add(f, c.Args)
			}
		case *ssa.Call:
			all = append(all, a.madeBy(v, 0, c)...)
		case *ssa.Extract:
			if made, ok := v.Tuple.(*ssa.Call); ok {
				all = append(all, a.madeBy(made, v.Index, c)...)
			}
		default:
			if c.IsInvoke() && !types.IsInterface(v.Type()) {
				sel := a.pkg.Prog.MethodSets.MethodSet(v.Type()).Lookup(c.Method.Pkg(), c.Method.Name())
				if sel == nil || len(sel.Index()) > 1 {
					continue
				}
				obj := sel.Obj().(*types.Func)
				if s := a.summaryOfObject(obj); s != nil {
					all = append(all, target{s, append([]ssa.Value{v}, c.Args...), a.localFunc(a.pkg.Prog.FuncValue(obj.Origin())), obj})
				}
			}
		}
	}
	return all
}

// madeBy returns the functions that a call of a function of another package
// returns.
func (a *analyzer) madeBy(made *ssa.Call, slot int, c *ssa.CallCommon) (all []target) {
	if c.IsInvoke() {
		return nil
	}
	f := made.Call.StaticCallee()
	if f == nil || a.localFunc(f) != nil {
		return nil
	}
	if s := a.summaryOf(f); s != nil {
		for _, m := range s.Makes {
			if m.Slot == slot {
				all = append(all, target{m.Summary, c.Args, nil, nil})
			}
		}
	}
	return all
}

// localFunc returns a function of this package as declared, or nil.
func (a *analyzer) localFunc(f *ssa.Function) *ssa.Function {
	if f == nil {
		return nil
	}
	if o := f.Origin(); o != nil {
		f = o
	}
	if f.Synthetic != "" && f.Object() != nil { // a wrapper of a method
		f = a.pkg.Prog.FuncValue(f.Object().(*types.Func).Origin())
	}
	if a.summaries[f] == nil {
		return nil
	}
	return f
}

// followDefinitions follows a function, an interface or a number to its possible
// definitions.
func (a *analyzer) followDefinitions(v ssa.Value) (all []ssa.Value) {
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
			l := a.addressLocation(v.X)
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
		case *ssa.Parameter:
			all = append(all, v)
			for _, passed := range a.passed[v] {
				walk(passed)
			}
		case *ssa.Call:
			if b, ok := v.Call.Value.(*ssa.Builtin); ok && b.Name() == rounding {
				walk(v.Call.Args[0])
				return
			}
			all = append(all, v)
			a.followResults(v, 0, walk)
		case *ssa.Extract:
			all = append(all, v)
			if call, ok := v.Tuple.(*ssa.Call); ok {
				a.followResults(call, v.Index, walk)
			}
		default:
			all = append(all, v)
		}
	}
	walk(v)
	return all
}

// followResults follows the results of functions of this package that a call may
// enter, if they are functions or interfaces.
func (a *analyzer) followResults(call *ssa.Call, slot int, walk func(ssa.Value)) {
	f := a.localFunc(call.Call.StaticCallee())
	if f == nil || slot >= f.Signature.Results().Len() || !callable(f.Signature.Results().At(slot).Type()) {
		return
	}
	for _, b := range f.Blocks {
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			walk(r.Results[slot])
		}
	}
}

// callable reports whether values of a type are functions, or interfaces, whose methods can
// be called.
func callable(t types.Type) bool {
	switch core(t).(type) {
	case *types.Signature, *types.Interface:
		return true
	}
	return false
}

// power reports whether a value may be a constant power of two, because Go
// compiles a division by such a constant as a multiplication. It also returns
// the parameters that the value may be, because Go may inline a call that
// passes such a constant. It ignores values that are computed from
// parameters.
func (a *analyzer) power(v ssa.Value) (sure bool, params []*ssa.Parameter) {
	values, params := a.constantValues(v, 4)
	return slices.ContainsFunc(values, isPower), params
}

// isConst reports whether a value is the constant x in every case.
func isConst(v ssa.Value, x float64) bool {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil || !number(c.Type()) || isComplex(c.Type()) {
		return false
	}
	y, _ := constant.Float64Val(constant.ToFloat(c.Value))
	return x == y
}

// constantValues returns the constants and the parameters that a value may be
// equal to.
func (a *analyzer) constantValues(v ssa.Value, depth int) (values []float64, params []*ssa.Parameter) {
	if depth == 0 {
		return nil, nil
	}
	round := func(x float64) float64 {
		if is(v.Type(), types.Float32) {
			return float64(float32(x))
		}
		return x
	}
	for _, d := range a.followDefinitions(v) {
		switch d := d.(type) {
		case *ssa.Const:
			if d.Value != nil && number(d.Type()) {
				x, _ := constant.Float64Val(constant.ToFloat(d.Value))
				values = append(values, round(x))
			}
		case *ssa.Parameter:
			params = append(params, d)
		case *ssa.UnOp:
			if d.Op == token.SUB {
				xs, _ := a.constantValues(d.X, depth-1)
				for _, x := range xs {
					values = append(values, -x)
				}
			}
		case *ssa.BinOp:
			xs, _ := a.constantValues(d.X, depth-1)
			if len(xs) == 0 {
				continue
			}
			ys, _ := a.constantValues(d.Y, depth-1)
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

func isPower(x float64) bool {
	m, _ := math.Frexp(x)
	return math.Abs(m) == 0.5
}

// mayPrecede reports whether a write can come before a read in the same
// iteration of a loop. It ignores writes of earlier iterations.
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
