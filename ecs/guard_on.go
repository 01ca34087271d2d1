//go:build lanewise_guard

package ecs

import "github.com/lanewise/lanewise/ecs/internal/table"

// The guard build makes misuse of plain memory visible: rows that are not live
// are poisoned, chunks that a structural change has touched move to a new
// address and leave poison behind, which must be untouched when the memory is
// used again, and columns that are only read are compared before and after each
// chunk body.
const guard = true

// poison fills what nobody may look at: a huge negative number, as a float and
// as an index.
const poison = 0xDB

// quarantine is how many places that chunks have left are kept poisoned before
// they are used again.
const quarantine = 64

// poisonRows fills rows [from, to).
func poisonRows(r *record, from, to int) {
	poisonPlace(r.arch.shape, &r.Place, from, to)
}

// poisonPlace poisons rows [from, to) of all lanes, and nothing between lanes: there may be
// those of other chunks.
func poisonPlace(s *table.Shape, p *table.Place, from, to int) {
	for i, size := range s.Lanes() {
		b := p.Bytes(table.Lane{Index: uint32(i), Size: size}, from, to-from)
		for i := range b {
			b[i] = poison
		}
	}
}

// leftPlace is where a chunk has been.
type leftPlace struct {
	table.Place
	shape *table.Shape
}

// resettle moves the chunks that the structural change has touched.
func (w *World) resettle() {
	for _, r := range w.disturbed {
		if r.Nil() || r.settled == w.structural {
			continue
		}
		r.settled = w.structural
		old := leftPlace{r.Place, r.arch.shape}
		r.Place = w.memory.Again(&old.Place, r.n)
		poisonRows(r, r.n, r.Rows())
		poisonPlace(old.shape, &old.Place, 0, old.Rows())
		w.left = append(w.left, old)
	}
	w.disturbed = w.disturbed[:0]
	w.release(quarantine)
}

// unquarantine looks at all places that chunks have left, and gives them back.
func (w *World) unquarantine() { w.release(0) }

// release gives back places that chunks have left until few are kept.
func (w *World) release(keep int) {
	for len(w.left) > keep {
		old := w.left[0]
		w.left = w.left[1:]
		for k, size := range old.shape.Lanes() {
			for i, b := range old.Bytes(table.Lane{Index: uint32(k), Size: size}, 0, old.Rows()) {
				if b != poison {
					panic(w.fault(ErrDisposed, "guard", "byte %d of lane %d of a chunk was written through a view from before a structural change: ask for the column again", i, k))
				}
			}
		}
		w.memory.Give(old.Place)
	}
}

// guardWorld is what the guard build keeps with a world.
type guardWorld struct {
	disturbed []*record   // touched by this structural change
	left      []leftPlace // poisoned, oldest first
	written   int         // how often the owner was given write access to an entity
}

// guardChunk is what the guard build keeps with a chunk that is shown.
type guardChunk struct {
	sums    []uint64 // of what must not change
	written int
}

// guardRecord is what the guard build keeps with a chunk.
type guardRecord struct{ settled uint32 }

// touched notes that a structural change touches r.
func (w *World) touched(r *record) { w.disturbed = append(w.disturbed, r) }

// wrote notes that the owner writes to a single entity, which it may do while it
// visits chunks.
func (w *World) wrote() { w.written++ }

// watch takes the sums of what must not change while a chunk is shown.
func (c *Chunk) watch() {
	c.sums = c.sums[:0]
	for i := range c.binds {
		c.sums = append(c.sums, c.sumOf(&c.binds[i]))
	}
	c.sums = append(c.sums, sumOf(sliceBytes(c.rec.ids()[:c.rec.n])))
	if c.worker < 0 {
		c.written = c.world.written
	}
}

// inspect panics if something has changed that was only to be read.
func (c *Chunk) inspect() {
	for i := range c.binds {
		if c.worker < 0 && c.written != c.world.written {
			break // Set and the like may have been used on any row
		}
		if b := &c.binds[i]; c.sums[i] != c.sumOf(b) {
			panic(c.world.fault(ErrState, "guard", "chunk %d: the column was written, but the query only reads it: ask for it with Write", c.index).on(b.comp))
		}
	}
	if last := len(c.sums) - 1; c.sums[last] != sumOf(sliceBytes(c.rec.ids()[:c.rec.n])) {
		panic(c.world.fault(ErrState, "guard", "chunk %d: the ids of the entities were written", c.index))
	}
}

// sumOf sums a column that is only read; others are always the same.
func (c *Chunk) sumOf(b *bind) uint64 {
	if b.column < 0 || b.write || b.shared {
		return 0
	}
	d := newDigest()
	col := &c.rec.arch.columns[b.column]
	if b.shape == shapeBuffers {
		for i := range c.rec.n {
			s := bufferAt(c.rec, col, i)
			d.counts(uint64(s.head()[0]), uint64(s.head()[1]))
			d.bytes(s.bytes())
		}
		return d.sum()
	}
	for _, l := range col.lanes {
		d.bytes(c.rec.Bytes(l, 0, c.rec.n))
	}
	return d.sum()
}

func sumOf(b []byte) uint64 {
	d := newDigest()
	d.bytes(b)
	return d.sum()
}

// quarantined returns how many places no chunk has though they are handed out.
func (w *World) quarantined() int { return len(w.left) }
