package ecs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGuide holds the code of the guide's pages on this package to the examples,
// which are compiled and run: each block must stand in one of their files, line
// by line.
func TestGuide(t *testing.T) {
	names, err := filepath.Glob("example*_test.go")
	must(t, err)
	var examples strings.Builder
	for _, name := range names {
		source, err := os.ReadFile(name)
		must(t, err)
		examples.Write(source)
	}
	for name, least := range map[string]int{"entities": 6, "components": 12, "memory": 5, "queries": 7, "commands": 5, "prefabs": 4, "manyworlds": 4, "blobs": 6} {
		page, err := os.ReadFile("../docs/guide/" + name + ".md")
		must(t, err)
		blocks := strings.Split(string(page), "```go\n")[1:]
		if len(blocks) < least {
			t.Errorf("%s.md has %d blocks of code", name, len(blocks))
		}
		for _, block := range blocks {
			code, _, _ := strings.Cut(block, "```")
			if !strings.Contains(examples.String(), code) {
				t.Errorf("%s.md: in no example:\n%s", name, code)
			}
		}
	}
}
