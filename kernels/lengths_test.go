package kernels

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
)

// TestLengthsReachBodies finds in the source how many rows a call must have to run each body for amd64. A vector has up to 16
// rows. The test fails if the other tests do not run a body with every possible number of rows after the last whole vector.
func TestLengthsReachBodies(t *testing.T) {
	files, err := filepath.Glob("*_amd64_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	choice := regexp.MustCompile(`(?m)^func (\w+)\(|\b(?:n|len\([\w.]+\)) (>=?) (\d+)`)
	for _, file := range append(files, "choose_amd64.go") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := ""
		for _, m := range choice.FindAllStringSubmatch(string(text), -1) {
			if m[1] != "" {
				name = m[1]
				continue
			}
			from, err := strconv.Atoi(m[3])
			if err != nil {
				t.Fatal(err)
			}
			if m[2] == ">" {
				from++
			}
			found++
			if n := missedRows(name, from); n != 0 {
				t.Errorf("%s: %s runs from %d rows on, and no test runs %d rows", file, name, from, n)
			}
		}
	}
	if found < 200 {
		t.Errorf("%d choices found", found)
	}
}

// missedRows returns a number of rows that the tests should run and do not, or 0. For Boxes.Union, the Go body computes the rows after
// the last whole vector. So two numbers of rows are enough for it: one with such rows and one without.
func missedRows(name string, from int) int {
	if name == "boxesUnion32" || name == "boxesUnion64" {
		union := sliceKernel[float32]{name: "Boxes.Union"}
		long := union.addLengths()
		long = slices.DeleteFunc(long, func(n int) bool { return n < from })
		if !slices.ContainsFunc(long, func(n int) bool { return n%16 == 0 }) || !slices.ContainsFunc(long, func(n int) bool { return n%8 != 0 }) {
			return from
		}
		return 0
	}
	lengths := allLengths()
	for n := from; n < from+16; n++ {
		if !slices.Contains(lengths, n) {
			return n
		}
	}
	return 0
}
