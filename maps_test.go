package lanewise

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"testing"
	"testing/fstest"
)

// mapped are the packages of so many files that nobody finds the right one by looking: doc.go of each says what is where.
var mapped = []string{"ecs", "ecs/system", "ecs/transform", "jobs"}

// TestMaps wants each file of these packages on the map, alone or by a pattern, and each file on the map in the package.
func TestMaps(t *testing.T) {
	files, err := readTree(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range mapped {
		for _, what := range mapFaults(files, dir) {
			t.Error(what)
		}
	}
}

// mapName is a file or several, in the package itself: others have their directory before it.
var mapName = regexp.MustCompile(`(^|[^\w/*.])([a-z0-9_]+\*?\.go)\b`)

// mapFaults compares the map of a package with its files.
func mapFaults(files []*file, dir string) (found []string) {
	var names, patterns []string
	for _, f := range files {
		switch base := path.Base(f.path); {
		case f.dir != dir || f.test || f.ast == nil:
		case base == "doc.go":
			for _, m := range mapName.FindAllStringSubmatch(f.source, -1) {
				patterns = append(patterns, m[2])
			}
		default:
			names = append(names, base)
		}
	}
	matches := func(pattern, name string) bool {
		ok, _ := path.Match(pattern, name)
		return ok
	}
	for _, name := range names {
		if !slices.ContainsFunc(patterns, func(pattern string) bool { return matches(pattern, name) }) {
			found = append(found, fmt.Sprintf("%s/doc.go does not say what %s is", dir, name))
		}
	}
	for _, pattern := range patterns {
		if !slices.ContainsFunc(names, func(name string) bool { return matches(pattern, name) }) {
			found = append(found, fmt.Sprintf("%s/doc.go names %s, which is not there", dir, pattern))
		}
	}
	return found
}

func TestMapsCatches(t *testing.T) {
	files, err := readTree(fstest.MapFS{
		"jobs/doc.go":           {Data: []byte("// Package jobs: pool.go, goroutine_*.go and (gone.go); soa/lane.go, docs.golang.\npackage jobs")},
		"jobs/pool.go":          {Data: []byte("package jobs")},
		"jobs/lost.go":          {Data: []byte("package jobs")},
		"jobs/lost_test.go":     {Data: []byte("package jobs")},
		"jobs/goroutine_386.go": {Data: []byte("package jobs")},
		"soa/view.go":           {Data: []byte("package soa")},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"jobs/doc.go does not say what lost.go is", "jobs/doc.go names gone.go, which is not there"}
	if got := mapFaults(files, "jobs"); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
