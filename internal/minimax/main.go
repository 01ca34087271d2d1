// Command minimax computes the coefficients of the polynomials of package
// kernels. For each polynomial, it prints the coefficients, with the constant
// first, and the largest error as a power of 2.
//
//	go run ./internal/minimax [-only expression] [-sollya]
//
// With -sollya, the command compares the errors with the errors that the program Sollya finds, and fails if they
// differ.
//
// The error is relative to the value of the function, unless the fit has
// another weight. A test compares the coefficients in the source with this
// output.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
)

func main() {
	only := flag.String("only", "", "the polynomials that match this `expression`")
	sollya := flag.Bool("sollya", false, "compare with Sollya (Debian package sollya)")
	flag.Parse()
	filter := regexp.MustCompile(*only)
	if *sollya {
		chosen := slices.DeleteFunc(slices.Clone(fits), func(f fit) bool { return !filter.MatchString(f.name) })
		if err := compare(os.Stdout, chosen); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	for _, f := range fits {
		if !filter.MatchString(f.name) {
			continue
		}
		s := f.solve()
		fmt.Printf("%s: 2^%.1f\n", f.name, s.exponent)
		for _, c := range s.coefficients {
			fmt.Printf("\t%x\n", c)
		}
	}
}
