package amd64

import (
	"fmt"
	"slices"

	"github.com/lanewise/lanewise/internal/lanec/alloc"
	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// A breath is a call of Go in the midst of a kernel, for which all registers go to the frame and come back. R14 holds how many turns are left until
// the next one; no register that is kept is a pointer, because the stack may be another one afterwards.
type breath struct {
	fuel    int // turns between two of them; 0 if there are none
	at      int // where in the frame registers are kept
	general []string
	back    []string // where it goes on after each
}

// planBreaths makes room in the frame.
func (e *emitter) planBreaths(frame int) int {
	b := &e.breath
	if b.fuel = e.k.Fuel(); b.fuel == 0 {
		return frame
	}
	if e.two != nil {
		b.fuel = max(1, b.fuel/2)
	}
	b.at = frame
	b.general = []string{"AX", "CX", "DX"}
	e.k.Entry.Walk(func(it ir.Item, _ *ir.Region, _ int) {
		if l, ok := it.(*ir.Loop); ok {
			if r := e.registers[l]; r != "" && !slices.Contains(b.general, r) {
				b.general = append(b.general, r)
			}
		}
	})
	frame += 8 * len(b.general)
	for range e.masks() {
		frame += 8
	}
	return frame + e.path.vector*e.most(peak0)
}

func peak0(a *alloc.Allocation) int { return a.Peak[0] }

// masks are the registers of masks that are kept.
func (e *emitter) masks() (names []string) {
	if e.path != AVX512 {
		return nil
	}
	for i := firstMask; i < firstMask+e.most(func(a *alloc.Allocation) int { return a.Peak[1] }); i++ {
		names = append(names, fmt.Sprintf("K%d", i))
	}
	return append(names, "K7")
}

func (e *emitter) refuel() {
	if e.breath.fuel > 0 {
		e.Ins("MOVL $%d, R14 // turns until the next breath", e.breath.fuel)
	}
}

// ask counts a turn of a counted loop, at its end.
func (e *emitter) ask(l *ir.Loop) {
	if !e.k.Asks(l) {
		return
	}
	back := e.New("back")
	e.Ins("DECQ R14")
	e.Ins("JLE %s", e.breathBefore(back))
	e.Label(back)
}

// turnAgain ends the turn of a loop that is not counted.
func (e *emitter) turnAgain(turn string) {
	e.Ins("DECQ R14")
	e.Ins("JGT %s", turn)
	e.Ins("JMP %s", e.breathBefore(turn))
}

// breathBefore is the label of a breath after which the kernel goes on at another label.
func (e *emitter) breathBefore(label string) string {
	e.breath.back = append(e.breath.back, label)
	return fmt.Sprintf("breath%d", len(e.breath.back))
}

// breathe writes the call, behind all else.
func (e *emitter) breathe() {
	b := &e.breath
	if len(b.back) == 0 {
		return
	}
	for i := range b.back {
		e.Label(fmt.Sprintf("breath%d", i+1))
		e.Ins("MOVL $%d, AX", i+1)
		if i+1 < len(b.back) {
			e.Ins("JMP breathe")
		}
	}
	e.Label("breathe")
	e.kept(func(move, register string, at int) { e.Ins("%s %s, %d(SP)", move, register, at) })
	e.Ins("VZEROUPPER")
	e.Ins("CALL ·lanecBreathe(SB)")
	e.pointers()
	e.kept(func(move, register string, at int) { e.Ins("%s %d(SP), %s", move, at, register) })
	e.refuel()
	for i, back := range b.back[:len(b.back)-1] {
		e.Ins("CMPL AX, $%d", i+1)
		e.Ins("JEQ %s", back)
	}
	e.Ins("JMP %s", b.back[len(b.back)-1])
}

// kept calls f for each register that is kept, and where.
func (e *emitter) kept(f func(move, register string, at int)) {
	at := e.breath.at
	for _, r := range e.breath.general {
		f("MOVQ", r, at)
		at += 8
	}
	for _, r := range e.masks() {
		f("KMOVW", r, at)
		at += 8
	}
	for i := range e.most(peak0) {
		f("VMOVUPS", fmt.Sprintf("%s%d", e.path.letter, i), at)
		at += e.path.vector
	}
}
