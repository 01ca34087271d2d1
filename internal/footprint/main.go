// Command footprint measures the size of programs that use this library, and the time of a
// rebuild after a change.
//
//	go run ./internal/footprint sizes
//	go run ./internal/footprint build-time
//
// With sizes, it builds the commands and examples and prints a table of their sizes. It fails if a
// program is larger than its limit. It also fails if a program looks up a method by reflection
// with a name that is not constant, because this makes the linker keep every exported method.
// With build-time, it prints the CPU-seconds of a go build after a change of the program. It
// measures user and system time, and takes the median of five builds. It also prints the number
// of functions in the program's package, and fails if there are more than the limit.
package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	var err error
	switch strings.Join(os.Args[1:], " ") {
	case "sizes":
		err = printSizes(os.Stdout)
	case "build-time":
		err = buildTimes(os.Stdout, 5)
	default:
		err = errors.New("give it one of the words sizes and build-time")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "footprint:", err)
		os.Exit(1)
	}
}

// A program is a directory, below the root of the repository, and its limits. 0 means no limit.
type program struct {
	dir       string
	without   string // a file that is left out
	bytes     int    // of the program on linux/amd64
	functions int    // in the archive of the package
}

const (
	own    = "internal/footprint/testdata/" // the small programs
	module = "github.com/lanewise/lanewise/"
)

// The limits are above the measured values by 2 to 3 %, because other versions of Go and other
// environments (-trimpath, a longer path) make programs a little larger.
var programs = []program{
	{dir: own + "hello"},
	{dir: own + "vectors", functions: 130},
	{dir: own + "world", functions: 225},
	{dir: own + "systems", bytes: 5_800_000, functions: 225},
	{dir: "examples/fountain", bytes: 16_000_000},
	{dir: "examples/fountain", without: "show.go", bytes: 9_200_000},
	{dir: "examples/rotationspeed", without: "show.go", bytes: 7_700_000},
	{dir: "cmd/lanewise", bytes: 24_000_000},
}

// name returns a text with the directory of the program, and with the file that is left out.
func (p program) name() string {
	if p.without != "" {
		return p.dir + " without " + p.without
	}
	return p.dir
}

// printSizes prints the size of each program, and fails if a program breaks a limit.
func printSizes(out io.Writer) (err error) {
	list := slices.Clone(programs)
	mains, err := run("go", "list", "-f", `{{if eq .Name "main"}}{{.ImportPath}}{{end}}`, "./cmd/...", "./examples/...")
	if err != nil {
		return err
	}
	for _, path := range strings.Fields(mains) {
		dir := strings.TrimPrefix(path, module)
		if !slices.ContainsFunc(list, func(p program) bool { return p.dir == dir && p.without == "" }) {
			list = append(list, program{dir: dir})
		}
	}
	slices.SortStableFunc(list, func(a, b program) int { return cmp.Compare(a.dir, b.dir) })
	scratch, err := os.MkdirTemp("", "footprint-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	for _, p := range list {
		bytes, byReflection, e := p.size(filepath.Join(scratch, "program"))
		if e != nil {
			return e
		}
		fmt.Fprintf(out, "%6.1f MB  %s\n", float64(bytes)/1e6, p.name())
		if p.bytes > 0 && bytes > p.bytes {
			err = errors.Join(err, fmt.Errorf("%s has %d bytes, its limit is %d", p.name(), bytes, p.bytes))
		}
		if byReflection != "" {
			err = errors.Join(err, fmt.Errorf("%s: %s asks reflect for methods: use MethodByName with a constant name", p.name(), byReflection))
		}
	}
	return err
}

// size builds a program and returns its size. It also returns a function of the program that makes
// the linker keep all methods, if there is one.
func (p program) size(to string) (bytes int, byReflection string, err error) {
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-dumpdep", "-o", to, "./" + p.dir}
	if p.without != "" {
		files, err := p.files()
		if err != nil {
			return 0, "", err
		}
		args = append(args[:len(args)-1], files...)
	}
	said, err := run("go", args...)
	if err != nil {
		return 0, "", err
	}
	for line := range strings.Lines(said) {
		if from, _, ok := strings.Cut(line, " <ReflectMethod>"); ok {
			byReflection = from[strings.LastIndex(from, " ")+1:]
			break
		}
	}
	info, err := os.Stat(to)
	if err != nil {
		return 0, "", err
	}
	return int(info.Size()), byReflection, nil
}

// files returns the Go files of a program, except for its tests and the file that is left out.
func (p program) files() (list []string, err error) {
	all, err := filepath.Glob(filepath.Join(p.dir, "*.go"))
	for _, f := range all {
		if !strings.HasSuffix(f, "_test.go") && filepath.Base(f) != p.without {
			list = append(list, f)
		}
	}
	return list, err
}

// run runs a command and returns its whole output.
func run(name string, args ...string) (string, error) {
	var out bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out.String())
	}
	return out.String(), nil
}

// checkFunctions prints how many functions the compiler writes for the package of each program, and
// fails if a package has too many. It builds several packages with one command, because in this
// case go build does not link any program.
func checkFunctions(out io.Writer) (err error) {
	args := []string{"build", "-gcflags=-S"}
	for _, p := range programs {
		if p.functions > 0 {
			args = append(args, "./"+p.dir)
		}
	}
	listing, err := run("go", args...)
	if err != nil {
		return err
	}
	count, current := map[string]int{}, ""
	for line := range strings.Lines(listing) {
		if path, ok := strings.CutPrefix(line, "# "); ok {
			current = strings.TrimPrefix(strings.TrimSpace(path), module)
		} else if strings.Contains(line, " STEXT ") {
			count[current]++
		}
	}
	for _, p := range programs {
		if p.functions == 0 {
			continue
		}
		n := count[p.dir]
		fmt.Fprintf(out, "%4d functions  %s\n", n, p.name())
		if n == 0 {
			err = errors.Join(err, fmt.Errorf("%s: go build -gcflags=-S lists no function", p.name()))
		}
		if n > p.functions {
			err = errors.Join(err, fmt.Errorf("%s: the compiler writes %d functions for the package of this program, the limit is %d: "+
				"a generic type or function that it reaches has grown", p.name(), n, p.functions))
		}
	}
	return err
}

// buildTimes prints the CPU-seconds of a rebuild of the small programs.
func buildTimes(out io.Writer, rounds int) (err error) {
	scratch, err := os.MkdirTemp("", "footprint-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	for _, p := range programs {
		if !strings.HasPrefix(p.dir, own) {
			continue
		}
		source, err := os.ReadFile(filepath.Join(p.dir, "main.go"))
		if err != nil {
			return err
		}
		var took []float64
		for round := range rounds + 1 { // the first one builds the packages
			file := filepath.Join(scratch, "main.go")
			changed := fmt.Sprintf("%s\n// %d %d\n", source, os.Getpid(), round)
			if err := os.WriteFile(file, []byte(changed), 0o644); err != nil {
				return err
			}
			cmd := exec.Command("go", "build", "-o", filepath.Join(scratch, "program"), file)
			cmd.Stderr = os.Stderr
			if err := cmd.Run(); err != nil {
				return err
			}
			if round > 0 {
				took = append(took, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
			}
		}
		slices.Sort(took)
		fmt.Fprintf(out, "%5.2f CPU-s  %s\n", took[len(took)/2], p.name())
	}
	return checkFunctions(out)
}
