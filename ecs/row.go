package ecs

import "github.com/lanewise/lanewise/chunk"

// Entities are often edited one by one, and what moves a run of rows is slow for a
// single one: it asks about each lane how large it is, and about each chunk what
// else it has. Here rows move alone, between archetypes that have lanes only.

// rowCopy is the lanes of a row that is copied alone. Those of four bytes, the
// most common ones, have a loop of their own.
type rowCopy struct {
	words  []wordCopy
	others []laneCopy
}

// wordCopy is a lane of four bytes that both archetypes have.
type wordCopy struct{ to, from uint32 }

func newRowCopy(lanes []laneCopy) (c rowCopy) {
	for _, l := range lanes {
		if l.size == 4 {
			c.words = append(c.words, wordCopy{l.to, l.from})
		} else {
			c.others = append(c.others, l)
		}
	}
	return c
}

// copy makes row d of a block what row f of another is.
func (c *rowCopy) copy(to *chunk.Block, d int, from *chunk.Block, f int) {
	d4, f4 := uint32(4*d), uint32(4*f)
	for _, l := range c.words {
		*wordAt(to, l.to+d4) = *wordAt(from, l.from+f4)
	}
	for _, l := range c.others {
		copyRows(to, l.to+uint32(d)*l.size, from, l.from+uint32(f)*l.size, l.size)
	}
}

// moveRow is moveRows for one row between plain archetypes.
func (w *World) moveRow(m *move, r *record, row int, g *group) span {
	dst := w.claim(m.to, g, 1)
	e := ids(r.block)[row]
	ids(dst.rec.block)[dst.first] = e
	w.entities.slots[e.Index].put(dst.rec.id, dst.first)
	m.row.copy(dst.rec.block, dst.first, r.block, row)
	m.moveVersions(dst.rec, 1, r)
	if len(m.fresh) > 0 {
		w.zeroFresh(m, dst)
	}
	w.dropRow(r, row)
	return dst
}

// dropRow is drop for one row of a plain archetype.
func (w *World) dropRow(r *record, row int) {
	if last := r.n - 1; row < last {
		e := ids(r.block)[last]
		ids(r.block)[row] = e
		w.entities.slots[e.Index].row = int32(row)
		r.arch.row.copy(r.block, row, r.block, last)
	}
	w.shorten(r, 1)
}
