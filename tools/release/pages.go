package main

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A block is a fenced block of code on a page, or code inside a sentence.
type block struct {
	kind string // the word after the fence: sh, go, text, …; "inline" in a sentence
	file string // the file that the comment above the block names, if any: the reader's, or with a slash one of the tree
	line int    // where the first line of its text is
	text string
}

// A page is README.md or a page of the guide.
type page struct {
	name   string
	text   string
	blocks []block
}

var (
	marker = regexp.MustCompile(`^<!-- ([\w./]+\.go) -->$`)
	cloned = regexp.MustCompile(` \./\w`) // a folder of the tree, in a command
	inline = regexp.MustCompile("`((?:go get|go install) [^`]+)`")
)

// readPage finds the code of a page.
func readPage(name, text string) *page {
	p := &page{name: name, text: text}
	file, fenced := "", false
	for n, line := range strings.Split(text, "\n") {
		word := strings.TrimSpace(line)
		switch kind, fence := strings.CutPrefix(word, "```"); {
		case fence && fenced:
			fenced, file = false, ""
		case fence:
			fenced = true
			p.blocks = append(p.blocks, block{kind: kind, file: file, line: n + 2})
		case fenced:
			p.blocks[len(p.blocks)-1].text += line + "\n"
		default:
			if m := marker.FindStringSubmatch(word); m != nil {
				file = m[1]
			} else if word != "" {
				file = ""
			}
			for _, m := range inline.FindAllStringSubmatch(line, -1) {
				p.blocks = append(p.blocks, block{kind: "inline", line: n + 1, text: m[1] + "\n"})
			}
		}
	}
	return p
}

// A command is a go get or a go install of a page.
type command struct {
	page  *page
	block int // its index in the page
	line  int
	text  string
}

func (c *command) install() bool { return strings.HasPrefix(c.text, "go install ") }

// targets returns the packages and modules that the command names.
func (c *command) targets() (names []string) {
	for _, word := range strings.Fields(c.text)[2:] {
		if name, _, _ := strings.Cut(word, "@"); !strings.HasPrefix(word, "-") {
			names = append(names, name)
		}
	}
	return names
}

// lines returns the commands of a shell block, without comments.
func (b *block) lines() (lines []string) {
	for line := range strings.Lines(b.text) {
		line = strings.TrimSpace(line)
		if at := strings.Index(line, "#"); at == 0 || at > 0 && strings.ContainsRune(" \t", rune(line[at-1])) {
			line = strings.TrimSpace(line[:at])
		}
		lines = append(lines, line)
	}
	return lines
}

// commands returns each go get and go install of the page that fetches a module.
func (p *page) commands() (found []*command) {
	for i, b := range p.blocks {
		if b.kind != "sh" && b.kind != "inline" {
			continue
		}
		for n, line := range b.lines() {
			for one := range strings.SplitSeq(line, "&&") {
				c := &command{page: p, block: i, line: b.line + n, text: strings.TrimSpace(one)}
				if !isFetch(c.text) {
					continue
				}
				for _, name := range c.targets() {
					if first, _, below := strings.Cut(name, "/"); below && strings.Contains(strings.TrimLeft(first, "."), ".") {
						found = append(found, c)
						break
					}
				}
			}
		}
	}
	return found
}

// isFetch reports whether a shell command is a go get or a go install.
func isFetch(line string) bool {
	return strings.HasPrefix(line, "go get ") || strings.HasPrefix(line, "go install ")
}

// A program holds the files that a page shows after a command, and the commands below the files.
type program struct {
	files    map[string]string
	commands []string
}

// program returns the Go program that follows a block with a go get. It consists of the blocks of Go
// declarations up to the block with the function main, or up to a block that contains only go
// commands. If the page has no such blocks, the result is nil.
func (p *page) program(after int) *program {
	out := &program{files: map[string]string{}}
	main := false
	for _, b := range p.blocks[after+1:] {
		lines := b.lines()
		if slices.ContainsFunc(lines, isFetch) {
			break
		}
		if b.kind == "sh" && len(out.files) > 0 && !slices.ContainsFunc(lines, func(line string) bool { return !strings.HasPrefix(line, "go ") || cloned.MatchString(line) }) {
			out.commands = lines
			break
		}
		name := b.file
		if strings.Contains(name, "/") {
			if !strings.Contains(b.text, "package main\n") || !strings.Contains(b.text, "\nfunc main()") {
				continue // a part of a program of the tree
			}
			name = ""
		}
		if b.kind != "go" && (b.kind != "" || !strings.HasPrefix(b.text, "package ")) || main && name == "" {
			continue
		}
		if !areDeclarations(b.text) {
			continue // statements, which a test of the page's package runs
		}
		if name == "" {
			name = "main.go"
		}
		if out.files[name] != "" {
			out.files[name] += "\n"
		}
		out.files[name] += b.text
		main = main || strings.Contains(b.text, "\nfunc main()") || strings.HasPrefix(b.text, "func main()")
	}
	if len(out.files) == 0 || !main && out.commands == nil {
		return nil
	}
	return out
}

// areDeclarations reports whether code consists of declarations, with or without a package clause and imports.
func areDeclarations(code string) bool {
	for _, clause := range []string{"", "package p\n"} {
		if _, err := parser.ParseFile(token.NewFileSet(), "", clause+code, parser.SkipObjectResolution); err == nil {
			return true
		}
	}
	return false
}

// complete makes a Go file of code: it adds the package clause and the imports that a page leaves out for
// brevity. The code refers to a package by the last element of its path. If several of the known packages have
// the same last element, complete chooses the package whose folder the page names first.
func (p *page) complete(code string, known []string) (string, error) {
	if !strings.HasPrefix(code, "package ") && !strings.Contains(code, "\npackage ") {
		code = "package main\n\n" + code
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "", code, parser.ParseComments)
	if err != nil {
		return "", fmt.Errorf("the code on the page: %w", err)
	}
	has := map[string]bool{}
	for _, spec := range parsed.Imports {
		name := path.Base(strings.Trim(spec.Path.Value, `"`))
		if spec.Name != nil {
			name = spec.Name.Name
		}
		has[name] = true
	}
	var imports []string
	unresolved := parsed.Unresolved
	ast.Inspect(parsed, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		id, ok := sel.X.(*ast.Ident)
		if !ok || has[id.Name] || !slices.Contains(unresolved, id) {
			return true
		}
		if found := p.choose(id.Name, known); found != "" {
			has[id.Name] = true
			imports = append(imports, fmt.Sprintf("import %q\n", found))
		}
		return true
	})
	slices.Sort(imports)
	clause := files.Position(parsed.Name.End()).Offset
	done, err := format.Source([]byte(code[:clause] + "\n\n" + strings.Join(imports, "") + code[clause:]))
	return string(done), err
}

// choose returns the package to which the page refers by a name.
func (p *page) choose(name string, known []string) string {
	found := slices.DeleteFunc(slices.Clone(known), func(k string) bool { return path.Base(k) != name })
	if len(found) == 0 {
		return ""
	}
	mentioned := func(k string) int {
		if at := strings.Index(p.text, strings.TrimPrefix(k, prefix)+"/"); at >= 0 && isOurs(k) {
			return at
		}
		return len(p.text) + len(k) // otherwise the shortest
	}
	return slices.MinFunc(found, func(a, b string) int { return mentioned(a) - mentioned(b) })
}

// readPages reads README.md and the pages below docs, except for the decisions, which describe the past.
func readPages(tree string) (all []*page, err error) {
	names := []string{"README.md"}
	err = filepath.WalkDir(filepath.Join(tree, "docs"), func(name string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == "decisions" {
			return filepath.SkipDir
		}
		if filepath.Ext(name) == ".md" {
			rel, err := filepath.Rel(tree, name)
			if err != nil {
				return err
			}
			names = append(names, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(tree, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		all = append(all, readPage(name, string(text)))
	}
	return all, nil
}
