package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Compiling takes far longer than the tests that kill a mutant. So all mutants
// of Go functions are compiled into one program. Each function F gets one copy
// for each mutant. F calls the copy that the environment names, or the
// original. The other mutants, such as those of assembly and of variables, are
// compiled one by one.

// chosen is the environment variable that names the mutant of a woven program.
const chosen = "LANEWISE_MUTANT"

// A woven is a program that contains all its mutants.
type woven struct {
	overlay  string
	files    []*wovenFile
	in       map[*mutant]bool   // the mutant is part of it
	wrong    map[*mutant]string // mutants that do not compile, with the error
	binaries map[string]string  // of tests, by package
	skip     map[string]string  // tests that fail in the woven program without a mutant, by package
}

// wovenFile is a file with copies of functions.
type wovenFile struct {
	path, text string
	source     string
	list       []*mutant
	ends       []copyOf
}

// A copyOf describes a copy of a function: its last line, and the mutant to which it belongs.
type copyOf struct {
	mutant *mutant
	last   int
}

// weave creates the woven program for a list of mutants. It leaves out mutants
// that cannot be part of such a program.
func (b *bench) weave(ctx context.Context, list []*mutant) (*woven, error) {
	w := &woven{overlay: filepath.Join(b.dir, "woven.json"), in: map[*mutant]bool{}, wrong: map[*mutant]string{}, binaries: map[string]string{}, skip: map[string]string{}}
	byFile := map[string][]*mutant{}
	for _, m := range list {
		if path.Ext(m.file) == ".go" && m.arch == "" {
			byFile[m.file] = append(byFile[m.file], m)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byFile)) {
		source, err := os.ReadFile(filepath.Join(b.root, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		f := &wovenFile{path: name, source: string(source)}
		for _, m := range byFile[name] {
			if _, err := m.variant(f.source); err == nil {
				f.list = append(f.list, m)
				w.in[m] = true
			}
		}
		if f.list != nil {
			w.files = append(w.files, f)
		}
	}
	for {
		if err := w.write(b); err != nil {
			return nil, err
		}
		dropped, err := w.compile(ctx, b)
		if err != nil || !dropped {
			return w, err
		}
	}
}

// variant returns the text of the changed function of a mutant, under another
// name.
func (m *mutant) variant(source string) (string, error) {
	fn, err := functionOf(source, m.anchor)
	if err != nil {
		return "", err
	}
	mutated, err := m.apply(source)
	if err != nil {
		return "", err
	}
	text := mutated[fn.from : len(mutated)-(len(source)-fn.to)]
	if !strings.HasPrefix(text[fn.name-fn.from:], fn.decl.Name.Name+"(") && fn.decl.Type.TypeParams == nil {
		return "", errors.New("another name")
	}
	return fn.rename(text, m.suffix()), nil
}

// suffix returns the suffix of the name of a mutant's function.
func (m *mutant) suffix() string { return "_" + strings.ReplaceAll(m.name, "-", "_") }

// function is a function declaration in a source file; from, to, name and body
// are offsets in the file.
type function struct {
	decl                 *ast.FuncDecl
	from, to, name, body int
	text                 func(n ast.Node) string
}

// functionOf finds a function that can be copied.
func functionOf(source, anchor string) (*function, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	at := func(p token.Pos) int { return fset.Position(p).Offset }
	for _, decl := range f.Decls {
		d, ok := decl.(*ast.FuncDecl)
		if !ok || !declaresName(d, anchor) {
			continue
		}
		if d.Body == nil || callsRecover(d.Body) {
			break
		}
		return &function{d, at(d.Pos()), at(d.End()), at(d.Name.Pos()), at(d.Body.Pos()),
			func(n ast.Node) string { return source[at(n.Pos()):at(n.End())] }}, nil
	}
	return nil, fmt.Errorf("%s is no function that can have copies", anchor)
}

// callsRecover reports whether a body calls recover itself. A copy of such a body
// cannot be called through F, because recover only works directly in a
// deferred function.
func callsRecover(body *ast.BlockStmt) (does bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if name, ok := x.Fun.(*ast.Ident); ok && name.Name == "recover" {
				does = true
			}
		}
		return true
	})
	return does
}

// rename returns the copy of the function with its new name.
func (fn *function) rename(text, suffix string) string {
	end := fn.name - fn.from + len(fn.decl.Name.Name)
	return text[:end] + suffix + text[end:]
}

// dispatcher returns a function that calls the chosen copy.
func (fn *function) dispatcher(list []*mutant) string {
	d := fn.decl
	var head, args strings.Builder
	head.WriteString("func ")
	call := d.Name.Name
	if d.Recv != nil {
		field := d.Recv.List[0]
		fmt.Fprintf(&head, "(mutantOf %s) ", fn.text(field.Type))
		call = "mutantOf." + call
	}
	head.WriteString(d.Name.Name)
	var types []string
	if d.Type.TypeParams != nil {
		head.WriteString(fn.text(d.Type.TypeParams))
		for _, field := range d.Type.TypeParams.List {
			for _, name := range field.Names {
				types = append(types, name.Name)
			}
		}
	}
	head.WriteString("(")
	n := 0
	for _, field := range d.Type.Params.List {
		typ := fn.text(field.Type)
		for range max(1, len(field.Names)) {
			fmt.Fprintf(&head, "mutant%d %s, ", n, typ)
			fmt.Fprintf(&args, "mutant%d", n)
			if strings.HasPrefix(typ, "...") {
				args.WriteString("...")
			}
			args.WriteString(", ")
			n++
		}
	}
	head.WriteString(")")
	returns := ""
	if d.Type.Results != nil {
		head.WriteString(" " + fn.text(d.Type.Results))
		returns = "return "
	}
	of := ""
	if types != nil {
		of = "[" + strings.Join(types, ", ") + "]"
	}
	out := head.String() + " {\n\tswitch mutantChosen {\n"
	for _, m := range list {
		out += fmt.Sprintf("\tcase %q:\n\t\t%s%s%s%s(%s)\n", m.name, returns, call, m.suffix(), of, args.String())
		if returns == "" {
			out += "\t\treturn\n"
		}
	}
	return out + fmt.Sprintf("\t}\n\t%s%s_unmutated%s(%s)\n}\n\n", returns, call, of, args.String())
}

// write writes the files and the overlay.
func (w *woven) write(b *bench) error {
	replace := map[string]string{}
	for i, f := range w.files {
		if err := f.weave(); err != nil {
			return err
		}
		name := filepath.Join(b.dir, fmt.Sprintf("woven%d.go", i))
		replace[filepath.Join(b.root, filepath.FromSlash(f.path))] = name
		extra := filepath.Join(b.dir, fmt.Sprintf("chosen%d.go", i))
		text := "package " + packageOf(f.source) + "\n\nimport \"os\"\n\nvar mutantChosen = os.Getenv(\"" + chosen + "\")\n"
		replace[filepath.Join(b.root, filepath.FromSlash(path.Dir(f.path)), "mutant_chosen.go")] = extra
		if err := errors.Join(os.WriteFile(name, []byte(f.text), 0o600), os.WriteFile(extra, []byte(text), 0o600)); err != nil {
			return err
		}
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	return errors.Join(err, os.WriteFile(w.overlay, list, 0o600))
}

var packageClause = regexp.MustCompile(`(?m)^package (\w+)`)

func packageOf(source string) string { return packageClause.FindStringSubmatch(source)[1] }

// weave puts the copies of functions into the file.
func (f *wovenFile) weave() error {
	f.text, f.ends = f.source, nil
	byAnchor := map[string][]*mutant{}
	for _, m := range f.list {
		byAnchor[m.anchor] = append(byAnchor[m.anchor], m)
	}
	tail := "\n"
	for _, anchor := range slices.Sorted(maps.Keys(byAnchor)) {
		fn, err := functionOf(f.text, anchor)
		if err != nil {
			return err
		}
		f.text = f.text[:fn.from] + fn.rename(f.text[fn.from:fn.to], "_unmutated") + f.text[fn.to:]
		tail += fn.dispatcher(byAnchor[anchor])
	}
	f.text += tail
	for _, m := range f.list {
		copied, err := m.variant(f.source)
		if err != nil {
			return err
		}
		f.text += "\n" + copied + "\n"
		f.ends = append(f.ends, copyOf{m, strings.Count(f.text, "\n")})
	}
	return nil
}

var errorAt = regexp.MustCompile(`(?m)^\S*woven(\d+)\.go:(\d+):\d+: (.*)$`)

// compile compiles the program, and removes the mutants that do not compile. It
// reports whether it has removed any.
func (w *woven) compile(ctx context.Context, b *bench) (dropped bool, err error) {
	args := []string{"build", "-gcflags=-e", "-overlay=" + w.overlay}
	for _, f := range w.files {
		if dir := "./" + path.Dir(f.path); !slices.Contains(args, dir) {
			args = append(args, dir)
		}
	}
	if len(w.files) == 0 {
		return false, nil
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = b.root
	out, err := combinedOutput(cmd)
	if err == nil {
		return false, nil
	}
	for _, e := range errorAt.FindAllSubmatch(out, -1) {
		i, _ := strconv.Atoi(string(e[1]))
		line, _ := strconv.Atoi(string(e[2]))
		for _, c := range w.files[i].ends {
			if line <= c.last {
				if w.wrong[c.mutant] == "" {
					w.wrong[c.mutant], dropped = string(bytes.TrimSpace(e[3])), true
				}
				break
			}
		}
	}
	if !dropped {
		return false, fmt.Errorf("the program with all mutants does not compile: %w\n%s", err, out)
	}
	for _, f := range w.files {
		f.list = slices.DeleteFunc(f.list, func(m *mutant) bool { return w.wrong[m] != "" })
	}
	w.files = slices.DeleteFunc(w.files, func(f *wovenFile) bool { return len(f.list) == 0 })
	return true, nil
}

// compileTests compiles the tests of a package. It then runs the tests without any mutant, and leaves
// out the tests that fail.
func (w *woven) compileTests(ctx context.Context, b *bench, pkg string, flags []string) error {
	if w.binaries[pkg] != "" {
		return nil
	}
	binary := filepath.Join(b.dir, fmt.Sprintf("tests%d", len(w.binaries)))
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-overlay="+w.overlay, "-o", binary, pkg)
	cmd.Dir = b.root
	if out, err := combinedOutput(cmd); err != nil {
		return fmt.Errorf("%s: %w\n%s", pkg, err, out)
	}
	w.binaries[pkg] = binary
	out, err := w.run(ctx, b, "", check{pkg: pkg, flags: strings.Join(flags, " ")}, b.timeout("test.timeout", 10*time.Minute))
	if err == nil {
		return nil
	}
	var failed []string
	for _, at := range regexp.MustCompile(`(?m)^--- FAIL: (\S+)`).FindAllStringSubmatch(out, -1) {
		failed = append(failed, at[1])
	}
	if failed == nil || strings.Contains(out, "\npanic: ") {
		return fmt.Errorf("%s: the tests fail before any mutation: %w\n%s", pkg, err, out)
	}
	w.skip[pkg] = "^(" + strings.Join(failed, "|") + ")$"
	fmt.Printf("%s: not asked, for they fail where functions have copies: %s\n", pkg, strings.Join(failed, ", "))
	return nil
}

// run runs tests of the woven program with one of its mutants.
func (w *woven) run(ctx context.Context, b *bench, name string, c check, args ...string) (string, error) {
	args = append([]string{"-test.short"}, args...)
	if c.run != "" {
		args = append(args, "-test.run="+c.run)
	}
	if skip := w.skip[c.pkg]; skip != "" {
		args = append(args, "-test.skip="+skip)
	}
	cmd := exec.CommandContext(ctx, w.binaries[c.pkg], append(args, strings.Fields(c.flags)...)...)
	cmd.Dir = filepath.Join(b.root, filepath.FromSlash(c.pkg))
	cmd.Env = append(os.Environ(), chosen+"="+name)
	out, err := combinedOutput(cmd)
	return string(out), err
}
