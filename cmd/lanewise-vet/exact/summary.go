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

// A summary is what callers must know of a function, since Go may inline it: of
// this package while it is looked at, of others as a fact.
type summary struct {
	Returns []flow  // what results may be unrounded
	Stores  []flow  // what is written unrounded through parameters
	Sums    []place // parts of parameters that meet a sum
	Conds   []place // products that meet a sum if a parameter is a constant
	Faults  []string
}

// AFact makes a summary something that is kept with a function's package.
func (*summary) AFact() {}

func (s *summary) String() string { return "inexact" }

// A flow is an unrounded number that arrives in a result or behind a parameter.
type flow struct {
	Slot   int
	Path   path
	Source source
}

// A source is a product, with a text for other packages, or a part of a parameter.
type source struct {
	Text     string
	From     int
	FromPath path
	Cond     int // the parameter that must be a power of two, or -1
	product  *ssa.BinOp
	param    *ssa.Parameter
	of       *ssa.Function
}

// A place is a part of a parameter, or a product, that meets a sum, always or if
// another parameter is a constant of the kind.
type place struct {
	Source source
	Cond   int
	Kind   byte
}

// A write is a store, or a call that stores.
type write struct {
	path  path
	value ssa.Value
	instr ssa.Instruction
	flow  *flow
}

// An analyzer works on one package.
type analyzer struct {
	pass      *analysis.Pass
	pkg       *ssa.Package
	functions []*ssa.Function
	summaries map[*ssa.Function]*summary
	imported  map[*types.Func]*summary
	noinline  map[types.Object]bool
	names     map[ssa.Value]string
	params    map[string]*ssa.Parameter
	captured  map[*ssa.FreeVar]ssa.Value
	writes    map[string][]write
	products  map[*ssa.BinOp]token.Pos // those that meet a sum, and which
	calls     map[token.Pos]string     // those of other packages that do, by their parenthesis, and where the product is
}

func newAnalyzer(pass *analysis.Pass) *analyzer {
	a := &analyzer{
		pass: pass, pkg: build(pass),
		summaries: map[*ssa.Function]*summary{}, imported: map[*types.Func]*summary{}, noinline: map[types.Object]bool{},
		names: map[ssa.Value]string{}, params: map[string]*ssa.Parameter{}, captured: map[*ssa.FreeVar]ssa.Value{},
		products: map[*ssa.BinOp]token.Pos{}, calls: map[token.Pos]string{},
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

// settle computes all summaries, again until none changes.
func (a *analyzer) settle() {
	for range 12 {
		a.collectWrites()
		changed := false
		next := map[*ssa.Function]*summary{}
		for _, f := range a.functions {
			next[f] = &summary{}
		}
		for _, f := range a.functions {
			a.outcome(f, next[f])
			a.sinks(f, next)
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

func (s *summary) sort() {
	slices.SortFunc(s.Returns, flow.compare)
	slices.SortFunc(s.Stores, flow.compare)
	same := func(x, y place) bool { return x.compare(y) == 0 }
	slices.SortFunc(s.Sums, place.compare)
	s.Sums = slices.CompactFunc(s.Sums, same)
	slices.SortFunc(s.Conds, place.compare)
	s.Conds = slices.CompactFunc(s.Conds, same)
}

func (s *summary) equal(t *summary) bool {
	flows := func(x, y flow) bool { return x.compare(y) == 0 }
	places := func(x, y place) bool { return x.compare(y) == 0 }
	return slices.EqualFunc(s.Returns, t.Returns, flows) && slices.EqualFunc(s.Stores, t.Stores, flows) &&
		slices.EqualFunc(s.Sums, t.Sums, places) && slices.EqualFunc(s.Conds, t.Conds, places)
}

// abroad is the summary for other packages, which know nothing of this one's
// functions. (Not every driver writes facts down and reads them again.)
func (s *summary) abroad() *summary {
	t := &summary{Faults: s.Faults}
	for _, f := range s.Returns {
		t.Returns = append(t.Returns, flow{f.Slot, f.Path, f.Source.abroad()})
	}
	for _, f := range s.Stores {
		t.Stores = append(t.Stores, flow{f.Slot, f.Path, f.Source.abroad()})
	}
	for _, p := range s.Sums {
		t.Sums = append(t.Sums, place{p.Source.abroad(), p.Cond, p.Kind})
	}
	for _, p := range s.Conds {
		t.Conds = append(t.Conds, place{p.Source.abroad(), p.Cond, p.Kind})
	}
	return t
}

func (s source) abroad() source {
	return source{Text: s.Text, From: s.From, FromPath: s.FromPath, Cond: s.Cond}
}

func (f flow) compare(g flow) int {
	return cmp.Or(cmp.Compare(f.Slot, g.Slot), strings.Compare(f.Path.String(), g.Path.String()), f.Source.compare(&g.Source))
}

func (p place) compare(q place) int {
	return cmp.Or(p.Source.compare(&q.Source), cmp.Compare(p.Cond, q.Cond), cmp.Compare(p.Kind, q.Kind))
}

func (s *source) compare(t *source) int {
	at := func(s *source) (p, q token.Pos) {
		if s.product != nil {
			p = s.product.Pos()
		}
		if s.param != nil {
			q = s.param.Pos()
		}
		return p, q
	}
	p, q := at(s)
	r, u := at(t)
	return cmp.Or(cmp.Compare(p, r), cmp.Compare(q, u), strings.Compare(s.Text, t.Text), cmp.Compare(s.From, t.From),
		strings.Compare(s.FromPath.String(), t.FromPath.String()), cmp.Compare(s.Cond, t.Cond))
}

// summaryOf returns what is known of a function, or nil.
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

// collectWrites lists the stores of the package by what they hang on.
func (a *analyzer) collectWrites() {
	a.writes = map[string][]write{}
	for _, f := range a.functions {
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				switch i := instr.(type) {
				case *ssa.Store:
					l := a.at(i.Addr)
					a.writes[l.root] = append(a.writes[l.root], write{l.path, i.Val, i, nil})
				case ssa.CallInstruction:
					args := arguments(i)
					for _, s := range a.callees(i) {
						for n := range s.Stores {
							f := &s.Stores[n]
							if f.Slot < len(args) {
								l := a.of(args[f.Slot]).to(f.Path...)
								a.writes[l.root] = append(a.writes[l.root], write{l.path, nil, i, f})
							}
						}
					}
				}
			}
		}
	}
}

// outcome fills what a function returns and stores unrounded.
func (a *analyzer) outcome(f *ssa.Function, s *summary) {
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			switch i := instr.(type) {
			case *ssa.Return:
				for slot, v := range i.Results {
					for _, leaf := range leaves(v.Type()) {
						for o := range a.origins(v, leaf, i) {
							s.Returns = addFlow(s.Returns, slot, leaf, a.source(o, f))
						}
					}
				}
			case *ssa.Store:
				l := a.at(i.Addr)
				p := a.params[l.root]
				if p == nil || p.Parent() != f || len(l.path) == 0 || len(l.path) > longest {
					continue
				}
				for _, leaf := range leaves(i.Val.Type()) {
					for o := range a.origins(i.Val, leaf, i) {
						s.Stores = addFlow(s.Stores, slices.Index(f.Params, p), l.path.to(leaf...).outside(), a.source(o, f))
					}
				}
			case ssa.CallInstruction:
				args := arguments(i)
				for _, callee := range a.callees(i) {
					for n := range callee.Stores {
						g := &callee.Stores[n]
						if g.Slot >= len(args) {
							continue
						}
						l := a.of(args[g.Slot]).to(g.Path...)
						p := a.params[l.root]
						if p == nil || p.Parent() != f || len(l.path) > longest {
							continue
						}
						q := query{a, i, map[string]bool{}, map[origin]bool{}}
						q.source(i, &g.Source)
						for o := range q.out {
							s.Stores = addFlow(s.Stores, slices.Index(f.Params, p), l.path.outside(), a.source(o, f))
						}
					}
				}
			}
		}
	}
}

// most is how many flows of a function are kept: a summary is no copy of it.
const most = 256

func addFlow(flows []flow, slot int, p path, s source) []flow {
	f := flow{slot, p, s}
	if len(flows) >= most || slices.ContainsFunc(flows, func(g flow) bool { return f.compare(g) == 0 }) {
		return flows
	}
	return append(flows, f)
}

// source is an origin as callers of f know it.
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
		s.param, s.FromPath = o.param, path(strings.Fields(o.path)).outside()
		s.From = slices.Index(f.Params, o.param)
	}
	return s
}

func (a *analyzer) where(pos token.Pos) string {
	at := a.pass.Fset.Position(pos)
	return fmt.Sprintf("%s/%s:%d", a.pass.Pkg.Name(), filepath.Base(at.Filename), at.Line)
}

// sinks finds what meets sums in a function.
func (a *analyzer) sinks(f *ssa.Function, next map[*ssa.Function]*summary) {
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			switch i := instr.(type) {
			case *ssa.BinOp:
				if !inexact(i.Type()) {
					continue
				}
				switch i.Op {
				case token.ADD, token.SUB:
					a.meet(a.origins(i.X, nil, i), i.Pos(), nil, 0, next)
					a.meet(a.origins(i.Y, nil, i), i.Pos(), nil, 0, next)
				case token.MUL:
					a.doubled(i, i.X, i.Y, two, next)
					a.doubled(i, i.Y, i.X, two, next)
				case token.QUO:
					a.doubled(i, i.X, i.Y, half, next)
				}
			case ssa.CallInstruction:
				a.called(i, next)
			}
		}
	}
}

// doubled is a product by two, which Go writes as a sum.
func (a *analyzer) doubled(i *ssa.BinOp, x, by ssa.Value, kind byte, next map[*ssa.Function]*summary) {
	sure, params := a.constant(by, kind)
	if sure {
		a.meet(a.origins(x, nil, i), i.Pos(), nil, 0, next)
	}
	for _, p := range params {
		a.meet(a.origins(x, nil, i), i.Pos(), p, kind, next)
	}
}

// called applies what is known of a function to the arguments of a call.
func (a *analyzer) called(i ssa.CallInstruction, next map[*ssa.Function]*summary) {
	args := arguments(i)
	for _, s := range a.callees(i) {
		for _, places := range [][]place{s.Sums, s.Conds} {
			for n := range places {
				pl := &places[n]
				q := query{a, i, map[string]bool{}, map[origin]bool{}}
				if pl.Cond < 0 {
					q.source(i, &pl.Source)
					a.meet(q.out, i.Pos(), nil, 0, next)
					continue
				}
				if pl.Cond >= len(args) {
					continue
				}
				sure, params := a.constant(args[pl.Cond], pl.Kind)
				if !sure && len(params) == 0 {
					continue
				}
				q.source(i, &pl.Source)
				if sure {
					a.meet(q.out, i.Pos(), nil, 0, next)
				}
				for _, p := range params {
					a.meet(q.out, i.Pos(), p, pl.Kind, next)
				}
			}
		}
	}
}

// meet takes note of what meets a sum, always or on a condition.
func (a *analyzer) meet(origins map[origin]bool, pos token.Pos, cond *ssa.Parameter, kind byte, next map[*ssa.Function]*summary) {
	for o := range origins {
		c, k := cond, kind
		if c == nil && o.cond != nil {
			c, k = o.cond, powerOfTwo
		}
		o.cond = nil
		index := -1
		switch {
		case o.param != nil:
			owner := o.param.Parent()
			if c != nil && c.Parent() == owner {
				index = slices.Index(owner.Params, c)
			}
			if s := next[owner]; s != nil && len(s.Sums) < 4*most {
				s.Sums = append(s.Sums, place{a.source(o, owner), index, k})
			}
		case c != nil:
			owner := c.Parent()
			if s := next[owner]; s != nil && len(s.Conds) < most {
				s.Conds = append(s.Conds, place{a.source(o, owner), slices.Index(owner.Params, c), k})
			}
		case o.product != nil:
			if at, ok := a.products[o.product]; !ok || pos < at {
				a.products[o.product] = pos
			}
		default:
			a.calls[o.call.Pos()] = o.text
		}
	}
}
