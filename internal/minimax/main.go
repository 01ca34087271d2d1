// Command minimax computes the coefficients of the polynomials of package
// kernels. For each polynomial, it prints the coefficients, with the constant
// first, and the largest error as a power of 2.
//
//	go run ./internal/minimax [-only expression]
//
// The error is relative to the function, unless the fit says otherwise. A test
// compares the coefficients in the source with this output.
package main

import (
	"flag"
	"fmt"
	"regexp"
)

func main() {
	only := flag.String("only", "", "the polynomials that match this `expression`")
	flag.Parse()
	filter := regexp.MustCompile(*only)
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
