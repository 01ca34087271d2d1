package main

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/lanewise/lanewise/kernels"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// A pair is a function of gonum and the kernel that does the same. Each of the two returns its result,
// or the last row of the lane that it writes.
type pair struct {
	gonum, kernel string
	call          func(o *operands) (gonum, kernel func() float64)
}

// operands are the lanes of a pair. The kernel and the function of gonum write to lanes of their
// own.
type operands struct {
	x, y          []float64
	theirs, mine  []float64
	vx, vy, vdest blas64.Vector
}

func newOperands(n int) *operands {
	made = 0
	o := &operands{x: lane[float64](n), y: lane[float64](n), theirs: lane[float64](n), mine: lane[float64](n)}
	for i := range o.y {
		o.y[i] = value(7*i + 3)
	}
	o.vx, o.vy = blas64.Vector{N: n, Data: o.x, Inc: 1}, blas64.Vector{N: n, Data: o.y, Inc: 1}
	o.vdest = blas64.Vector{N: n, Data: o.theirs, Inc: 1}
	return o
}

// number returns a pair of functions of x and y.
func number(gonum, kernel func(x, y []float64) float64) func(*operands) (func() float64, func() float64) {
	return func(o *operands) (func() float64, func() float64) {
		return func() float64 { return gonum(o.x, o.y) }, func() float64 { return kernel(o.x, o.y) }
	}
}

// writePair returns a pair of functions that write to a lane, and return its last row.
func writePair(gonum func(o *operands), kernel func(dst []float64, o *operands)) func(*operands) (func() float64, func() float64) {
	return func(o *operands) (func() float64, func() float64) {
		last := len(o.x) - 1
		return func() float64 { gonum(o); return o.theirs[last] }, func() float64 { kernel(o.mine, o); return o.mine[last] }
	}
}

// listPairs lists the compared functions. The factors of repeated sums are small, so that the lanes do
// not grow.
func listPairs() []pair {
	inf := math.Inf(1)
	return []pair{
		{"floats.Sum", "Sum", number(func(x, _ []float64) float64 { return floats.Sum(x) }, func(x, _ []float64) float64 { return kernels.Sum(x) })},
		{"floats.SumCompensated", "SumExact", number(func(x, _ []float64) float64 { return floats.SumCompensated(x) }, func(x, _ []float64) float64 { return kernels.SumExact(x) })},
		{"floats.Dot", "Dot", number(floats.Dot, kernels.Dot[float64])},
		{"blas64.Asum", "Norm1", func(o *operands) (func() float64, func() float64) {
			return func() float64 { return blas64.Asum(o.vx) }, func() float64 { return kernels.Norm1(o.x) }
		}},
		{"floats.Norm(x, 1)", "Norm1", number(func(x, _ []float64) float64 { return floats.Norm(x, 1) }, func(x, _ []float64) float64 { return kernels.Norm1(x) })},
		{"floats.Norm(x, 2)", "NormScaled", number(func(x, _ []float64) float64 { return floats.Norm(x, 2) }, func(x, _ []float64) float64 { return kernels.NormScaled(x) })},
		{"blas64.Nrm2", "NormScaled", func(o *operands) (func() float64, func() float64) {
			return func() float64 { return blas64.Nrm2(o.vx) }, func() float64 { return kernels.NormScaled(o.x) }
		}},
		{"floats.Norm(x, +Inf)", "NormInf", number(func(x, _ []float64) float64 { return floats.Norm(x, inf) }, func(x, _ []float64) float64 { return kernels.NormInf(x) })},
		{"floats.Distance(x, y, 1)", "Distance1", number(func(x, y []float64) float64 { return floats.Distance(x, y, 1) }, kernels.Distance1[float64])},
		{"floats.Distance(x, y, 2)", "Distance", number(func(x, y []float64) float64 { return floats.Distance(x, y, 2) }, kernels.Distance[float64])},
		{"floats.Distance(x, y, +Inf)", "DistanceInf", number(func(x, y []float64) float64 { return floats.Distance(x, y, inf) }, kernels.DistanceInf[float64])},
		{"floats.MaxIdx", "ArgMax", number(func(x, _ []float64) float64 { return float64(floats.MaxIdx(x)) }, func(x, _ []float64) float64 { return float64(kernels.ArgMax(x)) })},
		{"floats.MinIdx", "ArgMin", number(func(x, _ []float64) float64 { return float64(floats.MinIdx(x)) }, func(x, _ []float64) float64 { return float64(kernels.ArgMin(x)) })},
		{"floats.AddScaled", "AddScaled", writePair(func(o *operands) { floats.AddScaled(o.theirs, 1e-9, o.x) }, func(dst []float64, o *operands) { kernels.AddScaled(dst, dst, o.x, 1e-9) })},
		{"blas64.Axpy", "AddScaled", writePair(func(o *operands) { blas64.Axpy(1e-9, o.vx, o.vdest) }, func(dst []float64, o *operands) { kernels.AddScaled(dst, dst, o.x, 1e-9) })},
		{"floats.AddScaledTo", "AddScaled", writePair(func(o *operands) { floats.AddScaledTo(o.theirs, o.y, 1e-9, o.x) }, func(dst []float64, o *operands) { kernels.AddScaled(dst, o.y, o.x, 1e-9) })},
		{"blas64.Scal", "Scale", writePair(func(o *operands) { blas64.Scal(1-1e-9, o.vdest) }, func(dst []float64, o *operands) { kernels.Scale(dst, dst, 1-1e-9) })},
		{"floats.AddConst", "AddConst", writePair(func(o *operands) { floats.AddConst(1e-9, o.theirs) }, func(dst []float64, o *operands) { kernels.AddConst(dst, dst, 1e-9) })},
		{"floats.CumSum", "PrefixSum", writePair(func(o *operands) { floats.CumSum(o.theirs, o.x) }, func(dst []float64, o *operands) { kernels.PrefixSum(dst, o.x) })},
		{"stat.Mean", "Mean", number(func(x, _ []float64) float64 { return stat.Mean(x, nil) }, func(x, _ []float64) float64 { return kernels.Mean(x) })},
		{"stat.Variance", "Variance", number(func(x, _ []float64) float64 { return stat.Variance(x, nil) }, func(x, _ []float64) float64 { return kernels.Variance(x) })},
		{"stat.MeanStdDev", "MeanStdDev", number(func(x, _ []float64) float64 { m, s := stat.MeanStdDev(x, nil); return m + s }, func(x, _ []float64) float64 { m, s := kernels.MeanStdDev(x); return m + s })},
		{"stat.Covariance", "Covariance", number(func(x, y []float64) float64 { return stat.Covariance(x, y, nil) }, kernels.Covariance[float64])},
		{"stat.Correlation", "Correlation", number(func(x, y []float64) float64 { return stat.Correlation(x, y, nil) }, kernels.Correlation[float64])},
	}
}

// besideGonum prints the times of gonum's functions and of our kernels on each path, and the ratios
// of gonum's times to ours.
func besideGonum(w io.Writer, filter func(string) bool, ns []int, rounds int) error {
	paths := kernels.Paths()[1:]
	tab := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	fmt.Fprint(tab, "| gonum\t| kernels\t| rows\t| gonum, ns\t|")
	for _, p := range paths {
		fmt.Fprintf(tab, " %s, ns\t| ratio\t|", p)
	}
	fmt.Fprint(tab, "\n| ---\t| ---\t| ---:\t| ---:\t|")
	for range paths {
		fmt.Fprint(tab, " ---:\t| ---:\t|")
	}
	fmt.Fprintln(tab)
	for _, p := range listPairs() {
		if !filter(p.gonum) && !filter(p.kernel) {
			continue
		}
		for _, n := range ns {
			theirs, mine := p.call(newOperands(n))
			sides := []side{calls("gonum", "", func() { sink = theirs() })}
			for _, path := range paths {
				sides = append(sides, calls(path, path, func() { sink = mine() }))
			}
			row, err := measure(sides, n, rounds)
			if err != nil {
				return err
			}
			rows := float64(n)
			fmt.Fprintf(tab, "| %s\t| %s\t| %d\t| %.1f\t|", p.gonum, p.kernel, n, row["gonum"]*rows)
			for _, path := range paths {
				fmt.Fprintf(tab, " %.1f\t| %.2f\t|", row[path]*rows, row["gonum"]/row[path])
			}
			fmt.Fprintln(tab)
		}
	}
	return tab.Flush()
}
