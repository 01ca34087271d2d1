package arm64

import (
	"fmt"
	"slices"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// A breath is a call of Go in the midst of a kernel, for which all registers go to the frame and come back. No register that is kept is a pointer,
// because the stack may be another one afterwards.
type breath struct {
	fuel     int    // turns between two of them; 0 if there are none
	register string // how many turns are left until the next one
	at       int    // where in the frame registers are kept
	general  []string
	back     []string // where it goes on after each
}

// planBreaths makes room in the frame.
func (e *emitter) planBreaths(frame int) int {
	b := &e.breath
	if b.fuel = e.k.Fuel(); b.fuel == 0 {
		return frame
	}
	b.at = max(frame, 16)
	b.general = []string{"R1", "R2", "R3"}
	e.k.Entry.Walk(func(it ir.Item, _ *ir.Region, _ int) {
		if l, ok := it.(*ir.Loop); ok {
			if r := e.registers[l]; r != "" && !slices.Contains(b.general, r) {
				b.general = append(b.general, r)
			}
		}
	})
	return b.at + (8*len(b.general)+15)/16*16 + 16*e.places.Peak[0]
}

func (e *emitter) refuel() {
	if b := &e.breath; b.fuel > 0 {
		e.Ins("MOVD $%d, %s // turns until the next breath", b.fuel, b.register)
	}
}

// ask counts a turn of a counted loop, at its end.
func (e *emitter) ask(l *ir.Loop) {
	if !e.k.Asks(l) {
		return
	}
	back := e.New("back")
	e.Ins("SUBS $1, %s", e.breath.register)
	e.Ins("BLE %s", e.breathBefore(back))
	e.Label(back)
}

// turnAgain ends the turn of a loop that is not counted.
func (e *emitter) turnAgain(turn string) {
	e.Ins("SUBS $1, %s", e.breath.register)
	e.Ins("BGT %s", turn)
	e.Ins("B %s", e.breathBefore(turn))
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
		e.Ins("MOVD $%d, R3", i+1)
		if i+1 < len(b.back) {
			e.Ins("B breathe")
		}
	}
	e.Label("breathe")
	e.kept(func(move, register string, at int) { e.Ins("%s %s, %d(RSP)", move, register, at) })
	e.Ins("CALL ·lanecBreathe(SB)")
	e.pointers()
	e.kept(func(move, register string, at int) { e.Ins("%s %d(RSP), %s", move, at, register) })
	e.refuel()
	for i, back := range b.back[:len(b.back)-1] {
		e.Ins("CMP $%d, R3", i+1)
		e.Ins("BEQ %s", back)
	}
	e.Ins("B %s", b.back[len(b.back)-1])
}

// kept calls f for each register that is kept, and where.
func (e *emitter) kept(f func(move, register string, at int)) {
	at := e.breath.at
	for _, r := range e.breath.general {
		f("MOVD", r, at)
		at += 8
	}
	at = (at + 15) / 16 * 16
	for i := range e.places.Peak[0] {
		f("FMOVQ", fmt.Sprintf("F%d", i), at)
		at += 16
	}
}
