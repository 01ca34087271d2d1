package host

import (
	"os"
	"strings"
	"testing"
)

// TestGuide holds the code of the guide's page to the examples, which are
// compiled and run: each block must stand in example_test.go, line by line.
func TestGuide(t *testing.T) {
	page, err := os.ReadFile("../../docs/guide/hosts.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(page), "```go\n")[1:]
	if len(blocks) < 5 {
		t.Errorf("the page has %d blocks of code", len(blocks))
	}
	for _, block := range blocks {
		code, _, _ := strings.Cut(block, "```")
		if !strings.Contains(string(source), code) {
			t.Errorf("not in example_test.go:\n%s", code)
		}
	}
}
