package ecs

import "encoding/binary"

// lanes shows the lanes of a column with n rows.
func (c *columnImage) lanes(comp *component, n int) [][]byte {
	if c.placed != nil {
		return c.placed
	}
	list := make([][]byte, len(comp.lanes))
	b := c.bytes
	for i, l := range comp.lanes {
		size := n * int(l.Type.Size())
		list[i], b = b[:size:size], b[size:]
	}
	return list
}

// valuesOf returns the values of a shared component, by their indices.
func (m *Image) valuesOf(c *component) []any {
	for i := range m.stores {
		if m.stores[i].comp == c {
			return m.stores[i].values
		}
	}
	return nil
}

// storeFor returns what the image has of a store; nil if that has its default only.
func (m *Image) storeFor(c *component) *imageStore {
	for i := range m.stores {
		if m.stores[i].comp == c {
			return &m.stores[i]
		}
	}
	return nil
}

// Hash returns what [World.Hash] returned, or would have, when the image was taken. Workers
// of the world's pool help, while that is open. It panics with an *Error if the image
// is released.
func (m *Image) Hash() uint64 {
	m.mustBe("Image.Hash")
	return m.hash.of(m.makeHash)
}

// makeHash hashes the image: of what it shares with one that was hashed the hashes are known.
func (m *Image) makeHash() uint64 {
	var chunks []*chunkImage
	var groups []*groupImage // of each
	values := sharedSums{}
	for i := range m.archetypes {
		a := &m.archetypes[i]
		for _, c := range a.chunks {
			g := &a.groups[c.group]
			chunks, groups = append(chunks, c), append(groups, g)
			m.takeShared(values, a.set, g)
		}
	}
	sums := hashEach(m.pool.jobs, len(chunks), func(d *digest, i int) uint64 { return d.chunk(chunks[i], groups[i], values) })
	free := hashFree(m.pool.jobs, len(m.free), func(i int) Entity { return m.free[i] })
	d := newDigest()
	d.counts(HashVersion, uint64(m.slots), uint64(len(m.free)))
	d.counts(free...)
	for i := range m.archetypes {
		a := &m.archetypes[i]
		if a.rows > 0 {
			d.archetype(len(a.set), sums[:len(a.chunks)], func(i int) *component { return a.set[i] })
		}
		sums = sums[len(a.chunks):]
	}
	for _, s := range m.sums {
		d.named(s.name, s.sum)
	}
	return d.sum()
}

// takeShared takes the shared values of a group.
func (m *Image) takeShared(values sharedSums, set []*component, g *groupImage) {
	shared := 0
	for _, comp := range set {
		if comp.kind.has(isShared) {
			values.take(comp, g.values[shared], m.valuesOf(comp))
			shared++
		}
	}
}

// chunk returns the hash of a chunk, as record does.
func (d *digest) chunk(c *chunkImage, g *groupImage, values sharedSums) uint64 {
	sums := make([]uint64, 2, 16)
	sums[0], sums[1] = uint64(c.n), d.idsOf(c)
	shared := 0
	for k, comp := range c.set {
		if comp.kind.has(isShared) {
			sums = append(sums, values.of(comp, g.values[shared]))
			shared++
		} else {
			sums = append(sums, d.columnOf(c, k))
		}
	}
	return d.list(sums)
}

// known makes the hashes of what a chunk has of its own, once.
func (d *digest) known(c *chunkImage) {
	d.idsOf(c)
	for k := range c.columns {
		if c.columns[k] != nil {
			d.columnOf(c, k)
		}
	}
}

// idsOf returns the hash of the ids of a chunk.
func (d *digest) idsOf(c *chunkImage) uint64 {
	return c.owner.hash.of(func() uint64 { return d.ids(c.ids) })
}

// columnOf returns the hash of a column of a chunk.
func (d *digest) columnOf(c *chunkImage, k int) uint64 {
	own := c.columns[k]
	if own == nil {
		return d.kept(nil, c.set[k], c.n)
	}
	return own.hash.of(func() uint64 { return d.kept(own, c.set[k], c.n) })
}

// kept returns the hash of a column with n rows, as column does.
func (d *digest) kept(c *columnImage, comp *component, n int) uint64 {
	d.reset()
	if c == nil {
		return d.sum()
	}
	if comp.kind.has(isBuffer) {
		lanes := c.lanes(comp, n)
		d.int32s(n, func(i int) int32 { return headOf(lanes[0], i)[0] })
		for i := range n {
			d.rows(c.elements(comp, lanes, i), comp.buffer.parts)
		}
	} else if c.placed != nil {
		for i, lane := range c.placed {
			d.rows(lane, comp.parts[i])
		}
	} else {
		b := c.bytes
		for i, l := range comp.lanes {
			size := n * int(l.Type.Size())
			d.rows(b[:size], comp.parts[i])
			b = b[size:]
		}
	}
	if c.on != nil {
		d.counts(c.on...)
	}
	return d.sum()
}

// elements shows the elements of a buffer.
func (c *columnImage) elements(comp *component, lanes [][]byte, row int) []byte {
	head := headOf(lanes[0], row)
	n := int(head[0]) * comp.buffer.size
	switch {
	case head[1] > 0:
		return wordBytes(c.spills[row])[:n]
	case n == 0:
		return nil
	}
	size := int(comp.lanes[1].Type.Size())
	return lanes[1][row*size:][:n]
}

// heads returns the lane of the heads of buffers, the first one.
func (c *columnImage) heads() []byte {
	if c.placed != nil {
		return c.placed[0]
	}
	return c.bytes
}

// headOf returns the head of a buffer in a lane of them.
func headOf(lane []byte, row int) bufferHead {
	return bufferHead{int32(binary.NativeEndian.Uint32(lane[8*row:])), int32(binary.NativeEndian.Uint32(lane[8*row+4:]))}
}

// putHead sets the head of a buffer in a lane of them.
func putHead(lane []byte, row int, h bufferHead) {
	binary.NativeEndian.PutUint32(lane[8*row:], uint32(h[0]))
	binary.NativeEndian.PutUint32(lane[8*row+4:], uint32(h[1]))
}

// mustBe panics if the image is released.
func (m *Image) mustBe(op string) {
	if m == nil || m.pool == nil {
		panic(fault(ErrArgument, op, "the image is released, or is the zero Image"))
	}
}
