package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/lanewise/lanewise/bench/compare/native"
	"github.com/lanewise/lanewise/kernels"
)

// A rival is a function that SLEEF also provides for AVX2 and FMA, with an error of at most
// 1.0 ulp. SLEEF lacks the functions in the list alone. The arguments are between two
// numbers.
type rival struct {
	name           string
	lo, hi         float64
	lo2, hi2       float64
	single, double any // func(dst, x []T) or func(dst, x, y []T)
}

var rivals = []rival{
	{"Exp", -10, 10, 0, 0, kernels.Exp[float32], kernels.Exp[float64]},
	{"Exp2", -10, 10, 0, 0, kernels.Exp2[float32], kernels.Exp2[float64]},
	{"Expm1", -2, 2, 0, 0, kernels.Expm1[float32], kernels.Expm1[float64]},
	{"Pow", 0.1, 10, -10, 10, kernels.Pow[float32], kernels.Pow[float64]},
	{"Log", 0.1, 10, 0, 0, kernels.Log[float32], kernels.Log[float64]},
	{"Log1p", -0.9, 10, 0, 0, kernels.Log1p[float32], kernels.Log1p[float64]},
	{"Log2", 0.1, 10, 0, 0, kernels.Log2[float32], kernels.Log2[float64]},
	{"Log10", 0.1, 10, 0, 0, kernels.Log10[float32], kernels.Log10[float64]},
	{"Sin", -10, 10, 0, 0, kernels.Sin[float32], kernels.Sin[float64]},
	{"Cos", -10, 10, 0, 0, kernels.Cos[float32], kernels.Cos[float64]},
	{"Tan", -10, 10, 0, 0, kernels.Tan[float32], kernels.Tan[float64]},
	{"Asin", -1, 1, 0, 0, kernels.Asin[float32], kernels.Asin[float64]},
	{"Acos", -1, 1, 0, 0, kernels.Acos[float32], kernels.Acos[float64]},
	{"Atan", -4, 4, 0, 0, kernels.Atan[float32], kernels.Atan[float64]},
	{"Atan2", -4, 4, -4, 4, kernels.Atan2[float32], kernels.Atan2[float64]},
	{"Sinh", -4, 4, 0, 0, kernels.Sinh[float32], kernels.Sinh[float64]},
	{"Cosh", -4, 4, 0, 0, kernels.Cosh[float32], kernels.Cosh[float64]},
	{"Tanh", -4, 4, 0, 0, kernels.Tanh[float32], kernels.Tanh[float64]},
	{"Cbrt", -10, 10, 0, 0, kernels.Cbrt[float32], kernels.Cbrt[float64]},
	{"Hypot", -4, 4, -4, 4, kernels.Hypot[float32], kernels.Hypot[float64]},
	{"Erf", -4, 4, 0, 0, kernels.Erf[float32], kernels.Erf[float64]},
	{"Erfc", -4, 8, 0, 0, kernels.Erfc[float32], kernels.Erfc[float64]},
	{"Mod", -100, 100, 1, 4, kernels.Mod[float32], kernels.Mod[float64]},
	{"Floor", -10, 10, 0, 0, kernels.Floor[float32], kernels.Floor[float64]},
	{"Ceil", -10, 10, 0, 0, kernels.Ceil[float32], kernels.Ceil[float64]},
	{"Trunc", -10, 10, 0, 0, kernels.Trunc[float32], kernels.Trunc[float64]},
	{"Round", -10, 10, 0, 0, kernels.Round[float32], kernels.Round[float64]},
	{"CopySign", -10, 10, -1, 1, kernels.CopySign[float32], kernels.CopySign[float64]},
}

// alone lists the functions without a rival: SLEEF lacks these functions, or returns both
// results at once.
var alone = []rival{
	{"Sincos", -10, 10, 0, 0, sine[float32], sine[float64]},
	{"Rsqrt", 0.1, 10, 0, 0, kernels.Rsqrt[float32], kernels.Rsqrt[float64]},
	{"Fract", -10, 10, 0, 0, kernels.Fract[float32], kernels.Fract[float64]},
	{"Kepler", -3, 3, 0, 0.9, kernels.Kepler[float32], kernels.Kepler[float64]},
}

// sine calls Sincos for half of the rows at a time, so that both results fit in
// dst.
func sine[T kernels.Float](dst, x []T) {
	half := len(x) / 2
	kernels.Sincos(dst[:half], dst[half:2*half], x[:half])
	kernels.Sincos(dst[:half], dst[half:2*half], x[half:2*half])
}

// call returns a function that calls our function on n rows.
func (r *rival) call(bits, n int) func() {
	if bits == 32 {
		return r.rows(r.single, n)
	}
	return r.rows(r.double, n)
}

func (r *rival) rows(f any, n int) func() {
	switch f := f.(type) {
	case func(dst, x []float32):
		dst, x := make([]float32, n), numbersBetween[float32](n, 0, r.lo, r.hi)
		return func() { f(dst, x) }
	case func(dst, x, y []float32):
		dst, x, y := make([]float32, n), numbersBetween[float32](n, 0, r.lo, r.hi), numbersBetween[float32](n, 977, r.lo2, r.hi2)
		return func() { f(dst, x, y) }
	case func(dst, x []float64):
		dst, x := make([]float64, n), numbersBetween[float64](n, 0, r.lo, r.hi)
		return func() { f(dst, x) }
	case func(dst, x, y []float64):
		dst, x, y := make([]float64, n), numbersBetween[float64](n, 0, r.lo, r.hi), numbersBetween[float64](n, 977, r.lo2, r.hi2)
		return func() { f(dst, x, y) }
	}
	panic(fmt.Sprintf("compare: %T is no function on slices", f))
}

// numbersBetween returns n numbers between lo and hi, the same as in sleef.c.
func numbersBetween[T kernels.Float](n, from int, lo, hi float64) []T {
	x := make([]T, n)
	for i := range x {
		share := float64(uint64(i+from)*2654435761%1000003) / 1000003
		x[i] = T(lo + float64((hi-lo)*share))
	}
	return x
}

// startSleef compiles sleef.c and starts it.
func startSleef(cc string) (*program, error) {
	p, err := native.Start(source, "sleef.c", cc, []string{"-O2", "-mavx2", "-mfma"}, "-lsleef")
	return &program{p}, err
}

// side returns the side of SLEEF for a rival.
func (p *program) side(r *rival, bits, n int) side {
	return side{"SLEEF", func(times int) (ns float64, err error) {
		if err = p.Ask(&ns, r.name, bits, n, times, r.lo, r.hi, r.lo2, r.hi2); err == nil && ns < 0 {
			err = fmt.Errorf("SLEEF has no %s", r.name)
		}
		return ns, err
	}}
}

// besideSleef measures, in turns, our functions for AVX2 and the same functions of SLEEF.
func besideSleef(w io.Writer, match func(string) bool, rounds int, cc string) error {
	p, err := startSleef(cc)
	if err != nil {
		return err
	}
	defer p.Stop()
	const n = 1024
	fmt.Fprintf(w, "| function | float32, ns a row | SLEEF | ratio | float64, ns a row | SLEEF | ratio |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for i, r := range slices.Concat(rivals, alone) {
		if !match(r.name) {
			continue
		}
		fmt.Fprintf(w, "| %s", r.name)
		for _, bits := range []int{32, 64} {
			sides := []side{calls("avx2", "avx2", r.call(bits, n))}
			if i < len(rivals) {
				sides = append(sides, p.side(&r, bits, n))
			}
			row, err := measure(sides, n, rounds)
			if err != nil {
				return err
			}
			if i < len(rivals) {
				fmt.Fprintf(w, " | %.2f | %.2f | %.2f", row["avx2"], row["SLEEF"], row["avx2"]/row["SLEEF"])
			} else {
				fmt.Fprintf(w, " | %.2f | – | –", row["avx2"])
			}
		}
		fmt.Fprintln(w, " |")
	}
	return nil
}
