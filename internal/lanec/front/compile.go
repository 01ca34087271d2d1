package front

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// Compile converts a function to a kernel. The kernel has the width 32 if the function
// uses no 64-bit value, and otherwise the width 64. If Compile fails, the error is of
// type Problems.
func Compile(pkg *Package, fn *ast.FuncDecl) (k *ir.Kernel, err error) { return compileAs(pkg, fn, 4) }

func compileAs(pkg *Package, fn *ast.FuncDecl, width int) (k *ir.Kernel, err error) {
	c := &compiler{flow: flow{
		scope: scope{
			source:  source{pkg: pkg, elem: pkg.Elem, numbers: map[types.Object]int64{}, trust: pkg.Frame},
			ops:     ops{b: ir.Build(fn.Name.Name, width), summed: map[*ir.Value]token.Pos{}},
			streams: map[string]*stream{}, names: map[types.Object]name{}, counters: map[types.Object]*ir.Loop{}, listed: map[types.Object]*ir.Loop{},
		},
		nans: noNaNs(width),
		vars: map[types.Object]val{}, cache: map[*ir.Stream]val{},
	}}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case wider:
			k, err = compileAs(pkg, fn, 8)
		case *Problem:
			k, err = nil, sortProblems(c.refused, p)
		default:
			panic(p)
		}
	}()
	c.signature(fn)
	c.bodyAt = fn.Body.Pos()
	c.block(fn.Body.List)
	if c.b.Kernel.Rows == nil {
		fail(fn.Name.Pos(), "there is no loop over rows: for i := range x")
	}
	if len(c.refused) > 0 {
		return nil, sortProblems(c.refused, nil)
	}
	c.look(c.overlappedStreams())
	c.b.Kernel.Tidy()
	if pkg.Frame {
		c.frame(fn)
	}
	return c.b.Kernel, nil
}
