package render

import (
	"errors"
	"math"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
)

// Bounds is a box in the space of its entity: the box's middle, and half its size in each axis. If
// a half size is below 0, the box is empty, and the entity is never drawn. If a half size is
// infinite, the box is infinite, and the entity is always drawn.
//
// An entity that has a [Look] and no Bounds gets the box of its shape, and keeps it. If the program
// later changes the shape, it must also set the Bounds, or remove them so that they are computed
// again.
type Bounds struct{ X, Y, Z, HX, HY, HZ float32 }

// Column returns the lanes of a column of boxes.
func (Bounds) Column() (c kernels.Boxes[float32]) { return }

// WorldBounds is an axis-aligned box in world space. WorldBounds contains the entity's [Bounds] after
// they are transformed by LocalToWorld. [UpdateBounds] writes it. Programs may read it.
//
// Its numbers are finite. If the entity cannot be visible because its Bounds are empty or contain
// NaN, all half sizes are -1. If the box is infinite, its half sizes are the largest finite number.
type WorldBounds struct{ X, Y, Z, HX, HY, HZ float32 }

// Column returns the lanes of a column of boxes.
func (WorldBounds) Column() (c kernels.Boxes[float32]) { return }

// ChunkBounds is a box around the [WorldBounds] of all entities of a chunk, including hidden ones.
// ChunkBounds is stored as the chunk component ecs.PerChunk[ChunkBounds]. [UpdateBounds] writes it.
// Programs may read it. If no entity of the chunk can be visible, the half sizes are -1. If a size
// exceeds the largest finite number, the half sizes are infinite.
type ChunkBounds struct{ X, Y, Z, HX, HY, HZ float32 }

// Column returns the lanes of a column of boxes.
func (ChunkBounds) Column() (c kernels.Boxes[float32]) { return }

type (
	matrices   = transform.LocalToWorld
	chunkBoxOf = ecs.PerChunk[ChunkBounds]
)

// MissingBounds adds [Bounds], [WorldBounds] and [ChunkBounds] to entities that have a [Look] but
// lack some of these components. If an entity has LocalToWorld, its new Bounds are the box of its
// shape. Prefabs and inactive entities get these components too, so that copies of a prefab have
// bounds from the beginning. MissingBounds does not change Bounds that a program has set. While a
// shape is not registered, its entities get nothing. These entities get their Bounds in the first
// frame after the shape is registered.
type MissingBounds struct {
	_ system.In[system.Presentation]

	scene              *scene
	withoutBounds      *ecs.Query
	withoutChunkBounds *ecs.Query
	assetsVersion      uint64       // version of the assets at the last update
	orderCount         uint32       // order count of withoutBounds at the last update
	ids                []ecs.Entity // entities that get bounds
	bounds             []Bounds     // bounds of each entity in ids
	lookup             *ecs.Lookup[Bounds]
}

// Create creates the queries.
func (s *MissingBounds) Create(u *system.Setup) error {
	s.scene = sceneOf(u.World())
	s.withoutBounds = u.Query(ecs.With[Look](), ecs.With[matrices](), ecs.Absent[Bounds](), ecs.IncludeHidden())
	s.withoutChunkBounds = u.Query(ecs.With[Look](), ecs.With[matrices](), ecs.With[Bounds](),
		ecs.AnyOf(ecs.AllOf(ecs.Absent[WorldBounds]()), ecs.AllOf(ecs.Absent[chunkBoxOf]())), ecs.IncludeHidden())
	s.lookup = ecs.NewWorldLookup[Bounds](u.World())
	u.RequireAny(s.withoutBounds, s.withoutChunkBounds)
	return nil
}

// Update adds the missing components. If components are missing, adding them is a structural
// change.
func (s *MissingBounds) Update(f *system.Frame) error {
	w := f.World()
	var complaints []error
	if version, orders := s.scene.assets.version.Load(), s.withoutBounds.OrderCount(); !s.withoutBounds.EmptyUnfiltered() && (version != s.assetsVersion || orders != s.orderCount) {
		complaints = s.findMissing()
		if err := s.giveBounds(w); err != nil {
			return err
		}
		s.assetsVersion, s.orderCount = version, s.withoutBounds.OrderCount()
	}
	if !s.withoutChunkBounds.EmptyUnfiltered() {
		if err := ecs.AddTypes(w, ecs.Matching(s.withoutChunkBounds), ecs.With[WorldBounds](), ecs.With[chunkBoxOf]()); err != nil {
			return err
		}
	}
	return errors.Join(complaints...)
}

// findMissing lists the entities that have no Bounds although their shape is known. It returns errors
// about shapes that are not registered.
func (s *MissingBounds) findMissing() (complaints []error) {
	s.ids, s.bounds = s.ids[:0], s.bounds[:0]
	for c := range s.withoutBounds.Chunks() {
		shape := s.scene.assets.FindShape(ecs.SharedValue[Look](c).Shape)
		if shape == nil {
			if err := s.scene.reportLook(ecs.SharedValue[Look](c), c.Entities()[0]); err != nil {
				complaints = append(complaints, err)
			}
			continue
		}
		b := *shape.Bounds
		if ecs.HasColumn[Label](c) {
			b = shape.labelBounds()
		}
		for _, e := range c.Entities() {
			s.ids, s.bounds = append(s.ids, e), append(s.bounds, b)
		}
	}
	return complaints
}

// giveBounds adds bounds to the entities of the list.
func (s *MissingBounds) giveBounds(w *ecs.World) error {
	if err := ecs.AddTypes(w, ecs.Entities(s.ids), ecs.With[Bounds](), ecs.With[WorldBounds](), ecs.With[chunkBoxOf]()); err != nil {
		return err
	}
	if len(s.ids) == 0 {
		return nil
	}
	if err := s.lookup.Refresh(); err != nil {
		return err
	}
	for i, e := range s.ids {
		s.lookup.Set(e, s.bounds[i])
	}
	return nil
}

// UpdateBounds computes [WorldBounds] from [Bounds] and LocalToWorld. UpdateBounds also computes
// the [ChunkBounds] around them. UpdateBounds visits only chunks in which Bounds or LocalToWorld
// was written, or in which rows were added or removed:
//
//	c = ((m0·x + m4·y) + m8·z) + m12              and so on for Y and Z
//	h = (|m0|·hx + |m4|·hy) + |m8|·hz
//
// UpdateBounds visits all entities with these components, whether or not they have a [Look]. If an
// entity has [Drawn], the Drawn matrix replaces LocalToWorld, so that the box contains what is
// drawn between two fixed steps.
type UpdateBounds struct {
	_ system.In[system.Presentation]
	_ system.After[Bootstrap]
	_ system.After[MissingBounds]
	_ system.MatchingOnly

	changedRows *ecs.Query
}

// Create creates the query.
func (s *UpdateBounds) Create(u *system.Setup) error {
	s.changedRows = u.Query(ecs.Read[matrices](), ecs.Read[Bounds](), ecs.Write[WorldBounds](), ecs.Optional(ecs.Write[chunkBoxOf](), ecs.Read[Drawn]()),
		ecs.ChangedAny(ecs.Read[matrices](), ecs.Read[Drawn](), ecs.Read[Bounds]()), ecs.OrderChanged())
	return nil
}

// Update schedules the work.
func (s *UpdateBounds) Update(f *system.Frame) error {
	f.ParallelFor(s.changedRows, s)
	return nil
}

// axisPlanes are planes with which InPlanes finds half sizes that are negative, infinite or NaN.
// Take a box whose middle and half size are both h. For such a box, InPlanes reports outside if
// and only if a component of h is negative, infinite or NaN. An infinity is found because
// infinity times 0 is NaN.
var axisPlanes = []kernels.Plane[float32]{{X: 1}, {Y: 1}, {Z: 1}}

// zeroPlane finds numbers that are not finite: a box is inside of this plane if and only if all its
// numbers are finite.
var zeroPlane = []kernels.Plane[float32]{{}}

// Chunk computes the boxes of one chunk.
func (s *UpdateBounds) Chunk(c *ecs.Chunk) {
	m, local, world := drawMatrices(c), ecs.Column[Bounds](c), ecs.Column[WorldBounds](c)
	world.Transform(m, local)
	var room [maxMaskWords]uint64
	mask := room[:kernels.MaskLen(c.Len())]
	sizes := kernels.Boxes[float32]{X: local.HX, Y: local.HY, Z: local.HZ, HX: local.HX, HY: local.HY, HZ: local.HZ}
	sizes.InPlanes(mask, axisPlanes)
	repairRows(mask, m, local, world)
	world.InPlanes(mask, zeroPlane)
	repairRows(mask, m, local, world)
	if ecs.HasColumn[chunkBoxOf](c) {
		ecs.SetChunkValue(c, ChunkBounds(world.Union(nil)))
	}
}

// maxMaskWords is the largest number of words in a mask of a chunk's rows. A row contains an id, a box
// and a matrix, which take 96 bytes together. A chunk has 16 KiB, so it has at most 170 rows.
const maxMaskWords = 3

// repairRows computes the boxes of the rows whose bit in mask is 0.
func repairRows(mask []uint64, m *kernels.Mat4s[float32], local, world *kernels.Boxes[float32]) {
	n := world.Len()
	for k, word := range mask {
		if word == ^uint64(0) {
			continue
		}
		for i := 64 * k; i < min(64*k+64, n); i++ {
			if word>>(i%64)&1 == 0 {
				repairRow(i, m, local, world)
			}
		}
	}
}

// repairRow computes the box of a row for which the usual formula is not valid. The box is empty if a
// half size is below 0, a number is NaN, or the middle is not finite. Otherwise, if a half size is
// infinite, the box is the largest box.
func repairRow(i int, m *kernels.Mat4s[float32], local, world *kernels.Boxes[float32]) {
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
