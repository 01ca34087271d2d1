// Package trees keeps the plan by which the matrices of family trees are computed,
// and changes it where the trees have changed.
//
// # Words
//
// A node is an entity that is in the plan: a root, or one that says what its parent
// is. A node has a number, which stays while it is there. A place is where its row
// is: the number of the chunk here, shifted, and the row. A level says how far down a
// node is: 0 is a root, its children are 1. A segment is a run of rows of one chunk
// and one level, all of whose parents are in one chunk, or in several. What is
// not in the plan, but is said to be a parent, has a number too, and no place: a ghost.
//
// # How it changes
//
// A caller tells with [Forest.Put] what the rows of each chunk are in which some came,
// went or got another parent, and with [Forest.Keep] and [Forest.Sweep] which chunks
// are there, if some ended. [Forest.End] does the rest:
//
//	links    those that are gone leave their parents, those that came are linked
//	levels   all below those that were linked are measured anew
//	cuts     chunks of which a row has another level or parent are cut into segments
//
// So k changes cost k rows' chunks and the trees that were moved. [Work] counts that.
//
// # Invariants, between End and the next Put
//
//   - at[i] is the number of the entity with index i, plus 1, and nodeAt[place] that of a
//     row. nodes[nodeAt[p]].place == p for every row p of every chunk.
//   - A node is in the list of children of its parent, if that has a number, and in no
//     other. A ghost has children, and is rootless.
//   - A level above 0 is that of the parent, plus 1. A node is rootless if its parent is,
//     if it has none and is no root, or if it is its own ancestor.
//   - idle is how many nodes are rootless.
//   - Every row whose level is above 0 is in one segment of its chunk. Up[p] is the
//     place of its parent, From[p] where its matrix is: a row of the segment's From, or
//     of the copies if parents are in several chunks. All these chunks have copies.
package trees

import "github.com/lanewise/lanewise/ecs"

// Forest is the plan. The zero Forest has no nodes.
type Forest struct {
	Chunks  []Chunk
	Up      []int32 // by place: the parent's place, or None
	From    []int32 // by place: where the parent's matrix is
	Arrived []bool  // by place: it is new, has another parent, or another source of its matrix
	Edition uint32  // counts changes of segments
	Divided int     // chunks that are
	Work    Work

	shift   int     // places of a chunk are this power of two
	at      []int32 // by entity index: the node's number, plus 1
	nodes   []node
	free    []int32 // numbers of nodes that are none
	nodeAt  []int32 // by place: the node's number
	handles []int32 // by ID: the chunk's number, plus 1
	unused  []int32 // numbers of chunks that are none
	slots   []int32 // of copies that are free
	copies  int     // slots that there are
	rows    [2]int  // of nodes with parents, and of roots
	idle    int     // nodes that are rootless
	round   uint32  // of what is counted in visit and seen

	removed, moved, linked, dirty []int32 // numbers, since the last End
	recut, stale                  []int32 // chunks
	arrivals                      []int32 // numbers of those that have arrived
	settled                       []int32 // numbers of those of which that is known, see Restored
	all, path                     []int32 // scratch
	was                           []int32
	levels                        []int32
	circles                       map[ecs.Entity][]ecs.Entity
}

// None is no number, and no place.
const None = -1

// Chunk is what a forest knows of a chunk of the world.
type Chunk struct {
	ID       int32 // the world's number for it
	Rows     int32
	Copies   int32 // the slot of the copies of its matrices, or None
	Arrivals int32 // rows that have arrived
	Source   uint8 // where its matrices come from
	Roots    bool
	Divided  bool // the source is that of some rows
	Short    bool // all rows are in segments, of few rows each
	Stale    bool // the copies are not those of the rows
	Segments []Segment

	cut  bool   // it is to be cut
	seen uint32 // round
}

// Segment is a run of rows of one level.
type Segment struct {
	Chunk, Lo, Hi int32
	Level         int32
	From          int32 // the chunk that all parents are in, or Spread
	Least, Most   int32 // the parents' places are from the one to the other
	Inner         bool  // some have children
}

// Len returns how many rows the segment has.
func (s *Segment) Len() int { return int(s.Hi - s.Lo) }

// Spread says that parents are in several chunks.
const Spread = -1

// Work counts what was looked at.
type Work struct {
	Rows  int // compared with what they were
	Nodes int // measured
	Cut   int // rows of chunks that were cut
}

// node is an entity in the plan, or a ghost.
type node struct {
	entity, above             ecs.Entity // above is what it says is its parent
	parent, first, next, prev int32      // numbers
	level, place              int32
	visit                     uint32 // round
	source                    uint8
	root, linked, arrived     bool
	settled                   bool // had a level above 0 at the last Done, whatever it has now
}

// Levels that are none.
const (
	rootless = -1 // below no root
	onPath   = -2
	unknown  = -3
	absent   = -4 // a ghost's
)

// Place returns the place of a row.
func (f *Forest) Place(chunk int32, row int) int { return int(chunk)<<f.shift + row }

// Places returns how many places there are.
func (f *Forest) Places() int { return len(f.Chunks) << f.shift }

// CopiesAt returns where the copy of a row is.
func (f *Forest) CopiesAt(slot int32, row int) int { return int(slot)<<f.shift + row }

// Copies returns how many copies there can be.
func (f *Forest) Copies() int { return f.copies << f.shift }

// Rows returns how many rows the chunks have together, of roots or of others.
func (f *Forest) Rows(roots bool) int { return f.rows[kind(roots)] }

func kind(roots bool) int {
	if roots {
		return 1
	}
	return 0
}

// Chunk returns the number of a chunk, or None.
func (f *Forest) Chunk(id int) int32 {
	if id >= len(f.handles) {
		return None
	}
	return f.handles[id] - 1
}

// find returns the number of an entity, or None.
func (f *Forest) find(e ecs.Entity) int32 {
	if uint(e.Index) >= uint(len(f.at)) {
		return None
	}
	n := f.at[e.Index] - 1
	if n == None || f.nodes[n].entity != e {
		return None
	}
	return n
}

// number gives an entity a number. Another one of its index loses its own.
func (f *Forest) number(e ecs.Entity) (n int32) {
	if last := len(f.free) - 1; last >= 0 {
		n, f.free = f.free[last], f.free[:last]
	} else {
		n = int32(len(f.nodes))
		f.nodes = append(f.nodes, node{})
	}
	f.nodes[n] = node{entity: e, parent: None, first: None, next: None, prev: None, level: absent, place: None}
	if more := int(e.Index) + 1 - len(f.at); more > 0 {
		f.at = append(f.at, make([]int32, more)...)
	}
	f.at[e.Index] = n + 1
	return n
}

// drop takes its number from a node without place and children.
func (f *Forest) drop(n int32) {
	x := &f.nodes[n]
	if f.at[x.entity.Index] == n+1 {
		f.at[x.entity.Index] = 0
	}
	*x = node{level: absent, place: None, parent: None, first: None}
	f.free = append(f.free, n)
}
