package lanec

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strings"
)

// An edit replaces a part of the source.
type edit struct {
	from, to token.Pos
	text     string
}

// rest writes a copy of the Go source in which the loop runs over only some of the
// rows. The generated function calls this copy if an index is out of range or if a
// library function leaves a row to Go. The copy begins at this row. Only the beginning
// of the loop and the names of packages differ from the source.
func (k *Kernel) rest(b *strings.Builder, params string, names *imports) error {
	file := k.source.fset.File(k.mark.fn.Pos())
	source, err := os.ReadFile(file.Name())
	if err != nil {
		return err
	}
	text := func(from, to token.Pos) string { return string(source[file.Offset(from):file.Offset(to)]) }
	body, signature := k.mark.fn.Body, k.mark.fn.Type
	edits := []edit{k.begin(text)}
	qualify := func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && (id.Pos() < edits[0].from || id.Pos() >= edits[0].to) {
			if p, ok := k.source.info.Uses[id].(*types.PkgName); ok {
				edits = append(edits, edit{id.Pos(), id.End(), names.qualify(p.Imported())})
			}
		}
		return true
	}
	ast.Inspect(body, qualify)
	fmt.Fprintf(b, "\n// %sRest is [%s] for the rows from one to another.\nfunc %sRest", k.symbol(), k.Source, k.symbol())
	at := body.Pos()
	if k.mark.elem == nil {
		fmt.Fprintf(b, "(from_, to_ int, %s) ", params)
	} else { // the copy is generic too, because Go rounds constants in another way there
		ast.Inspect(signature, qualify)
		first := signature.Params.Opening + 1
		edits = append(edits, edit{first, first, "from_, to_ int, "})
		at = signature.TypeParams.Opening
	}
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	for _, e := range edits {
		b.WriteString(text(at, e.from) + e.text)
		at = e.to
	}
	b.WriteString(text(at, body.End()) + "\n")
	return nil
}

// restSymbol returns the name of this copy in a call.
func (k *Kernel) restSymbol() string {
	if k.mark.elem != nil {
		return fmt.Sprintf("%sRest[%v]", k.symbol(), k.mark.elem)
	}
	return k.symbol() + "Rest"
}

// begin replaces the text from the beginning of the function to the opening
// brace of the loop over rows.
func (k *Kernel) begin(text func(from, to token.Pos) string) edit {
	for _, s := range k.mark.fn.Body.List {
		switch s := s.(type) {
		case *ast.ForStmt:
			id := s.Init.(*ast.AssignStmt).Lhs[0].(*ast.Ident).Name
			return edit{s.Pos(), s.Body.Lbrace + 1, fmt.Sprintf("for %s := from_; %s < to_ && %s; %s++ {", id, id, text(s.Cond.Pos(), s.Cond.End()), id)}
		case *ast.RangeStmt:
			id, lane := "row_", text(s.X.Pos(), s.X.End())
			if key, ok := s.Key.(*ast.Ident); ok && key.Name != "_" {
				id = key.Name
			}
			most := lane
			if _, ok := k.source.info.TypeOf(s.X).Underlying().(*types.Slice); ok {
				most = "len(" + lane + ")"
			}
			begin := fmt.Sprintf("for %s := from_; %s < min(to_, %s); %s++ {", id, id, most, id)
			if v, ok := s.Value.(*ast.Ident); ok && v.Name != "_" {
				begin += fmt.Sprintf("\n%s := (%s)[%s]\n", v.Name, lane, id)
			}
			return edit{s.Pos(), s.Body.Lbrace + 1, begin}
		}
	}
	panic("lanec: " + k.Source + " has no loop over rows")
}
