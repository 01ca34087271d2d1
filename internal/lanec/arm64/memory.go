package arm64

import (
	"fmt"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// spreadParam copies a scalar parameter in the frame to all elements.
func (e *emitter) spreadParam(v *ir.Value, dst int, elements string) {
	letter := "S"
	if e.elementBytes() == 8 {
		letter = "D"
	}
	e.Ins("FMOV%s %s+%d(FP), F%d", letter, v.Scalar.Place.Name, v.Scalar.Place.At, dst)
	e.Ins("VDUP V%d.%s[0], V%d.%s", dst, letter, dst, elements)
}

// emitMemory loads or stores a register: the rows of a vector, or one row in the tail.
func (e *emitter) emitMemory(name string, s *ir.Stream, register int) {
	if e.k.Frame != nil {
		e.accessRow(name == "LDR", s, register)
		return
	}
	row := e.rowOffset(s)
	base := registerNumber(e.baseRegister(s))
	switch {
	case e.tail:
		e.emitVector(name, row, base, register)
	case e.half: // two elements of 32 bits are 64 bits
		e.Ins("L%s2D(%d,%d,%d)", name, row, base, register)
	default:
		e.emitVector(name+"Q", row, base, register)
	}
}

// rowOffset returns the register with the byte offset of the row in a stream.
func (e *emitter) rowOffset(s *ir.Stream) int {
	row := 1
	if e.half {
		row = 26
		e.Ins("LSR $1, R1, R26")
	}
	if s.Ring {
		e.Ins("AND $255, R%d, R26 // the accumulator of the row", row)
		row = 26
	}
	return row
}

// emitRowMask sets all elements of the mask. In the tail it sets only the first element, because
// the other elements are not rows.
func (e *emitter) emitRowMask(dst int) {
	switch {
	case !e.tail:
		e.emitVector("CMEQ", dst, dst, dst)
		return
	case e.k.Width == 4:
		e.Ins("MOVD $0xffffffff, R3")
	default:
		e.Ins("MOVD $-1, R3")
	}
	e.Ins("FMOVD R3, F%d", dst)
}

// elementAddress loads the address of an element into R3.
func (e *emitter) elementAddress(v *ir.Value) {
	base := e.baseRegister(v.Stream)
	if v.Loop == nil {
		e.Ins("ADD $%d, %s, R3 // %s", int(v.Bits)*e.elementBytes(), base, v.Stream.Expr)
		return
	}
	e.Ins("ADD %s<<%d, %s, R3 // %s", e.registers[v.Loop], e.elementBytes()/4+1, base, v.Stream.Expr)
}

// accessRow loads or stores a stream at the row.
func (e *emitter) accessRow(read bool, s *ir.Stream, register int) {
	name := "FMOVQ"
	switch {
	case e.tail && e.elementBytes() == 4:
		name = "FMOVS"
	case e.tail || e.half: // two elements of 32 bits are 64 bits
		name = "FMOVD"
	}
	e.accessStream(read, name, s, fmt.Sprintf("F%d", register))
}

// accessStream loads or stores a stream. In each iteration, the last access for the first vector (or the first pair of vectors) advances the base
// register to the next iteration. The accesses for the other vectors have negative offsets from this new base.
func (e *emitter) accessStream(read bool, name string, s *ir.Stream, register string) {
	shift, step := e.vectorOffset*e.elementBytes()/e.k.Width, e.iterationBytes*e.elementBytes()/e.k.Width
	place := address(shift, e.registers[s])
	if shift > 0 {
		place = address(shift-step, e.registers[s])
	} else if e.accessesLeft[s]--; e.accessesLeft[s] == 0 {
		name, place = name+".P", address(step, e.registers[s])
	}
	if read {
		e.Ins("%s %s, %s // %s", name, place, register, s.Expr)
	} else {
		e.Ins("%s %s, %s // %s", name, register, place, s.Expr)
	}
}

// emitGather loads elements one by one, because NEON has no gather instruction. For a row whose mask is not set, it loads
// the element with index 0. If no element of the mask is set, it loads nothing, because the slice may be empty.
func (e *emitter) emitGather(v *ir.Value) {
	dst, inRegister := e.places.Register(v)
	if !inRegister {
		dst = 31
	}
	half := e.half
	e.half = false
	m := e.inRegister(v.Args[1], 29)
	e.testAny(m)
	e.emitVector("AND", e.inRegister(v.Args[0], 30), m, 30)
	e.emitVector("EOR", dst, dst, dst)
	skip := e.New("nothing")
	e.Ins("CBZ R3, %s", skip)
	base := e.baseOr(v.Stream, "R3")
	_, index, _ := e.elementMove()
	e.half = half
	move, letter, scale := e.elementMove()
	for lane := range e.rowsPerVector() {
		e.Ins("VMOV V30.%s[%d], R26", index, lane)
		e.Ins("%s (%s)(R26<<%d), R26 // %s", move, base, scale, v.Stream.Expr)
		e.Ins("VMOV R26, V%d.%s[%d]", dst, letter, lane)
	}
	e.Label(skip)
	if !inRegister {
		e.Ins("FMOVQ F31, %s", e.operand(v))
	}
}

// countScatterStores returns how many values all Scatters of the kernel together store per row.
func countScatterStores(k *ir.Kernel) (n int) {
	k.Entry.Walk(func(it ir.Item, _ *ir.Region, _ int) {
		if v, ok := it.(*ir.Value); ok {
			n += len(v.Puts)
		}
	})
	return n
}

// emitScatter first stores the vectors with the values, indices and masks in the frame. Then it stores one
// row after the other, in the order of the Go source, because two rows may have the same index.
func (e *emitter) emitScatter(v *ir.Value) {
	for i, a := range v.Args {
		e.Ins("FMOVQ F%d, %d(RSP)", e.inRegister(a, 31), e.scatterAt+16*i)
	}
	move, _, _ := e.elementMove()
	for lane := range e.rowsPerVector() {
		for i, p := range v.Puts {
			at := func(k int) string {
				return fmt.Sprintf("%d(RSP)", e.scatterAt+16*(3*i+k)+lane*v.Args[3*i+k].Kind.Size(e.k.Width))
			}
			next := e.New("next")
			e.Ins("%s %s, R3", move, at(2))
			e.Ins("CBZ R3, %s", next)
			e.Ins("%s %s, R26", move, at(0))
			e.half = p.Stream.Elem.IsHalf()
			_, _, scale := e.elementMove()
			e.emitStore(p, at(1), fmt.Sprintf("(%s)(R26<<%d)", e.baseOr(p.Stream, "R25"), scale))
			e.half = false
			e.Label(next)
		}
	}
}

// memoryOps maps an operation on an integer in memory to its instruction.
var memoryOps = map[ir.Op]string{ir.IntAdd: "ADD", ir.IntSub: "SUB", ir.And: "AND", ir.Or: "ORR", ir.Xor: "EOR"}

// emitStore writes the store of one value to one element.
func (e *emitter) emitStore(p ir.Put, value, to string) {
	s, store := "S", "MOVW"
	if e.elementBytes() == 8 {
		s, store = "D", "MOVD"
	}
	load, _, _ := e.elementMove()
	switch p.How {
	case ir.Add, ir.Sub:
		e.Ins("FMOV%s %s, F31 // %s", s, to, p.Stream.Expr)
		e.Ins("FMOV%s %s, F30", s, value)
		e.Ins("F%s%s F30, F31, F31", map[ir.Op]string{ir.Add: "ADD", ir.Sub: "SUB"}[p.How], s)
		e.Ins("FMOV%s F31, %s", s, to)
	case ir.Store:
		e.Ins("%s %s, R3", load, value)
		e.Ins("%s R3, %s // %s", store, to, p.Stream.Expr)
	default:
		e.Ins("%s %s, R3", load, value)
		e.Ins("%s %s, R24 // %s", load, to, p.Stream.Expr)
		e.Ins("%s R3, R24, R24", memoryOps[p.How])
		e.Ins("%s R24, %s", store, to)
	}
}
