package lanewise

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

var (
	// caseRow matches a case on the page: its number, its text, its origin.
	caseRow = regexp.MustCompile(`(?m)^\| (\d+) \| (.+) \| (.+) \|$`)
	// caseNames matches a comment that names cases, such as "Conformance: 31, 42". A sentence may
	// follow.
	caseNames = regexp.MustCompile(`^Conformance: (\d+(?:, \d+)*)(?:$|[.\n;:])`)
)

// TestConformance compares docs/conformance.md with the tests. Each number in a comment must be a case
// on the page, and each case must have a test.
func TestConformance(t *testing.T) {
	requireClone(t)
	for _, fault := range conformanceFaults(t, os.DirFS(".")) {
		t.Error(fault)
	}
}

// requireClone skips a test that reads the other modules of the repository. The other modules are missing if this
// module was fetched without them.
func requireClone(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("arrow/go.mod"); err != nil {
		t.Skip("this is no clone: the other modules of the repository are not here")
	}
}

func conformanceFaults(t *testing.T, tree fs.FS) (faults []string) {
	const name = "docs/conformance.md"
	page, err := fs.ReadFile(tree, name)
	if err != nil {
		t.Fatal(err)
	}
	tested, last := map[int]bool{}, 0
	for _, row := range caseRow.FindAllStringSubmatch(string(page), -1) {
		n, _ := strconv.Atoi(row[1])
		if n <= last {
			faults = append(faults, fmt.Sprintf("%s: case %d stands after case %d", name, n, last))
		}
		if _, expected, ok := strings.Cut(row[2], "**E**"); !ok || strings.TrimSpace(expected) == "" {
			faults = append(faults, fmt.Sprintf("%s: case %d does not say what is to be seen (**E**)", name, n))
		}
		tested[n], last = false, n
	}
	if len(tested) == 0 {
		t.Fatalf("%s has no cases: the check would pass on nothing", name)
	}
	files, err := readTree(tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range modulesIn(t, tree) { // their tests belong to the project too
		sub, err := fs.Sub(tree, dir)
		if err != nil {
			t.Fatal(err)
		}
		inside, err := readTree(sub)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range inside {
			f.path = path.Join(dir, f.path)
		}
		files = append(files, inside...)
	}
	for _, f := range files {
		if f.ast == nil {
			continue
		}
		for _, group := range f.ast.Comments {
			for _, c := range group.List {
				text := strings.TrimSpace(strings.TrimLeft(c.Text, "/* \t"))
				if !strings.HasPrefix(text, "Conformance") {
					continue
				}
				list := caseNames.FindStringSubmatch(text)
				switch {
				case list == nil:
					faults = append(faults, f.at(c, "%q: want Conformance: and numbers, as in Conformance: 31, 42", text))
					continue
				case !f.test:
					faults = append(faults, f.at(c, "names a case outside of a test"))
				}
				for _, number := range strings.Split(list[1], ", ") {
					n, _ := strconv.Atoi(number)
					if _, ok := tested[n]; !ok {
						faults = append(faults, f.at(c, "%s has no case %d", name, n))
					}
					tested[n] = true
				}
			}
		}
	}
	var missing []int
	for n, ok := range tested {
		if !ok {
			missing = append(missing, n)
		}
	}
	if slices.Sort(missing); missing != nil {
		faults = append(faults, fmt.Sprintf("%s: no test names %v in a comment like // Conformance: %d", name, missing, missing[0]))
	}
	return faults
}

// modulesIn lists the directories of the modules inside a tree.
func modulesIn(t *testing.T, tree fs.FS) (dirs []string) {
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata" || d.Name() == "bin"):
			return fs.SkipDir
		case d.Name() == "go.mod" && name != "go.mod":
			dirs = append(dirs, path.Dir(name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return dirs
}

// TestConformanceCatches checks that the check finds small faults that were made on purpose.
func TestConformanceCatches(t *testing.T) {
	const (
		page = "# C\n\n| | case | origin |\n| --- | --- | --- |\n| 1 | **S** a. **E** b. | x |\n| 3 | **E** b \\| c. | y |\n"
		test = "package a\n\n// Conformance: 1, 3. And more.\nfunc TestA() {}\n"
	)
	for _, c := range []struct{ name, page, path, test, want string }{
		{"together", page, "a_test.go", test, ""},
		{"inside", page, "a_test.go", "package a\n\nfunc TestA() {\n\t// Conformance: 1\n\tx() // Conformance: 3; the other half\n}\n", ""},
		{"no such case", page, "a_test.go", test + "\n// Conformance: 2\nfunc TestB() {}\n", "a_test.go:6: docs/conformance.md has no case 2"},
		{"no test", page + "| 4 | **E** b. | z |\n", "a_test.go", test, "no test names [4] in a comment like // Conformance: 4"},
		{"twice on the page", page + "| 3 | **E** b. | z |\n", "a_test.go", test, "case 3 stands after case 3"},
		{"nothing to see", strings.Replace(page, "**S** a. **E** b.", "**S** a.", 1), "a_test.go", test, "case 1 does not say what is to be seen"},
		{"in a module inside", page, "m/go.mod", "", "no test names [1 3]"},
		{"no test file", page, "a.go", test, "a.go:3: names a case outside of a test"},
		{"other words", page, "a_test.go", test + "\n// Conformance 1\nfunc TestB() {}\n", "a_test.go:6: \"Conformance 1\": want"},
		{"a range", page, "a_test.go", test + "\n// Conformance: 1-3\nfunc TestB() {}\n", "a_test.go:6: \"Conformance: 1-3\": want"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := conformanceFaults(t, fstest.MapFS{"docs/conformance.md": {Data: []byte(c.page)}, c.path: {Data: []byte(c.test)}})
			if c.want == "" && found != nil || c.want != "" && (len(found) != 1 || !strings.Contains(found[0], c.want)) {
				t.Errorf("got %q, want one finding with %q", found, c.want)
			}
		})
	}
}
