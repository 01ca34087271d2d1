package lanewise

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What a stranger can hold in his head: files that need each other, and what one type can do.
const (
	mostFilesInACircle = 10
	mostFilesInALoop   = 15
	mostMethods        = 40
	mostFilesOfAType   = 6
	mostFields         = 20

	// Embedding hides what a type is made of, and lets its methods call each other all the same.
	mostMethodsInAll = 60 // with those that come from types within it
	mostFieldsInAll  = 40 // with those of structs that it embeds
)

// An allowance lets a package have a larger circle, or a type more of something, and says why.
// Its numbers may only fall: one that is larger than what is there fails as well.
type allowance struct {
	name                           string // a directory, or a directory and a type
	circle, methods, files, fields int
	loop                           int
	methodsInAll, fieldsInAll      int
	why                            string
}

var allowances = []allowance{
	{name: "internal/lanec/amd64.emitter", methods: 43, files: 7, why: "it writes one kernel: a method for each kind of instruction"},
	{name: "internal/lanec/arm64.emitter", methods: 45, why: "as that of amd64"},
	{name: "internal/lanec/front", circle: 11, why: "a loop is in statements, and these are in loops, and calls read statements"},
	{name: "internal/lanec/amd64.avx2", methodsInAll: 68, why: "the emitter, and what is of its instructions"},
	{name: "internal/lanec/amd64.avx512", methodsInAll: 67, why: "as avx2"},
	{name: "internal/lanec/front.scope", methodsInAll: 73, why: "a layer: names, above types and what is refused"},
	{name: "internal/lanec/front.flow", methodsInAll: 97, why: "a layer: values and blocks, above names"},
	{name: "internal/lanec/front.compiler", files: 10, methodsInAll: 137, why: "a file a kind of statement or expression; what it reads them with is in layers of their own"},
	{name: "examples/dam/model.lanecPressArgs", fields: 23, why: "the operands of one call, as lanec lists them"},
	{name: "kernels", circle: 29, why: "views are made of lanes and lanes are moved by the kernels of slices: vector.go calls arith.go and elementwise.go, operands.go compare.go, matrix_view.go decompose.go, whose operands are views"},
	{name: "kernels/forces.lanecSprings32Args", fields: 32, why: "the operands of one call, as lanec lists them"},
	{name: "kernels/forces.lanecSprings64Args", fields: 32, why: "as those of float32"},
	{name: "kernels.Mat4s", files: 7, why: "its operations stand with their families"},
	{name: "jobs.Pool", fieldsInAll: 40, why: "rooms of a pool, each a struct and a file: docs/decisions/0019"},
	{name: "jobs.seat", fieldsInAll: 47, why: "as Pool"},
	{name: "jobs.worker", methodsInAll: 66, why: "a seat that takes jobs by itself"},
	{name: "jobs.slot", fields: 26, why: "two cache lines, ordered by what writes them"},
	{name: "ecs", loop: 49, why: "layers tell those above by interfaces that an archetype is new, memory has gone, a look-up is old: docs/decisions/0013"},
	{name: "ecs/system", loop: 20, why: "a border, a timer, a resource and a buffer are called by what does not name them"},
	{name: "ecs.catalog", methodsInAll: 75, why: "the fourth layer of a world; a method of it can call those below and none above: docs/decisions/0013"},
	{name: "ecs.tables", methodsInAll: 122, fieldsInAll: 49, why: "the fifth"},
	{name: "ecs.packing", methodsInAll: 126, fieldsInAll: 53, why: "the sixth"},
	{name: "ecs.matcher", methodsInAll: 136, fieldsInAll: 61, why: "the seventh"},
	{name: "ecs.maker", methodsInAll: 149, fieldsInAll: 62, why: "the eighth"},
	{name: "ecs.editor", files: 7, methodsInAll: 184, fieldsInAll: 64, why: "the ninth; a file for each thing that entities have"},
	{name: "ecs.copier", methodsInAll: 209, fieldsInAll: 69, why: "the tenth"},
	{name: "ecs.World", files: 7, methodsInAll: 244, fieldsInAll: 72, why: "the last, what users call, a file for each thing that they want"},
	{name: "ecs.player", methodsInAll: 258, why: "plays commands back, which are calls of a world"},
	{name: "ecs.Query", methodsInAll: 68, fieldsInAll: 42, why: "signature, matching and loops, in layers: docs/decisions/0013"},
	{name: "ecs/transform.plan", methodsInAll: 64, fieldsInAll: 46, why: "a forest, and what its entities are"},
	{name: "ecs/transform/internal/trees.Forest", methods: 43, fields: 30, why: "scratch of one plan, kept so that nothing is allocated"},
	{name: "inspect.Frame", fields: 22, why: "an answer, as docs/inspect.md lists it"},
	{name: "cmd/lanewise", circle: 12, why: "commands name the table of commands in their texts of help"},
	{name: "study.program", files: 8, why: "a command a file"},
	{name: "mpi.Domain", files: 9, why: "what ranks do together, a file for each thing"},
	{name: "mpi.halo", fields: 24, why: "lists of one exchange, kept so that nothing is allocated"},
}

// mostExported says how many functions, types and methods of types a package exports; constants and variables are not counted.
// Its numbers may only fall, as those of allowances. When it was first counted, ecs had 282, ecs/system 202, ecs/transform 220
// and jobs 106, and each was to lose a fifth: docs/decisions/0018 says what became of that.
var mostExported = map[string]int{
	"ecs":                224,
	"ecs/blob":           35,
	"ecs/images":         28,
	"ecs/memory":         3,
	"ecs/plumbing":       38,
	"ecs/rows":           31,
	"ecs/system":         147,
	"ecs/system/monitor": 23,
	"ecs/system/state":   4,
	"ecs/tool":           39,
	"ecs/transaction":    10,
	"ecs/transform":      173,
	"jobs":               80,
}

// measured is what a package is made of, as far as its build for this machine goes.
type measured struct {
	dir      string
	circle   []string // the files of the largest circle
	loop     []string // the same if a call through an interface of the package's own needs what is behind it
	exported int      // its functions, types and methods of types that others can name
	types    map[string]*measuredType
}

type measuredType struct {
	methods, fields           int
	methodsInAll, fieldsInAll int
	files                     []string
}

// listed is what the go command says of a package.
type listed struct {
	Dir, ImportPath, Export string
	Standard                bool
	GoFiles                 []string
}

// compile has the go command compile packages, and what they import, in a directory of the module. It returns what
// the command says of each, and what reads the results.
func compile(fset *token.FileSet, dir string, patterns ...string) ([]listed, types.Importer, error) {
	cmd := exec.Command("go", append([]string{"list", "-export", "-deps", "-json=Dir,ImportPath,Export,Standard,GoFiles"}, patterns...)...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, nil, fmt.Errorf("go list: %w\n%s", err, &stderr)
	}
	exports := map[string]string{}
	var list []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, nil, err
		}
		exports[p.ImportPath] = p.Export
		list = append(list, p)
	}
	return list, importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }), nil
}

// measure type-checks every package of the module in a directory below root, which is that of the repository.
func measure(root, dir string) ([]*measured, error) {
	fset := token.NewFileSet()
	list, imports, err := compile(fset, filepath.Join(root, dir), "./...")
	if err != nil {
		return nil, err
	}
	within := path.Join(module, dir)
	own := slices.DeleteFunc(list, func(p listed) bool { return p.ImportPath != within && !strings.HasPrefix(p.ImportPath, within+"/") })
	var all []*measured
	for _, p := range own {
		m, err := measurePackage(fset, imports, &p)
		if err != nil {
			return nil, err
		}
		if m.dir, err = filepath.Rel(root, p.Dir); err != nil {
			return nil, err
		}
		m.dir = filepath.ToSlash(m.dir)
		all = append(all, m)
	}
	return all, nil
}

func measurePackage(fset *token.FileSet, imports types.Importer, p *listed) (*measured, error) {
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	config := types.Config{Importer: imports}
	pkg, err := config.Check(p.ImportPath, fset, files, &info)
	if err != nil {
		return nil, err
	}
	at := func(pos token.Pos) string { return filepath.Base(fset.Position(pos).Filename) }
	needs := map[string][]string{}
	for id, object := range info.Uses {
		if from, to := at(id.Pos()), at(object.Pos()); object.Pkg() == pkg && from != to && !slices.Contains(needs[from], to) {
			needs[from] = append(needs[from], to)
		}
	}
	m := &measured{circle: largestCircle(needs), types: map[string]*measuredType{}}
	for call, selection := range info.Selections {
		from := at(call.Pos())
		for _, to := range calledBack(pkg, selection) {
			if to := at(to); from != to && !slices.Contains(needs[from], to) {
				needs[from] = append(needs[from], to)
			}
		}
	}
	m.loop = largestCircle(needs)
	for _, object := range info.Defs {
		if isExported(pkg, object) {
			m.exported++
		}
		name, ok := object.(*types.TypeName)
		if !ok || name.IsAlias() || name.Parent() != pkg.Scope() {
			continue
		}
		t := &measuredType{files: []string{at(name.Pos())}}
		named := name.Type().(*types.Named)
		t.methods = named.NumMethods()
		if !types.IsInterface(named) {
			t.methodsInAll = types.NewMethodSet(types.NewPointer(named)).Len()
		}
		for method := range named.Methods() { // what is generated has its body and its comment elsewhere
			if file := at(method.Pos()); !slices.Contains(t.files, file) && !strings.HasSuffix(file, "_gen.go") {
				t.files = append(t.files, file)
			}
		}
		t.fields, t.fieldsInAll = fieldsOf(named.Underlying(), false), fieldsOf(named.Underlying(), true)
		m.types[name.Name()] = t
	}
	return m, nil
}

// calledBack returns where the methods are that a selection may call, if it is one of an interface that nobody else can
// fulfil, since it has a method that is not exported.
func calledBack(pkg *types.Package, s *types.Selection) (at []token.Pos) {
	named, ok := types.Unalias(s.Recv()).(*types.Named)
	if !ok || !types.IsInterface(named) || named.Obj().Pkg() != pkg || named.TypeParams().Len() > 0 {
		return nil
	}
	hidden := false
	for method := range named.Underlying().(*types.Interface).Methods() {
		hidden = hidden || !method.Exported()
	}
	if !hidden {
		return nil
	}
	for _, name := range pkg.Scope().Names() {
		t, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || types.IsInterface(t.Type()) {
			continue
		}
		if of := types.NewPointer(t.Type()); types.Implements(of, named.Underlying().(*types.Interface)) {
			method, _, _ := types.LookupFieldOrMethod(of, true, pkg, s.Obj().Name())
			at = append(at, method.Pos())
		}
	}
	return at
}

// isExported reports whether an object is a function, type or method that other packages can name.
func isExported(pkg *types.Package, object types.Object) bool {
	switch object := object.(type) {
	case *types.TypeName:
		return object.Exported() && object.Parent() == pkg.Scope()
	case *types.Func:
		receiver := object.Signature().Recv()
		if receiver == nil || !object.Exported() {
			return object.Exported() && object.Parent() == pkg.Scope()
		}
		of := receiver.Type()
		if pointer, ok := of.(*types.Pointer); ok {
			of = pointer.Elem()
		}
		named, ok := of.(*types.Named)
		return ok && named.Obj().Exported() && !types.IsInterface(named)
	}
	return false
}

// fieldsOf counts the fields of a struct, with those of structs without a name within it, and where
// that is asked for with those of structs that it embeds.
func fieldsOf(t types.Type, embedded bool) (n int) {
	s, ok := t.(*types.Struct)
	if !ok {
		return 0
	}
	for f := range s.Fields() {
		inner := f.Type()
		if embedded && f.Embedded() {
			inner = inner.Underlying()
		}
		n += max(1, fieldsOf(inner, embedded))
	}
	return n
}

// largestCircle returns the most nodes of a graph each of which leads to all the others.
func largestCircle(to map[string][]string) (largest []string) {
	// Tarjan's: low is the earliest node on the stack that a node leads back to.
	order, low := map[string]int{}, map[string]int{}
	var stack []string
	var visit func(string)
	visit = func(node string) {
		order[node] = len(order) + 1
		low[node] = order[node]
		stack = append(stack, node)
		for _, next := range to[node] {
			if order[next] == 0 {
				visit(next)
			}
			if slices.Contains(stack, next) {
				low[node] = min(low[node], low[next])
			}
		}
		if low[node] == order[node] {
			k := slices.Index(stack, node)
			if circle := stack[k:]; len(circle) > max(1, len(largest)) {
				largest = slices.Sorted(slices.Values(circle))
			}
			stack = stack[:k]
		}
	}
	nodes := make([]string, 0, len(to))
	for node := range to {
		nodes = append(nodes, node)
	}
	slices.Sort(nodes)
	for _, node := range nodes {
		if order[node] == 0 {
			visit(node)
		}
	}
	return largest
}

// judge compares packages with what may be, and says what is too large, or allowed for nothing.
func judge(all []*measured, allowances []allowance, mostExported map[string]int) (wrong []string) {
	allowed := map[string]allowance{}
	for _, a := range allowances {
		allowed[a.name] = a
		if a.why == "" {
			wrong = append(wrong, a.name+" does not say why")
		}
	}
	compare := func(name, what string, has, most, allowed int) {
		switch {
		case has > max(most, allowed):
			wrong = append(wrong, fmt.Sprintf("%s has %d %s; it may have %d", name, has, what, max(most, allowed)))
		case allowed > 0 && has < allowed:
			wrong = append(wrong, fmt.Sprintf("%s may have %d %s and has %d: let its row say so, or go", name, allowed, what, has))
		}
	}
	for _, m := range all {
		if most, ok := mostExported[m.dir]; ok {
			compare(m.dir, "exported names", m.exported, most, most)
		}
		a := allowed[m.dir]
		delete(allowed, m.dir)
		compare(m.dir, "files in a circle", len(m.circle), mostFilesInACircle, a.circle)
		compare(m.dir, "files in a loop", len(m.loop), max(mostFilesInALoop, a.circle), a.loop)
		for name, t := range m.types {
			name = m.dir + "." + name
			a := allowed[name]
			delete(allowed, name)
			compare(name, "methods", t.methods, mostMethods, a.methods)
			compare(name, "files", len(t.files), mostFilesOfAType, a.files)
			compare(name, "fields", t.fields, mostFields, a.fields)
			compare(name, "methods in all", t.methodsInAll, mostMethodsInAll, a.methodsInAll)
			compare(name, "fields in all", t.fieldsInAll, mostFieldsInAll, a.fieldsInAll)
		}
	}
	for name := range allowed {
		wrong = append(wrong, name+" is not there, and has a row")
	}
	slices.Sort(wrong)
	return wrong
}

// houseOf is . or mpi, which compiles where there is MPI: .ci/mpi says so.
var houseOf = flag.String("lanewise.house", ".", "the module whose packages TestHouse measures")

// TestHouse holds packages and types to a size that can be read.
func TestHouse(t *testing.T) {
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	all, err := measure(root, *houseOf)
	if err != nil {
		t.Fatal(err)
	}
	least := map[string]int{".": 30, "mpi": 5}[*houseOf]
	if len(all) < least || least == 0 {
		t.Fatalf("module %q has %d packages", *houseOf, len(all))
	}
	rows := slices.DeleteFunc(slices.Clone(allowances), func(a allowance) bool {
		return strings.HasPrefix(a.name, "mpi.") != (*houseOf == "mpi")
	})
	for _, wrong := range judge(all, rows, mostExported) {
		t.Error(wrong)
	}
}

func TestHouseIsMeasured(t *testing.T) {
	p := listed{Dir: t.TempDir(), ImportPath: "sample"}
	for name, text := range map[string]string{
		"a.go": "type Large struct {\n\tx int\n\tpair struct{ a, b int }\n\ty int\n}\n\nfunc (*Large) A() { b() }",
		"b.go": "func b() { (*Large).C(nil); f(nil, nil) }\n\nfunc (*Large) B() {}",
		"c.go": "func (l *Large) C() { l.A() }\n\ntype Larger struct {\n\tLarge\n\tsmall\n\tz *Large\n}",
		"d.go": "type Small int\n\nfunc d() { b() }",
		"e.go": "type (\n\tface interface{ M() }\n\tsmall int\n\tOther = small\n)\n\nconst K = 1\n\nfunc (small) M() {}\n\nfunc F() {}",
		"f.go": "type (\n\tback interface{ back() }\n\topen interface{ M() }\n)\n\nfunc f(x back, y open) { x.back(); y.M() }",
		"g.go": "type told int\n\nfunc (*told) back() { b() }",
	} {
		if err := os.WriteFile(filepath.Join(p.Dir, name), []byte("package sample\n\n"+text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		p.GoFiles = append(p.GoFiles, name)
	}
	slices.Sort(p.GoFiles)
	m, err := measurePackage(token.NewFileSet(), nil, &p)
	if err != nil {
		t.Fatal(err)
	}
	m.dir = "sample"
	if got := fmt.Sprint(m.circle); got != "[a.go b.go c.go]" {
		t.Errorf("the circle is %s", got)
	}
	if got := fmt.Sprint(m.loop); got != "[a.go b.go c.go f.go g.go]" {
		t.Errorf("the loop is %s", got)
	}
	if m.exported != 8 {
		t.Errorf("%d exported names; there are Large, A, B, C, Larger, Small, Other, F", m.exported)
	}
	if got := *m.types["Large"]; got.methods != 3 || got.fields != 4 || fmt.Sprint(got.files) != "[a.go b.go c.go]" {
		t.Errorf("Large is %+v", got)
	}
	if got := *m.types["Larger"]; got.methods != 0 || got.fields != 3 || got.methodsInAll != 4 || got.fieldsInAll != 6 {
		t.Errorf("Larger is %+v; it has A, B, C and M, and x, a, b, y, small and z", got)
	}
	row := allowance{name: "sample.Large", methods: 41, why: "it is a sample"}
	if got := fmt.Sprint(judge([]*measured{m}, []allowance{row, {name: "sample.Gone", why: "it was"}}, nil)); got != "[sample.Gone is not there, and has a row sample.Large may have 41 methods and has 3: let its row say so, or go]" {
		t.Errorf("wrong are %s", got)
	}
	m.types["Large"].methods, m.types["Large"].fields = 42, 21
	if got := fmt.Sprint(judge([]*measured{m}, []allowance{row}, nil)); got != "[sample.Large has 21 fields; it may have 20 sample.Large has 42 methods; it may have 41]" {
		t.Errorf("wrong are %s", got)
	}
	m.types = map[string]*measuredType{"Larger": {methodsInAll: 61, fieldsInAll: 42}}
	row = allowance{name: "sample.Larger", fieldsInAll: 41, why: "it is a sample"}
	if got := fmt.Sprint(judge([]*measured{m}, []allowance{row}, nil)); got != "[sample.Larger has 42 fields in all; it may have 41 sample.Larger has 61 methods in all; it may have 60]" {
		t.Errorf("wrong are %s", got)
	}
	m.types = nil
	for most, want := range map[int]string{7: "[sample has 8 exported names; it may have 7]", 8: "[]", 9: "[sample may have 9 exported names and has 8: let its row say so, or go]"} {
		if got := fmt.Sprint(judge([]*measured{m}, nil, map[string]int{"sample": most})); got != want {
			t.Errorf("wrong are %s", got)
		}
	}
}
