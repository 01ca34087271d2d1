// Package solar finds the development data for tests: a real catalogue of the
// solar system, which is not part of the repository.
package solar

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Path returns the path of a data file. If the environment variable
// LANEWISE_DATA is set, the files are in the directory that it names, which
// must exist. Otherwise the files are in shared/data/solar next to the
// checkout; if that directory does not exist, the test is skipped. If the
// directory lacks the file, the test fails.
func Path(t testing.TB, file string) string {
	t.Helper()
	dir := os.Getenv("LANEWISE_DATA")
	if dir == "" {
		dir = filepath.Join(root(t), "..", "shared", "data", "solar")
		if _, err := os.Stat(dir); os.IsNotExist(err) {
			t.Skipf("no development data: neither LANEWISE_DATA is set nor is there %s", dir)
		}
		if err := checkFolder(dir, dir, file); err != nil {
			t.Fatal(err)
		}
	} else if err := checkFolder("LANEWISE_DATA="+dir, dir, file); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, file)
}

// checkFolder returns an error if a directory does not contain a file. The error names the
// directory and a remedy.
func checkFolder(name, dir, file string) error {
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return fmt.Errorf("%s: there is no such directory: unset LANEWISE_DATA to skip the tests with real data", name)
	case !info.IsDir():
		return fmt.Errorf("%s: this is a file: give LANEWISE_DATA the directory of it", name)
	}
	if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
		return fmt.Errorf("%s: the directory has no %s: unset LANEWISE_DATA to skip the tests with real data", name, file)
	}
	return nil
}

// root returns the directory of go.mod, because tests run in the directory of
// their package.
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
