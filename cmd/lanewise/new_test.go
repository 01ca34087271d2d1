package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/start"
)

var full = flag.Bool("lanewise.full", false, "build and test a new module of each kind")

// TestNew writes a module of each kind. At full length it also builds, vets, tests and runs the modules.
func TestNew(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range start.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if !*full {
				t.Setenv("PATH", "") // without the command go
			}
			out, reason, code := lanewise(t, "new", "example.org/first", "-kind", kind, "-replace", root)
			if *full && (code != exitOK || !strings.Contains(out, "first is ready")) {
				t.Fatalf("exit code %d, %s%s", code, out, reason)
			}
			if !*full && (code != exitError || !strings.Contains(reason, "the folder first is complete, but go mod tidy failed there")) {
				t.Fatalf("exit code %d, %s%s", code, out, reason)
			}
			mod, err := os.ReadFile("first/go.mod")
			if text := string(mod); err != nil || !strings.HasPrefix(text, "module example.org/first\n") || !strings.Contains(text, "\nreplace "+start.Module+" => ") {
				t.Errorf("go.mod: %s%v", text, err)
			}
			program, err := os.ReadFile("first/main.go")
			if err != nil || !strings.Contains(string(program), "package main") || strings.Contains(string(program), "NAME ") {
				t.Errorf("main.go: %.200s%v", program, err)
			}
			if *full {
				use(t, kind)
			}
		})
	}
}

// use vets, tests and runs the new module, which is in the folder named first.
func use(t *testing.T, kind string) {
	picture := []string{"run", ".", "-png", "picture.png"}
	if kind == "study" {
		picture = []string{"run", ".", "picture", "picture.png"}
	}
	for _, args := range [][]string{{"vet", "."}, {"test", "."}, picture} {
		cmd := exec.Command("go", args...)
		cmd.Dir = "first"
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, out)
		}
	}
	if info, err := os.Stat("first/picture.png"); err != nil || info.Size() < 1000 {
		t.Errorf("the picture: %v, %v", info, err)
	}
}

// TestFolder checks that a major version such as v2 at the end of a module path does not become the name
// of the folder.
func TestFolder(t *testing.T) {
	for module, want := range map[string]string{"garden": "garden", "v2": "v2", "example.org/pond": "pond", "example.org/pond/v2": "pond", "example.org/vole": "vole"} {
		if got := start.Folder(module); got != want {
			t.Errorf("the folder of %s is %s, want %s", module, got, want)
		}
	}
}

// TestNewErrors checks that the error for a wrong command line names the mistake, and that no file is
// written.
func TestNewErrors(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.Mkdir("old", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"", exitUsage, `"" is no name of a module: give one of small letters`},
		{"Garden", exitUsage, `"Garden" is no name of a module`},
		{"../up", exitUsage, `"../up" is no name of a module`},
		{"garden.", exitUsage, `"garden." is no name of a module`},
		{"image", exitUsage, "image is the path of another package: choose a name of your own, for example example.org/image"},
		{start.Module, exitUsage, "is the path of another package"},
		{"a -kind . -replace " + root, exitUsage, `there is no kind "."`},
		{"a -kind", exitUsage, "flag needs an argument: -kind"},
		{"a b", exitUsage, `"b" is no flag`},
		{"a", exitUsage, "pass its folder with -replace"},
		{"a -replace .", exitError, "-replace .: this folder has no copy of the library"},
		{"-kind game a -replace " + root, exitUsage, `there is no kind "game": it must be one of [numeric world study]`},
		{"old -replace " + root, exitError, "there is already something with the name old: choose another name, or remove it"},
	} {
		if c.args == "a" && builtFrom() != "" {
			continue // a release makes the module without a copy
		}
		_, reason, code := lanewise(t, append([]string{"new"}, strings.Fields(c.args)...)...)
		if code != c.code || !strings.Contains(reason, c.want) {
			t.Errorf("lanewise new %s: exit code %d, %q; want %d and %q", c.args, code, reason, c.code, c.want)
		}
	}
	// A folder name with a blank must be in quotes.
	if err := os.Mkdir("a copy", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("a copy/go.mod", []byte("module "+start.Module+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", "")
	if _, reason, code := lanewise(t, "new", "blank", "-replace", "a copy"); code != exitError || !strings.Contains(reason, "the folder blank is complete") {
		t.Errorf("exit code %d, %s", code, reason)
	}
	if mod, err := os.ReadFile("blank/go.mod"); err != nil || !strings.Contains(string(mod), "=> \"") {
		t.Errorf("go.mod: %s%v", mod, err)
	}
	for _, name := range []string{"a copy", "blank"} {
		if err := os.RemoveAll(name); err != nil {
			t.Fatal(err)
		}
	}
	left, err := os.ReadDir(".")
	if err != nil || len(left) != 1 {
		t.Errorf("the folder has %v, %v; want old alone", left, err)
	}
}
