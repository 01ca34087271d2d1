package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

// TestSame checks that the code of lanec and the C code both give the bits of the Go source, on every path.
func TestSame(t *testing.T) {
	defer kernels.Use(kernels.Path())
	want := map[string]uint64{}
	for _, k := range list {
		d := fill()
		k.source(d)
		want[k.name] = d.hash()
		if want[k.name] == fill().hash() {
			t.Errorf("%s: nothing was done", k.name)
		}
	}
	for _, path := range kernels.Paths() {
		if err := kernels.Use(path); err != nil {
			t.Fatal(err)
		}
		for _, k := range list {
			d := fill()
			k.compiled(d)
			if got := d.hash(); got != want[k.name] {
				t.Errorf("%s on %s: other bits", k.name, path)
			}
		}
	}
	for _, width := range widths {
		if !slices.Contains(kernels.Paths(), width.path) {
			continue
		}
		p, err := start("clang", width.flag)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range list {
			for _, form := range []string{"loop", "vectors"} {
				if got, err := p.hash(k.name, form); err != nil || got != want[k.name] {
					t.Errorf("C %s %s for %s: %v, other bits", k.name, form, width.path, err)
				}
			}
		}
		p.Stop()
	}
}

// TestTable checks that a row of the table has all sides.
func TestTable(t *testing.T) {
	var b bytes.Buffer
	if err := run(&b, 1, "clang", "gravity"); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if strings.HasPrefix(line, "| gravity") && slices.ContainsFunc(strings.Split(strings.Trim(line, "|\n"), "|"), func(s string) bool { return strings.TrimSpace(s) == "" }) {
			t.Errorf("a side is missing: %s", line)
		}
	}
	if err := run(&b, 1, "no-such-compiler", "move"); err == nil && slices.Contains(kernels.Paths(), "avx2") {
		t.Error("a compiler that is not there is no error")
	}
}
