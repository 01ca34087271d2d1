package arm64

import (
	"fmt"
	"slices"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// yields plans the calls of Go from inside a kernel's loops. The calls are necessary because Go can stop the world only at preemption points, and
// assembly has none. A register counts the iterations until the next call. The registers are saved in the frame and restored. No saved register is a
// pointer, because the stack may move during the call. Instead, loadBases loads the pointers again.
type yields struct {
	interval int      // iterations between two calls; 0 if there are none
	counter  string   // register with the number of iterations until the next call
	savedAt  int      // offset in the frame of the saved registers
	general  []string // saved general registers
	resume   []string // the label after each call
}

// planYields returns the size of the frame, including the space for the saved registers.
func (e *emitter) planYields(frame int) int {
	b := &e.yields
	if b.interval = e.k.YieldInterval(); b.interval == 0 {
		return frame
	}
	b.savedAt = max(frame, 16)
	b.general = []string{"R1", "R2", "R3"}
	e.k.Entry.Walk(func(it ir.Item, _ *ir.Region, _ int) {
		if l, ok := it.(*ir.Loop); ok {
			if r := e.registers[l]; r != "" && !slices.Contains(b.general, r) {
				b.general = append(b.general, r)
			}
		}
	})
	return b.savedAt + (8*len(b.general)+15)/16*16 + 16*e.places.Peak[0]
}

func (e *emitter) resetYieldCounter() {
	if b := &e.yields; b.interval > 0 {
		e.Ins("MOVD $%d, %s // iterations until the next yield", b.interval, b.counter)
	}
}

// emitYieldCheck counts an iteration of a counted loop, at its end.
func (e *emitter) emitYieldCheck(l *ir.Loop) {
	if !e.k.CountsIterations(l) {
		return
	}
	back := e.New("back")
	e.Ins("SUBS $1, %s", e.yields.counter)
	e.Ins("BLE %s", e.yieldLabel(back))
	e.Label(back)
}

// emitLoopBackOrYield ends the iteration of a loop without a counter.
func (e *emitter) emitLoopBackOrYield(turn string) {
	e.Ins("SUBS $1, %s", e.yields.counter)
	e.Ins("BGT %s", turn)
	e.Ins("B %s", e.yieldLabel(turn))
}

// yieldLabel returns the label of the code for a new yield. After the yield, the kernel continues
// at the given label.
func (e *emitter) yieldLabel(label string) string {
	e.yields.resume = append(e.yields.resume, label)
	return fmt.Sprintf("yield%d", len(e.yields.resume))
}

// emitYields writes the code that calls Go. It is at the end of the kernel and is shared by all yields.
// R3 holds the number of the label at which the kernel continues.
func (e *emitter) emitYields() {
	b := &e.yields
	if len(b.resume) == 0 {
		return
	}
	for i := range b.resume {
		e.Label(fmt.Sprintf("yield%d", i+1))
		e.Ins("MOVD $%d, R3", i+1)
		if i+1 < len(b.resume) {
			e.Ins("B yield")
		}
	}
	e.Label("yield")
	e.eachSaved(func(move, register string, at int) { e.Ins("%s %s, %d(RSP)", move, register, at) })
	e.Ins("CALL ·lanecYield(SB)")
	e.loadBases()
	e.eachSaved(func(move, register string, at int) { e.Ins("%s %d(RSP), %s", move, at, register) })
	e.resetYieldCounter()
	for i, back := range b.resume[:len(b.resume)-1] {
		e.Ins("CMP $%d, R3", i+1)
		e.Ins("BEQ %s", back)
	}
	e.Ins("B %s", b.resume[len(b.resume)-1])
}

// eachSaved calls f for each saved register, with its offset in the frame.
func (e *emitter) eachSaved(f func(move, register string, at int)) {
	at := e.yields.savedAt
	for _, r := range e.yields.general {
		f("MOVD", r, at)
		at += 8
	}
	at = (at + 15) / 16 * 16
	for i := range e.places.Peak[0] {
		f("FMOVQ", fmt.Sprintf("F%d", i), at)
		at += 16
	}
}
