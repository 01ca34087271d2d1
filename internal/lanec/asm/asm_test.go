package asm

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestParallel orders random parallel moves and executes them one after the other. The result must be
// the same as if all moves were done at once. It differs if a register is overwritten too early.
func TestParallel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		const places = 6
		before := map[string]int{"constant": 100}
		for i := range places {
			before[fmt.Sprint("r", i)] = i
		}
		var moves []Move
		for i, to := range r.Perm(places)[:r.IntN(places+1)] {
			from := fmt.Sprint("r", r.IntN(places))
			if i == 0 && r.IntN(4) == 0 {
				from = "constant"
			}
			moves = append(moves, Move{From: from, To: fmt.Sprint("r", to)})
		}
		want := map[string]int{}
		for p, x := range before {
			want[p] = x
		}
		for _, m := range moves {
			want[m.To] = before[m.From]
		}
		Parallel(moves, func(m Move) { before[m.To] = before[m.From] }, func(m Move) string {
			before["spare"] = before[m.From]
			return "spare"
		})
		for p, x := range want {
			if before[p] != x {
				t.Fatalf("%v: %s is %d, want %d", moves, p, before[p], x)
			}
		}
	}
}

// TestText checks that Text aligns the columns of assembly in the same way as asmfmt.
func TestText(t *testing.T) {
	var text Text
	text.Begin()
	text.Line("TEXT f")
	text.Ins("MOVQ 8(DI), BX // x")
	text.Ins("VZEROUPPER")
	text.Ins("VADDPS Y1, Y22, Y3 // sum")
	text.Label(text.New("loop"))
	text.Ins("JMP %s", text.New("loop"))
	const want = "TEXT f\n\tMOVQ   8(DI), BX   // x\n\tVZEROUPPER\n\tVADDPS Y1, Y22, Y3 // sum\n\nloop1:\n\tJMP loop2\n"
	if got := text.String(); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// TestConstants checks that each constant is written once, in order.
func TestConstants(t *testing.T) {
	c := Constants{Bytes: 16}
	c.Symbol(8, 2)
	if got := c.Symbol(4, 1); got != "lanec32_1<>(SB)" || got != c.Symbol(4, 1) {
		t.Errorf("the symbol is %s", got)
	}
	const want = "\nDATA lanec32_1<>+0(SB)/8, $0x100000001\nDATA lanec32_1<>+8(SB)/8, $0x100000001\nGLOBL lanec32_1<>(SB), RODATA|NOPTR, $16\n" +
		"\nDATA lanec64_2<>+0(SB)/8, $0x2\nDATA lanec64_2<>+8(SB)/8, $0x2\nGLOBL lanec64_2<>(SB), RODATA|NOPTR, $16\n"
	if got := c.String(); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}
