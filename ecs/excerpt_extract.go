package ecs

import (
	"slices"

	"github.com/lanewise/lanewise/ecs/blob"
)

// Extract fills x with copies of entities of a world, in the order of ids. The world does not
// change; [Excerpt.DestroySource] destroys the originals later. The ids may include destroyed
// entities that wait for their cleanup. Unused capacity of buffers is not copied.
//
// A reference from one of the entities to another becomes a reference inside the excerpt. If a
// value refers to an existing entity outside, Extract calls the function outside for its key, which
// names that entity in the other world. If outside is nil or the key is 0, the reference becomes
// null. Extract returns an error of outside.
//
// Extract is a sync point. The error is of category [ErrArgument] if an entity does not exist,
// occurs twice, or is the meta entity of a chunk. It is of the same category if a value refers to a
// blob, because a blob cannot leave its process. After an error x is empty.
func (x *Excerpt) Extract(w *World, ids []Entity, outside func(Entity) (key uint64, err error)) (err error) {
	const op = "Excerpt.Extract"
	x.clear()
	if w == nil {
		return noWorld(op)
	}
	if err := w.canChange(op); err != nil {
		return err
	}
	defer w.gate.idle()
	if err := w.complete(op); err != nil {
		return err
	}
	whole := false
	defer func() { // because outside may panic
		if !whole {
			x.clear()
		}
	}()
	if err := x.choose(op, w, ids); err != nil {
		return err
	}
	for _, p := range x.parts {
		p.copyRows(x, w)
		for i := range p.columns {
			if err := p.columns[i].blobs(w, op, p); err != nil {
				return err
			}
		}
		clear(p.recs)
	}
	if err := x.refer(op, w, outside); err != nil {
		return err
	}
	x.takeNames(w)
	x.n, x.world, x.restores, whole = len(ids), w, w.hooks.restores, true
	x.ids = append(x.ids, ids...)
	return nil
}

// choose finds the entities and groups them into parts.
func (x *Excerpt) choose(op string, w *World, ids []Entity) error {
	if x.places == nil {
		x.places = map[excerptKey]*excerptRows{}
	}
	clear(x.places)
	x.set.reset(len(w.tables.entities.slots))
	var last *record
	var p *excerptRows
	for at := 0; at < len(ids); at += gatherStep {
		some := ids[at:min(at+gatherStep, len(ids))]
		w.tables.locate(&x.found, some)
		for i, e := range some {
			r := x.found.record(&w.tables, i)
			switch {
			case r == nil:
				return w.entityError(op, e)
			case !x.set.add(e):
				return w.gate.fault(ErrArgument, op, "the entity stands in the list more than once").of(e)
			case r == last:
			default:
				if err := w.tables.mayEdit(op, r.arch); err != nil {
					return err
				}
				key := excerptKey{group: r.group}
				if r.arch.meta != nil {
					key.rec = r
				}
				if last, p = r, x.places[key]; p == nil {
					p = x.next(len(r.arch.columns))
					x.places[key] = p
				}
			}
			p.Places = append(p.Places, int32(at+i))
			p.recs, p.rows = append(p.recs, r), append(p.rows, x.found.rows[i])
		}
	}
	return nil
}

// copyRows fills the columns of a part.
func (p *excerptRows) copyRows(x *Excerpt, w *World) {
	first := p.recs[0]
	for i := range first.arch.columns {
		own, c := &first.arch.columns[i], &p.columns[i]
		c.begin(x, own.comp, len(p.rows))
		p.copyColumn(w, c, own)
		if own.bit < 0 {
			continue
		}
		on := switches{words: c.On}
		for i, r := range p.recs {
			if !r.switches[own.bit].on(int(p.rows[i])) {
				on.set(i, false)
			}
		}
	}
}

// copyColumn fills the values of a column.
func (p *excerptRows) copyColumn(w *World, c *excerptLanes, own *column) {
	first := p.recs[0]
	switch {
	case own.shared >= 0:
		c.Value = first.arch.stores[own.shared].values[first.group.values[own.shared]]
	case own.comp.per != nil:
		for l := range c.shape {
			c.shape[l].encode(c.Lanes[l], c.chunkBytes(w, first, l))
		}
	case own.spill >= 0:
		c.copyBuffers(p, own)
	case own.object >= 0:
		for i, r := range p.recs {
			c.items.copy(i, &r.objects[own.object], int(p.rows[i]), 1)
		}
	default:
		for l := range c.shape {
			c.copyLane(p, own, l)
		}
	}
}

// copyLane fills a lane.
func (c *excerptLanes) copyLane(p *excerptRows, own *column, lane int) {
	s, to, l := &c.shape[lane], c.Lanes[lane], own.lanes[lane]
	if !s.flat {
		for i, r := range p.recs {
			s.encode(to[i*s.size:][:s.size], r.Bytes(l, int(p.rows[i]), 1))
		}
		return
	}
	gatherRows(to, p.recs, p.rows, l)
}

// copyBuffers fills a column of buffers.
func (c *excerptLanes) copyBuffers(p *excerptRows, own *column) {
	s := &c.shape[0]
	for i, r := range p.recs {
		b := bufferAt(r, own, int(p.rows[i]))
		n := int(b.head()[0])
		c.Counts[i] = int32(n)
		at := len(c.Elements)
		c.Elements = slices.Grow(c.Elements, n*s.size)[:at+n*s.size]
		s.encode(c.Elements[at:], b.bytes())
	}
}

// refer replaces the ids in all values by those of the excerpt.
func (x *Excerpt) refer(op string, w *World, outside func(Entity) (uint64, error)) (err error) {
	if x.keys == nil {
		x.keys = map[uint64]int32{}
	}
	name := func(e Entity) Entity {
		if e.IsZero() || err != nil {
			return Entity{}
		}
		if k := x.set.find(e); k >= 0 {
			return Entity{int32(k), 1}
		}
		if outside == nil || w.tables.entities.find(e) == nil {
			return Entity{}
		}
		key, fault := outside(e)
		if fault != nil {
			err = w.gate.fault(ErrArgument, op, "a value refers to an entity that is none of those").of(e).because(fault)
		}
		if key == 0 {
			return Entity{}
		}
		k, known := x.keys[key]
		if !known {
			k = int32(len(x.Outside))
			x.keys[key], x.Outside = k, append(x.Outside, key)
		}
		return Entity{-1 - k, 1}
	}
	for _, p := range x.parts {
		for i := range p.columns {
			p.columns[i].eachRef(len(p.rows), name)
		}
	}
	return err
}

// eachRef replaces every id in the column by the result of f.
func (c *excerptLanes) eachRef(rows int, f func(Entity) Entity) {
	switch {
	case c.comp.kind.has(isShared):
		c.Value = boxRefs(c.comp, c.Value, f)
	case c.comp.kind.has(isManaged):
		itemRefs(c.comp, &c.items, rows, f)
	case c.comp.kind.has(isBuffer):
		c.shape[0].eachRef(c.Elements, f)
	default:
		for l := range c.shape {
			c.shape[l].eachRef(c.Lanes[l], f)
		}
	}
}

// blobs returns an error if a value refers to a blob.
func (c *excerptLanes) blobs(w *World, op string, p *excerptRows) error {
	if c.refersToBlob(w, p) {
		return w.gate.fault(ErrArgument, op, "the value refers to a blob, which stays in its process: set the reference to the zero Blob first, and again in the other world").on(c.comp)
	}
	return nil
}

// refersToBlob reports whether a value refers to a blob.
func (c *excerptLanes) refersToBlob(w *World, p *excerptRows) bool {
	if c.comp.kind.has(isShared) {
		return holdsBlob(c.comp, c.Value)
	}
	for l := range c.shape {
		s := &c.shape[l]
		if len(s.blobs) == 0 {
			continue
		}
		if len(c.Elements) == 0 && s.size == 0 && slices.Max(append(c.Counts, 0)) > 0 {
			return true // the elements consist only of a blob reference
		}
		for i, r := range p.recs {
			if s.refersToBlob(c.valueAt(w, r, int(p.rows[i]), l)) {
				return true
			}
		}
	}
	return false
}

// valueAt returns lane l of a row's value in its world. For a chunk component it is the chunk's
// value, and for a buffer its elements.
func (c *excerptLanes) valueAt(w *World, r *record, row, l int) []byte {
	switch own := &r.arch.columns[r.arch.find(c.comp.key)]; {
	case c.comp.per != nil:
		return c.chunkBytes(w, r, l)
	case own.spill >= 0:
		return bufferAt(r, own, row).bytes()
	default:
		return r.Bytes(own.lanes[l], row, 1)
	}
}

// refersToBlob reports whether one of several neighbouring values in memory refers to a blob.
func (s *excerptLane) refersToBlob(memory []byte) bool {
	for ; len(memory) > 0; memory = memory[s.memory:] {
		for _, b := range s.blobs {
			if !blob.At(b.typ, memory[b.at:]).Null() {
				return true
			}
		}
	}
	return false
}

// takeNames copies the names of the entities.
func (x *Excerpt) takeNames(w *World) {
	if !w.gate.labels.any() {
		return
	}
	for k, e := range x.set.list {
		if name := w.gate.labels.name(e); name != "" {
			if x.Names == nil {
				x.Names = make([]string, len(x.set.list))
			}
			x.Names[k] = name
		}
	}
}

// DestroySource destroys the entities of the last Extract in their world, after another world has
// taken them. It destroys all their components, even cleanup components, as [MoveEntities] does.
// Members of a [LinkedGroup] that were not extracted stay. It is a structural change. The error is
// of category [ErrState], and nothing changes, if Extract did not fill x, if one of the entities no
// longer exists, or if the world was restored since.
//
// If a method Release of a shared value panics, the entities are destroyed nevertheless.
// DestroySource then returns nil, because only x has the entities now and the caller must still
// send them; the next [World.Sync] returns the panic as an error.
func (x *Excerpt) DestroySource() error {
	const op = "Excerpt.DestroySource"
	w := x.world
	if w == nil {
		return fault(ErrState, op, "there are no entities of a world that could leave it: call Extract first, and DestroySource once")
	}
	if err := w.canChange(op); err != nil {
		return err
	}
	if x.restores != w.hooks.restores {
		w.gate.idle()
		return w.gate.fault(ErrState, op, "the world was restored since Extract, and the %d ids may be those of other entities: call Extract again", len(x.ids))
	}
	for _, e := range x.ids {
		if w.tables.entities.find(e) == nil {
			w.gate.idle()
			return w.gate.fault(ErrState, op, "the entity was destroyed since Extract").of(e)
		}
	}
	if err := w.commit(op); err != nil {
		return err
	}
	for ids := x.ids; len(ids) > 0; {
		s, n := w.tables.run(ids)
		ids = ids[n:]
		s.rec.arch.crossings += uint32(n)
		w.tables.endRows(s)
	}
	x.world = nil
	defer func() {
		if v := recover(); v != nil { // a Release has panicked; all of them were called
			err := w.gate.fault(ErrState, op, "the %d entities have left, and after that a method Release of a shared value has panicked: %v", len(x.ids), v)
			err.Err, _ = v.(error)
			w.gate.report(err)
		}
	}()
	w.finish()
	return nil
}
