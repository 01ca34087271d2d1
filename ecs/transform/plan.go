package transform

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform/internal/trees"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// plan holds the order in which the matrices of all trees are computed, and the state of the
// computation. The forest contains the level of each row, and the place of each parent. The
// forest is changed only for trees that have changed. In the first update with jobs after a
// change, the stages are built again from the forest.
//
//	level 0     roots
//	level 1     segment, segment, …   world = the parent's × local
//	level 2     segment, …
//
// If the parents of a segment are all in one chunk, their matrices are read from that chunk, and
// otherwise from copies. In both cases, the matrix of a parent is complete before a row is computed
// from it, and the matrix of the row has the same bits for any number of workers. Stages run one
// after the other. A stage is one level with many rows, or several levels in blocks that do not
// wait for each other.
type plan[T kernels.Float] struct {
	trees.Forest
	lastVersion    uint32      // version of the last update with jobs
	copiesInvalid  bool        // the last update failed or the world was restored, so the next update with jobs makes all copies of matrices again
	rowsUnknown    bool        // the last update failed, so it is unknown which rows it has computed, and the next update runs jobs
	outcomeUnknown bool        // it is not known yet whether the last update has failed
	anyChanged     atomic.Bool // something has changed: the jobs that inspect chunks set it, the jobs that compute matrices run later and read it, and the owner resets it between updates

	matrixCopies  kernels.Mat4s[T]   // copies of matrices of parents
	placeChanged  []byte             // for each place, 1 if the matrix has changed in this update
	chunks        []*nodeChunk[T]    // for each chunk of the forest
	worldMatrices []kernels.Mat4s[T] // for each chunk, its matrices

	stagesEdition uint32          // 1 + the edition of the forest from which the stages were made
	segments      []trees.Segment // sorted by stage, block and level
	stages        []stage[T]
	blockBounds   []int32 // ends of the blocks of all stages

	// The next fields are memory that makeStages reuses.
	unsorted    []trees.Segment
	levelCounts []int32 // for each level, the number of segments
	placeBlocks []int32 // for each place

	serialSteps []trees.Step // memory that computeSerially reuses
}

// nodeChunk holds the data of a chunk of nodes during an update.
type nodeChunk[T kernels.Float] struct {
	worldMatrices    [][16]T
	source           matrixSource
	localMatrices    [][16]T            // LocalToParent of the rows
	localTransforms  LocalTransforms[T] // LocalTransform of the rows, if the matrices are composed from it
	postMatrices     [][16]T
	localChanged     bool // local matrices have changed
	worldWritten     bool // another system has written the matrices in world
	copiesInvalid    bool // the copies of the matrices must be made again even if the matrices have not changed
	rowsArrived      bool // rows have arrived
	divided          bool // only the rows in computedRows have the source; the source of the others is fromOtherSystems
	computedRows     rowSet
	lastComputedRows rowSet      // computedRows of the last update
	blockWrote       atomic.Bool // a block has written to the chunk: the job that inspects the chunk resets it, stages set it, and the last job reads it
	holdsLocal       bool        // world holds the local matrices of all rows, which must still be multiplied
}

// matrixSource is the component from which the matrices of a chunk of nodes are computed.
type matrixSource uint8

const (
	fromOtherSystems matrixSource = iota // other systems compute the matrices
	fromLocalToParent
	fromLocalTransform
)

// CycleError reports entities that are each other's ancestors. No matrices are computed for them
// and for the entities below them. A CycleError wraps [ecs.ErrState].
type CycleError struct {
	Entities []ecs.Entity // each entity is the child of the next, and the last is the child of the first
}

// Error returns the cycle as text.
func (e *CycleError) Error() string {
	var b strings.Builder
	b.WriteString("transform: parents in a circle, whose matrices are not computed: ")
	for i, n := range e.Entities {
		if i == 8 {
			fmt.Fprintf(&b, "%d more → ", len(e.Entities)-i)
			break
		}
		fmt.Fprintf(&b, "%v → ", n)
	}
	fmt.Fprintf(&b, "%v; give one of them another Parent", e.Entities[0])
	return b.String()
}

// Unwrap returns [ecs.ErrState].
func (e *CycleError) Unwrap() error { return ecs.ErrState }

// begin prepares an update that runs as jobs. The jobs of the last update must have finished.
func (p *plan[T]) begin(since uint32, workers int) {
	p.lastVersion, p.outcomeUnknown = since, true
	p.anyChanged.Store(false)
	if p.stagesEdition != p.Edition+1 {
		p.makeStages(workers)
		p.stagesEdition = p.Edition + 1
	}
	p.placeChanged = resizeDiscarding(p.placeChanged, p.Places())
	clear(p.placeChanged)
	p.matrixCopies.M = resizeKeeping(p.matrixCopies.M, p.Copies())
	p.growChunks()
}

// growChunks allocates the state of each chunk.
func (p *plan[T]) growChunks() {
	p.worldMatrices = resizeKeeping(p.worldMatrices, len(p.Chunks))
	if n := len(p.Chunks) - len(p.chunks); n > 0 {
		more := make([]nodeChunk[T], n)
		for i := range more {
			p.chunks = append(p.chunks, &more[i])
		}
	}
}

// checkLastUpdate finds out whether the last update with jobs has failed. The parameter since is the
// version of the last successful update. If since has not changed, the last update has failed, and may
// not have computed all places.
func (p *plan[T]) checkLastUpdate(since uint32) {
	if !p.outcomeUnknown {
		return
	}
	failed := since == p.lastVersion
	p.outcomeUnknown, p.copiesInvalid, p.rowsUnknown = false, failed, failed
	if !failed {
		p.MarkComputed()
		p.MarkCopiesCurrent()
	}
}

// dropEndedColumns removes the columns of chunks that were freed, because a slice of a column would keep
// the chunk's memory alive.
func (p *plan[T]) dropEndedColumns() {
	for h, n := range p.chunks {
		if p.Chunks[h].ID == trees.None {
			n.worldMatrices, n.localMatrices, n.localTransforms, n.postMatrices = nil, nil, LocalTransforms[T]{}, nil
			p.worldMatrices[h] = kernels.Mat4s[T]{}
		}
	}
}

// dropAllColumns removes the columns of all chunks, because the system has stopped and may never run again. The next
// update with jobs inspects every chunk again.
func (p *plan[T]) dropAllColumns() {
	for _, n := range p.chunks {
		n.worldMatrices, n.localMatrices, n.localTransforms, n.postMatrices = nil, nil, LocalTransforms[T]{}, nil
	}
	clear(p.worldMatrices)
}

// joinCycles converts the cycles to an error.
func joinCycles(found [][]ecs.Entity) error {
	var errs []error
	for _, c := range found {
		errs = append(errs, &CycleError{Entities: c})
	}
	return errors.Join(errs...)
}

// resizeDiscarding returns s with length n. The elements of s may be lost.
func resizeDiscarding[E any](s []E, n int) []E {
	if n > cap(s) {
		return make([]E, n, n+n/2)
	}
	return s[:n]
}

// resizeKeeping returns s with length n. It preserves the elements of s.
func resizeKeeping[E any](s []E, n int) []E {
	if n <= cap(s) {
		return s[:n]
	}
	t := make([]E, n, n+n/2)
	copy(t, s)
	return t
}

// rowSet is a set of rows of a chunk, as bits.
type rowSet [(maxMatrixRows + 63) / 64]uint64

// add adds a row to the set.
func (s *rowSet) add(row int) { s[row>>6] |= 1 << (row & 63) }

// has reports whether a row is in the set.
func (s *rowSet) has(row int) bool { return s[row>>6]>>(row&63)&1 != 0 }

// RunRange computes the blocks [lo, hi) of the stage.
func (s *stage[T]) RunRange(_ *jobs.Task, lo, hi int) {
	p := s.plan
	if !p.anyChanged.Load() && !p.copiesInvalid {
		return
	}
	segments := p.segments[s.blockBounds[lo]:s.blockBounds[hi]]
	for i := range segments {
		p.computeSegment(&segments[i])
	}
}

// computeSegment computes the rows of one segment whose matrices may have changed.
func (p *plan[T]) computeSegment(s *trees.Segment) {
	n := p.chunks[s.Chunk]
	switch {
	case n.source == fromOtherSystems:
		p.passUnchangedRows(n, s, s.Lo, s.Hi)
	case !n.divided:
		p.computeChanged(n, s, s.Lo, s.Hi)
	default:
		for lo := s.Lo; lo < s.Hi; {
			own, hi := n.computedRows.has(int(lo)), lo+1
			for hi < s.Hi && n.computedRows.has(int(hi)) == own {
				hi++
			}
			if own {
				p.computeChanged(n, s, lo, hi)
			} else {
				p.passUnchangedRows(n, s, lo, hi)
			}
			lo = hi
		}
	}
}

// computeChanged computes those rows of [lo, end) of the segment whose matrices may have changed.
// The segment must not contain given or claimed rows.
func (p *plan[T]) computeChanged(n *nodeChunk[T], s *trees.Segment, lo, end int32) {
	if n.localChanged {
		p.computeRows(n, s, lo, end)
		return
	}
	if !n.rowsArrived && p.parentsUnchanged(s) { // change versions do not cover the time during which an entity was not in the plan
		p.passUnchangedRows(n, s, lo, end)
		return
	}
	first := p.Place(s.Chunk, 0)
	up, arrived := p.ParentPlace[first:][:end], p.Arrived[first:][:end]
	for lo < end {
		changed, hi := arrived[lo] || p.placeChanged[up[lo]] != 0, lo+1
		for hi < end && (arrived[hi] || p.placeChanged[up[hi]] != 0) == changed {
			hi++
		}
		if changed {
			p.computeRows(n, s, lo, hi)
		} else {
			p.passUnchangedRows(n, s, lo, hi)
		}
		lo = hi
	}
}

// parentsUnchanged reports whether no parent of the segment has changed. It may return false although
// no parent has changed, because it checks a range of places that may contain other rows.
func (p *plan[T]) parentsUnchanged(s *trees.Segment) bool {
	return s.MaxParent-s.MinParent < 4*(s.Hi-s.Lo) && bytes.IndexByte(p.placeChanged[s.MinParent:s.MaxParent+1], 1) < 0
}

// computeRows computes the matrices of the segment's rows [lo, hi).
func (p *plan[T]) computeRows(n *nodeChunk[T], s *trees.Segment, lo, hi int32) {
	world := kernels.Mat4s[T]{M: n.worldMatrices[lo:hi]}
	local := world // composed in place
	if n.source == fromLocalToParent {
		local.M = n.localMatrices[lo:hi]
	} else if !n.holdsLocal {
		n.composeLocal(&local, int(lo), int(hi))
	}
	from := p.MatrixPlace[p.Place(s.Chunk, int(lo)):][:hi-lo]
	if s.ParentChunk == trees.Spread {
		world.MulAffineByParent(&p.matrixCopies, from, &local)
	} else {
		world.MulAffineByParent(&p.worldMatrices[s.ParentChunk], from, &local)
	}
	if !n.blockWrote.Load() {
		n.blockWrote.Store(true)
	}
	p.passToChildren(n, s, lo, hi, 1)
}

// composeLocal sets m to the local matrices of the chunk's rows [lo, hi).
func (n *nodeChunk[T]) composeLocal(m *kernels.Mat4s[T], lo, hi int) {
	trs := n.localTransforms.Slice(lo, hi)
	trs.composeTo(m, n.postColumn(lo, hi))
}

// postColumnOf returns the PostTransformMatrix of the rows [lo, hi), or nil.
func (n *nodeChunk[T]) postColumn(lo, hi int) *kernels.Mat4s[T] {
	if n.postMatrices == nil {
		return nil
	}
	return &kernels.Mat4s[T]{M: n.postMatrices[lo:hi]}
}

// passUnchangedRows copies the unchanged matrices of the segment's rows [lo, hi) for their
// children.
func (p *plan[T]) passUnchangedRows(n *nodeChunk[T], s *trees.Segment, lo, hi int32) {
	switch {
	case n.worldWritten:
		p.passToChildren(n, s, lo, hi, 1)
	case n.copiesInvalid:
		p.passToChildren(n, s, lo, hi, 0)
	}
}

// passToChildren copies the matrices of the segment's rows [lo, hi) to matrixCopies, from which
// children in other chunks read them. passToChildren also records whether the matrices have changed.
func (p *plan[T]) passToChildren(n *nodeChunk[T], s *trees.Segment, lo, hi int32, changed byte) {
	if !s.HasChildren {
		return
	}
	first := p.Place(s.Chunk, int(lo))
	fillBytes(p.placeChanged[first:first+int(hi-lo)], changed)
	if slot := p.Chunks[s.Chunk].CopySlot; slot >= 0 {
		copy(p.matrixCopies.M[p.CopiesAt(slot, int(lo)):], n.worldMatrices[lo:hi])
	}
}

// fillBytes sets all bytes of b to v, which must be 0 or 1.
func fillBytes(b []byte, v byte) {
	if v == 0 {
		clear(b)
		return
	}
	for len(b) > 0 {
		b = b[copy(b, onesBlock):]
	}
}

// onesBlock holds ones, which fillBytes copies, because copying is faster than a loop over bytes.
var onesBlock = bytes.Repeat([]byte{1}, 256)
