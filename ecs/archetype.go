package ecs

import (
	"encoding/binary"
	"reflect"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/chunk"
	"github.com/lanewise/lanewise/ecs/internal/table"
	"github.com/lanewise/lanewise/soa"
)

// Archetype is a set of component types of one world. The same set is the same
// Archetype, whatever the order it was asked for in. The zero Archetype belongs
// to no world.
type Archetype struct{ a *archetype }

// Capacity returns how many rows fit in a chunk.
func (a Archetype) Capacity() int { return a.of("Archetype.Capacity").capacity }

// Len returns how many entities have exactly these components.
func (a Archetype) Len() int { return a.settled("Archetype.Len").rows }

// ChunkCount returns how many chunks they are in.
func (a Archetype) ChunkCount() int { return len(a.settled("Archetype.ChunkCount").chunks) }

// Types returns the component types in the order in which they are stored.
func (a Archetype) Types() []reflect.Type {
	columns := a.of("Archetype.Types").columns
	types := make([]reflect.Type, len(columns))
	for i := range types {
		types[i] = columns[i].comp.typ
	}
	return types
}

// LayoutCompatible reports whether chunks of a can become chunks of b where they
// are: both have the same capacity and the same columns in memory.
func (a Archetype) LayoutCompatible(b Archetype) bool {
	const op = "Archetype.LayoutCompatible"
	return a.of(op).compatible(b.of(op))
}

// of returns the archetype behind the handle; it panics if there is none.
func (a Archetype) of(op string) *archetype {
	if a.a == nil {
		panic(fault(ErrArgument, op, "the archetype is the zero Archetype: make it with World.Archetype"))
	}
	return a.a
}

// settled returns the archetype behind the handle; it panics while a transaction has
// the chunks, unless one of its jobs asks.
func (a Archetype) settled(op string) *archetype {
	own := a.of(op)
	if own.world.elsewhere() {
		panic(own.world.shut(op))
	}
	return own
}

// String lists the component types.
func (a Archetype) String() string {
	if a.a == nil {
		return "no archetype"
	}
	return a.a.String()
}

// archetype is what a world knows of a set of components.
type archetype struct {
	world     *World
	index     int        // in the world, in order of creation
	meta      *archetype // of the meta entities of its chunks
	switches  int        // enableable columns: a new query asks for no more than this
	columns   []column
	keys      []key      // of the columns, for searching
	copy      table.Copy // of the lanes of all columns, from a chunk to another
	plain     bool       // the columns are lanes and nothing else
	shape     *table.Shape
	capacity  int
	rows      int
	chunks    []*record
	groups    groups
	stores    []*store // of the shared columns
	adds      []edge
	removes   []edge
	moves     []*move // everything that entities have moved to from here
	toResidue *move   // what Destroy does to entities with cleanup components
	headers   int     // slices that views of all columns take
	whole     *match  // all columns, written: what Create shows, once it does
	orders    uint32  // how often rows came, went or were relabelled, in batches
	order     uint32  // global version at the last of these times
	crossings uint32  // rows that came from other worlds or went there
	counting  tallies // of the queries that ask Only for some of its groups

	// newest is, for each column, no older than the version of any chunk whose
	// rows have not come since.
	newest []uint32

	kinds   kind // of all columns
	heads   bool // of meta entities
	residue bool // of destroyed entities that wait for their cleanup
	refs    bool // some column holds entity ids
	spills  int  // buffer columns
	shared  int  // shared columns
	managed int  // managed columns
}

// column is one component of an archetype.
type column struct {
	comp   *component
	lanes  []table.Lane
	access     // how single rows are read and written
	spill  int // which of the record's spills it has, if it is a buffer
	shared int // which of the group's values it has, if it is shared
	object int // which of the record's objects it has, if it is managed
	bit    int // which of the record's switches it has, if it is enableable
}

// edge leads to the archetype with one component more, or one less.
type edge struct {
	comp *component
	move *move
}

// find returns the column of a component, or -1.
func (a *archetype) find(k key) int {
	for i, own := range a.keys {
		if own == k {
			return i
		}
	}
	return -1
}

// findType returns the column of the component of type t, or -1.
func (a *archetype) findType(t reflect.Type) int {
	for i := range a.columns {
		if a.columns[i].comp.typ == t {
			return i
		}
	}
	return -1
}

// has reports whether the component is in a.
func (a *archetype) has(c *component) bool { return a.find(c.key) >= 0 }

// components returns the components of a, in order, in a slice of their own.
func (a *archetype) components() []*component {
	set := make([]*component, len(a.columns))
	for i := range a.columns {
		set[i] = a.columns[i].comp
	}
	return set
}

// String lists the component types.
func (a *archetype) String() string { return setString(a.components()) }

func setString(set []*component) string {
	names := make([]string, len(set))
	for i, c := range set {
		names[i] = c.typ.String()
	}
	return "{" + strings.Join(names, ", ") + "}"
}

// compatible reports whether a chunk of a can become one of b in place: equal
// capacity and equal columns that store something.
func (a *archetype) compatible(b *archetype) bool {
	if a.capacity != b.capacity || a.spills != b.spills {
		return false
	}
	i, j := 0, 0
	for {
		for i < len(a.columns) && len(a.columns[i].lanes) == 0 {
			i++
		}
		for j < len(b.columns) && len(b.columns[j].lanes) == 0 {
			j++
		}
		if i == len(a.columns) || j == len(b.columns) {
			return i == len(a.columns) && j == len(b.columns)
		}
		if a.columns[i].comp != b.columns[j].comp {
			return false
		}
		i, j = i+1, j+1
	}
}

// archetypeOf returns the archetype of a set of components, which must be sorted
// and free of duplicates, making it when it is new.
func (w *World) archetypeOf(op string, set []*component) (*archetype, error) {
	w.setKey = w.setKey[:0]
	for _, c := range set {
		w.setKey = binary.LittleEndian.AppendUint32(w.setKey, uint32(c.index))
	}
	if a := w.bySet[string(w.setKey)]; a != nil {
		return a, nil
	}
	id := string(w.setKey)
	a, err := w.newArchetype(op, set)
	if err != nil {
		return nil, err
	}
	w.bySet[id] = a
	w.archetypes = append(w.archetypes, a)
	w.enroll(a)
	for _, q := range w.queries {
		q.consider(a)
	}
	return a, nil
}

func (w *World) newArchetype(op string, set []*component) (*archetype, error) {
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
		world: w.home(), index: len(w.archetypes), capacity: layout.Capacity,
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

// maxShared is the largest number of shared components in an archetype.
const maxShared = 16

// admit notes that w uses c. Two types of one name would have no order, so the
// second is refused.
func (w *World) admit(op string, c *component) error {
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

// edgeTo returns the way to the archetype with c more or less, or nil if nobody has
// gone there yet.
func edgeTo(list []edge, c *component) *move {
	for i := range list {
		if list[i].comp == c {
			return list[i].move
		}
	}
	return nil
}

// with returns the archetype that has c too.
func (w *World) with(op string, a *archetype, c *component) (*move, error) {
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
func (w *World) without(op string, a *archetype, c *component) (*move, error) {
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
func (w *World) moveTo(op string, a *archetype, set []*component) (*move, error) {
	b, err := w.archetypeOf(op, set)
	if err != nil {
		return nil, err
	}
	return a.moveTo(b), nil
}

// Archetype returns the archetype of the types of the terms: With, Read and
// Write say the same here. It panics with an *Error if a term is none of them, a
// type comes twice or is no component, or one row does not fit a chunk.
func (w *World) Archetype(terms ...Term) Archetype {
	const op = "Archetype"
	w.mustBeOpen(op)
	set, err := w.typesOf(op, terms)
	if err != nil {
		panic(err)
	}
	a, err := w.archetypeOf(op, set)
	if err != nil {
		panic(err)
	}
	return Archetype{a}
}

// typesOf returns the components that the terms name, sorted. The slice is good
// until the next call.
func (w *World) typesOf(op string, terms []Term) ([]*component, error) {
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
func (w *World) sortSet(op string, set []*component) ([]*component, error) {
	slices.SortFunc(set, compareComponents)
	for i, c := range set {
		if i > 0 && set[i-1] == c {
			return nil, w.fault(ErrArgument, op, "the type is named twice").on(c)
		}
	}
	return set, nil
}

// componentOf returns the component of type t for an operation of w.
func (w *World) componentOf(op string, t reflect.Type) (*component, error) {
	c, err := componentOf(op, t)
	if err != nil {
		e := err.(*Error)
		e.World, e.System = w.name, w.running
		return nil, e
	}
	return c, nil
}

// archetypeIn returns the archetype behind a handle, if it is one of w that
// entities can be made of.
func (w *World) archetypeIn(op string, a Archetype) (*archetype, error) {
	switch {
	case a.a == nil:
		return nil, w.fault(ErrArgument, op, "the archetype is the zero Archetype: make it with World.Archetype")
	case a.a.world != w.home():
		return nil, w.fault(ErrArgument, op, "the archetype %v belongs to world %q: make it with this world's Archetype", a, a.a.world.name)
	case a.a.heads:
		return nil, w.fault(ErrArgument, op, "the archetype %v is that of meta entities, which only the world makes", a)
	}
	return a.a, nil
}
