package exact

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// A mend is a replacement of a piece of text, or an insertion.
type mend struct {
	from, to token.Pos
	text     string
}

// roundMends returns the mends that put a product into a conversion. It returns
// none if an operand might be evaluated twice.
func roundMends(n ast.Node, name string) []mend {
	switch n := n.(type) {
	case *ast.BinaryExpr, *ast.CallExpr:
		return []mend{{n.Pos(), n.Pos(), name + "("}, {n.End(), n.End(), ")"}}
	case *ast.AssignStmt:
		left, right := n.Lhs[0], n.Rhs[0]
		if !isSimple(left) {
			return nil
		}
		op := strings.TrimSuffix(n.Tok.String(), "=")
		open, end := "= "+name+"("+text(left)+" "+op, ")"
		if _, ok := ast.Unparen(right).(*ast.BinaryExpr); ok && right == ast.Unparen(right) {
			open, end = open+" (", end+")"
			return []mend{{n.TokPos, right.Pos(), open}, {n.End(), n.End(), end}}
		}
		return []mend{{n.TokPos, right.Pos(), open + " "}, {n.End(), n.End(), end}}
	}
	return nil
}

// isSimple reports whether an expression may be evaluated twice, because it has no calls.
func isSimple(e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr, *ast.FuncLit:
			ok = false
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.ARROW
		}
		return ok
	})
	return ok
}

// text prints an expression or x op= y.
func text(n ast.Node) string {
	switch n := n.(type) {
	case ast.Expr:
		return types.ExprString(n)
	case *ast.AssignStmt:
		return text(n.Lhs[0]) + " " + n.Tok.String() + " " + text(n.Rhs[0])
	}
	return "it"
}

// shortText prints an expression for a message.
func shortText(n ast.Node) string {
	s := strings.Join(strings.Fields(text(n)), " ")
	if r := []rune(s); len(r) > 40 {
		s = string(r[:39]) + "…"
	}
	return s
}

// typeName returns the name of a type in a file, or nothing if the file cannot
// name it.
func typeName(pass *analysis.Pass, file *ast.File, t types.Type, pos token.Pos) string {
	known := true
	name := types.TypeString(t, func(p *types.Package) string {
		if p == pass.Pkg {
			return ""
		}
		n := importName(pass, file, p.Path(), pos)
		known = known && n != ""
		return n
	})
	first, _, _ := strings.Cut(name, ".")
	first, _, _ = strings.Cut(first, "[")
	if !known || first == "" {
		return ""
	}
	scope := pass.Pkg.Scope().Innermost(pos)
	if scope == nil {
		return ""
	}
	_, obj := scope.LookupParent(first, pos)
	if obj == nil {
		return ""
	}
	if tn, ok := obj.(*types.TypeName); ok && (types.Identical(tn.Type(), t) || strings.Contains(name, "[")) {
		return name
	}
	if _, ok := obj.(*types.PkgName); ok && strings.Contains(name, ".") {
		return name
	}
	return ""
}

// importName returns the name by which a file imports a package, or nothing. It also returns nothing if the
// name means something else at pos, for example a parameter.
func importName(pass *analysis.Pass, file *ast.File, path string, pos token.Pos) string {
	scope := pass.Pkg.Scope().Innermost(pos)
	if scope == nil {
		return ""
	}
	for _, s := range file.Imports {
		p := pass.TypesInfo.PkgNameOf(s)
		if p == nil || p.Imported().Path() != path {
			continue
		}
		if _, obj := scope.LookupParent(p.Name(), pos); obj == types.Object(p) {
			return p.Name()
		}
	}
	return ""
}

// dropsComment reports whether a mend replaces text that contains a comment. It allows a mend whose text is exactly
// one comment, because such a mend removes the comment on purpose.
func dropsComment(pass *analysis.Pass, mends []mend) bool {
	for _, file := range pass.Files {
		for _, c := range file.Comments {
			if slices.ContainsFunc(mends, func(m mend) bool { return m.from < c.End() && c.Pos() < m.to && (m.from != c.Pos() || m.to != c.End()) }) {
				return true
			}
		}
	}
	return false
}

// imports returns the name of a package in a file and, if the file does not
// import it yet, the mend that adds the import. It returns nothing if the
// name already means something else at pos.
func imports(pass *analysis.Pass, file *ast.File, path string, pos token.Pos) (string, []mend) {
	if name := importName(pass, file, path, pos); name != "" {
		return name, nil
	}
	name := path[strings.LastIndexByte(path, '/')+1:]
	if scope := pass.Pkg.Scope().Innermost(pos); scope != nil {
		if _, obj := scope.LookupParent(name, pos); obj != nil {
			return "", nil
		}
	}
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT && g.Lparen.IsValid() {
			return name, []mend{{g.Lparen + 1, g.Lparen + 1, "\n\t\"" + path + "\""}}
		}
	}
	end := file.Name.End()
	return name, []mend{{end, end, "\n\nimport \"" + path + "\""}}
}

// report attaches a fix to every finding that has mends, unless the mends would drop a comment. If mends
// overlap, they are merged into one fix, because each of them alone would break the others.
func report(pass *analysis.Pass, findings []finding) {
	slices.SortFunc(findings, func(x, y finding) int {
		return cmp.Or(cmp.Compare(x.pos, y.pos), cmp.Compare(y.end, x.end), strings.Compare(x.text, y.text))
	})
	for i, f := range findings {
		if dropsComment(pass, f.mends) {
			findings[i].mends = nil
		}
	}
	groups := group(findings)
	edits := join(pass, groups)
	for i, f := range findings {
		d := analysis.Diagnostic{Pos: f.pos, End: f.end, Message: f.text}
		if g := groups[i]; g != nil && edits[g] != nil {
			d.SuggestedFixes = []analysis.SuggestedFix{{Message: g.message, TextEdits: edits[g]}}
		}
		pass.Report(d)
	}
}

// join returns the edits of each cluster. Two fixes may add the same import, and -fix drops one of two edits only if they
// are equal. So a fix adds all of its imports by a single edit, and clusters with some imports in common share one fix.
// For example, if one cluster imports maps, and another cluster imports maps and cmp, one fix has the edits of both
// clusters.
func join(pass *analysis.Pass, clusters []*cluster) map[*cluster][]analysis.TextEdit {
	type party struct {
		members []*cluster
		edits   []analysis.TextEdit
		imports []mend
	}
	var parties []*party
	seen := map[*cluster]bool{nil: true}
	for _, c := range clusters {
		if seen[c] {
			continue
		}
		seen[c] = true
		edit, added, ok := c.edit(pass)
		if !ok {
			continue
		}
		p := &party{[]*cluster{c}, []analysis.TextEdit{edit}, added}
		parties = slices.DeleteFunc(parties, func(q *party) bool {
			if slices.Equal(p.imports, q.imports) || !slices.ContainsFunc(q.imports, func(m mend) bool { return slices.Contains(p.imports, m) }) {
				return false
			}
			p.members, p.edits = append(q.members, p.members...), append(q.edits, p.edits...)
			p.imports = sortedImports(append(p.imports, q.imports...))
			return true
		})
		parties = append(parties, p)
	}
	all := map[*cluster][]analysis.TextEdit{}
	for _, p := range parties {
		if len(p.imports) > 0 {
			var b strings.Builder
			for _, m := range p.imports {
				b.WriteString(m.text)
			}
			text := b.String()
			if alone := "\n\nimport "; len(p.imports) > 1 && strings.HasPrefix(text, alone) {
				text = "\n\nimport (" + strings.ReplaceAll(text, alone, "\n\t") + "\n)"
			}
			p.edits = append(p.edits, analysis.TextEdit{Pos: p.imports[0].from, End: p.imports[0].to, NewText: []byte(text)})
		}
		for _, c := range p.members {
			all[c] = p.edits
		}
	}
	return all
}

// sortedImports sorts mends that add imports, and drops duplicates.
func sortedImports(all []mend) []mend {
	slices.SortFunc(all, func(x, y mend) int { return strings.Compare(x.text, y.text) })
	return slices.Compact(all)
}

// A cluster is a group of findings with one fix.
type cluster struct {
	from, to token.Pos // without distant edits such as imports
	mends    [][]mend
	message  string
}

// group groups findings whose mends overlap.
func group(findings []finding) []*cluster {
	of := make([]*cluster, len(findings))
	var last *cluster
	for i, f := range findings {
		if len(f.mends) == 0 {
			continue
		}
		from, to := token.Pos(0), token.Pos(0)
		for _, m := range f.mends {
			if strings.HasPrefix(m.text, "\n") {
				continue // an import
			}
			if from == 0 || m.from < from {
				from = m.from
			}
			to = max(to, m.to)
		}
		if last == nil || from >= last.to {
			last = &cluster{from: from, to: to, message: "write it so that its bits are the same everywhere"}
		}
		last.from, last.to = min(last.from, from), max(last.to, to)
		last.mends = append(last.mends, f.mends)
		of[i] = last
	}
	return of
}

// edit combines the mends of a cluster into one edit, which replaces the whole text of the cluster. It also
// returns the mends that add imports.
func (c *cluster) edit(pass *analysis.Pass) (edit analysis.TextEdit, added []mend, ok bool) {
	file := pass.Fset.File(c.from)
	source, err := pass.ReadFile(file.Name())
	if err != nil {
		return edit, nil, false
	}
	type piece struct {
		mend
		size token.Pos // offset in the whole text
		nth  int
	}
	var pieces []piece
	for _, ms := range c.mends {
		from, to := ms[0].from, ms[0].to
		for _, m := range ms {
			if !strings.HasPrefix(m.text, "\n") {
				from, to = min(from, m.from), max(to, m.to)
			}
		}
		for i, m := range ms {
			if strings.HasPrefix(m.text, "\n") {
				added = append(added, m)
				continue
			}
			pieces = append(pieces, piece{m, to - from, i})
		}
	}
	slices.SortStableFunc(pieces, func(x, y piece) int {
		if r := cmp.Compare(x.from, y.from); r != 0 {
			return r
		}
		if x.nth > 0 && y.nth > 0 { // ends of brackets: the inner one first
			return cmp.Compare(x.size, y.size)
		}
		return cmp.Or(cmp.Compare(min(y.nth, 1), min(x.nth, 1)), cmp.Compare(y.size, x.size))
	})
	var b strings.Builder
	at := c.from
	for _, p := range pieces {
		if p.from < at {
			return edit, nil, false // one mend begins inside another
		}
		b.Write(source[file.Offset(at):file.Offset(p.from)])
		b.WriteString(p.text)
		at = p.to
	}
	b.Write(source[file.Offset(at):file.Offset(c.to)])
	return analysis.TextEdit{Pos: c.from, End: c.to, NewText: []byte(b.String())}, sortedImports(added), true
}
