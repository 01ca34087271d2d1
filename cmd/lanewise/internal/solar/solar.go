// Package solar finds the development data for tests: a real catalogue of the
// solar system, which is not part of the repository.
package solar

import (
	"os"
	"path/filepath"
	"testing"
)

// Path returns the path of a file of the data. They are in the directory
// LANEWISE_DATA, which must exist if it is set, or else in shared/data/solar beside
// the checkout: where that is not, the test is skipped. A directory that lacks the
// file fails the test.
func Path(t testing.TB, file string) string {
	t.Helper()
	dir := os.Getenv("LANEWISE_DATA")
	if dir == "" {
		dir = filepath.Join(root(t), "..", "shared", "data", "solar")
		if _, err := os.Stat(dir); os.IsNotExist(err) {
			t.Skipf("no development data: neither LANEWISE_DATA is set nor is there %s", dir)
		}
	}
	path := filepath.Join(dir, file)
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("the development data is not whole: %v", err)
	}
	return path
}

// root is the directory of go.mod: tests run in that of their package.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("the test does not run inside the module")
		}
	}
}
