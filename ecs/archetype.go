package ecs

import (
	"math"
	"reflect"
	"strings"
	"sync/atomic"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

// Archetype is a set of component types of one world. The same set is the same
// Archetype, whatever the order it was asked for in. The zero Archetype belongs
// to no world.
type Archetype struct{ a *archetype }

// Capacity returns how many rows fit in a chunk.
func (a Archetype) Capacity() int { return a.of("Archetype.Capacity").capacity }

// Len returns how many entities have exactly these components. It panics with an *Error after Close.
func (a Archetype) Len() int { return a.available("Archetype.Len").rows }

// ChunkCount returns how many chunks they are in. It panics as Len does.
func (a Archetype) ChunkCount() int { return len(a.available("Archetype.ChunkCount").chunks) }

// Types returns the component types in the order in which they are stored.
func (a Archetype) Types() []reflect.Type {
	columns := a.of("Archetype.Types").columns
	types := make([]reflect.Type, len(columns))
	for i := range types {
		types[i] = columns[i].comp.typ
	}
	return types
}

// of returns the archetype behind the handle; it panics if there is none.
func (a Archetype) of(op string) *archetype {
	if a.a == nil {
		panic(fault(ErrArgument, op, "the archetype is the zero Archetype: make it with World.Archetype"))
	}
	return a.a
}

// available returns the archetype behind the handle; it panics while a transaction has
// the chunks, unless one of its jobs asks, and after Close, which has freed the rows.
func (a Archetype) available(op string) *archetype {
	own := a.of(op)
	if own.world.gate.elsewhere() || !own.world.gate.alive && own.world.gate.lent == nil {
		panic(own.world.gate.unavailable(op))
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

// archetype is what a world knows of a set of components: what that is made of, the chunks of the
// entities that have it, the ways to other sets, and when something came, went or was written.
type archetype struct {
	world *World     // the one that a program has made: see tables.original
	index int        // in the world, in order of creation
	meta  *archetype // of the meta entities of its chunks
	composition
	rows   int
	chunks []*record
	groups groups
	ways
	history
	table versionTable // of the chunks
}

// composition is what an archetype is made of. It stays as it is made.
type composition struct {
	columns       []column
	keys          []key      // of the columns, for searching
	copy          table.Copy // of the lanes of all columns, from a chunk to another
	plain         bool       // the columns are lanes and nothing else
	shape         *table.Shape
	capacity      int
	switches      int      // enableable columns: a new query asks for no more than this
	spills        int      // buffer columns
	shared        int      // shared columns
	managed       int      // managed columns
	stores        []*store // of the shared columns
	headers       int      // slices that views of all columns take, once they were shown
	kinds         kind     // of all columns
	isMeta        bool     // of meta entities
	awaitsCleanup bool     // of destroyed entities that wait for their cleanup
	refs          bool     // some column holds entity ids
}

// ways is where entities of an archetype have gone.
type ways struct {
	adds      []edge
	removes   []edge
	moves     []*move // all of them
	toCleanup *move   // what Destroy does to entities with cleanup components
}

// history is when the rows of an archetype came, went and were written, and how often.
type history struct {
	orders    uint32   // how often rows came, went or were relabelled, in batches
	order     uint32   // global version at the last of these times
	crossings uint32   // rows that came from other worlds or went there
	counting  counting // the queries that ask WithShared for some of its groups

	summary *changeSummary // when this and others changed

	// newest is, for each column, no older than the version of any chunk whose
	// rows have not come since. The owner and jobs that write the column raise it, atomically;
	// filters read it: those of the owner once the jobs are done, those of jobs that the
	// tracker orders behind the writers.
	newest []uint32
}

// counting is what wants to know of groups that end.
type counting interface{ ended(g *group) }

// column is one component of an archetype.
type column struct {
	comp    *component
	lanes   []table.Lane
	rowPath     // how single rows are read and written
	spill   int // which of the record's spills it has, if it is a buffer
	shared  int // which of the group's values it has, if it is shared
	object  int // which of the record's objects it has, if it is managed
	bit     int // which of the record's switches it has, if it is enableable
}

// edge leads to the archetype with one component more, or one less.
type edge struct {
	comp *component
	move *move
}

// find returns the column of a component, or -1.
func (a *composition) find(k key) int {
	for i, own := range a.keys {
		if own == k {
			return i
		}
	}
	return -1
}

// findType returns the column of the component of type t, or -1.
func (a *composition) findType(t reflect.Type) int {
	for i := range a.columns {
		if a.columns[i].comp.typ == t {
			return i
		}
	}
	return -1
}

// has reports whether the component is in a.
func (a *composition) has(c *component) bool { return a.find(c.key) >= 0 }

// components returns the components of a, in order, in a slice of their own.
func (a *composition) components() []*component {
	set := make([]*component, len(a.columns))
	for i := range a.columns {
		set[i] = a.columns[i].comp
	}
	return set
}

// String lists the component types.
func (a *composition) String() string { return setString(a.components()) }

func setString(set []*component) string {
	names := make([]string, len(set))
	for i, c := range set {
		names[i] = c.typ.String()
	}
	return "{" + strings.Join(names, ", ") + "}"
}

// compatible reports whether a chunk of a can become one of b in place: equal
// capacity and equal columns that store something.
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

// edgeTo returns the way to the archetype with c more or less, or nil if no change has
// gone there yet.
func edgeTo(list []edge, c *component) *move {
	for i := range list {
		if list[i].comp == c {
			return list[i].move
		}
	}
	return nil
}

// noteChange notes that something in a changed.
func (a *archetype) noteChange(version uint32) { a.summary.note(a.index&63, version) }

// mark notes the same for the archetype: a column that was not marked since some
// version has no chunk that was, except for those whose rows came since. Jobs on one
// column can be of several versions at a time only through look-ups; the newest
// stays. One that is ahead by more than jobs can be is not new, but very old.
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

// still reports whether no column of a that is listed was marked, and no row of
// it came or went, since the given version: no chunk of it can pass a filter.
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

// spanChunks is how many chunks a span has, except for the last one of an archetype: the fewer, the less is
// taken again for one that was written.
const spanChunks = 16

// spansOf returns how many spans n chunks have.
func spansOf(n int) int { return (n + spanChunks - 1) / spanChunks }

// spanAt returns what is a span of some list of all chunks.
func spanAt[T any](chunks []T, span int) []T {
	return chunks[span*spanChunks : min((span+1)*spanChunks, len(chunks))]
}

// versionTable is the versions of the columns of all chunks of an archetype: those of the chunks of a span (spanChunks of them) lie
// beside each other, in their order, so that an image is compared with what lies in few lines of a cache, and with no chunk. What
// a chunk knows of them, record.versions, is its part of the table, from [archetype.placeVersions] until it leaves the archetype.
type versionTable struct {
	spans [][]uint32
	spare [][]uint32 // memory for the next table, when chunks are put into another order
}

// placeVersions gives a chunk that is in the list of a the versions at its place, which are made those that it had.
func (a *archetype) placeVersions(r *record) {
	own := a.versionsAt(r.index)
	copy(own, r.versions)
	r.versions = own
}

// nextVersions is where the next chunk of a has its versions.
func (a *archetype) nextVersions() []uint32 { return a.versionsAt(len(a.chunks)) }

// versionsAt is where a chunk of a that is at a place, or will be, has its versions. They are those of no chunk yet if no chunk was there.
func (a *archetype) versionsAt(index int) []uint32 {
	span, end, n := uint(index)/spanChunks, (uint(index)%spanChunks+1)*uint(len(a.columns)), uint(len(a.columns))
	if t := &a.table; span >= uint(len(t.spans)) || uint(len(t.spans[span])) < end {
		a.growTable(index)
	}
	return a.table.spans[span][end-n : end : end]
}

// growTable makes room in the table of versions for the chunk at a place, which is the last one.
func (a *archetype) growTable(index int) {
	t, n := &a.table, len(a.columns)
	span, at := index/spanChunks, index%spanChunks
	switch {
	case span > 0 && span == len(t.spans):
		t.spans = append(t.spans, make([]uint32, spanChunks*n))
	case span == len(t.spans):
		t.spans = append(t.spans, make([]uint32, n)) // many archetypes have one chunk only
	default:
		t.spans[span] = make([]uint32, min(4*at, spanChunks)*n)
		for _, before := range a.chunks[span*spanChunks : index] {
			a.placeVersions(before)
		}
	}
}

// resetVersions begins another table, in which all chunks are placed anew. Until then they have their versions in the one of before.
func (a *archetype) resetVersions() { a.table.spans, a.table.spare = a.table.spare, a.table.spans }

// versionsOf returns the versions of the columns of the chunks of a span.
func (a *archetype) versionsOf(span int) []uint32 {
	return a.table.spans[span][:len(spanAt(a.chunks, span))*len(a.columns)]
}

// archetypeSet is a set of archetypes of one world, one bit each, by their index. It
// ends with the word of the last one that was added.
type archetypeSet []uint64

// add puts the archetype of an index into the set.
func (s *archetypeSet) add(index int) {
	for len(*s) <= index>>6 {
		*s = append(*s, 0)
	}
	(*s)[index>>6] |= 1 << (index & 63)
}

// archetypeKnown is archetypeIn for commands, which change nothing before they are played.
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

// archetypesOf returns the archetypes that have a component.
func (t *tables) archetypesOf(c *component) archetypeSet {
	if c.index < len(t.having) {
		return t.having[c.index]
	}
	return nil
}

// returns is what a world keeps for Restore.
type returns struct {
	shift     uint32                // from versions of the last image to those of the world
	unlisted  map[string]*archetype // those that have left the order, by their keys in bySet
	reordered uint32                // how often archetypes have left it
	scratch   any                   // of Restore
}

// unlisted is the index of an archetype that has left the order: no list has it.
const unlisted = math.MaxInt32

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
