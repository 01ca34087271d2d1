package main

import (
	"cmp"
	"fmt"
	"strings"
)

// opinions returns docs/opinions.md. For each function, the page has its bound, its worst error, its share of wrong roundings
// and the number of arguments that MPFR checked. These data come from the output of internal/accuracy (measured and
// rounded). The page also has the errors of the polynomials, from the output of internal/minimax -sollya.
func opinions(rows []*row, measured, rounded, sollya string) (string, error) {
	found, tried, wrong := foundOf(measured), map[string][2]string{}, map[string]string{}
	for line := range strings.Lines(measured) {
		if f := strings.Fields(line); len(f) > 5 && f[3] == "arguments:" {
			one := tried[f[0]]
			one[map[bool]int{true: 0, false: 1}[f[1] == "f32"]] = f[2]
			tried[f[0]] = one
		}
	}
	for line := range strings.Lines(rounded) {
		if f := strings.Fields(line); len(f) == 18 {
			wrong[f[13]] = f[14] + " %"
		}
	}
	var b strings.Builder
	b.WriteString(opinionsHead)
	for _, r := range rows {
		if r.family != "functions" {
			continue
		}
		e, ok := exactnessOf(r.comment)
		if !ok {
			return "", fmt.Errorf("%s: the comment does not say how exact it is", r.name)
		}
		bits := wrong[r.name]
		if e.ulp[0] == "0" {
			bits = "0 %"
		}
		fmt.Fprintf(&b, "| %s", r.name)
		for i := range e.ulp {
			fmt.Fprintf(&b, " | %s | %s", e.ulp[i], cmp.Or(found[r.name][i], "–"))
			if i == 0 {
				fmt.Fprintf(&b, " | %s", cmp.Or(bits, "–"))
			}
		}
		fmt.Fprintf(&b, " | %s |\n", checkedBy(tried[r.name]))
	}
	b.WriteString(opinionsPolynomials)
	polynomials := 0
	for line := range strings.Lines(sollya) {
		name, errors, ok := strings.Cut(strings.TrimSpace(line), ": ours ")
		c := strings.Split(errors, ", ")
		if !ok || len(c) != 4 {
			return "", fmt.Errorf("sollya.txt: internal/minimax -sollya does not print such a line: %s", line)
		}
		for i, before := range []string{"", "measured by Sollya ", "fpminimax ", "real coefficients "} {
			if c[i], ok = strings.CutPrefix(c[i], before); !ok {
				return "", fmt.Errorf("sollya.txt: no %q in: %s", before, line)
			}
			c[i] = strings.Replace(c[i], "-", "−", 1)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", name, c[0], c[1], strings.Replace(c[2]+" ", "− ", "– ", 1), c[3])
		polynomials++
	}
	if polynomials == 0 {
		return "", fmt.Errorf("sollya.txt has no polynomials")
	}
	b.WriteString(opinionsCode)
	return strings.ReplaceAll(b.String(), "  |", " |"), nil
}

// checkedBy describes how a function was checked: at how many arguments MPFR checked it, or which tests check it.
func checkedBy(tried [2]string) string {
	switch {
	case tried[0] == "4294967296":
		return "MPFR: all float32, " + tried[1] + " float64"
	case tried[0] != "":
		return "MPFR: " + tried[0] + " pairs of each type"
	}
	return "the tests of package kernels"
}

const opinionsHead = `# Second opinions

This page is generated. It lists the accuracy of each function and the programs that checked it. ` + "`go generate ./internal/kerneldoc`" + ` generates the page
from the comments of the functions and from the outputs of the checks.

These programs check the results or the code. People outside this project wrote all of them except lanec:

| opinion | it checks | command | when |
| --- | --- | --- | --- |
| MPFR 4, an arithmetic with any number of bits | the errors of the functions | ` + "`make accuracy`" + ` | before a release |
| MPFR 4 and the C library | the correctly rounded functions ([table](kernels.md#rounded)) | ` + "`make rounded`" + ` | each night |
| Sollya 8, a program for polynomials | the error of each polynomial | ` + "`make polynomials`" + ` | each night |
| gcc and clang, from C code | the bits of [twelve kernels](#code), in up to five versions of the code and both types | ` + "`make opinion`" + ` | each push |
| clang and c2goasm, from C code | the bits of [four hand-written kernels](#code) | ` + "`make opinion`" + ` | each push |
| clang 14 and c2goasm again | the bytes of the assembly of these four kernels in the repository | ` + "`make c2go-again`" + ` | each night |
| lanec, from the Go bodies | the bits of the hand-written kernels that it can compile | ` + "`go test ./internal/lanec/opinion`" + ` | each push |
| Go's compiler, from the Go bodies | the bits of all kernels on every path | ` + "`go test ./kernels`" + ` | each push |
| the vectors of Go 1.27 (` + "`GOEXPERIMENT=simd`" + `) on WebAssembly | the golden values of the kernels, and the bits of loops that lanec compiles | ` + "`make wasm-full lanec`" + ` | each night |

## Functions

The columns *bound* show the largest error in units in the last place, as the comment promises it, and the columns *worst* show the largest error that MPFR found. The
column *wrong roundings* shows how many results of float32 are not the nearest float32. The numbers are those of ` + "`internal/accuracy/measured.txt`" + ` and ` + "`internal/accuracy/rounded.txt`" + `.

| function | f32 bound | worst | wrong roundings | f64 bound | worst | checked by |
| --- | ---: | ---: | ---: | ---: | ---: | --- |
`

const opinionsPolynomials = `
## Polynomials

` + "`go run ./internal/minimax`" + ` computes the coefficients of the polynomials, and a test compares them with the source. The column *ours* shows the error that this command
computes, as an exponent of 2. Sollya measures the error of the same coefficients. It also computes a polynomial of its own with coefficients of as many bits (fpminimax), where it knows the
weight of the error, and the best polynomial with real coefficients. Rounded coefficients cannot be better than that. Where *ours* is far above it, the error is
below 2⁻⁵⁷ and smaller than the rounding of the result. Sollya lacks the inverse of the error function, so it has no opinion about the three polynomials of NormalQuantile.

| polynomial | ours | measured by Sollya | fpminimax | real coefficients |
| --- | ---: | ---: | ---: | ---: |
`

const opinionsCode = `
## Code

The compilers get C code that computes in the same order, with ` + "`-ffp-contract=off`" + `, so that the results must have the same bits:

| C code | kernels | compilers |
| --- | --- | --- |
| [bench/compare/source](../bench/compare/source/columns.h) | Vec3s.AddScaled, Vec3s.Rotate, Vec3s.Normalize, Quats.Mul, Quats.Integrate, Quats.Normalize, Mat3x4s.Compose, Mat4s.Compose, Mat4s.MulAffine, Mat4s.MulFull, Boxes.InPlanes, Boxes.Transform | gcc, clang |
| [internal/c2go/source](../internal/c2go/source/kernels.c) | Vec3s.AddScaled, Vec3s.Rotate, Quats.Mul, Mat4s.Compose | clang 14, c2goasm |
`
