package lanewise

import (
	"fmt"
	"go/ast"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestShown wants every exported name of the library in use: in an Example of its package
// or a page of the guide about it, or anywhere in these as package.Name. Of XOf[T] and X,
// its name for float32, one is enough. What nobody can show, nobody needs.
func TestShown(t *testing.T) {
	files, err := readTree(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 500 {
		t.Fatalf("only %d files were read: the check would pass on nothing", len(files))
	}
	for _, dir := range []string{"arrow", "mpi", "report", "study/nats"} { // modules of their own, which readTree leaves out
		more, err := readTree(os.DirFS(dir))
		if err != nil || len(more) < 5 {
			t.Fatal(dir, len(more), err)
		}
		for _, f := range more {
			f.path, f.dir = path.Join(dir, f.path), path.Join(dir, f.dir)
		}
		files = append(files, more...)
	}
	for _, what := range notShown(files) {
		t.Error(what)
	}
}

// notShown lists the exported names that nothing shows.
func notShown(files []*file) (found []string) {
	shown := map[string]bool{} // package.Name, or directory Name
	for _, f := range files {
		if !shows(f) {
			continue
		}
		for _, name := range qualified.FindAllString(f.source, -1) {
			shown[name] = true
		}
		for _, name := range word.FindAllString(f.source, -1) {
			name, _, _ = strings.Cut(strings.TrimPrefix(name, "Example"), "_")
			shown[about(f)+" "+name] = true
		}
	}
	names := exported(files)
	seen := func(name string) bool {
		_, bare, _ := strings.Cut(name, ".")
		dir := path.Dir(names[name])
		return shown[name] || slices.ContainsFunc([]string{dir, dir + "/...", path.Dir(dir) + "/..."}, func(of string) bool { return shown[of+" "+bare] })
	}
	for name, at := range names {
		short, generic := strings.CutSuffix(name, "Of")
		if !seen(name) && !(generic && names[short] != "" && seen(short)) && !strings.HasSuffix(name, "Option") { // whose makers are shown
			found = append(found, fmt.Sprintf("%s: %s is exported, and no page of the guide and no Example shows it", at, name))
		}
	}
	slices.Sort(found)
	return found
}

// inspectPage describes every answer of the inspector, by the name of its type.
const inspectPage = "docs/inspect.md"

// about is the directory whose package a file shows.
func about(f *file) string {
	if f.test {
		return f.dir
	}
	if f.path == inspectPage {
		return "inspect"
	}
	name := strings.TrimSuffix(path.Base(f.path), ".md")
	if i := slices.IndexFunc(guides, func(g guide) bool { return g.page == name }); i >= 0 {
		return guides[i].dir
	}
	return "docs/guide"
}

// shows reports whether a file is one in which users see how a name is used.
func shows(f *file) bool {
	base := path.Base(f.path)
	return f.test && (strings.Contains(base, "example") || base == "guide_test.go") || path.Ext(base) == ".md" && f.dir == "docs/guide" || f.path == inspectPage
}

// exported finds the names of packages that others can import, and where they stand.
func exported(files []*file) map[string]string {
	found := map[string]string{}
	for _, f := range files {
		if f.ast == nil || f.test || f.ast.Name.Name == "main" || f.ast.Name.Name == "lanewise" || covers("examples/...", f.dir) || slices.Contains(strings.Split(f.dir, "/"), "internal") {
			continue
		}
		add := func(id *ast.Ident) {
			if id.IsExported() {
				found[f.ast.Name.Name+"."+id.Name] = fmt.Sprintf("%s:%d", f.path, f.fset.Position(id.Pos()).Line)
			}
		}
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					add(d.Name)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						add(s.Name)
					case *ast.ValueSpec:
						for _, id := range s.Names {
							add(id)
						}
					}
				}
			}
		}
	}
	return found
}

func TestShownCatches(t *testing.T) {
	files, err := readTree(fstest.MapFS{
		"jobs/a.go":            {Data: []byte("package jobs\nfunc Run() {}\ntype Pool int\ntype hidden int\nfunc (Pool) Close() {}\nvar ErrA, ErrB int\ntype PoolOption int")},
		"jobs/example_test.go": {Data: []byte("package jobs_test\nfunc ExamplePool_close() {}")},
		"jobs/a_test.go":       {Data: []byte("package jobs\nvar _ = Run")},
		"docs/guide/tips.md":   {Data: []byte("`jobs.ErrA`")},
		"soa/internal/a.go":    {Data: []byte("package internal\nfunc A() {}")},
		"cmd/a/main.go":        {Data: []byte("package main\nfunc A() {}")},
		"soa/a.go":             {Data: []byte("package soa\ntype RowOf[T any] int\ntype Row = RowOf[int]\nconst (\nFirst = iota\nSecond\n)")},
		"soa/example_test.go":  {Data: []byte("package soa_test\nvar _ soa.Row = soa.First")},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"jobs/a.go:2: jobs.Run is", "jobs/a.go:6: jobs.ErrB is", "soa/a.go:6: soa.Second is"}
	got := notShown(files)
	if !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("got %q, want %q", got, want)
	}
}
