// Package trees holds the plan for computing the matrices of hierarchies, and updates the plan when
// the hierarchies change.
//
// # Concepts
//
// A node is an entity in the plan: a root, or an entity with a parent. A node has a number that
// stays the same while the node exists. A place says where a node's row is: the number of the
// chunk, shifted left, plus the row. The level of a node is its depth: a root has level 0, and its
// children have level 1. A segment is a run of rows of one chunk and one level. The parents of the
// rows are all in one chunk, or in several. A ghost is a parent of nodes that is not in the plan
// itself. A ghost has a number and no place.
//
// # Updates
//
// The caller calls [Forest.Put] with the rows of each chunk in which rows were added, removed or
// got another parent. If chunks were freed, it calls [Forest.Keep] and [Forest.Sweep]. [Forest.End]
// then takes three steps:
//
//	links    nodes that are gone leave their parents, and new ones are linked
//	levels   the levels of linked nodes and of all nodes below them are computed
//	cuts     chunks with a row that has another level or parent are cut into segments
//
// Therefore the cost of k changes is proportional to the number of rows in k chunks and in the
// moved trees. [Work] counts that cost.
//
// # Invariants between End and the next Put
//
//   - at[i] is 1 + the number of the entity with index i, and placeNodes[place] is the number of a
//     row. nodes[placeNodes[p]].place == p for every row p of every chunk. So a row is found from an entity and the other way round.
//   - If the parent of a node has a number, the node is in the parent's list of children. It is in no
//     other list. A ghost has children, and is rootless.
//   - A level above 0 is the level of the parent plus 1. A node is rootless if its parent is
//     rootless, if it has no parent and is no root, or if it is its own ancestor. No matrix can be computed for it.
//   - rootlessNodes contains every rootless node except for ghosts: rootlessNodes[nodes[n].rootlessIndex] == n.
//   - Every row with a level above 0 is in one segment of its chunk. ParentPlace[p] is the place of
//     its parent. MatrixPlace[p] is where the parent's matrix is: a row of the segment's ParentChunk, or of the copies if the
//     parents are in several chunks. All these chunks have copies.
package trees

import "github.com/lanewise/lanewise/ecs"

// Forest is the plan. The zero Forest has no nodes.
type Forest struct {
	Chunks      []Chunk
	ParentPlace []int32 // for each place, the place of the parent, or None
	MatrixPlace []int32 // for each place, where the parent's matrix is
	Arrived     []bool  // for each place, whether the node is new, or has another parent or another source of its matrix
	Edition     uint32  // number of times that the segments have changed
	Divided     int     // number of divided chunks
	Work        Work

	placeShift    int     // a chunk has 1<<shift places
	entityNodes   []int32 // for each entity index, 1 + the number of the node
	nodes         []node
	freeNodes     []int32 // unused numbers of nodes
	placeNodes    []int32 // for each place, the number of the node
	idChunks      []int32 // for each ID, 1 + the number of the chunk
	freeChunks    []int32 // unused numbers of chunks
	freeSlots     []int32 // unused slots for copies
	slotCount     int     // number of slots for copies
	rowCounts     [2]int  // number of nodes with parents, and of roots
	rootlessNodes []int32 // numbers of the rootless nodes, in any order
	walkRound     uint32  // number of the current walk, stored in visitRound and seenRound

	removedNodes, movedNodes, linkedNodes, dirtyNodes []int32 // numbers of the nodes that were changed since the last End
	recutChunks, staleChunks                          []int32 // numbers of chunks
	arrivedNodes                                      []int32 // numbers of the nodes that have arrived
	hadLevelNodes                                     []int32 // numbers of the nodes with hadLevel set: see Restored
	walkNodes, walkPath                               []int32 // memory that walks reuse
	oldLevels                                         []int32
	levels                                            []int32
	cycles                                            map[ecs.Entity][]ecs.Entity
}

// None means that there is no number or place.
const None = -1

// Chunk is the forest's data about a chunk of the world.
type Chunk struct {
	ID            int32 // number that identifies the chunk in the world
	Rows          int32
	CopySlot      int32 // slot for the copies of its matrices, or None
	Arrivals      int32 // number of rows that have arrived
	Source        uint8 // source of its matrices
	Roots         bool
	Divided       bool // only some rows have that source
	ShortSegments bool // all rows are in segments of few rows
	Stale         bool // the copies do not equal the rows
	Segments      []Segment

	cutPending bool   // the chunk is marked for cutting
	seenRound  uint32 // round of the last Keep
}

// Segment is a run of rows of one level.
type Segment struct {
	Chunk, Lo, Hi        int32
	Level                int32
	ParentChunk          int32 // the chunk of all parents, or Spread
	MinParent, MaxParent int32 // smallest and largest place of a parent
	HasChildren          bool  // some rows have children
}

// Len returns the number of rows of the segment.
func (s *Segment) Len() int { return int(s.Hi - s.Lo) }

// Spread says that the parents are in several chunks.
const Spread = -1

// Work counts the work of updates.
type Work struct {
	Rows  int // rows that were compared with the earlier rows
	Nodes int // nodes whose level was computed
	Cut   int // rows of chunks that were cut
}

// node is an entity in the plan, or a ghost.
type node struct {
	entity, parentEntity                         ecs.Entity // parentEntity is its current parent
	parent, firstChild, nextSibling, prevSibling int32      // numbers of nodes
	level, place                                 int32
	visitRound                                   uint32 // round of the last walk
	source                                       uint8
	rootlessIndex                                int32 // index of the node in rootlessNodes, if it is there
	root, linked, arrived                        bool
	hadLevel                                     bool // at the last MarkComputed the node had a level above 0, even if it has none now
}

// These are the levels of nodes that have no depth.
const (
	rootlessLevel = -1 // no root is above the node
	onPathLevel   = -2
	unknownLevel  = -3
	ghostLevel    = -4 // a ghost
)

// Place returns the place of a row.
func (f *Forest) Place(chunk int32, row int) int { return int(chunk)<<f.placeShift + row }

// Places returns the number of places.
func (f *Forest) Places() int { return len(f.Chunks) << f.placeShift }

// CopiesAt returns the index of the copy of a row's matrix.
func (f *Forest) CopiesAt(slot int32, row int) int { return int(slot)<<f.placeShift + row }

// Copies returns the largest number of copies that there can be.
func (f *Forest) Copies() int { return f.slotCount << f.placeShift }

// Rows returns the number of rows in all chunks, of roots or of other nodes.
func (f *Forest) Rows(roots bool) int { return f.rowCounts[rowKind(roots)] }

func rowKind(roots bool) int {
	if roots {
		return 1
	}
	return 0
}

// Chunk returns the number of a chunk, or None.
func (f *Forest) Chunk(id int) int32 {
	if id >= len(f.idChunks) {
		return None
	}
	return f.idChunks[id] - 1
}

// findNode returns the number of an entity, or None.
func (f *Forest) findNode(e ecs.Entity) int32 {
	if uint(e.Index) >= uint(len(f.entityNodes)) {
		return None
	}
	n := f.entityNodes[e.Index] - 1
	if n == None || f.nodes[n].entity != e {
		return None
	}
	return n
}

// addNode assigns a number to an entity. Another entity with the same index loses its number.
func (f *Forest) addNode(e ecs.Entity) (n int32) {
	if last := len(f.freeNodes) - 1; last >= 0 {
		n, f.freeNodes = f.freeNodes[last], f.freeNodes[:last]
	} else {
		n = int32(len(f.nodes))
		f.nodes = append(f.nodes, node{})
	}
	f.nodes[n] = node{entity: e, parent: None, firstChild: None, nextSibling: None, prevSibling: None, level: ghostLevel, place: None}
	if more := int(e.Index) + 1 - len(f.entityNodes); more > 0 {
		f.entityNodes = append(f.entityNodes, make([]int32, more)...)
	}
	f.entityNodes[e.Index] = n + 1
	return n
}

// freeNode frees the number of a node that has no place and no children.
func (f *Forest) freeNode(n int32) {
	x := &f.nodes[n]
	if f.entityNodes[x.entity.Index] == n+1 {
		f.entityNodes[x.entity.Index] = 0
	}
	*x = node{level: ghostLevel, place: None, parent: None, firstChild: None}
	f.freeNodes = append(f.freeNodes, n)
}
