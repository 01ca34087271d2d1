package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os/exec"
	"strings"
)

// compare prints a table that compares the fits with Sollya, a program for polynomials. Sollya measures the error of our polynomial,
// and computes the error of the best polynomial with real coefficients, which no rounded coefficients can have. If Sollya's
// fpminimax supports the weight of the fit, Sollya also computes a polynomial with rounded coefficients. All errors are
// exponents of 2. compare returns an error if Sollya measures another error than this program, or if a polynomial is much worse
// than Sollya's polynomial.
func compare(w io.Writer, chosen []fit) error {
	var failed error
	for i := range chosen {
		f := &chosen[i]
		if f.sollya == "" {
			continue
		}
		s := f.solve()
		c, err := f.compareWithSollya(s)
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		rounded := "-"
		if !math.IsNaN(c.rounded) {
			rounded = fmt.Sprintf("%.1f", c.rounded)
		}
		fmt.Fprintf(w, "%s: ours %.1f, measured by Sollya %.1f, fpminimax %s, real coefficients %.1f\n", f.name, s.exponent, c.ours, rounded, c.least)
		if math.Abs(c.ours-s.exponent) > 0.1 {
			failed = errors.Join(failed, fmt.Errorf("%s: the error is 2^%.2f, and Sollya measures 2^%.2f", f.name, s.exponent, c.ours))
		}
		if c.ours-c.least > lossMost && c.ours > smallest || c.ours-c.rounded > lossMost {
			failed = errors.Join(failed, fmt.Errorf("%s: the error is 2^%.2f; Sollya has 2^%.2f with rounded coefficients, and 2^%.2f with real ones", f.name, c.ours, c.rounded, c.least))
		}
	}
	return failed
}

// lossMost is the largest allowed loss by rounding coefficients, in bits. A larger loss is allowed if the error is below
// 2^smallest, because the result has only 53 bits.
const (
	lossMost = 0.2
	smallest = -57
)

// A comparison holds the errors of one fit, as exponents of 2.
type comparison struct {
	ours    float64 // the error of our polynomial
	least   float64 // the error of the best polynomial with real coefficients
	rounded float64 // the error of fpminimax, or NaN
}

// compareWithSollya runs Sollya for one fit. Sollya cannot compute the functions at zero, where they have a removable
// singularity. So the bounds differ slightly from zero and from each other.
func (f *fit) compareWithSollya(s solution) (comparison, error) {
	weight := f.sollyaWeight
	switch {
	case f.relative:
		weight = "1/f"
	case weight == "":
		weight = "1"
	}
	lo, hi := "1b-40", dyadic(f.hi)
	if f.lo != 0 {
		lo = dyadic(f.lo) + "+1b-40"
	}
	var script strings.Builder
	fmt.Fprintf(&script, "prec=400; display=decimal; f=%s; w=%s; I=[%s;%s];\n", f.sollya, weight, lo, hi)
	p := "0"
	for k := len(s.coefficients) - 1; k >= 0; k-- {
		p = fmt.Sprintf("(%s)*x+(%s)", p, dyadic(s.coefficients[k]))
	}
	fmt.Fprintf(&script, "p=%s;\nr=remez(f*w,%d,I,w);\n", p, f.terms-1)
	polynomials := []string{"p", "r"}
	if weight == "1" || f.relative {
		kind := map[bool]string{true: "relative", false: "absolute"}[f.relative]
		formats := strings.Repeat(fmt.Sprintf(",%d", f.bits), f.terms)[1:]
		fmt.Fprintf(&script, "q=fpminimax(f,%d,[|%s|],I,floating,%s);\n", f.terms-1, formats, kind)
		polynomials = append(polynomials, "q")
	}
	for _, name := range polynomials {
		fmt.Fprintf(&script, "print(\"exponent\",round(log2(dirtyinfnorm((%s-f)*w,I)),30,RN));\n", name)
	}
	script.WriteString("quit;\n")
	cmd := exec.Command("sollya")
	cmd.Stdin = strings.NewReader(script.String())
	printed, err := cmd.CombinedOutput()
	if err != nil {
		return comparison{}, fmt.Errorf("%w\n%s", err, printed)
	}
	found := []float64{}
	for line := range bytes.Lines(printed) {
		var e float64
		if n, _ := fmt.Sscanf(string(line), "exponent %g", &e); n == 1 {
			found = append(found, e)
		}
	}
	if len(found) != len(polynomials) {
		return comparison{}, fmt.Errorf("unexpected output of Sollya: %s", printed)
	}
	c := comparison{found[0], found[1], math.NaN()}
	if len(found) > 2 {
		c.rounded = found[2]
	}
	return c, nil
}

// dyadic formats a number so that Sollya reads it without a rounding error: for example, 3b-2 is 0.75.
func dyadic(x float64) string {
	frac, e := math.Frexp(x)
	return fmt.Sprintf("%.0fb%d", math.Ldexp(frac, 53), e-53)
}
