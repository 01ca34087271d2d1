package render

import (
	"fmt"
	"math"
	"sync/atomic"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

// Flipbook makes its entity show cells of a material's image (see [Material].Columns) one after the
// other, starting with First. At time t, which is Frame.Elapsed of the picture, the entity shows
// cell First + k with
//
//	k = floor((t - Start)·|Rate|) modulo Count
//
// If Rate is below 0, the entity shows cell First + Count-1-k, so that the cells run backwards. The
// difference and the product are each computed in float64 and rounded once, so that the cell is the
// same on every machine. With the zero Flipbook, an entity shows cell 0, as it does without a
// Flipbook. Setting a Flipbook is not a structural change.
//
// If a Flipbook refers to cells that its material does not have, or contains NaN, the entity shows
// the valid cell nearest to First. The frame then returns an error, once for each material.
type Flipbook struct {
	First int32   // number of the first cell
	Count int32   // number of cells; 0 means all cells from First on
	Rate  float32 // cells per second; 0 means that the first cell stays
	Start float64 // time at which the first cell appears, in seconds of Frame.Elapsed; it may be in the future
	Once  bool    // shows the cells only once: before Start the first one, after the end the last one
}

// Column returns the lanes of a column of flipbooks.
func (Flipbook) Column() (c flipbookLanes) { return }

// cellAt returns the number of the cell that row i shows at time t. The material has the given
// number of cells. The result ok is false if the row refers to a cell that the material does not
// have.
func cellAt(l *flipbookLanes, i int, t float64, cells int32) (k int32, ok bool) {
	first, count, rate := l.First[i], l.Count[i], float64(l.Rate[i])
	if count == 0 {
		count = cells - first
	}
	if first < 0 || count < 1 || first > cells-count || rate-rate != 0 || l.Start[i]-l.Start[i] != 0 {
		return max(0, min(first, cells-1)), false
	}
	if rate == 0 || count == 1 {
		return first, true
	}
	at := math.Floor(float64((t - l.Start[i]) * math.Abs(rate)))
	if l.Once[i] {
		k = int32(max(0, min(at, float64(count-1))))
	} else {
		k = int32(wrapCell(at, int64(count)))
	}
	if rate < 0 {
		k = count - 1 - k
	}
	return first + k, true
}

// wrapCell returns a whole number modulo n.
func wrapCell(at float64, n int64) int64 {
	if !(math.Abs(at) < 1<<62) {
		at = math.Mod(at, float64(n)) // Mod is exact, too
		if at != at {
			return 0
		}
	}
	k := int64(at) % n
	if k < 0 {
		k += n
	}
	return k
}

// flipbookJob computes the cells of the slots that a camera sees.
type flipbookJob struct {
	scene     *scene
	slotCells []flipbookCells
	hasFaults atomic.Bool // some row has a fault: jobs set it, and the owner reads and resets it between them
	hasCells  atomic.Bool // some slot has cells: the jobs that fill slots set it, and the owner reads it afterwards
}

// flipbookCells holds the cells that the rows of a slot show.
type flipbookCells struct {
	cells        []int32 // cell of each row; nil if no row has a Flipbook
	slotBuild    uint64  // builtAt of the slot when the cells were computed
	looksVersion uint64  // version of the looks when the cells were computed
	time         float64
	animated     bool   // the cells change with time
	faultyRow    int32  // 1 + the index of a row with a fault, or 0 if there is none
	changedFrame uint64 // the last frame in which the cells changed
}

type flipbookLanes = struct {
	First, Count []int32
	Rate         []float32
	Start        []float64
	Once         []bool
}

// updateCells computes the current cells. updateCells is called after the culling of all views.
func (r *flipbookJob) updateCells(errs []error) []error {
	if !r.hasCells.Load() {
		return errs
	}
	n := len(r.scene.slots.list)
	r.slotCells = grow(r.slotCells, n)
	if err := r.scene.runJob(r, n, slotsPerWord); err != nil {
		for i := range r.slotCells {
			r.slotCells[i].slotBuild = 0
		}
		return append(errs, fmt.Errorf("render: cells: %w", err))
	}
	if r.hasFaults.Swap(false) {
		errs = r.reportFaults(errs)
	}
	return errs
}

// RunRange computes the cells of the slots [lo, hi).
func (r *flipbookJob) RunRange(_ *jobs.Task, lo, hi int) {
	c := r.scene
	t := c.frame.Elapsed
	for i := lo; i < hi; i++ {
		s, at := &c.slots.list[i], &r.slotCells[i]
		if !s.hasCells || at.slotBuild == s.builtAt && at.looksVersion == c.looks.assetsVersion && (!at.animated || at.time == t) || !c.slotSeen(i) {
			continue
		}
		m := c.looks.all[s.lookIndex].material
		if m == nil {
			continue
		}
		if at.updateCells(&c.slots.lanes[i], t, int32(m.Cells())) || at.slotBuild != s.builtAt {
			at.changedFrame = c.frame.Number
		}
		at.slotBuild, at.looksVersion, at.time = s.builtAt, c.looks.assetsVersion, t
		if at.faultyRow > 0 {
			r.hasFaults.Store(true)
		}
	}
}

// updateCells computes the cells of the rows of a chunk, and reports whether they have changed.
func (r *flipbookCells) updateCells(l *columnLanes, t float64, cells int32) (changed bool) {
	r.animated, r.faultyRow = false, 0
	if l.labels.Cells != nil {
		r.cells = nil
		for i := range l.labels.Cells {
			if !l.labels.fitsCells(i, cells) {
				r.faultyRow = int32(i + 1)
			}
		}
		return false
	}
	n := len(l.flipbooks.First)
	r.cells = grow(r.cells, n)
	for i := range r.cells {
		k, ok := cellAt(&l.flipbooks, i, t, cells)
		if !ok {
			r.faultyRow = int32(i + 1)
		}
		r.animated = r.animated || l.flipbooks.Rate[i] != 0
		if r.cells[i] != k {
			r.cells[i], changed = k, true
		}
	}
	return changed
}

// slotSeen reports whether a camera sees a row of a slot.
func (s *scene) slotSeen(i int) bool {
	for _, e := range s.cameraViews {
		if e.hasPlanes && e.culledBuild != 0 && e.visibleCounts[i] > 0 {
			return true
		}
	}
	return false
}

// cellsChangedFor reports whether a row that a view sees now shows another cell. The result copied says
// whether the batches of the view contain copies of such cells.
func (r *flipbookJob) cellsChangedFor(e *cameraView) (fresh, copied bool) {
	if !r.hasCells.Load() {
		return false, false
	}
	for i := range e.scene.slots.list {
		s := &e.scene.slots.list[i]
		if s.hasCells && e.visibleCounts[i] > 0 && r.slotCells[i].changedFrame == e.scene.frame.Number {
			fresh = true
			copied = copied || e.scene.looks.all[s.lookIndex].notOpaque
		}
	}
	return fresh, copied
}

// cellsOf returns the cells of the rows of a slot, or nil if the rows have no cells.
func (r *flipbookJob) cellsOf(i int32) []int32 {
	if !r.scene.slots.list[i].hasCells {
		return nil
	}
	return r.slotCells[i].cells
}

// reportFaults appends errors about rows that refer to cells that their material does not have.
// reportFaults appends one error for each material.
func (r *flipbookJob) reportFaults(errs []error) []error {
	c := r.scene
	for i := range r.slotCells {
		at := &r.slotCells[i]
		if at.faultyRow == 0 || !c.slots.list[i].hasCells {
			continue
		}
		row, l := int(at.faultyRow-1), &c.slots.lanes[i]
		at.faultyRow = 0
		m := c.looks.all[c.slots.list[i].lookIndex].material
		if m == nil || c.badCellMaterials[l.look.Material] {
			continue
		}
		c.badCellMaterials[l.look.Material] = true
		what := ""
		if l.labels.Cells != nil {
			what = fmt.Sprintf("Label shows the cells %v", l.labels.Cells[row][:min(int(l.labels.Length[row]), maxLabelCells)])
		} else {
			b := &l.flipbooks
			what = fmt.Sprintf("Flipbook has First %d, Count %d, Rate %v and Start %v", b.First[row], b.Count[row], b.Rate[row], b.Start[row])
		}
		errs = append(errs, fmt.Errorf("render: entity %v: the %s, and material %q has %d cells, from 0 (%d columns, %d rows): the nearest is shown; give it cells that there are, and finite numbers: %w",
			l.entities[row], what, m.Name, m.Cells(), m.Columns, m.Rows, ecs.ErrState))
	}
	return errs
}
