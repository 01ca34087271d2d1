package ecs

import (
	"cmp"
	"slices"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

// mergeChunks moves rows of an archetype together until each group has as few chunks as possible.
func (t *tables) mergeChunks(a *archetype) {
	if len(a.chunks) < 2 {
		return
	}
	groups := t.scratch.mergedGroups[:0]
	for _, r := range a.chunks { // in the order of chunks, because the order of a map differs each time
		if room := r.group.withRoom; len(room) > 1 && room[0] == r {
			groups = append(groups, r.group)
		}
	}
	if len(groups) == 0 {
		return
	}
	before := append(t.scratch.compactedChunks[:0], a.chunks...)
	m := a.moveTo(a)
	for _, g := range groups {
		t.mergeGroup(m, g)
	}
	a.resetVersions()
	at := 0
	for _, r := range before { // a removed chunk left its place to the last one: restore the order
		if r.arch == a {
			a.chunks[at], r.archetypeIndex = r, at
			a.placeVersions(r)
			at++
		}
	}
	clear(groups)
	clear(before)
	t.scratch.mergedGroups, t.scratch.compactedChunks = groups[:0], before[:0]
}

// mergeGroup does the work of mergeChunks for the chunks of one group.
func (t *tables) mergeGroup(m *archetypeMove, g *chunkGroup) {
	list := append(t.scratch.chunks[:0], g.withRoom...)
	rows, capacity := 0, m.to.capacity
	for _, r := range list {
		rows += r.count
	}
	kept := (rows + capacity - 1) / capacity
	slices.SortFunc(list, func(a, b *chunkData) int { return cmp.Or(b.count-a.count, a.archetypeIndex-b.archetypeIndex) })
	at := 0
	for _, from := range list[kept:] {
		for left := from.count; left > 0; { // when a chunk ends, its chunkData may be used again at once
			to := list[at]
			if to.count == capacity {
				at++
				continue
			}
			left -= t.mergeRows(m, to, from)
		}
	}
	clear(list)
	t.scratch.chunks = list[:0]
}

// mergeRows appends the last rows of one chunk to another chunk of its group, as many as fit. It moves the
// last rows, because removing the last rows leaves no gap. It returns the number of moved rows.
func (t *tables) mergeRows(m *archetypeMove, to, from *chunkData) int {
	for i, v := range from.throughVersions {
		to.throughVersions[i] = newerNonZero(to.throughVersions[i], v)
	}
	dst := t.claimRowsIn(to, from.count)
	part := rowRange{from, from.count - dst.count, dst.count}
	t.copyRows(m, dst, part)
	t.dropRows(part)
	return dst.count
}

// compact does the work of [Compact], at a time when the world can be changed.
func (t *tables) compact() {
	t.releaseQuarantine()
	t.observer.forgetMemory()
	list := t.scratch.arrivals[:0]
	chunks := t.scratch.compactedChunks[:0]
	for _, a := range t.archetypes {
		for _, r := range a.chunks {
			list = append(list, table.Arrival{Place: &r.Place, Shape: a.shape, Rows: r.count})
			chunks = append(chunks, r)
		}
	}
	t.memory.Compact(list, func(i int) bool { return chunks[i].group.chunkCount == 1 })
	for _, r := range chunks {
		r.resizeColumns()
		t.putReaches(r)
		t.noteRowsChanged(r)
	}
	clear(list)
	clear(chunks)
	t.scratch.arrivals, t.scratch.compactedChunks = list[:0], chunks[:0]
}
