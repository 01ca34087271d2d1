package ecs

import (
	"cmp"
	"slices"
)

// joinChunks moves rows of an archetype together, until of each group there are as few chunks
// as there can be.
func (w *packing) joinChunks(a *archetype) {
	if len(a.chunks) < 2 {
		return
	}
	groups := w.joined[:0]
	for _, r := range a.chunks { // in order: that of a map is another one each time
		if room := r.group.room; len(room) > 1 && room[0] == r {
			groups = append(groups, r.group)
		}
	}
	if len(groups) == 0 {
		return
	}
	before := append(w.compacted[:0], a.chunks...)
	m := a.moveTo(a)
	for _, g := range groups {
		w.joinGroup(m, g)
	}
	a.resetVersions()
	at := 0
	for _, r := range before { // where one has ended the last one has come
		if r.arch == a {
			a.chunks[at], r.index = r, at
			a.placeVersions(r)
			at++
		}
	}
	clear(groups)
	clear(before)
	w.joined, w.compacted = groups[:0], before[:0]
}

// joinGroup is joinChunks for the chunks of one group.
func (w *packing) joinGroup(m *move, g *group) {
	list := append(w.arrived[:0], g.room...)
	rows, capacity := 0, m.to.capacity
	for _, r := range list {
		rows += r.n
	}
	kept := (rows + capacity - 1) / capacity
	slices.SortFunc(list, func(a, b *record) int { return cmp.Or(b.n-a.n, a.index-b.index) })
	at := 0
	for _, from := range list[kept:] {
		for left := from.n; left > 0; { // the record of a chunk that ends may be another's at once
			to := list[at]
			if to.n == capacity {
				at++
				continue
			}
			left -= w.joinRows(m, to, from)
		}
	}
	clear(list)
	w.arrived = list[:0]
}

// joinRows moves rows of one chunk behind those of another one of its group: the last ones,
// as many as there is room for, so that no hole is to be filled. It returns how many.
func (w *packing) joinRows(m *move, to, from *record) int {
	for i, v := range from.through {
		to.through[i] = newest(to.through[i], v)
	}
	dst := w.claimIn(to, from.n)
	part := span{from, from.n - dst.n, dst.n}
	w.copyRows(m, dst, part)
	w.drop(part)
	return dst.n
}
