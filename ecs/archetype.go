package ecs

import (
	"math"
	"reflect"
	"strings"
	"sync/atomic"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

// Archetype is a handle to one set of component types in one world. All entities with exactly this
// set share the archetype's chunks. World.Archetype returns the same handle for the same set, in
// whatever order the caller names the types. The zero Archetype belongs to no world; its methods,
// except String, panic with an *Error.
type Archetype struct{ a *archetype }

// Capacity returns the number of rows that fit in one chunk. It depends only on the component
// types, so it stays valid after Close.
func (a Archetype) Capacity() int { return a.of("Archetype.Capacity").capacity }

// Len returns the number of entities that have exactly these components. It panics with an *Error
// after Close, and while a transaction has the world, except in the transaction's jobs.
func (a Archetype) Len() int { return a.available("Archetype.Len").rows }

// ChunkCount returns the number of chunks that hold these entities. It panics as Len does.
func (a Archetype) ChunkCount() int { return len(a.available("Archetype.ChunkCount").chunks) }

// Types returns the component types in the order in which a chunk stores them. The slice is new:
// the caller may change it.
func (a Archetype) Types() []reflect.Type {
	columns := a.of("Archetype.Types").columns
	types := make([]reflect.Type, len(columns))
	for i := range types {
		types[i] = columns[i].comp.typ
	}
	return types
}

// of returns the archetype that the handle refers to. It panics if a is the zero Archetype.
func (a Archetype) of(op string) *archetype {
	if a.a == nil {
		panic(fault(ErrArgument, op, "the archetype is the zero Archetype: make it with World.Archetype"))
	}
	return a.a
}

// available returns the archetype that the handle refers to. It panics after Close, because Close
// frees the rows, and while a transaction has the chunks, unless a job of that transaction calls
// it.
func (a Archetype) available(op string) *archetype {
	own := a.of(op)
	if own.world.gate.elsewhere() || !own.world.gate.alive && own.world.gate.lent == nil {
		panic(own.world.gate.unavailable(op))
	}
	return own
}

// String returns the component types in braces, for example "{game.Position, game.Velocity}".
func (a Archetype) String() string {
	if a.a == nil {
		return "no archetype"
	}
	return a.a.String()
}

// archetype is the world's data about one set of components: the layout of its chunks, the chunks
// themselves, the known moves to other archetypes, and the versions of the last changes.
type archetype struct {
	world *World     // the one that a program has made: see tables.original
	index int        // place in the world's list, in order of creation
	meta  *archetype // archetype of the meta entities of its chunks; nil if it has no chunk component
	composition
	rows   int
	chunks []*record
	groups groups
	ways
	history
	table versionTable // versions of all columns of all chunks
}

// composition is the layout that follows from the set of components. Jobs read it without a lock,
// because it does not change after the archetype was created; only the owner sets headers later.
type composition struct {
	columns       []column
	keys          []key      // keys of columns, in the same order: a search reads only this slice
	copy          table.Copy // copies all lanes of a row from one chunk to another
	plain         bool       // no column stores anything outside its lanes: no buffers, switches or managed objects
	shape         *table.Shape
	capacity      int
	switches      int      // number of enableable columns; if it is 0, a query needs no row filter
	spills        int      // number of buffer columns
	shared        int      // number of shared columns
	managed       int      // number of managed columns
	stores        []*store // one for each shared column
	headers       int      // number of slice headers that the views of all columns need; 0 until a whole chunk was shown
	kinds         kind     // markers of all columns together
	isMeta        bool     // its entities are meta entities
	awaitsCleanup bool     // its entities were destroyed and wait for their cleanup
	refs          bool     // some column holds entity ids
}

// ways caches the moves to other archetypes, so that the second entity that makes the same change
// needs no search.
type ways struct {
	adds      []edge
	removes   []edge
	moves     []*move // all moves that start here
	toCleanup *move   // the move of a destroyed entity that has cleanup components
}

// history says when and how often rows of the archetype were added, removed and written.
type history struct {
	orders    uint32   // counts the batches of rows that were added, removed or relabelled
	order     uint32   // world version at the last of these batches
	crossings uint32   // counts the rows that moved here from other worlds, or from here to them
	counting  counting // the queries with WithShared terms that count rows of single groups here

	summary *changeSummary // change versions of this archetype and up to 63 neighbours

	// newest has one version for each column. It is no older than the column's version in any
	// chunk, except for chunks whose rows were added later. So a filter that finds an old version
	// here can skip all chunks. The owner and the jobs that write the column raise it atomically.
	// The owner's filters read it after the jobs are done, and the filters of a job read it after
	// the jobs that write the column, because the tracker orders the two.
	newest []uint32
}

// counting is the part of a query that must know when a chunk group is deleted, because it has
// cached the group's row count.
type counting interface{ ended(g *group) }

// column is the place of one component in the chunks of an archetype.
type column struct {
	comp    *component
	lanes   []table.Lane
	rowPath     // how single rows are read and written
	spill   int // index among the chunk's spills; -1 if it is no buffer
	shared  int // index among the group's shared values; -1 if it is not shared
	object  int // index among the chunk's objects; -1 if it is not managed
	bit     int // index among the chunk's switches; -1 if it is not enableable
}

// edge leads to the archetype that has one component more, or one less.
type edge struct {
	comp *component
	move *move
}

// find returns the index of the column with key k, or -1.
func (a *composition) find(k key) int {
	for i, own := range a.keys {
		if own == k {
			return i
		}
	}
	return -1
}

// findType returns the index of the column with component type t, or -1.
func (a *composition) findType(t reflect.Type) int {
	for i := range a.columns {
		if a.columns[i].comp.typ == t {
			return i
		}
	}
	return -1
}

// has reports whether c is one of the components of a.
func (a *composition) has(c *component) bool { return a.find(c.key) >= 0 }

// components returns the components of a in stored order, in a new slice.
func (a *composition) components() []*component {
	set := make([]*component, len(a.columns))
	for i := range a.columns {
		set[i] = a.columns[i].comp
	}
	return set
}

// String returns the component types in braces.
func (a *composition) String() string { return setString(a.components()) }

func setString(set []*component) string {
	names := make([]string, len(set))
	for i, c := range set {
		names[i] = c.typ.String()
	}
	return "{" + strings.Join(names, ", ") + "}"
}

// compatible reports whether a chunk of a can become a chunk of b without copying rows: both have
// the same capacity, and the same columns among those that store data in lanes.
func (a *composition) compatible(b *composition) bool {
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

// edgeTo returns the cached move that adds or removes c, or nil if no entity has made that change
// yet.
func edgeTo(list []edge, c *component) *move {
	for i := range list {
		if list[i].comp == c {
			return list[i].move
		}
	}
	return nil
}

// noteChange records in the summary that something in a changed.
func (a *archetype) noteChange(version uint32) { a.summary.note(a.index&63, version) }

// mark raises newest for a column, so that filters can trust it: if newest is not after some
// version, no chunk's column is, except for chunks whose rows were added since. Two jobs can write
// the column with different versions at a time only through look-ups; then the newer version stays.
// A stored version that seems ahead by 1<<30 or more is in truth very old, because the counter has
// wrapped around; mark replaces it.
func (a *archetype) mark(column int, version uint32) {
	at := &a.newest[column]
	for {
		old := atomic.LoadUint32(at)
		if old != 0 && old-version < 1<<30 {
			return
		}
		a.noteChange(version)
		if atomic.CompareAndSwapUint32(at, old, version) {
			return
		}
	}
}

// still reports whether a is unchanged since the given version: no listed column was written, and
// no row was added or removed. Then no chunk of a can pass a filter.
func (a *archetype) still(columns []int, since uint32) bool {
	if changedSince(a.order, since) {
		return false
	}
	for _, i := range columns {
		if changedSince(loadVersion(&a.newest[i]), since) {
			return false
		}
	}
	return true
}

// spanChunks is the number of chunks in a span; the last span of an archetype may have fewer. A
// capture copies a whole span when one of its chunks was written, so a smaller span copies less.
const spanChunks = 16

// spansOf returns the number of spans that n chunks have.
func spansOf(n int) int { return (n + spanChunks - 1) / spanChunks }

// spanAt returns the part of a list of all chunks that belongs to one span.
func spanAt[T any](chunks []T, span int) []T {
	return chunks[span*spanChunks : min((span+1)*spanChunks, len(chunks))]
}

// versionTable stores the column versions of all chunks of an archetype. The versions of the chunks
// of one span are next to each other, in the order of the chunks, because a comparison with an
// image then reads few cache lines and no chunk. The field record.versions of a chunk is a part of
// this table from [archetype.placeVersions] until the chunk leaves the archetype.
type versionTable struct {
	spans [][]uint32
	spare [][]uint32 // memory for the next table, used when the chunks are reordered
}

// placeVersions moves the versions of a chunk into the table, at the chunk's place in the list.
// Their values stay the same.
func (a *archetype) placeVersions(r *record) {
	own := a.versionsAt(r.index)
	copy(own, r.versions)
	r.versions = own
}

// nextVersions returns the part of the table for the next chunk of a.
func (a *archetype) nextVersions() []uint32 { return a.versionsAt(len(a.chunks)) }

// versionsAt returns the part of the table for the chunk at the given index, and extends the table
// if necessary. If no chunk was at this index before, the values are zero.
func (a *archetype) versionsAt(index int) []uint32 {
	span, end, n := uint(index)/spanChunks, (uint(index)%spanChunks+1)*uint(len(a.columns)), uint(len(a.columns))
	if t := &a.table; span >= uint(len(t.spans)) || uint(len(t.spans[span])) < end {
		a.growTable(index)
	}
	return a.table.spans[span][end-n : end : end]
}

// growTable extends the table for the chunk at the given index, which must be the last one.
func (a *archetype) growTable(index int) {
	t, n := &a.table, len(a.columns)
	span, at := index/spanChunks, index%spanChunks
	switch {
	case span > 0 && span == len(t.spans):
		t.spans = append(t.spans, make([]uint32, spanChunks*n))
	case span == len(t.spans):
		t.spans = append(t.spans, make([]uint32, n)) // starts small, because many archetypes have only one chunk
	default:
		t.spans[span] = make([]uint32, min(4*at, spanChunks)*n)
		for _, before := range a.chunks[span*spanChunks : index] {
			a.placeVersions(before)
		}
	}
}

// resetVersions starts a second table, because the chunks get another order. Each chunk keeps its
// versions in the first table until placeVersions moves them.
func (a *archetype) resetVersions() { a.table.spans, a.table.spare = a.table.spare, a.table.spans }

// versionsOf returns the versions of all columns of all chunks of a span.
func (a *archetype) versionsOf(span int) []uint32 {
	return a.table.spans[span][:len(spanAt(a.chunks, span))*len(a.columns)]
}

// archetypeSet is a set of archetypes of one world, with one bit for each archetype index. It is
// only as long as its highest index needs.
type archetypeSet []uint64

// add puts the archetype with the given index into the set.
func (s *archetypeSet) add(index int) {
	for len(*s) <= index>>6 {
		*s = append(*s, 0)
	}
	(*s)[index>>6] |= 1 << (index & 63)
}

// archetypeKnown checks the handle as archetypeIn does, but changes nothing. Commands need this,
// because recording must not change the world.
func (t *tables) archetypeKnown(op string, a Archetype) (*archetype, error) {
	switch {
	case a.a == nil:
		return nil, t.gate.fault(ErrArgument, op, "the archetype is the zero Archetype: make it with World.Archetype")
	case a.a.world != t.original:
		return nil, t.gate.fault(ErrArgument, op, "the archetype %v belongs to world %q: make it with this world's Archetype", a, a.a.world.gate.name)
	case a.a.isMeta:
		return nil, t.gate.fault(ErrArgument, op, "the archetype %v is that of meta entities, which only the world makes", a)
	}
	return a.a, nil
}

// archetypesOf returns the set of archetypes that have c.
func (t *tables) archetypesOf(c *component) archetypeSet {
	if c.index < len(t.having) {
		return t.having[c.index]
	}
	return nil
}

// returns is the state that a world keeps between calls of Restore.
type returns struct {
	shift     uint32                // difference between the versions of the restored image and those of the world
	unlisted  map[string]*archetype // archetypes that Restore took out of the order, by their keys in bySet
	reordered uint32                // counts how often Restore took archetypes out of the order
	scratch   any                   // scratch memory of Restore
}

// unlisted is the index of an archetype that Restore took out of the order: no list contains it.
const unlisted = math.MaxInt32

// cut removes all archetypes from index first on.
func (s *archetypeSet) cut(first int) {
	if word := first >> 6; word < len(*s) {
		(*s)[word] &= 1<<(first&63) - 1
		*s = (*s)[:word+1]
	}
	for n := len(*s); n > 0 && (*s)[n-1] == 0; n-- {
		*s = (*s)[:n-1]
	}
}
