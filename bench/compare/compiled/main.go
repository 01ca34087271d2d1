// Command compiled compares loops that lanec compiles with the same loops in C,
// plain and in vectors (source/kernels.c). The command prints one table of nanoseconds for
// each of 4,096 rows, or for each pair of 1,024 bodies, with the ratio to the fastest C.
//
//	go run ./compiled [-rounds 9] [-cc clang] [-only move]
//
// All sides take turns within a round; the table has the medians of the rounds.
// C is compiled with -O3 -march=native -ffp-contract=off and -fno-math-errno,
// first without and then with AVX-512, and runs in a separate process.
package main

import (
	"embed"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/lanewise/lanewise/bench/compare/native"
	"github.com/lanewise/lanewise/internal/benchbin"
	"github.com/lanewise/lanewise/kernels"
)

//go:embed source
var source embed.FS

func main() {
	rounds := flag.Int("rounds", 9, "rounds")
	cc := flag.String("cc", "clang", "the C compiler")
	only := flag.String("only", ".", "regular expression of what to measure")
	flag.Parse()
	if err := run(os.Stdout, *rounds, *cc, *only); err != nil {
		fmt.Fprintln(os.Stderr, "compiled:", err)
		os.Exit(1)
	}
}

// widths lists the compared paths of this CPU, and the compiler flag that C needs for each of them.
var widths = []struct{ path, flag string }{{"avx2", "-mno-avx512f"}, {"avx512", "-mprefer-vector-width=512"}}

func run(w io.Writer, rounds int, cc, only string) error {
	filter, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	tab := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	fmt.Fprint(tab, "| ns a row\t| path\t| Go\t| lanec\t| C loop\t| C vectors\t| C tile\t| lanec/C\t|\n|", strings.Repeat(" ---\t|", 8), "\n")
	for _, width := range widths {
		if !slices.Contains(kernels.Paths(), width.path) {
			continue
		}
		p, err := start(cc, width.flag)
		if err != nil {
			return err
		}
		for _, k := range list {
			if !filter.MatchString(k.name) {
				continue
			}
			sides, err := p.sides(&k, width.path)
			if err != nil {
				return err
			}
			row, err := measure(sides, rounds)
			if err != nil {
				return err
			}
			fmt.Fprintf(tab, "| %s\t| %s\t|", k.name, width.path)
			best := 0.0
			for i, ns := range row {
				if ns == 0 {
					fmt.Fprint(tab, "\t|")
					continue
				}
				fmt.Fprintf(tab, " %.3f\t|", ns/float64(k.rows))
				if i >= 2 && (best == 0 || ns < best) {
					best = ns
				}
			}
			fmt.Fprintf(tab, " %.2f\t|\n", row[1]/best)
		}
		p.Stop()
	}
	return tab.Flush()
}

// A side returns the nanoseconds of a call.
type side func(times int) (ns float64, err error)

// measure runs the sides in turns, and returns their medians. The median of a
// side that is missing is 0.
func measure(sides []side, rounds int) ([]float64, error) {
	times, samples := make([]int, len(sides)), make([][]float64, len(sides))
	for range rounds + 1 {
		for i, s := range sides {
			if s == nil {
				continue
			}
			ns, err := s(max(1, times[i]))
			if err != nil {
				return nil, err
			}
			if times[i] == 0 { // the first round finds the number of calls in half a millisecond
				times[i] = max(1, int(500e3/ns))
				continue
			}
			samples[i] = append(samples[i], ns)
		}
	}
	row := make([]float64, len(sides))
	for i, s := range samples {
		if len(s) > 0 {
			row[i] = benchbin.Median(s)
		}
	}
	return row, nil
}

// A program is the running process of source/kernels.c.
type program struct{ *native.Program }

func start(cc, width string) (*program, error) {
	flags := []string{"-O3", "-march=native", width, "-ffp-contract=off", "-fno-math-errno"}
	p, err := native.Start(source, "kernels.c", cc, flags, "-lm")
	return &program{p}, err
}

// sides returns Go, lanec on a path, and the variants of C.
func (p *program) sides(k *kernel, path string) ([]side, error) {
	if err := kernels.Use(path); err != nil {
		return nil, err
	}
	sides := []side{calls(k.source), calls(k.compiled)}
	for _, form := range []string{"loop", "vectors", "tile"} {
		c := func(times int) (ns float64, err error) {
			err = p.Ask(&ns, k.name, form, times)
			return ns, err
		}
		switch ns, err := c(1); {
		case err != nil:
			return nil, fmt.Errorf("%s %s: %w", k.name, form, err)
		case ns < 0:
			c = nil
			fallthrough
		default:
			sides = append(sides, c)
		}
	}
	return sides, nil
}

// calls returns a side that times a function. As in kernels.c, one additional
// call at the beginning is not timed, because it fills the caches.
func calls(f func(d *data)) side {
	return func(times int) (float64, error) {
		d := fill()
		f(d)
		begin := time.Now()
		for range times {
			f(d)
		}
		return float64(time.Since(begin)) / float64(times), nil
	}
}

// hash runs a variant of a kernel and returns a hash of its results.
func (p *program) hash(name, form string) (h uint64, err error) {
	err = p.Ask(&h, name, form, 0)
	return h, err
}
