// Command release checks that users can fetch this repository with the commands that its pages show. It packs
// every module of the tree in the same way as a module proxy packs a tag, and puts the modules into a module
// proxy in a temporary folder. Then it runs each go get and go install of README.md and the guide from an
// empty folder. It also builds and runs the programs that the pages show.
//
//	go -C tools run ./release [-only regexp] [-all] [-keep]
//
// It prints a line for each command of a page and for each program, and at the end how many of them passed
// and failed. With -only, it runs only the commands and programs whose lines match a regular expression. With
// -all, it runs all tests of the root module in a user's module; by default, it runs only the tests that read
// files of the tree. With -keep it keeps the temporary folder.
//
// Modules of other projects come from the module cache of the machine, or from its GOPROXY.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

func main() {
	tree := flag.String("tree", "..", "the clone to release")
	only := flag.String("only", "", "a regular expression of the lines to run")
	all := flag.Bool("all", false, "run all tests of the root module in a user's module")
	keep := flag.Bool("keep", false, "keep the temporary folder")
	flag.Parse()
	if err := run(os.Stdout, *tree, *only, *all, *keep); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, tree, only string, all, keep bool) (err error) {
	wanted, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	tree, err = filepath.Abs(tree)
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "lanewise-release-")
	if err != nil {
		return err
	}
	r, err := newRunner(scratch)
	if err != nil {
		return errors.Join(err, os.RemoveAll(scratch))
	}
	if keep {
		fmt.Fprintln(out, "everything is in", scratch)
	} else {
		defer func() { err = errors.Join(err, r.remove()) }()
	}

	report := &report{out: out, wanted: wanted}
	modules, err := parts(tree)
	if err != nil {
		return err
	}
	for _, p := range modules {
		report.step("module "+p.path, func() error { return errors.Join(p.check(), p.pack(tree, r.proxy)) }, true)
	}
	read, err := readPages(tree)
	if err != nil {
		return err
	}
	if r.known, err = r.packages(tree); err != nil {
		return err
	}
	for _, p := range read {
		for _, c := range p.commands() {
			at := fmt.Sprintf("%s:%d: %s", p.name, c.line, c.text)
			if c.install() {
				report.step(at, func() error { return r.install(c) }, false)
				continue
			}
			report.step(at, func() error { return r.get(c) }, false)
			if p.isLastGet(c) {
				if prog := p.program(c.block); prog != nil {
					report.step(at+", and the program below it", func() error { return r.follow(c, prog) }, false)
				}
			}
		}
	}
	report.step("make replace: a module that uses a copy of the tree", func() error { return r.buildReplaced(tree) }, false)
	report.step("go test of the library in a user's module", func() error { return r.runTests(all) }, false)
	report.step("checksums of other modules are those of the tree", func() error { return r.compareSums(tree, modules) }, false)
	fmt.Fprintf(out, "%d passed, %d failed\n", report.passed, report.failed)
	if report.failed > 0 || report.passed == 0 {
		return errors.New("users cannot follow the pages")
	}
	return nil
}

// A report prints one line for each step and counts the failures.
type report struct {
	out            io.Writer
	wanted         *regexp.Regexp
	passed, failed int
}

// step runs one step and prints its result. It leaves out a step that the flag -only does not select, unless other
// steps need it.
func (r *report) step(name string, do func() error, needed bool) {
	if !needed && !r.wanted.MatchString(name) {
		return
	}
	began := time.Now()
	err := do()
	took := time.Since(began).Seconds()
	if err != nil {
		r.failed++
		fmt.Fprintf(r.out, "FAILED %5.1f s  %s\n%v\n", took, name, err)
		return
	}
	r.passed++
	fmt.Fprintf(r.out, "passed %5.1f s  %s\n", took, name)
}
