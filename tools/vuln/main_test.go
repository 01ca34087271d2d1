package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	const said = `{"config":{}}
{"osv":{"id":"GO-1","summary":"a fault"}}
{"finding":{"osv":"GO-1","fixed_version":"v1.2.0","trace":[{"module":"example.org/a","version":"v1.1.0"}]}}
{"finding":{"osv":"GO-1","fixed_version":"v1.2.0","trace":[{"module":"example.org/a","version":"v1.1.0","package":"example.org/a/b","function":"F"}]}}
{"finding":{"osv":"GO-1","fixed_version":"v1.2.0","trace":[{"module":"example.org/a","version":"v1.1.0","package":"example.org/a/b","function":"F"}]}}
{"finding":{"osv":"GO-2","fixed_version":"v1.26.9","trace":[{"module":"stdlib","version":"v1.26.8","package":"os","function":"G"}]}}
`
	ours, std, err := read(strings.NewReader(said))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"GO-1: example.org/a/b.F of example.org/a v1.1.0, repaired in v1.2.0: a fault"}; !slices.Equal(ours, want) {
		t.Errorf("got %q, want %q", ours, want)
	}
	if want := []string{"GO-2: os, Go v1.26.9: "}; !slices.Equal(std, want) {
		t.Errorf("of the standard library got %q, want %q", std, want)
	}
}

func TestIndex(t *testing.T) {
	osv, db := t.TempDir(), filepath.Join(t.TempDir(), "db")
	if err := index(osv, db); err == nil {
		t.Error("an empty folder is no database")
	}
	for name, text := range map[string]string{
		"GO-1.json": `{"id":"GO-1","modified":"2026-01-02T00:00:00Z","affected":[{"package":{"name":"b.org/b"}},{"package":{"name":"a.org/a"}},{"package":{"name":"a.org/a"}}]}`,
		"GO-2.json": `{"id":"GO-2","modified":"2026-01-01T00:00:00Z","withdrawn":"2026-01-02T00:00:00Z","affected":[{"package":{"name":"c.org/c"}}]}`,
	} {
		if err := os.WriteFile(filepath.Join(osv, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	db = filepath.Join(t.TempDir(), "db")
	if err := index(osv, db); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"index/modules.json": `[{"path":"a.org/a","vulns":[{"id":"GO-1","modified":"2026-01-02T00:00:00Z"}]},{"path":"b.org/b","vulns":[{"id":"GO-1","modified":"2026-01-02T00:00:00Z"}]}]`,
		"index/db.json":      `{"modified":"2026-01-02T00:00:00Z"}`,
	} {
		got, err := os.ReadFile(filepath.Join(db, filepath.FromSlash(name)))
		if err != nil || string(got) != want {
			t.Errorf("%s: %v, got %s, want %s", name, err, got, want)
		}
	}
	if _, err := os.Stat(filepath.Join(db, "ID", "GO-1.json")); err != nil {
		t.Error(err)
	}
}

// TestUnreachable checks that the command fails if it can reach no database, because it has then
// checked nothing.
func TestUnreachable(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOMODCACHE", t.TempDir())
	var said strings.Builder
	err := run(&said, "http://127.0.0.1:1", nil)
	if err == nil || !strings.Contains(err.Error(), "no database of vulnerabilities, so nothing was looked at: ") {
		t.Errorf("got %v, want that nothing was looked at", err)
	}
}
