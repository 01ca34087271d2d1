// Package trees keeps the plan by which the matrices of hierarchies are computed, and updates it
// when the hierarchies change.
//
// # Concepts
//
// A node is an entity in the plan: a root, or an entity with a parent. A node has a number, which
// stays the same while the node exists. A place is the position of its row: the number of the
// chunk, shifted left, plus the row. The level of a node is its depth: a root has level 0, and its
// children have level 1. A segment is a run of rows of one chunk and one level whose parents are
// all in one chunk, or in several. A ghost is an entity that is a parent of nodes and is not in the
// plan itself; it has a number and no place.
//
// # Updates
//
// The caller calls [Forest.Put] with the rows of each chunk in which rows came, went or got another
// parent, and [Forest.Keep] and [Forest.Sweep] if chunks have ended. [Forest.End] then does three
// steps:
//
//	links    nodes that are gone leave their parents, and new ones are linked
//	levels   the levels of linked nodes and of all nodes below them are computed
//	cuts     chunks with a row that has another level or parent are cut into segments
//
// Therefore the cost of k changes is proportional to the rows of k chunks and the moved trees.
// [Work] counts it.
//
// # Invariants between End and the next Put
//
//   - at[i] is 1 + the number of the entity with index i, and nodeAt[place] is the number of a
//     row. nodes[nodeAt[p]].place == p for every row p of every chunk. So a row is found from an entity and the other way round.
//   - A node is in the list of children of its parent, if that has a number, and in no
//     other list. A ghost has children, and is rootless.
//   - A level above 0 is the level of the parent plus 1. A node is rootless if its parent is
//     rootless, if it has no parent and is no root, or if it is its own ancestor. No matrix can be computed for it.
//   - idle is the number of rootless nodes.
//   - Every row with a level above 0 is in one segment of its chunk. Up[p] is the place of
//     its parent. From[p] is where the parent's matrix is: a row of the segment's From, or of the copies if the
//     parents are in several chunks. All these chunks have copies.
package trees

import "github.com/lanewise/lanewise/ecs"

// Forest is the plan. The zero Forest has no nodes.
type Forest struct {
	Chunks  []Chunk
	Up      []int32 // by place: the parent's place, or None
	From    []int32 // by place: where the parent's matrix is
	Arrived []bool  // by place: the node is new, or has another parent or source of its matrix
	Edition uint32  // number of changes of segments
	Divided int     // number of divided chunks
	Work    Work

	shift   int     // a chunk has 1<<shift places
	at      []int32 // by entity index: 1 + the node's number
	nodes   []node
	free    []int32 // unused numbers of nodes
	nodeAt  []int32 // by place: the node's number
	handles []int32 // by ID: 1 + the chunk's number
	unused  []int32 // unused numbers of chunks
	slots   []int32 // unused slots of copies
	copies  int     // number of slots
	rows    [2]int  // number of nodes with parents, and of roots
	idle    int     // number of rootless nodes
	round   uint32  // number of the current walk, stored in visit and seen

	removed, moved, linked, dirty []int32 // numbers of nodes since the last End
	recut, stale                  []int32 // numbers of chunks
	arrivals                      []int32 // numbers of the nodes that have arrived
	settled                       []int32 // numbers of the nodes with settled set, see Restored
	all, path                     []int32 // reused by walks
	was                           []int32
	levels                        []int32
	circles                       map[ecs.Entity][]ecs.Entity
}

// None stands for the absence of a number or place.
const None = -1

// Chunk is the forest's data about a chunk of the world.
type Chunk struct {
	ID       int32 // number of the chunk in the world
	Rows     int32
	Copies   int32 // slot of the copies of its matrices, or None
	Arrivals int32 // number of rows that have arrived
	Source   uint8 // source of its matrices
	Roots    bool
	Divided  bool // only some rows have that source
	Short    bool // all rows are in segments of few rows
	Stale    bool // the copies do not equal the rows
	Segments []Segment

	cut  bool   // it is marked for cutting
	seen uint32 // round of the last Keep
}

// Segment is a run of rows of one level.
type Segment struct {
	Chunk, Lo, Hi int32
	Level         int32
	From          int32 // the chunk of all parents, or Spread
	Least, Most   int32 // smallest and largest place of the parents
	Inner         bool  // some rows have children
}

// Len returns the number of rows of the segment.
func (s *Segment) Len() int { return int(s.Hi - s.Lo) }

// Spread says that the parents are in several chunks.
const Spread = -1

// Work counts the work of updates.
type Work struct {
	Rows  int // rows that were compared with those before
	Nodes int // nodes whose level was computed
	Cut   int // rows of chunks that were cut
}

// node is an entity in the plan, or a ghost.
type node struct {
	entity, above             ecs.Entity // above is its current parent
	parent, first, next, prev int32      // numbers of nodes
	level, place              int32
	visit                     uint32 // round of the last walk
	source                    uint8
	root, linked, arrived     bool
	settled                   bool // it had a level above 0 at the last Done, even if it has none now
}

// Levels of nodes that have no depth.
const (
	rootless = -1 // below no root
	onPath   = -2
	unknown  = -3
	absent   = -4 // a ghost
)

// Place returns the place of a row.
func (f *Forest) Place(chunk int32, row int) int { return int(chunk)<<f.shift + row }

// Places returns the number of places.
func (f *Forest) Places() int { return len(f.Chunks) << f.shift }

// CopiesAt returns the index of the copy of a row.
func (f *Forest) CopiesAt(slot int32, row int) int { return int(slot)<<f.shift + row }

// Copies returns the largest number of copies.
func (f *Forest) Copies() int { return f.copies << f.shift }

// Rows returns the number of rows in all chunks, of roots or of other nodes.
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

// number gives an entity a number. Another entity with the same index loses its number.
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

// drop removes the number of a node without a place and without children.
func (f *Forest) drop(n int32) {
	x := &f.nodes[n]
	if f.at[x.entity.Index] == n+1 {
		f.at[x.entity.Index] = 0
	}
	*x = node{level: absent, place: None, parent: None, first: None}
	f.free = append(f.free, n)
}
