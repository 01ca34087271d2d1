// Command compare measures kernels beside what one would use instead: a plain Go
// loop, gonum, vek, and C, both in intrinsics and as the compiler vectorises it.
// It prints one table of nanoseconds a row, with C's intrinsics (C avx2, avx512),
// C's loops as they are (loop2), with what C is told about memory and order (auto,
// any), and with ratios: our time divided by that of the fastest
// other side of the same instructions, by that of C in intrinsics, and plain Go's
// time divided by ours.
//
//	go run . [-only sum] [-n 160,1024] [-rounds 5] [-cc clang]
//	go run . -sleef [-only Exp]
//
// All sides take turns within a round; the table has the medians of the rounds.
// C runs in a process of its own (source/kernels.c, which is compiled here), so that no
// call crosses from Go. What is left out has no such function. With -sleef it is the
// functions (Exp, Sin, …) for AVX2 beside those of SLEEF (libsleef-dev).
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/lanewise/lanewise/bench/compare/native"
)

func main() {
	only := flag.String("only", ".", "regular expression of what to measure, as in sum/f32")
	sizes := flag.String("n", "160,1024,2048,16384,262144,4194304", "rows")
	rounds := flag.Int("rounds", 5, "rounds")
	cc := flag.String("cc", "clang", "the C compiler; - for none")
	sleef := flag.Bool("sleef", false, "measure functions beside SLEEF's")
	flag.Parse()
	if *sleef {
		filter, err := regexp.Compile(*only)
		if err == nil {
			err = besideSleef(os.Stdout, filter.MatchString, *rounds, *cc)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "compare:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(*only, *sizes, *rounds, *cc); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func run(only, sizes string, rounds int, cc string) error {
	filter, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	var ns []int
	for field := range strings.SplitSeq(sizes, ",") {
		n, err := strconv.Atoi(field)
		if err != nil || n <= 0 {
			return fmt.Errorf("%q is no number of rows", field)
		}
		ns = append(ns, n)
	}
	c := &program{&native.Program{}}
	if cc != "-" {
		if c, err = startC(cc); err != nil {
			return err
		}
		defer c.Stop()
	}
	t := newTable()
	for _, k := range slices.Concat(kernelList, columnList) {
		for _, bits := range []int{32, 64} {
			if !filter.MatchString(fmt.Sprintf("%s/f%d", k.name, bits)) {
				continue
			}
			for _, n := range ns {
				if !fits(k.name, bits, n) {
					continue
				}
				sides := k.sides(bits, n)
				row, err := measure(append(sides, c.sides(k.name, bits, n)...), n, rounds)
				if err != nil {
					return err
				}
				t.add(fmt.Sprintf("%s f%d %d", k.name, bits, n), row)
			}
		}
	}
	return t.print(os.Stdout)
}
