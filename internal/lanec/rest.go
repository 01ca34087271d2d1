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
	body := k.mark.fn.Body
	edits := []edit{k.begin(text)}
	ast.Inspect(body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && (id.Pos() < edits[0].from || id.Pos() >= edits[0].to) {
			if p, ok := k.source.info.Uses[id].(*types.PkgName); ok {
				edits = append(edits, edit{id.Pos(), id.End(), names.qualify(p.Imported())})
			}
		}
		return true
	})
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	fmt.Fprintf(b, "\n// %sRest is [%s] for the rows from one to another.\nfunc %sRest(from_, to_ int, %s) ", k.symbol(), k.Source, k.symbol(), params)
	at := body.Pos()
	if k.mark.elem != nil {
		fmt.Fprintf(b, "{\ntype %s = %v\n", k.mark.fn.Type.TypeParams.List[0].Names[0].Name, k.mark.elem)
		at = body.Lbrace + 1
	}
	for _, e := range edits {
		b.WriteString(text(at, e.from) + e.text)
		at = e.to
	}
	b.WriteString(text(at, body.End()) + "\n")
	return nil
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
