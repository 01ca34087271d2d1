package ecs

import "github.com/lanewise/lanewise/ecs/internal/table"

// packing moves rows together: chunks to new memory, and what is in few of them.
type packing struct {
	tables
	arrivals  []table.Arrival // scratch: memory of chunks
	arrived   []*record       // the same: the chunks
	compacted []*record       // the same
	joined    []*group        // the same
}

// due reports whether the memory that no chunk has is more than wanted.
func (t *tidy) due(w *tables) bool {
	bytes := w.memory.Reserved()
	idle := bytes - w.memory.Live()
	return idle > 0 && idle >= t.bytes && float64(idle) > t.share*float64(bytes) && t.listing != w.listing
}

// compact does what [Compact] says, when the world can be changed.
func (w *packing) compact() {
	w.unquarantine()
	w.readers.forget()
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
}

// tidy is when Sync calls Compact.
type tidy struct {
	on      bool
	share   float64
	bytes   int
	listing uint32 // of the world when it did last: until chunks come or go it gains nothing
}
