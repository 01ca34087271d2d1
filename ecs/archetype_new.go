package ecs

import (
	"encoding/binary"
	"slices"

	"github.com/lanewise/lanewise/chunk"
	"github.com/lanewise/lanewise/ecs/internal/table"
	"github.com/lanewise/lanewise/soa"
)

// archetypeOf returns the archetype of a set of components, and creates it if it is new. The set
// must be sorted and free of duplicates, because its indices in this order are the key of the map.
func (t *tables) archetypeOf(op string, set []*component) (*archetype, error) {
	t.scratch.setKey = t.scratch.setKey[:0]
	for _, c := range set {
		t.scratch.setKey = binary.LittleEndian.AppendUint32(t.scratch.setKey, uint32(c.index))
	}
	if a := t.bySet[string(t.scratch.setKey)]; a != nil {
		return a, nil
	}
	id, err := string(t.scratch.setKey), error(nil)
	a := t.returns.unlisted[id]
	if a != nil {
		err = t.wake(op, id, a)
	} else {
		a, err = t.newArchetype(op, set)
	}
	if err != nil {
		return nil, err
	}
	t.bySet[id] = a
	t.archetypes = append(t.archetypes, a)
	t.enroll(a)
	t.readers.matchNew(a)
	return a, nil
}

// newArchetype creates the archetype of a sorted set. The columns have the order of the set. The
// lanes are numbered through all columns, starting after lane 0, which holds the ids. Buffers,
// shared values, managed objects and switches are numbered separately, each among its own kind.
func (t *tables) newArchetype(op string, set []*component) (*archetype, error) {
	lanes := make([][]soa.Lane, len(set))
	limit := 0
	for i, c := range set {
		if err := t.types.admit(op, c); err != nil {
			return nil, err
		}
		lanes[i] = c.lanes
		if c.limit > 0 && (limit == 0 || c.limit < limit) {
			limit = c.limit
		}
	}
	layout, err := chunk.NewLayout(lanes, limit)
	if err != nil {
		return nil, t.gate.fault(ErrArgument, op, "an entity with %s does not fit a chunk: split a component, or keep part of it in a Buffer", setString(set)).because(err)
	}
	meta, err := t.metaArchetype(op, set)
	if err != nil {
		return nil, err
	}
	a := &archetype{
		world: t.original, index: len(t.archetypes), meta: meta,
		composition: composition{
			columns: make([]column, len(set)), keys: make([]key, len(set)),
			capacity: layout.Capacity, isMeta: slices.Contains(set, t.types.header),
		},
		history: history{summary: t.summaryOf(len(t.archetypes)), newest: make([]uint32, len(set))},
	}
	all := slices.Concat(lanes...)
	stored := make([]byte, 0, 4*len(set)) // the components that have lanes: archetypes with the same ones share a shape
	pairs, places := make([]table.Pair, 0, len(all)), make([]table.Lane, len(all))
	for i, c := range set {
		col := a.number(c)
		if col.shared >= 0 {
			a.stores = append(a.stores, t.shared.storeOf(c))
		}
		if k := len(c.lanes); k > 0 {
			stored = binary.LittleEndian.AppendUint32(stored, uint32(c.index))
			col.lanes, places = places[:0:k], places[k:]
		}
		for _, l := range c.lanes {
			own := table.Lane{Index: uint32(len(pairs) + 1), Size: uint32(l.Type.Size())} // lane 0 holds the ids
			col.lanes = append(col.lanes, own)
			pairs = append(pairs, table.Pair{To: own.Index, From: own.Index, Size: own.Size})
		}
		col.rowPath = col.findRowPath()
		a.columns[i], a.keys[i] = col, c.key
		a.awaitsCleanup = a.awaitsCleanup || c == t.types.cleanupTag
	}
	if a.shared > maxShared {
		return nil, t.gate.fault(ErrArgument, op, "%s has %d shared components; the limit is %d", setString(set), a.shared, maxShared)
	}
	a.shape = t.memory.Shape(stored, a.capacity, all)
	a.copy = table.NewCopy(pairs)
	a.plain = a.spills+a.switches+a.managed == 0
	return a, nil
}

// number returns the column of a component, with its indices among the columns of the same kinds.
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

// with returns the move to the archetype that has c in addition.
func (t *tables) with(op string, a *archetype, c *component) (*move, error) {
	if m := edgeTo(a.adds, c); m != nil {
		return m, nil
	}
	if err := t.types.mayGive(op, c); err != nil {
		return nil, err
	}
	if err := t.mayEdit(op, a); err != nil {
		return nil, err
	}
	set := a.components()
	at, _ := slices.BinarySearchFunc(set, c, compareComponents)
	m, err := t.moveTo(op, a, slices.Insert(set, at, c))
	if err != nil {
		return nil, err
	}
	a.adds = append(a.adds, edge{c, m})
	return m, nil
}

// without returns the move to the archetype that lacks c.
func (t *tables) without(op string, a *archetype, c *component) (*move, error) {
	if m := edgeTo(a.removes, c); m != nil {
		return m, nil
	}
	if err := t.mayEdit(op, a); err != nil {
		return nil, err
	}
	set := slices.DeleteFunc(a.components(), func(o *component) bool { return o == c })
	m, err := t.moveTo(op, a, set)
	if err != nil {
		return nil, err
	}
	a.removes = append(a.removes, edge{c, m})
	return m, nil
}

// moveTo returns the move from a to the archetype of a sorted set.
func (t *tables) moveTo(op string, a *archetype, set []*component) (*move, error) {
	b, err := t.archetypeOf(op, set)
	if err != nil {
		return nil, err
	}
	return a.moveTo(b), nil
}

// archetypeIn returns the archetype of a handle. It refuses archetypes of other worlds and of meta
// entities, because neither can take new entities. If Restore took the archetype out of the order,
// archetypeIn puts it back.
func (t *tables) archetypeIn(op string, a Archetype) (*archetype, error) {
	own, err := t.archetypeKnown(op, a)
	if err == nil && own.index == unlisted {
		return t.archetypeOf(op, own.components())
	}
	return own, err
}

// enroll adds an archetype to the sets of its components, so that a new query finds its matches
// without visiting every archetype.
func (t *tables) enroll(a *archetype) {
	for i := range a.columns {
		c := a.columns[i].comp.index
		if n := c + 1 - len(t.having); n > 0 {
			t.having = slices.Grow(t.having, n)[:c+1]
		}
		t.having[c].add(a.index)
	}
}

// wake puts an archetype that Restore took out of the order back at the end of the list. The
// archetype of its meta entities comes first, and the counters are zero, because both hold for a
// newly created archetype too: a restored world must continue with the same bits.
func (t *tables) wake(op, key string, a *archetype) error {
	if a.meta != nil {
		if _, err := t.metaArchetype(op, a.components()); err != nil {
			return err
		}
	}
	delete(t.returns.unlisted, key)
	a.index = len(t.archetypes)
	a.summary = t.summaryOf(a.index)
	a.orders, a.order, a.crossings = 0, 0, 0
	clear(a.newest)
	a.groups.only.orders, a.groups.made = 0, 0
	return nil
}

// summaryOf returns the change summary of the archetype at the given index, which may be the next
// new one.
func (t *tables) summaryOf(index int) *changeSummary {
	if index>>6 == len(t.summaries) {
		t.summaries = append(t.summaries, new(changeSummary))
	}
	return t.summaries[index>>6]
}

// metaArchetype returns the archetype of the meta entities for chunks with the given components. It
// returns nil if none of them is a chunk component.
func (t *tables) metaArchetype(op string, set []*component) (*archetype, error) {
	var list []*component
	for _, c := range set {
		if c.per != nil {
			list = append(list, c.per)
		}
	}
	if list == nil {
		return nil, nil
	}
	list, err := t.types.sortSet(op, append(list, t.types.header))
	if err != nil {
		return nil, err
	}
	a, err := t.archetypeOf(op, list)
	if err == nil && a.kinds.has(isCleanup) {
		_, err = t.cleanupMove(op, a)
	}
	return a, err
}

// mayEdit returns an error if a holds meta entities. A caller must not change them, because the
// world creates and destroys them with their chunks.
func (t *tables) mayEdit(op string, a *archetype) error {
	if a.isMeta {
		return t.gate.fault(ErrArgument, op, "%v is of an entity that holds the chunk components of a chunk: change those of the chunk's entities", a)
	}
	return nil
}

// cleanupMove returns the move that Destroy makes with an entity of a: to the archetype with only
// its cleanup components and the tag.
func (t *tables) cleanupMove(op string, a *archetype) (*move, error) {
	if a.toCleanup != nil {
		return a.toCleanup, nil
	}
	set := []*component{t.types.cleanupTag}
	for i := range a.columns {
		if c := a.columns[i].comp; c.kind.has(isCleanup) {
			set = append(set, c)
		}
	}
	set, err := t.types.sortSet(op, set)
	if err != nil {
		return nil, err
	}
	a.toCleanup, err = t.moveTo(op, a, set)
	return a.toCleanup, err
}

// edit returns the move from a to the archetype with the components in add and without those in
// remove. It returns nil if that archetype is a itself.
func (t *tables) edit(op string, a *archetype, add, remove []*component) (*move, error) {
	switch {
	case len(add) == 1 && len(remove) == 0: // one component: the archetype may have the move in its cache
		if a.has(add[0]) {
			return nil, nil
		}
		return t.with(op, a, add[0])
	case len(add) == 0 && len(remove) == 1:
		if !a.has(remove[0]) {
			return nil, nil
		}
		return t.without(op, a, remove[0])
	}
	set := t.scratch.edited[:0]
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
	t.scratch.edited = set
	for _, c := range remove {
		set = slices.DeleteFunc(set, func(o *component) bool { return o == c })
	}
	if !added && len(set) == n {
		return nil, nil
	}
	if err := t.mayEdit(op, a); err != nil {
		return nil, err
	}
	if err := t.types.mayGive(op, set...); err != nil {
		return nil, err
	}
	if added && a.awaitsCleanup && !slices.ContainsFunc(set, func(c *component) bool { return c.kind.has(isCleanup) }) {
		return nil, t.gate.fault(ErrArgument, op, "a destroyed entity ends with its last cleanup component, so that nothing would have what is added: %v", a).on(add[0])
	}
	slices.SortFunc(set, compareComponents)
	return t.moveTo(op, a, set)
}
