package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A runner runs commands of the shell in the environment of a user who has installed only Go.
type runner struct {
	scratch string   // the temporary folder
	proxy   string   // the proxy in it
	bin     string   // where go install puts programs
	env     []string // the environment of all commands
	known   []string // the packages that a page may mean by their last word
	folders int
}

// newRunner prepares an empty module cache in a folder, and an environment in which Go finds our modules in a proxy in the
// same folder.
func newRunner(scratch string) (*runner, error) {
	r := &runner{scratch: scratch, proxy: filepath.Join(scratch, "proxy"), bin: filepath.Join(scratch, "bin")}
	out, err := exec.Command("go", "env", "GOPROXY", "GOMODCACHE", "GOFLAGS", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	words := strings.Split(string(out), "\n")
	flags := []string{"-trimpath"} // so that this run uses the packages that an earlier run compiled in another folder
	for _, f := range strings.Fields(words[2]) {
		if !strings.HasPrefix(f, "-mod") { // -mod and -modfile: a user has none
			flags = append(flags, f)
		}
	}
	for _, e := range os.Environ() {
		if name, _, _ := strings.Cut(e, "="); !slices.Contains([]string{"GOFLAGS", "GOPRIVATE", "GOARCH", "GOOS", "PATH", "PWD"}, name) {
			r.env = append(r.env, e)
		}
	}
	r.env = append(r.env,
		"GOPROXY=file://"+r.proxy+",file://"+words[1]+"/cache/download,"+words[0],
		"GOMODCACHE="+filepath.Join(scratch, "mod"),
		"GOFLAGS="+strings.Join(flags, " "),
		"GOBIN="+r.bin,
		"PATH="+r.bin+string(filepath.ListSeparator)+os.Getenv("PATH"),
		"GOWORK=off", "GOPRIVATE=", "GONOPROXY=none",
		"GOSUMDB=off", // sums compares with go.sum of the tree instead, which needs no network
		"GOTOOLCHAIN=local",
		"GOROOT="+words[3], // programs that -trimpath compiled do not know it
		// mpirun refuses to run as root or with more ranks than cores unless these variables allow it.
		"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_rmaps_base_oversubscribe=1", "PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe",
	)
	return r, nil
}

// remove removes the temporary folder. The files of a module cache are read-only, so use go clean to remove them.
func (r *runner) remove() error {
	return errors.Join(r.do(r.scratch, nil, "go clean -modcache"), os.RemoveAll(r.scratch))
}

// folder makes an empty folder.
func (r *runner) folder() (string, error) {
	r.folders++
	dir := filepath.Join(r.scratch, fmt.Sprint("user", r.folders))
	return dir, os.MkdirAll(dir, 0o777)
}

// patience is the longest time that one script may take.
const patience = time.Hour

// do runs a script in a folder. If the script fails, the error has the last lines that it printed.
func (r *runner) do(dir string, env []string, script string) error {
	_, err := r.output(dir, env, script)
	return err
}

func (r *runner) output(dir string, env []string, script string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-ec", script)
	cmd.Dir = dir
	cmd.Env = append(slices.Concat(r.env, env), "PWD="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("%s: %w\n%s", strings.TrimSpace(script), err, tail(string(out)))
	}
	return string(out), nil
}

// tail returns the last lines of a text, after the lines that begin to tell of a failed test.
func tail(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	rest := max(0, len(lines)-25)
	var kept []string
	for i, line := range lines[:rest] {
		if strings.HasPrefix(line, "--- FAIL") || strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "FAIL\t") {
			kept = append(kept, lines[i:min(i+5, rest)]...)
		}
	}
	return strings.Join(append(kept, lines[rest:]...), "\n")
}

// packages returns the packages that programs of pages import: from the standard library and from this repository.
func (r *runner) packages(tree string) (names []string, err error) {
	for _, of := range []string{"std", "./..."} {
		list, err := r.output(tree, nil, `go list -f '{{if ne .Name "main"}}{{.ImportPath}}{{end}}' `+of)
		if err != nil {
			return nil, err
		}
		for _, name := range strings.Fields(list) {
			if !strings.Contains("/"+name+"/", "/internal/") && !strings.HasPrefix(name, "vendor/") {
				names = append(names, name)
			}
		}
	}
	modules, err := parts(tree)
	for _, p := range modules {
		names = append(names, p.path)
	}
	slices.Sort(names)
	return slices.Compact(names), err
}

// windows is the environment for pages whose program needs a C compiler and a screen on Linux. On Windows, the same
// program needs neither of these, so it is compiled for Windows. make window runs the program on Linux.
var windows = []string{"GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0"}

// environment returns the environment in which the programs of a page are built, or nil for the environment of this
// machine.
func (p *page) environment() []string {
	if path.Base(p.name) == "window.md" {
		return windows
	}
	return nil
}

// isLastGet reports whether c is the last go get of its block.
func (p *page) isLastGet(c *command) bool {
	all := p.commands()
	i := slices.IndexFunc(all, func(o *command) bool { return o.line == c.line && o.text == c.text })
	return i >= 0 && (i+1 == len(all) || all[i+1].block != c.block)
}

// get runs a single go get in a new module, and then builds a program that imports the package. If the package is a
// command, get builds the package itself.
func (r *runner) get(c *command) error {
	dir, err := r.folder()
	if err != nil {
		return err
	}
	if err := r.do(dir, nil, "go mod init example.org/first\n"+c.text); err != nil {
		return err
	}
	var imports strings.Builder
	for _, name := range c.targets() {
		switch {
		case !isOurs(name): // the page's program imports it, with ours
		case strings.Contains(c.text, " -tool "):
			if err := r.do(dir, nil, "go build -o tool "+name); err != nil {
				return err
			}
		default:
			fmt.Fprintf(&imports, "import _ %q\n", name)
		}
	}
	if imports.Len() == 0 {
		return nil
	}
	if err := write(dir, "main.go", "package main\n\n"+imports.String()+"\nfunc main() {}\n"); err != nil {
		return err
	}
	return c.page.hint(r.do(dir, nil, "go build -o first .\n./first"))
}

// hint adds to an error the names of the system packages that the page tells its readers to install.
func (p *page) hint(err error) error {
	if err == nil {
		return nil
	}
	for _, b := range p.blocks {
		for _, line := range b.lines() {
			if strings.HasPrefix(line, "apt-get install ") {
				return fmt.Errorf("%w\nthe page has its readers do this before: %s", err, line)
			}
		}
	}
	return err
}

// install runs a single go install. Then it runs the lines below the go install, in the folder of a module that
// contains a program.
func (r *runner) install(c *command) error {
	if err := os.RemoveAll(r.bin); err != nil {
		return err
	}
	dir, err := r.folder()
	if err != nil {
		return err
	}
	if err := r.do(dir, nil, c.text); err != nil {
		return err
	}
	for _, name := range c.targets() {
		if _, err := os.Stat(filepath.Join(r.bin, path.Base(name))); err != nil {
			return err
		}
	}
	b := c.page.blocks[c.block]
	if b.kind != "sh" {
		return nil
	}
	if err := write(dir, "main.go", "package main\n\nimport _ \""+prefix+"/kernels\"\n\nfunc main() {}\n"); err != nil {
		return err
	}
	below := b.lines()[c.line-b.line+1:]
	return r.do(dir, nil, "go mod init example.org/first\ngo mod tidy\n"+strings.Join(below, "\n"))
}

// follow does what a page shows, beginning with the block of c. It runs the commands of this block in an empty
// folder, writes the files of the program, and runs the commands of the later blocks.
func (r *runner) follow(c *command, prog *program) error {
	dir, err := r.folder()
	if err != nil {
		return err
	}
	lines := c.page.blocks[c.block].lines()
	if c.page.blocks[c.block].kind == "inline" {
		lines = []string{c.text}
	}
	lines = slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, "apt-get ") })
	if !slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, "go mod init") }) {
		lines = append([]string{"go mod init example.org/first"}, lines...)
	}
	if err := r.do(dir, nil, strings.Join(lines, "\n")); err != nil {
		return err
	}
	if dir, err = inner(dir); err != nil {
		return err
	}
	for name, code := range prog.files {
		if code, err = c.page.complete(code, r.known); err != nil {
			return err
		}
		if err := write(dir, name, code); err != nil {
			return err
		}
	}
	abroad := c.page.environment()
	commands := prog.commands
	if commands == nil {
		commands = []string{"go build -o program .", "./program" + arguments[path.Base(c.page.name)]}
		if strings.Contains(c.page.text, "`go mod tidy`") { // otherwise the page has to do without
			commands = append([]string{"go mod tidy"}, commands...)
		}
	}
	for _, line := range commands {
		if abroad != nil && line == "go run ." {
			line = "go build ."
		}
		if err := c.page.hint(r.do(dir, abroad, line)); err != nil {
			return err
		}
	}
	return nil
}

// arguments maps a page to the arguments of its program, if the program needs arguments.
var arguments = map[string]string{"study.md": " params"}

// inner returns the folder at or below dir that has a go.mod.
func inner(dir string) (found string, err error) {
	err = filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
		if filepath.Base(name) == "go.mod" {
			found = filepath.Dir(name)
		}
		return err
	})
	return found, err
}

func write(dir, name, text string) error {
	return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666)
}

// buildReplaced builds a program with all modules of the tree in a module that replaces them, as CONTRIBUTING.md says. The
// build does not use our proxy, because users replace modules by a copy if there are no tags yet.
func (r *runner) buildReplaced(tree string) error {
	dir, err := r.folder()
	if err != nil {
		return err
	}
	var imports strings.Builder
	for _, name := range []string{"/arrow/parquet", "/cmd/lanewise-vet/exact", "/ecs", "/report", "/study/nats"} {
		fmt.Fprintf(&imports, "import _ %q\n", prefix+name)
	}
	if err := write(dir, "main.go", "package main\n\n"+imports.String()+"\nfunc main() {}\n"); err != nil {
		return err
	}
	var env []string
	for _, e := range r.env {
		if rest, ok := strings.CutPrefix(e, "GOPROXY=file://"+r.proxy+","); ok {
			env = []string{"GOPROXY=" + rest}
		}
	}
	script := fmt.Sprintf("go mod init example.org/first\nmake -s -C '%s' replace DIR=\"$PWD\"\ngo mod tidy\ngo build -o first .\n./first", tree)
	return r.do(dir, env, script)
}

// reading lists packages whose tests read files outside of their folder. It includes only packages that compile
// quickly.
var reading = []string{"", "cmd/lanewise/internal/solar", "internal/gate", "internal/kernelgen", "internal/lanec/front", "internal/mutants", "internal/neon"}

// runTests runs tests of the root module from within a user's module. The files of the root module are then read-only, and git
// and the other modules are missing.
func (r *runner) runTests(all bool) error {
	dir, err := r.folder()
	if err != nil {
		return err
	}
	list := " " + prefix + "/..."
	if !all {
		list = " -short"
		for _, name := range reading {
			list += " " + path.Join(prefix, name)
		}
	}
	if tool, err := exec.LookPath("setpriv"); err == nil && os.Geteuid() == 0 {
		// Drop root's capabilities, because root may otherwise write to read-only files.
		list = " -exec '" + tool + " --bounding-set=-all --inh-caps=-all'" + list
	}
	return r.do(dir, nil, "go mod init example.org/first\ngo get "+prefix+"\ngo get -t "+prefix+"/...\ngo test"+list)
}

// compareSums compares the checksums that Go noted in the folders with the checksums of the tree. If the checksum of
// a module of another project differs, users get another version of this module than the version that is tested.
func (r *runner) compareSums(tree string, modules []*part) error {
	want := map[string]string{}
	for _, p := range modules {
		if err := readSums(filepath.Join(tree, filepath.FromSlash(p.dir), "go.sum"), func(name, sum string) { want[name] = sum }); err != nil {
			return err
		}
	}
	var faults []error
	compared := 0
	for n := 1; n <= r.folders; n++ {
		err := readSums(filepath.Join(r.scratch, fmt.Sprint("user", n), "go.sum"), func(name, sum string) {
			if want[name] == "" {
				return
			}
			if compared++; want[name] != sum {
				faults = append(faults, fmt.Errorf("%s is %s, in go.sum of the tree %s", name, sum, want[name]))
			}
		})
		faults = append(faults, err)
	}
	if compared == 0 && len(faults) == 0 {
		return errors.New("no go.sum names a module of the tree's")
	}
	return errors.Join(faults...)
}

// readSums calls f with the module and the checksum of each line of a go.sum, if there is one.
func readSums(name string, f func(name, sum string)) error {
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for line := range strings.Lines(string(data)) {
		if at := strings.LastIndexByte(line, ' '); at > 0 {
			f(line[:at], strings.TrimSpace(line[at:]))
		}
	}
	return err
}
