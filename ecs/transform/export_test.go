package transform

import (
	"fmt"
	"math"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform/internal/trees"
	"github.com/lanewise/lanewise/kernels"
)

// This file gives the tests of package transform_test access to private state.
const (
	FewNodes  = maxSerialNodes
	Wide      = parallelLevelRows
	ManyBytes = streamingBytes
)

// PlanFault compares the plan of a world, which was changed step by step, with a new one. It
// returns the first difference, or "".
func PlanFault[T kernels.Float](w *ecs.World) string {
	s := system.Find[HierarchyOf[T]](w)
	if s.planQueries.roots.EmptyUnfiltered() && s.planQueries.nodes.EmptyUnfiltered() {
		return "" // the system has not run
	}
	p, anew := &s.plan, &trees.Forest{}
	ids := map[int]bool{}
	for c := range s.planQueries.roots.Chunks() {
		ids[c.ID()] = true
		anew.Put(trees.Rows{ID: c.ID(), Capacity: c.Archetype().Capacity(), Roots: true, Entities: c.Entities()})
	}
	for c := range s.planQueries.nodes.Chunks() {
		from, divided := s.classify(c.Archetype())
		ids[c.ID()] = true
		anew.Put(trees.Rows{ID: c.ID(), Capacity: c.Archetype().Capacity(), Source: from, Divided: divided,
			Entities: c.Entities(), Parents: *ecs.Column[PreviousParent](c)})
	}
	anew.End()
	for id := range ids {
		if got, want := describeChunk(&p.Forest, id), describeChunk(anew, id); !slices.Equal(got, want) {
			return fmt.Sprintf("chunk %d:\n%v, made anew\n%v", id, got, want)
		}
	}
	if p.Rows(true) != anew.Rows(true) || p.Rows(false) != anew.Rows(false) || p.Divided != anew.Divided {
		return fmt.Sprintf("%d roots, %d nodes, %d divided chunks; made anew %d, %d, %d",
			p.Rows(true), p.Rows(false), p.Divided, anew.Rows(true), anew.Rows(false), anew.Divided)
	}
	return ""
}

// describeChunk describes a chunk of a forest without the forest's internal numbers. The description
// contains the chunk's rows, source and flags, and for each segment its rows, level, flags, and the
// chunks and rows of the parents.
func describeChunk(f *trees.Forest, id int) []int32 {
	is := func(b bool) int32 {
		if b {
			return 1
		}
		return 0
	}
	h := f.Chunk(id)
	c := &f.Chunks[h]
	list := []int32{c.Rows, int32(c.Source), is(c.Roots), is(c.Divided), is(c.ShortSegments)}
	size := int32(f.Place(1, 0))
	for _, s := range c.Segments {
		list = append(list, s.Lo, s.Hi, s.Level, is(s.ParentChunk == trees.Spread), is(s.HasChildren))
		for row := s.Lo; row < s.Hi; row++ {
			up := f.ParentPlace[f.Place(h, int(row))]
			list = append(list, f.Chunks[up/size].ID, up%size)
		}
	}
	return list
}

// PlanState is the state of a plan after an update.
type PlanState struct {
	Jobs         bool // the update had jobs
	Steps        int  // number of nodes that an update without jobs looked at
	Work         trees.Work
	Chunks       int
	Ended        int // number of ended chunks
	Kept         int // number of chunks whose columns the plan has
	KeptOfEnded  int
	StagesOfTree bool // a stage has blocks of trees
}

// PlanOf returns the state of the plan of a world.
func PlanOf[T kernels.Float](w *ecs.World) PlanState {
	p := &system.Find[HierarchyOf[T]](w).plan
	s := PlanState{Jobs: p.outcomeUnknown, Steps: len(p.serialSteps), Work: p.Work, Chunks: len(p.chunks)}
	for h, n := range p.chunks {
		ended := p.Chunks[h].ID == trees.None
		if ended {
			s.Ended++
		}
		if p.worldMatrices[h].M != nil || n.worldMatrices != nil || n.localMatrices != nil || n.localTransforms.X != nil || n.postMatrices != nil {
			s.Kept++
			if ended {
				s.KeptOfEnded++
			}
		}
	}
	for _, st := range p.stages {
		for at := st.blockBounds[0]; at < st.blockBounds[len(st.blockBounds)-1]; at++ {
			s.StagesOfTree = s.StagesOfTree || len(st.blockBounds) > 2 && p.segments[at].Level != p.segments[st.blockBounds[0]].Level
		}
	}
	return s
}

// StagesFault checks two invariants: every row is in one segment, and the matrix of its parent is
// complete before the row is computed, in whatever order workers run the blocks. It returns the
// first fault, or "".
func StagesFault[T kernels.Float](w *ecs.World) string {
	p := &system.Find[HierarchyOf[T]](w).plan
	type turn struct{ stage, block, segment int }
	turns := make(map[int]turn)
	for i, st := range p.stages {
		for block := range len(st.blockBounds) - 1 {
			for at := st.blockBounds[block]; at < st.blockBounds[block+1]; at++ {
				s, now := &p.segments[at], turn{i, block, int(at)}
				for place := range p.placesOf(s) {
					if _, twice := turns[place]; twice {
						return fmt.Sprintf("place %d is in two segments", place)
					}
					turns[place] = now
					up := int(p.ParentPlace[place])
					if s.Level == 1 {
						continue
					}
					if is, ok := turns[up]; !ok || is.stage == i && (is.block != block || is.segment == now.segment) {
						return fmt.Sprintf("place %d, done at %v, needs place %d, done at %v", place, now, up, is)
					}
				}
			}
		}
	}
	if len(turns) != p.Rows(false) {
		return fmt.Sprintf("%d rows are in segments, of %d", len(turns), p.Rows(false))
	}
	return ""
}

// StayingCount returns the number of roots that stay at their places after they have lost their
// parents.
func StayingCount[T kernels.Float](w *ecs.World) int { return len(stayingRootsOf[T](w).list) }

// IsGiven reports whether [ComputeLocalToWorld] uses the matrix of an entity as it is.
func IsGiven[T kernels.Float](w *ecs.World, e ecs.Entity) bool {
	_, given, _ := ownMatrix[T](&entityReader{world: w, entity: e})
	return given
}

// StreamFrom makes both systems of roots write past the caches from the given number of rows on.
func StreamFrom[T kernels.Float](w *ecs.World, least int64) {
	system.GetOrCreate[TRSToLocalToWorldOf[T]](w).streaming.minRows = least
	system.GetOrCreate[LocalTransformToWorldOf[T]](w).streaming.minRows = least
}

// Streams reports whether TRSToLocalToWorldOf and LocalTransformToWorldOf have written past the caches
// in the last update.
func Streams[T kernels.Float](w *ecs.World) [2]bool {
	return [2]bool{
		system.GetOrCreate[TRSToLocalToWorldOf[T]](w).streaming.enabled,
		system.GetOrCreate[LocalTransformToWorldOf[T]](w).streaming.enabled,
	}
}

// RotationMatrix returns the matrix of a unit quaternion.
func RotationMatrix[T kernels.Float](x, y, z, w T) [16]T { return rotationMatrix(x, y, z, w) }

// SameBits reports whether two matrices are equal bit for bit; two NaN are equal.
func SameBits[T kernels.Float](a, b [16]T) bool {
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		if math.Float64bits(x) != math.Float64bits(y) && (x == x || y == y) {
			return false
		}
	}
	return true
}
