package table

import "unsafe"

// Pair is a lane of one shape and the lane of another, or of the same shape, with the same
// contents.
type Pair struct{ To, From, Size uint32 }

// Copy copies rows between chunks of two shapes, or of one. Entities are often edited one by one,
// and a loop for runs of rows is slow for a single row. Therefore lanes of words, the most common
// ones, are separate, and three lanes that are neighbours in both shapes, as those of a vector are,
// are copied together.
type Copy struct {
	pairs  []Pair
	threes []words // groups of three lanes of four bytes: the first lane of each
	words  []words // other lanes of four bytes
	others []Pair
}

// words is a lane of four bytes that both shapes have.
type words struct{ to, from uint32 }

// NewCopy returns a Copy of the lanes of the pairs.
func NewCopy(pairs []Pair) Copy {
	c := Copy{pairs: pairs}
	follows := func(i, k int) bool {
		return i+k < len(pairs) && pairs[i+k] == Pair{pairs[i].To + uint32(k), pairs[i].From + uint32(k), 4}
	}
	for i := 0; i < len(pairs); i++ {
		switch l := pairs[i]; {
		case l.Size != 4:
			c.others = append(c.others, l)
		case follows(i, 1) && follows(i, 2):
			c.threes = append(c.threes, words{l.To, l.From})
			i += 2
		default:
			c.words = append(c.words, words{l.To, l.From})
		}
	}
	return c
}

// Row copies row f of one chunk to row d of another.
func (c *Copy) Row(to *Base, d int, from *Base, f int) {
	// SAFETY: as for Base.Row. The offsets of three lanes are read before the first of
	// them is written, and what is read then before that: none waits for another one.
	tm, fm := unsafe.Add(to.mem, 4*d), unsafe.Add(from.mem, 4*f)
	ta, fa := unsafe.Pointer(to.at), unsafe.Pointer(from.at)
	for _, k := range c.threes {
		i, j := three(fa, k.from), three(ta, k.to)
		x, y, z := *word(fm, i[0]), *word(fm, i[1]), *word(fm, i[2])
		a, b, c := word(tm, j[0]), word(tm, j[1]), word(tm, j[2])
		*a, *b, *c = x, y, z
	}
	for _, k := range c.words {
		*lane(tm, ta, k.to) = *lane(fm, fa, k.from)
	}
	for i := range c.others {
		l := &c.others[i]
		copyBytes(to.Row(Lane{l.To, l.Size}, d), from.Row(Lane{l.From, l.Size}, f), l.Size)
	}
}

// Within copies row f of a chunk to row d of the same chunk. Both lanes of each pair must be of one
// shape.
func (c *Copy) Within(b *Base, d, f int) {
	// SAFETY: as in Row.
	tm, fm, at := unsafe.Add(b.mem, 4*d), unsafe.Add(b.mem, 4*f), unsafe.Pointer(b.at)
	for _, k := range c.threes {
		t := three(at, k.to)
		i, j, l := t[0], t[1], t[2]
		x, y, z := *word(fm, i), *word(fm, j), *word(fm, l)
		*word(tm, i), *word(tm, j), *word(tm, l) = x, y, z
	}
	for _, k := range c.words {
		i := *offset(at, k.to)
		*word(tm, i) = *word(fm, i)
	}
	for i := range c.others {
		l := &c.others[i]
		copyBytes(b.Row(Lane{l.To, l.Size}, d), b.Row(Lane{l.To, l.Size}, f), l.Size)
	}
}

// Rows copies n rows from row f on to row d on.
func (c *Copy) Rows(to *Place, d int, from *Place, f, n int) {
	if n == 1 && !guard {
		c.Row(&to.Base, d, &from.Base, f)
		return
	}
	for _, l := range c.pairs {
		copy(to.Bytes(Lane{l.To, l.Size}, d, n), from.Bytes(Lane{l.From, l.Size}, f, n))
	}
}

// Pairs returns the copied lanes.
func (c *Copy) Pairs() []Pair { return c.pairs }

// Zero sets row d of a chunk to zero.
func (c *Copy) Zero(b *Base, d int) {
	// SAFETY: as in Row.
	mem, at := unsafe.Add(b.mem, 4*d), unsafe.Pointer(b.at)
	for _, k := range c.threes {
		t := three(at, k.to)
		x, y, z := word(mem, t[0]), word(mem, t[1]), word(mem, t[2])
		*x, *y, *z = 0, 0, 0
	}
	for _, k := range c.words {
		*lane(mem, at, k.to) = 0
	}
	for i := range c.others {
		l := &c.others[i]
		clear(unsafe.Slice((*byte)(b.Row(Lane{l.To, l.Size}, d)), l.Size))
	}
}

// ZeroRow sets a row of some lanes to zero.
func (b *Base) ZeroRow(lanes []Lane, row int) {
	// SAFETY: as for Row.
	mem, at := unsafe.Add(b.mem, 4*row), unsafe.Pointer(b.at)
	for i := range lanes {
		if l := &lanes[i]; l.Size == 4 {
			*lane(mem, at, l.Index) = 0
		} else {
			clear(unsafe.Slice((*byte)(b.Row(*l, row)), l.Size))
		}
	}
}

// offset returns the address of an offset in a table.
func offset(at unsafe.Pointer, i uint32) *uint32 {
	// SAFETY: as for Base.Lane.
	return (*uint32)(unsafe.Add(at, 4*uintptr(i)))
}

// three returns the address of three consecutive offsets in a table.
func three(at unsafe.Pointer, i uint32) *[3]uint32 {
	// SAFETY: as for Base.Lane; the table has all three.
	return (*[3]uint32)(unsafe.Add(at, 4*uintptr(i)))
}

// lane returns the first word of a lane.
func lane(mem, at unsafe.Pointer, i uint32) *uint32 {
	// SAFETY: as for Base.Lane.
	return (*uint32)(unsafe.Add(mem, *offset(at, i)))
}

// copyBytes copies n bytes, with a single instruction for the common sizes of a row.
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
