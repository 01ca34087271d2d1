package ecs

import (
	"fmt"
	"reflect"
	"slices"
)

// Insert adds the entities of an excerpt to a world and returns their new ids, in the order of the
// excerpt. The caller must not write the slice, which is valid until the next Insert. The entities
// get the places that Spawn would give them: their rows go to chunks with free rows, and their
// shared values are found in the world or added to it. Rows with chunk components go to a chunk
// with the same values of these components, or to a new chunk.
//
// Insert calls inside once for each key of Outside, before it changes anything. The function
// returns the entity for the key, or the null entity. If inside is nil, these references become
// null. Insert returns an error of inside.
//
// Insert is a structural change and happens as a whole: an error, or a panic of inside or of a
// shared value's method, changes nothing. The error is of category [ErrArgument] if the parts that
// AddPart returned were not filled in correctly. For example, a row occurs twice or not at all, an
// id refers to no entity, a bool is neither 0 nor 1, or a row of an archetype does not fit a chunk.
func (x *Excerpt) Insert(w *World, inside func(key uint64) (Entity, error)) ([]Entity, error) {
	const op = "Excerpt.Insert"
	if w == nil {
		return nil, noWorld(op)
	}
	if err := x.sameColumns(op, w); err != nil {
		return nil, err
	}
	if x.given {
		if err := x.check(op, w); err != nil {
			return nil, err
		}
	}
	if err := x.resolve(op, w, inside); err != nil {
		return nil, err
	}
	if err := w.canChange(op); err != nil {
		return nil, err
	}
	if err := x.aim(op, w); err != nil {
		w.gate.idle()
		return nil, err
	}
	x.come = resize(x.come, x.n)
	w.tables.entities.reserve(x.n)
	w.tables.entities.peek(x.come)
	err := w.shared.interning(func() error {
		for _, p := range x.parts {
			if err := p.intern(op, w, x); err != nil {
				return err
			}
		}
		return w.commit(op)
	})
	if err != nil {
		w.gate.idle()
		return nil, err
	}
	w.tables.entities.take(x.come, free, 0)
	for _, p := range x.parts {
		p.enter(w, x)
		p.target = nil
	}
	for k, name := range x.Names {
		if name != "" {
			w.label(x.come[k], name)
		}
	}
	w.finish()
	return x.come, nil
}

// resolve finds the entities of the keys in Outside.
func (x *Excerpt) resolve(op string, w *World, inside func(uint64) (Entity, error)) error {
	x.outside = resize(x.outside, len(x.Outside))
	if inside == nil {
		return nil
	}
	for i, key := range x.Outside {
		e, err := inside(key)
		if err != nil {
			return w.gate.fault(ErrArgument, op, "a value refers to an entity of key %d, which is none of those that come", key).because(err)
		}
		if !e.IsZero() && w.tables.entities.find(e) == nil {
			return w.gate.fault(ErrArgument, op, "inside says that it is the entity of key %d, and it does not exist: return the null entity where there is none", key).of(e)
		}
		x.outside[i] = e
	}
	return nil
}

// now returns the id in the world for an id in the excerpt.
func (x *Excerpt) now(e Entity) Entity {
	switch {
	case e.IsZero():
		return e
	case e.Index >= 0:
		return x.come[e.Index]
	}
	return x.outside[-1-e.Index]
}

// aim finds the archetypes of the parts.
func (x *Excerpt) aim(op string, w *World) error {
	for _, p := range x.parts {
		set := w.tables.scratch.edited[:0]
		for i := range p.columns {
			set = append(set, p.columns[i].comp)
		}
		w.tables.scratch.edited = set
		if err := w.types.mayGive(op, set...); err != nil {
			return err
		}
		set, err := w.types.sortSet(op, set)
		if err != nil {
			return err
		}
		if p.target, err = w.tables.archetypeOf(op, set); err != nil {
			return err
		}
		if p.target.awaitsCleanup && !p.target.kinds.has(isCleanup) {
			return w.gate.fault(ErrArgument, op, "a destroyed entity waits for its cleanup, and has no cleanup component: %v", p.target)
		}
	}
	return nil
}

// intern finds the shared values of a part in the world, or adds them.
func (p *excerptRows) intern(op string, w *World, x *Excerpt) (err error) {
	for i := range p.columns {
		c := &p.columns[i]
		if !c.comp.kind.has(isShared) {
			continue
		}
		at := p.target.columns[p.target.find(c.comp.key)].shared
		if p.values[at], err = w.shared.intern(op, p.target.stores[at], boxRefs(c.comp, c.Value, x.now)); err != nil {
			return err
		}
	}
	return nil
}

// enter creates the rows of a part.
func (p *excerptRows) enter(w *World, x *Excerpt) {
	t := p.target
	g := t.groups.of(p.values[:t.shared])
	for row := 0; row < len(p.Places); {
		dst := p.claim(w, x, g, len(p.Places)-row)
		ids := dst.ids()
		for i := range ids {
			e := x.come[p.Places[row+i]]
			ids[i] = e
			w.tables.entities.slots[e.Index].put(dst.rec.id, dst.first+i)
		}
		for i := range p.columns {
			c := &p.columns[i]
			c.put(&t.columns[t.find(c.comp.key)], dst, row)
		}
		w.tables.touchAll(dst.rec)
		if t.refs {
			dst.mapRefs(func(_ int, e Entity) Entity { return x.now(e) })
		}
		t.crossings += uint32(dst.n)
		row += dst.n
	}
}

// claim takes up to n free rows for a part. If the archetype has chunk components, the rows are in
// a chunk with the part's values.
func (p *excerptRows) claim(w *World, x *Excerpt, g *group, n int) span {
	if p.target.meta == nil {
		return w.tables.claim(p.target, g, n)
	}
	x.wanted = x.wanted[:0]
	p.eachChunkLane(func(c *excerptLanes, l int) {
		at := len(x.wanted)
		x.wanted = append(x.wanted, c.Lanes[l]...)
		c.shape[l].eachRef(x.wanted[at:], x.now)
	})
	for _, r := range g.room {
		x.has = x.has[:0]
		p.eachChunkLane(func(c *excerptLanes, l int) {
			at := len(x.has)
			x.has = append(x.has, c.Lanes[l]...)
			c.shape[l].encode(x.has[at:], c.chunkBytes(w, r, l))
		})
		if slices.Equal(x.has, x.wanted) {
			return w.tables.claimIn(r, n)
		}
	}
	r := w.tables.newRecord(p.target, g, n)
	rest := x.wanted
	p.eachChunkLane(func(c *excerptLanes, l int) {
		size := c.shape[l].size
		c.shape[l].decode(c.chunkBytes(w, r, l), rest[:size])
		rest = rest[size:]
	})
	return w.tables.claimIn(r, n)
}

// eachChunkLane calls each for every lane of every chunk component, in order.
func (p *excerptRows) eachChunkLane(each func(c *excerptLanes, l int)) {
	for i := range p.columns {
		if c := &p.columns[i]; c.comp.per != nil {
			for l := range c.shape {
				each(c, l)
			}
		}
	}
}

// chunkBytes returns the memory of lane l of the chunk value of r.
func (c *excerptLanes) chunkBytes(w *World, r *record, l int) []byte {
	meta, k, row := w.tables.chunkValue(r, c.comp.per)
	return meta.Bytes(meta.arch.columns[k].lanes[l], row, 1)
}

// put writes the values of a column to the rows of dst, starting with the given row of the part.
func (c *excerptLanes) put(own *column, dst span, row int) {
	r := dst.rec
	switch {
	case own.shared >= 0, own.comp.per != nil:
	case own.spill >= 0:
		c.putBuffers(own, dst, row)
	case own.object >= 0:
		r.objects[own.object].copy(dst.first, &c.items, row, dst.n)
	default:
		for l := range c.shape {
			s := &c.shape[l]
			s.decode(r.Bytes(own.lanes[l], dst.first, dst.n), c.Lanes[l][row*s.size:][:dst.n*s.size])
		}
	}
	if own.bit >= 0 {
		on := switches{words: c.On}
		r.switches[own.bit].copy(dst.first, &on, row, dst.n)
	}
}

// putBuffers writes buffers to the rows of dst. Calls must be in the order of rows, because spent
// counts the elements used so far.
func (c *excerptLanes) putBuffers(own *column, dst span, row int) {
	if row == 0 {
		c.spent = 0
	}
	s, elements := &c.shape[0], c.Elements[c.spent:]
	for _, l := range own.lanes {
		clear(dst.rec.Bytes(l, dst.first, dst.n))
	}
	for i := range dst.n {
		n := int(c.Counts[row+i])
		b := bufferAt(dst.rec, own, dst.first+i)
		if n > own.comp.buffer.inline {
			b.setCapacity(n)
		}
		b.head()[0] = int32(n)
		s.decode(b.bytes(), elements[:n*s.size])
		elements = elements[n*s.size:]
	}
	c.spent = len(c.Elements) - len(elements)
}

// sameColumns returns an error if the caller has replaced the columns of a part, because the
// internal data describes the original ones.
func (x *Excerpt) sameColumns(op string, w *World) error {
	for at, p := range x.parts {
		if len(p.Columns) != len(p.columns) {
			return w.gate.fault(ErrArgument, op, "part %d has %d columns, and was given %d", at, len(p.Columns), len(p.columns))
		}
		for i := range p.columns {
			if c := p.columns[i].comp; p.Columns[i].Component.Type != c.typ {
				return w.gate.fault(ErrArgument, op, "column %d of part %d is one of %v, and was given for another component: columns stay where they are", i, at, p.Columns[i].Component.Type).on(c)
			}
		}
		p.show()
	}
	return nil
}

// check returns the first error in the parts that the caller has filled.
func (x *Excerpt) check(op string, w *World) error {
	seen := make([]bool, x.n)
	rows := 0
	for at, p := range x.parts {
		if len(p.Places) == 0 {
			return w.gate.fault(ErrArgument, op, "part %d has no rows", at)
		}
		for _, k := range p.Places {
			if k < 0 || int(k) >= x.n || seen[k] {
				return w.gate.fault(ErrArgument, op, "a row of part %d is entity %d, which is another row too, or none of %d", at, k, x.n)
			}
			seen[k] = true
		}
		rows += len(p.Places)
		for i := range p.columns {
			if err := p.columns[i].check(op, w, x, len(p.Places)); err != nil {
				return err
			}
		}
	}
	switch {
	case rows != x.n:
		return w.gate.fault(ErrArgument, op, "there are %d rows, for %d entities", rows, x.n)
	case x.Names != nil && len(x.Names) != x.n:
		return w.gate.fault(ErrArgument, op, "there are %d names, for %d entities", len(x.Names), x.n)
	}
	return nil
}

// check returns the first error in the column.
func (c *excerptLanes) check(op string, w *World, x *Excerpt, rows int) error {
	wrong := c.checkBits(rows)
	if wrong == "" {
		switch kind := c.comp.kind; {
		case kind.has(isShared):
			if reflect.TypeOf(c.Value) != c.comp.typ {
				wrong = fmt.Sprintf("the shared value is of type %v", reflect.TypeOf(c.Value))
			}
		case kind.has(isManaged):
			if list := reflect.ValueOf(c.Value); !list.IsValid() || list.Type() != reflect.SliceOf(c.comp.typ) || list.Len() != rows {
				wrong = fmt.Sprintf("the values are no []%v with %d elements", c.comp.typ, rows)
			}
		case kind.has(isBuffer):
			wrong = c.checkBuffers(rows)
		default:
			wrong = c.checkLanes(rows)
		}
	}
	if wrong != "" {
		return w.gate.fault(ErrArgument, op, "%s", wrong).on(c.comp)
	}
	if c.comp.kind.has(isManaged) {
		c.items = objects{c.Value, reflect.ValueOf(c.Value)}
	}
	bad := Entity{}
	c.eachRef(rows, func(e Entity) Entity {
		if !e.IsZero() && (e.Version != 1 || int(e.Index) >= x.n || e.Index < 0 && int(-1-e.Index) >= len(x.Outside)) {
			bad = e
		}
		return e
	})
	if bad != (Entity{}) {
		return w.gate.fault(ErrArgument, op, "a value refers to %d, %d, and there are %d entities and %d keys", bad.Index, bad.Version, x.n, len(x.Outside)).on(c.comp)
	}
	return nil
}

// checkBits returns the fault in the bits of an enableable component, or "".
func (c *excerptLanes) checkBits(rows int) string {
	if c.comp.kind.has(isEnableable) && (len(c.On) != wordsFor(rows) || rows%64 != 0 && c.On[len(c.On)-1]>>(rows%64) != 0) {
		return fmt.Sprintf("there are bits for other rows than %d", rows)
	}
	return ""
}

// checkBuffers returns the fault in buffers and their elements, or "".
func (c *excerptLanes) checkBuffers(rows int) string {
	n, s := int64(0), &c.shape[0]
	for _, k := range c.Counts {
		if k < 0 || k > maxElements {
			return fmt.Sprintf("a buffer has %d elements", k)
		}
		n += int64(k)
	}
	if len(c.Counts) != rows || s.size == 0 && n > 0 || n*int64(s.size) != int64(len(c.Elements)) || !s.areBools(c.Elements) {
		return fmt.Sprintf("there are %d buffers with %d elements in %d bytes, or a bool in them is neither 0 nor 1", len(c.Counts), n, len(c.Elements))
	}
	return ""
}

// checkLanes returns the fault in lanes, or "". A chunk component has one value for all rows.
func (c *excerptLanes) checkLanes(rows int) string {
	if c.comp.per != nil {
		rows = 1
	}
	if len(c.Lanes) != len(c.shape) {
		return fmt.Sprintf("there are %d lanes, and it has %d", len(c.Lanes), len(c.shape))
	}
	for l := range c.shape {
		if s := &c.shape[l]; len(c.Lanes[l]) != rows*s.size || !s.areBools(c.Lanes[l]) {
			return fmt.Sprintf("a lane has %d bytes for %d rows, or a bool in it is neither 0 nor 1", len(c.Lanes[l]), rows)
		}
	}
	return ""
}
