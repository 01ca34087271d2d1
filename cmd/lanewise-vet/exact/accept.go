package exact

import (
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// directive is the beginning of each comment that accepts findings.
const directive = "//lanewise:inexact"

// acceptances holds the comments of a package that accept findings, and the range
// of code that each comment covers.
type acceptances []*acceptance

type acceptance struct {
	comment  *ast.Comment
	from, to token.Pos // the code that begins in the next line, or the file
	line     int       // the comment's own
	file     string
	reason   bool
	used     bool
}

// accept reads the comments.
func accept(pass *analysis.Pass) (all acceptances) {
	for _, file := range pass.Files {
		var comments []*acceptance
		for _, g := range file.Comments {
			for _, c := range g.List {
				rest, ok := strings.CutPrefix(c.Text, directive)
				if !ok || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
					continue
				}
				at := pass.Fset.Position(c.Pos())
				reason, _, _ := strings.Cut(rest, "//")
				a := &acceptance{comment: c, line: at.Line, file: at.Filename, reason: strings.TrimSpace(reason) != ""}
				if c.Pos() < file.Package {
					a.from, a.to = file.FileStart, file.FileEnd
				} else {
					a.from, a.to = extentBelow(pass, file, g)
				}
				comments = append(comments, a)
			}
		}
		all = append(all, comments...)
	}
	return all
}

// extentBelow returns the extent of the statement, declaration or field that begins in
// the line after a group of comments.
func extentBelow(pass *analysis.Pass, file *ast.File, g *ast.CommentGroup) (from, to token.Pos) {
	next := pass.Fset.Position(g.End()).Line + 1
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil || from.IsValid() {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Doc == g {
				from, to = n.Pos(), n.End()
			}
		case *ast.GenDecl:
			if n.Doc == g {
				from, to = n.Pos(), n.End()
			}
		case ast.Stmt, ast.Spec, *ast.KeyValueExpr, *ast.CallExpr, *ast.CompositeLit:
			if pass.Fset.Position(n.Pos()).Line == next {
				from, to = n.Pos(), n.End()
			}
		}
		return !from.IsValid()
	})
	return from, to
}

// covers reports whether one of the comments accepts a finding and gives a
// reason.
func (as acceptances) covers(pass *analysis.Pass, f finding) (covered bool) {
	at := pass.Fset.Position(f.pos)
	for _, a := range as {
		if a.reason && a.file == at.Filename && (a.line == at.Line || a.from <= f.pos && f.pos < a.to) {
			a.used, covered = true, true
		}
	}
	return covered
}

// faults returns a finding for each comment that gives no reason or accepts
// nothing.
func (as acceptances) faults(pass *analysis.Pass) (all []finding) {
	for _, a := range as {
		f := finding{pos: a.comment.Pos(), end: a.comment.End()}
		switch {
		case !a.reason:
			f.text = directive + " needs a reason behind it"
		case !a.used:
			f.text = directive + " accepts nothing here: take it away"
			f.mends = []mend{{f.pos, f.end, ""}}
		default:
			continue
		}
		all = append(all, f)
	}
	return all
}
