package main

import (
	"slices"
	"strings"
	"testing"
)

const example = "# A page\n\n```sh\nmkdir a && cd a   # a folder\ngo mod init a\ngo get example.org/lib@v1   # the library\ngo get -tool example.org/lib/cmd/tool\n```\n\n" +
	"With a copy:\n\n```sh\ngo mod edit -replace example.org/lib=../lib\n```\n\n" +
	"```go\n\tx := 1 // statements\n```\n\n```go\n// T is a type.\ntype T struct{}\n```\n\n<!-- other.go -->\n```go\npackage main\n\nvar t T\n```\n\n" +
	"```go\nfunc main() { fmt.Println(near.New(t)) }\n```\n\n```go\nfunc more() {}\n```\n\n" +
	"`go get example.org/more` is another one, `go install .` is none, and near is [here](../../near/doc.go).\n"

func TestCommands(t *testing.T) {
	var got []string
	for _, c := range readPage("a.md", example).commands() {
		got = append(got, strings.Join(append([]string{c.text}, c.targets()...), "|"))
	}
	want := []string{
		"go get example.org/lib@v1|example.org/lib",
		"go get -tool example.org/lib/cmd/tool|example.org/lib/cmd/tool",
		"go get example.org/more|example.org/more",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestProgram(t *testing.T) {
	p := readPage("a.md", example)
	all := p.commands()
	if p.isLastGet(all[0]) || !p.isLastGet(all[1]) || !p.isLastGet(all[2]) {
		t.Errorf("last: %v %v %v, want false true true", p.isLastGet(all[0]), p.isLastGet(all[1]), p.isLastGet(all[2]))
	}
	if all[1].line != 7 || all[2].line != 40 {
		t.Errorf("lines %d and %d, want 7 and 40", all[1].line, all[2].line)
	}
	prog := p.program(all[1].block)
	if prog == nil || len(prog.files) != 2 || prog.commands != nil {
		t.Fatalf("got %+v, want main.go and other.go, and no commands", prog)
	}
	main, err := p.complete(prog.files["main.go"], []string{"fmt", "vendor/longer/fmt", "example.org/near", prefix + "/near"})
	if err != nil {
		t.Fatal(err)
	}
	want := "package main\n\nimport \"fmt\"\nimport \"" + prefix + "/near\"\n\n// T is a type.\ntype T struct{}\n\nfunc main() { fmt.Println(near.New(t)) }\n"
	if main != want {
		t.Errorf("got\n%s\nwant\n%s", main, want)
	}
	if prog := p.program(all[2].block); prog != nil {
		t.Errorf("got %+v after the last command, want none", prog)
	}
}

func TestProgramOfCommands(t *testing.T) {
	p := readPage("a.md", "```sh\ngo get a.org/a\n```\n```\npackage a\n```\n```go\nfunc f() {}\n```\n```sh\ngo generate\ngo vet   # both\n```\n")
	prog := p.program(0)
	if prog == nil || prog.files["main.go"] != "package a\n\nfunc f() {}\n" || !slices.Equal(prog.commands, []string{"go generate", "go vet"}) {
		t.Errorf("got %+v", prog)
	}
}

// The README quotes parts of programs of the tree, and commands for a clone, which a user's module does not contain. But
// a whole program must be part of the user's program.
func TestProgramOfTheTree(t *testing.T) {
	const get, part = "```sh\ngo get a.org/a\n```\n", "<!-- examples/a/main.go -->\n```go\ntype T int\n```\n```sh\ngo run ./examples/a\n```\n"
	if prog := readPage("README.md", get+part).program(0); prog != nil {
		t.Errorf("got %+v of a part, want none", prog)
	}
	const whole = "<!-- examples/b/main.go -->\n```go\npackage main\n\nfunc main() {}\n```\n"
	prog := readPage("README.md", get+part+whole+"```sh\ngo mod tidy\ngo run .\n```\n").program(0)
	if prog == nil || prog.files["main.go"] != "package main\n\nfunc main() {}\n" || !slices.Equal(prog.commands, []string{"go mod tidy", "go run ."}) {
		t.Errorf("got %+v", prog)
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct{ dir, mod, want string }{
		{"arrow", "module " + prefix + "/arrow\nrequire " + prefix + " v0.1.0\nreplace " + prefix + " => ..\n", ""},
		{"arrow", "module " + prefix + "/sparrow\n", "its folder wants"},
		{"arrow", "module " + prefix + "/arrow\nrequire " + prefix + " v0.0.0\n", "which users can fetch"},
		{"arrow", "module " + prefix + "/arrow\nreplace example.org/a => ../a\n", "Go ignores replace lines"},
	} {
		p := &part{dir: c.dir, mod: []byte(c.mod)}
		p.path = strings.TrimPrefix(strings.Split(c.mod, "\n")[0], "module ")
		if err := p.check(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %q", c.mod, err, c.want)
		}
	}
}
