package ecs

import (
	"encoding/binary"
	"math"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/chunk"
	"github.com/lanewise/lanewise/ecs/internal/table"
	"github.com/lanewise/lanewise/soa"
)

// listings is what of a catalog is lent to a transaction.
type listings struct {
	archetypes []*archetype
	bySet      map[string]*archetype
	having     []archetypeSet // those that have a component, by its index
	stirs      []*stirs       // when each archetype changed
	names      map[string]*component
	admitted   []bool // components in names, by index
	memory     *table.Memory
	returns    returns
}

// catalog is the archetypes of a world, and the ways between them. A set of components
// has one archetype, which is there as long as the world.
type catalog struct {
	shares
	listings
	home *tables // of the world, or of the one that lends to it: whose the archetypes are

	residue  *component // the tag of destroyed entities that wait for their cleanup
	header   *component // of meta entities
	prefab   *component
	inactive *component
	ghost    *component
	group    *component // LinkedGroup
	omit     *component

	readers readers
	setKey  []byte       // scratch of archetypeOf
	fit     archetypeSet // scratch of matching.candidates
	types   []*component // scratch of typesOf
}

// readers is who looks at archetypes and at chunks all the time: the queries.
type readers interface {
	// made is told of each archetype that is new.
	made(a *archetype)
	// forget drops what leads to memory that has gone.
	forget()
}

// archetypeOf returns the archetype of a set of components, which must be sorted
// and free of duplicates, making it when it is new.
func (w *catalog) archetypeOf(op string, set []*component) (*archetype, error) {
	w.setKey = w.setKey[:0]
	for _, c := range set {
		w.setKey = binary.LittleEndian.AppendUint32(w.setKey, uint32(c.index))
	}
	if a := w.bySet[string(w.setKey)]; a != nil {
		return a, nil
	}
	id, err := string(w.setKey), error(nil)
	a := w.returns.resting[id]
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

func (w *catalog) newArchetype(op string, set []*component) (*archetype, error) {
	lanes := make([][]soa.Lane, len(set))
	limit := 0
	for i, c := range set {
		if err := w.admit(op, c); err != nil {
			return nil, err
		}
		lanes[i] = c.lanes
		if c.limit > 0 && (limit == 0 || c.limit < limit) {
			limit = c.limit
		}
	}
	layout, err := chunk.NewLayout(lanes, limit)
	if err != nil {
		return nil, w.fault(ErrArgument, op, "an entity with %s does not fit a chunk: split a component, or keep part of it in a Buffer", setString(set)).because(err)
	}
	meta, err := w.metaArchetype(op, set)
	if err != nil {
		return nil, err
	}
	a := &archetype{
		meta: meta, heads: slices.Contains(set, w.header),
		world: w.home, index: len(w.archetypes), capacity: layout.Capacity, stirs: w.stirsOf(len(w.archetypes)),
		columns: make([]column, len(set)), keys: make([]key, len(set)), newest: make([]uint32, len(set)),
	}
	n := 0
	for _, c := range set {
		n += len(c.lanes)
	}
	stored := make([]byte, 0, 4*len(set)) // which components have lanes
	pairs, places := make([]table.Pair, 0, n), make([]table.Lane, n)
	for i, c := range set {
		col := column{comp: c, spill: -1, shared: -1, object: -1, bit: -1}
		if len(c.lanes) > 0 {
			stored = binary.LittleEndian.AppendUint32(stored, uint32(c.index))
		}
		if k := len(c.lanes); k > 0 {
			col.lanes, places = places[:0:k], places[k:]
		}
		for _, l := range c.lanes {
			own := table.Lane{Index: uint32(len(pairs) + 1), Size: uint32(l.Type.Size())} // behind the ids
			col.lanes = append(col.lanes, own)
			pairs = append(pairs, table.Pair{To: own.Index, From: own.Index, Size: own.Size})
		}
		if c.kind.has(isBuffer) {
			col.spill = a.spills
			a.spills++
		}
		if c.kind.has(isShared) {
			col.shared = a.shared
			a.shared++
			a.stores = append(a.stores, w.storeOf(c))
		}
		if c.kind.has(isManaged) {
			col.object = a.managed
			a.managed++
		}
		if c.kind.has(isEnableable) {
			col.bit = a.switches
			a.switches++
		}
		col.access = col.findAccess()
		a.columns[i], a.keys[i] = col, c.key
		a.kinds |= c.kind
		a.refs = a.refs || len(c.refs) > 0 || c.kind.has(isManaged) && len(c.boxed) > 0
		a.residue = a.residue || c == w.residue
	}
	if a.shared > maxShared {
		return nil, w.fault(ErrArgument, op, "%s has %d shared components; the limit is %d", setString(set), a.shared, maxShared)
	}
	a.shape = w.memory.Shape(stored, a.capacity, slices.Concat(lanes...))
	a.copy = table.NewCopy(pairs)
	a.plain = a.spills+a.switches+a.managed == 0
	return a, nil
}

// admit notes that w uses c. Two types of one name would have no order, so the
// second is refused.
func (w *catalog) admit(op string, c *component) error {
	if c.index < len(w.admitted) && w.admitted[c.index] {
		return nil
	}
	if other := w.names[c.name]; other != nil && other != c {
		return w.fault(ErrArgument, op, "another type has the same name in this world: types declared inside functions share names, declare one of them outside").on(c)
	}
	w.names[c.name] = c
	for len(w.admitted) <= c.index {
		w.admitted = append(w.admitted, false)
	}
	w.admitted[c.index] = true
	return nil
}

// with returns the archetype that has c too.
func (w *catalog) with(op string, a *archetype, c *component) (*move, error) {
	if m := edgeTo(a.adds, c); m != nil {
		return m, nil
	}
	if err := w.mayGive(op, c); err != nil {
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
func (w *catalog) without(op string, a *archetype, c *component) (*move, error) {
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
func (w *catalog) moveTo(op string, a *archetype, set []*component) (*move, error) {
	b, err := w.archetypeOf(op, set)
	if err != nil {
		return nil, err
	}
	return a.moveTo(b), nil
}

// typesOf returns the components that the terms name, sorted. The slice is good
// until the next call.
func (w *catalog) typesOf(op string, terms []Term) ([]*component, error) {
	set := w.types[:0]
	for _, t := range terms {
		switch t.mode {
		case modeRead, modeWrite, modeWith:
		default:
			return nil, w.fault(ErrArgument, op, "%v is no type of an archetype: use With", t)
		}
		c, err := w.componentOf(op, t.typ)
		if err != nil {
			return nil, err
		}
		set = append(set, c)
	}
	w.types = set
	if err := w.mayGive(op, set...); err != nil {
		return nil, err
	}
	return w.sortSet(op, set)
}

// sortSet orders a set of components as archetypes do, and refuses duplicates.
func (w *catalog) sortSet(op string, set []*component) ([]*component, error) {
	slices.SortFunc(set, compareComponents)
	for i, c := range set {
		if i > 0 && set[i-1] == c {
			return nil, w.fault(ErrArgument, op, "the type is named twice").on(c)
		}
	}
	return set, nil
}

// componentOf returns the component of type t for an operation of w.
func (w *catalog) componentOf(op string, t reflect.Type) (*component, error) {
	c, err := componentOf(op, t)
	if err != nil {
		e := err.(*Error)
		e.World, e.System = w.name, w.running
		return nil, e
	}
	return c, nil
}

// archetypeIn returns the archetype behind a handle, if it is one of w that
// entities can be made of. One that Restore has taken out of the order comes back to it.
func (w *catalog) archetypeIn(op string, a Archetype) (*archetype, error) {
	own, err := w.archetypeKnown(op, a)
	if err == nil && own.index == resting {
		return w.archetypeOf(op, own.components())
	}
	return own, err
}

// archetypeKnown is archetypeIn for commands, which change nothing before they are played.
func (w *catalog) archetypeKnown(op string, a Archetype) (*archetype, error) {
	switch {
	case a.a == nil:
		return nil, w.fault(ErrArgument, op, "the archetype is the zero Archetype: make it with World.Archetype")
	case a.a.world != w.home:
		return nil, w.fault(ErrArgument, op, "the archetype %v belongs to world %q: make it with this world's Archetype", a, a.a.world.name)
	case a.a.heads:
		return nil, w.fault(ErrArgument, op, "the archetype %v is that of meta entities, which only the world makes", a)
	}
	return a.a, nil
}

// enroll notes which components an archetype has, so that a new query finds it
// without a look at the others.
func (w *catalog) enroll(a *archetype) {
	for i := range a.columns {
		c := a.columns[i].comp.index
		if n := c + 1 - len(w.having); n > 0 {
			w.having = slices.Grow(w.having, n)[:c+1]
		}
		w.having[c].add(a.index)
	}
}

// archetypesOf returns the archetypes that have a component.
func (w *catalog) archetypesOf(c *component) archetypeSet {
	if c.index < len(w.having) {
		return w.having[c.index]
	}
	return nil
}

// declaredOf returns the component that a term is for, or the Worldwide type that it
// declares access to.
func (w *catalog) declaredOf(op string, t Term) (*component, error) {
	if c := worldwideOf(op, t); c != nil {
		return c, nil
	}
	return w.componentOf(op, t.typ)
}

// stirsOf returns what the archetype with an index, the next one, is noted in.
func (w *catalog) stirsOf(index int) *stirs {
	if index>>6 == len(w.stirs) {
		w.stirs = append(w.stirs, new(stirs))
	}
	return w.stirs[index>>6]
}

// returns is what a world keeps for Restore.
type returns struct {
	shift     uint32                // from versions of the last image to those of the world
	resting   map[string]*archetype // those that have left the order, by their keys in bySet
	reordered uint32                // how often archetypes have left it
	scratch   any                   // of Restore
}

// resting is the index of an archetype that has left the order: no list has it.
const resting = math.MaxInt32

// wake puts an archetype that rests into the order, behind the others, and before it what
// it needs, as when it was made.
func (w *catalog) wake(op, key string, a *archetype) error {
	if a.meta != nil {
		if _, err := w.metaArchetype(op, a.components()); err != nil {
			return err
		}
	}
	delete(w.returns.resting, key)
	a.index = len(w.archetypes)
	a.stirs = w.stirsOf(a.index)
	a.orders, a.order, a.crossings = 0, 0, 0
	clear(a.newest)
	a.groups.only.orders, a.groups.made = 0, 0
	return nil
}

// cut takes the archetypes from an index on out of the set.
func (s *archetypeSet) cut(first int) {
	if word := first >> 6; word < len(*s) {
		(*s)[word] &= 1<<(first&63) - 1
		*s = (*s)[:word+1]
	}
	for n := len(*s); n > 0 && (*s)[n-1] == 0; n-- {
		*s = (*s)[:n-1]
	}
}

// shifted moves a version on.
func shifted(v, shift uint32) uint32 {
	if v == 0 || shift == 0 {
		return v
	}
	if v += shift; v == 0 {
		return 1
	}
	return v
}
