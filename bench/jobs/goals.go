package main

import (
	"fmt"
	"math"
	"os"
	"text/tabwriter"
)

// A goal is a number with a bound. The number and the bound come from the same run, so that
// a slower machine changes both. Times are in nanoseconds.
type goal struct {
	what  string
	least bool // the bound is a minimum
	value float64
	bound float64
	show  func(float64) string
}

func ratio(x float64) string { return fmt.Sprintf("%.2fx", x) }

// goals returns the goals of package jobs.
func goals(found series) []goal {
	at := func(section, side string, n int, gap string) float64 { return found.median(key{section, side, n, gap}) }
	var list []goal
	most := func(what string, value, bound float64, show func(float64) string) {
		list = append(list, goal{what, false, value, bound, show})
	}
	least := func(what string, value, bound float64, show func(float64) string) {
		list = append(list, goal{what, true, value, bound, show})
	}

	most("Range of one block over a direct call", at("empty", "lanewise Range", 1, "hot")-at("empty", "serial", 1, "hot"), 25, duration)
	for _, c := range []struct {
		n     int
		bound float64
	}{{2, 200}, {64, 600}, {1024, 3500}} {
		most(fmt.Sprintf("empty dispatch of %d, hot", c.n), at("empty", "lanewise", c.n, "hot"), c.bound, duration)
	}
	for _, gap := range []string{"hot", "50us"} {
		most("schedule + wait, "+gap, at("schedule + wait", "lanewise", 1, gap), 120, duration)
	}
	most("chain of 100", at("chain", "lanewise", 100, "hot"), 7000, duration)
	most("diamond of 1000, empty", at("diamond", "lanewise", 1000, "hot"), 120_000, duration)
	most("diamond of 1000 x 1 us", at("diamond of 1us", "lanewise", 1000, "hot"), 560_000, duration)

	most("64 x 1 us, hot, to OpenMP static", at("fork", "lanewise", 64, "hot")/at("fork", "openmp static", 64, "hot"), 1.03, ratio)
	speedUp := func(section, side string, n int) float64 {
		return at(section, "serial", n, "hot") / at(section, side, n, "hot")
	}
	least("1024 x 1 us, hot, efficiency", speedUp("fork", "lanewise", 1024)/float64(workers), 0.97, ratio)
	most("64 x 1 us after 1 ms, to C with futex", at("fork", "lanewise", 64, "1ms")/at("fork", "c futex pool", 64, "1ms"), 1.05, ratio)
	for _, n := range []int{4, 16, 64} {
		most(fmt.Sprintf("%d x 1 us after 1 ms, to serial", n), at("fork", "lanewise", n, "1ms")/at("fork", "serial", n, "1ms"), 1.03, ratio)
	}

	least("compute, speed-up", speedUp("compute", "lanewise", 1024), 1.95, ratio)
	least("x + s*y of 64 MiB, speed-up", speedUp("axpy 64 MiB", "lanewise", chunks), 1.85, ratio)
	c := at("copy 64 MiB", "c serial", chunks, "hot") / at("copy 64 MiB", "openmp static", chunks, "hot")
	least("copy of 64 MiB, speed-up, to OpenMP's", speedUp("copy 64 MiB", "lanewise", chunks)/c, 1, ratio)
	least("x + s*y of 1 MiB in L2, speed-up", speedUp("axpy 1 MiB", "lanewise", 64), 1.8, ratio)
	for _, k := range []kernel{{"axpy 64 MiB", chunks, nil}, {"1024 x 1us", 1024, nil}} {
		name := "foreign: " + k.name
		least("beside foreign load, "+k.name+", to goroutine a worker",
			at(name, "goroutine a worker", k.blocks, "hot")/at(name, "lanewise", k.blocks, "hot"), 0.95, ratio)
	}
	most("processor time of an idle pool, a second", at("idle", "lanewise", 1, "hot"), 1e6, duration)
	return list
}

// printGoals prints the goals whose two sides were both measured.
func printGoals(found series) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	fmt.Fprint(w, "| to reach\t| bound\t| measured\t| met\t|\n| ---\t| ---\t| ---\t| ---\t|\n")
	for _, g := range goals(found) {
		met, sign := "yes", "≤"
		if g.least {
			sign = "≥"
		}
		switch {
		case g.value == 0 || math.IsNaN(g.value) || math.IsInf(g.value, 0):
			continue
		case g.least && g.value < g.bound || !g.least && g.value > g.bound:
			met = fmt.Sprintf("no: %+.0f %%", 100*(g.value/g.bound-1))
		}
		fmt.Fprintf(w, "| %s\t| %s %s\t| %s\t| %s\t|\n", g.what, sign, g.show(g.bound), g.show(g.value), met)
	}
	w.Flush()
	fmt.Println()
}
