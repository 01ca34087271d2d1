package ecs

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestDocNamesFiles: the files that the page of the package names are there.
func TestDocNamesFiles(t *testing.T) {
	page, err := os.ReadFile("doc.go")
	must(t, err)
	names := regexp.MustCompile(`[a-z_]+\*?\.go\b`).FindAllString(string(page), -1)
	if len(names) < 40 {
		t.Errorf("%d files are named", len(names))
	}
	for _, name := range names {
		if files, _ := filepath.Glob(name); len(files) == 0 {
			t.Errorf("there is no %s", name)
		}
	}
}
