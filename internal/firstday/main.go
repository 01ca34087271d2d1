// Command firstday measures how long the first test run of a newcomer takes.
// It clones this repository and runs go test ./... in the clone with an empty
// build cache. For each package it prints the CPU-seconds of compiling the
// package and of running its tests.
//
//	go run ./internal/firstday [-here] [-rows 40] [flags of go test]
//
// The command measures user and system time, because other load on the machine
// hardly changes these times. With -here it measures this tree instead of a
// clone, so that a change can be measured before it is committed. Flags of go
// test replace ./..., for example: go run ./internal/firstday -here -- -race
// -short ./jobs/...
//
// The command makes go test start this same program in place of the tools (-toolexec) and of
// the test programs (-exec). The program then runs the tool or the test, and records the
// time in a file.
package main

import (
	"bufio"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

func main() {
	if len(os.Args) > 3 && (os.Args[1] == "tool" || os.Args[1] == "run") {
		os.Exit(runTimed(os.Args[1], os.Args[2], os.Args[3:]))
	}
	here := flag.Bool("here", false, "measure this tree, not a clone of it")
	rows := flag.Int("rows", 40, "how many packages the table names")
	flag.Parse()
	if err := measure(os.Stdout, *here, *rows, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "firstday:", err)
		os.Exit(1)
	}
}

// runTimed runs a command, appends its seconds to the file log and returns its exit code.
func runTimed(kind, log string, command []string) int {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, "firstday:", err)
		return 1
	}
	if slices.Contains(command, "-V=full") { // go asks a tool for its version
		return cmd.ProcessState.ExitCode()
	}
	name := os.Getenv("TOOLEXEC_IMPORTPATH")
	if kind == "tool" {
		kind = strings.TrimSuffix(filepath.Base(command[0]), ".exe")
	} else if name, err = os.Getwd(); err != nil {
		fmt.Fprintln(os.Stderr, "firstday:", err)
		return 1
	}
	line := fmt.Sprintf("%s\t%.3f\t%s\n", kind, seconds(cmd.ProcessState), name)
	f, err := os.OpenFile(log, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644)
	if err == nil {
		_, err = f.WriteString(line) // one write: other processes append too
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "firstday:", err)
		return 1
	}
	return cmd.ProcessState.ExitCode()
}

// seconds returns the CPU time of a finished process, including the processes
// for which it waited.
func seconds(s *os.ProcessState) float64 { return (s.UserTime() + s.SystemTime()).Seconds() }

// measure runs go test and prints the table.
func measure(out io.Writer, here bool, rows int, args []string) (err error) {
	dir, err := os.MkdirTemp("", "firstday-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	tree, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	if !here {
		clone := filepath.Join(dir, "clone")
		if said, err := exec.Command("git", "clone", "-q", tree, clone).CombinedOutput(); err != nil {
			return fmt.Errorf("git clone: %w\n%s", err, said)
		}
		tree = clone
	}
	if len(args) == 0 {
		args = []string{"./..."}
	}
	log := filepath.Join(dir, "log")
	words := []string{"test", "-toolexec", fmt.Sprintf("%q tool %q", self, log), "-exec", fmt.Sprintf("%q run %q", self, log)}
	cmd := exec.Command("go", append(words, args...)...)
	cmd.Dir = tree
	cmd.Env = append(os.Environ(), "GOCACHE="+filepath.Join(dir, "cache"), "PWD="+tree)
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	failed := cmd.Run()
	if cmd.ProcessState == nil {
		return failed
	}
	notes, err := os.ReadFile(log)
	if err != nil {
		return errors.Join(failed, err)
	}
	costs, err := add(string(notes), tree)
	if err != nil {
		return errors.Join(failed, err)
	}
	table(out, costs, rows, seconds(cmd.ProcessState))
	return failed
}

// A cost holds the CPU time of one package.
type cost struct {
	name                     string
	compile, vet, link, test float64
}

func (c *cost) sum() float64 { return c.compile + c.vet + c.link + c.test }

// module is the prefix of the import paths of this repository.
const module = "github.com/lanewise/lanewise"

// add sums the records of a run in a tree by package. All packages of the
// standard library have one row together, and so have all packages of other
// modules.
func add(notes, tree string) ([]*cost, error) {
	all := map[string]*cost{}
	lines := bufio.NewScanner(strings.NewReader(notes))
	for lines.Scan() {
		fields := strings.SplitN(lines.Text(), "\t", 3)
		if len(fields) != 3 {
			return nil, fmt.Errorf("the note %q has not three fields", lines.Text())
		}
		took, err := strconv.ParseFloat(fields[1], 64)
		if err != nil {
			return nil, err
		}
		name := owner(fields[2])
		if fields[0] == "run" {
			below, err := filepath.Rel(tree, fields[2])
			if err != nil {
				return nil, err
			}
			name = filepath.ToSlash(below)
		}
		c := all[name]
		if c == nil {
			c = &cost{name: name}
			all[name] = c
		}
		switch fields[0] {
		case "run":
			c.test += took
		case "link":
			c.link += took
		case "vet":
			c.vet += took
		default: // compile, asm, cgo, cover
			c.compile += took
		}
	}
	list := make([]*cost, 0, len(all))
	for _, c := range all {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b *cost) int {
		return cmp.Or(cmp.Compare(b.sum(), a.sum()), strings.Compare(a.name, b.name))
	})
	return list, lines.Err()
}

// owner returns the name of the row for an import path in the form of go build. A package that is compiled again
// for the test of another package, "a [b.test]", belongs to the row of b.
func owner(path string) string {
	if _, test, ok := strings.Cut(path, " ["); ok {
		path = strings.TrimSuffix(test, "]")
	}
	path = strings.TrimSuffix(strings.TrimSuffix(path, ".test"), "_test")
	first, _, _ := strings.Cut(path, "/")
	switch below, ours := strings.CutPrefix(path, module); {
	case ours && below == "":
		return "."
	case ours && below[0] == '/':
		return below[1:]
	case strings.Contains(first, "."):
		return "other modules"
	default:
		return "the standard library"
	}
}

// table prints the most expensive packages, the sum of all other packages, and
// the total of the run.
func table(out io.Writer, costs []*cost, rows int, total float64) {
	const format = "%8.1f %8.1f %8.1f %8.1f  %s\n"
	fmt.Fprintf(out, "\nCPU-seconds\n%8s %8s %8s %8s\n", "compile", "vet", "link", "run")
	all, rest, others := cost{}, cost{}, 0
	for i, c := range costs {
		all.more(c)
		if i >= rows {
			rest.more(c)
			others++
			continue
		}
		fmt.Fprintf(out, format, c.compile, c.vet, c.link, c.test, c.name)
	}
	if others > 0 {
		fmt.Fprintf(out, format, rest.compile, rest.vet, rest.link, rest.test, fmt.Sprintf("%d other packages", others))
	}
	fmt.Fprintf(out, format, all.compile, all.vet, all.link, all.test, "sums")
	fmt.Fprintf(out, "the go command itself and this program: %.0f CPU-seconds\n", total-all.sum())
	fmt.Fprintf(out, "total: %.0f CPU-seconds\n", total)
}

func (c *cost) more(o *cost) {
	c.compile += o.compile
	c.vet += o.vet
	c.link += o.link
	c.test += o.test
}
