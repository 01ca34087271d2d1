package integrate

import (
	"testing"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/kerneltest"
)

// TestKernels compares each compiled loop with its source, on every path.
func TestKernels(t *testing.T) {
	t.Run("float32", testKernels[float32])
	t.Run("float64", testKernels[float64])
}

func testKernels[T kernels.Float](t *testing.T) {
	for name, n := range map[op]int{opRK4Sum: 5, opKickDrift: 3, opThermal: 3, opStage2: 4, opStage3: 5, opStage4: 6, opStage5: 7, opStage6: 8, opStage7: 8, opEstimate: 9, opTake: 5} {
		kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
			var x [9][]T
			for i := range x[:n] {
				x[i] = kerneltest.Lane[T](in)
			}
			p := pass[T]{op: name, s: kerneltest.Value[T](in), t: kerneltest.Value[T](in)}
			return func() { source(&p, &x) }, func() { p.run(&x) }
		})
	}
}

// source runs the Go source of a pass.
func source[T kernels.Float](p *pass[T], x *[9][]T) {
	switch p.op {
	case opRK4Sum:
		rk4Sum(x[0], x[1], x[2], x[3], x[4], p.s)
	case opKickDrift:
		kickDrift(x[0], x[1], x[2], p.s, p.t)
	case opThermal:
		thermal(x[0], x[1], x[2], p.s)
	case opStage2:
		stage2(x[0], x[1], x[2], x[3])
	case opStage3:
		stage3(x[0], x[1], x[2], x[3], x[4])
	case opStage4:
		stage4(x[0], x[1], x[2], x[3], x[4], x[5])
	case opStage5:
		stage5(x[0], x[1], x[2], x[3], x[4], x[5], x[6])
	case opStage6:
		stage6(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7])
	case opStage7:
		stage7(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7])
	case opEstimate:
		estimate(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], p.s, p.t)
	case opTake:
		take(x[0], x[1], x[2], x[3], x[4])
	}
}

// TestControlKernels does the same for the loops that choose steps.
func TestControlKernels(t *testing.T) {
	t.Run("float32", testControlKernels[float32])
	t.Run("float64", testControlKernels[float64])
}

func testControlKernels[T kernels.Float](t *testing.T) {
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		wide := func() []float64 { return kerneltest.Lane[float64](in) }
		c := clock[T]{way: wide(), step: wide(), next: wide(), past: wide(), times: wide(), verdict: kerneltest.Lane[T](in), square: kerneltest.Lane[T](in), h: kerneltest.Lane[T](in)}
		ad := &adaption{length: kerneltest.Value[float64](in), sign: kerneltest.Value[float64](in), longest: kerneltest.Value[float64](in), start: kerneltest.Value[float64](in)}
		many := kerneltest.Value[float64](in)
		return func() {
				plan(c.h, c.way, c.step, c.next, ad.length, ad.longest, ad.sign)
				control(c.verdict, c.square, c.way, c.step, c.next, c.past, ad.length, many, ad.longest)
				times(c.times, c.way, c.step, ad.start, ad.sign, many)
			}, func() {
				c.plan(ad)
				c.control(ad, many)
				times64(c.times, c.way, c.step, ad.start, ad.sign, many)
			}
	})
}
