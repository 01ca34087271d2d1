package front

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// load returns the row's element of a lane. The load is placed before all
// surrounding loops that store nothing.
func (c *flow) load(s *stream) val {
	if x, ok := c.cache[s.Stream]; ok {
		return x
	}
	s.read = true
	here := c.b.Region
	for i := len(c.turns) - 1; i >= 0 && !c.turns[i].stores; i-- {
		c.b.Region = c.turns[i].outer
	}
	x := val{c.b.Put(&ir.Value{Op: ir.Load, Kind: s.Elem, Stream: s.Stream}), s.raw}
	c.b.Region = here
	c.recordEvent(happening{how: loaded, v: x.v, turns: len(c.turns) > 0 && c.turns[len(c.turns)-1].stores})
	c.cache[s.Stream] = x
	return x
}

// storeTo stores the row's element of a lane, in the active rows.
func (c *flow) storeTo(s *stream, x val) {
	s.Written, c.stored = true, true
	s.raw = max(s.raw, x.raw)
	c.recordEvent(happening{how: stored, v: x.v, known: know(c.mask(), true, nil)})
	if m := c.mask(); m != nil {
		x = val{c.b.Choose(m, x.v, c.load(s).v), s.raw}
	}
	c.b.Put(&ir.Value{Op: ir.Store, Kind: s.Elem, Args: []*ir.Value{x.v}, Stream: s.Stream})
	clear(c.cache) // another lane may share memory
	c.cache[s.Stream] = x
}

// replaceByPhis replaces variables that a loop changes by phis.
func (c *flow) replaceByPhis(l *ir.Loop, first *ir.Region, changed []types.Object) []*ir.Value {
	phis := make([]*ir.Value, len(changed))
	for i, o := range changed {
		x := c.vars[o]
		phis[i] = c.b.Phi(l, first, x.v)
		c.vars[o] = val{phis[i], x.raw}
	}
	return phis
}

// setAgain sets the second argument of a loop's phis to the values of the
// variables at the end of an iteration. After this, a phi may be a raw product.
func (c *flow) setAgain(l *ir.Loop, changed []types.Object, phis []*ir.Value, before map[types.Object]val) {
	for i, o := range changed {
		end := c.vars[o]
		phis[i].Args = append(phis[i].Args, end.v)
		if at := c.summed[phis[i]]; end.raw != 0 && at != 0 {
			c.refuseRaw(end.raw, at, end.v)
		}
		before[o] = val{phis[i], max(before[o].raw, end.raw)}
	}
}

// findChanges returns the variables of the row that a loop assigns, in the order of the
// assignments, and the other effects of the loop.
func (c *flow) findChanges(bodies ...ast.Node) ([]types.Object, has) {
	s := survey{uses: c.pkg.Info.Uses, vars: c.vars, seen: map[types.Object]bool{}}
	for _, body := range bodies {
		ast.Inspect(body, s.look)
	}
	return s.changed, s.has
}

// locals returns the variables that are declared in the same list of statements
// as a loop, before it, and are not used after it.
func (c *flow) locals(loop ast.Node) map[types.Object]bool {
	if len(c.behind) == 0 || c.behind[0] != loop {
		return nil
	}
	local := map[types.Object]bool{}
	for _, s := range c.before {
		for _, id := range declaredNames(s) {
			local[c.pkg.Info.Defs[id]] = true
		}
	}
	for _, s := range c.behind[1:] {
		ast.Inspect(s, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				delete(local, c.pkg.Info.Uses[id])
			}
			return true
		})
	}
	return local
}

// declaredNames returns the names that a statement declares for later statements.
func declaredNames(s ast.Stmt) (ids []*ast.Ident) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		for _, l := range s.Lhs {
			if id, ok := l.(*ast.Ident); ok && s.Tok == token.DEFINE {
				ids = append(ids, id)
			}
		}
	case *ast.DeclStmt:
		for _, spec := range s.Decl.(*ast.GenDecl).Specs {
			if v, ok := spec.(*ast.ValueSpec); ok {
				ids = append(ids, v.Names...)
			}
		}
	}
	return ids
}

// open sets the number of iterations of a loop and creates its regions. It returns the region that
// is executed first.
func (c *flow) open(t *turn, s *shape) (first *ir.Region) {
	l := t.loop
	l.Turns = s.turns
	if s.span != nil {
		l.Span, l.Count = s.span, s.span.End
	} else if s.count != "" {
		l.Count = c.countScalar(s.count)
	}
	if s.counter != nil {
		c.counters[s.counter] = l
	}
	l.Body = ir.NewRegion(t.outer, l)
	if s.cond == nil {
		return l.Body
	}
	l.Head = ir.NewRegion(t.outer, l)
	l.Body.Parent = l.Head
	return l.Head
}

// declareResults declares the results of a helper. Named results are variables that
// begin as zero.
func (c *flow) declareResults(call *inline, f *ast.FuncDecl) {
	for _, r := range f.Type.Results.List {
		t := c.concrete(c.pkg.Info.TypeOf(r.Type))
		for range max(1, len(r.Names)) {
			call.types = append(call.types, t)
		}
		for _, id := range r.Names {
			call.results = append(call.results, id)
			if id.Name != "_" {
				c.vars[c.object(id)] = val{v: c.b.Const(c.kind(id.Pos(), t), 0)}
			}
		}
	}
}
