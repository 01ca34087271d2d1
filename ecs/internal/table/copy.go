package table

import "unsafe"

// Pair is a pair of lanes that hold the same data: a lane to read, and a lane of the same or
// another shape to write.
type Pair struct{ To, From, Size uint32 }

// Copy copies rows between chunks of two shapes, or between chunks of one shape. Programs often
// edit entities one by one, and a loop for many rows is slow for a single row. Therefore Copy
// stores lanes of words, which are the most common lanes, separately. It copies three lanes
// together if they are adjacent in both shapes, like the lanes of a vector.
type Copy struct {
	pairs      []Pair
	threeLanes []wordLane // groups of three lanes of four bytes; each is stored by its first lane
	wordLanes  []wordLane // other lanes of four bytes
	otherLanes []Pair
}

// wordLane is a lane of four bytes that both shapes contain.
type wordLane struct{ to, from uint32 }

// NewCopy returns a Copy of the lanes of the pairs.
func NewCopy(pairs []Pair) Copy {
	c := Copy{pairs: pairs}
	follows := func(i, k int) bool {
		return i+k < len(pairs) && pairs[i+k] == Pair{pairs[i].To + uint32(k), pairs[i].From + uint32(k), 4}
	}
	for i := 0; i < len(pairs); i++ {
		switch l := pairs[i]; {
		case l.Size != 4:
			c.otherLanes = append(c.otherLanes, l)
		case follows(i, 1) && follows(i, 2):
			c.threeLanes = append(c.threeLanes, wordLane{l.To, l.From})
			i += 2
		default:
			c.wordLanes = append(c.wordLanes, wordLane{l.To, l.From})
		}
	}
	return c
}

// Row copies row f of one chunk to row d of another.
func (c *Copy) Row(to *Base, d int, from *Base, f int) {
	// SAFETY: as for Base.Row. Read the three offsets, and then the three values, before the first
	// write. So no read waits for a write.
	tm, fm := unsafe.Add(to.mem, 4*d), unsafe.Add(from.mem, 4*f)
	ta, fa := unsafe.Pointer(to.offsets), unsafe.Pointer(from.offsets)
	for _, k := range c.threeLanes {
		i, j := threeOffsets(fa, k.from), threeOffsets(ta, k.to)
		x, y, z := *wordAt(fm, i[0]), *wordAt(fm, i[1]), *wordAt(fm, i[2])
		a, b, c := wordAt(tm, j[0]), wordAt(tm, j[1]), wordAt(tm, j[2])
		*a, *b, *c = x, y, z
	}
	for _, k := range c.wordLanes {
		*laneWord(tm, ta, k.to) = *laneWord(fm, fa, k.from)
	}
	for i := range c.otherLanes {
		l := &c.otherLanes[i]
		copyBytes(to.Row(Lane{l.To, l.Size}, d), from.Row(Lane{l.From, l.Size}, f), l.Size)
	}
}

// RowWithin copies row f of a chunk to row d of the same chunk. Both lanes of each pair must belong to
// the same shape.
func (c *Copy) RowWithin(b *Base, d, f int) {
	// SAFETY: as in Row.
	tm, fm, at := unsafe.Add(b.mem, 4*d), unsafe.Add(b.mem, 4*f), unsafe.Pointer(b.offsets)
	for _, k := range c.threeLanes {
		t := threeOffsets(at, k.to)
		i, j, l := t[0], t[1], t[2]
		x, y, z := *wordAt(fm, i), *wordAt(fm, j), *wordAt(fm, l)
		*wordAt(tm, i), *wordAt(tm, j), *wordAt(tm, l) = x, y, z
	}
	for _, k := range c.wordLanes {
		i := *offsetAt(at, k.to)
		*wordAt(tm, i) = *wordAt(fm, i)
	}
	for i := range c.otherLanes {
		l := &c.otherLanes[i]
		copyBytes(b.Row(Lane{l.To, l.Size}, d), b.Row(Lane{l.To, l.Size}, f), l.Size)
	}
}

// Rows copies n rows. It reads the rows of one chunk from row f on, and writes the rows of
// the other chunk from row d on.
func (c *Copy) Rows(to *Place, d int, from *Place, f, n int) {
	if n == 1 && !guard {
		c.Row(&to.Base, d, &from.Base, f)
		return
	}
	for _, l := range c.pairs {
		copy(to.Bytes(Lane{l.To, l.Size}, d, n), from.Bytes(Lane{l.From, l.Size}, f, n))
	}
}

// Pairs returns the pairs of lanes that c copies.
func (c *Copy) Pairs() []Pair { return c.pairs }

// Zero sets row d of a chunk to zero.
func (c *Copy) Zero(b *Base, d int) {
	// SAFETY: as in Row.
	mem, at := unsafe.Add(b.mem, 4*d), unsafe.Pointer(b.offsets)
	for _, k := range c.threeLanes {
		t := threeOffsets(at, k.to)
		x, y, z := wordAt(mem, t[0]), wordAt(mem, t[1]), wordAt(mem, t[2])
		*x, *y, *z = 0, 0, 0
	}
	for _, k := range c.wordLanes {
		*laneWord(mem, at, k.to) = 0
	}
	for i := range c.otherLanes {
		l := &c.otherLanes[i]
		clear(unsafe.Slice((*byte)(b.Row(Lane{l.To, l.Size}, d)), l.Size))
	}
}

// ZeroRow sets a row of some lanes to zero.
func (b *Base) ZeroRow(lanes []Lane, row int) {
	// SAFETY: as for Base.Row.
	mem, at := unsafe.Add(b.mem, 4*row), unsafe.Pointer(b.offsets)
	for i := range lanes {
		if l := &lanes[i]; l.Size == 4 {
			*laneWord(mem, at, l.Index) = 0
		} else {
			clear(unsafe.Slice((*byte)(b.Row(*l, row)), l.Size))
		}
	}
}

// offsetAt returns the address of offset i in a table of offsets.
func offsetAt(at unsafe.Pointer, i uint32) *uint32 {
	// SAFETY: as for Base.Lane.
	return (*uint32)(unsafe.Add(at, 4*uintptr(i)))
}

// threeOffsets returns the address of three consecutive offsets in a table.
func threeOffsets(at unsafe.Pointer, i uint32) *[3]uint32 {
	// SAFETY: the reasons are those of Base.Lane; the table contains all three offsets.
	return (*[3]uint32)(unsafe.Add(at, 4*uintptr(i)))
}

// laneWord returns the first word of a lane.
func laneWord(mem, at unsafe.Pointer, i uint32) *uint32 {
	// SAFETY: as for Base.Lane.
	return (*uint32)(unsafe.Add(mem, *offsetAt(at, i)))
}

// copyBytes copies n bytes. If a row has a common size, a single instruction copies it.
func copyBytes(to, from unsafe.Pointer, n uint32) {
	// SAFETY: as for Base.Row.
	switch n {
	case 4:
		*(*[4]byte)(to) = *(*[4]byte)(from)
	case 8:
		*(*[8]byte)(to) = *(*[8]byte)(from)
	case 16:
		*(*[16]byte)(to) = *(*[16]byte)(from)
	default:
		copy(unsafe.Slice((*byte)(to), n), unsafe.Slice((*byte)(from), n))
	}
}
