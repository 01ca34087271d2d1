package ecs

// Hash returns the value that [World.Hash] had when the image was taken. The first call computes the
// hash. It uses the workers of the world's pool as long as the pool is open. Later calls return the same
// number. Any goroutine may call Hash. It panics with an *Error if the image is released.
func (m *Image) Hash() uint64 {
	m.mustNotBeReleased("Image.Hash")
	return m.hash.get(m.computeHash)
}

// computeHash computes the hash of the image. Chunks that an older image also has, and for which the
// hash was computed, need no work.
func (m *Image) computeHash() uint64 {
	var chunks []*chunkImage
	var groups []*groupImage // the group of each chunk
	values := sharedHashes{}
	for i := range m.archetypes {
		a := &m.archetypes[i]
		for _, c := range a.chunks {
			g := &a.groups[c.groupIndex]
			chunks, groups = append(chunks, c), append(groups, g)
			m.hashSharedValues(values, a.components, g)
		}
	}
	sums := hashEach(m.pool.workerPool, len(chunks), func(d *digest, i int) uint64 { return d.imageChunkHash(chunks[i], groups[i], values) })
	free := hashFreeSlots(m.pool.workerPool, len(m.freeIDs), func(i int) Entity { return m.freeIDs[i] })
	d := newDigest()
	d.addUint64s(HashVersion, uint64(m.slotCount), uint64(len(m.freeIDs)))
	d.addUint64s(free...)
	for i := range m.archetypes {
		a := &m.archetypes[i]
		if a.rowCount > 0 {
			d.addArchetype(len(a.components), sums[:len(a.chunks)], func(i int) *component { return a.components[i] })
		}
		sums = sums[len(a.chunks):]
	}
	for _, s := range m.namedHashes {
		d.addNamed(s.name, s.hash)
	}
	return d.sum()
}

// hashSharedValues computes the hashes of a group's shared values and adds them to values.
func (m *Image) hashSharedValues(values sharedHashes, set []*component, g *groupImage) {
	shared := 0
	for _, comp := range set {
		if comp.kind.has(isShared) {
			values.add(comp, g.valueIndices[shared], m.sharedValuesOf(comp))
			shared++
		}
	}
}

// imageChunkHash returns the hash of a chunk of an image. The result must equal the hash of the same
// chunk in a world.
func (d *digest) imageChunkHash(c *chunkImage, g *groupImage, values sharedHashes) uint64 {
	sums := make([]uint64, 2, 16)
	sums[0], sums[1] = uint64(c.count), d.imageIDsHash(c)
	shared := 0
	for k, comp := range c.components {
		if comp.kind.has(isShared) {
			sums = append(sums, values.get(comp, g.valueIndices[shared]))
			shared++
		} else {
			sums = append(sums, d.imageColumnHash(c, k))
		}
	}
	return d.listHash(sums)
}

// cacheChunkHashes computes the hashes of the ids and columns of a chunk once and stores them with
// the chunk.
func (d *digest) cacheChunkHashes(c *chunkImage) {
	d.imageIDsHash(c)
	for k := range c.columns {
		if c.columns[k] != nil {
			d.imageColumnHash(c, k)
		}
	}
}

// imageIDsHash returns the hash of the ids of a chunk.
func (d *digest) imageIDsHash(c *chunkImage) uint64 {
	return c.idsOwner.hash.get(func() uint64 { return d.idsHash(c.ids) })
}

// imageColumnHash returns the hash of a column of a chunk.
func (d *digest) imageColumnHash(c *chunkImage, k int) uint64 {
	own := c.columns[k]
	if own == nil {
		return d.storedColumnHash(nil, c.components[k], c.count)
	}
	return own.hash.get(func() uint64 { return d.storedColumnHash(own, c.components[k], c.count) })
}

// storedColumnHash returns the hash of a column with n rows. The result must equal the hash of the same column of
// a world.
func (d *digest) storedColumnHash(c *columnImage, comp *component, n int) uint64 {
	d.reset()
	if c == nil {
		return d.sum()
	}
	if comp.kind.has(isBuffer) {
		lanes := c.laneBytes(comp, n)
		d.addInt32s(n, func(i int) int32 { return readHead(lanes[0], i)[0] })
		for i := range n {
			d.addRows(c.elements(comp, lanes, i), comp.buffer.numberRuns)
		}
	} else if c.placedLanes != nil {
		for i, lane := range c.placedLanes {
			d.addRows(lane, comp.numberRuns[i])
		}
	} else {
		b := c.laneData
		for i, l := range comp.lanes {
			size := n * int(l.Type.Size())
			d.addRows(b[:size], comp.numberRuns[i])
			b = b[size:]
		}
	}
	if c.enabledBits != nil {
		d.addUint64s(c.enabledBits...)
	}
	return d.sum()
}
