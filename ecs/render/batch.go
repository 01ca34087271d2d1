package render

import (
	"fmt"
	"image/color"
	"iter"
	"math/bits"

	"github.com/lanewise/lanewise/jobs"
)

// batches holds the batches of a view, and the slots that each batch consists of.
type batches struct {
	partSlots    []int32 // indices of slots, batch by batch
	firstRows    []int32 // for each part, its first row among all rows of the view
	sorted       sortedRows
	cullBuild    uint64 // build of the cull from which the batches were made
	looksVersion uint64 // version of the looks from which the batches were made
	scratchPart  Part
	fullMask     []uint64
	gather       gatherJob
}

// gatherJob copies the rows of a view's parts to slices of the caller.
type gatherJob struct {
	view      *cameraView
	firstPart int // the first part
	startRow  int // row of the view that is stored at the beginning of dst
	dst       [][16]float32
	tints     []color.NRGBA
	cells     []int32
}

// assembleBatches creates the batches of the visible rows.
func (e *cameraView) assembleBatches() error {
	l, v, b := &e.scene.looks, &e.view, &e.batches
	v.Batches, b.partSlots, b.firstRows = v.Batches[:0], b.partSlots[:0], b.firstRows[:0]
	v.Seen, v.Culled = 0, 0
	b.sorted.resetRows()
	wanted := v.Camera.Layers
	if wanted == 0 {
		wanted = ^uint32(0)
	}
	for k := 0; k < len(l.drawOrder); k++ {
		look := &l.all[l.drawOrder[k]]
		if !look.drawnIn(wanted) {
			continue
		}
		switch sorted := look.notOpaque && v.Camera.Sort != SortNone; {
		case sorted:
			from := k
			for k+1 < len(l.drawOrder) && l.all[l.drawOrder[k+1]].drawnIn(1<<uint(look.Layer)) {
				k++
			}
			if err := e.addSorted(l.drawOrder[from:k+1], true); err != nil {
				return err
			}
			continue
		case look.hasLabels:
			if err := e.addSorted(l.drawOrder[k:k+1], false); err != nil {
				return err
			}
			continue
		}
		e.addChunkBatch(look)
	}
	return nil
}

// addChunkBatch creates a batch for a look if a row of the look's chunks is visible. The batch refers
// to the rows in the chunks and copies nothing.
func (e *cameraView) addChunkBatch(look *look) {
	v, b := &e.view, &e.batches
	first, n, all := len(b.partSlots), 0, 0
	for _, i := range look.slotIndices {
		all += int(e.scene.slots.list[i].drawableCount)
		if count := int(e.visibleCounts[i]); count > 0 {
			b.partSlots = append(b.partSlots, i)
			b.firstRows = append(b.firstRows, int32(v.Seen+n))
			n += count
		}
	}
	v.Culled += all - n
	if n == 0 {
		return
	}
	v.Batches = append(v.Batches, Batch{Look: look.Look, Shape: look.shape, Material: look.material, First: v.Seen, Count: n, view: v,
		index: int32(len(v.Batches)), first: int32(first), last: int32(len(b.partSlots))})
	v.Seen += n
}

// drawnIn reports whether a look can be drawn and is in one of the wanted layers.
func (l *look) drawnIn(wanted uint32) bool {
	return l.shape != nil && l.Layer >= 0 && l.Layer < layerCount && wanted>>uint(l.Layer)&1 != 0
}

// Parts yields the rows of the batch, chunk by chunk, in the order in which they must be drawn.
// Parts copies no rows. A Part is valid until the next iteration.
func (b *Batch) Parts() iter.Seq[*Part] { return func(yield func(*Part) bool) { b.eachPart(yield) } }

func (b *Batch) eachPart(yield func(*Part) bool) {
	e := b.viewFor("Batch.Parts")
	p := &e.batches.scratchPart
	if b.sorted {
		e.batches.sorted.fillPartRows(p, int(b.first), int(b.last), &e.batches.fullMask)
		yield(p)
		return
	}
	for _, i := range e.batches.partSlots[b.first:b.last] {
		e.fillPart(p, i)
		if !yield(p) {
			return
		}
	}
}

// fillPart makes p the visible rows of a slot.
func (e *cameraView) fillPart(p *Part, i int32) {
	l := &e.scene.slots.lanes[i]
	p.Entities, p.Matrices, p.Tints, p.Count = l.entities, l.matrices, l.tints, int(e.visibleCounts[i])
	p.Cells = e.scene.flipbooks.cellsOf(i)
	p.Mask = e.scene.slots.list[i].mask(e.visibleMasks)
}

// viewFor returns the cameraView to which the batch belongs. viewFor also records that the renderer
// works on this batch, so that an error can name the batch.
func (b *Batch) viewFor(op string) *cameraView {
	if b.view == nil || b.view.Frame == nil {
		panic("render: " + op + ": the batch is not one of a View")
	}
	s := b.view.Frame.scene
	for _, e := range s.cameraViews {
		if &e.view == b.view {
			if s.slots.rowsMoved() {
				panic("render: " + op + ": the world was changed since the batch was made: what it shows is no longer there")
			}
			b.view.currentBatch = int(b.index)
			return e
		}
	}
	panic("render: " + op + ": the view was of a frame before: its camera is gone")
}

// Gather copies data of all rows of the batch, in their order, using all workers. Gather copies
// the matrices to dst, the tints to tints, and the cells to cells. Rows without a Tint are white.
// If a slice is nil, Gather skips it. Gather panics if a slice is shorter than Count. Gather does
// not allocate.
func (b *Batch) Gather(dst [][16]float32, tints []color.NRGBA, cells []int32) error {
	const op = "Batch.Gather"
	checkLengths(op, "Count", b.Count, dst, tints, cells)
	e := b.viewFor(op)
	if b.sorted {
		e.batches.sorted.gatherRows(b, dst, tints, cells)
		return nil
	}
	return e.gatherParts(int(b.first), int(b.last), b.First, dst, tints, cells)
}

// Gather copies the rows of all batches, as [Batch.Gather] does for one. The rows of a batch begin
// at the index First of the batch.
func (v *View) Gather(dst [][16]float32, tints []color.NRGBA, cells []int32) error {
	const op = "View.Gather"
	checkLengths(op, "Seen", v.Seen, dst, tints, cells)
	if len(v.Batches) == 0 {
		return nil
	}
	e := v.Batches[0].viewFor(op)
	for i := range v.Batches {
		if b := &v.Batches[i]; b.sorted {
			e.batches.sorted.gatherRows(b, dst[b.First:], sliceFrom(tints, b.First), sliceFrom(cells, b.First))
		}
	}
	return e.gatherParts(0, len(e.batches.partSlots), 0, dst, tints, cells)
}

// sliceFrom returns s[i:], or nil if s is nil.
func sliceFrom[T any](s []T, i int) []T {
	if s == nil {
		return nil
	}
	return s[i:]
}

func checkLengths(op, what string, n int, dst [][16]float32, tints []color.NRGBA, cells []int32) {
	if len(dst) < n || tints != nil && len(tints) < n || cells != nil && len(cells) < n {
		panic(fmt.Sprintf("render: %s: len(dst) is %d, len(tints) %d and len(cells) %d, %s is %d", op, len(dst), len(tints), len(cells), what, n))
	}
}

// gatherParts copies the rows of parts [first, last). The parameter start is the row of the view
// that is stored in the first row of dst.
func (e *cameraView) gatherParts(first, last, start int, dst [][16]float32, tints []color.NRGBA, cells []int32) error {
	j := &e.batches.gather
	*j = gatherJob{e, first, start, dst, tints, cells}
	err := e.scene.runJob(j, last-first, 0)
	*j = gatherJob{}
	return err
}

// RunRange copies the rows of some parts.
func (g *gatherJob) RunRange(_ *jobs.Task, lo, hi int) {
	b := &g.view.batches
	for k := g.firstPart + lo; k < g.firstPart+hi; k++ {
		g.copyPart(b.partSlots[k], int(b.firstRows[k])-g.startRow)
	}
}

// copyPart copies the rows of a part to dst, starting at row at.
func (g *gatherJob) copyPart(i int32, at int) {
	l, mask := &g.view.scene.slots.lanes[i], g.view.scene.slots.list[i].mask(g.view.visibleMasks)
	n := copyRows(g.dst[at:], l.matrices, mask)
	switch shown := g.view.scene.flipbooks.cellsOf(i); {
	case g.cells == nil:
	case shown != nil:
		copyRows(g.cells[at:], shown, mask)
	default:
		clear(g.cells[at : at+n])
	}
	switch {
	case g.tints == nil:
	case l.tints != nil:
		copyRows(g.tints[at:], l.tints, mask)
	default:
		for i := range g.tints[at : at+n] {
			g.tints[at+i] = white
		}
	}
}

// copyRows copies the rows of src whose bit in mask is set, and returns their number.
func copyRows[T any](dst, src []T, mask []uint64) (n int) {
	for k, word := range mask {
		rows := src[64*k:]
		if word == ^uint64(0) {
			n += copy(dst[n:], rows[:64])
			continue
		}
		for ; word != 0; word &= word - 1 {
			dst[n] = rows[bits.TrailingZeros64(word)]
			n++
		}
	}
	return n
}
