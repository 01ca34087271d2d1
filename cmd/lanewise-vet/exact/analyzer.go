package exact

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// A write is an instruction that writes to memory: a store, or a call of a
// function that stores.
type write struct {
	path  path
	value ssa.Value
	instr ssa.Instruction
	args  []ssa.Value // of a call
	flow  *flow
}

// A binding is a possible value of a parameter of a function literal. It is the argument of a
// call, or a value that a function of another package passes to the literal.
type binding struct {
	value ssa.Value
	call  ssa.CallInstruction
	args  []ssa.Value
	flow  *flow
}

// An analyzer holds the state of the analysis of one package.
type analyzer struct {
	pass      *analysis.Pass
	pkg       *ssa.Package
	functions []*ssa.Function
	summaries map[*ssa.Function]*summary
	imported  map[*types.Func]*summary
	noinline  map[types.Object]bool
	names     map[ssa.Value]string
	params    map[string]*ssa.Parameter
	made      map[string]ssa.Value           // values that contain further ones
	passed    map[*ssa.Parameter][]ssa.Value // the functions and interfaces that a parameter may be
	bound     map[*ssa.Parameter][]binding   // values for parameters of function literals that other functions call
	captured  map[*ssa.FreeVar]ssa.Value
	writes    map[string][]write
	products  map[*ssa.BinOp]token.Pos // products that are added, with the position of the sum
	places    map[token.Pos]expr       // see exprs
	calls     map[token.Pos]origin     // calls in other packages that return such products, by parenthesis or loop
}

func newAnalyzer(pass *analysis.Pass) *analyzer {
	a := &analyzer{
		pass: pass, pkg: build(pass),
		summaries: map[*ssa.Function]*summary{}, imported: map[*types.Func]*summary{}, noinline: map[types.Object]bool{},
		names: map[ssa.Value]string{}, params: map[string]*ssa.Parameter{}, made: map[string]ssa.Value{}, passed: map[*ssa.Parameter][]ssa.Value{}, captured: map[*ssa.FreeVar]ssa.Value{},
		products: map[*ssa.BinOp]token.Pos{}, calls: map[token.Pos]origin{},
	}
	a.functions = functions(pass, a.pkg)
	for _, f := range pass.Files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Doc != nil {
				for _, c := range d.Doc.List {
					if strings.HasPrefix(c.Text, "//go:noinline") {
						a.noinline[pass.TypesInfo.Defs[d.Name]] = true
					}
				}
			}
		}
	}
	for _, f := range a.functions {
		a.summaries[f] = &summary{}
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				if m, ok := instr.(*ssa.MakeClosure); ok {
					for i, v := range m.Fn.(*ssa.Function).FreeVars {
						a.captured[v] = m.Bindings[i]
					}
				}
			}
		}
	}
	return a
}

// settle computes the summaries of all functions again and again, until no
// summary changes.
func (a *analyzer) settle() {
	for range 12 {
		a.collectWrites()
		changed := a.collectCalls()
		next := map[*ssa.Function]*summary{}
		for _, f := range a.functions {
			next[f] = &summary{}
		}
		for _, f := range a.functions {
			a.outcome(f, next)
			a.findSinks(f, next)
		}
		for f, s := range next {
			s.sort()
			changed = changed || !s.equal(a.summaries[f])
		}
		a.summaries = next
		if !changed {
			return
		}
	}
}

// summaryOf returns the summary of a function, or nil if there is none.
func (a *analyzer) summaryOf(f *ssa.Function) *summary {
	if o := f.Origin(); o != nil {
		f = o
	}
	if f.Object() != nil && a.noinline[f.Object()] {
		return nil
	}
	if s := a.summaries[f]; s != nil {
		return s
	}
	if obj, ok := f.Object().(*types.Func); ok {
		return a.summaryOfObject(obj)
	}
	return nil
}

func (a *analyzer) summaryOfObject(obj *types.Func) *summary {
	if obj = obj.Origin(); a.noinline[obj] {
		return nil
	}
	if obj.Pkg() == a.pass.Pkg {
		if f := a.pkg.Prog.FuncValue(obj); f != nil {
			return a.summaries[f]
		}
		return nil
	}
	s, ok := a.imported[obj]
	if !ok {
		if s = new(summary); !a.pass.ImportObjectFact(obj, s) {
			s = nil
		}
		a.imported[obj] = s
	}
	return s
}

// collectWrites lists the writes of the package by the base of the location that
// they write to.
func (a *analyzer) collectWrites() {
	a.writes = map[string][]write{}
	for _, f := range a.functions {
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				switch i := instr.(type) {
				case *ssa.Store:
					l := a.addressLocation(i.Addr)
					a.writes[l.root] = append(a.writes[l.root], write{l.path, i.Val, i, nil, nil})
				case ssa.CallInstruction:
					for _, c := range a.callees(i) {
						for n := range c.Stores {
							f := &c.Stores[n]
							if f.Slot < len(c.args) {
								l := a.valueLocation(c.args[f.Slot]).to(f.Path...)
								a.writes[l.root] = append(a.writes[l.root], write{l.path, nil, i, c.args, f})
							}
						}
					}
				}
			}
		}
	}
}

// collectCalls lists the arguments of calls. For a parameter of a function of
// this package, it lists the functions and interfaces that calls pass. Some
// function literals are called outside of the function that contains them, for
// example the body of a loop over an iterator. For their parameters, it lists
// all values. collectCalls reports whether it found functions that earlier
// calls had not found.
func (a *analyzer) collectCalls() (more bool) {
	a.bound = map[*ssa.Parameter][]binding{}
	for _, f := range a.functions {
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				i, ok := instr.(ssa.CallInstruction)
				if !ok {
					continue
				}
				for _, c := range a.callees(i) {
					if c.fn == nil {
						a.handOver(i, c)
						continue
					}
					for n, arg := range c.args {
						if n >= len(c.fn.Params) {
							continue
						}
						p := c.fn.Params[n]
						if callable(arg.Type()) && !slices.Contains(a.passed[p], arg) {
							a.passed[p], more = append(a.passed[p], arg), true
						}
						if c.fn.Parent() != nil && c.fn.Parent() != f {
							a.bound[p] = append(a.bound[p], binding{value: arg})
						}
					}
				}
			}
		}
	}
	return more
}

// handOver handles a call of a function of another package that gets function
// literals as arguments. It binds their parameters to the values that the called
// function passes to them.
func (a *analyzer) handOver(i ssa.CallInstruction, c target) {
	for n := range c.Hands {
		h := &c.Hands[n]
		if h.Param >= len(c.args) {
			continue
		}
		for _, v := range a.followDefinitions(c.args[h.Param]) {
			if m, ok := v.(*ssa.MakeClosure); ok {
				v = m.Fn
			}
			f, ok := v.(*ssa.Function)
			if f = a.localFunc(f); ok && f != nil && h.Flow.Slot < len(f.Params) {
				p := f.Params[h.Flow.Slot]
				a.bound[p] = append(a.bound[p], binding{nil, i, c.args, &h.Flow})
			}
		}
	}
}

// outcome finds the unrounded values that a function returns or stores.
func (a *analyzer) outcome(f *ssa.Function, next map[*ssa.Function]*summary) {
	s := next[f]
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			switch i := instr.(type) {
			case *ssa.Return:
				for slot, v := range i.Results {
					for _, leaf := range leafPaths(v.Type()) {
						for o := range a.origins(v, leaf, i) {
							s.Returns = addFlow(s.Returns, slot, leaf, a.source(o, f))
						}
					}
				}
			case *ssa.Store:
				l := a.addressLocation(i.Addr)
				p := a.params[l.root]
				if p == nil || p.Parent() != f || len(l.path) == 0 || len(l.path) > longest {
					continue
				}
				for _, leaf := range leafPaths(i.Val.Type()) {
					for o := range a.origins(i.Val, leaf, i) {
						s.Stores = addFlow(s.Stores, slices.Index(f.Params, p), l.path.to(leaf...).forCallers(), a.source(o, f))
					}
				}
			case ssa.CallInstruction:
				a.recordArgs(i, next)
				for _, c := range a.callees(i) {
					for n := range c.Stores {
						g := &c.Stores[n]
						if g.Slot >= len(c.args) {
							continue
						}
						l := a.valueLocation(c.args[g.Slot]).to(g.Path...)
						p := a.params[l.root]
						if p == nil || p.Parent() != f || len(l.path) > longest {
							continue
						}
						q := query{a, i, map[string]bool{}, map[origin]bool{}}
						q.source(i, c.args, &g.Source, nil)
						for o := range q.out {
							s.Stores = addFlow(s.Stores, slices.Index(f.Params, p), l.path.forCallers(), a.source(o, f))
						}
					}
				}
			}
		}
	}
}

// recordArgs handles a call of a function that is a parameter of this function
// or of a function around it. It records the arguments of the call.
func (a *analyzer) recordArgs(i ssa.CallInstruction, next map[*ssa.Function]*summary) {
	c := i.Common()
	if c.IsInvoke() {
		return
	}
	for _, v := range a.followDefinitions(c.Value) {
		p, ok := v.(*ssa.Parameter)
		if !ok || next[p.Parent()] == nil {
			continue
		}
		s, n := next[p.Parent()], slices.Index(p.Parent().Params, p)
		for slot, arg := range c.Args {
			for _, leaf := range leafPaths(arg.Type()) {
				for o := range a.origins(arg, leaf, i) {
					h := hand{n, flow{slot, leaf.forCallers(), a.source(o, p.Parent())}}
					if len(s.Hands) < most && !slices.ContainsFunc(s.Hands, func(g hand) bool { return h.compare(g) == 0 }) {
						s.Hands = append(s.Hands, h)
					}
				}
			}
		}
	}
}

// most is the largest number of flows of a function. The limit keeps summaries small.
const most = 256

func addFlow(flows []flow, slot int, p path, s source) []flow {
	f := flow{slot, p, s}
	if len(flows) >= most || slices.ContainsFunc(flows, func(g flow) bool { return f.compare(g) == 0 }) {
		return flows
	}
	return append(flows, f)
}

// source describes an origin in f for the callers of f.
func (a *analyzer) source(o origin, f *ssa.Function) source {
	s := source{Cond: -1, From: -1, product: o.product, of: f}
	if o.cond != nil && o.cond.Parent() == f {
		s.Cond = slices.Index(f.Params, o.cond)
	}
	switch {
	case o.product != nil:
		s.Text = a.where(o.product.Pos())
	case o.call != nil:
		s.Text = o.text
	default:
		s.param, s.FromPath = o.param, path(strings.Fields(o.path)).forCallers()
		s.From = slices.Index(f.Params, o.param)
	}
	return s
}

func (a *analyzer) where(pos token.Pos) string {
	at := a.pass.Fset.Position(pos)
	return fmt.Sprintf("%s/%s:%d", a.pass.Pkg.Name(), filepath.Base(at.Filename), at.Line)
}

// findSinks finds the sums in a function that add unrounded values.
func (a *analyzer) findSinks(f *ssa.Function, next map[*ssa.Function]*summary) {
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			switch i := instr.(type) {
			case *ssa.BinOp:
				if number(i.Type()) && (i.Op == token.ADD || i.Op == token.SUB) {
					a.meet(a.origins(i.X, nil, i), i.Pos(), nil, next)
					a.meet(a.origins(i.Y, nil, i), i.Pos(), nil, next)
				}
			case ssa.CallInstruction:
				a.applySummary(i, next)
			}
		}
	}
}

// applySummary applies the summary of a function to the arguments of a call.
func (a *analyzer) applySummary(i ssa.CallInstruction, next map[*ssa.Function]*summary) {
	for _, c := range a.callees(i) {
		for _, places := range [][]place{c.Sums, c.Conds} {
			for n := range places {
				pl := &places[n]
				at := cmp.Or(pl.at, i.Pos())
				q := query{a, i, map[string]bool{}, map[origin]bool{}}
				if pl.Cond < 0 {
					q.source(i, c.args, &pl.Source, nil)
					a.meet(q.out, at, nil, next)
					continue
				}
				if pl.Cond >= len(c.args) {
					continue
				}
				sure, params := a.power(c.args[pl.Cond])
				if !sure && len(params) == 0 {
					continue
				}
				q.source(i, c.args, &pl.Source, nil)
				if sure {
					a.meet(q.out, at, nil, next)
				}
				for _, p := range params {
					a.meet(q.out, at, p, next)
				}
			}
		}
	}
}

// meet records that a sum adds an unrounded value. If cond is not nil, it does
// so only if this parameter is a power of two.
func (a *analyzer) meet(origins map[origin]bool, pos token.Pos, cond *ssa.Parameter, next map[*ssa.Function]*summary) {
	for o := range origins {
		c := cond
		if c == nil {
			c = o.cond
		}
		o.cond = nil
		literal := func(owner *ssa.Function) token.Pos {
			if owner.Parent() != nil {
				return pos
			}
			return token.NoPos
		}
		index := -1
		switch {
		case o.param != nil:
			owner := o.param.Parent()
			if c != nil && c.Parent() == owner {
				index = slices.Index(owner.Params, c)
			}
			if s := next[owner]; s != nil && len(s.Sums) < 4*most {
				s.Sums = append(s.Sums, place{a.source(o, owner), index, literal(owner)})
			}
		case c != nil:
			owner := c.Parent()
			if s := next[owner]; s != nil && len(s.Conds) < most {
				s.Conds = append(s.Conds, place{a.source(o, owner), slices.Index(owner.Params, c), literal(owner)})
			}
		case o.product != nil:
			if at, ok := a.products[o.product]; !ok || pos < at {
				a.products[o.product] = pos
			}
		default:
			a.calls[position(o.call)] = o
		}
	}
}

// position returns the position of a call; for a loop over an iterator, it
// returns the beginning of the loop's body.
func position(call ssa.Instruction) token.Pos {
	if c, ok := call.(ssa.CallInstruction); ok && !call.Pos().IsValid() && len(c.Common().Args) > 0 {
		if m, ok := c.Common().Args[0].(*ssa.MakeClosure); ok {
			return m.Fn.Pos()
		}
	}
	return call.Pos()
}

// madeFuncs describes the functions that a function returns, for other
// packages. It includes only functions that return an unrounded number, pass
// it to a function, or add a parameter; for example, iterators.
func (a *analyzer) madeFuncs(f *ssa.Function) (all []made) {
	for slot := range f.Signature.Results().Len() {
		if _, ok := core(f.Signature.Results().At(slot).Type()).(*types.Signature); !ok {
			continue
		}
		add := func(s *summary) {
			if len(s.Returns)+len(s.Sums)+len(s.Hands) > 0 && len(all) < 16 {
				all = append(all, made{slot, &summary{Returns: s.Returns, Sums: s.Sums, Hands: s.Hands}})
			}
		}
		for _, b := range f.Blocks {
			r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
			if !ok {
				continue
			}
			for _, v := range a.followDefinitions(r.Results[slot]) {
				switch v := v.(type) {
				case *ssa.MakeClosure:
					if s := a.summaryOf(v.Fn.(*ssa.Function)); s != nil {
						add(s.forImporters())
					}
				case *ssa.Function:
					if s := a.summaryOf(v); s != nil {
						add(s.forImporters())
					}
				case *ssa.Call:
					if g := v.Call.StaticCallee(); g != nil && a.localFunc(g) == nil {
						if s := a.summaryOf(g); s != nil {
							for _, m := range s.Makes {
								add(m.Summary)
							}
						}
					}
				}
			}
		}
	}
	return all
}
