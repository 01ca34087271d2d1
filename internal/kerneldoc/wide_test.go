package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestWide finds the kernels that run their AVX2 body on the AVX-512 path. It compares them with the
// list in docs/performance/kernels.md, which has the ratio of the times of both bodies.
func TestWide(t *testing.T) {
	if testing.Short() {
		t.Skip("short: what is read here is the source, the same everywhere")
	}
	rows, err := kernelRows()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for _, r := range rows {
		for i, element := range []string{"float32", "float64"} {
			if r.runs[1][i] == "avx2" {
				want[r.name+" of "+element] = true
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", "performance", "kernels.md"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := readList(string(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range slices.Sorted(maps.Keys(want)) {
		if !got[k] {
			t.Errorf("%s has no AVX-512 body, and docs/performance/kernels.md does not list its ratio", k)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(got)) {
		if !want[k] {
			t.Errorf("docs/performance/kernels.md lists %s, which is not a kernel without an AVX-512 body", k)
		}
	}
}

var (
	listRow = regexp.MustCompile(`^\| (\w+(?:\.\w+)?) \| ([^|]+) \| ([^|]+) \|$`)
	ratios  = regexp.MustCompile(`^(?:ports )?(\d\.\d\d)(?: / (\d\.\d\d))?( \(L2\))?$`)
)

// enough is the least gain for which a kernel gets an AVX-512 body. If a ratio in the table is
// greater, the cell must have the reason why there is no such body. For example, (L2) means that
// there is a gain only for operands in the second-level cache, and not for operands in the first.
const enough = 1.10

// excuse parses a cell of ratios, and returns an error if the cell is wrong.
func excuse(cell string) error {
	m := ratios.FindStringSubmatch(cell)
	if m == nil || (m[2] == "") != strings.HasPrefix(cell, "ports ") {
		return errors.New("neither ratios nor a dash")
	}
	gains := false
	for _, text := range m[1:3] {
		ratio, err := strconv.ParseFloat(text, 64)
		gains = gains || err == nil && ratio > enough
	}
	if gains != (m[3] != "") {
		return fmt.Errorf("above %.2f is %v, which must be excused, and nothing else", enough, gains)
	}
	return nil
}

// readList reads the table under the heading AVX-512. A row of this table has a kernel and, for each
// type, the ratios. It has a dash instead if the kernel has an AVX-512 body for the type.
func readList(text string) (map[string]bool, error) {
	_, section, found := strings.Cut(text, "\n### AVX-512\n")
	if !found {
		return nil, errors.New("no section AVX-512")
	}
	section, _, _ = strings.Cut(section, "\n##")
	_, body, _ := strings.Cut(section, "| --- | --- | --- |\n")
	all := map[string]bool{}
	for line := range strings.Lines(body) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			break
		}
		m := listRow.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("not a row: %s", line)
		}
		for i, element := range []string{"float32", "float64"} {
			if m[2+i] == "–" {
				continue
			}
			if err := excuse(m[2+i]); err != nil {
				return nil, fmt.Errorf("%w: %s", err, line)
			}
			all[m[1]+" of "+element] = true
		}
	}
	if len(all) == 0 {
		return nil, errors.New("nothing is listed under AVX-512")
	}
	return all, nil
}

func TestListed(t *testing.T) {
	const head = "# Title\n\n### AVX-512\n\nText.\n\n| kernel | f32 | f64 |\n| --- | --- | --- |\n"
	got, err := readList(head + "| Div | 1.00 / 0.99 | – |\n| Vec2s.Length | – | ports 0.82 |\n| Norm | – | 1.10 / 1.11 (L2) |\n\n| Sum | 1.00 / 1.00 | – |\n")
	if want := map[string]bool{"Div of float32": true, "Vec2s.Length of float64": true, "Norm of float64": true}; err != nil || !maps.Equal(got, want) {
		t.Errorf("%v (%v), want %v", got, err, want)
	}
	for name, text := range map[string]string{
		"no section": "# Title\n",
		"no table":   "\n### AVX-512\n\nText.\n",
		"a bad row":  head + "| Div | 1.00 / 0.99 |\n",
		"no ratio":   head + "| Div | fast | – |\n",
		"one ratio":  head + "| Div | 1.00 | – |\n",
		"two ports":  head + "| Div | ports 1.00 / 1.00 | – |\n",
		"a gain":     head + "| Div | 1.11 / 1.10 | – |\n",
		"gains":      head + "| Div | – | 1.30 / 1.20 |\n",
		"gain later": head + "| Div | – | 0.94 / 1.11 |\n",
		"of ports":   head + "| Div | ports 1.50 | – |\n",
		"no gain":    head + "| Div | 1.10 / 1.10 (L2) | – |\n",
		"no reason":  head + "| Div | 1.11 / 1.10 () | – |\n",
	} {
		if got, err := readList(text); err == nil {
			t.Errorf("%s: %v, want an error", name, got)
		}
	}
}
