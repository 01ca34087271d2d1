//go:build !js

// Command inspectbench measures what users of package inspect notice: how long a request
// takes at several frame rates, by how much the inspector delays frames, how much time an
// inspector costs that no client has opened, how long it takes to reach an earlier tick, and
// whether the predictions and the advice of system.Explain are right.
//
//	go run ./internal/inspectbench
//
// Other programs disturb the measurements. So the command measures everything in several
// rounds, in turns, and compares medians over these rounds with the limits. Beside a median
// it prints the least value, which other programs disturb least.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/lanewise/lanewise/internal/benchbin"
)

// options holds the flags of the command.
type options struct {
	sizes    []int         // numbers of entities
	rates    []float64     // frames a second
	rounds   int           // rounds of everything that is measured in rounds
	requests int           // requests of each kind at each rate, in each round
	pairs    int           // runs with and without an inspector, in turns
	run      time.Duration // length of one of these runs
	blocks   int           // blocks of measured and of recorded frames, in turns
	frames   int           // frames of a block
	scale    int           // size of the predicted programs
	planted  time.Duration // time of the loops of the program with a planted wait

	ticks, pastRows, reaches int // ticks and rows of a run whose past is reached, and how often
	kept                     int // frames of a run whose inspector keeps frames
}

// fullOptions measure what the limits are about.
var fullOptions = options{
	sizes: []int{1000, 1_000_000}, rates: []float64{1, 12, 60, 1000}, rounds: 3, requests: 2,
	pairs: 300, run: 4 * time.Millisecond, blocks: 7, frames: 12, scale: 50_000, planted: 3 * time.Millisecond,
	ticks: 10_000, pastRows: 100_000, reaches: 100, kept: 120,
}

// quickOptions measure small worlds for a short time. The measured numbers mean nothing; they only show that
// the command works.
var quickOptions = options{
	sizes: []int{1000}, rates: []float64{200}, rounds: 1, requests: 1,
	pairs: 3, run: time.Millisecond, blocks: 1, frames: 2, scale: 1000, planted: 200 * time.Microsecond,
	ticks: 200, pastRows: 500, reaches: 5, kept: 10,
}

func main() {
	quick := flag.Bool("quick", false, "measure small worlds for a short time, to test the command")
	flag.Parse()
	o := fullOptions
	if *quick {
		o = quickOptions
	}
	if err := measure(os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "inspectbench:", err)
		os.Exit(1)
	}
}

// bench holds the state of the command.
type bench struct {
	options
	out    io.Writer
	passed int
	missed []string // the names of the numbers that are above their limit
}

// measure prints all tables, and then which limits were missed.
func measure(out io.Writer, o options) error {
	b := &bench{options: o, out: out}
	begin := time.Now()
	fmt.Fprintf(out, "%s/%s, %d CPUs, %s\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	for _, part := range []func() error{b.printRates, b.printUnseen, b.printPast, b.printKept, b.printPredictions, b.printAdvice} {
		if err := part(); err != nil {
			return err
		}
		runtime.GC() // so that the collector does not work in the next part
	}
	fmt.Fprintf(out, "\n%d limits pass, %d are MISSED, after %.0f s\n", b.passed, len(b.missed), time.Since(begin).Seconds())
	for _, name := range b.missed {
		fmt.Fprintf(out, "  MISSED: %s\n", name)
	}
	return nil
}

// verdict compares a number with its limit. The name is for the list of missed limits.
func (b *bench) verdict(name string, x, limit float64) string {
	if x <= limit {
		b.passed++
		return "pass"
	}
	b.missed = append(b.missed, name)
	return "MISSED"
}

// table writes rows of cells in columns, after a heading and an empty line.
func (b *bench) table(heading string, rows [][]string) {
	fmt.Fprintf(b.out, "\n%s\n", heading)
	w := tabwriter.NewWriter(b.out, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintln(w, "  "+strings.Join(r, "\t"))
	}
	_ = w.Flush() // the error is that of out, which is reported by the last write
}

// formatMillis formats a time in nanoseconds.
func formatMillis[T ~int64 | ~float64](ns T) string { return fmt.Sprintf("%.2f ms", float64(ns)/1e6) }

// medianAndLeast formats the median and the least of a list of times in nanoseconds.
func medianAndLeast(list []float64) string {
	return fmt.Sprintf("%s (%.2f)", formatMillis(benchbin.Median(list)), slices.Min(list)/1e6)
}
