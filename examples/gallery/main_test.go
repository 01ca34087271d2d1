//go:build !js

package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/examples/gallery/exhibit"
)

// TestCheck checks that the program prints the hash of every exhibit. The tests of package exhibit compare the hashes.
func TestCheck(t *testing.T) {
	var out strings.Builder
	if err := check(&out); err != nil || strings.Count(out.String(), "\n") != len(exhibit.All()) {
		t.Errorf("%v, and the program prints\n%s", err, out.String())
	}
}

// TestSources checks that each source file that the page shows exists.
func TestSources(t *testing.T) {
	for _, e := range exhibit.All() {
		if _, err := os.Stat(filepath.Join("..", "..", e.Source)); err != nil {
			t.Error(err)
		}
	}
}

// TestServe checks that the program serves the files of the folder, with the media types that browsers need.
func TestServe(t *testing.T) {
	s := httptest.NewServer(pages("web"))
	defer s.Close()
	for path, kind := range map[string]string{"/": "text/html", "/gallery.js": "javascript", "/gallery.css": "text/css"} {
		reply, err := http.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(reply.Body)
		_ = reply.Body.Close()
		if err != nil || len(text) < 1000 || !strings.Contains(reply.Header.Get("Content-Type"), kind) {
			t.Errorf("%s: %d bytes of %s, %v", path, len(text), reply.Header.Get("Content-Type"), err)
		}
	}
}
