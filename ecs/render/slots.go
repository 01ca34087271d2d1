package render

import (
	"image/color"
	"math/bits"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/kernels"
)

// slots are what is kept of the chunks that can be drawn, one slot a chunk, by
// ecs.Chunk.Index in the query of [drawn]. A slot is filled by [slots.refresh] when its
// chunk has changed, and good until that changes again.
type slots struct {
	scene  *scene
	query  *ecs.Query // of DrawMeshes
	list   []slot
	own    []uint64 // chunkWords of each: the rows that are not empty and not Hidden
	boxes  kernels.Boxes[float32]
	inner  kernels.Boxes[float32] // the same with half sizes below 0, see margin.go
	build  uint64                 // counts refreshes that found something
	orders uint32                 // OrderCount of the query at the last refresh
	seen   uint32                 // the world's version then
	stale  bool                   // everything is to be looked at again
}

// slot is what is kept of one chunk. Its slices lie in the chunk: no row of it has come
// or gone since, or the slot would be another.
type slot struct {
	first    ecs.Entity // tells chunks apart, with the order version
	rows     int32
	count    int32  // bits in own
	look     int32  // in looks.list
	stamp    uint64 // the build that filled it
	value    Look
	entities []ecs.Entity
	matrices [][16]float32 // that are drawn
	boxes    kernels.Boxes[float32]
	tints    []color.NRGBA // nil if the rows have none
}

// drawn are the terms of what can be drawn. Systems that use slots ask for the same
// ones, so that they see the chunks at the same indices.
func drawn(u *system.Setup) *ecs.Query {
	return u.Query(ecs.With[Look](), ecs.Read[matrices](), ecs.Read[WorldBounds](), ecs.Read[boxOf](),
		ecs.Optional(ecs.Read[Tint](), ecs.Read[Hidden]()), ecs.IgnoreEnabled(),
		ecs.ChangedAny(ecs.Read[matrices](), ecs.Read[WorldBounds](), ecs.Read[Tint](), ecs.Read[Hidden]()), ecs.OrderChanged())
}

// refresh fills the slots of chunks that have changed since the last time; it waits for
// the jobs that write what is drawn. q is one of [drawn].
func (t *slots) refresh(f *system.Frame, q *ecs.Query) error {
	t.scene.open(f)
	orders := q.OrderCount()
	moved := t.stale || orders != t.orders
	since := t.seen
	if moved {
		since = 0
	}
	q.Since(since)
	if !moved && q.Quiet() {
		t.seen = f.World().Version()
		return nil
	}
	t.stale = true // until it is done
	if moved {
		t.resize(q)
	}
	t.build++
	if err := f.ParallelFor(q, t).Wait(); err != nil {
		return err
	}
	if moved {
		t.scene.looks.sort(t)
	}
	t.seen, t.orders, t.stale = f.World().Version(), orders, false
	return nil
}

// moved reports whether rows have come or gone since the last refresh, so that slices of
// slots may lie where nothing is.
func (t *slots) moved() bool { return t.stale || t.query == nil || t.query.OrderCount() != t.orders }

// resize makes a slot for each chunk.
func (t *slots) resize(q *ecs.Query) {
	n := 0
	for a := range q.World().Archetypes() {
		if q.Takes(a) {
			n += a.ChunkCount()
		}
	}
	old := len(t.list)
	t.list = grow(t.list, n)
	clear(t.list[min(old, n):])
	t.own = grow(t.own, n*chunkWords)
	for _, lane := range []*[]float32{&t.boxes.X, &t.boxes.Y, &t.boxes.Z, &t.boxes.HX, &t.boxes.HY, &t.boxes.HZ, &t.inner.HX, &t.inner.HY, &t.inner.HZ} {
		*lane = grow(*lane, n)
	}
	t.inner.X, t.inner.Y, t.inner.Z = t.boxes.X, t.boxes.Y, t.boxes.Z
}

// grow makes a slice n long; what it had stays, as far as there is room.
func grow[T any](s []T, n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	bigger := make([]T, n, n+n/4)
	copy(bigger, s[:cap(s)])
	return bigger
}

// Chunk fills the slot of a chunk, unless it is as it was.
func (t *slots) Chunk(c *ecs.Chunk) {
	i := c.Index()
	s := &t.list[i]
	ids := c.Entities()
	since := t.seen
	if t.stale && s.first == ids[0] && int(s.rows) == len(ids) && since != 0 && !c.OrderDidChange(since) &&
		!ecs.DidChange[matrices](c, since) && !ecs.DidChange[WorldBounds](c, since) && !ecs.DidChange[Tint](c, since) && !ecs.DidChange[Hidden](c, since) {
		return
	}
	s.first, s.rows, s.stamp, s.value = ids[0], int32(len(ids)), t.build, ecs.SharedOf[Look](c)
	s.entities, s.matrices, s.boxes = ids, ecs.Column[matrices](c).M, *ecs.Column[WorldBounds](c)
	s.tints = nil
	if ecs.Has[Tint](c) {
		s.tints = ecs.Column[Tint](c).Color
	}
	own := t.own[i*chunkWords:][:kernels.MaskLen(len(ids))]
	kernels.AtLeast(own, s.boxes.HX, 0)
	if ecs.Has[Hidden](c) {
		for k, word := range ecs.EnabledBits[Hidden](c) {
			own[k] &^= word
		}
	}
	n := 0
	for _, word := range own {
		n += bits.OnesCount64(word)
	}
	s.count = int32(n)
	t.place(i, ecs.ChunkValue[ChunkBounds](c))
}
