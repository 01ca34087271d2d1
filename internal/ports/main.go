// Command ports type-checks packages and their imports for targets on which no
// test runs. Code may compile for one target but not for another, for three
// reasons: it has files for single targets, it uses names that a system lacks,
// or it has constants that overflow smaller words. go/types finds all these
// mistakes in a tenth of the time of a compiler. The command does not generate
// code; use make dist-full for that.
//
//	go run ./internal/ports [-targets linux/mips,js/wasm] package…
//
// Without -targets it checks all targets of the toolchain.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

func main() {
	targets := flag.String("targets", "", "system/CPU, separated by commas")
	flag.Parse()
	names := strings.FieldsFunc(*targets, func(r rune) bool { return r == ',' })
	if len(names) == 0 {
		all, err := goCommand("", nil, "tool", "dist", "list")
		if err != nil {
			fmt.Fprintln(os.Stderr, "ports:", err)
			os.Exit(1)
		}
		names = strings.Fields(string(all))
	}
	wrong := 0
	for i, err := range checkAll(".", names, flag.Args()) {
		if err != nil {
			fmt.Printf("%s:\n%v\n", names[i], err)
			wrong++
		}
	}
	fmt.Printf("%d targets were checked, with errors for %d\n", len(names), wrong)
	if wrong > 0 || flag.NArg() == 0 {
		os.Exit(1)
	}
}

// checkAll checks the packages for each target, in parallel on all CPUs. It
// returns an error or nil for each target.
func checkAll(dir string, targets, packages []string) []error {
	c := checker{fset: token.NewFileSet()}
	errs := make([]error, len(targets))
	free := make(chan bool, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for i, target := range targets {
		free <- true
		wg.Go(func() {
			errs[i] = c.check(dir, target, packages)
			<-free
		})
	}
	wg.Wait()
	return errs
}

// A checker holds the files of all targets. It parses each file once.
type checker struct {
	fset  *token.FileSet
	files sync.Map // path to func() (*ast.File, error)
}

func (c *checker) parse(path string) (*ast.File, error) {
	once, _ := c.files.LoadOrStore(path, sync.OnceValues(func() (*ast.File, error) {
		return parser.ParseFile(c.fset, path, nil, parser.SkipObjectResolution)
	}))
	return once.(func() (*ast.File, error))()
}

// A listed holds the output of go list for one package.
type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string
	Standard        bool
	Module          *struct{ GoVersion string }
}

// check checks packages for a target, imported packages first.
func (c *checker) check(dir, target string, packages []string) error {
	system, cpu, _ := strings.Cut(target, "/")
	sizes := types.SizesFor("gc", cpu)
	if sizes == nil {
		return fmt.Errorf("go/types does not know the CPU of %q", target)
	}
	env := []string{"GOOS=" + system, "GOARCH=" + cpu, "CGO_ENABLED=0"}
	list, err := goCommand(dir, env, append([]string{"list", "-deps", "-json=ImportPath,Dir,GoFiles,ImportMap,Standard,Module"}, packages...)...)
	if err != nil {
		return err
	}
	done := map[string]*types.Package{"unsafe": types.Unsafe}
	for d := json.NewDecoder(bytes.NewReader(list)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if p.ImportPath != "unsafe" {
			if done[p.ImportPath], err = c.checkPackage(&p, sizes, done); err != nil {
				return err
			}
		}
	}
}

// checkPackage checks one package. It skips the function bodies of the standard
// library.
func (c *checker) checkPackage(p *listed, sizes types.Sizes, done map[string]*types.Package) (*types.Package, error) {
	var files []*ast.File
	for _, name := range p.GoFiles {
		file, err := c.parse(filepath.Join(p.Dir, name))
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	var wrong []error
	config := types.Config{
		Sizes:            sizes,
		IgnoreFuncBodies: p.Standard,
		Importer: importer(func(path string) (*types.Package, error) {
			if to := p.ImportMap[path]; to != "" {
				path = to
			}
			if pkg := done[path]; pkg != nil {
				return pkg, nil
			}
			return nil, fmt.Errorf("%s is not there", path)
		}),
		Error: func(err error) { wrong = append(wrong, err) },
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	pkg, _ := config.Check(p.ImportPath, c.fset, files, nil)
	return pkg, errors.Join(wrong...)
}

// An importer is a function that finds packages.
type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }

// goCommand runs the go command and returns its output.
func goCommand(dir string, env []string, args ...string) ([]byte, error) {
	var out, said bytes.Buffer
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &said
	cmd.Env = append(os.Environ(), env...)
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, &said)
	}
	return out.Bytes(), nil
}
