package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"
)

// verdict is the result for a mutant. For the verdict survived and those after
// it, the output includes the effect that a user would see.
type verdict int

const (
	killed     verdict = iota
	hung               // killed by a hang: its limit passed
	skipped            // its CPU is not available and has no emulator
	explained          // survived, and the entry explains why
	survived           // no test failed
	faulty             // its text does not occur exactly once
	uncompiled         // it does not compile
	verdicts
)

func (v verdict) String() string {
	return [...]string{"killed", "killed by a hang", "skipped", "survived (why)", "SURVIVED", "DOES NOT APPLY", "DOES NOT COMPILE"}[v]
}

// A result is a verdict, with the test that decided it.
type result struct {
	verdict verdict
	by      string
	took    time.Duration
	output  string
}

// A bench applies and tests mutants.
type bench struct {
	root     string  // of the module
	dir      string  // for overlays
	patience float64 // factor of all time limits
	woven    *woven
	pages    struct {
		sync.Mutex
		copied bool
		flags  []string // flags of go test in the copy: they omit file paths, so that the next bench finds compiled packages in the cache
	}
}

// newBench returns a bench for the module to which a directory belongs.
func newBench(at string) (*bench, error) {
	cmd := exec.Command("go", "list", "-m", "-f", "{{.Dir}}")
	cmd.Dir = at
	root, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list -m: %w", err)
	}
	dir, err := os.MkdirTemp("", "mutants")
	b := &bench{root: strings.TrimSpace(string(root)), dir: dir, patience: 1}
	b.pages.flags = []string{"-trimpath"}
	return b, err
}

func (b *bench) close() { _ = os.RemoveAll(b.dir) }

// limit returns a time limit that is adjusted to the speed of this machine.
func (b *bench) limit(d time.Duration) time.Duration { return time.Duration(float64(d) * b.patience) }

// timeout returns the flag that limits the time of tests.
func (b *bench) timeout(flag string, d time.Duration) string {
	return fmt.Sprintf("-%s=%v", flag, b.limit(d))
}

// baseline compiles the woven program, and runs every check on the unchanged
// program. A check that fails on the unchanged program, or that runs no test,
// would prove nothing about a mutant.
func (b *bench) baseline(ctx context.Context, list []*mutant, parallel int) (err error) {
	if b.woven, err = b.weave(ctx, list); err != nil {
		return err
	}
	for _, m := range list {
		if !b.woven.in[m] || b.woven.wrong[m] != "" {
			continue
		}
		for _, c := range m.listChecks() {
			if err := b.woven.compileTests(ctx, b, c.pkg, strings.Fields(c.flags)); err != nil {
				return err
			}
		}
	}
	var mutex sync.Mutex
	var errs []error
	eachMutant(b.unchangedMutants(list), parallel, func(m *mutant) {
		out, err := b.goTest(ctx, b.root, m, m.tests[0])
		if err != nil && ctx.Err() == nil {
			mutex.Lock()
			errs = append(errs, fmt.Errorf("%s: before any mutation, %v: %w\n%s", m.name, m.tests[0], err, out))
			mutex.Unlock()
		}
	})
	return errors.Join(errs...)
}

// unchangedMutants returns mutants that change nothing. Together they have each
// check of the mutants that are not in the woven program once.
func (b *bench) unchangedMutants(list []*mutant) (all []*mutant) {
	type run struct {
		check
		arch string
	}
	seen := map[run]bool{}
	for _, m := range list {
		if !canTest(m.arch) || b.woven.in[m] {
			continue
		}
		for _, c := range m.listChecks() {
			if r := (run{c, m.arch}); !seen[r] {
				seen[r] = true
				all = append(all, &mutant{name: m.name, tests: []check{c}, arch: m.arch, limit: 10 * time.Minute})
			}
		}
	}
	return all
}

// try applies one mutant and runs its checks until one fails.
func (b *bench) try(ctx context.Context, m *mutant) (r result) {
	begun := time.Now()
	defer func() { r.took = time.Since(begun) }()
	source, err := os.ReadFile(filepath.Join(b.root, filepath.FromSlash(m.file)))
	if err != nil {
		return result{verdict: faulty, by: err.Error()}
	}
	text, err := m.apply(string(source))
	if err != nil {
		return result{verdict: faulty, by: err.Error()}
	}
	if !canTest(m.arch) {
		return result{verdict: skipped, by: "no emulator of " + m.arch}
	}
	if why := b.woven.wrong[m]; why != "" {
		return result{verdict: uncompiled, by: why}
	}
	if m.isPage() {
		return b.tryPage(ctx, m, text)
	}
	if b.woven.in[m] {
		return b.runChecks(ctx, b.root, m)
	}
	overlay, err := b.overlay(m, text)
	if err != nil {
		return result{verdict: faulty, by: err.Error()}
	}
	return b.runChecks(ctx, b.root, m, "-overlay="+overlay)
}

// runChecks runs the checks on a mutant.
func (b *bench) runChecks(ctx context.Context, dir string, m *mutant, args ...string) result {
	for _, c := range m.listChecks() {
		out, err := b.goTest(ctx, dir, m, c, args...)
		switch {
		case strings.Contains(out, "no tests to run"):
			return result{verdict: faulty, by: fmt.Sprintf("%v: no test matches", c)}
		case err == nil:
			continue
		case strings.Contains(out, "[build failed]"), strings.Contains(out, "[setup failed]"):
			return result{verdict: uncompiled, by: firstLine(out, `\.(go|s):\d+`), output: out}
		case strings.Contains(out, "panic: test timed out"), errors.Is(err, context.DeadlineExceeded):
			return result{verdict: hung, by: c.String(), output: out}
		}
		by := firstLine(out, `--- FAIL: (\S+)`, `^(panic: .*)`, `^(FAIL.*)`)
		if c.run == "" && strings.HasPrefix(by, "Test") {
			fails, wrong := b.checkAgain(ctx, dir, m, c, by, args...)
			if wrong != "" {
				return result{verdict: faulty, by: wrong}
			}
			if !fails {
				continue
			}
		}
		return result{verdict: killed, by: c.pkg + " " + by, output: out}
	}
	if m.survives != "" {
		return result{verdict: explained, by: m.survives}
	}
	return result{verdict: survived}
}

// checkAgain repeats a check of which a test has failed, and reports whether
// the check fails again, because a timing test may fail only because the
// machine is busy. It returns an error if the test also fails without the
// mutant.
func (b *bench) checkAgain(ctx context.Context, dir string, m *mutant, c check, by string, args ...string) (fails bool, wrong string) {
	alone := check{pkg: c.pkg, run: "^" + by + "$", flags: c.flags}
	if b.woven.in[m] { // the tree may have changed meanwhile
		if _, err := b.woven.run(ctx, b, "", alone, b.timeout("test.timeout", 10*time.Minute)); err != nil {
			return true, by + " fails without the mutant as well: leave the tree alone meanwhile"
		}
	}
	if _, err := b.goTest(ctx, dir, m, alone, args...); err != nil {
		return true, ""
	}
	_, err := b.goTest(ctx, dir, m, c, args...)
	return err != nil, ""
}

// goTest runs tests. args are further arguments, which may select the mutant.
func (b *bench) goTest(ctx context.Context, dir string, m *mutant, c check, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, b.limit(m.limit+5*time.Minute)) // the limit excludes compilation
	defer cancel()
	if b.woven.in[m] {
		out, err := b.woven.run(ctx, b, m.name, c, "-test.failfast", b.timeout("test.timeout", m.limit))
		return out, err
	}
	args = append([]string{"test", "-short", "-failfast", "-vet=off", b.timeout("timeout", m.limit)}, args...)
	if c.run != "" {
		args = append(args, "-run="+c.run)
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	if m.arch != "" && m.arch != runtime.GOARCH {
		cmd.Args = append(cmd.Args, "-exec="+emulators[m.arch])
		cmd.Env = append(os.Environ(), "GOARCH="+m.arch, "CGO_ENABLED=0")
	}
	cmd.Args = append(append(cmd.Args, c.pkg), strings.Fields(c.flags)...)
	cmd.Dir, cmd.WaitDelay = dir, time.Second
	out, err := combinedOutput(cmd)
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return string(out), err
}

// emulators maps a GOARCH to the emulator that runs its tests.
var emulators = map[string]string{"arm64": "qemu-aarch64-static"}

// canTest reports whether tests of a GOARCH can be run here.
func canTest(arch string) bool {
	if arch == "" || arch == runtime.GOARCH {
		return true
	}
	_, err := exec.LookPath(emulators[arch])
	return err == nil
}

// overlay writes the changed file of a mutant, and the overlay file that makes
// the compiler read it.
func (b *bench) overlay(m *mutant, text string) (string, error) {
	mutated := filepath.Join(b.dir, m.name+filepath.Ext(m.file))
	replace := map[string]map[string]string{"Replace": {filepath.Join(b.root, filepath.FromSlash(m.file)): mutated}}
	list, err := json.Marshal(replace)
	overlay := filepath.Join(b.dir, m.name+".json")
	return overlay, errors.Join(err, os.WriteFile(mutated, []byte(text), 0o600), os.WriteFile(overlay, list, 0o600))
}

// tryPage tests a mutant of a page. Tests read pages from the tree, so it
// changes the page in a copy of the tree, in which it tests one mutant after
// the other.
func (b *bench) tryPage(ctx context.Context, m *mutant, text string) result {
	b.pages.Lock()
	defer b.pages.Unlock()
	tree := filepath.Join(b.dir, "tree")
	if !b.pages.copied {
		if err := copyTree(ctx, b.root, tree); err != nil {
			return result{verdict: faulty, by: err.Error()}
		}
		b.pages.copied = true
	}
	name := filepath.Join(tree, filepath.FromSlash(m.file))
	was, err := os.ReadFile(name)
	if err == nil {
		err = os.WriteFile(name, []byte(text), 0o600)
	}
	if err != nil {
		return result{verdict: faulty, by: err.Error()}
	}
	r := b.runChecks(ctx, tree, m, b.pages.flags...)
	if err := os.WriteFile(name, was, 0o600); err != nil {
		return result{verdict: faulty, by: err.Error()}
	}
	return r
}

// copyTree copies the files of a tree that git tracks, or would add because it
// does not ignore them.
func copyTree(ctx context.Context, from, to string) error {
	cmd := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = from
	list, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("git ls-files: %w", err)
	}
	for name := range bytes.SplitSeq(bytes.TrimSuffix(list, []byte{0}), []byte{0}) {
		source := filepath.Join(from, string(name))
		info, err := os.Lstat(source)
		if err != nil || !info.Mode().IsRegular() {
			continue // deleted and not committed, or a link
		}
		text, err := os.ReadFile(source)
		if err != nil {
			return err
		}
		target := filepath.Join(to, string(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(target), 0o700), os.WriteFile(target, text, info.Mode().Perm()|0o200)); err != nil {
			return err
		}
	}
	return nil
}

// firstLine returns the match of the first pattern that matches a line.
func firstLine(text string, patterns ...string) string {
	for _, p := range patterns {
		pattern := regexp.MustCompile("(?m)" + p)
		for line := range strings.Lines(text) {
			if at := pattern.FindStringSubmatch(strings.TrimRight(line, "\n")); at != nil {
				if len(at) > 1 && strings.Contains(p, "FAIL: ") || len(at) > 1 && strings.Contains(p, "^(") {
					return at[1]
				}
				return strings.TrimSpace(line)
			}
		}
	}
	return "?"
}
