package near

import (
	"fmt"

	"github.com/lanewise/lanewise/kernels"
)

// Run is a range of rows: Lo is the first row, and Hi is one more than the last.
type Run struct{ Lo, Hi int32 }

// AppendRuns appends runs of rows that contain all points within r of p. The runs may contain other
// points too. The runs are in ascending order, none is empty, and no two touch. In a periodic
// space, p may be outside of the box.
//
// AppendRuns panics if r is negative or NaN, or if points were added and not sorted.
func (g *Grid[T]) AppendRuns(runs []Run, p Point[T], r T) []Run {
	g.checkSorted("Grid.AppendRuns")
	checkRadius("Grid.AppendRuns", r)
	if !g.isFinite(p) {
		return runs
	}
	return g.appendRuns(runs, g.wrapPoint(p), r)
}

// checkRadius panics if a radius is negative or NaN.
func checkRadius[T kernels.Float](name string, r T) {
	if !(r >= 0) {
		panic(fmt.Sprintf("near: %s: r is %v: a distance is not negative", name, r))
	}
}

// isFinite reports whether the coordinates that the space uses are finite.
func (g *Grid[T]) isFinite(p Point[T]) bool {
	return finite(p.X) && finite(p.Y) && (g.dims == 2 || finite(p.Z))
}

// wrapPoint returns the coordinates of a finite point. In a periodic space it returns the
// coordinates of the point's image inside the box.
func (g *Grid[T]) wrapPoint(p Point[T]) [3]T {
	q := coords(p)
	for a := range q {
		q[a] = g.axes[a].wrap(q[a])
	}
	if g.dims == 2 {
		q[2] = 0
	}
	return q
}

// appendRuns does the work of AppendRuns for a wrapped point.
func (g *Grid[T]) appendRuns(runs []Run, p [3]T, r T) []Run {
	var lo, hi [3]int32
	for a := range g.axes {
		axis := &g.axes[a]
		reach := axis.searchRadius(r)
		lo[a], hi[a] = axis.cellNumber(p[a]-reach)-axis.first, axis.cellNumber(p[a]+reach)-axis.first
	}
	return g.appendBox(runs, lo, hi)
}

// sharesCells reports whether a hash maps several cells to one.
func (g *Grid[T]) sharesCells() bool { return g.axes[0].shared || g.axes[1].shared || g.axes[2].shared }

// cellOf returns the number of the cell of a finite point.
func (g *Grid[T]) cellOf(p [3]T) int {
	var c [3]int32
	for a := range g.axes {
		axis := &g.axes[a]
		c[a] = axis.cellNumber(axis.wrap(p[a])) - axis.first
	}
	z, imageZ := g.axes[2].cellAndImage(c[2], 0)
	y, imageY := g.axes[1].cellAndImage(c[1], hashShift(imageZ, 0))
	x, _ := g.axes[0].cellAndImage(c[0], hashShift(imageZ, imageY))
	return (int(z)*int(g.axes[1].cells)+int(y))*int(g.axes[0].cells) + int(x)
}

// cellSpans holds the cells of an axis that belong to a range of cell numbers. They form one
// span, or two spans if the range wraps around the end of the axis.
type cellSpans struct {
	lo, hi [2]int32
	count  int
	whole  bool // all cells, whatever the image
}

// cellSpans returns the cells from lo to hi on an axis with a shift.
func (a *axis[T]) cellSpans(lo, hi, shift int32) cellSpans {
	last := a.cells - 1
	switch {
	case a.shared && hi-lo >= last || a.period > 0 && hi-lo >= a.boxCells-1:
		return cellSpans{hi: [2]int32{last}, count: 1, whole: true}
	case a.shared:
		lo, hi = (lo+shift)&last, (hi+shift)&last
	case a.period > 0:
		lo, hi = floorMod(lo, a.boxCells), floorMod(hi, a.boxCells)
		around := lo > hi
		if lo, hi = a.clampToPart(lo), a.clampToPart(hi); around && lo <= hi { // the cells between them are omitted
			return cellSpans{hi: [2]int32{last}, count: 1}
		}
	default:
		return cellSpans{lo: [2]int32{a.clampToPart(max(lo, 0))}, hi: [2]int32{a.clampToPart(max(hi, 0))}, count: 1}
	}
	if lo <= hi {
		return cellSpans{lo: [2]int32{lo}, hi: [2]int32{hi}, count: 1}
	}
	return cellSpans{lo: [2]int32{0, lo}, hi: [2]int32{hi, last}, count: 2}
}

// floorMod returns c modulo n, which is at least 0.
func floorMod(c, n int32) int32 {
	if c %= n; c < 0 {
		c += n
	}
	return c
}

// imageOf returns the image of a kept cell in a range of cell numbers that begins with lo.
func (a *axis[T]) imageOf(at, lo, shift int32) int32 {
	if !a.shared {
		return 0
	}
	return (lo + (at-shift-lo)&(a.cells-1)) >> a.hashBits
}

// appendUnsharedBox appends the runs of a box of cells for the case that no cells are shared.
func (g *Grid[T]) appendUnsharedBox(runs []Run, lo, hi [3]int32) []Run {
	first := len(runs)
	xs, ys, zs := g.axes[0].cellSpans(lo[0], hi[0], 0), g.axes[1].cellSpans(lo[1], hi[1], 0), g.axes[2].cellSpans(lo[2], hi[2], 0)
	across, down := int(g.axes[0].cells), int(g.axes[1].cells)
	for i := range zs.count {
		for z := int(zs.lo[i]); z <= int(zs.hi[i]); z++ {
			for j := range ys.count {
				for y := int(ys.lo[j]); y <= int(ys.hi[j]); y++ {
					row := (z*down + y) * across
					for k := range xs.count {
						runs = appendRun(runs, first, Run{g.start[row+int(xs.lo[k])], g.start[row+int(xs.hi[k])+1]})
					}
				}
			}
		}
	}
	return runs
}

// appendBox appends the runs of a box of cells.
func (g *Grid[T]) appendBox(runs []Run, lo, hi [3]int32) []Run {
	if !g.sharesCells() {
		return g.appendUnsharedBox(runs, lo, hi)
	}
	first := len(runs)
	az := &g.axes[2]
	zs := az.cellSpans(lo[2], hi[2], 0)
	for i := range zs.count {
		for z := zs.lo[i]; z <= zs.hi[i]; z++ {
			runs = appendLayer(g, runs, first, z, az.imageOf(z, lo[2], 0), az.shared && zs.whole, &lo, &hi)
		}
	}
	return runs
}

// appendLayer appends the runs of the cells of a box in one layer of image
// imageZ. each is set if the box has all layers. In this case a layer stands for all
// its images. So if rows or columns of cells are shared, appendLayer appends all their
// cells, and each cell only once.
func appendLayer[T kernels.Float](g *Grid[T], runs []Run, first int, z, imageZ int32, each bool, lo, hi *[3]int32) []Run {
	ax, ay := &g.axes[0], &g.axes[1]
	shiftY := hashShift(imageZ, 0)
	ys := ay.cellSpans(lo[1], hi[1], shiftY)
	if each && ay.shared {
		ys = ay.allCells()
	}
	for j := range ys.count {
		for y := ys.lo[j]; y <= ys.hi[j]; y++ {
			xs := ax.cellSpans(lo[0], hi[0], hashShift(imageZ, ay.imageOf(y, lo[1], shiftY)))
			if ax.shared && (each || ay.shared && ys.whole) {
				xs = ax.allCells()
			}
			row := (int(z)*int(ay.cells) + int(y)) * int(ax.cells)
			for k := range xs.count {
				runs = appendRun(runs, first, Run{g.start[row+int(xs.lo[k])], g.start[row+int(xs.hi[k])+1]})
			}
		}
	}
	return runs
}

// allCells returns all cells of an axis.
func (a *axis[T]) allCells() cellSpans {
	return cellSpans{hi: [2]int32{a.cells - 1}, count: 1, whole: true}
}

// appendRun appends a run. If the new run begins where the last run ends, appendRun extends
// the last run instead. It does not extend runs before the index first.
func appendRun(runs []Run, first int, r Run) []Run {
	if r.Lo == r.Hi {
		return runs
	}
	if n := len(runs); n > first && runs[n-1].Hi == r.Lo {
		runs[n-1].Hi = r.Hi
		return runs
	}
	return append(runs, r)
}
