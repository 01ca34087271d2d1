package simulate

// runVector executes a vector instruction.
func (c *cpu) runVector(in *instruction) {
	o, mask := in.op, ^uint64(0)
	if in.mask > 0 {
		mask = c.mask[in.mask]
	}
	var out [64]byte
	n := o.count(in)
	switch {
	case o.one:
		n = 1
		if len(in.sources) > 1 {
			copy(out[:16], c.vector[in.sources[0].n][:]) // elements above the first one
		}
	case in.to.kind == vector && !in.zero && in.mask > 0 && !o.choose:
		copy(out[:in.to.bytes], c.vector[in.to.n][:])
	}
	bits := uint64(0)
	for i := range n {
		on := mask>>i&1 == 1
		if !on && !o.choose {
			continue
		}
		y := c.element(in, i, on)
		switch in.to.kind {
		case vector:
			store(out[i*o.size:(i+1)*o.size], y)
		case inMemory:
			store(c.bytesAt(c.address(&in.to)+uint64(i*o.size), o.size, true), y)
		default:
			bits |= y & 1 << i
		}
	}
	if in.to.kind == inMemory {
		return
	}
	if in.to.kind != vector {
		c.mask[in.to.n] = bits
		return
	}
	c.vector[in.to.n] = out
	c.upper = c.upper || in.to.bytes > 16 && in.to.n < 16
	if o.gather {
		c.mask[in.mask] = 0
	}
}

// count returns the number of elements of a vector instruction.
func (o *op) count(in *instruction) int {
	if in.to.kind == vector {
		return in.to.bytes / o.size
	}
	for i := range in.sources {
		if s := &in.sources[i]; s.kind == vector {
			return s.bytes / o.from
		}
	}
	panic("how many elements there are is unknown")
}

// element returns one element of the result.
func (c *cpu) element(in *instruction, i int, on bool) uint64 {
	o := in.op
	if o.gather {
		x := &in.sources[0]
		k := signed(load(c.vector[x.index][i*o.from:(i+1)*o.from]), o.from)
		return load(c.bytesAt(c.address(x)+uint64(k)*x.scale, o.size, false))
	}
	if o.choose {
		k := 0
		if on {
			k = 1
		}
		return c.source(in, &in.sources[k], i)
	}
	for k := range in.sources {
		c.numbers[k] = c.source(in, &in.sources[k], i)
	}
	if o.each == nil {
		return c.numbers[0]
	}
	return o.each(&c.numbers, in.imm)
}

// source returns one element of an operand.
func (c *cpu) source(in *instruction, s *operand, i int) uint64 {
	o := in.op
	switch s.kind {
	case vector:
		if o.spread {
			i = 0
		}
		return load(c.vector[s.n][i*o.from : (i+1)*o.from])
	case mask:
		return c.mask[s.n] >> i & 1
	case inMemory:
		if in.embedded || o.spread {
			i = 0
		}
		return load(c.bytesAt(c.address(s)+uint64(i*o.from), o.from, false))
	}
	panic("an operand is no vector")
}
