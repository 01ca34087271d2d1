package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const source = `package p

func lerp(a, b, t float64) float64 { return a + t*(b-a) }
`

// TestCommand runs the program as users do: from go vet and directly, with and without -all and
// -fix.
func TestCommand(t *testing.T) {
	dir := t.TempDir()
	tool := filepath.Join(dir, "lanewise-vet.exe")
	run := func(name string, args ...string) (string, int) {
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
		out, _ := cmd.CombinedOutput()
		return string(out), cmd.ProcessState.ExitCode()
	}
	build := exec.Command("go", "build", "-o", tool, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, text := range map[string]string{"go.mod": "module example.com/p\n\ngo 1.26.0\n", "p.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const found = "p.go:3:49: t * (b - a) meets the sum in line 3"
	for _, c := range []struct {
		command string
		code    int
		want    string
	}{
		{"go vet -vettool=" + tool + " ./...", 0, ""}, // does not import the library
		{"go vet -vettool=" + tool + " -all ./...", 1, found},
		{"go vet -vettool=" + tool + " -all -exact.tests=false ./...", 1, found},
		{tool + " ./...", 0, "looks at 0 of 1 package, those that import"},
		{tool + " -all ./...", 3, found},
		{tool + " -c 1 -all=true -test=false ./...", 3, "looks at 1 of 1 package\n"},
		{tool + " -all -fix ./...", 0, "looks at 1 of 1 package\n"},
		{tool + " -all ./...", 0, "looks at 1 of 1 package\n"},
		{"go vet -vettool=" + tool + " -all ./...", 0, ""},
	} {
		words := strings.Fields(c.command)
		out, code := run(words[0], words[1:]...)
		if code != c.code || !strings.Contains(out, c.want) || c.want == "" && out != "" {
			t.Errorf("%s: status %d, want %d with %q:\n%s", strings.ReplaceAll(c.command, tool, "lanewise-vet"), code, c.code, c.want, out)
		}
	}
	mended, err := os.ReadFile(filepath.Join(dir, "p.go"))
	if want := strings.Replace(source, "t*(b-a)", "float64(t*(b-a))", 1); err != nil || string(mended) != want {
		t.Errorf("the file is %q, want %q", mended, want)
	}
}
