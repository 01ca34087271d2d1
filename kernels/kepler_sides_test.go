package kernels

import (
	"fmt"
	"go/constant"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// keplerConstants returns the constants of the tables in Go. A float32 constant is stored twice, in
// both halves of a word of 64 bits.
func keplerConstants() map[string]uint64 {
	want := map[string]uint64{"cubeRoot32": uint64(cubeRoot32) * (1<<32 + 1), "cubeRoot64": cubeRoot64}
	single := func(name string, v float32) { want[name] = twice(v) }
	double := func(name string, v float64) { want[name] = math.Float64bits(v) }
	single("invTwoPi32", invTwoPi32)
	double("invTwoPi64", invTwoPi64)
	for i, part := range []float32{twoPi32A, twoPi32B, twoPi32C, twoPi32D} {
		single(fmt.Sprintf("twoPi32%c", 'A'+i), part)
	}
	for i, part := range []float64{twoPi64A, twoPi64B, twoPi64C} {
		double(fmt.Sprintf("twoPi64%c", 'A'+i), part)
	}
	keplerWords(kepler32, single, "kepler32", math.Nextafter32(1, 0))
	keplerWords(kepler64, double, "kepler64", math.Nextafter(1, 0))
	return want
}

// TestKeplerConstants compares the constants of kepler_amd64.s with those of Go.
func TestKeplerConstants(t *testing.T) {
	want := keplerConstants()
	want["third"], want["thirdOf32"], want["low32"] = 1<<33/3+1, 1<<32/3, 1<<32-1
	for _, m := range matches(t, "kepler_amd64.s", `SPLAT64\((\w+)<>, \$0x(\w+)\)`) {
		bits, err := strconv.ParseUint(m[2], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		if w, ok := want[m[1]]; !ok || bits != w {
			t.Errorf("%s is %#x in the assembly, %#x in Go", m[1], bits, w)
		}
		delete(want, m[1])
	}
	for name := range want {
		t.Errorf("%s was not found in the assembly", name)
	}
}

// TestNEONKeplerConstants compares the constants of kepler_arm64.s with those of Go.
func TestNEONKeplerConstants(t *testing.T) {
	want := keplerConstants()
	want["third32"] = 0x5555555655555556
	for _, m := range matches(t, "kepler_arm64.s", `(?m)^\s*KEPLER(32|64)\(\d+, \$(\S+)\) +// (\w+)$`) {
		value, err := evaluate(m[2])
		if err != nil {
			t.Fatal(err)
		}
		bits, whole := constant.Uint64Val(constant.ToInt(value))
		if whole && !strings.HasPrefix(m[3], "kepler") { // an integer
			if m[1] == "32" {
				bits *= 1<<32 + 1
			}
		} else if x, _ := constant.Float64Val(constant.ToFloat(value)); m[1] == "32" {
			bits = twice(float32(x))
		} else {
			bits = math.Float64bits(x)
		}
		if w, ok := want[m[3]]; !ok || bits != w {
			t.Errorf("%s is %#x in the assembly, %#x in Go", m[3], bits, w)
		}
		delete(want, m[3])
	}
	for name := range want {
		t.Errorf("%s was not found in the assembly", name)
	}
}

func keplerWords[T Float](k keplerTable[T], word func(string, T), name string, belowOne T) {
	word(name+"Pi", k.pi)
	for i, v := range k.alpha {
		word(fmt.Sprintf("%sAlpha%c", name, 'A'+i), v)
	}
	word(name+"Near", k.near)
	word(name+"Sixth", k.sixth)
	for i, v := range k.series {
		word(fmt.Sprintf("%sSeries%d", name, i), v)
	}
	word(name+"Normal", k.normal)
	word(name+"Up", k.up)
	word(name+"Down", k.down)
	word(name+"Three", 3)
	word(name+"BelowOne", belowOne)
}

// TestKeplerSides compares every path with the generic body at the arguments where the method
// changes: at nearly parabolic orbits, at E near 1.6 and half a turn, and at the limits of the range
// that vectors handle.
func TestKeplerSides(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var M, e []float64
	n := 1 << 11
	if *full {
		n = 1 << 15
	}
	for range n {
		m := (r.Float64() - 0.5) * math.Exp2(float64(r.IntN(60)-42))
		M = append(M, m, math.Pi+m*1e-3, 1.6-m*1e-3, float64(ordinary64)+m)
		e = append(e, r.Float64(), 1-math.Exp2(-float64(r.IntN(54))), 1-math.Exp2(-53*r.Float64()), r.Float64())
	}
	e[5], e[100], e[1000], M[7] = 1, -0x1p-1074, math.NaN(), math.Inf(1)
	eachPath(t, func(t *testing.T) {
		keplerSides(t, M, e)
		single := func(x []float64) (y []float32) {
			for _, v := range x {
				y = append(y, float32(v))
			}
			return y
		}
		keplerSides(t, single(M), single(e))
	})
}

func keplerSides[T Float](t *testing.T, M, e []T) {
	got, want := make([]T, len(M)), make([]T, len(M))
	Kepler(got, M, e)
	keplerGeneric(want, M, e)
	for i := range got {
		if got[i] != want[i] && (got[i] == got[i] || want[i] == want[i]) || math.Signbit(float64(got[i])) != math.Signbit(float64(want[i])) && got[i] == got[i] {
			t.Fatalf("Kepler(%v, %v) is %v, want %v", M[i], e[i], got[i], want[i])
		}
	}
}
