package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// paths lists the columns of the page. A column is a CPU feature of an architecture.
var paths = []struct{ arch, path, title string }{
	{"amd64", "avx2", "AVX2"},
	{"amd64", "avx512", "AVX-512"},
	{"arm64", "neon", "NEON"},
}

// A row describes a kernel: the code of each path for float32 and float64.
type row struct {
	*kernel
	runs [3][2]string
}

// pages returns the text of each generated page by its file name. The rows are the result of table for dir.
func pages(dir string, rows []*row, read func(name string) ([]byte, error)) (map[string]string, error) {
	whole := ""
	for _, s := range sections {
		text, err := s.sectionOf(filepath.Join(dir, s.pkg))
		if err != nil {
			return nil, err
		}
		whole += text
	}
	measured, err := read(filepath.Join(root, "docs", "performance", "kernels.md"))
	if err != nil {
		return nil, err
	}
	found, err := read(filepath.Join(root, "internal", "accuracy", "measured.txt"))
	if err != nil {
		return nil, err
	}
	exact, err := exactnesses(rows, timesOf(string(measured)), foundOf(string(found)))
	if err != nil {
		return nil, err
	}
	compared, err := read(filepath.Join(root, "internal", "accuracy", "rounded.txt"))
	if err != nil {
		return nil, err
	}
	checked, err := roundings(rows, string(compared))
	if err != nil {
		return nil, err
	}
	polynomials, err := read(filepath.Join(root, "internal", "minimax", "sollya.txt"))
	if err != nil {
		return nil, err
	}
	second, err := opinions(rows, string(found), string(compared), string(polynomials))
	if err != nil {
		return nil, err
	}
	after := map[string]string{"functions": exact, "rounded": checked}
	return map[string]string{"docs/kernels.md": page(rows, after) + whole, "docs/opinions.md": second}, nil
}

// table returns the rows for the kernels in dir.
func table(dir string) ([]*row, error) {
	programs := map[string]*program{}
	for _, c := range paths {
		if programs[c.arch] == nil {
			p, err := load(dir, c.arch)
			if err != nil {
				return nil, err
			}
			programs[c.arch] = p
		}
	}
	byName := map[string]*row{}
	var rows []*row
	for i, c := range paths {
		p := programs[c.arch]
		for _, k := range p.kernels() {
			r := byName[k.name]
			if r == nil {
				if i > 0 {
					return nil, fmt.Errorf("%s is there for %s alone", k.name, c.arch)
				}
				r = &row{kernel: k}
				byName[k.name], rows = r, append(rows, r)
			}
			for t, single := range []bool{true, false} {
				r.runs[i][t] = describeInstructions(p.assembly(k, c.path, single))
			}
		}
	}
	return rows, nil
}

// inFamilies calls do with the rows of each family, in order.
func inFamilies(rows []*row, do func(family string, rows []*row)) {
	var order []string
	of := map[string][]*row{}
	for _, r := range rows {
		if of[r.family] == nil {
			order = append(order, r.family)
		}
		of[r.family] = append(of[r.family], r)
	}
	rank := func(family string) int {
		if i := slices.Index(families, family); i >= 0 {
			return i
		}
		return len(families)
	}
	slices.SortStableFunc(order, func(a, b string) int { return rank(a) - rank(b) })
	for _, f := range order {
		do(f, of[f])
	}
}

// page returns docs/kernels.md. after maps some families to a text for the end of their section.
func page(rows []*row, after map[string]string) string {
	var b strings.Builder
	b.WriteString(`# Kernels

This page is a generated reference. Search the page for a kernel instead of reading it from the top. ` + "`go generate ./internal/kerneldoc`" + ` generates the page from the
source, and a test fails if the page is out of date. A kernel is a function that computes on whole slices, with SIMD instructions if these are faster. To see
which code runs on your machine, and how fast it is, run ` + "`go run ./cmd/lanewise doctor`" + `. The doc comment of a kernel contains its formula with all parentheses: ` + "`go doc kernels.Lerp`" + `.

Every kernel except those for [integers](#integers-kernelsints) and the [correctly rounded](#rounded) functions exists for float32 and float64 and computes the same bits on every path. A path is a set of instructions, such as AVX2.

## By family

*All* means that every kernel of the family has assembly for this path, in both types. Otherwise the cell lists the exceptions. The word *Go* marks kernels that run the
generic Go body on this path. *AVX2* marks kernels that run their AVX2 body on CPUs with AVX-512 too, because wider vectors are not faster for them.

` + byFamily(rows) + `
The tables below have one row for each kernel. ● means assembly for this path, and *AVX2* and *Go* mean the same as above. (Copy is Go's built-in copy.)
`)
	inFamilies(rows, func(family string, rows []*row) {
		fmt.Fprintf(&b, "\n## %s\n\n| kernel | it |", strings.ToUpper(family[:1])+family[1:])
		for _, c := range paths {
			fmt.Fprintf(&b, " %s |", c.title)
		}
		b.WriteString("\n| --- | --- |" + strings.Repeat(" --- |", len(paths)) + "\n")
		for _, r := range rows {
			fmt.Fprintf(&b, "| %s | %s |", r.name, strings.ReplaceAll(r.does, "|", `\|`))
			for i := range paths {
				fmt.Fprintf(&b, " %s |", r.cell(i))
			}
			b.WriteString("\n")
		}
		b.WriteString(after[family])
	})
	return b.String()
}

// cell describes the code of a path. If both types have the same code, it describes the code once.
func (r *row) cell(i int) string {
	single, double := mark(r.runs[i][0], i), mark(r.runs[i][1], i)
	if single == double {
		return single
	}
	return fmt.Sprintf("f32 %s, f64 %s", single, double)
}

func mark(runs string, i int) string {
	switch runs {
	case paths[i].path:
		return "●"
	case "generic":
		return "Go"
	}
	return "AVX2"
}

// byFamily returns the overview, which has one row for each family. The overview names the kernels that lack assembly
// on a path.
func byFamily(rows []*row) string {
	var b strings.Builder
	b.WriteString("| family | kernels |")
	for _, c := range paths {
		fmt.Fprintf(&b, " %s |", c.title)
	}
	b.WriteString("\n| --- | --- |" + strings.Repeat(" --- |", len(paths)) + "\n")
	inFamilies(rows, func(family string, rows []*row) {
		var names []string
		for _, r := range rows {
			names = append(names, r.shortName())
		}
		fmt.Fprintf(&b, "| %s | %s |", family, strings.Join(names, ", "))
		for i := range paths {
			fmt.Fprintf(&b, " %s |", summary(rows, i))
		}
		b.WriteString("\n")
	})
	return b.String()
}

// shortName returns the name without the view.
func (r *row) shortName() string { return strings.TrimPrefix(r.name, r.family+".") }

// summary returns "all", or the names of the kernels that have no assembly on a path.
func summary(rows []*row, i int) string {
	lacks := map[string][]string{}
	for _, r := range rows {
		for _, m := range []string{"AVX2", "Go"} {
			switch single, double := mark(r.runs[i][0], i) == m, mark(r.runs[i][1], i) == m; {
			case single && double:
				lacks[m] = append(lacks[m], r.shortName())
			case single:
				lacks[m] = append(lacks[m], r.shortName()+" (f32)")
			case double:
				lacks[m] = append(lacks[m], r.shortName()+" (f64)")
			}
		}
	}
	var parts []string
	for _, m := range slices.Sorted(maps.Keys(lacks)) {
		parts = append(parts, m+": "+strings.Join(lacks[m], ", "))
	}
	if parts == nil {
		return "all"
	}
	return strings.Join(parts, "; ")
}
