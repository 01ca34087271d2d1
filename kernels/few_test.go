package kernels

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"
)

// fewRows is the largest number of rows that BenchmarkFew measures.
const fewRows = 8

// BenchmarkFew compares every kernel on 1 to 8 rows with its Go body. It reports three numbers:
//
//	few         the number of rows from which on the path is as fast as the Go body
//	loss-ns     the largest loss of a call against the Go body, with any number of rows
//	again-ns    the largest loss if calls compute the same rows in place again and again
//
// The first two numbers come from calls that take turns on 32 sets of operands. The third number
// comes from calls on one set of operands. They are slower, because a CPU must wait before it
// loads a part of a vector that it has just stored. The number few compares mean times of both
// kinds of calls. Below few, the path gains at most 2 ns in calls of the first kind.
//
// Each kernel in internal/kernelgen has a field few. If a call has fewer rows than this number, the
// path runs the Go body. "make few" switches this choice off, so that the column few shows the
// numbers for these fields.
func BenchmarkFew(b *testing.B) {
	benchFew(b, "f32", table[float32](), sliceTable[float32]())
	benchFew(b, "f64", table[float64](), sliceTable[float64]())
}

func benchFew[T Float](b *testing.B, typ string, rows []kernel[T], slices []sliceKernel[T]) {
	for i := range rows {
		k := &rows[i]
		var alias []int
		if len(k.alias) > 0 {
			alias = k.alias[0]
		}
		fewCases(b, k.name, typ, k.run, alias, func(n int, seed uint64) *inputs[T] { return newInputs(k, n, false, seed) })
	}
	for i := range slices {
		k := &slices[i]
		var alias []int
		if len(k.alias) > 0 && len(k.dst) == 1 {
			alias = k.alias[:1]
		}
		fewCases(b, k.name, typ, k.run, alias, func(n int, seed uint64) *inputs[T] { return sliceInputs(k, n, false, seed) })
	}
}

func fewCases[T Float](b *testing.B, name, typ string, run func(*args[T]), alias []int, make func(n int, seed uint64) *inputs[T]) {
	for _, path := range Paths()[1:] {
		b.Run(fmt.Sprintf("kernel=%s/path=%s/type=%s", name, path, typ), func(b *testing.B) {
			var gain [fewRows + 1][2]float64
			for n := 1; n <= fewRows; n++ {
				gain[n] = newFewCase(n, run, alias, make).timeGains(path)
			}
			few, turns, again := 1, 0.0, 0.0
			for n := 1; n <= fewRows; n++ {
				turns, again = max(turns, -gain[n][0]), max(again, -gain[n][1])
				if few == n && gain[n][0]+gain[n][1] < -1.5 && gain[n][0] < 2 {
					few++
				}
			}
			for b.Loop() {
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(few), "few")
			b.ReportMetric(turns, "loss-ns")
			b.ReportMetric(again, "again-ns")
		})
	}
}

// A fewCase is a kernel with operands for both kinds of calls.
type fewCase[T Float] struct {
	run   func(*args[T])
	turns [32]args[T]
	again args[T]
	keep  [][]byte // the bytes of the sources of again, which the kernel overwrites
}

func newFewCase[T Float](n int, run func(*args[T]), alias []int, make func(n int, seed uint64) *inputs[T]) *fewCase[T] {
	c := &fewCase[T]{run: run}
	for i := range c.turns {
		c.turns[i] = fewOperands(make(n, uint64(i)), nil)
	}
	c.again = fewOperands(make(n, uint64(len(c.turns))), alias)
	for _, b := range c.again.src {
		c.keep = append(c.keep, bytes.Clone(b))
	}
	return c
}

// fewOperands places operands at multiples of 64.
func fewOperands[T Float](in *inputs[T], alias []int) args[T] {
	a := args[T]{n: in.n, scalar: in.scalar}
	for _, b := range in.src {
		a.src = append(a.src, heapRoom(0, b).lane)
	}
	for i, b := range in.dst {
		if i < len(alias) {
			a.dst = append(a.dst, a.src[alias[i]])
		} else {
			a.dst = append(a.dst, heapRoom(0, b).lane)
		}
	}
	return a
}

// timeGains returns the time of the Go body minus the time of a path in nanoseconds, for calls that take
// turns and for calls on the same rows. A time is the least of many short groups of calls, because
// other programs can only make it longer.
func (c *fewCase[T]) timeGains(path string) [2]float64 {
	defer use(Path())
	const rounds = 41
	var times [2][2][]float64
	for range rounds {
		for p, name := range [2]string{"generic", path} {
			use(name)
			times[p][0] = append(times[p][0], c.group(func(i int) *args[T] { return &c.turns[i] }))
			for i, b := range c.keep {
				copy(c.again.src[i], b)
			}
			times[p][1] = append(times[p][1], c.group(func(int) *args[T] { return &c.again }))
		}
	}
	var gain [2]float64
	for m := range gain {
		gain[m] = slices.Min(times[0][m]) - slices.Min(times[1][m])
	}
	return gain
}

func (c *fewCase[T]) group(operands func(i int) *args[T]) float64 {
	c.run(operands(0))
	start := time.Now()
	for i := range c.turns {
		c.run(operands(i))
	}
	return float64(time.Since(start).Nanoseconds()) / float64(len(c.turns))
}
