package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
)

// printTable prints the medians, with a line for each row and a column for each
// side.
func printTable(found series) {
	fmt.Printf("%s/%s, %d processors, %s; times are medians of the rounds\n\n", runtime.GOOS, runtime.GOARCH, workers, runtime.Version())
	type row struct {
		section string
		n       int
		gap     string
	}
	columns := map[string][]string{} // sides of each kind of rows
	rows := map[row]bool{}
	kind := func(section string) string {
		switch {
		case section == "fork" || section == "empty":
			return "fork-join"
		case strings.HasPrefix(section, "schedule") || strings.HasPrefix(section, "chain") || strings.HasPrefix(section, "diamond"):
			return "graph"
		case strings.HasPrefix(section, "foreign"):
			return "beside foreign load (means)"
		case section == "idle":
			return "idle: processor time a second"
		}
		return "kernels"
	}
	for k := range found { //lanewise:inexact the lists are sorted below
		rows[row{k.section, k.n, k.gap}] = true
		if c := kind(k.section); !slices.Contains(columns[c], k.side) {
			columns[c] = append(columns[c], k.side)
		}
	}
	ordered := slices.SortedFunc(maps.Keys(rows), func(a, b row) int {
		return cmp.Or(strings.Compare(kind(a.section), kind(b.section)), strings.Compare(a.section, b.section),
			strings.Compare(gapOrder(a.gap), gapOrder(b.gap)), cmp.Compare(a.n, b.n))
	})
	for _, c := range slices.Sorted(maps.Keys(columns)) {
		slices.SortFunc(columns[c], func(a, b string) int { return cmp.Compare(sideOrder(a), sideOrder(b)) })
		w := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
		fmt.Fprintf(w, "| %s\t| %s\t|\n", c, strings.Join(columns[c], "\t| "))
		fmt.Fprintf(w, "| ---\t|%s\n", strings.Repeat(" ---\t|", len(columns[c])))
		for _, r := range ordered {
			if kind(r.section) != c {
				continue
			}
			fmt.Fprintf(w, "| %s n=%d %s\t|", r.section, r.n, r.gap)
			for _, s := range columns[c] {
				fmt.Fprintf(w, " %s\t|", duration(found.median(key{r.section, s, r.n, r.gap})))
			}
			fmt.Fprintln(w)
		}
		w.Flush()
		fmt.Println()
	}
}

func gapOrder(gap string) string { return map[string]string{"hot": "0", "50us": "1", "1ms": "2"}[gap] }

// sideOrder sorts our sides first and C last.
func sideOrder(name string) int {
	i := slices.IndexFunc(sides, func(s side) bool { return s.name == name })
	if i < 0 {
		return len(sides) + len(name)
	}
	return i
}

// duration formats nanoseconds with three digits.
func duration(ns float64) string {
	switch {
	case ns == 0:
		return "-"
	case ns < 1000:
		return fmt.Sprintf("%.0f ns", ns)
	case ns < 10_000:
		return fmt.Sprintf("%.2f us", ns/1000)
	case ns < 100_000:
		return fmt.Sprintf("%.1f us", ns/1000)
	case ns < 1e6:
		return fmt.Sprintf("%.0f us", ns/1000)
	}
	return fmt.Sprintf("%.2f ms", ns/1e6)
}
