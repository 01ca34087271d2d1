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

// drawableQuery returns the query of the entities that can be drawn. All systems that use slots create
// the query with the same terms, so that each chunk has the same index for all of them.
func drawableQuery(u *system.Setup) *ecs.Query {
	return u.Query(ecs.With[Look](), ecs.Read[matrices](), ecs.Read[WorldBounds](), ecs.Read[chunkBoxOf](),
		ecs.Optional(ecs.Read[Drawn](), ecs.Read[Tint](), ecs.Read[Hidden](), ecs.Read[Level](), ecs.Read[Flipbook](), ecs.Read[Label]()), ecs.IgnoreEnabled(),
		ecs.ChangedAny(ecs.Read[matrices](), ecs.Read[Drawn](), ecs.Read[WorldBounds](), ecs.Read[Tint](), ecs.Read[Hidden](), ecs.Read[Level](),
			ecs.Read[Flipbook](), ecs.Read[Label]()), ecs.OrderChanged())
}

// drawMatrices returns the matrices with which the rows of a chunk are drawn.
func drawMatrices(c *ecs.Chunk) *kernels.Mat4s[float32] {
	if ecs.HasColumn[Drawn](c) {
		return ecs.Column[Drawn](c)
	}
	return ecs.Column[matrices](c)
}

// slots holds data about the chunks that can be drawn. There is one slot for each chunk, and its
// index is ecs.Chunk.Index in the query of [drawn]. [slots.refresh] fills a slot when its chunk has
// changed. The slot is valid until the chunk changes again.
//
// The boxes of all rows are copied to this struct, one slot after the other, so that culling reads
// six contiguous lanes. Reading the boxes from the chunks, which are 16 KiB apart, would take four
// times as long. In masks, each slot uses whole words, for as many rows as its chunk can have.
type slots struct {
	scene        *scene
	query        *ecs.Query // the query of DrawMeshes
	list         []slot
	lanes        []columnLanes          // column addresses for each slot
	drawableRows []uint64               // mask of the rows that are not empty and not Hidden
	rowBoxes     kernels.Boxes[float32] // boxes of all rows; 64 for each word of drawableRows
	chunkBoxes   kernels.Boxes[float32] // boxes of all slots, with the margin that culling needs
	innerBoxes   kernels.Boxes[float32] // the same boxes with negative half sizes
	tableState
}

// slot holds the data of one chunk that every cull reads.
type slot struct {
	builtAt       uint64 // the build that filled the slot
	firstWord     int32  // index of its first word in drawableRows and in the masks of views
	wordCount     int32  // number of words, for as many rows as the chunk can have
	rowCount      int32  // number of rows
	drawableCount int32  // number of bits in drawableRows
	lookIndex     int32  // index in looks.all
	hasLevel      bool   // rows have a Level
	hasLabel      bool   // rows have a Label
	hasCells      bool   // rows have a Label or a Flipbook
}

// columnLanes holds the addresses of the columns of a slot's chunk. The addresses are valid as long as
// the slot is, because the slot is filled again when rows of the chunk are added or removed.
type columnLanes struct {
	firstEntity ecs.Entity // identifies the chunk, together with the order version
	look        Look
	entities    []ecs.Entity
	matrices    [][16]float32 // LocalToWorld or Drawn
	tints       []color.NRGBA // nil if the rows have no Tint
	levels      levelLanes    // the lanes are nil if the rows have no Level
	flipbooks   flipbookLanes // the lanes are nil if the rows have no Flipbook, or have a Label
	labels      labelLanes    // the lanes are nil if the rows have no Label
}

// mask returns the slot's part of drawableRows, or of a mask of a view.
func (s *slot) mask(masks []uint64) []uint64 {
	return masks[s.firstWord:][:kernels.MaskLen(int(s.rowCount))]
}

// tableState says up to which changes of a query's chunks a table is current.
type tableState struct {
	build       uint64 // number of refreshes that found changes
	orderCount  uint32 // OrderCount of the query at the last refresh
	lastVersion uint32 // the world's version at the last refresh
	stale       bool   // the next refresh must visit all chunks
}

// beginRefresh prepares a refresh of the table. beginRefresh makes the query match only changes
// after the last refresh. It reports whether there are such changes, and whether rows were added
// or removed. The table is stale until endRefresh.
func (r *tableState) beginRefresh(f *system.Frame, q *ecs.Query) (orders uint32, moved, due bool) {
	orders = q.OrderCount()
	moved = r.stale || orders != r.orderCount
	since := r.lastVersion
	if moved {
		since = 0
	}
	q.SetSince(since)
	if !moved && q.Unchanged() {
		r.lastVersion = f.World().Version()
		return orders, false, false
	}
	r.stale = true
	r.build++
	return orders, moved, true
}

// endRefresh ends a refresh.
func (r *tableState) endRefresh(f *system.Frame, orders uint32) {
	r.lastVersion, r.orderCount, r.stale = f.World().Version(), orders, false
}

// grow returns s with length n. It preserves all elements up to the capacity of s.
func grow[T any](s []T, n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	bigger := make([]T, n, n+n/4)
	copy(bigger, s[:cap(s)])
	return bigger
}

// refresh fills the slots of chunks that have changed since the last call. It waits for the jobs
// that write the components of q. The parameter q is a query of [drawn].
func (t *slots) refresh(f *system.Frame, q *ecs.Query) error {
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
	if err := waitFor(f, f.ParallelFor(q, t)); err != nil {
		return err
	}
	if moved {
		t.scene.looks.sortSlots(t)
	}
	t.endRefresh(f, orders)
	return nil
}

// rowsMoved reports whether rows were added or removed after the last refresh. In that case the
// addresses in slots may be invalid.
func (t *slots) rowsMoved() bool {
	return t.scene.feed == nil && (t.stale || t.query == nil || t.query.OrderCount() != t.orderCount)
}

// resize makes a slot for each chunk. The slots are in the order of the archetypes.
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
			if s := &t.list[n]; int(s.firstWord) != base || int(s.wordCount) != words {
				*s, t.lanes[n] = slot{firstWord: int32(base), wordCount: int32(words)}, columnLanes{}
			}
			n++
			base += words
		}
	}
	clear(t.lanes[n:cap(t.lanes)]) // so that the memory of freed chunks is not kept alive
	t.growLanes(n, base)
}

// growLanes makes the lanes long enough for n slots that use the given number of words in masks.
func (t *slots) growLanes(n, words int) {
	t.drawableRows = grow(t.drawableRows, words)
	for _, lane := range []*[]float32{&t.rowBoxes.X, &t.rowBoxes.Y, &t.rowBoxes.Z, &t.rowBoxes.HX, &t.rowBoxes.HY, &t.rowBoxes.HZ} {
		*lane = grow(*lane, 64*words)
	}
	for _, lane := range []*[]float32{&t.chunkBoxes.X, &t.chunkBoxes.Y, &t.chunkBoxes.Z, &t.chunkBoxes.HX, &t.chunkBoxes.HY, &t.chunkBoxes.HZ, &t.innerBoxes.HX, &t.innerBoxes.HY, &t.innerBoxes.HZ} {
		*lane = grow(*lane, n)
	}
	t.innerBoxes.X, t.innerBoxes.Y, t.innerBoxes.Z = t.chunkBoxes.X, t.chunkBoxes.Y, t.chunkBoxes.Z
}

// Chunk fills the slot of a chunk, unless it is current.
func (t *slots) Chunk(c *ecs.Chunk) {
	i := c.Index()
	s, l := &t.list[i], &t.lanes[i]
	ids := c.Entities()
	since := t.lastVersion
	if t.stale && l.firstEntity == ids[0] && int(s.rowCount) == len(ids) && since != 0 && !c.OrderChangedSince(since) &&
		!ecs.ChangedSince[matrices](c, since) && !ecs.ChangedSince[Drawn](c, since) && !ecs.ChangedSince[WorldBounds](c, since) &&
		!ecs.ChangedSince[Tint](c, since) && !ecs.ChangedSince[Hidden](c, since) && !ecs.ChangedSince[Level](c, since) &&
		!ecs.ChangedSince[Flipbook](c, since) && !ecs.ChangedSince[Label](c, since) {
		return
	}
	s.rowCount, s.builtAt = int32(len(ids)), t.build
	*l = columnLanes{firstEntity: ids[0], look: ecs.SharedValue[Look](c), entities: ids, matrices: drawMatrices(c).M}
	if s.hasLevel = ecs.HasColumn[Level](c); s.hasLevel {
		l.levels = *ecs.Column[Level](c)
	}
	s.hasLabel, s.hasCells = ecs.HasColumn[Label](c), false
	switch {
	case s.hasLabel:
		l.labels = *ecs.Column[Label](c)
		s.hasCells = true
	case ecs.HasColumn[Flipbook](c):
		l.flipbooks = *ecs.Column[Flipbook](c)
		s.hasCells = true
	}
	if s.hasCells {
		t.scene.flipbooks.hasCells.Store(true)
	}
	if ecs.HasColumn[Tint](c) {
		l.tints = ecs.Column[Tint](c).Color
	}
	t.copyBoxes(int(s.firstWord)*64, ecs.Column[WorldBounds](c))
	own := t.drawableRows[s.firstWord:][:s.wordCount]
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
	s.drawableCount = int32(n)
	t.setChunkBox(i, ecs.ChunkValue[ChunkBounds](c))
}

// copyBoxes copies boxes to the rows from first on.
func (t *slots) copyBoxes(first int, b *kernels.Boxes[float32]) {
	copy(t.rowBoxes.X[first:], b.X)
	copy(t.rowBoxes.Y[first:], b.Y)
	copy(t.rowBoxes.Z[first:], b.Z)
	copy(t.rowBoxes.HX[first:], b.HX)
	copy(t.rowBoxes.HY[first:], b.HY)
	copy(t.rowBoxes.HZ[first:], b.HZ)
}

// setChunkBox stores the box of a chunk, extended by its margin.
func (t *slots) setChunkBox(i int, b ChunkBounds) {
	x, y, z := b.X, b.Y, b.Z
	hx, hy, hz := withMargin(x, b.HX), withMargin(y, b.HY), withMargin(z, b.HZ)
	if !(isTestable(x, hx) && isTestable(y, hy) && isTestable(z, hz)) {
		x, y, z, hx, hy, hz = 0, 0, 0, math.MaxFloat32, math.MaxFloat32, math.MaxFloat32
	}
	t.chunkBoxes.X[i], t.chunkBoxes.Y[i], t.chunkBoxes.Z[i] = x, y, z
	t.chunkBoxes.HX[i], t.chunkBoxes.HY[i], t.chunkBoxes.HZ[i] = hx, hy, hz
	t.innerBoxes.HX[i], t.innerBoxes.HY[i], t.innerBoxes.HZ[i] = -hx, -hy, -hz
}
