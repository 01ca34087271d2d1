package kerneltest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

func input(rows, kind int) *Input {
	return &Input{rows: rows, kind: kind, draw: rand.New(rand.NewPCG(1, 2))}
}

// TestSame checks that equal operands of each type are accepted, and that any NaN equals any other
// NaN.
func TestSame(t *testing.T) {
	Same(t, func(in *Input) (want, got func()) {
		type view struct {
			A    []float32
			B    []float64
			C    []int32
			D    []uint32
			E    []int64
			F    []uint64
			G    []bool
			Note string
		}
		v := View[view](in)
		if len(v.A) != in.Rows() || len(v.B) != in.Rows() || len(v.C) != in.Rows() || len(v.D) != in.Rows() || len(v.E) != in.Rows() || len(v.F) != in.Rows() || v.G != nil {
			t.Fatalf("%d rows: %+v", in.Rows(), v)
		}
		do := func(nan float64) {
			for i := range v.A {
				v.A[i], v.B[i], v.C[i], v.D[i], v.E[i], v.F[i] = v.A[i]*2, nan, v.C[i]+1, ^v.D[i], -v.E[i], v.F[i]<<1
			}
		}
		return func() { do(math.NaN()) }, func() { do(math.Float64frombits(0xfff8_0000_0000_0001)) }
	})
}

// TestDifferences checks that Same finds each difference between two functions and that the message
// says where it is.
func TestDifferences(t *testing.T) {
	for _, c := range []struct {
		name, want string
		wrong      func(x []float32)
	}{
		{"a bit", "lane 0, row 3 of 5: ", func(x []float32) { x[3] = math.Float32frombits(math.Float32bits(x[3]) ^ 1) }},
		{"the sign of zero", "lane 0, row 0 of 5: 0 (0x0), want -0 (0x80000000)", func(x []float32) { x[0] = 0 }},
		{"before the lane", "lane 0: row -1 of 5 was changed", func(x []float32) {
			all := toNumbers[float32](page)
			all[len(all)-6]++
		}},
	} {
		in := input(5, ordinary)
		in.draw = rand.New(rand.NewPCG(3, 3)) // the lane is at the guard
		x := Lane[float32](in)
		page = in.pages[0]
		zero := func() { x[0] = float32(math.Copysign(0, -1)) }
		got := in.compare(t, kernels.Path(), zero, func() { zero(); c.wrong(x) })
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

var page []byte

// TestPlaces checks that lanes have separate memory, that some of them end at the guard page and
// others do not, and that they have values of each kind.
func TestPlaces(t *testing.T) {
	in := input(7, special)
	ends, seen := 0, map[string]bool{}
	for range 40 {
		x := Lane[float32](in)
		if len(x) != 7 || cap(x) != 7 {
			t.Fatalf("a lane of %d, with room for %d", len(x), cap(x))
		}
		if all := toNumbers[float32](in.pages[len(in.pages)-1]); &x[6] == &all[len(all)-1] {
			ends++
		}
		for _, v := range x {
			seen[fmt.Sprint(v)] = true
		}
	}
	if ends < 20 || ends == 40 {
		t.Errorf("%d of 40 lanes end at the guard", ends)
	}
	for _, want := range []string{"0", "-0", "NaN", "+Inf", "-Inf", "1e-45"} {
		if !seen[want] {
			t.Errorf("no %s among special numbers", want)
		}
	}
	defer func() {
		if got := recover(); got != "kerneltest: Slice: n is 257, at most 256" {
			t.Errorf("got %v", got)
		}
	}()
	Slice[float32](in, 257)
}
