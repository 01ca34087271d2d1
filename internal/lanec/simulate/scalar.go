package simulate

// jump jumps to a label if a condition holds.
func jump(when func(c *cpu) bool) *op {
	return &op{operands: 1, scalar: func(c *cpu, _ *op, x []operand) {
		if x[0].kind != label || x[0].n < 0 {
			panic("no label of the function")
		}
		if when(c) {
			c.next = x[0].n
		}
	}}
}

// arith returns an instruction that combines its last operand with the first one, stores the result in the last one,
// and sets the flags.
func arith(bytes int, f func(a, b int64) int64, beyond func(a, b, sum int64) bool) *op {
	return &op{operands: 2, size: bytes, scalar: func(c *cpu, o *op, x []operand) {
		b, a := signed(c.get(x[0], o.size), o.size), signed(c.get(x[1], o.size), o.size)
		c.note(a, b, f(a, b), o.size, beyond)
		c.put(x[1], o.size, uint64(f(a, b)))
	}}
}

// step returns an instruction like those of arith, but with one operand, to which it adds a
// constant.
func step(bytes int, by int64) *op {
	return &op{operands: 1, size: bytes, scalar: func(c *cpu, o *op, x []operand) {
		a := signed(c.get(x[0], o.size), o.size)
		c.note(a, by, a+by, o.size, sumBeyond)
		c.put(x[0], o.size, uint64(a+by))
	}}
}

// note sets the flags for a result.
func (c *cpu) note(a, b, out int64, bytes int, beyond func(a, b, out int64) bool) {
	out = signed(uint64(out), bytes)
	c.zero, c.less = out == 0, out < 0 != beyond(a, b, out)
}

func sumBeyond(a, b, out int64) bool        { return a < 0 == (b < 0) && out < 0 != (a < 0) }
func differenceBeyond(a, b, out int64) bool { return a < 0 != (b < 0) && out < 0 != (a < 0) }
func never(_, _, _ int64) bool              { return false }

// compare returns an instruction like those of arith that only sets the flags and stores no result.
func compare(bytes int, f func(a, b int64) int64, beyond func(a, b, out int64) bool) *op {
	return &op{operands: 2, size: bytes, scalar: func(c *cpu, o *op, x []operand) {
		a, b := signed(c.get(x[0], o.size), o.size), signed(c.get(x[1], o.size), o.size)
		c.note(a, b, f(a, b), o.size, beyond)
	}}
}

// move copies.
func move(bytes int) *op {
	return &op{operands: 2, size: bytes, scalar: func(c *cpu, o *op, x []operand) { c.put(x[1], o.size, c.get(x[0], o.size)) }}
}

// keep executes BZHI, which clears all bits at and above a given index.
func keep(c *cpu, o *op, x []operand) {
	n := c.get(x[0], o.size) & 255
	c.put(x[2], o.size, c.get(x[1], o.size)&(1<<n-1))
}

// shiftLeft shifts left by an immediate or by CX.
func shiftLeft(c *cpu, o *op, x []operand) {
	count := c.get(x[0], o.size) & uint64(8*o.size-1)
	c.put(x[1], o.size, c.get(x[1], o.size)<<count)
}

// shiftRight shifts right by an immediate or by CX.
func shiftRight(c *cpu, o *op, x []operand) {
	count := c.get(x[0], o.size) & uint64(8*o.size-1)
	c.put(x[1], o.size, c.get(x[1], o.size)>>count)
}

// masked returns an instruction on mask registers.
func masked(operands, bytes int, f func(a, b uint64) uint64) *op {
	return &op{operands: operands, size: bytes, scalar: func(c *cpu, o *op, x []operand) {
		a := c.get(x[len(x)-2], o.size) // the first operand in Intel's order
		c.put(x[len(x)-1], o.size, f(a, c.get(x[0], o.size)))
	}}
}

// ask returns an instruction that tests whether the OR of two masks is zero.
func ask(bytes int) *op {
	return &op{operands: 2, size: bytes, scalar: func(c *cpu, o *op, x []operand) {
		c.zero, c.less = c.get(x[0], o.size)|c.get(x[1], o.size) == 0, false
	}}
}

func clearUpper(c *cpu, _ *op, _ []operand) {
	for i := range 16 {
		clear(c.vector[i][16:])
	}
	c.upper = false
}
