package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// A table holds the measurements. The keys are the names of the row and of the side.
type table struct {
	names []string
	rows  map[string]map[string]float64
}

func newTable() *table { return &table{rows: map[string]map[string]float64{}} }

func (t *table) add(name string, row map[string]float64) {
	t.names = append(t.names, name)
	t.rows[name] = row
}

// columns lists the sides in the order of the table. Our sides come first.
var columns = []string{"avx2", "avx512", "neon", "Go", "gonum", "r3", "vek", "C avx2", "C avx512", "C loop2", "C auto2", "C auto512", "C any2", "C any512"}

// A ratio divides the time of one side by the time of another side, or by the time of the fastest
// alternative with the same instructions or fewer.
type ratio struct{ name, over, under string }

var ratios = []ratio{
	{"avx2/best", "avx2", ""}, {"avx512/best", "avx512", ""},
	{"avx2/C", "avx2", "C avx2"}, {"avx512/C", "avx512", "C avx512"}, {"avx2/loop2", "avx2", "C loop2"},
	{"Go/avx2", "Go", "avx2"}, {"Go/avx512", "Go", "avx512"},
}

// value returns the ratio of a row, or 0 if a time is missing.
func (r ratio) value(row map[string]float64) float64 {
	under := row[r.under]
	if r.under == "" {
		under = fastest(row, r.over)
	}
	if under == 0 {
		return 0
	}
	return row[r.over] / under
}

// print writes the table: the times, then the ratios.
func (t *table) print(w io.Writer) error {
	var used []string
	for _, c := range columns {
		if slices.ContainsFunc(t.names, func(name string) bool { return t.rows[name][c] > 0 }) {
			used = append(used, c)
		}
	}
	tab := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	fmt.Fprintf(tab, "| ns a row\t| %s\t|", strings.Join(used, "\t| "))
	for _, r := range ratios {
		fmt.Fprintf(tab, " %s\t|", r.name)
	}
	fmt.Fprintf(tab, "\n|%s\n", strings.Repeat(" ---\t|", 1+len(used)+len(ratios)))
	for _, name := range t.names {
		row := t.rows[name]
		fmt.Fprintf(tab, "| %s\t|", name)
		for _, c := range used {
			if row[c] > 0 {
				fmt.Fprintf(tab, " %.4f", row[c])
			}
			fmt.Fprint(tab, "\t|")
		}
		for _, r := range ratios {
			if v := r.value(row); v > 0 {
				fmt.Fprintf(tab, " %.2f", v)
			}
			fmt.Fprint(tab, "\t|")
		}
		fmt.Fprintln(tab)
	}
	return tab.Flush()
}

// fastest returns the shortest time of the other sides.
func fastest(row map[string]float64, path string) float64 {
	best := 0.0
	for side, ns := range row {
		if side == "avx2" || side == "avx512" || side == "neon" || path == "avx2" && strings.HasSuffix(side, "512") {
			continue
		}
		if best == 0 || ns < best {
			best = ns
		}
	}
	return best
}
