package front

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// frame records the offset of each argument in the frame of a call. All 64-bit
// CPUs have the same layout.
func (c *scope) frame(fn *ast.FuncDecl) {
	k := c.b.Kernel
	sizes := types.SizesFor("gc", "amd64")
	k.Frame = &ir.Frame{}
	places := map[string]ir.Place{} // by expression
	var params []string
	at := 0
	for _, p := range fn.Type.Params.List {
		t := c.typeOf(p.Type)
		var names []string
		for _, id := range p.Names {
			align := int(sizes.Alignof(t))
			at = (at + align - 1) / align * align
			c.place(places, id.Name, t, at)
			at += int(sizes.Sizeof(t))
			names = append(names, id.Name)
		}
		params = append(params, strings.Join(names, ", ")+" "+types.TypeString(t, types.RelativeTo(c.pkg.Types)))
	}
	k.Frame.Go, k.Frame.Bytes = "("+strings.Join(params, ", ")+")", at
	if k.Stop > 0 {
		k.Frame.Result = (at + 7) / 8 * 8
		k.Frame.Go, k.Frame.Bytes = k.Frame.Go+" int", k.Frame.Result+8
	}
	for _, s := range k.Streams {
		s.Place = places[s.Expr]
	}
	for _, s := range k.Scalars {
		s.Place = places[s.Expr]
	}
	rows, isLen := strings.CutPrefix(strings.TrimSuffix(k.Number, ")"), "len(")
	p := places[rows]
	if !isLen || p.Kind != ir.Slice && p.Kind != ir.View {
		fail(fn.Pos(), "the number of rows is no length of a slice: %s", k.Number)
	}
	k.Frame.Rows = &p
}
