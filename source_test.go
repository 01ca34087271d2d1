package lanewise

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// A file is one file of the tree. The ast of a file is nil unless it is a Go file.
type file struct {
	path   string // from the root of the module, with slashes
	dir    string
	test   bool
	source string
	ast    *ast.File
	fset   *token.FileSet
}

// A rule reports the faults of a file, each in the form "path:line: fault".
type rule func(*file) []string

func (f *file) at(n ast.Node, format string, args ...any) string {
	return fmt.Sprintf("%s:%d: %s", f.path, f.fset.Position(n.Pos()).Line, fmt.Sprintf(format, args...))
}

// readTree reads every handwritten file of the module, for all platforms and build tags. So readTree
// also parses files that the go command would skip. readTree skips other modules inside the tree,
// testdata and binary files.
func readTree(tree fs.FS) ([]*file, error) {
	var files []*file
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch base := path.Base(name); {
		case err != nil:
			return err
		case d.IsDir():
			if base == ".git" || base == "testdata" || base == "bin" {
				return fs.SkipDir
			}
			if _, err := fs.Stat(tree, path.Join(name, "go.mod")); err == nil && name != "." {
				return fs.SkipDir
			}
			return nil
		case !isText(base):
			return nil
		}
		source, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		f := &file{path: name, dir: path.Dir(name), source: string(source), test: strings.HasSuffix(name, "_test.go")}
		if strings.HasSuffix(name, ".go") {
			f.fset = token.NewFileSet()
			if f.ast, err = parser.ParseFile(f.fset, name, source, parser.ParseComments|parser.SkipObjectResolution); err != nil {
				return err
			}
		}
		files = append(files, f)
		return nil
	})
	return files, err
}

// isText reports whether a file name is that of a source file or a document.
func isText(base string) bool {
	return slices.Contains([]string{".c", ".go", ".h", ".md", ".mod", ".s", ".sh", ".yml", ""}, path.Ext(base)) && !strings.HasPrefix(base, ".") ||
		base == ".golangci.yml" || base == ".gitignore"
}

// report applies rules to every file of a tree.
func report(t *testing.T, tree fs.FS, rules ...rule) {
	t.Helper()
	for _, what := range findings(t, tree, rules...) {
		t.Error(what)
	}
}

func findings(t *testing.T, tree fs.FS, rules ...rule) []string {
	t.Helper()
	files, err := readTree(tree)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("no file was read: the check would pass on nothing")
	}
	var found []string
	for _, f := range files {
		for _, r := range rules {
			found = append(found, r(f)...)
		}
	}
	return found
}

// checkCatch runs one rule on one small tree. checkCatch fails unless there is exactly one finding,
// which contains want. If want is empty, there must be no finding.
func checkCatch(t *testing.T, tree fs.FS, r rule, want string) {
	t.Helper()
	found := findings(t, tree, r)
	switch {
	case want == "" && len(found) > 0:
		t.Errorf("got %q, want nothing", found)
	case want != "" && (len(found) != 1 || !strings.Contains(found[0], want)):
		t.Errorf("got %q, want one finding with %q", found, want)
	}
}

// unsafeFiles are the only files outside of tests that may import unsafe. In a listed directory, all
// files of the package may use it. Any other package has only one file that imports it, or a reason for
// a second.
var unsafeFiles = []struct{ path, why string }{
	{"soa", "turns lanes into slices"},
	{"chunk", "carves blocks out of slabs"},
	{"kernels/unsafe.go", "reads a []T as the []float32 or []float64 it is, and tells the race detector ranges"},
	{"kernels/ints/unsafe.go", "reads lanes of integers without their sign, and their bits as floats that are moved"},
	{"kernels/kerneltest/memory.go", "reads bytes beside a guard page as numbers"},
	{"ecs/snapshot/unsafe.go", "reads rows of types that are migrated as bytes"},
	{"ecs/rollback/unsafe.go", "reads inputs as the bits that they are: == takes -0 for +0"},
	{"ecs/blob/unsafe.go", "shows parts of a blob as values, and types as keys"},
	{"ecs/unsafe.go", "reads components as bytes, and types as keys"},
	{"ecs/unsaferows.go", "finds ids and buffers in rows: it knows of rows, which the first does not"},
	{"ecs/unsafeviews.go", "fills views: it knows of chunks, which the others do not"},
	{"ecs/internal/table", "finds lanes and rows in the memory of chunks"},
	{"jobs/internal/park/parker_linux.go", "waits on a word by the futex call, which no package wraps"},
	{"internal/c2go", "hands compiled C an array of pointers to lanes"},
}

// libraryRefuses lists the functions and packages that the library must not use, and the exceptions.
var libraryRefuses = []struct{ use, except, why string }{
	{"os.Exit", "kernels study", "the library does not exit, except at start for a LANEWISE_KERNELS that cannot be had, and at the end of study.Main, which is a program"},
	{"os.Getenv", "kernels study ecs/roads", "LANEWISE_KERNELS, read by kernels, LANEWISE_EXEC, read by the tests of roads, and what launchers tell study.Main are the only variables of the environment"},
	{"os.LookupEnv", "kernels", "LANEWISE_KERNELS, read by kernels, is the only variable of the environment"},
	{"os.Environ", "", "LANEWISE_KERNELS, read by kernels, is the only variable of the environment"},
	{"log.Fatal", "", "the library does not exit"},
	{"log.Fatalf", "", "the library does not exit"},
	{"log.Print", "", "the library does not log by itself; a *slog.Logger is an option"},
	{"log.Printf", "", "the library does not log by itself; a *slog.Logger is an option"},
	{"log.Println", "", "the library does not log by itself; a *slog.Logger is an option"},
}

// words lists the text that no line of the project may contain. The brackets prevent the list from
// finding itself.
var words = []struct {
	pattern *regexp.Regexp
	why     string
}{
	{regexp.MustCompile(`/wor[k]/|/tm[p]/[a-z]|/roo[t]/|/hom[e]/`), "a path of one machine"},
	{regexp.MustCompile(`proxy[.]golan[g]|deb[.]debia[n]|registry[.]npmj[s]`), "the host of a registry"},
	{regexp.MustCompile(`TOD[O]\b|FIXM[E]\b|\bXX[X]\b|not implemente[d]|unimplemente[d]`), "unfinished work: finish it or open an issue"},
	{regexp.MustCompile(`Co-Authore[d]|[Ss]ubagen[t]|AI assistan[t]`), "who typed a line does not matter to its reader"},
}

// longest is the largest number of lines in a file that is neither assembly nor generated.
const longest = 800

// bareMethods need no comment, because they implement an interface that documents them.
const bareMethods = "Error Is String Unwrap Column InlineCapacity ChunkCapacity"

// TestSource checks the rules that a compiler does not check: see each rule below.
func TestSource(t *testing.T) {
	report(t, os.DirFS("."), unsafety, checkLinknames, checkManners, checkSkips, checkSilence, viewLoops, checkDocs, checkLengths, wording)
}

// unsafety allows unsafe only in a few files. Each use needs a line that begins with SAFETY: and says
// why the memory is alive, large enough, aligned and free of Go pointers.
func unsafety(f *file) []string {
	if f.ast == nil || f.test {
		return nil
	}
	at := slices.IndexFunc(f.ast.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == `"unsafe"` })
	if at < 0 {
		return nil
	}
	if !slices.ContainsFunc(unsafeFiles, func(a struct{ path, why string }) bool { return a.path == f.dir || a.path == f.path }) {
		return []string{f.at(f.ast.Imports[at], "imports unsafe and is not in the list of source_test.go")}
	}
	var found []string
	for _, decl := range f.ast.Decls {
		var body ast.Node = decl
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Body == nil {
				continue // assembly, which its caller explains
			}
			body = d.Body
		case *ast.GenDecl:
			if d.Tok == token.TYPE {
				continue // a type that contains a pointer does not use it yet
			}
		}
		use := findUse(body, "unsafe", "Add", "Pointer", "Slice", "SliceData", "String", "StringData")
		if use != nil && !f.hasMark(decl, "SAFETY:") {
			found = append(found, f.at(use, "uses unsafe without a SAFETY: line in the same declaration"))
		}
	}
	return found
}

// findUse returns the first place below n that uses one of the given names of a package. If an address
// is only converted to a number, uintptr(unsafe.Pointer(p)), this is not such a use.
func findUse(n ast.Node, pkg string, names ...string) (use ast.Node) {
	var number ast.Expr
	ast.Inspect(n, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.CallExpr:
			if to, ok := x.Fun.(*ast.Ident); ok && to.Name == "uintptr" {
				if from, ok := x.Args[0].(*ast.CallExpr); ok {
					number = from.Fun
				}
			}
		case *ast.SelectorExpr:
			if of, ok := x.X.(*ast.Ident); ok && use == nil && x != number && of.Name == pkg && slices.Contains(names, x.Sel.Name) {
				use = x
			}
		}
		return use == nil
	})
	return use
}

// hasMark reports whether a comment in or above a declaration contains a mark.
func (f *file) hasMark(decl ast.Decl, mark string) bool {
	from, last := decl.Pos(), f.fset.Position(decl.End()).Line
	if fn, ok := decl.(*ast.FuncDecl); ok && fn.Doc != nil {
		from = fn.Doc.Pos()
	} else if gen, ok := decl.(*ast.GenDecl); ok && gen.Doc != nil {
		from = gen.Doc.Pos()
	}
	return slices.ContainsFunc(f.ast.Comments, func(c *ast.CommentGroup) bool {
		return c.Pos() >= from && f.fset.Position(c.Pos()).Line <= last && strings.Contains(c.Text(), mark)
	})
}

// checkLinknames refuses go:linkname, because it depends on unexported code of others.
func checkLinknames(f *file) []string {
	if f.ast == nil {
		return nil
	}
	var found []string
	for _, group := range f.ast.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//go:linkname") {
				found = append(found, f.at(c, "uses go:linkname"))
			}
		}
	}
	return found
}

// checkManners applies libraryRefuses to all code except programs and tests.
func checkManners(f *file) []string {
	if f.ast == nil || f.test || slices.ContainsFunc([]string{"bench/...", "cmd/...", "examples/...", "internal/..."}, func(p string) bool { return coversDir(p, f.dir) }) {
		return nil
	}
	var found []string
	for _, r := range libraryRefuses {
		pkg, name, _ := strings.Cut(r.use, ".")
		if use := findUse(f.ast, pkg, name); use != nil && !hasWord(r.except, f.dir) {
			found = append(found, f.at(use, "uses %s: %s", r.use, r.why))
		}
	}
	return found
}

// checkSkips refuses tests that skip without a reason, because people and internal/gate read the
// reasons.
func checkSkips(f *file) (found []string) {
	if f.ast == nil {
		return nil
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		if ok && (method.Sel.Name == "SkipNow" || hasWord("Skip Skipf", method.Sel.Name) && blank(call.Args)) {
			found = append(found, f.at(call, "skips without a reason: Skip(\"why\")"))
		}
		return true
	})
	return found
}

// checkSilence refuses tests that return early without a message. A test that cannot run here must skip
// with a reason, which internal/gate reads. The rule checks only the statements of a test and of its
// subtests, and not nested statements.
func checkSilence(f *file) (found []string) {
	if f.ast == nil || !f.test {
		return nil
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		var sort *ast.FuncType
		var body *ast.BlockStmt
		switch n := n.(type) {
		case *ast.FuncDecl:
			if !strings.HasPrefix(n.Name.Name, "Test") {
				return false
			}
			sort, body = n.Type, n.Body
		case *ast.FuncLit:
			sort, body = n.Type, n.Body
		}
		if sort == nil || sort.Results != nil || len(sort.Params.List) != 1 || !ofTest(sort.Params.List[0].Type) {
			return true
		}
		for _, s := range body.List {
			if s, ok := s.(*ast.IfStmt); ok && len(s.Body.List) == 1 {
				if _, ok := s.Body.List[0].(*ast.ReturnStmt); ok {
					found = append(found, f.at(s, "a test that returns without a word passes: t.Skip(\"why\")"))
				}
			}
		}
		return true
	})
	return found
}

// ofTest reports whether a type is *testing.T.
func ofTest(e ast.Expr) bool {
	star, ok := e.(*ast.StarExpr)
	if !ok {
		return false
	}
	of, ok := star.X.(*ast.SelectorExpr)
	return ok && of.Sel.Name == "T"
}

// blank reports whether the arguments contain no text.
func blank(args []ast.Expr) bool {
	if len(args) == 0 {
		return true
	}
	text, ok := args[0].(*ast.BasicLit)
	return ok && strings.TrimSpace(strings.Trim(text.Value, "\"`")) == ""
}

// checkDocs requires a comment on every exported name. The comment must begin with the name; an article may
// precede it.
func checkDocs(f *file) []string {
	if f.ast == nil || f.test || f.ast.Name.Name == "main" {
		return nil
	}
	var found []string
	want := func(name *ast.Ident, comments ...*ast.CommentGroup) {
		for _, c := range comments {
			words := strings.Fields(c.Text())
			if len(words) > 1 && hasWord("A An The", words[0]) {
				words = words[1:]
			}
			if len(words) > 0 && strings.TrimRight(words[0], ",;:") == name.Name {
				return
			}
		}
		found = append(found, f.at(name, "%s is exported and has no comment that begins with its name", name.Name))
	}
	for _, decl := range f.ast.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && (d.Recv == nil || receiver(d).IsExported() && !hasWord(bareMethods, d.Name.Name)) {
				want(d.Name, d.Doc)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() && !isExplained(d, s.Doc, s.Comment) {
						want(s.Name, s.Doc, d.Doc)
					}
				case *ast.ValueSpec:
					if isExplained(d, s.Doc, s.Comment) {
						continue
					}
					if i := slices.IndexFunc(s.Names, (*ast.Ident).IsExported); i >= 0 {
						want(s.Names[i], s.Doc, d.Doc)
					}
				}
			}
		}
	}
	return found
}

// isExplained reports whether a declaration is a group that has a comment for the whole group or for one
// of its members. The comments of a group need not begin with a name.
func isExplained(d *ast.GenDecl, doc, comment *ast.CommentGroup) bool {
	return d.Lparen.IsValid() && (d.Doc != nil || doc != nil || comment != nil)
}

// receiver returns the name of a method's type.
func receiver(d *ast.FuncDecl) *ast.Ident {
	for e := d.Recv.List[0].Type; ; {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x
		}
	}
}

// checkLengths refuses long files, because they probably contain a second idea.
func checkLengths(f *file) []string {
	lines := strings.Count(f.source, "\n")
	if f.ast == nil || lines <= longest || strings.HasSuffix(f.path, "_gen.go") {
		return nil
	}
	return []string{fmt.Sprintf("%s:%d: the file is longer than %d lines", f.path, lines, longest)}
}

// wording refuses the words of the list in every file.
func wording(f *file) []string {
	var found []string
	for _, w := range words {
		if at := w.pattern.FindStringIndex(f.source); at != nil {
			line := 1 + strings.Count(f.source[:at[0]], "\n")
			found = append(found, fmt.Sprintf("%s:%d: says %q: %s", f.path, line, f.source[at[0]:at[1]], w.why))
		}
	}
	return found
}

// viewLoops refuses a loop that reads or writes rows through a column, because in such a loop Go loads
// the slice and checks the index at each access. Only code that people copy is checked. Assign each slice to a variable
// before the loop: see "Your own loops" in the guide.
func viewLoops(f *file) []string {
	copied := coversDir("examples/...", f.dir) && !f.test || strings.HasPrefix(path.Base(f.path), "example")
	if f.ast == nil || !copied {
		return nil
	}
	var found []string
	for _, decl := range f.ast.Decls {
		columns := columnNames(decl)
		ast.Inspect(decl, func(n ast.Node) bool {
			var body ast.Node
			switch x := n.(type) {
			case *ast.ForStmt:
				body = x.Body
			case *ast.RangeStmt:
				body = x.Body
			default:
				return true
			}
			inside := columnNames(body)
			ast.Inspect(body, func(n ast.Node) bool {
				if row, ok := n.(*ast.IndexExpr); ok {
					lane, _ := row.X.(*ast.SelectorExpr)
					if lane != nil && slices.Contains(columns, nameOf(lane.X)) && !slices.Contains(inside, nameOf(lane.X)) {
						found = append(found, f.at(row, "a loop goes through %s.%s: take the slice before the loop", nameOf(lane.X), lane.Sel.Name))
					}
				}
				return true
			})
			return true
		})
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// columnNames returns the variables below n that are assigned the column of a chunk.
func columnNames(n ast.Node) (names []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == len(a.Rhs) {
			for i, from := range a.Rhs {
				if call, ok := from.(*ast.CallExpr); ok && findUse(call.Fun, "ecs", "Column", "ColumnPadded", "ReadColumn") != nil {
					names = append(names, nameOf(a.Lhs[i]))
				}
			}
		}
		return true
	})
	return names
}

// nameOf returns the name of a variable. For any other expression, it returns an empty string.
func nameOf(n ast.Expr) string {
	if id, ok := n.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// TestSourceCatches checks that each rule finds small faults that were made on purpose.
func TestSourceCatches(t *testing.T) {
	const safe = "package soa\nimport \"unsafe\"\n"
	for _, c := range []struct {
		name               string
		rule               rule
		path, source, want string
	}{
		{"unsafe in its place", unsafety, "soa/a.go", safe + "// SAFETY: p is alive.\nfunc f(p *int) { _ = unsafe.Pointer(p) }", ""},
		{"unsafe explained inside", unsafety, "soa/a.go", safe + "func f(p *int) { _ = unsafe.Pointer(p) } // SAFETY: p is alive.", ""},
		{"a size is not a use", unsafety, "soa/a.go", safe + "func f(p int) { _ = unsafe.Sizeof(p) }", ""},
		{"an address is a number", unsafety, "soa/a.go", safe + "func f(p *int) { _ = uintptr(unsafe.Pointer(p)) }", ""},
		{"an address of a use", unsafety, "soa/a.go", safe + "func f(p *int) { _ = uintptr(unsafe.Pointer(g(unsafe.Pointer(p)))) }", "soa/a.go:3: uses unsafe without"},
		{"unsafe unexplained", unsafety, "soa/a.go", safe + "// SAFETY: other.\nvar x int\nfunc f(p *int) { _ = unsafe.Pointer(p) }", "soa/a.go:5: uses unsafe without"},
		{"a pointer in a signature", unsafety, "soa/a.go", safe + "func f(p unsafe.Pointer)", ""},
		{"unsafe elsewhere", unsafety, "jobs/a.go", "package jobs\nimport _ \"unsafe\"", "jobs/a.go:2: imports unsafe"},
		{"unsafe in a test", unsafety, "jobs/a_test.go", "package jobs\nimport _ \"unsafe\"", ""},
		{"linkname", checkLinknames, "soa/a.go", "package soa\n//go:linkname now runtime.now\nfunc now()", "soa/a.go:2: uses go:linkname"},
		{"exit in the library", checkManners, "jobs/a.go", "package jobs\nimport \"os\"\nfunc f() { os.Exit(1) }", "jobs/a.go:3: uses os.Exit"},
		{"exit in a program", checkManners, "cmd/x/a.go", "package main\nimport \"os\"\nfunc main() { os.Exit(1) }", ""},
		{"environment", checkManners, "ecs/a.go", "package ecs\nimport \"os\"\nvar x = os.Getenv(\"X\")", "ecs/a.go:3: uses os.Getenv"},
		{"environment of kernels", checkManners, "kernels/a.go", "package kernels\nimport \"os\"\nvar x = os.Getenv(\"X\")", ""},
		{"a skip", checkSkips, "soa/a_test.go", "package soa\nfunc f(t *testing.T) { t.Skip(\"no data\"); t.Skipf(\"no %s\", x) }", ""},
		{"a skip of bytes", checkSkips, "soa/a.go", "package soa\nfunc f() { skip(); r.Skip(8) }", ""},
		{"a skip without reason", checkSkips, "soa/a_test.go", "package soa\nfunc f(t *testing.T) {\nt.Skip()\n}", "soa/a_test.go:3: skips without a reason"},
		{"a skip with an empty one", checkSkips, "soa/a_test.go", "package soa\nfunc f(t *testing.T) { t.Skipf(` `) }", "soa/a_test.go:2: skips without"},
		{"a skip at once", checkSkips, "soa/help.go", "package soa\nfunc f(t testing.TB) { t.SkipNow() }", "soa/help.go:2: skips without"},
		{"a silent end", checkSilence, "soa/a_test.go", "package soa\nfunc TestA(t *testing.T) {\nif !guard {\nreturn // no guard\n}\n}", "soa/a_test.go:3: a test that returns"},
		{"a silent end of a subtest", checkSilence, "soa/a_test.go", "package soa\nfunc TestA(t *testing.T) {\nt.Run(\"b\", func(t *testing.T) {\nif x := f(); x > 2 { return }\n})\n}", "soa/a_test.go:4: a test that returns"},
		{"an end with a word", checkSilence, "soa/a_test.go", "package soa\nfunc TestA(t *testing.T) { if !guard { t.Log(1); return }; if guard { t.Skip(\"x\") } }", ""},
		{"an end of another function", checkSilence, "soa/a_test.go", "package soa\nfunc f(t *testing.T) { if !guard { return } }", ""},
		{"a loop through a column", viewLoops, "examples/a/a.go", "package a\nfunc f(c *ecs.Chunk) {\np, n := ecs.Column[P](c), 3\nfor i := range n {\np.X[i], n = 1, 2\n}\n}", "examples/a/a.go:5: a loop goes through p.X"},
		{"a loop through a column in two", viewLoops, "ecs/example_test.go", "package a\nfunc f() {\nfor c := range q.Chunks() {\np := ecs.ReadColumn[P](c)\nfor i := range p.X {\ns += p.X[i]\n}\n}\n}", "ecs/example_test.go:6: a loop goes through p.X"},
		{"a loop over slices", viewLoops, "examples/a/a.go", "package a\nfunc f(c *ecs.Chunk) {\np := ecs.Column[P](c)\nx := p.X\nfor i := range x {\nx[i] = 1\n}\n_ = p.X[0]\n}", ""},
		{"a function without doc", checkDocs, "soa/a.go", "package soa\nfunc F() {}", "soa/a.go:2: F is exported"},
		{"a doc of another name", checkDocs, "soa/a.go", "package soa\n// G does.\nfunc F() {}", "soa/a.go:3: F is exported"},
		{"a doc", checkDocs, "soa/a.go", "package soa\n// F does.\nfunc F() {}", ""},
		{"a method without doc", checkDocs, "soa/a.go", "package soa\n// T is.\ntype T[V any] int\nfunc (t *T[V]) M() {}", "soa/a.go:4: M is exported"},
		{"a method of a hidden type", checkDocs, "soa/a.go", "package soa\ntype t int\nfunc (t) M() {}", ""},
		{"a method of an interface", checkDocs, "soa/a.go", "package soa\n// T is.\ntype T int\nfunc (T) Error() string { return \"\" }", ""},
		{"an article before the name", checkDocs, "soa/a.go", "package soa\n// A T is.\ntype T int", ""},
		{"a type without doc", checkDocs, "soa/a.go", "package soa\ntype T int", "soa/a.go:2: T is exported"},
		{"a constant without doc", checkDocs, "soa/a.go", "package soa\nconst C = 1", "soa/a.go:2: C is exported"},
		{"a group of constants", checkDocs, "soa/a.go", "package soa\n// The letters.\nconst (\nA = 1\nB = 2\n)", ""},
		{"a group of types", checkDocs, "soa/a.go", "package soa\n// The letters.\ntype (\nA int\nB int\n)", ""},
		{"a group without doc", checkDocs, "soa/a.go", "package soa\nconst (\nA = 1\n)", "soa/a.go:3: A is exported"},
		{"a long file", checkLengths, "soa/a.go", "package soa\n" + strings.Repeat("\n", longest), "longer than 800 lines"},
		{"long assembly", checkLengths, "soa/a_amd64.s", strings.Repeat("\n", longest+1), ""},
		{"a long generated file", checkLengths, "soa/a_gen.go", "package soa\n" + strings.Repeat("\n", longest), ""},
		{"a path of one machine", wording, "a.md", "line\nsee /wor" + "k/main", "a.md:2: says \"/wor" + "k/\""},
		{"a temporary path", wording, "a.go", "package a // /tm" + "p/lw", "a path of one machine"},
		{"a registry", wording, "Makefile", "curl proxy.golan" + "g.org", "the host of a registry"},
		{"unfinished work", wording, "soa/a.s", "// TOD" + "O: faster", "unfinished work"},
		{"clean words", wording, "a.md", "a todo list of the framework", ""},
	} {
		t.Run(c.name, func(t *testing.T) { checkCatch(t, fstest.MapFS{c.path: {Data: []byte(c.source)}}, c.rule, c.want) })
	}
}

// TestLineEnds checks for Windows line ends and says so once. Otherwise each test that compares files would report them.
func TestLineEnds(t *testing.T) {
	files, err := readTree(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.Contains(f.source, "\r") {
			t.Fatalf("%s has Windows line ends, which .gitattributes keeps out of new clones: clone again", f.path)
		}
	}
	attributes, err := os.ReadFile(".gitattributes")
	if err != nil || !strings.Contains(string(attributes), "\n* text=auto eol=lf\n") {
		t.Errorf(".gitattributes does not keep line ends: %v", err)
	}
}
