package listing

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestClearedCache checks the case in which the compiler's listing is gone from the cache while the
// compiled package is still there.
func TestClearedCache(t *testing.T) {
	cache := t.TempDir()
	env := []string{"GOCACHE=" + cache}
	first, err := Of(env, "./testdata/double")
	if err != nil || !strings.Contains(first, "Double STEXT") {
		t.Fatalf("the listing is %q, %v", first, err)
	}
	if n := clear(t, cache); n != 1 {
		t.Fatalf("the cache had %d listings, want 1", n)
	}
	if text, err := compile(env, "-gcflags=-S", []string{"./testdata/double"}); err != nil || text != "" {
		t.Fatalf("the go command prints %q, %v, without the listing in its cache: what Of does is needed no more", text, err)
	}
	second, err := Of(env, "./testdata/double")
	if err != nil || second != first {
		t.Errorf("the listing without the cache's is %q, %v, want %q", second, err, first)
	}
}

// clear deletes listings from a cache of the go command.
func clear(t *testing.T, cache string) (n int) {
	err := filepath.WalkDir(cache, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(text, []byte("Double STEXT")) {
			return err
		}
		n++
		return os.Remove(path)
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ pkg, want string }{
		{"./testdata/none", "testdata/none"},
		{"./testdata/wrong", "undefined: nothing"},
	} {
		if text, err := Of(nil, c.pkg); err == nil || text != "" || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the listing of %s is %q, %v, want an error with %q", c.pkg, text, err, c.want)
		}
	}
}
