package transform

import (
	"os"
	"strings"
	"testing"
)

// TestGuide holds the code of the guide's pages to the examples, which are
// compiled and run: each block must stand in example_guide_test.go, line by line.
func TestGuide(t *testing.T) {
	source, err := os.ReadFile("example_guide_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for name, least := range map[string]int{"transforms": 5, "hierarchies": 3, "float64": 1} {
		page, err := os.ReadFile("../../docs/guide/" + name + ".md")
		if err != nil {
			t.Fatal(err)
		}
		blocks := strings.Split(string(page), "```go\n")[1:]
		if len(blocks) < least {
			t.Errorf("%s: the page has %d blocks of code", name, len(blocks))
		}
		for _, block := range blocks {
			code, _, _ := strings.Cut(block, "```")
			if !strings.Contains(string(source), code) {
				t.Errorf("%s: not in example_guide_test.go:\n%s", name, code)
			}
		}
	}
}
