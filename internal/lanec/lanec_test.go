package lanec

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestRefused wants each function of testdata/refused refused, at its line, with the words that stand there.
func TestRefused(t *testing.T) {
	const file = "testdata/refused/refused.go"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Compile(filepath.Dir(file))
	if err == nil {
		t.Fatal("accepted")
	}
	said := map[string][]string{}
	place := regexp.MustCompile(`^testdata/refused/refused\.go:(\d+):\d+: (\w+): (.*)$`)
	for line := range strings.Lines(filepath.ToSlash(err.Error())) {
		m := place.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			t.Fatalf("no place: %s", line)
		}
		said[m[1]] = append(said[m[1]], m[3])
	}
	kernels, wants := strings.Count(string(text), "\n"+directive), 0
	for n, line := range strings.Split(string(text), "\n") {
		_, want, ok := strings.Cut(line, " // ")
		if !ok || strings.HasPrefix(line, "//") {
			continue
		}
		wants++
		at := strconv.Itoa(n + 1)
		if len(said[at]) == 0 {
			t.Errorf("line %s: accepted, want %s", at, want)
			continue
		}
		for _, got := range said[at] {
			if !strings.Contains(got, want) {
				t.Errorf("line %s: %s\nwant %s", at, got, want)
			}
		}
		delete(said, at)
	}
	for at, got := range said {
		t.Errorf("line %s: %s\nwant it accepted", at, got)
	}
	if wants < kernels {
		t.Errorf("%d functions, %d of them with what is said", kernels, wants)
	}
}

// TestCurrent wants the files of the example, which are the golden ones, to be what is written today.
func TestCurrent(t *testing.T) {
	p, err := Compile("../../examples/lanec")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range p.Files {
		got, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s is not what lanec writes: run go generate ./examples/lanec", name)
		}
	}
}

// TestTwice wants the same bytes each time.
func TestTwice(t *testing.T) {
	source := "package own\n\nimport \"math\"\n\nvar _ = math.Sqrt\n\n"
	for i := range 6 {
		text, _ := randomKernel(5, i, i%2 == 0, false)
		source += text
	}
	dir := module(t, map[string]string{"own.go": source})
	first, err := Compile(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Write(); err != nil {
		t.Fatal(err)
	}
	again, err := Compile(dir) // what was written is not read
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Stale(); err != nil {
		t.Error(err)
	}
}

// TestFaults wants what is wrong with a package, and not with a row, said too.
func TestFaults(t *testing.T) {
	const body = "(x []float32) {\n\tfor i := range x {\n\t\tx[i] = 0\n\t}\n}\n"
	for _, c := range []struct{ name, source, want string }{
		{"no kernels", "package own\n", "no function has a line //lanec:kernel Name above it"},
		{"no name", "package own\n\n//lanec:kernel\nfunc a" + body, "own.go:3:1: //lanec:kernel needs the name of the function to be written"},
		{"a name that is none", "package own\n\n//lanec:kernel 3\nfunc a" + body, "own.go:3:1: //lanec:kernel needs the name"},
		{"two of a name", "package own\n\n//lanec:kernel A\nfunc a" + body + "\n//lanec:kernel A\nfunc b" + body, "own.go:10:1: two kernels are called A"},
		{"a name in use", "package own\n\n//lanec:kernel A\nfunc a" + body + "\nvar A int\n", "A is declared at"},
		{"no Go", "package own\n\nfunc a(\n", "own.go:3:"},
		{"no types", "package own\n\nvar x undefinedType\n\n//lanec:kernel A\nfunc a" + body, "own.go:3:7: this does not compile: undefined: undefinedType"},
		{"no package", "package own\n\nimport _ \"example.org/none\"\n\n//lanec:kernel A\nfunc a" + body, "go list"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Compile(module(t, map[string]string{"own.go": c.source}))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
	if _, err := Compile(t.TempDir()); err == nil {
		t.Error("a directory without Go is accepted")
	}
}
