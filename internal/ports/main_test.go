package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheckAll checks a module that has a fault on each of three targets, and no fault on
// a fourth target.
func TestCheckAll(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":       "module sample\n\ngo 1.26.0\n",
		"a.go":         "package sample\n\nimport \"os\"\n\nvar name = os.DevNull\n\nfunc f() int { return wide + len(name) }\n",
		"b_linux.go":   "package sample\n\nconst wide = 1 << 40\n",
		"b_windows.go": "package sample\n\nimport \"syscall\"\n\nvar wide = syscall.Getppid() + syscall.SIGWINCH\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	targets := []string{"linux/amd64", "linux/mips", "windows/amd64", "darwin/arm64", "linux/pdp11"}
	want := []string{"", "overflows", "undefined: syscall.SIGWINCH", "undefined: wide", "pdp11"}
	for i, err := range checkAll(dir, targets, []string{"."}) {
		switch {
		case want[i] == "" && err != nil:
			t.Errorf("%s: %v", targets[i], err)
		case want[i] != "" && (err == nil || !strings.Contains(err.Error(), want[i])):
			t.Errorf("%s: %v, want %q", targets[i], err, want[i])
		}
	}
	for _, err := range checkAll(dir, targets[:1], []string{"./none"}) {
		if err == nil {
			t.Error("a package that is not there was checked")
		}
	}
}
