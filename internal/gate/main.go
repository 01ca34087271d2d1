// Command gate runs the tests and checks which of them were skipped, because a
// skipped test has not passed. A skip fails the run if it has no reason, or if
// skips.txt does not allow it under the given conditions.
//
//	go run ./internal/gate [-listed] [-on short,emulated,…] -- [GOARCH=…] go test -short ./...
//
// The program adds -json to the command. The command may begin with environment
// settings, and may use go -C. The names in -on describe the build and the
// machine; see skips.txt. With -listed, the program runs only the tests that
// skips.txt lists.
package main

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

//go:embed skips.txt
var skips string

func main() {
	on := flag.String("on", "", "the conditions of this run, separated by commas")
	listed := flag.Bool("listed", false, "run the tests of the list alone")
	flag.Parse()
	conditions := strings.FieldsFunc(*on, func(r rune) bool { return r == ',' })
	if _, err := os.Stat(dataDir()); err != nil {
		conditions = append(conditions, "nodata")
	}
	if !hugePages() {
		conditions = append(conditions, "nohuge")
	}
	if runtime.GOARCH != "amd64" {
		conditions = append(conditions, "noamd64")
	}
	if err := run(os.Stdout, conditions, *listed, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "gate:", err)
		os.Exit(1)
	}
}

// dataDir is the directory in which the tests look for the development data.
func dataDir() string {
	if dir := os.Getenv("LANEWISE_DATA"); dir != "" {
		return dir
	}
	return filepath.Join("..", "shared", "data", "solar")
}

// hugePages reports whether the system provides huge pages for memory that
// requests them.
func hugePages() bool {
	_, err := os.Stat("/sys/kernel/mm/transparent_hugepage")
	maps, _ := os.ReadFile("/proc/self/smaps")
	return err == nil && bytes.Contains(maps, []byte("VmFlags:"))
}

func run(out io.Writer, conditions []string, listed bool, command []string) error {
	rows, err := parse(skips)
	if err != nil {
		return err
	}
	var more []string
	if listed {
		more = []string{"-run", "^(" + strings.Join(testNames(rows), "|") + ")$"}
	}
	cmd, err := test(command, more...)
	if err != nil {
		return err
	}
	cmd.Stderr = os.Stderr
	events, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	found, readErr := read(out, events)
	if err := errors.Join(readErr, cmd.Wait()); err != nil {
		return err
	}
	return printSkips(out, rows, conditions, found)
}

// test makes a command of words such as "GOARCH=arm64 go test ./...". It adds
// -json and other flags.
func test(words []string, more ...string) (*exec.Cmd, error) {
	n := 0
	for n < len(words) && strings.Contains(words[n], "=") {
		n++
	}
	settings, words := words[:n], words[n:]
	at := slices.Index(words, "test")
	if len(words) < at+2 || at != 1 && (at != 3 || words[1] != "-C") {
		return nil, fmt.Errorf("%q is no go test: gate [-on race,…] -- [GOARCH=…] go [-C dir] test ./…", words)
	}
	cmd := exec.Command(words[0], slices.Concat(words[1:at+1], []string{"-json"}, more, words[at+1:])...)
	cmd.Env = append(os.Environ(), settings...)
	return cmd, nil
}

// An event is a line of go test -json.
type event struct{ Action, Package, Test, Output string }

// A skip is a skipped test with its reason.
type skip struct{ pkg, test, why string }

// read prints the output of failed tests and the results of packages, and
// returns the skips.
func read(out io.Writer, events io.Reader) ([]skip, error) {
	r := reader{out: out, printed: map[[2]string][]string{}}
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			r.line(line)
		}
		if errors.Is(err, io.EOF) {
			for key, left := range r.printed { // of tests that did not end
				fmt.Fprintf(out, "%s.%s did not end:\n%s", key[0], key[1], strings.Join(left, ""))
			}
			return r.found, nil
		}
		if err != nil {
			return r.found, err
		}
	}
}

// A reader processes events.
type reader struct {
	out     io.Writer
	found   []skip
	printed map[[2]string][]string // output of running tests, by package and name
}

// line reads one.
func (r *reader) line(line []byte) {
	var e event
	if json.Unmarshal(line, &e) != nil {
		fmt.Fprintf(r.out, "%s", line) // output of a package, for example of a failed build
		return
	}
	key := [2]string{e.Package, e.Test}
	switch {
	case e.Action == "build-output":
		fmt.Fprint(r.out, e.Output)
	case e.Action == "output" && e.Test == "":
		if e.Output != "PASS\n" {
			fmt.Fprint(r.out, e.Output)
		}
	case e.Action == "output":
		r.printed[key] = append(r.printed[key], e.Output)
	case e.Action == "fail" && e.Test != "":
		fmt.Fprint(r.out, strings.Join(r.printed[key], ""))
	case e.Action == "skip" && e.Test != "":
		r.found = append(r.found, skip{e.Package, e.Test, reason(r.printed[key])})
	}
	if e.Action == "pass" || e.Action == "fail" || e.Action == "skip" {
		delete(r.printed, key)
	}
}

// reason returns the reason for a skip. It is the text of the last line of the
// form " file_test.go:12: why" that the test printed.
func reason(printed []string) string {
	for _, line := range slices.Backward(printed) {
		if strings.HasPrefix(strings.TrimSpace(line), "---") {
			continue
		}
		if _, why, ok := strings.Cut(line, ".go:"); ok {
			_, why, _ = strings.Cut(why, ":")
			return strings.TrimSpace(why)
		}
	}
	return ""
}

// A row lists the conditions under which a test and its subtests may be
// skipped.
type row struct {
	pkg, test string
	when      [][]string // alternatives; all conditions of one must hold
}

// parse reads the list. A line of it has a package, a test, and the conditions.
func parse(list string) ([]row, error) {
	var rows []row
	for n, line := range strings.Split(list, "\n") {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if len(fields) < 3 {
			return nil, fmt.Errorf("skips.txt:%d: %q: want package, test and when it may be skipped", n+1, line)
		}
		r := row{pkg: fields[0], test: fields[1]}
		for _, all := range fields[2:] {
			r.when = append(r.when, strings.Split(all, "+"))
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// testNames returns the names of the tests that the list contains.
func testNames(rows []row) []string {
	var all []string
	for _, r := range rows {
		if r.test != "*" {
			all = append(all, r.test)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// allowsSkip reports whether s may be skipped.
func (r *row) allowsSkip(s skip, conditions []string) bool {
	top, _, _ := strings.Cut(s.test, "/")
	if r.test != "*" && r.test != top || s.pkg != r.pkg && !strings.HasSuffix(s.pkg, "/"+r.pkg) {
		return false
	}
	return slices.ContainsFunc(r.when, func(all []string) bool {
		return !slices.ContainsFunc(all, func(c string) bool {
			name, not := strings.CutPrefix(c, "!")
			return c != "any" && slices.Contains(conditions, name) == not
		})
	})
}

// isAllowed reports whether one of the rows allows s.
func isAllowed(rows []row, s skip, conditions []string) bool {
	return slices.ContainsFunc(rows, func(r row) bool { return r.allowsSkip(s, conditions) })
}

// printSkips prints the skips and their reasons. If a test has the same reason
// several times, it prints the reason once. printSkips returns an error if a
// skip is not allowed.
func printSkips(out io.Writer, rows []row, conditions []string, found []skip) error {
	var order []string
	counts := map[string]int{}
	var wrong bytes.Buffer
	for _, s := range found {
		top, _, _ := strings.Cut(s.test, "/")
		line := fmt.Sprintf("%s.%s: %s", s.pkg, top, s.why)
		if counts[line]++; counts[line] > 1 {
			continue
		}
		order = append(order, line)
		switch {
		case s.why == "":
			fmt.Fprintf(&wrong, "\n%s.%s is skipped and does not say why", s.pkg, s.test)
		case !isAllowed(rows, s, conditions):
			fmt.Fprintf(&wrong, "\n%s.%s is skipped (%s): skips.txt does not allow that with %q", s.pkg, s.test, s.why, conditions)
		}
	}
	for _, line := range order {
		fmt.Fprintf(out, "skipped %d  %s\n", counts[line], line)
	}
	if wrong.Len() > 0 {
		return errors.New("these must run here:" + wrong.String())
	}
	return nil
}
