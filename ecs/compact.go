package ecs

import "github.com/lanewise/lanewise/ecs/internal/table"

// Compact moves all chunks to new memory, where they lie side by side in the order of loops,
// those with few rows that are alone in their archetype, or the only ones of their shared
// values, in small pieces, and gives all other memory back to the Go heap. Call it when
// a world has become much smaller, or has been changed at random for long: it takes about as
// long as a copy of all rows, and twice the memory while it works.
//
// It is a structural change, as views end, but rows stay in their chunks, in their order: the
// hash is the same. [Stats] tells the difference, and every chunk counts as one whose rows
// came or went ([OrderChanged], [Query.OrderCount]), for whoever keeps columns until then.
func (w *World) Compact() error {
	const op = "Compact"
	if err := w.change(op); err != nil {
		return err
	}
	w.unquarantine()
	w.forget()
	list := w.arrivals[:0]
	chunks := w.compacted[:0]
	for _, a := range w.archetypes {
		for _, r := range a.chunks {
			list = append(list, table.Arrival{Place: &r.Place, Shape: a.shape, Rows: r.n})
			chunks = append(chunks, r)
		}
	}
	w.memory.Compact(list, func(i int) bool { return chunks[i].group.chunks == 1 })
	for _, r := range chunks {
		r.fit()
		w.moved(r)
	}
	clear(list)
	clear(chunks)
	w.arrivals, w.compacted = list[:0], chunks[:0]
	w.finish()
	return nil
}

// forget has the Chunks that nobody is shown let go of the memory that they showed last, of
// which each would keep a slab.
func (w *World) forget() {
	for _, c := range w.chunks {
		c.forget()
	}
	for _, q := range w.queries {
		for _, c := range q.free {
			c.forget()
		}
		for s := range q.workers.all() {
			for c := s.chunk; c != nil; c = c.inner {
				c.forget()
			}
		}
	}
}

// forget lets go of what c has shown, unless somebody is shown it.
func (c *Chunk) forget() {
	if c.n < 0 {
		clear(c.views)
		c.rec, c.base, c.versions = nil, table.Base{}, nil
	}
}
