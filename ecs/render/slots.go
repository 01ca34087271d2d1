package render

import (
	"image/color"
	"math"
	"math/bits"
	"reflect"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/kernels"
)

// drawn are the terms of what can be drawn. Systems that use slots ask for the same
// ones, so that they see the chunks at the same indices.
func drawn(u *system.Setup) *ecs.Query {
	return u.Query(ecs.With[Look](), ecs.Read[matrices](), ecs.Read[WorldBounds](), ecs.Read[boxOf](),
		ecs.Optional(ecs.Read[Drawn](), ecs.Read[Tint](), ecs.Read[Hidden](), ecs.Read[Level](), ecs.Read[Flipbook](), ecs.Read[Label]()), ecs.IgnoreEnabled(),
		ecs.ChangedAny(ecs.Read[matrices](), ecs.Read[Drawn](), ecs.Read[WorldBounds](), ecs.Read[Tint](), ecs.Read[Hidden](), ecs.Read[Level](),
			ecs.Read[Flipbook](), ecs.Read[Label]()), ecs.OrderChanged())
}

// drawnOf are the matrices that the rows of a chunk are drawn with.
func drawnOf(c *ecs.Chunk) *kernels.Mat4s[float32] {
	if ecs.HasColumn[Drawn](c) {
		return ecs.Column[Drawn](c)
	}
	return ecs.Column[matrices](c)
}

// slots are what is kept of the chunks that can be drawn, one slot a chunk, by
// ecs.Chunk.Index in the query of [drawn]. A slot is filled by [slots.refresh] when its
// chunk has changed, and good until that changes again.
//
// The boxes of all rows lie here once more, one slot behind the other, so that to cull
// is to go along six lanes: in chunks, 16 KiB apart, it would take four times as long.
// Each slot has whole words of masks, as many as the chunk has room for.
type slots struct {
	scene  *scene
	query  *ecs.Query // of DrawMeshes
	list   []slot
	lanes  []lanes                // of each slot
	own    []uint64               // the rows that are not empty and not Hidden
	rows   kernels.Boxes[float32] // of all rows, 64 for each word of own
	chunks kernels.Boxes[float32] // of all slots, with the margin of cull.go
	inner  kernels.Boxes[float32] // the same with half sizes below 0
	tableState
}

// slot is what is kept of one chunk, as far as every cull asks for it.
type slot struct {
	stamp  uint64 // the build that filled it
	base   int32  // its first word in own and in the masks of eyes
	words  int32  // as many as the chunk has room for
	n      int32  // rows
	count  int32  // bits in own
	look   int32  // in looks.list
	level  bool   // rows have a Level
	label  bool   // rows have a Label
	celled bool   // rows have a Label or a Flipbook
}

// lanes are where the lanes of a slot's chunk lie. They are good while the slot is: no
// row of the chunk has come or gone since it was filled, or it would be another.
type lanes struct {
	first     ecs.Entity // tells chunks apart, with the order version
	look      Look
	entities  []ecs.Entity
	matrices  [][16]float32 // that are drawn
	tints     []color.NRGBA // nil if the rows have none
	levels    levelLanes    // nil ones if the rows have none
	flipbooks flipbookLanes // nil ones if the rows have none, or labels
	labels    labelLanes    // nil ones if the rows have none
}

// mask is the slot's part of own or of the masks of an eye.
func (s *slot) mask(masks []uint64) []uint64 { return masks[s.base:][:kernels.MaskLen(int(s.n))] }

// tableState says up to which change a table of the chunks of a query is up to date.
type tableState struct {
	build  uint64 // counts refreshes that found something
	orders uint32 // OrderCount of the query at the last refresh
	seen   uint32 // the world's version then
	stale  bool   // everything is to be looked at again
}

// beginRefresh begins a refresh: it has the query show what changed since the last one, and says whether there is anything, and
// whether rows came or went. Until end the table is stale.
func (r *tableState) beginRefresh(f *system.Frame, q *ecs.Query) (orders uint32, moved, due bool) {
	orders = q.OrderCount()
	moved = r.stale || orders != r.orders
	since := r.seen
	if moved {
		since = 0
	}
	q.SetSince(since)
	if !moved && q.Unchanged() {
		r.seen = f.World().Version()
		return orders, false, false
	}
	r.stale = true
	r.build++
	return orders, moved, true
}

// endRefresh ends a refresh.
func (r *tableState) endRefresh(f *system.Frame, orders uint32) {
	r.seen, r.orders, r.stale = f.World().Version(), orders, false
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

// refresh fills the slots of chunks that have changed since the last time; it waits for
// the jobs that write what is drawn. q is one of [drawn].
func (t *slots) refresh(f *system.Frame, q *ecs.Query) error {
	t.scene.beginSystem(f)
	if t.scene.feed != nil {
		return nil
	}
	orders, moved, due := t.beginRefresh(f, q)
	if !due {
		return nil
	}
	if moved {
		t.resize(q)
	}
	if err := f.ParallelFor(q, t).Wait(); err != nil {
		return err
	}
	if moved {
		t.scene.looks.sortSlots(t)
	}
	t.endRefresh(f, orders)
	return nil
}

// moved reports whether rows have come or gone since the last refresh, so that slices of
// slots may lie where nothing is.
func (t *slots) moved() bool {
	return t.scene.feed == nil && (t.stale || t.query == nil || t.query.OrderCount() != t.orders)
}

// resize makes a slot for each chunk. Chunks come in the order of their archetypes.
func (t *slots) resize(q *ecs.Query) {
	total := 0
	for a := range q.World().Archetypes() {
		if q.MatchesArchetype(a) {
			total += a.ChunkCount()
		}
	}
	t.list, t.lanes = grow(t.list, total), grow(t.lanes, total)
	n, base := 0, 0
	for a := range q.World().Archetypes() {
		if !q.MatchesArchetype(a) {
			continue
		}
		words := kernels.MaskLen(a.Capacity())
		for range a.ChunkCount() {
			if s := &t.list[n]; int(s.base) != base || int(s.words) != words {
				*s, t.lanes[n] = slot{base: int32(base), words: int32(words)}, lanes{}
			}
			n++
			base += words
		}
	}
	clear(t.lanes[n:cap(t.lanes)]) // what is gone is not held, and is no slot's when there are more again
	t.growLanes(n, base)
}

// growLanes makes the lanes long enough for n slots with so many words of masks.
func (t *slots) growLanes(n, words int) {
	t.own = grow(t.own, words)
	for _, lane := range []*[]float32{&t.rows.X, &t.rows.Y, &t.rows.Z, &t.rows.HX, &t.rows.HY, &t.rows.HZ} {
		*lane = grow(*lane, 64*words)
	}
	for _, lane := range []*[]float32{&t.chunks.X, &t.chunks.Y, &t.chunks.Z, &t.chunks.HX, &t.chunks.HY, &t.chunks.HZ, &t.inner.HX, &t.inner.HY, &t.inner.HZ} {
		*lane = grow(*lane, n)
	}
	t.inner.X, t.inner.Y, t.inner.Z = t.chunks.X, t.chunks.Y, t.chunks.Z
}

// Chunk fills the slot of a chunk, unless it is as it was.
func (t *slots) Chunk(c *ecs.Chunk) {
	i := c.Index()
	s, l := &t.list[i], &t.lanes[i]
	ids := c.Entities()
	since := t.seen
	if t.stale && l.first == ids[0] && int(s.n) == len(ids) && since != 0 && !c.OrderChangedSince(since) &&
		!ecs.ChangedSince[matrices](c, since) && !ecs.ChangedSince[Drawn](c, since) && !ecs.ChangedSince[WorldBounds](c, since) &&
		!ecs.ChangedSince[Tint](c, since) && !ecs.ChangedSince[Hidden](c, since) && !ecs.ChangedSince[Level](c, since) &&
		!ecs.ChangedSince[Flipbook](c, since) && !ecs.ChangedSince[Label](c, since) {
		return
	}
	s.n, s.stamp = int32(len(ids)), t.build
	*l = lanes{first: ids[0], look: ecs.SharedValue[Look](c), entities: ids, matrices: drawnOf(c).M}
	if s.level = ecs.HasColumn[Level](c); s.level {
		l.levels = *ecs.Column[Level](c)
	}
	s.label, s.celled = ecs.HasColumn[Label](c), false
	switch {
	case s.label:
		l.labels = *ecs.Column[Label](c)
		s.celled = true
	case ecs.HasColumn[Flipbook](c):
		l.flipbooks = *ecs.Column[Flipbook](c)
		s.celled = true
	}
	if s.celled {
		t.scene.flipbooks.used.Store(true)
	}
	if ecs.HasColumn[Tint](c) {
		l.tints = ecs.Column[Tint](c).Color
	}
	t.copyBoxes(int(s.base)*64, ecs.Column[WorldBounds](c))
	own := t.own[s.base:][:s.words]
	clear(own)
	own = own[:kernels.MaskLen(len(ids))]
	kernels.AtLeast(own, ecs.Column[WorldBounds](c).HX, 0)
	if ecs.HasColumn[Hidden](c) {
		for k, word := range c.EnabledBits(reflect.TypeFor[Hidden]()) {
			own[k] &^= word
		}
	}
	n := 0
	for _, word := range own {
		n += bits.OnesCount64(word)
	}
	s.count = int32(n)
	t.setChunkBox(i, ecs.ChunkValue[ChunkBounds](c))
}

// copyBoxes copies boxes to the rows from first on.
func (t *slots) copyBoxes(first int, b *kernels.Boxes[float32]) {
	copy(t.rows.X[first:], b.X)
	copy(t.rows.Y[first:], b.Y)
	copy(t.rows.Z[first:], b.Z)
	copy(t.rows.HX[first:], b.HX)
	copy(t.rows.HY[first:], b.HY)
	copy(t.rows.HZ[first:], b.HZ)
}

// setChunkBox puts the box of a chunk into the tables, with its margin.
func (t *slots) setChunkBox(i int, b ChunkBounds) {
	x, y, z := b.X, b.Y, b.Z
	hx, hy, hz := withMargin(x, b.HX), withMargin(y, b.HY), withMargin(z, b.HZ)
	if !(reach(x, hx) && reach(y, hy) && reach(z, hz)) {
		x, y, z, hx, hy, hz = 0, 0, 0, math.MaxFloat32, math.MaxFloat32, math.MaxFloat32
	}
	t.chunks.X[i], t.chunks.Y[i], t.chunks.Z[i] = x, y, z
	t.chunks.HX[i], t.chunks.HY[i], t.chunks.HZ[i] = hx, hy, hz
	t.inner.HX[i], t.inner.HY[i], t.inner.HZ[i] = -hx, -hy, -hz
}
