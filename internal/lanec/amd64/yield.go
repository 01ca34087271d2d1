package amd64

import (
	"fmt"
	"slices"

	"github.com/lanewise/lanewise/internal/lanec/alloc"
	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// yields plans the calls of Go from inside a kernel's loops. The calls are necessary because Go can stop the world only at preemption points, and
// assembly has none. R14 counts the iterations until the next call. The registers are saved in the frame and restored. No saved register is a
// pointer, because the stack may move during the call. Instead, loadBases loads the pointers again.
type yields struct {
	interval int      // iterations between two calls; 0 if there are none
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
	if e.pairVariant != nil {
		b.interval = max(1, b.interval/2)
	}
	b.savedAt = frame
	b.general = []string{"AX", "CX", "DX"}
	e.k.Entry.Walk(func(it ir.Item, _ *ir.Region, _ int) {
		if l, ok := it.(*ir.Loop); ok {
			if r := e.registers[l]; r != "" && !slices.Contains(b.general, r) {
				b.general = append(b.general, r)
			}
		}
	})
	frame += 8 * len(b.general)
	for range e.savedMasks() {
		frame += 8
	}
	return frame + e.path.vector*e.maxOfVariants(vectorPeak)
}

func vectorPeak(a *alloc.Allocation) int { return a.Peak[0] }

// savedMasks returns the mask registers that are saved.
func (e *emitter) savedMasks() (names []string) {
	if e.path != AVX512 {
		return nil
	}
	for i := firstMask; i < firstMask+e.maxOfVariants(func(a *alloc.Allocation) int { return a.Peak[1] }); i++ {
		names = append(names, fmt.Sprintf("K%d", i))
	}
	return append(names, "K7")
}

func (e *emitter) resetYieldCounter() {
	if e.yields.interval > 0 {
		e.Ins("MOVL $%d, R14 // iterations until the next yield", e.yields.interval)
	}
}

// emitYieldCheck counts an iteration of a counted loop, at its end.
func (e *emitter) emitYieldCheck(l *ir.Loop) {
	if !e.k.CountsIterations(l) {
		return
	}
	back := e.New("back")
	e.Ins("DECQ R14")
	e.Ins("JLE %s", e.yieldLabel(back))
	e.Label(back)
}

// emitLoopBackOrYield ends the iteration of a loop without a counter.
func (e *emitter) emitLoopBackOrYield(turn string) {
	e.Ins("DECQ R14")
	e.Ins("JGT %s", turn)
	e.Ins("JMP %s", e.yieldLabel(turn))
}

// yieldLabel returns the label of the code for a new yield. After the yield, the kernel continues
// at the given label.
func (e *emitter) yieldLabel(label string) string {
	e.yields.resume = append(e.yields.resume, label)
	return fmt.Sprintf("yield%d", len(e.yields.resume))
}

// emitYields writes the code that calls Go. It is at the end of the kernel and is shared by all yields.
// AX holds the number of the label at which the kernel continues.
func (e *emitter) emitYields() {
	b := &e.yields
	if len(b.resume) == 0 {
		return
	}
	for i := range b.resume {
		e.Label(fmt.Sprintf("yield%d", i+1))
		e.Ins("MOVL $%d, AX", i+1)
		if i+1 < len(b.resume) {
			e.Ins("JMP yield")
		}
	}
	e.Label("yield")
	e.eachSaved(func(move, register string, at int) { e.Ins("%s %s, %s", move, register, e.slot(at)) })
	e.Ins("VZEROUPPER")
	e.Ins("CALL ·lanecYield(SB)")
	e.loadBases()
	e.findSlots()
	e.eachSaved(func(move, register string, at int) { e.Ins("%s %s, %s", move, e.slot(at), register) })
	e.resetYieldCounter()
	for i, back := range b.resume[:len(b.resume)-1] {
		e.Ins("CMPL AX, $%d", i+1)
		e.Ins("JEQ %s", back)
	}
	e.Ins("JMP %s", b.resume[len(b.resume)-1])
}

// eachSaved calls f for each saved register, with its offset in the frame.
func (e *emitter) eachSaved(f func(move, register string, at int)) {
	at := e.yields.savedAt
	for _, r := range e.yields.general {
		f("MOVQ", r, at)
		at += 8
	}
	for _, r := range e.savedMasks() {
		f("KMOVW", r, at)
		at += 8
	}
	for i := range e.maxOfVariants(vectorPeak) {
		f("VMOVUPS", fmt.Sprintf("%s%d", e.path.letter, i), at)
		at += e.path.vector
	}
}
