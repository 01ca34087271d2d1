package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// root is the module that the list is about.
const root = "../.."

// TestApply checks that each piece of text in the list occurs exactly once in the program. So a change
// of such a text fails this test at once, and not only a later run of all mutants.
func TestApply(t *testing.T) {
	list, err := readLists(lists)
	if err != nil {
		t.Fatal(err)
	}
	perPackage := map[string]int{}
	for _, m := range list {
		source, err := os.ReadFile(filepath.Join(root, m.file))
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := m.apply(string(source)); err != nil {
			t.Error(err)
		}
		first, _, _ := strings.Cut(m.name, "-")
		perPackage[first]++
	}
	if len(list) < 100 {
		t.Errorf("%d mutants, want 100 and more", len(list))
	}
	for _, p := range strings.Fields("soa chunk kernels jobs ecs system transform host cmd docs") {
		if perPackage[p] < 5 {
			t.Errorf("%d mutants of %s, want 5 and more", perPackage[p], p)
		}
	}
}

// TestTable compares the table of surviving mutants in docs/mutants.md with the list.
func TestTable(t *testing.T) {
	list, err := readLists(lists)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "mutants.md"))
	if err != nil {
		t.Fatal(err)
	}
	want, survivors := "| mutant | a user would see | why no test fails |\n| --- | --- | --- |\n", 0
	for _, m := range list {
		if m.survives != "" {
			survivors++
			want += "| " + m.name + " | " + m.user + " | " + m.survives + " |\n"
		}
	}
	if !strings.Contains(string(page), "\n"+want+"\n") {
		t.Errorf("docs/mutants.md has no table as the list has it:\n%s", want)
	}
	if most := len(list) * 3 / 100; survivors > most {
		t.Errorf("%d of %d mutants survive for a known reason, want at most %d", survivors, len(list), most)
	}
}

func TestReadList(t *testing.T) {
	const good = "# a comment\n=== a-1 x/y.go T.m\nuser: sees it\ntest: ./x TestA|TestB -flag\nlimit: 3s\n-\tif a {\n+\tif b {\n\n=== b x.s sum8\nuser: sees that\n-a\n"
	list, err := parseList("good", good)
	if err != nil || len(list) != 2 {
		t.Fatalf("%v, %v", list, err)
	}
	m := list[0]
	if m.name != "a-1" || m.file != "x/y.go" || m.anchor != "T.m" || m.limit != 3*time.Second || m.user != "sees it" ||
		!slices.Equal(m.old, []string{"\tif a {"}) || !slices.Equal(m.new, []string{"\tif b {"}) {
		t.Errorf("%+v", m)
	}
	if want := []check{{"./x", "TestA|TestB", "-flag"}, {pkg: "./x"}}; !slices.Equal(m.listChecks(), want) {
		t.Errorf("checks %v, want %v", m.listChecks(), want)
	}
	alone, err := parseList("alone", "=== a x/y.go f\nuser: u\nonly: ./z TestC -flag\n-a\n")
	if want := []check{{"./z", "TestC", "-flag"}}; err != nil || !slices.Equal(alone[0].listChecks(), want) {
		t.Errorf("checks %v, want %v, and no other tests of the package (%v)", alone[0].listChecks(), want, err)
	}
	if list[1].limit != usualLimit || list[1].new != nil {
		t.Errorf("%+v", list[1])
	}
	for text, want := range map[string]string{
		"user: first\n":                               "bad:1: want a line such as ===",
		"=== a x.go f\nuser: u\n-a\nseen: x\n":        "bad:4: want a key",
		"=== a x.go f\nuser: u\nlimit: soon\n-a\n":    "bad:3: time: invalid duration",
		"=== a x.go f\n-a\n+b\n":                      "bad: a: want what a user would see",
		"=== a x.go f\nuser: u\n+b\n":                 "bad: a: want what a user would see, and the text that goes",
		"=== A x.go f\nuser: u\n-a\n":                 "bad:1: want a line such as ===",
		"=== a x.go f\nuser: u\n-a\n=== a x.go\n+b\n": "bad:4: want a key",
	} {
		if _, err := parseList("bad", text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

func TestApplyText(t *testing.T) {
	const program = "package p\n\nvar list = []int{1}\n\nfunc f() int { return 1 }\n\ntype T[E any] struct{}\n\n" +
		"func (t *T[E]) f() int {\n\tif true {\n\t\treturn 1\n\t}\n\treturn 2\n}\n"
	const assembly = "#define ADD(x) \\\n\tADDQ $1, x\n\n// f32\nTEXT ·f(SB), 4\n\tADDQ $1, AX\nTEXT ·f32(SB), 4\n\tADDQ $2, AX\n\tADDQ $2, AX\n"
	const page = "# A\none\n## B, and so on\none\n"
	for _, c := range []struct{ file, text, anchor, old, new, want string }{
		{"p.go", program, "f", "return 1", "return 3", "func f() int { return 3 }"},
		{"p.go", program, "T.f", "return 1", "return 3", "\t\treturn 3\n"},
		{"p.go", program, "T.f", "if true {\nreturn 1\n}", "", "{\n\t\n\treturn 2"},
		{"p.go", program, "list", "1", "2", "[]int{2}"},
		{"p.go", program, "*", "return 2", "return 3", "\treturn 3\n"},
		{"p.go", program, "*", "return 1", "return 3", "error: its text occurs 2 times"},
		{"p.go", program, "g", "return 1", "return 3", "error: p.go: there is no g"},
		{"p.go", program, "f", "return 2", "return 3", "error: its text occurs 0 times"},
		{"p.go", program, "f", "return 1", "return 1", "error: changes nothing"},
		{"p.s", assembly, "f", "ADDQ $1, AX", "ADDQ $3, AX", "\tADDQ $3, AX\nTEXT ·f32"},
		{"p.s", assembly, "ADD", "ADDQ $1, x", "ADDQ $3, x", "\tADDQ $3, x\n"},
		{"p.s", assembly, "f32", "ADDQ $2, AX", "ADDQ $3, AX", "error: its text occurs 2 times"},
		{"p.md", page, "A", "one", "two", "# A\ntwo\n"},
		{"p.md", page, "B, and so on", "one", "two", "so on\ntwo\n"},
	} {
		m := &mutant{name: "m", file: c.file, anchor: c.anchor, old: strings.Split(c.old, "\n"), new: strings.Split(c.new, "\n")}
		got, err := m.apply(c.text)
		if err != nil {
			got = "error: " + strings.TrimPrefix(err.Error(), "m: ")
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s in %s: got\n%s\nwant %q in it", c.anchor, c.file, got, c.want)
		}
	}
}

// smallProgram has a function of every shape that a mutant can copy, and two functions of other
// shapes.
const smallProgram = `package small

func Add(a, b int) int { return a + b }

func Idle(a int) int { return a }

type list[E any] []E

func (l list[E]) each(f func(int, E), _ int, more ...E) (n int, err error) {
	for i, e := range append(l, more...) {
		f(i, e)
		n++
	}
	return n, nil
}

type none struct{}

func (none) nothing(int, string) {}

func mapped[A, B any](f func(A) B, a ...A) (bs []B) {
	for _, a := range a {
		bs = append(bs, f(a))
	}
	return bs
}

func rescue(err *bool) { *err = recover() != nil }

var limit = 3

func Sum(a ...int) (sum int) {
	defer rescue(new(bool))
	add := func(_, e int) { sum += e }
	none{}.nothing(1, "")
	n, _ := list[int](a).each(add, 0, 1, 2)
	return sum + n + limit + len(mapped(func(i int) bool { return i > 0 }, a...))
}

func Safe() (failed bool) {
	func() {
		defer rescue(&failed)
		panic("expected")
	}()
	return failed
}
`

// TestTry tries mutants of a small module. The verdicts must be right, and the files of the module
// must not change.
func TestTry(t *testing.T) {
	if testing.Short() {
		t.Skip("short: compiles a module for each verdict")
	}
	dir := t.TempDir()
	files := map[string]string{
		"go.mod":    "module small\n\ngo 1.26\n",
		"a.go":      smallProgram,
		"a_test.go": "package small\n\nimport (\n\t\"os\"\n\t\"strings\"\n\t\"testing\"\n\t\"time\"\n)\n\nfunc TestAdd(t *testing.T) {\n\tif n := Add(1, 2); n == 3 {\n\t\treturn\n\t} else if n == 4 {\n\t\ttime.Sleep(time.Hour)\n\t}\n\tt.Error(\"wrong\")\n}\n\nfunc TestSum(t *testing.T) {\n\tif n := Sum(5, 7); n != 24 {\n\t\tt.Error(n)\n\t}\n}\n\nfunc TestSafe(t *testing.T) {\n\tif !Safe() {\n\t\tt.Error(\"not rescued\")\n\t}\n}\n\nfunc TestPage(t *testing.T) {\n\tif text, _ := os.ReadFile(\"a.md\"); !strings.Contains(string(text), \"right\") {\n\t\tt.Error(\"wrong page\")\n\t}\n}\n",
		"a.md":      "# A\nright\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git := exec.Command("git", "init", "--quiet")
	git.Dir = dir
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	b, err := newBench(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	b.pages.flags = nil // -trimpath would compile the standard library again
	const text = `
=== killed a.go Add
user: u
test: . TestAdd
-a + b
+a - b
=== hung a.go Add
user: u
test: . TestAdd
limit: 1s
-a + b
+a + b + 1
=== survived a.go Idle
user: u
-return a
+return a + 1
=== explained a.go Idle
user: u
survives: nobody asks
-return a
+return a + 1
=== uncompiled a.go Add
user: u
-a + b
+a + c
=== faulty a.go Add
user: u
-a * b
+a + b
=== method a.go list.each
user: u
test: . TestSum
-n++
+n += 2
=== method-again a.go list.each
user: u
test: . TestSum
-append(l, more...)
+append(l, l...)
=== generic a.go mapped
user: u
test: . TestSum
-bs = append(bs, f(a))
+bs = append(bs, f(a), f(a))
=== unnamed a.go none.nothing
user: u
-{}
+{ limit++ }
=== direct a.go rescue
user: u
test: . TestSafe
-!= nil
+== nil
=== variable a.go limit
user: u
-3
+4
=== page a.md A
user: u
test: . TestPage
-right
+left
`
	list, err := parseList("small", text)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if err := b.baseline(ctx, list, 2); err != nil {
		t.Fatal(err)
	}
	want := map[string]verdict{"killed": killed, "hung": hung, "survived": survived, "explained": explained, "uncompiled": uncompiled, "faulty": faulty, "page": killed,
		"method": killed, "method-again": killed, "generic": killed, "unnamed": killed, "direct": killed, "variable": killed}
	by := map[string]string{"killed": ". TestAdd", "hung": ". TestAdd", "explained": "nobody asks", "page": ". TestPage"}
	for _, m := range list {
		apart := m.name == "direct" || m.name == "variable" || m.name == "faulty" || m.name == "page"
		if b.woven.in[m] == apart {
			t.Errorf("%s is compiled apart: %v, want %v", m.name, !b.woven.in[m], apart)
		}
		if r := b.try(ctx, m); r.verdict != want[m.name] || by[m.name] != "" && r.by != by[m.name] {
			t.Errorf("%s: %v by %q, want %v by %q\n%s", m.name, r.verdict, r.by, want[m.name], by[m.name], r.output)
		}
	}
	for name, text := range files {
		if got, err := os.ReadFile(filepath.Join(dir, name)); string(got) != text {
			t.Errorf("%s is now %q, %v", name, got, err)
		}
	}
	// A check that fails without a mutation, or that runs no test, must be an error.
	if err := b.baseline(ctx, []*mutant{{name: "m", file: "a.md", tests: []check{{pkg: "./none"}}, limit: time.Minute}}, 1); err == nil {
		t.Error("a package that is not there passes as a baseline")
	}
	idle := &mutant{name: "m", file: "a.md", anchor: "A", tests: []check{{".", "TestNothing", ""}}, limit: time.Minute, old: []string{"right"}, new: []string{"left"}}
	if r := b.try(ctx, idle); r.verdict != faulty || !strings.Contains(r.by, "no test matches") {
		t.Errorf("a check without a test: %v by %q", r.verdict, r.by)
	}
}

func TestSummarise(t *testing.T) {
	for _, c := range []struct {
		sum  [verdicts]int
		want bool
	}{
		{[verdicts]int{killed: 95, survived: 5}, true},
		{[verdicts]int{killed: 94, hung: 1, survived: 5, explained: 3}, true},
		{[verdicts]int{killed: 94, survived: 6}, false},
		{[verdicts]int{killed: 94, survived: 6, explained: 6}, false},
		{[verdicts]int{killed: 30, survived: 1, explained: 3}, true},
		{[verdicts]int{killed: 95, survived: 5, skipped: 50}, true},
		{[verdicts]int{killed: 200, faulty: 1}, false},
		{[verdicts]int{killed: 200, uncompiled: 1}, false},
	} {
		if got := summarise(c.sum, time.Minute); got != c.want {
			t.Errorf("%v: %v, want %v", c.sum, got, c.want)
		}
	}
}
