// Command compare measures kernels next to alternatives: a plain Go loop,
// gonum, vek, and C, both in intrinsics and vectorised by the compiler. The command prints
// one table of nanoseconds for each row of data. The sides in C are intrinsics (C avx2,
// avx512), plain loops (loop2), and loops with hints about memory and order (auto, any). It
// also prints three ratios: our time divided by the time of the fastest alternative with
// the same instructions; our time divided by the time of C with intrinsics; and the time of
// plain Go divided by ours.
//
//	go run . [-only sum] [-n 160,1024] [-rounds 5] [-cc clang]
//	go run . -sleef [-only Exp]
//	go run . -claims [-only 'add-.*'] [-update]
//	go run . -gonum [-only Norm] [-n 16,1024]
//
// All sides take turns within a round; the table has the medians of the rounds.
// C runs in a separate process (source/kernels.c, which is compiled here), so
// that no call crosses from Go. An empty cell means that the side has no such
// function. With -sleef it compares functions (Exp, Sin, …) for AVX2 with those
// of SLEEF (libsleef-dev). With -gonum it compares sums, norms, distances and
// moments of float64 with those of gonum, in nanoseconds for each call. With
// -claims it measures the ratios of docs/claims.md again.
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
	gonum := flag.Bool("gonum", false, "measure sums beside gonum's")
	ratios := flag.Bool("claims", false, "measure the ratios of docs/claims.md again, and print those that are off")
	update := flag.Bool("update", false, "with -claims: write the ratios into the pages")
	flag.Parse()
	filter, err := regexp.Compile(*only)
	var ns []int
	if err == nil {
		ns, err = rowsOf(*sizes)
	}
	switch {
	case err != nil:
	case *sleef:
		err = besideSleef(os.Stdout, filter.MatchString, *rounds, *cc)
	case *ratios:
		err = runClaims(*only, max(9, *rounds), *cc, *update)
	case *gonum:
		err = besideGonum(os.Stdout, filter.MatchString, ns, *rounds)
	default:
		err = run(filter, ns, *rounds, *cc)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func runClaims(only string, rounds int, cc string, update bool) error {
	if only == "." { // the default matches every name
		only = ".*"
	}
	filter, err := regexp.Compile("^(?:" + only + ")$") // the whole name, because some names begin with another one
	if err != nil {
		return err
	}
	r, err := newRig(rounds, cc)
	if err != nil {
		return err
	}
	defer r.close()
	return checkClaims(os.Stdout, claims, filter.MatchString, r, update)
}

// rowsOf returns the numbers of rows that a flag lists.
func rowsOf(sizes string) (ns []int, err error) {
	for field := range strings.SplitSeq(sizes, ",") {
		n, err := strconv.Atoi(field)
		if err != nil || n <= 0 {
			return nil, fmt.Errorf("%q is no number of rows", field)
		}
		ns = append(ns, n)
	}
	return ns, nil
}

func run(filter *regexp.Regexp, ns []int, rounds int, cc string) (err error) {
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
				if !fitsColumn(k.name, bits, n) {
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
