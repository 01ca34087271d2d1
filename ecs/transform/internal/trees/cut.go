package trees

// A run of at least so many rows whose parents are in one chunk becomes its own segment. Shorter
// runs would cost more than the copies of their parents' matrices.
const longRun = 8

// cutAll cuts the chunks of recut.
func (f *Forest) cutAll() {
	for _, h := range f.recut {
		if c := &f.Chunks[h]; c.cut {
			c.cut = false
			f.cut(h)
			f.Spoil(h)
		}
	}
	if len(f.recut) > 0 {
		f.Edition++
	}
	f.recut = f.recut[:0]
}

// cut divides the rows of a chunk into segments.
func (f *Forest) cut(h int32) {
	c := &f.Chunks[h]
	c.Segments, c.Arrivals, c.Short = c.Segments[:0], 0, false
	if c.ID == None || c.Roots {
		return
	}
	rows, base := c.Rows, f.Place(h, 0)
	f.Work.Cut += int(rows)
	f.levels = grown(f.levels, 1<<f.shift)
	for row := range rows {
		at := base + int(row)
		x := &f.nodes[f.nodeAt[at]]
		f.levels[row], f.Arrived[at], f.Up[at] = x.level, x.arrived, None
		if x.arrived {
			c.Arrivals++
		}
		if x.level > 0 {
			f.Up[at] = f.nodes[x.parent].place
		}
	}
	done := int32(0)
	for lo := int32(0); lo < rows; {
		hi := lo + 1
		for hi < rows && f.levels[hi] == f.levels[lo] {
			hi++
		}
		if f.levels[lo] > 0 {
			f.split(Segment{Chunk: h, Lo: lo, Hi: hi, Level: f.levels[lo]})
			done += hi - lo
		}
		lo = hi
	}
	c = &f.Chunks[h]
	c.Short = done == rows && len(c.Segments)*longRun > int(rows)
}

// split divides a run of rows of one level into segments: long runs of rows whose parents are in
// one chunk, and the rows between these.
func (f *Forest) split(run Segment) {
	up := f.Up[f.Place(run.Chunk, 0):]
	done := run.Lo
	for lo := run.Lo; lo < run.Hi; {
		from, hi := up[lo]>>f.shift, lo+1
		for hi < run.Hi && up[hi]>>f.shift == from {
			hi++
		}
		if hi-lo >= longRun || hi-lo == run.Hi-run.Lo {
			f.add(run, done, lo)
			f.add(run, lo, hi)
			done = hi
		}
		lo = hi
	}
	f.add(run, done, run.Hi)
}

// add makes a segment of the rows [lo, hi) of a run, if there are any.
func (f *Forest) add(run Segment, lo, hi int32) {
	if lo == hi {
		return
	}
	base, mask := f.Place(run.Chunk, 0), int32(1)<<f.shift-1
	up, from := f.Up[base+int(lo):base+int(hi)], f.From[base+int(lo):base+int(hi)]
	run.Lo, run.Hi, run.From = lo, hi, up[0]>>f.shift
	run.Least, run.Most = up[0], up[0]
	for i, p := range up {
		run.Least, run.Most = min(run.Least, p), max(run.Most, p)
		if p>>f.shift != run.From {
			run.From = Spread
		}
		run.Inner = run.Inner || f.nodes[f.nodeAt[base+int(lo)+i]].first != None
	}
	for i, p := range up {
		from[i] = p & mask
		if run.From == Spread {
			from[i] += f.slotOf(p>>f.shift) << f.shift
		}
	}
	c := &f.Chunks[run.Chunk]
	c.Segments = append(c.Segments, run)
}

// slotOf returns the slot of the copies of a chunk.
func (f *Forest) slotOf(h int32) int32 {
	c := &f.Chunks[h]
	if c.Copies == None {
		if last := len(f.slots) - 1; last >= 0 {
			c.Copies, f.slots = f.slots[last], f.slots[:last]
		} else {
			c.Copies = int32(f.copies)
			f.copies++
		}
		f.Spoil(h)
	}
	return c.Copies
}
