package kernels

import (
	"fmt"
	"math"
	"math/big"
	"os"
	"strings"
	"testing"
)

// TestSpecialAccuracy compares Lgamma, J0 and J1 with testdata/special.txt. Each row of this file has the name of a function,
// an argument, and the value that MPFR 4 computed with 300 bits. The arguments are random numbers, numbers at the ends of the
// expansions, and numbers next to zeros of the functions. A float32 is compared where the argument is a float32.
func TestSpecialAccuracy(t *testing.T) {
	text, err := os.ReadFile("testdata/special.txt")
	if err != nil {
		t.Fatal(err)
	}
	single := map[string]func(float32) float32{"Lgamma": LgammaOf[float32], "J0": J0Of[float32], "J1": J1Of[float32]}
	double := map[string]func(float64) float64{"Lgamma": LgammaOf[float64], "J0": J0Of[float64], "J1": J1Of[float64]}
	rows := map[string]int{}
	for line := range strings.Lines(string(text)) {
		var name, digits string
		var x float64
		if _, err := fmt.Sscan(line, &name, &x, &digits); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		want, _, err := big.ParseFloat(digits, 10, bigBits, big.ToNearestEven)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		rows[name]++
		got := double[name](x)
		off, _ := newBig(0).Sub(newBig(got), want).Float64()
		if d := ulps(got, want, 53); d > 0.9 && math.Abs(off) > allowedNearZero(name, x, got) {
			t.Errorf("%s of %x: got %x, which is %.3f ulp off", name, x, got, d)
		}
		if y := float32(x); float64(y) == x {
			nearest, _ := want.Float64()
			if got := single[name](y); ulps32(got, nearest) > 0.6 && !(math.Abs(nearest) > math.MaxFloat32 && math.IsInf(float64(got), 0)) {
				t.Errorf("%s of the float32 %x: got %x, want %x", name, x, got, nearest)
			}
		}
	}
	for name := range double { //lanewise:inexact the order of failures does not matter
		if rows[name] < 70 {
			t.Errorf("%s has %d rows", name, rows[name])
		}
	}
}

// allowedNearZero returns the absolute error that the comments of the functions allow next to zeros, beyond 0.9 ulp.
func allowedNearZero(name string, x, y float64) float64 {
	switch {
	case name == "Lgamma" && x < 0 && math.Abs(y) < 0.25:
		return 0x1p-54
	case name != "Lgamma" && math.Abs(x) > 7.85:
		return 0x1p-62 * math.Sqrt(2/math.Pi) / math.Sqrt(math.Abs(x))
	}
	return 0
}
