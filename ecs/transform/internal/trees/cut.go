package trees

// A run of at least minRunRows rows whose parents are in one chunk becomes a segment. Shorter
// segments would cost more than copying the matrices of their parents.
const minRunRows = 8

// cutAll cuts the chunks of recutChunks.
func (f *Forest) cutAll() {
	for _, h := range f.recutChunks {
		if c := &f.Chunks[h]; c.cutPending {
			c.cutPending = false
			f.cutChunk(h)
			f.MarkCopiesStale(h)
		}
	}
	if len(f.recutChunks) > 0 {
		f.Edition++
	}
	f.recutChunks = f.recutChunks[:0]
}

// cutChunk divides the rows of a chunk into segments.
func (f *Forest) cutChunk(h int32) {
	c := &f.Chunks[h]
	c.Segments, c.Arrivals, c.ShortSegments = c.Segments[:0], 0, false
	if c.ID == None || c.Roots {
		return
	}
	rows, base := c.Rows, f.Place(h, 0)
	f.Work.Cut += int(rows)
	f.levels = growTo(f.levels, 1<<f.placeShift)
	for row := range rows {
		at := base + int(row)
		x := &f.nodes[f.placeNodes[at]]
		f.levels[row], f.Arrived[at], f.ParentPlace[at] = x.level, x.arrived, None
		if x.arrived {
			c.Arrivals++
		}
		if x.level > 0 {
			f.ParentPlace[at] = f.nodes[x.parent].place
		}
	}
	done := int32(0)
	for lo := int32(0); lo < rows; {
		hi := lo + 1
		for hi < rows && f.levels[hi] == f.levels[lo] {
			hi++
		}
		if f.levels[lo] > 0 {
			f.splitRun(Segment{Chunk: h, Lo: lo, Hi: hi, Level: f.levels[lo]})
			done += hi - lo
		}
		lo = hi
	}
	c = &f.Chunks[h]
	c.ShortSegments = done == rows && len(c.Segments)*minRunRows > int(rows)
}

// splitRun divides a run of rows of one level into segments. Each long run of rows whose parents
// are in one chunk becomes a segment, and so does each group of rows between these runs.
func (f *Forest) splitRun(run Segment) {
	up := f.ParentPlace[f.Place(run.Chunk, 0):]
	done := run.Lo
	for lo := run.Lo; lo < run.Hi; {
		from, hi := up[lo]>>f.placeShift, lo+1
		for hi < run.Hi && up[hi]>>f.placeShift == from {
			hi++
		}
		if hi-lo >= minRunRows || hi-lo == run.Hi-run.Lo {
			f.addSegment(run, done, lo)
			f.addSegment(run, lo, hi)
			done = hi
		}
		lo = hi
	}
	f.addSegment(run, done, run.Hi)
}

// addSegment adds a segment with the rows [lo, hi) of a run, unless there are none.
func (f *Forest) addSegment(run Segment, lo, hi int32) {
	if lo == hi {
		return
	}
	base, mask := f.Place(run.Chunk, 0), int32(1)<<f.placeShift-1
	up, from := f.ParentPlace[base+int(lo):base+int(hi)], f.MatrixPlace[base+int(lo):base+int(hi)]
	run.Lo, run.Hi, run.ParentChunk = lo, hi, up[0]>>f.placeShift
	run.MinParent, run.MaxParent = up[0], up[0]
	for i, p := range up {
		run.MinParent, run.MaxParent = min(run.MinParent, p), max(run.MaxParent, p)
		if p>>f.placeShift != run.ParentChunk {
			run.ParentChunk = Spread
		}
		run.HasChildren = run.HasChildren || f.nodes[f.placeNodes[base+int(lo)+i]].firstChild != None
	}
	for i, p := range up {
		from[i] = p & mask
		if run.ParentChunk == Spread {
			from[i] += f.copySlotOf(p>>f.placeShift) << f.placeShift
		}
	}
	c := &f.Chunks[run.Chunk]
	c.Segments = append(c.Segments, run)
}

// copySlotOf returns the slot of the copies of a chunk.
func (f *Forest) copySlotOf(h int32) int32 {
	c := &f.Chunks[h]
	if c.CopySlot == None {
		if last := len(f.freeSlots) - 1; last >= 0 {
			c.CopySlot, f.freeSlots = f.freeSlots[last], f.freeSlots[:last]
		} else {
			c.CopySlot = int32(f.slotCount)
			f.slotCount++
		}
		f.MarkCopiesStale(h)
	}
	return c.CopySlot
}
