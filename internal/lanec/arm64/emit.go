package arm64

import (
	"fmt"
	"strconv"

	"github.com/lanewise/lanewise/internal/lanec/alloc"
	"github.com/lanewise/lanewise/internal/lanec/asm"
	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// target lists the registers: V0 to V28 hold values and constants.
var target = alloc.Target{Registers: []int{29}}

// An emitter writes one kernel.
type emitter struct {
	*asm.Text
	k         *ir.Kernel
	places    *alloc.Allocation
	constants *asm.Constants
	registers map[any]string // of streams and loops
	tail      bool           // it writes the loop over single rows
	half      bool           // it writes an operation on elements of half the kernel's width, in the lower half of registers
	scatterAt int            // offset in the frame of the operands of a Scatter
	yields    yields

	// The fields below are only for kernels whose arguments are in the frame of the call
	// (EmitFrame).
	vectorOffset   int                // bytes of the vectors before this one, in a loop with several vectors per iteration
	iterationBytes int                // bytes per iteration
	accessesLeft   map[*ir.Stream]int // accesses left in the first vector, or pair of vectors, of an iteration
	pairOffset     int                // added to the registers of values of the row: selects the second vector of a pair
}

// Emit appends a kernel to a text. It returns the allocation of the values.
func Emit(k *ir.Kernel, t *asm.Text, constants *asm.Constants, symbol string) *alloc.Allocation {
	e := &emitter{Text: t, k: k, places: alloc.Allocate(k, target), constants: constants}
	last := 25
	frame := 0
	if e.places.Slots > 0 {
		frame = 16 * (e.places.Slots + 1)
	}
	if n := countScatterStores(k); n > 0 {
		last = 23 // R24 and R25 are for elements
		e.scatterAt = max(frame, 16)
		frame = e.scatterAt + 48*n
	}
	if k.YieldInterval() > 0 {
		e.yields.counter, last = fmt.Sprintf("R%d", last), last-1
	}
	e.registers = alloc.General(k, generalRegisters(last))
	frame = e.planYields(frame)
	flags := "NOSPLIT"
	if frame > 700 || e.yields.interval > 0 {
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
	if e.yields.interval > 0 {
		e.Ins("NO_LOCAL_POINTERS")
	}
	e.loadBases()
	e.Ins("MOVD $0, R1")
	e.resetYieldCounter()
	e.emitRegion(k.Entry)
	e.emitYields()
	return e.places
}

// EmitFrame appends a kernel without inner loops whose arguments are in the frame of the call.
func EmitFrame(k *ir.Kernel, t *asm.Text, constants *asm.Constants) *alloc.Allocation {
	e := &emitter{Text: t, k: k, places: alloc.Allocate(k, target), constants: constants, registers: map[any]string{}}
	frame := 0
	if e.places.Slots > 0 {
		frame = 16 * (e.places.Slots + 1)
	}
	free := append([]string{"R0", "R2"}, generalRegisters(25)...)
	for _, s := range k.Streams {
		if s.Offset > 0 && s.Place.Kind != ir.Array {
			e.registers[s], free = free[0], free[1:]
		}
	}
	t.Begin()
	t.Line("\n// func %sNEON%s\n// Requires: NEON.\n//\n//\tR1 rows left", k.Frame.Symbol, k.Frame.Go)
	for _, s := range k.Streams {
		if r := e.registers[s]; r != "" {
			t.Line("//\t%s %s, advanced by the loops", r, s.Expr)
		}
	}
	flags := "NOSPLIT"
	if frame > 700 {
		flags = "0"
	}
	t.Line("TEXT ·%sNEON(SB), %s, $%d-%d", k.Frame.Symbol, flags, frame, k.Frame.Bytes)
	if flags == "0" {
		e.Ins("NO_LOCAL_POINTERS")
	}
	e.emitRegion(k.Entry)
	return e.places
}

// loadBases loads the address of the argument block and the base addresses of the streams.
func (e *emitter) loadBases() {
	e.Ins("MOVD a+0(FP), R0")
	for _, s := range e.k.Streams {
		if r := e.registers[s]; r != "" {
			e.Ins("MOVD %d(R0), %s // %s", s.Offset, r, s.Expr)
		}
	}
}

// generalRegisters returns the registers that loops and streams share.
func generalRegisters(last int) (list []string) {
	for i := 4; i <= last; i++ {
		if i != 18 { // reserved by the platform
			list = append(list, "R"+strconv.Itoa(i))
		}
	}
	return list
}

func (e *emitter) emitRegion(r *ir.Region) {
	if r == nil {
		return
	}
	for _, it := range r.Items {
		switch it := it.(type) {
		case *ir.Value:
			e.half = it.Kind.IsHalf()
			switch it.Op {
			case ir.Guard:
				e.testAny(e.inRegister(it.Args[0], 30))
				if e.k.Frame != nil && e.tail {
					e.Ins("CBNZ R3, stop1")
				} else {
					e.Ins("CBNZ R3, stop")
				}
			case ir.Within:
				e.emitWithin(it)
			case ir.Gather:
				e.emitGather(it)
			case ir.Scatter:
				e.emitScatter(it)
			default:
				e.emitValue(it)
			}
			e.half = false
		case *ir.Loop:
			if it == e.k.Rows && e.k.Frame != nil {
				e.emitFrameRows(it)
			} else if it == e.k.Rows {
				e.emitRows(it)
			} else {
				e.emitLoop(it)
			}
		}
	}
}

// Stack returns the assembly of a function that calls <symbol>Pieces. It passes two arguments: its own argument, and the address of memory for lanes,
// which is in its frame. The memory is not cleared.
func Stack(symbol string, bytes int) string {
	var t asm.Text
	t.Begin()
	t.Line("\n// func %sStack(c *%sCall)\n//\n// The lanes begin behind the arguments of what is called and where it returns to.", symbol, symbol)
	t.Line("TEXT ·%sStack(SB), 0, $%d-8", symbol, bytes+24)
	t.Ins("NO_LOCAL_POINTERS")
	t.Ins("MOVD c+0(FP), R0")
	t.Ins("MOVD R0, 8(RSP)")
	t.Ins("MOVD $32(RSP), R0")
	t.Ins("MOVD R0, 16(RSP)")
	t.Ins("CALL ·%sPieces(SB)", symbol)
	t.Ins("RET")
	return t.String()
}
