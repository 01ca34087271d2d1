package simulate

import (
	"bytes"
	"fmt"
	"slices"
)

// A cpu holds the state of the simulated processor.
type cpu struct {
	memory
	general [registers]uint64
	vector  [32][64]byte
	mask    [8]uint64
	zero    bool      // zero flag: the last result was zero
	less    bool      // signed comparison: the exact result was negative, so that the first number is less
	upper   bool      // the upper halves, which VZEROUPPER clears, may not be zero
	next    int       // instruction
	numbers [3]uint64 // elements of the operands
	ended   bool
	frame   int // numbers of the segments
	block   int
	call    int
}

// A Lane is a segment to which the argument block points.
type Lane struct {
	Segment
	At int // offset of the pointer in the block
}

const anything = 0xa5

// Run runs a function whose only argument is the address of an argument block, which
// contains pointers to lanes. It returns the contents of the block after the call.
func (p *Program) Run(name string, block []byte, lanes ...Lane) []byte {
	f := p.functions[name]
	if f == nil {
		panic("simulate: no function " + name)
	}
	f.ran.Store(true)
	c := &cpu{}
	c.segments = append(make([]Segment, 0, len(p.data)+len(lanes)+8), p.data...)
	block = bytes.Clone(block)
	for _, l := range lanes {
		store(block[l.At:l.At+8], c.add(l.Segment))
	}
	c.place(bytes.Repeat([]byte{anything}, f.frame), block)
	c.spoil()
	var in *instruction
	defer func() {
		if e := recover(); e != nil {
			panic(fmt.Sprintf("simulate: %s, line %d: %s: %v", name, in.line, in.text, e))
		}
	}()
	for !c.ended {
		in = &f.body[c.next]
		c.next++
		if !in.op.ran.Load() {
			in.op.ran.Store(true)
		}
		if in.op.scalar != nil {
			in.op.scalar(c, in.op, in.args)
		} else {
			c.runVector(in)
		}
	}
	return block
}

// place moves the frame, the block and the call's argument to other addresses.
func (c *cpu) place(frame, block []byte) {
	if c.call > 0 {
		for _, k := range []int{c.frame, c.block, c.call} {
			c.segments[k] = Segment{Name: "what was before the stack moved"}
		}
	}
	c.frame = len(c.segments)
	c.general[stack] = c.add(Segment{Name: "the frame", Bytes: frame})
	c.block = len(c.segments)
	pointer := make([]byte, 8)
	store(pointer, c.add(Segment{Name: "the block", Bytes: block}))
	c.call = len(c.segments)
	c.general[arguments] = c.add(Segment{Name: "the argument", Bytes: pointer, Fixed: true})
}

// spoil fills the registers with arbitrary contents.
func (c *cpu) spoil() {
	for i := range stack {
		c.general[i] = anything * 0x0101010101010101
	}
	for i := range c.vector {
		copy(c.vector[i][:], slices.Repeat([]byte{anything}, 64))
	}
	for i := range c.mask {
		c.mask[i] = anything * 0x0101010101010101
	}
}

// leave checks the conditions that must be true at calls and at the end of a function.
func (c *cpu) leave() {
	if c.upper {
		panic("the upper halves of registers are not clear")
	}
}

// yield simulates a call of a Go function, which may overwrite all registers and move the stack.
func (c *cpu) yield() {
	c.leave()
	c.place(c.segments[c.frame].Bytes, c.segments[c.block].Bytes)
	c.spoil()
}

// address returns the address of a memory operand, without a vector index.
func (c *cpu) address(x *operand) uint64 {
	at := c.general[x.n] + x.value
	if x.index >= 0 && !x.along {
		at += c.general[x.index] * x.scale
	}
	return at
}

// get reads an operand of an instruction on general registers.
func (c *cpu) get(x operand, bytes int) uint64 {
	switch x.kind {
	case immediate:
		return cut(x.value, bytes)
	case general:
		return cut(c.general[x.n], bytes)
	case mask:
		return cut(c.mask[x.n], bytes)
	case inMemory:
		return load(c.bytesAt(c.address(&x), bytes, false))
	}
	panic("a wrong operand")
}

// put writes an operand. The upper bits of a register become zero.
func (c *cpu) put(x operand, bytes int, value uint64) {
	switch value = cut(value, bytes); x.kind {
	case general:
		c.general[x.n] = value
	case mask:
		c.mask[x.n] = value
	case inMemory:
		store(c.bytesAt(c.address(&x), bytes, true), value)
	default:
		panic("a wrong operand")
	}
}

// cut returns the given number of lower bytes of x.
func cut(x uint64, bytes int) uint64 { return x & (1<<(8*bytes) - 1) }

// signed sign-extends a number of the given size.
func signed(x uint64, bytes int) int64 { return int64(x) << (64 - 8*bytes) >> (64 - 8*bytes) }
