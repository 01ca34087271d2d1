package near

import (
	"fmt"

	"github.com/lanewise/lanewise/kernels"
)

// Run is some rows behind each other: from Lo up to and without Hi.
type Run struct{ Lo, Hi int32 }

// AppendRuns appends runs of rows: all points within r of p are among them, and others.
// They are in order, none is empty and none touches the next one. In a periodic space
// p may be outside.
//
// It panics if r is negative or NaN, or if points were added and not sorted.
func (g *Grid[T]) AppendRuns(runs []Run, p Point[T], r T) []Run {
	g.ready("Grid.AppendRuns")
	notNegative("Grid.AppendRuns", r)
	if !g.finite(p) {
		return runs
	}
	return g.appendRuns(runs, g.inside(p), r)
}

// notNegative panics if a radius is negative or NaN.
func notNegative[T kernels.Float](name string, r T) {
	if !(r >= 0) {
		panic(fmt.Sprintf("near: %s: r is %v: a distance is not negative", name, r))
	}
}

// finite reports whether the coordinates of a point are that the space has.
func (g *Grid[T]) finite(p Point[T]) bool {
	return finite(p.X) && finite(p.Y) && (g.dims == 2 || finite(p.Z))
}

// inside returns the coordinates of a point, which is finite: its image inside, if the
// space is periodic.
func (g *Grid[T]) inside(p Point[T]) [3]T {
	q := lanes(p)
	for a := range q {
		q[a] = g.axes[a].wrap(q[a])
	}
	if g.dims == 2 {
		q[2] = 0
	}
	return q
}

// appendRuns does it for a point inside.
func (g *Grid[T]) appendRuns(runs []Run, p [3]T, r T) []Run {
	var lo, hi [3]int32
	for a := range g.axes {
		axis := &g.axes[a]
		reach := axis.reach(r)
		lo[a], hi[a] = axis.cell(p[a]-reach)-axis.first, axis.cell(p[a]+reach)-axis.first
	}
	return g.appendBox(runs, lo, hi)
}

// folds reports whether cells are shared.
func (g *Grid[T]) folds() bool { return g.axes[0].folded || g.axes[1].folded || g.axes[2].folded }

// cellOf returns the number of the cell that a point is in, which is finite.
func (g *Grid[T]) cellOf(p [3]T) int {
	var c [3]int32
	for a := range g.axes {
		axis := &g.axes[a]
		c[a] = axis.cell(axis.wrap(p[a])) - axis.first
	}
	z, imageZ := g.axes[2].place(c[2], 0)
	y, imageY := g.axes[1].place(c[1], shift(imageZ, 0))
	x, _ := g.axes[0].place(c[0], shift(imageZ, imageY))
	return (int(z)*int(g.axes[1].cells)+int(y))*int(g.axes[0].cells) + int(x)
}

// spans are the cells of an axis that a range of numbers has, in order.
type spans struct {
	lo, hi [2]int32
	n      int
	whole  bool // all cells, whatever the image
}

// spans returns the cells from lo to hi, the axis being shifted.
func (a *axis[T]) spans(lo, hi, shift int32) spans {
	last := a.cells - 1
	switch {
	case a.folded && hi-lo >= last || a.side > 0 && hi-lo >= a.inBox-1:
		return spans{hi: [2]int32{last}, n: 1, whole: true}
	case a.folded:
		lo, hi = (lo+shift)&last, (hi+shift)&last
	case a.side > 0:
		lo, hi = modulo(lo, a.inBox), modulo(hi, a.inBox)
		around := lo > hi
		if lo, hi = a.kept(lo), a.kept(hi); around && lo <= hi { // what is between them is left out
			return spans{hi: [2]int32{last}, n: 1}
		}
	default:
		return spans{lo: [2]int32{a.kept(max(lo, 0))}, hi: [2]int32{a.kept(max(hi, 0))}, n: 1}
	}
	if lo <= hi {
		return spans{lo: [2]int32{lo}, hi: [2]int32{hi}, n: 1}
	}
	return spans{lo: [2]int32{0, lo}, hi: [2]int32{hi, last}, n: 2}
}

// modulo returns c between 0 and n.
func modulo(c, n int32) int32 {
	if c %= n; c < 0 {
		c += n
	}
	return c
}

// image returns which image the cell at a place is of, among those from lo on.
func (a *axis[T]) image(at, lo, shift int32) int32 {
	if !a.folded {
		return 0
	}
	return (lo + (at-shift-lo)&(a.cells-1)) >> a.bits
}

// appendOwn appends the runs of a box of cells, where no cells are shared.
func (g *Grid[T]) appendOwn(runs []Run, lo, hi [3]int32) []Run {
	first := len(runs)
	xs, ys, zs := g.axes[0].spans(lo[0], hi[0], 0), g.axes[1].spans(lo[1], hi[1], 0), g.axes[2].spans(lo[2], hi[2], 0)
	across, down := int(g.axes[0].cells), int(g.axes[1].cells)
	for i := range zs.n {
		for z := int(zs.lo[i]); z <= int(zs.hi[i]); z++ {
			for j := range ys.n {
				for y := int(ys.lo[j]); y <= int(ys.hi[j]); y++ {
					row := (z*down + y) * across
					for k := range xs.n {
						runs = join(runs, first, Run{g.start[row+int(xs.lo[k])], g.start[row+int(xs.hi[k])+1]})
					}
				}
			}
		}
	}
	return runs
}

// appendBox appends the runs of a box of cells.
func (g *Grid[T]) appendBox(runs []Run, lo, hi [3]int32) []Run {
	if !g.folds() {
		return g.appendOwn(runs, lo, hi)
	}
	first := len(runs)
	az := &g.axes[2]
	zs := az.spans(lo[2], hi[2], 0)
	for i := range zs.n {
		for z := zs.lo[i]; z <= zs.hi[i]; z++ {
			runs = appendLayer(g, runs, first, z, az.image(z, lo[2], 0), az.folded && zs.whole, &lo, &hi)
		}
	}
	return runs
}

// appendLayer appends the runs of the cells of a box in one layer, of whose images is imageZ. It is one of each
// image if all layers are asked for; then rows and columns that fold are taken whole, and so once.
func appendLayer[T kernels.Float](g *Grid[T], runs []Run, first int, z, imageZ int32, each bool, lo, hi *[3]int32) []Run {
	ax, ay := &g.axes[0], &g.axes[1]
	shiftY := shift(imageZ, 0)
	ys := ay.spans(lo[1], hi[1], shiftY)
	if each && ay.folded {
		ys = ay.all()
	}
	for j := range ys.n {
		for y := ys.lo[j]; y <= ys.hi[j]; y++ {
			xs := ax.spans(lo[0], hi[0], shift(imageZ, ay.image(y, lo[1], shiftY)))
			if ax.folded && (each || ay.folded && ys.whole) {
				xs = ax.all()
			}
			row := (int(z)*int(ay.cells) + int(y)) * int(ax.cells)
			for k := range xs.n {
				runs = join(runs, first, Run{g.start[row+int(xs.lo[k])], g.start[row+int(xs.hi[k])+1]})
			}
		}
	}
	return runs
}

// all returns all cells of an axis.
func (a *axis[T]) all() spans { return spans{hi: [2]int32{a.cells - 1}, n: 1, whole: true} }

// join appends a run behind those from first on.
func join(runs []Run, first int, r Run) []Run {
	if r.Lo == r.Hi {
		return runs
	}
	if n := len(runs); n > first && runs[n-1].Hi == r.Lo {
		runs[n-1].Hi = r.Hi
		return runs
	}
	return append(runs, r)
}
