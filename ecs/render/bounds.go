package render

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
)

// Bounds is a box in the entity's own space: its middle and half its size. One with a
// half size below 0 is empty: the entity is never drawn. One with a half size that is
// infinite is everywhere: the entity is always drawn.
//
// An entity with a [Look] and none gets those of its shape, and keeps them: what gives
// it another shape later gives it other Bounds as well, or removes them.
type Bounds struct{ X, Y, Z, HX, HY, HZ float32 }

// Column shows a column of boxes as six lanes.
func (Bounds) Column() (c kernels.Boxes[float32]) { return }

// WorldBounds is the box along the world's axes around an entity's [Bounds] under its
// LocalToWorld. It belongs to [UpdateBounds]: it may be read.
//
// Its lanes are finite. Where nothing is to be seen, because the Bounds are empty or
// something is not a number, all half sizes are -1; what is everywhere has the largest
// half sizes there are.
type WorldBounds struct{ X, Y, Z, HX, HY, HZ float32 }

// Column shows a column of boxes as six lanes.
func (WorldBounds) Column() (c kernels.Boxes[float32]) { return }

// ChunkBounds is the box around the [WorldBounds] of all entities of a chunk, hidden or
// not, which they have as ecs.PerChunk[ChunkBounds]. It belongs to [UpdateBounds]. A
// chunk without an entity to be seen has half sizes of -1; those of one whose size is
// beyond the largest number are infinite.
type ChunkBounds struct{ X, Y, Z, HX, HY, HZ float32 }

// Column shows a column of boxes as six lanes.
func (ChunkBounds) Column() (c kernels.Boxes[float32]) { return }

type (
	matrices = transform.LocalToWorld
	boxOf    = ecs.PerChunk[ChunkBounds]
)
