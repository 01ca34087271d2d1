package inspect

import (
	"math/bits"

	"github.com/lanewise/lanewise/ecs"
)

// A walk iterates over the archetypes and chunks that match a query, in slices.
//
// Invariant: archetype and chunk are the position of the first chunk for which
// f has not been called. countAll has not been called for any later archetype.
// So a slice may end after any chunk, and each row counts once if the world
// does not change between the slices.
type walk struct {
	query      *parsedQuery
	archetype  int // index of the archetype
	chunk      int
	maskBuffer [32]uint64

	// countAll, if not nil, is called for archetypes in which all n rows match. If
	// countAll returns false, walk calls f for the chunks of these archetypes.
	countAll func(n int) bool
}

// next calls f for each chunk with matching rows, as long as f returns true and
// there is time. It visits at least one chunk. next reports whether there are
// more chunks.
func (w *walk) next(l *ownerSlice, f func(a ecs.Archetype, chunk, n int, mask []uint64) bool) (more bool) {
	q := l.probes.probeFor(l.world, w.query)
	for tested := 0; ; {
		a := l.world.ArchetypeAt(w.archetype)
		if a == (ecs.Archetype{}) {
			return false
		}
		if w.skipsChunks(q, a) {
			w.archetype, w.chunk = w.archetype+1, 0
			if tested++; tested%16 == 0 && l.isOver() {
				return true
			}
			continue
		}
		for ; w.chunk < a.ChunkCount(); w.chunk++ {
			if tested++; tested > 1 && tested%4 == 0 && l.isOver() {
				return true
			}
			n, mask := q.Rows(a, w.chunk, w.maskBuffer[:])
			if n > 0 && !f(a, w.chunk, n, mask) {
				w.chunk++
				return true
			}
		}
		w.archetype, w.chunk = w.archetype+1, 0
	}
}

// skipsChunks reports whether the chunks of an archetype are skipped. The chunks
// are skipped if no row of the archetype matches, or if countAll has counted all
// rows.
func (w *walk) skipsChunks(q *ecs.Probe, a ecs.Archetype) bool {
	if w.query.archetypeIndex >= 0 && w.archetype != w.query.archetypeIndex || a.Len() == 0 || !q.MatchesArchetype(a) {
		return true
	}
	return w.countAll != nil && w.chunk == 0 && q.MatchesAll(a) && w.countAll(a.Len())
}

// eachRow calls f for the rows of a mask; a nil mask means all n rows.
func eachRow(n int, mask []uint64, f func(row int)) {
	if mask == nil {
		for row := range n {
			f(row)
		}
		return
	}
	for i, word := range mask {
		for ; word != 0; word &= word - 1 {
			f(i<<6 + bits.TrailingZeros64(word))
		}
	}
}
