package lanewise

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestMembersShown wants every method of the library in use, as TestShown does every name of a
// package. The types of Examples are checked, so that a Len in one of them is the Len of one type.
// Pages of the guide have more than code, which is that of Examples: there a method stands as
// Type.Name, or as .Name if the page is about its package and no other type there has that method.
// Of methods of Vec2s, Vec3s and Vec4s with one name, one is enough.
//
// Fields are not held. Of those that nothing shows most are numbers of a list (Stats, answers of
// the inspector, what a file contains), which their comments explain and a page would repeat.
func TestMembersShown(t *testing.T) {
	files, err := readTree(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	imports, own, err := compiled(files)
	if err != nil {
		t.Fatal(err)
	}
	if len(own) < 40 {
		t.Fatalf("only %d packages were read: the check would pass on nothing", len(own))
	}
	shown, err := membersIn(files, imports)
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range own {
		for _, what := range shown.missing(pkg) {
			t.Error(what)
		}
	}
}

// compiled has the go command compile the module, and what else its Examples import. It returns
// what reads the results, and the packages that others can import.
func compiled(files []*file) (types.Importer, []*types.Package, error) {
	patterns := []string{"./..."}
	for _, f := range files {
		if f.ast == nil || !shows(f) {
			continue
		}
		for _, spec := range f.ast.Imports {
			if name := strings.Trim(spec.Path.Value, `"`); !strings.Contains(name, ".") && !slices.Contains(patterns, name) {
				patterns = append(patterns, name)
			}
		}
	}
	list, imports, err := compile(token.NewFileSet(), ".", patterns...)
	if err != nil {
		return nil, nil, err
	}
	var own []*types.Package
	for _, p := range list {
		if !isPublic(p.ImportPath) {
			continue
		}
		pkg, err := imports.Import(p.ImportPath)
		if err != nil {
			return nil, nil, err
		}
		if pkg.Name() != "main" {
			own = append(own, pkg)
		}
	}
	return imports, own, nil
}

// isPublic reports whether a package of the library is for users.
func isPublic(name string) bool {
	dir, ok := strings.CutPrefix(name, module+"/")
	return ok && !covers("examples/...", dir) && !slices.Contains(strings.Split(dir, "/"), "internal")
}

// membersShown is which methods users see in use.
type membersShown struct {
	used  map[types.Object]bool // by code of an Example
	named map[string]bool       // Type.Name anywhere, and .Name with the directory of whose package the page is about
}

var (
	codeFence  = regexp.MustCompile("(?s)```.*?```")
	inlineCode = regexp.MustCompile("`[^`]+`")
	member     = regexp.MustCompile(`\b([A-Z]\w*)(?:\[\w+\])?\.([A-Z]\w*)`)
)

// membersIn reads Examples and pages.
func membersIn(files []*file, imports types.Importer) (*membersShown, error) {
	shown := &membersShown{used: map[types.Object]bool{}, named: map[string]bool{}}
	code := map[string][]*ast.File{} // by directory and package
	fset := token.NewFileSet()
	for _, f := range files {
		if !shows(f) {
			continue
		}
		if f.ast == nil {
			for _, quoted := range inlineCode.FindAllString(codeFence.ReplaceAllString(f.source, ""), -1) {
				for _, m := range member.FindAllStringSubmatch(quoted, -1) {
					shown.named[m[1]+"."+m[2]] = true
				}
				for _, name := range word.FindAllString(quoted, -1) {
					shown.named[about(f)+" "+name] = true
				}
			}
			continue
		}
		parsed, err := parser.ParseFile(fset, f.path, f.source, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		name := f.dir + " " + parsed.Name.Name
		code[name] = append(code[name], parsed)
	}
	for name, parsed := range code {
		// What an Example uses of another file of its test stays without a type: that is no fault here.
		config := types.Config{Importer: imports, Error: func(error) {}}
		info := types.Info{Uses: map[*ast.Ident]types.Object{}}
		_, _ = config.Check(name, fset, parsed, &info)
		for _, object := range info.Uses {
			if method, ok := object.(*types.Func); ok {
				shown.used[method.Origin()] = true
			}
		}
	}
	return shown, nil
}

// forOthers are methods that users do not call: an interface, of this library or of the standard one, asks for them.
var forOthers = []string{
	"Error", "Unwrap", "String", // package errors and fmt
	"AppendBinary", "UnmarshalBinary", "AppendText", "MarshalText", "UnmarshalText", // package encoding
	"Column", "WriteGroups", "InlineCapacity", "Apply", // package ecs
	"Uint64",    // package math/rand/v2
	"ServeHTTP", // package net/http
}

// called reports whether a method is one that the library calls: of a system, or of a job.
func called(method *types.Func) bool {
	if slices.Contains(forOthers, method.Name()) {
		return true
	}
	for parameter := range method.Signature().Params().Variables() {
		switch types.TypeString(parameter.Type(), nil) {
		case "*" + module + "/ecs/system.Setup", "*" + module + "/ecs/system.Frame", "*" + module + "/ecs.Chunk":
			return slices.Contains([]string{"Create", "Update", "Chunk", "StopRunning", "Destroy"}, method.Name())
		case "*" + module + "/jobs.Task":
			return slices.Contains([]string{"Run", "RunRange"}, method.Name())
		}
	}
	return false
}

// family is the name that views have in common: those of two, three and four lanes do the same, and all are counted and cut alike.
func family(typeName, method string) string {
	switch {
	case slices.Contains([]string{"Vec2s", "Vec3s", "Vec4s"}, typeName):
		return "Vecs"
	case slices.Contains([]string{"Boxes", "Mat3x4s", "Mat4s", "Quats", "Spheres"}, typeName) && (method == "Len" || method == "Slice"):
		return "Vecs"
	}
	return typeName
}

// missing lists the methods of a package that nothing shows.
func (s *membersShown) missing(pkg *types.Package) (found []string) {
	dir := strings.TrimPrefix(pkg.Path(), module+"/")
	methods := map[string][]*types.Func{} // Type.Name, of types of one family those of all
	owners := map[string][]string{}       // the names of types with a method
	for _, name := range pkg.Scope().Names() {
		typeName, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || !typeName.Exported() {
			continue
		}
		named, ok := types.Unalias(typeName.Type()).(*types.Named)
		if !ok || types.IsInterface(named) || typeName.IsAlias() && named.Obj().Exported() && isPublic(named.Obj().Pkg().Path()) {
			continue // the last is a second name
		}
		set := types.NewMethodSet(types.NewPointer(named.Origin()))
		for selection := range set.Methods() {
			method := selection.Obj().(*types.Func).Origin()
			if !method.Exported() || called(method) {
				continue
			}
			if of := typeOf(method); of != named.Obj() && of.Exported() && isPublic(of.Pkg().Path()) {
				continue // embedded, and shown with the type that has it
			}
			full := family(name, method.Name()) + "." + method.Name()
			methods[full] = append(methods[full], method)
			owners[method.Name()] = append(owners[method.Name()], full)
		}
	}
	for full, all := range methods {
		typeName, name, _ := strings.Cut(full, ".")
		one := len(slices.Compact(owners[name])) == 1 && pkg.Scope().Lookup(name) == nil
		seen := s.named[full] || s.named[strings.TrimSuffix(typeName, "Of")+"."+name]
		for _, of := range []string{dir, dir + "/...", path.Dir(dir) + "/..."} {
			seen = seen || one && s.named[of+" "+name]
		}
		for _, method := range all {
			seen = seen || s.used[method] || s.named[typeOf(method).Name()+"."+name]
		}
		if !seen {
			found = append(found, fmt.Sprintf("%s: %s is exported, and no page of the guide and no Example shows it", dir, full))
		}
	}
	slices.Sort(found)
	return found
}

// typeOf is the type that a method is of.
func typeOf(method *types.Func) *types.TypeName {
	of := method.Signature().Recv().Type()
	if pointer, ok := of.(*types.Pointer); ok {
		of = pointer.Elem()
	}
	return of.(*types.Named).Obj()
}

func TestMembersShownCatches(t *testing.T) {
	const source = `package jobs
type Pool struct{ inner }
func (*Pool) Close() {}
func (*Pool) Wait() {}
func (*Pool) Len() int { return 0 }
func (*Pool) Name() string { return "" }
func (*Pool) Error() string { return "" }
func (*Pool) hidden() {}
type Deque struct{}
func (*Deque) Len() int { return 0 }
func (*Deque) Push() {}
type Other = Deque
type inner struct{}
func (inner) Steal() {}
func (inner) Spin() {}
type Waiter interface{ Wait() }
func Name() {}
`
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, "jobs.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	config := types.Config{}
	pkg, err := config.Check(module+"/jobs", fset, []*ast.File{parsed}, nil)
	if err != nil {
		t.Fatal(err)
	}
	files, err := readTree(fstest.MapFS{
		// Deque.Len is used, and that is not Pool.Len. A Name is a function's on the page.
		"jobs/example_test.go":  {Data: []byte("package jobs_test\nimport \"" + module + "/jobs\"\nfunc Example() { var d jobs.Deque; d.Len(); new(jobs.Pool).Steal() }")},
		"jobs/a_test.go":        {Data: []byte("package jobs_test\nimport \"" + module + "/jobs\"\nfunc TestA() { new(jobs.Deque).Push() }")},
		"docs/guide/jobs.md":    {Data: []byte("`Wait` and `Name` and `Len`, Spin\n```go\n\tp.Spin()\n```")},
		"docs/guide/systems.md": {Data: []byte("`Pool.Close`, `p.Push()`")},
	})
	if err != nil {
		t.Fatal(err)
	}
	shown, err := membersIn(files, importerOf{pkg})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"jobs: Deque.Push is", "jobs: Pool.Len is", "jobs: Pool.Name is", "jobs: Pool.Spin is"}
	if got := shown.missing(pkg); !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// importerOf imports one package.
type importerOf struct{ pkg *types.Package }

func (i importerOf) Import(path string) (*types.Package, error) {
	if path != i.pkg.Path() {
		return nil, fmt.Errorf("no %s", path)
	}
	return i.pkg, nil
}
