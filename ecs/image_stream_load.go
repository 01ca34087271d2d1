package ecs

import (
	"slices"
)

// Load brings up to most entities into the world and returns their number. The number is smaller than most
// if fewer are left, or if the next chunk has chunk components and more rows than remain, because such a
// chunk is loaded whole. Load is a structural change and happens as a whole: an error, or a panic of a
// method of a shared value, changes nothing. The error is of category [ErrState] if the stream has not
// begun, the world cannot be changed now or was restored since Begin, or a Clone has continued.
func (a *ImageStream) Load(most int) (n int, err error) {
	const op = "ImageStream.Load"
	a = a.orZero()
	if err := a.begun(op); err != nil {
		return 0, err
	}
	w := a.world
	if a.restored() {
		a.over = true
		a.setMark()
		w.gate.idle()
		return 0, w.gate.fault(ErrState, op, "the world was restored while %d of %d were still to come: make another stream", len(a.ids)-a.came, len(a.ids))
	}
	switch {
	case most <= 0 || a.Left() == 0:
		w.gate.idle()
		return 0, nil
	case a.image == nil:
		w.gate.idle()
		return 0, w.gate.fault(ErrState, op, "the stream has no image of which %d could still come, because LoadState was that of the zero ImageStream, which is for Unload: "+
			"make one with NewImageStream of the image, and call LoadState of that", a.Left())
	case a.image.pool == nil:
		w.gate.idle()
		return 0, w.gate.fault(ErrArgument, op, "the image was released before all had come")
	}
	at := a.at
	n = a.plan(most)
	defer func() { clear(a.parts); a.parts = a.parts[:0] }()
	whole := false
	defer func() {
		if !whole {
			a.at = at
		}
	}()
	err = w.shared.interning(func() error {
		for i := range a.parts {
			if err := a.values(op, i); err != nil {
				return err
			}
		}
		return w.commit(op)
	})
	if err != nil {
		w.gate.idle()
		return 0, err
	}
	whole = true
	for i := range a.parts {
		a.loadPart(&a.parts[i])
	}
	a.over = a.came == len(a.ids)
	a.setMark()
	w.finish()
	return n, nil
}

// plan lists the next rows, up to most of them, and returns their number.
func (a *ImageStream) plan(most int) (n int) {
	a.parts = a.parts[:0]
	for p := &a.at; p.archetype < len(a.targets) && n < most; {
		k, t := &a.image.archetypes[p.archetype], a.targets[p.archetype]
		if t == nil || p.chunk == len(k.chunks) {
			p.archetype, p.chunk = p.archetype+1, 0
			continue
		}
		rest := k.chunks[p.chunk].n - p.row
		if t.meta != nil && rest > most-n && n > 0 {
			break // a chunk with chunk components comes whole if it can
		}
		rows := min(rest, most-n)
		a.parts = append(a.parts, streamPart{archetype: p.archetype, chunk: p.chunk, row: p.row, n: rows})
		n += rows
		if p.row += rows; rows == rest {
			p.chunk, p.row = p.chunk+1, 0
		}
	}
	return n
}

// values finds or adds the shared values that the rows of a part will have in the world.
func (a *ImageStream) values(op string, i int) error {
	p := &a.parts[i]
	t := a.targets[p.archetype]
	if t.shared == 0 {
		return nil
	}
	k := &a.image.archetypes[p.archetype]
	group := k.chunks[p.chunk].group
	if i > 0 && a.parts[i-1].archetype == p.archetype && k.chunks[a.parts[i-1].chunk].group == group {
		p.values = a.parts[i-1].values
		return nil
	}
	for at, store := range t.stores {
		v, err := a.shared(store.comp, k, &k.groups[group]), error(nil)
		if v == nil {
			continue // the default
		}
		if p.values[at], err = a.world.shared.intern(op, store, v); err != nil {
			return err
		}
	}
	return nil
}

// shared returns the value of a shared component of a group; nil for the default.
func (a *ImageStream) shared(c *component, k *archetypeImage, g *groupImage) any {
	for _, v := range a.with {
		if v.comp == c {
			return v.value
		}
	}
	at := 0
	for _, own := range k.set {
		if own == c {
			break
		}
		if own.kind.has(isShared) {
			at++
		}
	}
	if g.values[at] == 0 {
		return nil
	}
	return boxRefs(c, a.image.valuesOf(c)[g.values[at]], a.NewID)
}

// loadPart makes the rows of a part.
func (a *ImageStream) loadPart(p *streamPart) {
	w, t := a.world, a.targets[p.archetype]
	c := a.image.archetypes[p.archetype].chunks[p.chunk]
	g := t.groups.of(p.values[:t.shared])
	for row, end := p.row, p.row+p.n; row < end; {
		var dst span
		if t.meta != nil && row == p.row {
			dst = w.tables.claimIn(w.tables.newRecord(t, g, end-row), end-row)
			a.perChunk(dst.rec, c)
		} else {
			dst = w.tables.claim(t, g, end-row)
		}
		ids := a.ids[a.came : a.came+dst.n]
		copy(dst.ids(), ids)
		w.tables.entities.place(ids, dst.rec.id, dst.first)
		w.tables.entities.retired -= dst.n
		for i, own := range c.columns {
			if own != nil {
				col := &t.columns[t.find(c.set[i].key)]
				col.arrive(dst, own, c.n, row)
			}
		}
		w.tables.touchAll(dst.rec)
		if t.refs {
			dst.mapRefs(func(_ int, id Entity) Entity { return a.NewID(id) })
		}
		w.gate.labels.carry(ids, a.image.names, a.old[a.came:])
		a.came += dst.n
		row += dst.n
	}
}

// arrive copies a column of an image, from a row on, to rows of a chunk. The column has n rows.
func (c *column) arrive(dst span, from *columnImage, n, row int) {
	r, b := dst.rec, from.bytes
	for i, l := range c.lanes {
		size := int(l.Size)
		if from.placed != nil {
			copy(r.Bytes(l, dst.first, dst.n), from.placed[i][row*size:])
			continue
		}
		copy(r.Bytes(l, dst.first, dst.n), b[row*size:])
		b = b[n*size:]
	}
	if len(from.spills) > 0 {
		s := &r.spills[c.spill]
		if s.rows == nil {
			s.rows = make([][]uint64, r.Rows())
		}
		for i := range dst.n {
			s.rows[dst.first+i] = slices.Clone(from.spills[row+i])
		}
	}
	if c.bit >= 0 {
		own := switches{words: from.on}
		r.switches[c.bit].copy(dst.first, &own, row, dst.n)
	}
	if c.object >= 0 && from.items.list != nil {
		r.objects[c.object].copy(dst.first, &from.items, row, dst.n)
	}
}

// perChunk copies the values of chunk components from a chunk of the image to a new chunk.
func (a *ImageStream) perChunk(r *record, c *chunkImage) {
	from, has := a.metas[c.meta]
	if !has {
		return
	}
	s := a.world.tables.entities.find(r.meta)
	to := a.world.tables.records[s.record]
	dst := span{to, int(s.row), 1}
	for i, own := range from.chunk.columns {
		if col := &to.arch.columns[to.arch.find(from.chunk.set[i].key)]; own != nil && col.object < 0 {
			col.arrive(dst, own, from.chunk.n, from.row)
		}
	}
	dst.mapRefs(func(_ int, id Entity) Entity { return a.NewID(id) })
}
