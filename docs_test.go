package lanewise

import (
	"fmt"
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

var (
	codeBlock = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	textBlock = regexp.MustCompile("(?s)```text\n(.*?)```")
	output    = regexp.MustCompile(`(?m)^\t// (?:Unordered o|O)utput:(.*\n(?:\t//.*\n)*)`)
	goBlock   = regexp.MustCompile("(?s)```go\n(.*?)```")
	link      = regexp.MustCompile(`\[([^\]\n]+)\]\(([^)\s]+)\)`)
	testName  = regexp.MustCompile(`^(Test|Fuzz|Example)\w+$`)
	qualified = regexp.MustCompile(`(?:^|[^\w./])([a-z][a-z0-9]*)\.([A-Z]\w*(?:\.[A-Z]\w*)*)`)
	heading   = regexp.MustCompile(`(?m)^#+ (.+)$`)
	notInPart = regexp.MustCompile(`[^\w -]`)
)

type guide struct {
	page, dir string
	least     int
}

// guides lists the pages of the guide. For each page it names the packages whose examples the page
// quotes, and the least number of Go blocks on the page.
var guides = []guide{
	{"README", "ecs", 0}, // the index
	{"entities", "ecs", 6},
	{"components", "ecs", 12},
	{"memory", "ecs/...", 5},
	{"tools", "ecs", 5},
	{"queries", "ecs", 7},
	{"lookups", "ecs", 3},
	{"changes", "ecs", 1},
	{"commands", "ecs", 5},
	{"prefabs", "ecs", 4},
	{"manyworlds", "ecs/...", 4},
	{"messages", "ecs/...", 5},
	{"keep", "ecs/...", 4},
	{"validity", "ecs/...", 0},
	{"images", "ecs/...", 3},
	{"rollback", "ecs/...", 7},
	{"differences", "ecs/...", 6},
	{"roads", "ecs/...", 2},
	{"snapshots", "ecs/snapshot", 1},
	{"saving", "ecs/snapshot", 4},
	{"unity-first-day", "ecs/transform", 2},
	{"scenes", "ecs/scene", 3},
	{"loops", "ecs", 5},
	{"numeric", "examples/...", 6},
	{"stencils", "examples/...", 6},
	{"mesh", "./...", 2},
	{"pairs", "./...", 3},
	{"files", "datafile", 6},
	{"clusters", "./...", 3},
	{"gonum", "bench", 2},
	{"bits", "./...", 1},
	{"vet", "ecs", 0},
	{"vet-fix", "./...", 0},
	{"lanec", "examples/lanec", 2},
	{"lanec-language", "examples/lanec", 7},
	{"inspector", "inspect", 2},
	{"inspector-values", "inspect", 1},
	{"inspector-edit", "inspect", 1},
	{"inspector-terminal", "inspect", 0},
	{"sql", "arrow", 6},
	{"ranks", "mpi", 4},
	{"engines", "study", 0},
	{"blobs", "ecs/blob", 6},
	{"systems", "ecs/system/...", 10},
	{"groups", "ecs/system", 10},
	{"dependencies", "ecs/system/...", 3},
	{"resources", "ecs/system/...", 2},
	{"explain", "ecs/system/...", 5},
	{"time", "ecs/system", 6},
	{"worlds", "ecs/...", 11},
	{"loop", "ecs/app", 4},
	{"tips", "ecs/...", 5},
	{"transforms", "ecs/transform", 7},
	{"transform-recipes", "ecs/transform", 7},
	{"hierarchies", "ecs/transform", 5},
	{"float64", "ecs/transform", 3},
	{"livelink", "ecs/scene", 4},
	{"hosts", "ecs/host", 5},
	{"presentation", "ecs/render", 11},
	{"pictures", "ecs/render", 2},
	{"sprites", "ecs/render", 5},
	{"culling", "ecs/render", 2},
	{"renderers", "ecs/render", 4},
	{"browser", "examples/...", 2},
	{"window", "examples/window/hello", 12},
	{"jobs", "jobs/...", 8},
	{"jobs-access", "jobs/...", 3},
	{"jobs-debugging", "jobs/...", 2},
	{"jobs-tuning", "jobs/...", 1},
	{"random", "random", 8},
	{"functions", "kernels", 2},
	{"integers", "kernels/ints", 2},
	{"forces", "kernels/forces", 4},
	{"potentials", "./...", 3},
	{"integrate", "./...", 7},
	{"averages", "./...", 3},
	{"timetravel", "ecs/...", 3},
	{"order", "order", 6},
	{"neighbours", "near", 10},
	{"study", "study", 3},
	{"study-tables", "study", 0},
	{"study-checks", "study", 3},
	{"study-verify", "study", 0},
}

// quotedDirs are the directories of programs. Pages may quote all files of these programs, not only the
// tests.
var quotedDirs = map[string]bool{"examples/lanec": true, "examples/lj": true, "examples/lj/model": true, "examples/gas": true, "examples/lattice": true, "examples/heat": true, "examples/grayscott": true, "examples/grayscott/model": true, "examples/cavity": true, "examples/twostream": true, "examples/duel": true, "examples/gallery": true}

// TestDocs compares the documents with the tree. Links must lead to existing targets. Code under docs
// must occur, line by line, in examples, because these are compiled and run. Text under docs must be
// the output of an example. Other blocks are drawings.
func TestDocs(t *testing.T) {
	requireClone(t)
	files, err := readTree(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	examples := map[string]string{}
	for _, f := range files {
		base := path.Base(f.path)
		if f.test && (strings.HasPrefix(base, "example") || base == "guide_test.go") || quotedDirs[f.dir] && f.ast != nil && !strings.HasPrefix(base, "lanec") {
			examples[f.dir] += f.source
		}
	}
	// The page on a window quotes a program of another module, which the code above does not read. The
	// tests of that module check that the page quotes the program completely.
	hello, err := filepath.Glob("examples/window/hello/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range hello {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		examples["examples/window/hello"] += string(source)
	}
	sql, err := os.ReadFile("arrow/example_test.go") // of another module
	if err != nil {
		t.Fatal(err)
	}
	examples["arrow"] = string(sql)
	for _, name := range []string{"mpi/examples/flock/main.go", "mpi/example_test.go", "mpi/model.go", "examples/flock/model/ranks.go"} {
		ranks, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		examples["mpi"] += string(ranks)
		examples["examples/..."] += string(ranks)
	}
	for _, g := range guides {
		if _, err := os.Stat("docs/guide/" + g.page + ".md"); err != nil {
			t.Error(err)
		}
	}
	for _, what := range nameFaults(files) {
		t.Error(what)
	}
	code, text := quotedRule(examples), printedRule(examples)
	for _, f := range files {
		if path.Ext(f.path) == ".md" {
			for _, what := range slices.Concat(code(f), text(f), linkFaults(f.path, f.source, os.ReadFile)) {
				t.Error(what)
			}
		}
	}
}

// nameFaults reports Go names in the text of pages, such as kernels.Exp or ecs.Query.Count, that no
// package of this module declares. nameFaults skips decisions, because they mention names that were
// removed.
func nameFaults(files []*file) (faults []string) {
	known, packages := map[string]bool{}, map[string]bool{}
	for _, f := range files {
		if f.ast == nil {
			continue
		}
		pkg := strings.TrimSuffix(f.ast.Name.Name, "_test")
		packages[pkg] = packages[pkg] || !f.test && pkg != "main"
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.IsExported() {
				known[pkg+"."+id.Name] = true
			}
			return true
		})
	}
	for _, f := range files {
		if path.Ext(f.path) != ".md" || strings.HasPrefix(f.path, "docs/decisions/") || f.path == "CHANGELOG.md" {
			continue
		}
		for _, code := range codeBlock.FindAllString(f.source, -1) {
			if strings.HasPrefix(code, "```") { // a block of an example, which is compiled
				continue
			}
			for _, m := range qualified.FindAllStringSubmatch(code, -1) {
				for _, name := range strings.Split(m[2], ".") {
					if packages[m[1]] && !known[m[1]+"."+name] {
						faults = append(faults, fmt.Sprintf("%s: there is no %s.%s", f.path, m[1], m[2]))
						break
					}
				}
			}
		}
	}
	return faults
}

// quotedRule checks that the Go blocks of pages under docs occur in examples. For a page of the guide,
// these blocks must be examples, and their number must be the number in guides.
func quotedRule(examples map[string]string) rule {
	return func(f *file) (found []string) {
		if path.Ext(f.path) != ".md" || !coversDir("docs/...", f.dir) {
			return nil
		}
		blocks := goBlock.FindAllStringSubmatchIndex(f.source, -1)
		dirs := "./..."
		if coversDir("docs/guide/...", f.dir) {
			name := strings.TrimSuffix(path.Base(f.path), ".md")
			i := slices.IndexFunc(guides, func(g guide) bool { return g.page == name })
			if i < 0 {
				return []string{f.path + ": no row in guides of docs_test.go"}
			}
			dirs = guides[i].dir
			if len(blocks) < guides[i].least {
				found = append(found, fmt.Sprintf("%s: a guide goes by examples, and this has %d, not %d", f.path, len(blocks), guides[i].least))
			}
		}
		var source strings.Builder
		for dir, text := range examples {
			if dirs == "./..." || coversDir(dirs, dir) {
				source.WriteString(text)
			}
		}
		for _, at := range blocks {
			if code := f.source[at[2]:at[3]]; !strings.Contains(source.String(), code) {
				line := 1 + strings.Count(f.source[:at[0]], "\n")
				found = append(found, fmt.Sprintf("%s:%d: no example of %s contains:\n%s", f.path, line, dirs, code))
			}
		}
		return found
	}
}

// printedRule checks that the text blocks of pages under docs occur, line by line, in the output of one
// example. In a block, an ellipsis stands for any number of lines.
func printedRule(examples map[string]string) rule {
	var outputs [][]string
	for _, source := range examples {
		for _, m := range output.FindAllStringSubmatch(source, -1) {
			var lines []string
			for line := range strings.Lines(m[1]) {
				lines = append(lines, strings.TrimRight(strings.TrimPrefix(strings.TrimPrefix(line, "\t//"), " "), " \n"))
			}
			outputs = append(outputs, lines)
		}
	}
	return func(f *file) (found []string) {
		if path.Ext(f.path) != ".md" || !coversDir("docs/...", f.dir) {
			return nil
		}
		for _, at := range textBlock.FindAllStringSubmatchIndex(f.source, -1) {
			block := strings.Split(strings.TrimRight(f.source[at[2]:at[3]], "\n"), "\n")
			if !slices.ContainsFunc(outputs, func(lines []string) bool { return containLines(lines, block) }) {
				line := 1 + strings.Count(f.source[:at[0]], "\n")
				found = append(found, fmt.Sprintf("%s:%d: no example prints:\n%s", f.path, line, strings.Join(block, "\n")))
			}
		}
		return found
	}
}

// containLines reports whether lines contain the lines of a block in sequence. Other lines may be in between
// only where the block has an ellipsis.
func containLines(lines, block []string) bool {
	for len(block) > 0 && strings.TrimSpace(block[0]) == "…" {
		block = block[1:]
	}
	n := slices.IndexFunc(block, func(line string) bool { return strings.TrimSpace(line) == "…" })
	if n < 0 {
		n = len(block)
	}
	if n == 0 {
		return true
	}
	for at := 0; at+n <= len(lines); at++ {
		if slices.Equal(lines[at:at+n], block[:n]) && containLines(lines[at+n:], block[n:]) {
			return true
		}
	}
	return false
}

// linkFaults reports two faults of a page: links without a target, and links whose text is the name
// of a test that is not in the linked file.
func linkFaults(page, text string, read func(string) ([]byte, error)) (faults []string) {
	for _, l := range link.FindAllStringSubmatch(codeBlock.ReplaceAllStringFunc(text, unquoteName), -1) {
		name, target := l[1], l[2]
		if strings.Contains(target, "://") {
			continue
		}
		target, part, _ := strings.Cut(target, "#")
		target = filepath.FromSlash(path.Join(path.Dir(page), target))
		source, err := read(target)
		if err != nil {
			if info, statErr := os.Stat(target); statErr == nil && info.IsDir() {
				continue
			}
			faults = append(faults, fmt.Sprintf("%s: %v", page, err))
		} else if testName.MatchString(name) && !strings.Contains(string(source), "func "+name+"(") {
			faults = append(faults, fmt.Sprintf("%s: there is no %s in %s", page, name, target))
		} else if row := claimRow(string(source), part); row != nil {
			if name != row[1] {
				faults = append(faults, fmt.Sprintf("%s: the number of #%s is %s, and %s has %s: run make claims UPDATE=1", page, part, name, target, row[1]))
			}
		} else if part != "" && !hasHeading(string(source), part) {
			faults = append(faults, fmt.Sprintf("%s: no heading of %s becomes #%s", page, target, part))
		}
	}
	return faults
}

// claimRow returns the match of a row of docs/claims.md: the row that has the given anchor. If there is
// none, it returns nil. The first group is the number that a link to the row shows.
func claimRow(page, anchor string) []string {
	if anchor == "" {
		return nil
	}
	return regexp.MustCompile(`(?m)^\| <a id="` + regexp.QuoteMeta(anchor) + `"></a>[^|]*\|[^|]*\|[^|]*\| ([0-9.e+-]+) ×`).FindStringSubmatch(page)
}

// hasHeading reports whether a heading of the page has the given anchor.
func hasHeading(page, part string) bool {
	for _, h := range heading.FindAllStringSubmatch(page, -1) {
		if strings.ReplaceAll(notInPart.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-") == part {
			return true
		}
	}
	return false
}

// unquoteName removes the backquotes around code that is a single name, because a link may have such a
// text. unquoteName removes all other code, because w[i](x) is not a link.
func unquoteName(code string) string {
	if name := strings.Trim(code, "`"); !strings.ContainsAny(name, "[]()\n") {
		return name
	}
	return ""
}

func TestDocsCatches(t *testing.T) {
	examples := map[string]string{
		"jobs":     "func Example() {\n\tx := 1\n}\n",
		"ecs/host": strings.Repeat("\ty := 1\n", 8),
	}
	blocks := func(code string, n int) string { return strings.Repeat("```go\n"+code+"```\n", n) }
	for _, c := range []struct{ name, path, page, want string }{
		{"in an example", "docs/a.md", "# A\n" + blocks("\tx := 1\n", 1), ""},
		{"in none", "docs/a.md", "# A\n" + blocks("\tx := 2\n", 1), "docs/a.md:2: no example of ./... contains:\n\tx := 2"},
		{"a guide in its examples", "docs/guide/jobs.md", blocks("\tx := 1\n", 8), ""},
		{"a guide with too little code", "docs/guide/jobs.md", blocks("\tx := 1\n", 7), "docs/guide/jobs.md: a guide goes by examples, and this has 7, not 8"},
		{"a guide in another's examples", "docs/guide/jobs.md", blocks("\tx := 1\n", 7) + blocks("\ty := 1\n", 1), "docs/guide/jobs.md:22: no example of jobs/... contains:\n\ty := 1"},
		{"a guide without a row", "docs/guide/a.md", "# A\n", "docs/guide/a.md: no row in guides"},
		{"not a page", "docs/a.go", "package docs", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkCatch(t, fstest.MapFS{c.path: {Data: []byte(c.page)}}, quotedRule(examples), c.want)
		})
	}
	said := map[string]string{"jobs": "func Example() {\n\t// Output:\n\t// one\n\t//   two\n\t//\n\t// three\n\t// four\n}\n\nfunc ExampleB() {\n\t// Output: five\n}\n"}
	for _, c := range []struct{ name, block, want string }{
		{"all", "one\n  two\n\nthree\nfour\n", ""},
		{"some", "  two\n\nthree\n", ""},
		{"with a gap", "one\n  …\nthree\nfour\n", ""},
		{"with gaps at the ends", "…\nthree\n…\n", ""},
		{"on one line", "five\n", ""},
		{"another order", "one\n\n  two\n", "docs/a.md:2: no example prints:\none\n\n  two"},
		{"another order after a gap", "three\n…\none\n", "docs/a.md:2: no example prints:\nthree\n…\none"},
		{"a gap that is not told", "one\nthree\n", "docs/a.md:2: no example prints:\none\nthree"},
		{"other words", "one\n  too\n", "docs/a.md:2: no example prints:\none\n  too"},
		{"of two examples", "four\n…\nfive\n", "docs/a.md:2: no example prints:\nfour\n…\nfive"},
	} {
		t.Run("text "+c.name, func(t *testing.T) {
			checkCatch(t, fstest.MapFS{"docs/a.md": {Data: []byte("# A\n```text\n" + c.block + "```\n")}}, printedRule(said), c.want)
		})
	}
	read := func(name string) ([]byte, error) {
		if filepath.ToSlash(name) == "docs/a_test.go" {
			return []byte("# A part, here\nfunc TestA(t *testing.T) {}\n| <a id=\"sum-go\"></a>`make` | sums | Go | 7.4 × as fast | 7.3 | 1 |\n"), nil
		}
		return nil, fmt.Errorf("no %s", name)
	}
	for _, c := range []struct {
		text string
		want int
	}{
		{"[a](a_test.go), [up](../docs/a_test.go), [`TestA`](a_test.go), [web](https://example.org/x#y)", 0},
		{"[part](a_test.go#a-part-here)", 0},
		{"[part](a_test.go#a-part)", 1},
		{"`Find[Move](w)` and\n```go\nFind[Move](w)\n```\n", 0},
		{"[7.4](a_test.go#sum-go)", 0},
		{"[7.5](a_test.go#sum-go)", 1},
		{"[b](b.md)", 1},
		{"[TestB](a_test.go) and [`TestB`](a_test.go)", 2},
	} {
		if got := linkFaults("docs/page.md", c.text, read); len(got) != c.want {
			t.Errorf("%q: %d faults, want %d: %q", c.text, len(got), c.want, got)
		}
	}
}

func TestNameFaultsCatches(t *testing.T) {
	files, err := readTree(fstest.MapFS{
		"a/a.go":    {Data: []byte("package a\n\n// B is b.\ntype B struct{ C int }\n")},
		"docs/p.md": {Data: []byte("`a.B`, `a.B.C`, `x.Y`, a.D in words, `a.D` and `a.B.E` in code.\n```go\na.F()\n```\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := nameFaults(files), []string{"docs/p.md: there is no a.D", "docs/p.md: there is no a.B.E"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
