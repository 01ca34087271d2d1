package exact

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// faults returns the first fault of each function of a package. The fault may
// be in the function itself, or in a function that it mentions or may call.
// Package variables that hold a function or an interface can have faults too.
func (a *analyzer) faults(findings []finding) map[types.Object]string {
	slices.SortFunc(findings, func(x, y finding) int { return int(x.pos - y.pos) })
	faults := map[types.Object]string{}
	uses := map[types.Object][]types.Object{}
	var order []types.Object
	node := func(obj types.Object, parts ...ast.Node) {
		if obj == nil {
			return
		}
		order = append(order, obj)
		for _, part := range parts {
			for _, f := range findings {
				if f.carries && part.Pos() <= f.pos && f.pos < part.End() && faults[obj] == "" {
					faults[obj] = a.fault(f)
				}
			}
			ast.Inspect(part, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					if used := declaredObject(a.pass.TypesInfo.Uses[id]); used != nil && used.Pkg() == a.pass.Pkg && used != obj {
						uses[obj] = append(uses[obj], used)
					}
				}
				return true
			})
		}
	}
	for _, file := range a.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				node(a.pass.TypesInfo.Defs[n.Name], n)
			case *ast.ValueSpec:
				for i, name := range n.Names {
					if v := a.variable(name); v != nil && len(n.Values) == len(n.Names) {
						node(v, n.Values[i])
					}
				}
			case *ast.AssignStmt:
				for i, left := range n.Lhs {
					if name, ok := ast.Unparen(left).(*ast.Ident); ok && len(n.Rhs) == len(n.Lhs) {
						if v := a.variable(name); v != nil {
							node(v, n.Rhs[i])
						}
					}
				}
			}
			return true
		})
	}
	a.dynamic(func(in types.Object, _ token.Pos, fn *types.Func) {
		if fn.Pkg() == a.pass.Pkg {
			uses[in] = append(uses[in], fn.Origin())
		}
	})
	for changed := true; changed; {
		changed = false
		for _, obj := range order {
			for _, used := range uses[obj] {
				if faults[obj] == "" && faults[used] != "" {
					faults[obj], changed = faults[used], true
				}
			}
		}
	}
	return faults
}

// fault returns the text of a finding for callers in other packages.
func (a *analyzer) fault(f finding) string {
	if _, text, ok := strings.Cut(f.text, "is not exact: "); ok {
		return text
	}
	if f.placed {
		return f.text
	}
	return a.where(f.pos) + ": " + f.text
}

// variable returns the variable with a name if it is a variable of the package and
// holds a function or an interface. Otherwise it returns nil.
func (a *analyzer) variable(name *ast.Ident) types.Object {
	obj := a.pass.TypesInfo.Defs[name]
	if obj == nil {
		obj = a.pass.TypesInfo.Uses[name]
	}
	if v, ok := obj.(*types.Var); ok && v.Parent() == a.pass.Pkg.Scope() && callable(v.Type()) {
		return v
	}
	return nil
}

// declaredObject returns a function or variable as it was declared, without type arguments.
func declaredObject(obj types.Object) types.Object {
	switch obj := obj.(type) {
	case *types.Func:
		return obj.Origin()
	case *types.Var:
		return obj.Origin()
	}
	return nil
}

// dynamic handles calls through an interface, a variable or a parameter. It calls the
// function each for every function that such a call may enter.
func (a *analyzer) dynamic(each func(in types.Object, at token.Pos, fn *types.Func)) {
	for _, f := range a.functions {
		in := f
		for in.Parent() != nil {
			in = in.Parent()
		}
		if in.Object() == nil {
			continue
		}
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				i, ok := instr.(ssa.CallInstruction)
				if !ok || i.Common().StaticCallee() != nil {
					continue
				}
				for _, c := range a.callees(i) {
					if c.obj != nil {
						each(in.Object(), position(i), c.obj)
					}
				}
			}
		}
	}
}
