package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestOwner(t *testing.T) {
	for path, want := range map[string]string{
		module:                      ".",
		module + "/ecs":             "ecs",
		module + "/ecs_test":        "ecs",
		module + "/ecs.test":        "ecs",
		"net/http":                  "the standard library",
		"command-line-arguments":    "the standard library",
		"golang.org/x/sys/unix":     "other modules",
		"github.com/lanewise/other": "other modules",
		module + "/jobs [" + module + "/ecs.test]": "ecs",
	} {
		if got := owner(path); got != want {
			t.Errorf("%s is in the row %s, want %s", path, got, want)
		}
	}
}

// TestTable makes a table of the records of a run. Each tool must have a column, the slowest
// package must come first, and the last line must be the total.
func TestTable(t *testing.T) {
	tree := t.TempDir()
	notes := strings.Join([]string{
		"compile\t3.000\t" + module + "/ecs",
		"asm\t0.500\t" + module + "/ecs",
		"compile\t1.500\t" + module + "/ecs_test [" + module + "/ecs.test]",
		"link\t1.000\t" + module + "/ecs.test",
		"vet\t0.250\t" + module + "/soa",
		"run\t7.000\t" + filepath.Join(tree, "ecs"),
		"compile\t9.000\tfmt",
		"",
	}, "\n")
	costs, err := add(notes, tree)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	table(&out, costs, 2, 30)
	want := `
CPU-seconds
 compile      vet     link      run
     5.0      0.0      1.0      7.0  ecs
     9.0      0.0      0.0      0.0  the standard library
     0.0      0.2      0.0      0.0  1 other packages
    14.0      0.2      1.0      7.0  sums
the go command itself and this program: 8 CPU-seconds
total: 30 CPU-seconds
`
	if out.String() != want {
		t.Errorf("got%s\nwant%s", out.String(), want)
	}
	for _, wrong := range []string{"compile\t1\n", "compile\tone\tfmt\n"} {
		if _, err := add(wrong, tree); err == nil {
			t.Errorf("no error for the note %q", wrong)
		}
	}
}

// TestTimed checks that the program records the seconds of a command, and exits with the command's
// exit code.
func TestTimed(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "log")
	t.Setenv("TOOLEXEC_IMPORTPATH", "a/b")
	if code := runTimed("tool", log, []string{shell, "-c", "exit 3"}); code != 3 {
		t.Errorf("code %d, want 3", code)
	}
	if code := runTimed("tool", log, []string{shell, "-c", "exit 0", "-V=full"}); code != 0 {
		t.Errorf("code %d, want 0", code)
	}
	text, err := os.ReadFile(log)
	if err != nil || strings.Count(string(text), "\n") != 1 || !strings.HasPrefix(string(text), "sh\t0.0") || !strings.HasSuffix(string(text), "\ta/b\n") {
		t.Errorf("noted %q, error %v", text, err)
	}
}
