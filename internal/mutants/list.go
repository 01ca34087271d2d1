package main

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"time"
)

//go:embed list
var lists embed.FS

// usualLimit is the time limit of a mutant's tests, unless its entry sets
// another limit.
const usualLimit = time.Minute

// A mutant is an entry of the list:
//
//	=== jobs-reduce-order jobs/range.go Reduce
//	user: a sum of strings comes out backwards
//	test: ./jobs TestReduceHasTheSameBits
//	limit: 20s
//	arch: arm64
//	survives: no test can see it, because
//	-	sum = join(sum, part)
//	+	sum = join(part, sum)
//
// Only the line user and the changed text are required. There may be several
// lines that begin with test. Each of them names a package, a regular
// expression, and flags. After these tests, all tests of the mutant's package
// run. A line that begins with only is like a line that begins with test, but
// no other tests run. The lines that begin with - are removed from the program,
// and the lines that begin with + replace them.
type mutant struct {
	name, file, anchor string
	user               string
	tests              []check
	only               bool // no other tests decide
	limit              time.Duration
	arch               string // the GOARCH of the mutant; empty for any
	survives           string // why no test fails
	old, new           []string
}

// A check is a set of tests to run. It consists of the tests of a package whose names match
// an expression.
type check struct{ pkg, run, flags string }

func (c check) String() string { return strings.TrimSpace(c.pkg + " " + c.run) }

// readLists reads every list.
func readLists(tree fs.FS) ([]*mutant, error) {
	names, err := fs.Glob(tree, "list/*.txt")
	if err != nil {
		return nil, err
	}
	var all []*mutant
	seen := map[string]bool{}
	for _, name := range names {
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return nil, err
		}
		some, err := parseList(name, string(text))
		if err != nil {
			return nil, err
		}
		for _, m := range some {
			if seen[m.name] {
				return nil, fmt.Errorf("%s: a second %s", name, m.name)
			}
			seen[m.name] = true
		}
		all = append(all, some...)
	}
	return all, nil
}

var (
	entryHead = regexp.MustCompile(`^=== ([a-z0-9-]+) (\S+) (.+)$`)
	entryKey  = regexp.MustCompile(`^(user|test|only|limit|arch|survives): +(.+)$`)
)

// parseList parses one list. Lines that begin with # are comments.
func parseList(file, text string) (list []*mutant, err error) {
	var m *mutant
	for i, line := range strings.Split(text, "\n") {
		wrong := func(what string) error { return fmt.Errorf("%s:%d: %s", file, i+1, what) }
		head, key := entryHead.FindStringSubmatch(line), entryKey.FindStringSubmatch(line)
		switch {
		case strings.TrimSpace(line) == "", line[0] == '#':
		case head != nil:
			m = &mutant{name: head[1], file: head[2], anchor: head[3], limit: usualLimit}
			list = append(list, m)
		case m == nil:
			return nil, wrong("want a line such as === name file function")
		case line[0] == '-':
			m.old = append(m.old, line[1:])
		case line[0] == '+':
			m.new = append(m.new, line[1:])
		case key == nil:
			return nil, wrong("want a key such as user: or test:, or a line with - or +")
		case key[1] == "user":
			m.user = key[2]
		case key[1] == "arch":
			m.arch = key[2]
		case key[1] == "survives":
			m.survives = key[2]
		case key[1] == "limit":
			if m.limit, err = time.ParseDuration(key[2]); err != nil {
				return nil, wrong(err.Error())
			}
		default: // test, only
			pkg, rest, _ := strings.Cut(key[2], " ")
			run, flags, _ := strings.Cut(rest, " ")
			m.tests, m.only = append(m.tests, check{pkg, run, flags}), m.only || key[1] == "only"
		}
	}
	for _, m := range list {
		if m.user == "" || m.old == nil {
			return nil, fmt.Errorf("%s: %s: want what a user would see, and the text that goes", file, m.name)
		}
	}
	return list, nil
}

// listChecks returns the tests that decide about a mutant: first the tests that its
// entry names, and then all tests of its package, unless the entry excludes these.
// If the mutant changes a page, there is no such package.
func (m *mutant) listChecks() []check {
	list := m.tests
	if !m.isPage() && !m.only {
		list = append(list[:len(list):len(list)], check{pkg: "./" + path.Dir(m.file)})
	}
	return list
}

// isPage reports whether the file is not compiled.
func (m *mutant) isPage() bool { return path.Ext(m.file) == ".md" }

func (m *mutant) String() string { return cmp.Or(m.name, m.file) }
