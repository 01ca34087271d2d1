package ecs

import (
	"cmp"
	"slices"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

// joinChunks moves rows of an archetype together until each group has as few chunks as possible.
func (t *tables) joinChunks(a *archetype) {
	if len(a.chunks) < 2 {
		return
	}
	groups := t.scratch.joined[:0]
	for _, r := range a.chunks { // in the order of chunks, because the order of a map differs each time
		if room := r.group.room; len(room) > 1 && room[0] == r {
			groups = append(groups, r.group)
		}
	}
	if len(groups) == 0 {
		return
	}
	before := append(t.scratch.compacted[:0], a.chunks...)
	m := a.moveTo(a)
	for _, g := range groups {
		t.joinGroup(m, g)
	}
	a.resetVersions()
	at := 0
	for _, r := range before { // a removed chunk left its place to the last one: restore the order
		if r.arch == a {
			a.chunks[at], r.index = r, at
			a.placeVersions(r)
			at++
		}
	}
	clear(groups)
	clear(before)
	t.scratch.joined, t.scratch.compacted = groups[:0], before[:0]
}

// joinGroup is joinChunks for the chunks of one group.
func (t *tables) joinGroup(m *move, g *group) {
	list := append(t.scratch.chunks[:0], g.room...)
	rows, capacity := 0, m.to.capacity
	for _, r := range list {
		rows += r.n
	}
	kept := (rows + capacity - 1) / capacity
	slices.SortFunc(list, func(a, b *record) int { return cmp.Or(b.n-a.n, a.index-b.index) })
	at := 0
	for _, from := range list[kept:] {
		for left := from.n; left > 0; { // when a chunk ends, its record may be used again at once
			to := list[at]
			if to.n == capacity {
				at++
				continue
			}
			left -= t.joinRows(m, to, from)
		}
	}
	clear(list)
	t.scratch.chunks = list[:0]
}

// joinRows appends the last rows of one chunk to another chunk of its group, as many as fit. It takes the
// last rows because they leave no gap. It returns their number.
func (t *tables) joinRows(m *move, to, from *record) int {
	for i, v := range from.through {
		to.through[i] = newest(to.through[i], v)
	}
	dst := t.claimIn(to, from.n)
	part := span{from, from.n - dst.n, dst.n}
	t.copyRows(m, dst, part)
	t.drop(part)
	return dst.n
}

// compact does the work of [Compact] when the world can be changed.
func (t *tables) compact() {
	t.unquarantine()
	t.readers.forgetMemory()
	list := t.scratch.places[:0]
	chunks := t.scratch.compacted[:0]
	for _, a := range t.archetypes {
		for _, r := range a.chunks {
			list = append(list, table.Arrival{Place: &r.Place, Shape: a.shape, Rows: r.n})
			chunks = append(chunks, r)
		}
	}
	t.memory.Compact(list, func(i int) bool { return chunks[i].group.chunks == 1 })
	for _, r := range chunks {
		r.fit()
		t.moved(r)
	}
	clear(list)
	clear(chunks)
	t.scratch.places, t.scratch.compacted = list[:0], chunks[:0]
}
