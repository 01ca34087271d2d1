package amd64

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/internal/lanec/alloc"
	"github.com/lanewise/lanewise/internal/lanec/asm"
	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// A Path is an instruction set.
type Path struct {
	Name   string
	suffix string // follows "lanec" in the names of functions
	needs  string
	vector int    // bytes
	letter string // names a vector register
	lower  string // names its lower half
	target alloc.Target
}

// Symbol returns the name of a kernel's function on this path.
func (p *Path) Symbol(symbol string) string {
	return strings.Replace(symbol, "lanec", "lanec"+p.suffix, 1)
}

// blockRegisters are the registers that loops and streams share in kernels with an argument block.
var blockRegisters = []string{"BX", "SI", "R8", "R9", "R10", "R11", "R12", "R13"}

// frameRegisters lists the registers of streams in kernels whose arguments are in the frame of the call. A kernel with
// many streams uses AX and DX, too. R15 is missing because the linker uses it.
var frameRegisters = []string{"DI", "SI", "BX", "R8", "R9", "R10", "R11", "R12", "R13", "R14"}

// scatterRegisters lists the registers that a Scatter needs for the row of the vector, the index of an element, and
// the address of a stream.
var scatterRegisters = []string{"R11", "R12", "R13"}

// An emitter writes one kernel for one path.
type emitter struct {
	*asm.Text
	variant                // the variant of the kernel that is being written
	pairVariant   *variant // the variant with two vectors per iteration, or nil
	path          *Path
	isa           instructionSet
	constants     *asm.Constants
	tail          bool // it writes the last, masked vector
	scatterStores int  // values that a Scatter stores row by row
	scatterAt     int  // offset in the frame of the operands of a Scatter
	half          bool // it writes an operation on elements of half the kernel's width
	halfMaskAt    int  // on AVX2, offset in the frame of the mask of the last rows for these elements
	yields        yields
	folded        foldedLoad
	listed        *ir.Loop // AX holds the element of its list
	gathers       elementwiseGathers
	slotBase      string // register with the address of the slots, which is aligned; or SP
	slotShiftAt   int    // with yields, offset in the frame of the distance from the slots to SP

	// The fields below are only for kernels whose arguments are in the frame of the call
	// (EmitFrame).
	maskRegister string             // on AVX2, the register with the mask of the last rows; "" if the mask is in the frame
	foldedLoads  map[*ir.Value]bool // loads that are memory operands
	widenedLoads map[*ir.Value]bool // loads that are memory operands of VCVTPS2PD
	vectorOffset int                // bytes of the vectors before this one, in a loop with several vectors per iteration
	rowEndAt     int                // offset in the frame of the end of the rows, if DX does not hold it; else -1
}

// An instructionSet writes the operations that differ between the paths.
type instructionSet interface {
	emitValue(v *ir.Value)
	jumpIfNone(mask *ir.Value, to string) // jumps if no element of a mask is set
	jumpIfAny(mask *ir.Value, to string)  // jumps if one is
	storeVector(v *ir.Value, at int)      // writes a value to the frame, a mask as a vector of ones and zeros
	maskTail()                            // prepares the mask of the last vector; DX holds the number of its rows
	moveValue(m asm.Move)
	moveAside(m asm.Move) string
}

// A variant is one of the two forms in which a kernel can be written: with one vector per iteration of the loop
// over the rows, or with two vectors.
type variant struct {
	k              *ir.Kernel
	places         *alloc.Allocation
	registers      map[any]string // of streams and loops
	useCount       map[*ir.Value]int
	fused          map[*ir.Value]bool      // values that are part of another value's instruction
	maskedCompares map[*ir.Value]*ir.Value // And → the comparison that its instruction makes
	maskedSums     map[*ir.Value]*ir.Value // sum → the Sel between a number and zero that its instruction makes
}

func newVariant(k *ir.Kernel, p *Path, general []string) variant {
	f := variant{k: k, places: alloc.Allocate(k, p.target), registers: alloc.General(k, general), useCount: k.Uses()}
	f.fused = findFused(k, f.useCount)
	if p == AVX512 {
		f.maskedCompares = findMaskedCompares(k, f.useCount)
		f.maskedSums = findMaskedSums(k, f.useCount)
		for _, v := range f.maskedCompares { //lanewise:inexact fills a set
			f.fused[v] = true
		}
		for _, v := range f.maskedSums { //lanewise:inexact fills a set
			f.fused[v] = true
		}
	}
	return f
}

// maxPairSpills returns the largest number of spilled values for which the variant with two vectors is used. Up to this number, the loads of spilled
// values cost less than the latency that the second vector hides. In a kernel without inner loops, most values are needed only for a short time, so
// the number is larger. The number 60 was chosen with one kernel only: Black–Scholes takes 14.1 ns per row on AVX2 with two vectors and 16.1 ns with
// one. The comment of longest in package ir has the command that measures this.
func maxPairSpills(k *ir.Kernel) int {
	if k.LongRows() {
		return 60
	}
	return 6
}

// planPair keeps the variant with two vectors per iteration, if it is expected to be faster.
func (e *emitter) planPair(free []string) {
	two := e.k.Twin()
	if two == nil {
		return
	}
	f := newVariant(two, e.path, free)
	if f.places.Spilled <= maxPairSpills(e.k) || e.k.TestYieldInterval > 0 {
		e.pairVariant = &f
	}
}

// maxOfVariants calls a function for the allocation of each variant, and returns the larger result.
func (e *emitter) maxOfVariants(of func(a *alloc.Allocation) int) int {
	if e.pairVariant == nil {
		return of(e.places)
	}
	return max(of(e.places), of(e.pairVariant.places))
}

// Emit appends a kernel to a text. It returns the allocation of the values.
func Emit(k *ir.Kernel, p *Path, t *asm.Text, constants *asm.Constants, symbol string) *alloc.Allocation {
	free := blockRegisters
	n := countScatterStores(k)
	if n > 0 {
		free = blockRegisters[:len(blockRegisters)-len(scatterRegisters)]
	}
	e := &emitter{Text: t, path: p, variant: newVariant(k, p, free), constants: constants, scatterStores: n, slotBase: "SP"}
	e.planPair(free)
	if p == AVX512 {
		e.isa = &avx512{e}
	} else {
		e.isa = &avx2{e}
	}
	slots := e.maxOfVariants(func(a *alloc.Allocation) int { return a.Slots })
	if slots > 0 {
		e.slotBase = e.slotRegister(free)
	}
	frame := p.vector * slots
	if p == AVX2 {
		frame += p.vector // the mask of the last rows
	}
	if p == AVX2 && hasHalfElements(k) {
		e.halfMaskAt = frame
		frame += p.vector
	}
	e.scatterAt = frame
	frame += 3 * e.scatterStores * p.vector
	frame = e.gathers.planGathers(e, frame)
	frame = e.planYields(frame)
	frame = e.planSlots(frame)
	flags := "NOSPLIT"
	if frame > 700 || e.yields.interval > 0 {
		flags = "0"
	}
	t.Begin()
	name := p.Symbol(symbol)
	t.Line("\n// func %s(a *%sArgs)\n// Requires: %s.\n//", name, symbol, p.needs)
	t.Line("//\tDI a   CX row   DX end of whole vectors   AX work")
	for _, s := range k.Streams {
		if r := e.registers[s]; r != "" {
			t.Line("//\t%s %s", r, s.Expr)
		}
	}
	t.Line("TEXT ·%s(SB), %s, $%d-8", name, flags, frame)
	if e.yields.interval > 0 {
		e.Ins("NO_LOCAL_POINTERS")
	}
	e.loadBases()
	e.alignSlots()
	e.Ins("MOVQ 0(DI), DX // rows")
	e.Ins("XORL CX, CX")
	e.resetYieldCounter()
	if p == AVX512 {
		e.Ins("KXNORW K7, K7, K7 // all rows")
	}
	e.emitPairLoop()
	e.emitRegion(k.Entry)
	e.emitYields()
	return e.places
}

// EmitFrame appends a kernel without inner loops whose arguments are in the frame of the call. It changes the kernel.
func EmitFrame(k *ir.Kernel, p *Path, t *asm.Text, constants *asm.Constants) *alloc.Allocation {
	k.Lower()
	target := p.target
	if p == AVX2 {
		target.Registers = []int{13}
		target.InMemory = nil
	}
	e := &emitter{Text: t, path: p, variant: variant{k: k, registers: map[any]string{}}, constants: constants, rowEndAt: -1, slotBase: "SP"}
	e.findNarrow()
	if e.places = alloc.Allocate(k, target); p == AVX2 {
		e.maskRegister = "Y13"
		if e.places.Spilled > 0 || hasHalfElements(k) {
			e.places, e.maskRegister = alloc.Allocate(k, p.target), ""
		}
	}
	if p == AVX512 {
		e.isa = &avx512{e}
	} else {
		e.isa = &avx2{e}
	}
	frame := e.places.Slots * p.vector
	if p == AVX2 && e.maskRegister == "" {
		frame += p.vector
	}
	if p == AVX2 && hasHalfElements(k) {
		e.halfMaskAt = frame
		frame += p.vector
	}
	frame = e.assignBases(frame)
	if r := e.unusedRegister(frameRegisters); e.places.Slots > 0 && r != "" {
		e.slotBase = r
	}
	frame = e.planSlots(frame)
	flags := "NOSPLIT"
	if frame > 700 {
		flags = "0"
	}
	t.Begin()
	t.Line("\n// func %s%s%s", k.Frame.Symbol, p.Name, k.Frame.Go)
	t.Line("// Requires: %s.\n//\n//\tCX row   DX end", p.needs)
	for _, s := range k.Streams {
		if r := e.registers[s]; r != "" {
			t.Line("//\t%s %s", r, s.Expr)
		}
	}
	t.Line("TEXT ·%s%s(SB), %s, $%d-%d", k.Frame.Symbol, p.Name, flags, frame, k.Frame.Bytes)
	if flags == "0" {
		e.Ins("NO_LOCAL_POINTERS")
	}
	if p == AVX512 && slices.ContainsFunc(k.Rows.Body.Items, func(it ir.Item) bool { v, ok := it.(*ir.Value); return ok && v.Op == ir.Rows }) {
		e.Ins("KXNORW K7, K7, K7 // all rows")
	}
	e.alignSlots()
	e.findFoldedLoads()
	e.emitRegion(k.Entry)
	return e.places
}

// unusedRegister returns a register of the list that neither a stream nor a loop uses, or "" if
// there is none.
func (e *emitter) unusedRegister(list []string) string {
	for _, r := range list {
		used := func(given map[any]string) bool {
			for _, other := range given { //lanewise:inexact the result is that of every order
				if other == r {
					return true
				}
			}
			return false
		}
		if !used(e.registers) && (e.pairVariant == nil || !used(e.pairVariant.registers)) {
			return r
		}
	}
	return ""
}

// slotRegister returns the register for the address of the slots in a kernel with an argument block. If all registers are in use, the last stream
// loses its register: the kernel then loads the address of this stream from the block for each use.
func (e *emitter) slotRegister(free []string) string {
	if e.k.YieldInterval() == 0 {
		return "R14" // counts the iterations until the next yield
	}
	if r := e.unusedRegister(free); r != "" {
		return r
	}
	last := len(free) - 1
	e.registers = alloc.General(e.k, free[:last])
	if e.pairVariant != nil {
		e.pairVariant.registers = alloc.General(e.pairVariant.k, free[:last])
	}
	return free[last]
}

// planSlots returns the size of the frame, which includes space to align the slots, because Go aligns SP to only 8 bytes. If a slot crossed a page
// boundary, Atan2 of float64 on AVX2 took 19.7 ns per row instead of 7.8 ns, on a Xeon of Sapphire Rapids with Go 1.26. A temporary program measured
// this at 256 different depths of the stack.
func (e *emitter) planSlots(frame int) int {
	if e.slotBase == "SP" {
		return frame
	}
	frame += e.path.vector - 8
	if e.yields.interval > 0 {
		e.slotShiftAt, frame = frame, frame+8
	}
	return frame
}

// alignSlots loads the address of the slots.
func (e *emitter) alignSlots() {
	if e.slotBase == "SP" {
		return
	}
	e.Ins("LEAQ %d(SP), %s", e.path.vector-1, e.slotBase)
	e.Ins("ANDQ $-%d, %s // no slot crosses a page", e.path.vector, e.slotBase)
	if e.yields.interval > 0 {
		e.Ins("LEAQ 0(SP), AX")
		e.Ins("SUBQ %s, AX", e.slotBase)
		e.Ins("MOVQ AX, %d(SP)", e.slotShiftAt)
	}
}

// findSlots loads the address of the slots after a yield, because the stack may have moved. Their distance from SP remains.
func (e *emitter) findSlots() {
	if e.slotBase != "SP" {
		e.Ins("LEAQ 0(SP), %s", e.slotBase)
		e.Ins("SUBQ %d(SP), %s", e.slotShiftAt, e.slotBase)
	}
}

// slot returns the operand at an offset in the frame.
func (e *emitter) slot(at int) string { return fmt.Sprintf("%d(%s)", at, e.slotBase) }

// assignBases assigns base registers to the streams and returns the size of the frame.
func (e *emitter) assignBases(frame int) int {
	var rows []*ir.Stream
	for _, s := range e.k.Streams {
		if s.Offset > 0 && s.Place.Kind != ir.Array {
			rows = append(rows, s)
		}
	}
	free := frameRegisters
	if n := len(rows) - len(free); n == 1 || n == 2 {
		free = append(slices.Clip(free), "AX")
	}
	if len(rows) > len(frameRegisters)+1 {
		free = append(slices.Clip(free), "DX")
		e.rowEndAt, frame = frame, frame+8
	}
	for i, s := range rows {
		if i < len(free) {
			e.registers[s] = free[i]
		}
	}
	return frame
}

// loadBases loads the address of the argument block and the base addresses of the streams.
func (e *emitter) loadBases() {
	e.Ins("MOVQ a+0(FP), DI")
	for _, s := range e.k.Streams {
		if r := e.registers[s]; r != "" {
			e.Ins("MOVQ %d(DI), %s // %s", s.Offset, r, s.Expr)
		}
	}
}

// emitRegion writes the items of a region in order. A folded load has no instruction of its own: it becomes a memory operand of the next item,
// which is its only user. An example is VADDPS (BX)(CX*4), Y0, Y0.
func (e *emitter) emitRegion(r *ir.Region) {
	if r == nil {
		return
	}
	for i, it := range r.Items {
		switch it := it.(type) {
		case *ir.Value:
			if e.k.Twinned {
				e.vectorOffset = vectorOf(it) * e.path.vector
			}
			switch {
			case i+1 < len(r.Items) && e.canFold(it, r.Items[i+1]):
				e.folded = foldedLoad{it, e.rowOperand(it.Stream)}
			case e.fused[it], e.gathers.unused[it] && !e.tail:
			case it.Op == ir.Guard && e.gathers.unused[it.Args[0]] && !e.tail:
				e.isa.jumpIfAny(withoutRowMask(it.Args[0]).Args[1], "stop")
			case it.Op == ir.Guard:
				e.isa.jumpIfAny(it.Args[0], "stop")
			case it.Op == ir.Within:
				e.emitWithin(it)
			case it.Op == ir.Scatter:
				e.emitScatter(it)
			case (e.foldedLoads[it] || e.widenedLoads[it]) && !e.tail:
			default:
				e.half = it.Kind.IsHalf()
				e.isa.emitValue(it)
				e.half = false
				e.folded.v = nil
			}
		case *ir.Loop:
			if e.vectorOffset = 0; it == e.k.Rows {
				e.emitRows(it)
			} else {
				e.emitLoop(it)
			}
		}
	}
}

// vectorOf returns 1 for a value of the second vector of a pair, else 0.
func vectorOf(v *ir.Value) int {
	if v.Next {
		return 1
	}
	return 0
}

// Stack returns the assembly of a function that calls <symbol>Pieces. It passes two arguments: its own argument, and the address of memory for lanes,
// which is in its frame. The memory is not cleared.
func Stack(symbol string, bytes int) string {
	var t asm.Text
	t.Begin()
	t.Line("\n// func %sStack(c *%sCall)\n//\n// The lanes begin behind the arguments of what is called.", symbol, symbol)
	t.Line("TEXT ·%sStack(SB), 0, $%d-8", symbol, bytes+16)
	t.Ins("NO_LOCAL_POINTERS")
	t.Ins("MOVQ c+0(FP), AX")
	t.Ins("MOVQ AX, 0(SP)")
	t.Ins("LEAQ 16(SP), AX")
	t.Ins("MOVQ AX, 8(SP)")
	t.Ins("CALL ·%sPieces(SB)", symbol)
	t.Ins("RET")
	return t.String()
}
