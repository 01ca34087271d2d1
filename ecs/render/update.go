package render

import (
	"math"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/kernels"
)

// UpdateBounds computes [WorldBounds] from [Bounds] and LocalToWorld, and the
// [ChunkBounds] around them, in the chunks in which one of the two was written, or rows
// came or went:
//
//	c = ((m0·x + m4·y) + m8·z) + m12              and so on for Y and Z
//	h = (|m0|·hx + |m4|·hy) + |m8|·hz
//
// It is for all entities that have these, with a [Look] or not; of those with [Drawn] by
// that matrix, so that what is drawn between fixed steps is in its box.
type UpdateBounds struct {
	_ system.In[system.Presentation]
	_ system.After[Bootstrap]
	_ system.After[MissingBounds]
	_ system.MatchingOnly

	moved *ecs.Query
}

// Create makes the query.
func (s *UpdateBounds) Create(u *system.Setup) error {
	s.moved = u.Query(ecs.Read[matrices](), ecs.Read[Bounds](), ecs.Write[WorldBounds](), ecs.Optional(ecs.Write[boxOf](), ecs.Read[Drawn]()),
		ecs.ChangedAny(ecs.Read[matrices](), ecs.Read[Drawn](), ecs.Read[Bounds]()), ecs.OrderChanged())
	return nil
}

// Update schedules the work.
func (s *UpdateBounds) Update(f *system.Frame) error {
	f.ParallelFor(s.moved, s)
	return nil
}

// sides are planes that a box of half sizes as middle and half size reaches behind if
// and only if a half size is below 0, infinite or NaN: infinity times 0 is NaN.
var sides = []kernels.Plane[float32]{{X: 1}, {Y: 1}, {Z: 1}}

// nowhere is a plane that has every box inside but those with something that is no
// finite number.
var nowhere = []kernels.Plane[float32]{{}}

// Chunk computes the boxes of one chunk.
func (s *UpdateBounds) Chunk(c *ecs.Chunk) {
	m, local, world := drawnOf(c), ecs.Column[Bounds](c), ecs.Column[WorldBounds](c)
	world.Transform(m, local)
	var room [chunkWords]uint64
	mask := room[:kernels.MaskLen(c.Len())]
	sizes := kernels.Boxes[float32]{X: local.HX, Y: local.HY, Z: local.HZ, HX: local.HX, HY: local.HY, HZ: local.HZ}
	sizes.InPlanes(mask, sides)
	mend(mask, m, local, world)
	world.InPlanes(mask, nowhere)
	mend(mask, m, local, world)
	if ecs.Has[boxOf](c) {
		ecs.SetChunkValue(c, ChunkBounds(world.Union(nil)))
	}
}

// chunkWords is how many words a mask of a chunk's rows has at most: a row with an id, a
// box and a matrix takes 96 bytes of 16 KiB, so there are no more than 170.
const chunkWords = 3

// mend settles the rows whose bit in mask is 0.
func mend(mask []uint64, m *kernels.Mat4s[float32], local, world *kernels.Boxes[float32]) {
	n := world.Len()
	for k, word := range mask {
		if word == ^uint64(0) {
			continue
		}
		for i := 64 * k; i < min(64*k+64, n); i++ {
			if word>>(i%64)&1 == 0 {
				mendRow(i, m, local, world)
			}
		}
	}
}

// mendRow gives a row one of the two boxes that the formula has not: none, if a half
// size is below 0 or something is not a number, or a place is not finite, and that of
// everything if a half size is infinite.
func mendRow(i int, m *kernels.Mat4s[float32], local, world *kernels.Boxes[float32]) {
	hx, hy, hz := local.HX[i], local.HY[i], local.HZ[i]
	a := &m.M[i]
	empty := !(hx >= 0 && hy >= 0 && hz >= 0) || !finite(local.X[i]) || !finite(local.Y[i]) || !finite(local.Z[i])
	for k, v := range a {
		if k%4 != 3 && !finite(v) {
			empty = true
		}
	}
	place := func(k int) float32 {
		return ((float32(a[k]*local.X[i]) + float32(a[4+k]*local.Y[i])) + float32(a[8+k]*local.Z[i])) + a[12+k]
	}
	if empty || !finite(place(0)) || !finite(place(1)) || !finite(place(2)) {
		world.X[i], world.Y[i], world.Z[i] = 0, 0, 0
		world.HX[i], world.HY[i], world.HZ[i] = -1, -1, -1
		return
	}
	const all = math.MaxFloat32
	world.X[i], world.Y[i], world.Z[i] = 0, 0, 0
	world.HX[i], world.HY[i], world.HZ[i] = all, all, all
}
