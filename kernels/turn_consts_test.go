package kernels

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"strconv"
	"testing"
)

// These tests read the sources of the assembly, so they run on every CPU. They are needed because an
// error in the last bit of the last coefficient changes too few results for other tests to notice.

// turnConstants returns the constants of arc.go and turn.go. A float32 constant is stored twice, in
// both halves of a word of 64 bits.
func turnConstants() map[string]uint64 {
	table := map[string]uint64{
		"halfPi32": twice(halfPi32), "halfPi64": math.Float64bits(halfPi),
	}
	for i, x := range arc32 {
		table[fmt.Sprintf("arc32%c", 'A'+i)] = twice(x)
	}
	for i, x := range arc64 {
		table[fmt.Sprintf("arc64%c", 'A'+i)] = math.Float64bits(x)
	}
	return table
}

func twice(x float32) uint64 { return uint64(math.Float32bits(x)) * (1<<32 + 1) }

// TestTurnConstants compares the constants of turn_amd64.s with those of Go.
func TestTurnConstants(t *testing.T) {
	want := turnConstants()
	found := matches(t, "turn_amd64.s", `(?m)^SPLAT64\((\w+)<>, \$0x(\w+)\)$`)
	for _, m := range found {
		if bits, err := strconv.ParseUint(m[2], 16, 64); err != nil || bits != want[m[1]] {
			t.Errorf("%s is %#x (%v), in Go %#x", m[1], bits, err, want[m[1]])
		}
	}
	if len(found) != len(want) {
		t.Errorf("%d constants, %d in Go", len(found), len(want))
	}
}

// TestNEONTurnConstants compares the constants of the NEON path with the Go constants that their
// comments name.
func TestNEONTurnConstants(t *testing.T) {
	table := constants64(t)
	for name, bits := range turnConstants() {
		table[name] = bits
	}
	found := 0
	for _, file := range []string{"sincos_arm64.h", "turn_arm64.s"} {
		for _, m := range matches(t, file, `(?m)^DATA \S+/(\d), \$(\S+)(?: // (\w+))$`) {
			value, err := evaluate(m[2])
			if err != nil {
				t.Fatal(err)
			}
			x, _ := constant.Float64Val(constant.ToFloat(value))
			bits := math.Float64bits(x)
			if m[1] == "4" {
				bits = twice(float32(x))
			}
			if want, named := table[m[3]]; m[3] == "half" && x != 0.5 || m[3] != "half" && (!named || bits != want) {
				t.Errorf("%s: %s is %s", file, m[3], m[2])
			}
			found++
		}
	}
	if found != 14+8+24+5*4+12*2 {
		t.Errorf("%d constants", found)
	}
}

// evaluate returns the value of a constant expression. The assembler reads such expressions as Go
// does.
func evaluate(expression string) (constant.Value, error) {
	tv, err := types.Eval(token.NewFileSet(), nil, token.NoPos, expression)
	if err != nil {
		return nil, err
	}
	return tv.Value, nil
}
