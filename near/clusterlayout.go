package near

import (
	"cmp"
	"math"
	"slices"

	"github.com/lanewise/lanewise/kernels"
)

// rowsAcross is the mean number of rows in a cube as wide as a column.
const rowsAcross = 16

// A clusterLayout orders points so that consecutive ones are close to each other. The box is divided into
// columns along z. The order goes through the columns one after the other: z increases in one column and
// decreases in the next. So the end of a column is close to the beginning of the next one. Then each chunk of
// 16 rows is divided into halves by x, and the rows of each half are sorted by y.
//
// The order depends only on the positions and ids; it does not depend on the width of clusters or
// on the workers.
type clusterLayout[T kernels.Float] struct {
	order, source []int32 // memory for the next list
	shift         [3][]T
	bins          []int32 // of each point
	next          []int32
	keys          []clusterKey[T]
}

// A clusterKey is a point with the coordinate by which it is sorted.
type clusterKey[T kernels.Float] struct {
	along T     // z, or -z in a column that is followed downwards
	id    int32 // decides between equal ones
	point int32
}

// sort returns the points in the order of rows.
func (l *clusterLayout[T]) sort(c *Clusters[T], from [3][]T, ids []int32) []int32 {
	n := len(from[0])
	box := l.extent(c, from)
	count := l.assignBins(c, &box, from)
	l.next = resizeSlice(l.next, count)
	clear(l.next)
	for _, b := range l.bins {
		l.next[b]++
	}
	at := int32(0)
	for b, k := range l.next {
		l.next[b], at = at, at+k
	}
	l.keys = resizeSlice(l.keys, n)
	down := int(box.cells[2])
	for i, b := range l.bins {
		id, z := int32(i), c.axes[2].wrap(from[2][i])
		if ids != nil {
			id = ids[i]
		}
		if int(b)/down&1 != 0 {
			z = -z
		}
		l.keys[l.next[b]] = clusterKey[T]{z, id, int32(i)}
		l.next[b]++
	}
	first := int32(0)
	for _, end := range l.next {
		sortKeys(l.keys[first:end])
		first = end
	}
	for lo := 0; lo < n; lo += clusterChunk {
		l.split(c, from, l.keys[lo:min(lo+clusterChunk, n)])
	}
	l.order = resizeSlice(l.order, n)
	for i := range l.keys {
		l.order[i] = l.keys[i].point
	}
	return l.order
}

// split sorts a chunk of rows by x, and then sorts each half of the chunk by y.
func (l *clusterLayout[T]) split(c *Clusters[T], from [3][]T, chunk []clusterKey[T]) {
	l.sortAlong(c, 0, from[0], chunk)
	l.sortAlong(c, 1, from[1], chunk[:min(clusterChunk/2, len(chunk))])
	l.sortAlong(c, 1, from[1], chunk[min(clusterChunk/2, len(chunk)):])
}

func (l *clusterLayout[T]) sortAlong(c *Clusters[T], a int, x []T, keys []clusterKey[T]) {
	for i := range keys {
		keys[i].along = c.axes[a].wrap(x[keys[i].point])
	}
	sortKeys(keys)
}

// sortKeys sorts by coordinate and then by id.
func sortKeys[T kernels.Float](keys []clusterKey[T]) {
	if len(keys) > 32 {
		slices.SortFunc(keys, func(a, b clusterKey[T]) int {
			return cmp.Or(cmp.Compare(a.along, b.along), cmp.Compare(a.id, b.id))
		})
		return
	}
	for i := 1; i < len(keys); i++ {
		k := keys[i]
		j := i
		for ; j > 0 && (k.along < keys[j-1].along || k.along == keys[j-1].along && k.id < keys[j-1].id); j-- {
			keys[j] = keys[j-1]
		}
		keys[j] = k
	}
}

// A clusterBox is the box that columns divide.
type clusterBox[T kernels.Float] struct {
	low   [3]T
	scale [3]T // cells per length
	cells [3]int32
}

// extent returns the box of the points and the number of bins along its axes.
func (l *clusterLayout[T]) extent(c *Clusters[T], from [3][]T) (box clusterBox[T]) {
	n := len(from[0])
	var side [3]float64
	for a := range side {
		low, high := c.axes[a].low, c.axes[a].high
		if c.space.Border == Endless && n > 0 {
			low, high = slices.Min(from[a]), slices.Max(from[a])
		}
		box.low[a], side[a] = low, float64(high)-float64(low)
	}
	// The columns are not wider than a flat or thin box. If the box has no extent along x and y, all points are in
	// one column.
	width := kernels.CbrtOf(side[0] * side[1] * side[2] / float64(max(n, 1)) * rowsAcross)
	width = max(width, math.Sqrt(side[0]*side[1]/float64(max(n, 1))), max(side[0], side[1])/float64(1<<14))
	columns := 1.0
	for a := range 2 {
		k := 1.0
		if width > 0 && !math.IsInf(side[a], 0) && !math.IsInf(width, 0) {
			k = min(max(1, math.Floor(side[a]/width)), float64(max(n, 1)))
		}
		box.setCells(a, k, side[a])
		columns *= k
	}
	box.setCells(2, max(1, math.Floor(float64(n)/columns)), side[2])
	return box
}

// setCells divides an axis.
func (b *clusterBox[T]) setCells(a int, n, side float64) {
	b.cells[a] = int32(n)
	if scale := T(n / side); side > 0 && finite(scale) {
		b.scale[a] = scale
	}
}

// cell returns the number of the cell of a coordinate along an axis.
func (b *clusterBox[T]) cell(a int, x T) int32 {
	return min(max(kernels.ToInt32(T((x-b.low[a])*b.scale[a])), 0), b.cells[a]-1)
}

// assignBins computes the bin of each point, and returns the number of bins. A bin is a cell of a column.
func (l *clusterLayout[T]) assignBins(c *Clusters[T], box *clusterBox[T], from [3][]T) int {
	l.bins = resizeSlice(l.bins, len(from[0]))
	across, down := box.cells[1], box.cells[2]
	for i := range l.bins {
		x, y := box.cell(0, c.axes[0].wrap(from[0][i])), box.cell(1, c.axes[1].wrap(from[1][i]))
		z := box.cell(2, c.axes[2].wrap(from[2][i]))
		if x&1 != 0 {
			y = across - 1 - y
		}
		column := x*across + y
		if column&1 != 0 {
			z = down - 1 - z
		}
		l.bins[i] = column*down + z
	}
	return int(box.cells[0]) * int(across) * int(down)
}
