package table

import "unsafe"

// Pair is a lane of one shape and one of another, or of the same, that hold the same.
type Pair struct{ To, From, Size uint32 }

// Copy copies rows between chunks of two shapes, or of one. Entities are often edited
// one by one, and what copies a run of rows is slow for a single one: so lanes of
// words, the most common ones, are apart.
type Copy struct {
	pairs  []Pair
	words  []words // those of four bytes
	others []Pair
}

// words is a lane of four bytes that both have.
type words struct{ to, from uint32 }

// NewCopy returns what copies the lanes of the pairs.
func NewCopy(pairs []Pair) Copy {
	c := Copy{pairs: pairs}
	for _, l := range pairs {
		if l.Size == 4 {
			c.words = append(c.words, words{l.To, l.From})
		} else {
			c.others = append(c.others, l)
		}
	}
	return c
}

// Row makes row d of a chunk what row f of another is.
func (c *Copy) Row(to *Base, d int, from *Base, f int) {
	// SAFETY: as for Base.Row. The offsets of a few lanes are read before the first of
	// them is written, and what is read then before that: none waits for another one.
	tm, fm := unsafe.Add(to.mem, 4*d), unsafe.Add(from.mem, 4*f)
	ta, fa := unsafe.Pointer(to.at), unsafe.Pointer(from.at)
	list := c.words
	for ; len(list) >= 3; list = list[3:] {
		k := (*[3]words)(list)
		x, y, z := *lane(fm, fa, k[0].from), *lane(fm, fa, k[1].from), *lane(fm, fa, k[2].from)
		a, b, c := lane(tm, ta, k[0].to), lane(tm, ta, k[1].to), lane(tm, ta, k[2].to)
		*a, *b, *c = x, y, z
	}
	for _, k := range list {
		*lane(tm, ta, k.to) = *lane(fm, fa, k.from)
	}
	for _, l := range c.others {
		copyBytes(to.Row(Lane{l.To, l.Size}, d), from.Row(Lane{l.From, l.Size}, f), l.Size)
	}
}

// Within makes row d of a chunk what row f of it is. The pairs are of one shape.
func (c *Copy) Within(b *Base, d, f int) {
	// SAFETY: as in Row.
	tm, fm, at := unsafe.Add(b.mem, 4*d), unsafe.Add(b.mem, 4*f), unsafe.Pointer(b.at)
	list := c.words
	for ; len(list) >= 3; list = list[3:] {
		k := (*[3]words)(list)
		i, j, l := *offset(at, k[0].to), *offset(at, k[1].to), *offset(at, k[2].to)
		x, y, z := *word(fm, i), *word(fm, j), *word(fm, l)
		*word(tm, i), *word(tm, j), *word(tm, l) = x, y, z
	}
	for _, k := range list {
		i := *offset(at, k.to)
		*word(tm, i) = *word(fm, i)
	}
	for _, l := range c.others {
		copyBytes(b.Row(Lane{l.To, l.Size}, d), b.Row(Lane{l.To, l.Size}, f), l.Size)
	}
}

// Rows makes n rows of a chunk, from row d on, what those of another from row f on are.
func (c *Copy) Rows(to *Place, d int, from *Place, f, n int) {
	if n == 1 && !guard {
		c.Row(&to.Base, d, &from.Base, f)
		return
	}
	for _, l := range c.pairs {
		copy(to.Bytes(Lane{l.To, l.Size}, d, n), from.Bytes(Lane{l.From, l.Size}, f, n))
	}
}

// Pairs returns the lanes that are copied.
func (c *Copy) Pairs() []Pair { return c.pairs }

// offset is an offset of a table.
func offset(at unsafe.Pointer, i uint32) *uint32 {
	// SAFETY: as for Base.Lane.
	return (*uint32)(unsafe.Add(at, 4*uintptr(i)))
}

// lane is the first word of a lane.
func lane(mem, at unsafe.Pointer, i uint32) *uint32 {
	// SAFETY: as for Base.Lane.
	return (*uint32)(unsafe.Add(mem, *offset(at, i)))
}

// copyBytes copies n bytes, with one instruction for the sizes of a row that are
// common.
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
