package ecs

import (
	"math"
	"reflect"
	"strings"
	"sync/atomic"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

// Archetype is a handle to one set of component types in one world. All entities with exactly this
// set share the archetype's chunks. World.Archetype returns the same handle for the same set, no
// matter in which order the caller names the types. The zero Archetype belongs to no world, so its
// methods, except String, panic with an *Error.
type Archetype struct{ arch *archetype }

// Capacity returns the number of rows that fit in one chunk. It depends only on the component
// types, so it stays valid after Close.
func (a Archetype) Capacity() int { return a.deref("Archetype.Capacity").capacity }

// Len returns the number of entities that have exactly these components. Len panics with an *Error
// after Close. Len also panics while a transaction has the world, except in the transaction's jobs.
func (a Archetype) Len() int { return a.derefAvailable("Archetype.Len").rowCount }

// ChunkCount returns the number of chunks that hold these entities. ChunkCount panics as Len does.
func (a Archetype) ChunkCount() int { return len(a.derefAvailable("Archetype.ChunkCount").chunks) }

// Types returns the component types in the order in which a chunk stores them. The slice is new, so
// the caller may change it.
func (a Archetype) Types() []reflect.Type {
	columns := a.deref("Archetype.Types").columns
	types := make([]reflect.Type, len(columns))
	for i := range types {
		types[i] = columns[i].comp.typ
	}
	return types
}

// deref returns the archetype that the handle refers to. deref panics if a is the zero Archetype.
func (a Archetype) deref(op string) *archetype {
	if a.arch == nil {
		panic(fault(ErrArgument, op, "the archetype is the zero Archetype: make it with World.Archetype"))
	}
	return a.arch
}

// derefAvailable returns the archetype that the handle refers to. derefAvailable panics after Close,
// because Close frees the rows. derefAvailable also panics while a transaction has the chunks,
// unless a job of that transaction calls it.
func (a Archetype) derefAvailable(op string) *archetype {
	own := a.deref(op)
	if own.world.gate.lentToOther() || !own.world.gate.usable && own.world.gate.lease == nil {
		panic(own.world.gate.unavailableError(op))
	}
	return own
}

// String returns the component types in braces, for example "{game.Position, game.Velocity}".
func (a Archetype) String() string {
	if a.arch == nil {
		return "no archetype"
	}
	return a.arch.String()
}

// archetype holds the world's data about one set of components: the layout of its chunks, the
// chunks themselves, the known moves to other archetypes, and the versions of the last changes.
type archetype struct {
	world *World     // the one that a program has made: see tables.archetypeWorld
	index int        // place in the world's list, in order of creation
	meta  *archetype // archetype of the meta entities of its chunks; nil if it has no chunk component
	archetypeLayout
	rowCount int
	chunks   []*chunkData
	groups   chunkGroups
	edges
	history
	versionTable versionTable // versions of all columns of all chunks
	reaches      archetypeReaches
}

// archetypeLayout holds the data that follows from the set of components. Jobs read it without a
// lock, because it does not change after the archetype was created. The exception is the field
// headerCount, which only the owner sets.
type archetypeLayout struct {
	columns         []column
	keys            []key      // keys of columns, in the same order: a search reads only this slice
	rowCopy         table.Copy // copies all lanes of a row from one chunk to another
	lanesOnly       bool       // no column stores anything outside its lanes: no buffers, enabled bits or managed values
	shape           *table.Shape
	capacity        int
	enableableCount int            // number of enableable columns; if it is 0, a query needs no row filter
	bufferCount     int            // number of buffer columns
	sharedCount     int            // number of shared columns
	managedCount    int            // number of managed columns
	sharedStores    []*sharedStore // one for each shared column
	headerCount     int            // number of slice headers that the views of all columns need; 0 until a whole chunk was shown
	kinds           kind           // markers of all columns together
	isMeta          bool           // its entities are meta entities
	awaitsCleanup   bool           // its entities were destroyed and wait for their cleanup
	holdsEntityIDs  bool           // some column holds entity ids
}

// edges caches the moves to other archetypes, so that the second entity that makes the same change
// needs no search.
type edges struct {
	addEdges    []edge
	removeEdges []edge
	moves       []*archetypeMove // all moves that start here
	cleanupMove *archetypeMove   // the move of a destroyed entity that has cleanup components
}

// history records when and how often rows of the archetype were added, removed and written.
type history struct {
	orderCount     uint32        // counts the batches of rows that were added, removed or relabelled
	orderVersion   uint32        // world version at the last of these batches
	worldMoveCount uint32        // counts the rows that moved here from other worlds, or from here to them
	groupObserver  groupObserver // the queries with WithShared terms that count rows of single groups here

	changeSummary *changeSummary // change versions of this archetype and up to 63 neighbours

	// newestVersions holds one version for each column. A chunk's version of the column may be newer
	// only if rows were added to the chunk later. So if newestVersions holds an old version, a
	// filter can skip all chunks of the archetype. The owner and the jobs that write the column
	// raise the version atomically. The owner's filters read it after the jobs are done. The filters
	// of a job read it after the jobs that write the column, because the tracker orders these jobs.
	newestVersions []uint32
}

// groupObserver is a part of a query that must know when a chunk group is deleted, because it has
// cached the group's row count.
type groupObserver interface{ groupDeleted(g *chunkGroup) }

// column describes how the chunks of an archetype store one component.
type column struct {
	comp         *component
	lanes        []table.Lane
	rowAccess        // how single rows are read and written
	bufferIndex  int // index among the chunk's bufferHeaps; -1 if it is no buffer
	sharedIndex  int // index among the group's shared values; -1 if it is not shared
	managedIndex int // index among the chunk's managedColumns; -1 if it is not managed
	enabledIndex int // index among the chunk's enabledBits; -1 if it is not enableable
}

// edge leads to the archetype that has one component more, or one component less.
type edge struct {
	comp *component
	move *archetypeMove
}

// findColumn returns the index of the column with key k, or -1.
func (a *archetypeLayout) findColumn(k key) int {
	for i, own := range a.keys {
		if own == k {
			return i
		}
	}
	return -1
}

// findColumnOfType returns the index of the column with component type t, or -1.
func (a *archetypeLayout) findColumnOfType(t reflect.Type) int {
	for i := range a.columns {
		if a.columns[i].comp.typ == t {
			return i
		}
	}
	return -1
}

// has reports whether c is one of the components of a.
func (a *archetypeLayout) has(c *component) bool { return a.findColumn(c.key) >= 0 }

// components returns the components of a in stored order, in a new slice.
func (a *archetypeLayout) components() []*component {
	set := make([]*component, len(a.columns))
	for i := range a.columns {
		set[i] = a.columns[i].comp
	}
	return set
}

// String returns the component types in braces.
func (a *archetypeLayout) String() string { return setString(a.components()) }

func setString(set []*component) string {
	names := make([]string, len(set))
	for i, c := range set {
		names[i] = c.typ.String()
	}
	return "{" + strings.Join(names, ", ") + "}"
}

// compatible reports whether a chunk of a can become a chunk of b without copying rows. a
// and b must have the same capacity, and the same columns with lanes.
func (a *archetypeLayout) compatible(b *archetypeLayout) bool {
	if a.capacity != b.capacity || a.bufferCount != b.bufferCount {
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

// cachedMove returns the cached move that adds or removes c, or nil if no entity has made that change
// yet.
func cachedMove(list []edge, c *component) *archetypeMove {
	for i := range list {
		if list[i].comp == c {
			return list[i].move
		}
	}
	return nil
}

// noteChange records in the summary that something in a changed.
func (a *archetype) noteChange(version uint32) { a.changeSummary.raise(a.index&63, version) }

// raiseNewestVersion raises the newest version of a column. Filters rely on this version: if it is not
// after a version v, no chunk's column was written after v, except in chunks to which rows were added
// after v. Two jobs can write the column with different versions at the same time only through look-ups.
// Then the newer version remains. If a stored version seems to be ahead by 1<<30 or more, it is in fact
// very old, because the counter has wrapped around. Then raiseNewestVersion replaces it.
func (a *archetype) raiseNewestVersion(column int, version uint32) {
	at := &a.newestVersions[column]
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

// unchangedSince reports whether a is unchanged since the given version, that is, whether no listed
// column was written and no row was added or removed. If it is unchanged, no chunk of a passes a
// filter by change.
func (a *archetype) unchangedSince(columns []int, since uint32) bool {
	if changedSince(a.orderVersion, since) {
		return false
	}
	for _, i := range columns {
		if changedSince(loadVersion(&a.newestVersions[i]), since) {
			return false
		}
	}
	return true
}

// spanChunks is the number of chunks in a span; the last span of an archetype may have fewer. A
// capture copies a whole span when one of its chunks was written, so a smaller span copies less.
const spanChunks = 16

// spanCount returns the number of spans that n chunks have.
func spanCount(n int) int { return (n + spanChunks - 1) / spanChunks }

// chunksOfSpan returns the part of a list of all chunks that belongs to one span.
func chunksOfSpan[T any](chunks []T, span int) []T {
	return chunks[span*spanChunks : min((span+1)*spanChunks, len(chunks))]
}

// versionTable stores the column versions of all chunks of an archetype. The versions of the chunks
// of one span are next to each other, in the order of the chunks. So comparing a world with an
// image reads only a few cache lines, and none of the chunks. A chunk uses this table from
// [archetype.placeVersions] until it leaves the archetype: the field versions of its chunkData is a
// part of the table.
type versionTable struct {
	spans      [][]uint32
	spareSpans [][]uint32 // memory for the next table, used when the chunks are reordered
}

// placeVersions moves the versions of a chunk into the table, at the chunk's index in the list. The
// values of the versions stay the same.
func (a *archetype) placeVersions(r *chunkData) {
	own := a.versionsAt(r.archetypeIndex)
	copy(own, r.versions)
	r.versions = own
}

// nextVersions returns the part of the table for the next chunk of a.
func (a *archetype) nextVersions() []uint32 { return a.versionsAt(len(a.chunks)) }

// versionsAt returns the part of the table for the chunk at the given index, and extends the table
// if necessary. If no chunk was at this index before, the values are zero.
func (a *archetype) versionsAt(index int) []uint32 {
	span, end, n := uint(index)/spanChunks, (uint(index)%spanChunks+1)*uint(len(a.columns)), uint(len(a.columns))
	if t := &a.versionTable; span >= uint(len(t.spans)) || uint(len(t.spans[span])) < end {
		a.growVersionTable(index)
	}
	return a.versionTable.spans[span][end-n : end : end]
}

// growVersionTable extends the table for the chunk at the given index, which must be the last one.
func (a *archetype) growVersionTable(index int) {
	t, n := &a.versionTable, len(a.columns)
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

// resetVersions starts a second table, because the order of the chunks is about to change. Each
// chunk keeps its versions in the first table until placeVersions moves them.
func (a *archetype) resetVersions() {
	a.versionTable.spans, a.versionTable.spareSpans = a.versionTable.spareSpans, a.versionTable.spans
}

// versionsOfSpan returns the versions of all columns of all chunks of a span.
func (a *archetype) versionsOfSpan(span int) []uint32 {
	return a.versionTable.spans[span][:len(chunksOfSpan(a.chunks, span))*len(a.columns)]
}

// archetypeSet is a set of archetypes of one world, with one bit for each archetype index. The
// slice is just long enough for the highest index in the set.
type archetypeSet []uint64

// add puts the archetype with the given index into the set.
func (s *archetypeSet) add(index int) {
	for len(*s) <= index>>6 {
		*s = append(*s, 0)
	}
	(*s)[index>>6] |= 1 << (index & 63)
}

// checkArchetype checks the handle as resolveArchetype does, but changes nothing. Commands need such
// a check, because recording must not change the world.
func (t *tables) checkArchetype(op string, a Archetype) (*archetype, error) {
	switch {
	case a.arch == nil:
		return nil, t.gate.fault(ErrArgument, op, "the archetype is the zero Archetype: make it with World.Archetype")
	case a.arch.world != t.archetypeWorld:
		return nil, t.gate.fault(ErrArgument, op, "the archetype %v belongs to world %q: make it with this world's Archetype", a, a.arch.world.gate.name)
	case a.arch.isMeta:
		return nil, t.gate.fault(ErrArgument, op, "the archetype %v is that of meta entities, which only the world makes", a)
	}
	return a.arch, nil
}

// archetypesOf returns the set of archetypes that contain c.
func (t *tables) archetypesOf(c *component) archetypeSet {
	if c.index < len(t.archetypesByComponent) {
		return t.archetypesByComponent[c.index]
	}
	return nil
}

// restoreMemo holds the state that a world keeps between calls of Restore.
type restoreMemo struct {
	versionShift       uint32                // difference between the versions of the restored image and those of the world
	unlistedArchetypes map[string]*archetype // archetypes that Restore took out of the order, by their keys in archetypeBySet
	delistCount        uint32                // counts how often Restore took archetypes out of the order
	scratch            any                   // scratch memory of Restore
}

// unlistedIndex is the index of an archetype that Restore removed from the list of archetypes,
// so that no list contains it.
const unlistedIndex = math.MaxInt32

// truncate removes all archetypes from index first on.
func (s *archetypeSet) truncate(first int) {
	if word := first >> 6; word < len(*s) {
		(*s)[word] &= 1<<(first&63) - 1
		*s = (*s)[:word+1]
	}
	for n := len(*s); n > 0 && (*s)[n-1] == 0; n-- {
		*s = (*s)[:n-1]
	}
}
