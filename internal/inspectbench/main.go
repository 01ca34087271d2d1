// Command inspectbench measures what users of package inspect notice: how long a request
// takes at several frame rates, by how much the inspector delays frames, and how much time
// an inspector costs that no client has opened.
//
//	go run ./internal/inspectbench
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"
)

// options holds the flags of the command.
type options struct {
	sizes  []int         // numbers of entities
	rates  []float64     // frames a second
	rounds int           // requests of each kind at each rate
	pairs  int           // runs with and without an inspector, in turns
	run    time.Duration // length of one of these runs
	blocks int           // blocks of measured and of recorded frames, in turns
	frames int           // frames of a block
	scale  int           // size of the predicted programs

	ticks, pastRows, reaches int // ticks and rows of a run whose past is reached, and how often
}

// quickOptions measure small worlds for a short time. The measured numbers mean nothing; they only show that
// the command works.
var quickOptions = options{sizes: []int{1000}, rates: []float64{200}, rounds: 1, pairs: 3, run: time.Millisecond, blocks: 1, frames: 2, scale: 1000, ticks: 200, pastRows: 500, reaches: 5}

func main() {
	quick := flag.Bool("quick", false, "measure small worlds for a short time, to test the command")
	flag.Parse()
	o := options{sizes: []int{1000, 1_000_000}, rates: []float64{1, 12, 60, 1000}, rounds: 5, pairs: 15, run: 100 * time.Millisecond, blocks: 5, frames: 12, scale: 50_000, ticks: 10_000, pastRows: 100_000, reaches: 100}
	if *quick {
		o = quickOptions
	}
	if err := measure(os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "inspectbench:", err)
		os.Exit(1)
	}
}

// measure prints all tables.
func measure(out io.Writer, o options) error {
	fmt.Fprintf(out, "%s/%s, %d CPUs, %s\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	for _, part := range []func(io.Writer, options) error{printRates, printUnseen, past, printPredictions} {
		if err := part(out, o); err != nil {
			return err
		}
	}
	return nil
}

// table writes rows of cells in columns, after a heading and an empty line.
func table(out io.Writer, heading string, rows [][]string) {
	fmt.Fprintf(out, "\n%s\n", heading)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintln(w, "  "+strings.Join(r, "\t"))
	}
	_ = w.Flush() // the error is that of out, which is reported by the last write
}
