package arm64

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lanewise/lanewise/internal/lanec/alloc"
	"github.com/lanewise/lanewise/internal/lanec/asm"
	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// target: V0 to V28, constants among them.
var target = alloc.Target{Registers: []int{29}}

// An emitter writes one kernel.
type emitter struct {
	*asm.Text
	k         *ir.Kernel
	places    *alloc.Allocation
	constants *asm.Constants
	registers map[any]string // of streams and loops
	tail      bool           // it is at the rows one by one
	half      bool           // it writes an operation on elements of half the kernel's width, in the lower half of registers
	scratch   int            // where values that are written row by row stand in the frame
	breath    breath
	inFrame
}

// Emit appends a kernel to a text. It returns what was allocated.
func Emit(k *ir.Kernel, t *asm.Text, constants *asm.Constants, symbol string) *alloc.Allocation {
	e := &emitter{Text: t, k: k, places: alloc.Allocate(k, target), constants: constants}
	last := 25
	frame := 0
	if e.places.Slots > 0 {
		frame = 16 * (e.places.Slots + 1)
	}
	if n := puts(k); n > 0 {
		last = 23 // R24 and R25 are for elements
		e.scratch = max(frame, 16)
		frame = e.scratch + 48*n
	}
	if k.Fuel() > 0 {
		e.breath.register, last = fmt.Sprintf("R%d", last), last-1
	}
	e.registers = alloc.General(k, general(last))
	frame = e.planBreaths(frame)
	flags := "NOSPLIT"
	if frame > 700 || e.breath.fuel > 0 {
		flags = "0"
	}
	t.Begin()
	t.Line("\n// func %s(a *%sArgs)\n// Requires: NEON.\n//", symbol, symbol)
	t.Line("//\tR0 a   R1 byte of the row   R2 end of whole vectors   R3 work")
	for _, s := range k.Streams {
		if r := e.registers[s]; r != "" {
			t.Line("//\t%s %s", r, s.Expr)
		}
	}
	t.Line("TEXT ·%s(SB), %s, $%d-8", symbol, flags, frame)
	if e.breath.fuel > 0 {
		e.Ins("NO_LOCAL_POINTERS")
	}
	e.pointers()
	e.Ins("MOVD $0, R1")
	e.refuel()
	e.region(k.Entry)
	e.breathe()
	return e.places
}

// pointers reads where the argument block is, and where streams start.
func (e *emitter) pointers() {
	e.Ins("MOVD a+0(FP), R0")
	for _, s := range e.k.Streams {
		if r := e.registers[s]; r != "" {
			e.Ins("MOVD %d(R0), %s // %s", s.Offset, r, s.Expr)
		}
	}
}

// general are the registers that loops and streams share.
func general(last int) (list []string) {
	for i := 4; i <= last; i++ {
		if i != 18 { // the platform's
			list = append(list, "R"+strconv.Itoa(i))
		}
	}
	return list
}

func (e *emitter) region(r *ir.Region) {
	if r == nil {
		return
	}
	for _, it := range r.Items {
		switch it := it.(type) {
		case *ir.Value:
			e.half = it.Kind.IsHalf()
			switch it.Op {
			case ir.Guard:
				e.any(e.reg(it.Args[0], 30))
				if e.k.Frame != nil && e.tail {
					e.Ins("CBNZ R3, stop1")
				} else {
					e.Ins("CBNZ R3, stop")
				}
			case ir.Gather:
				e.gather(it)
			case ir.Scatter:
				e.scatter(it)
			default:
				e.value(it)
			}
			e.half = false
		case *ir.Loop:
			if it == e.k.Rows && e.k.Frame != nil {
				e.frameRows(it)
			} else if it == e.k.Rows {
				e.rows(it)
			} else {
				e.loop(it)
			}
		}
	}
}

func (e *emitter) rows(l *ir.Loop) {
	w := e.k.Width
	loop := fmt.Sprintf("loop%d", 16/w)
	e.Ins("MOVD 0(R0), R2 // rows")
	e.Ins("LSL $%d, R2", w/4+1)
	e.Ins("SUBS $15, R2")
	e.Ins("BLE tail")
	e.Label(loop)
	e.region(l.Body)
	e.Ins("ADD $16, R1")
	e.Ins("CMP R2, R1")
	e.Ins("BLT %s", loop)
	e.Label("tail")
	e.Ins("ADD $15, R2")
	e.Ins("CMP R2, R1")
	e.Ins("BGE done")
	e.Label("loop1")
	e.tail = true
	e.region(l.Body)
	e.Ins("ADD $%d, R1", w)
	e.Ins("CMP R2, R1")
	e.Ins("BLT loop1")
	e.Label("done")
	e.Ins("RET")
	if e.k.Stop > 0 {
		e.Label("stop")
		e.Ins("LSR $%d, R1, R3 // the row", w/4+1)
		e.Ins("MOVD R3, %d(R0)", e.k.Stop)
		e.Ins("RET")
	}
}

func (e *emitter) loop(l *ir.Loop) {
	var begin, again []asm.Move
	for _, p := range l.Phis {
		begin = append(begin, asm.Move{From: e.place(p.Args[0]), To: e.place(p)})
		again = append(again, asm.Move{From: e.place(p.Args[1]), To: e.place(p)})
	}
	asm.Parallel(begin, e.move, e.aside)
	if l.Once {
		once(e, l, again)
		return
	}
	turn, out := e.New("turn"), e.New("out")
	j := e.registers[l]
	if l.Counted() {
		e.Ins("MOVD $0, %s", j)
		if l.Count != nil {
			e.Ins("MOVD %d(R0), R3 // %s", l.Count.Offset, l.Count.Expr)
			e.Ins("CMP $0, R3")
			e.Ins("BLE %s", out)
		} else if l.Turns <= 0 {
			e.Ins("B %s", out)
		}
	}
	e.Label(turn)
	e.region(l.Head)
	if l.Alive != nil {
		e.leave(l.Alive, out)
	}
	e.region(l.Body)
	asm.Parallel(again, e.move, e.aside)
	if l.EndAlive != nil {
		e.leave(l.EndAlive, out)
	}
	if l.Counted() {
		e.ask(l)
	}
	switch {
	case l.Count != nil:
		e.Ins("ADD $1, %s", j)
		e.Ins("MOVD %d(R0), R3", l.Count.Offset)
		e.Ins("CMP R3, %s", j)
		e.Ins("BLT %s", turn)
	case l.Counted():
		e.Ins("ADD $1, %s", j)
		e.Ins("CMP $%d, %s", l.Turns, j)
		e.Ins("BLT %s", turn)
	default:
		e.turnAgain(turn)
	}
	e.Label(out)
}

// once writes a branch behind what its variables are before it.
func once(e *emitter, l *ir.Loop, after []asm.Move) {
	past := e.New("past")
	if l.Unless {
		e.any(e.reg(l.Alive, 30))
		e.Ins("CBNZ R3, %s", past)
	} else {
		e.leave(l.Alive, past)
	}
	e.region(l.Body)
	asm.Parallel(after, e.move, e.aside)
	e.Label(past)
}

// leave jumps if no element of a mask is set.
func (e *emitter) leave(mask *ir.Value, to string) {
	e.any(e.reg(mask, 30))
	e.Ins("CBZ R3, %s", to)
}

// any makes R3 other than zero if an element of a mask is set: the halves of them, next to each other, are 64 bits.
func (e *emitter) any(r int) {
	half := "H8"
	if e.k.Width == 8 {
		half = "S4"
	}
	e.Ins("VUZP1 V%d.%s, V%d.%s, V31.%s", r, half, r, half, half)
	e.Ins("FMOVD F31, R3")
}

// width is how many bytes an element has that is written about.
func (e *emitter) width() int {
	if e.half {
		return 4
	}
	return e.k.Width
}

// word writes an instruction of the header.
func (e *emitter) word(name string, registers ...int) {
	if e.k.Frame != nil && e.named(name, registers) {
		return
	}
	suffix := "4S"
	if e.width() == 8 && name != "MUL" {
		suffix = "2D"
	}
	list := make([]string, len(registers))
	for i, r := range registers {
		list[i] = strconv.Itoa(r)
	}
	if e.k.Frame != nil {
		if s := arrangements[name]; s != "" {
			suffix = s
		}
		e.Ins("V%s%s(%s)", name, suffix, strings.Join(list, ", ")) // of neon_arm64.h
		return
	}
	e.Ins("L%s%s(%s)", name, suffix, strings.Join(list, ","))
}

// place is where a value stands: a register, memory, or its constant.
func (e *emitter) place(v *ir.Value) string {
	if r, ok := e.register(v); ok {
		return "F" + strconv.Itoa(r)
	}
	if v.Op == ir.Const {
		return e.constants.Symbol(v.Kind.Size(e.k.Width), v.Bits)
	}
	n, _ := e.places.Slot(v)
	return fmt.Sprintf("%d(RSP)", 16*n)
}

// reg returns the register that holds v: its own, or the spare one, into which it is loaded.
func (e *emitter) reg(v *ir.Value, spare int) int {
	if r, ok := e.register(v); ok {
		return r
	}
	e.move(asm.Move{From: e.place(v), To: "F" + strconv.Itoa(spare)})
	return spare
}

func number(register string) int {
	n, err := strconv.Atoi(register[1:])
	if err != nil {
		panic("arm64: " + register)
	}
	return n
}

func (e *emitter) move(m asm.Move) {
	to := m.To
	if !strings.HasPrefix(to, "F") {
		to = "F31"
	}
	switch {
	case m.From == m.To:
		return
	case strings.HasPrefix(m.From, "F"):
		if to != m.To {
			to = m.From
		} else {
			r := number(m.From)
			e.word("ORR", r, r, number(to))
		}
	case strings.HasSuffix(m.From, "(SB)"):
		e.Ins("MOVD $%s, R3", m.From)
		e.Ins("FMOVQ (R3), %s", to)
	default:
		e.Ins("FMOVQ %s, %s", m.From, to)
	}
	if to != m.To {
		e.Ins("FMOVQ %s, %s", to, m.To)
	}
}

func (e *emitter) aside(m asm.Move) string {
	e.move(asm.Move{From: m.From, To: "F30"})
	return "F30"
}

// base is the register that holds where a stream starts.
func (e *emitter) base(s *ir.Stream) string { return e.start(s, "R3") }

// start is the same with a register for a stream that has none of its own.
func (e *emitter) start(s *ir.Stream, spare string) string {
	if r := e.registers[s]; r != "" {
		return r
	}
	e.fetch(s, spare)
	return spare
}
