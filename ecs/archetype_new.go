package ecs

import (
	"encoding/binary"
	"slices"

	"github.com/lanewise/lanewise/chunk"
	"github.com/lanewise/lanewise/ecs/internal/table"
	"github.com/lanewise/lanewise/soa"
)

// archetypeOf returns the archetype of a set of components, which must be sorted
// and free of duplicates, making it when it is new.
func (w *tables) archetypeOf(op string, set []*component) (*archetype, error) {
	w.scratch.setKey = w.scratch.setKey[:0]
	for _, c := range set {
		w.scratch.setKey = binary.LittleEndian.AppendUint32(w.scratch.setKey, uint32(c.index))
	}
	if a := w.bySet[string(w.scratch.setKey)]; a != nil {
		return a, nil
	}
	id, err := string(w.scratch.setKey), error(nil)
	a := w.returns.unlisted[id]
	if a != nil {
		err = w.wake(op, id, a)
	} else {
		a, err = w.newArchetype(op, set)
	}
	if err != nil {
		return nil, err
	}
	w.bySet[id] = a
	w.archetypes = append(w.archetypes, a)
	w.enroll(a)
	w.readers.made(a)
	return a, nil
}

// newArchetype makes the archetype of a sorted set that has none. The columns are in the order of the set, with the
// lanes of all behind each other and behind that of the ids; spills, objects, bits and stores are numbered among those of their kind.
func (w *tables) newArchetype(op string, set []*component) (*archetype, error) {
	lanes := make([][]soa.Lane, len(set))
	limit := 0
	for i, c := range set {
		if err := w.types.admit(op, c); err != nil {
			return nil, err
		}
		lanes[i] = c.lanes
		if c.limit > 0 && (limit == 0 || c.limit < limit) {
			limit = c.limit
		}
	}
	layout, err := chunk.NewLayout(lanes, limit)
	if err != nil {
		return nil, w.gate.fault(ErrArgument, op, "an entity with %s does not fit a chunk: split a component, or keep part of it in a Buffer", setString(set)).because(err)
	}
	meta, err := w.metaArchetype(op, set)
	if err != nil {
		return nil, err
	}
	a := &archetype{
		world: w.original, index: len(w.archetypes), meta: meta,
		composition: composition{
			columns: make([]column, len(set)), keys: make([]key, len(set)),
			capacity: layout.Capacity, isMeta: slices.Contains(set, w.types.header),
		},
		history: history{summary: w.summaryOf(len(w.archetypes)), newest: make([]uint32, len(set))},
	}
	all := slices.Concat(lanes...)
	stored := make([]byte, 0, 4*len(set)) // which components have lanes
	pairs, places := make([]table.Pair, 0, len(all)), make([]table.Lane, len(all))
	for i, c := range set {
		col := a.number(c)
		if col.shared >= 0 {
			a.stores = append(a.stores, w.shared.storeOf(c))
		}
		if k := len(c.lanes); k > 0 {
			stored = binary.LittleEndian.AppendUint32(stored, uint32(c.index))
			col.lanes, places = places[:0:k], places[k:]
		}
		for _, l := range c.lanes {
			own := table.Lane{Index: uint32(len(pairs) + 1), Size: uint32(l.Type.Size())} // behind the ids
			col.lanes = append(col.lanes, own)
			pairs = append(pairs, table.Pair{To: own.Index, From: own.Index, Size: own.Size})
		}
		col.rowPath = col.findRowPath()
		a.columns[i], a.keys[i] = col, c.key
		a.awaitsCleanup = a.awaitsCleanup || c == w.types.cleanupTag
	}
	if a.shared > maxShared {
		return nil, w.gate.fault(ErrArgument, op, "%s has %d shared components; the limit is %d", setString(set), a.shared, maxShared)
	}
	a.shape = w.memory.Shape(stored, a.capacity, all)
	a.copy = table.NewCopy(pairs)
	a.plain = a.spills+a.switches+a.managed == 0
	return a, nil
}

// number makes the column of a component, with its numbers among those of its kinds.
func (a *composition) number(c *component) column {
	col := column{comp: c, spill: -1, shared: -1, object: -1, bit: -1}
	for _, k := range [...]struct {
		kind  kind
		own   *int
		count *int
	}{
		{isBuffer, &col.spill, &a.spills},
		{isShared, &col.shared, &a.shared},
		{isManaged, &col.object, &a.managed},
		{isEnableable, &col.bit, &a.switches},
	} {
		if c.kind.has(k.kind) {
			*k.own = *k.count
			*k.count++
		}
	}
	a.kinds |= c.kind
	a.refs = a.refs || len(c.refs) > 0 || c.kind.has(isManaged) && len(c.boxed) > 0
	return col
}

// with returns the archetype that has c too.
func (w *tables) with(op string, a *archetype, c *component) (*move, error) {
	if m := edgeTo(a.adds, c); m != nil {
		return m, nil
	}
	if err := w.types.mayGive(op, c); err != nil {
		return nil, err
	}
	if err := w.mayEdit(op, a); err != nil {
		return nil, err
	}
	set := a.components()
	at, _ := slices.BinarySearchFunc(set, c, compareComponents)
	m, err := w.moveTo(op, a, slices.Insert(set, at, c))
	if err != nil {
		return nil, err
	}
	a.adds = append(a.adds, edge{c, m})
	return m, nil
}

// without returns the archetype that lacks c.
func (w *tables) without(op string, a *archetype, c *component) (*move, error) {
	if m := edgeTo(a.removes, c); m != nil {
		return m, nil
	}
	if err := w.mayEdit(op, a); err != nil {
		return nil, err
	}
	set := slices.DeleteFunc(a.components(), func(o *component) bool { return o == c })
	m, err := w.moveTo(op, a, set)
	if err != nil {
		return nil, err
	}
	a.removes = append(a.removes, edge{c, m})
	return m, nil
}

// moveTo returns the way from a to the archetype of a sorted set.
func (w *tables) moveTo(op string, a *archetype, set []*component) (*move, error) {
	b, err := w.archetypeOf(op, set)
	if err != nil {
		return nil, err
	}
	return a.moveTo(b), nil
}

// typesOf returns the components that the terms name, sorted. The slice is good
// until the next call.
func (w *componentTypes) typesOf(op string, terms []Term) ([]*component, error) {
	set := w.set[:0]
	for _, t := range terms {
		switch t.mode {
		case modeRead, modeWrite, modeWith:
		default:
			return nil, w.gate.fault(ErrArgument, op, "%v is no type of an archetype: use With", t)
		}
		c, err := w.componentOf(op, t.typ)
		if err != nil {
			return nil, err
		}
		set = append(set, c)
	}
	w.set = set
	if err := w.mayGive(op, set...); err != nil {
		return nil, err
	}
	return w.sortSet(op, set)
}

// sortSet orders a set of components as archetypes do, and refuses duplicates.
func (w *componentTypes) sortSet(op string, set []*component) ([]*component, error) {
	slices.SortFunc(set, compareComponents)
	for i, c := range set {
		if i > 0 && set[i-1] == c {
			return nil, w.gate.fault(ErrArgument, op, "the type is named twice").on(c)
		}
	}
	return set, nil
}

// archetypeIn returns the archetype behind a handle, if it is one of w that
// entities can be made of. One that Restore has taken out of the order comes back to it.
func (w *tables) archetypeIn(op string, a Archetype) (*archetype, error) {
	own, err := w.archetypeKnown(op, a)
	if err == nil && own.index == unlisted {
		return w.archetypeOf(op, own.components())
	}
	return own, err
}

// enroll notes which components an archetype has, so that a new query finds it
// without a look at the others.
func (w *tables) enroll(a *archetype) {
	for i := range a.columns {
		c := a.columns[i].comp.index
		if n := c + 1 - len(w.having); n > 0 {
			w.having = slices.Grow(w.having, n)[:c+1]
		}
		w.having[c].add(a.index)
	}
}

// wake puts an archetype that rests into the order, behind the others, and before it what
// it needs, as when it was made.
func (w *tables) wake(op, key string, a *archetype) error {
	if a.meta != nil {
		if _, err := w.metaArchetype(op, a.components()); err != nil {
			return err
		}
	}
	delete(w.returns.unlisted, key)
	a.index = len(w.archetypes)
	a.summary = w.summaryOf(a.index)
	a.orders, a.order, a.crossings = 0, 0, 0
	clear(a.newest)
	a.groups.only.orders, a.groups.made = 0, 0
	return nil
}

// summaryOf returns what the archetype with an index, the next one, is noted in.
func (w *tables) summaryOf(index int) *changeSummary {
	if index>>6 == len(w.summaries) {
		w.summaries = append(w.summaries, new(changeSummary))
	}
	return w.summaries[index>>6]
}

// metaArchetype returns the archetype of the meta entities for chunks with a set of
// components; nil if there is no chunk component among them.
func (w *tables) metaArchetype(op string, set []*component) (*archetype, error) {
	var list []*component
	for _, c := range set {
		if c.per != nil {
			list = append(list, c.per)
		}
	}
	if list == nil {
		return nil, nil
	}
	list, err := w.types.sortSet(op, append(list, w.types.header))
	if err != nil {
		return nil, err
	}
	a, err := w.archetypeOf(op, list)
	if err == nil && a.kinds.has(isCleanup) {
		_, err = w.cleanupMove(op, a)
	}
	return a, err
}

// mayEdit returns an error if entities of a must not be changed: they are meta
// entities, which come and go with their chunks.
func (w *tables) mayEdit(op string, a *archetype) error {
	if a.isMeta {
		return w.gate.fault(ErrArgument, op, "%v is of an entity that holds the chunk components of a chunk: change those of the chunk's entities", a)
	}
	return nil
}

// mayGive returns an error if entities must not be given one of the components:
// headers are the world's to give.
func (w *componentTypes) mayGive(op string, set ...*component) error {
	if slices.Contains(set, w.header) {
		return w.gate.fault(ErrArgument, op, "only the world makes meta entities: add a PerChunk component to the entities of the chunk").on(w.header)
	}
	return nil
}

// cleanupMove returns the way of destroyed entities from a.
func (w *tables) cleanupMove(op string, a *archetype) (*move, error) {
	if a.toCleanup != nil {
		return a.toCleanup, nil
	}
	set := []*component{w.types.cleanupTag}
	for i := range a.columns {
		if c := a.columns[i].comp; c.kind.has(isCleanup) {
			set = append(set, c)
		}
	}
	set, err := w.types.sortSet(op, set)
	if err != nil {
		return nil, err
	}
	a.toCleanup, err = w.moveTo(op, a, set)
	return a.toCleanup, err
}

// addOne adds c to e, which lacks it, and returns where e is now.
func (w *World) addOne(op string, e Entity, c *component) (span, error) {
	s := w.tables.entities.find(e)
	if s == nil {
		return span{}, w.entityError(op, e)
	}
	return w.extend(op, w.tables.records[s.record], int(s.row), c)
}

// extend adds c to the entity in a row, which lacks it, and returns where the
// entity is now.
func (w *World) extend(op string, r *record, row int, c *component) (span, error) {
	if err := w.canChange(op); err != nil {
		return span{}, err
	}
	m := edgeTo(r.arch.adds, c)
	if m == nil {
		var err error
		if m, err = w.tables.with(op, r.arch, c); err != nil {
			return span{}, err
		}
	}
	if err := w.commit(op); err != nil {
		return span{}, err
	}
	at := w.tables.moveRows(m, span{r, row, 1}, m.group(r))
	w.finish()
	return at, nil
}

// removeOne takes c from e, and reports whether e had it.
func (w *World) removeOne(op string, e Entity, c *component) (bool, error) {
	s := w.tables.entities.find(e)
	if s == nil {
		return false, w.gate.open(op)
	}
	r := w.tables.records[s.record]
	if !r.arch.has(c) {
		return false, nil
	}
	err := w.reduce(op, r, int(s.row), c)
	return err == nil, err
}

// reduce takes c from the entity in a row, which has it.
func (w *World) reduce(op string, r *record, row int, c *component) error {
	if err := w.canChange(op); err != nil {
		return err
	}
	m := edgeTo(r.arch.removes, c)
	if m == nil {
		var err error
		if m, err = w.tables.without(op, r.arch, c); err != nil {
			return err
		}
	}
	if err := w.commit(op); err != nil {
		return err
	}
	w.shrink(m, span{r, row, 1})
	w.finish()
	return nil
}

// shrink moves a run of rows to an archetype with fewer components. Rows of a
// destroyed entity that lose the last cleanup component end.
func (w *World) shrink(m *move, s span) {
	if m.to.awaitsCleanup && !m.to.kinds.has(isCleanup) {
		w.tables.endRows(s)
		return
	}
	w.tables.moveRows(m, s, m.group(s.rec))
}

// changeTypes adds and removes sets of components of e in one move.
func (w *World) changeTypes(op string, e Entity, add, remove []*component) (bool, error) {
	s := w.tables.entities.find(e)
	if s == nil {
		return false, w.entityError(op, e)
	}
	if err := w.canChange(op); err != nil {
		return false, err
	}
	r := w.tables.records[s.record]
	m, err := w.edit(op, r.arch, add, remove)
	if err != nil || m == nil {
		w.gate.idle()
		return false, err
	}
	if err := w.commit(op); err != nil {
		return false, err
	}
	w.shrink(m, span{r, int(s.row), 1})
	w.finish()
	return true, nil
}

// edit returns the way from a to the archetype with some components more and
// some less; nil if that is a itself.
func (w *World) edit(op string, a *archetype, add, remove []*component) (*move, error) {
	switch {
	case len(add) == 1 && len(remove) == 0: // the archetype knows the way
		if a.has(add[0]) {
			return nil, nil
		}
		return w.tables.with(op, a, add[0])
	case len(add) == 0 && len(remove) == 1:
		if !a.has(remove[0]) {
			return nil, nil
		}
		return w.tables.without(op, a, remove[0])
	}
	set := w.tables.scratch.edited[:0]
	for i := range a.columns {
		set = append(set, a.columns[i].comp)
	}
	n := len(set)
	for _, c := range add {
		if !a.has(c) {
			set = append(set, c)
		}
	}
	added := len(set) > n
	w.tables.scratch.edited = set
	for _, c := range remove {
		set = slices.DeleteFunc(set, func(o *component) bool { return o == c })
	}
	if !added && len(set) == n {
		return nil, nil
	}
	if err := w.tables.mayEdit(op, a); err != nil {
		return nil, err
	}
	if err := w.types.mayGive(op, set...); err != nil {
		return nil, err
	}
	if added && a.awaitsCleanup && !slices.ContainsFunc(set, func(c *component) bool { return c.kind.has(isCleanup) }) {
		return nil, w.gate.fault(ErrArgument, op, "a destroyed entity ends with its last cleanup component, so that nothing would have what is added: %v", a).on(add[0])
	}
	slices.SortFunc(set, compareComponents)
	return w.tables.moveTo(op, a, set)
}
