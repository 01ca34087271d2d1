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
	clusters *Clusters[T]
	from     [3][]T // the points while they are sorted
	ids      []int32
	box      clusterBox[T]

	// These are the steps that the workers share, as functions of their parts.
	assignBody, sortBody, splitBody func(lo, hi int)

	order, source []int32 // memory for the next list
	shift         [3][]T
	bins          []int32 // of each point
	next          []int32 // the end of each bin in keys
	keys          []clusterKey[T]
}

// A clusterKey is a point with the coordinate by which it is sorted.
type clusterKey[T kernels.Float] struct {
	along T     // z, or -z in a column that is followed downwards
	id    int32 // decides between equal ones
	point int32
}

// init prepares the layout of a list.
func (l *clusterLayout[T]) init(c *Clusters[T]) {
	l.clusters = c
	l.assignBody, l.sortBody, l.splitBody = l.assignBins, l.sortBins, l.splitChunks
}

// sort returns the points in the order of rows, and writes their positions inside the box to the list's spare lanes, which
// must have their length.
func (l *clusterLayout[T]) sort(from [3][]T, ids []int32) []int32 {
	n, pool := len(from[0]), l.clusters.Pool
	if n < minParallel {
		pool = nil
	}
	l.from, l.ids, l.box = from, ids, l.extent(l.clusters, from)
	defer func() { l.from, l.ids = [3][]T{}, nil }()
	l.bins = resizeSlice(l.bins, n)
	runRows(pool, n, l.assignBody)
	l.next = resizeSlice(l.next, l.box.bins())
	clear(l.next)
	for _, b := range l.bins {
		l.next[b]++
	}
	at := int32(0)
	for b, k := range l.next {
		l.next[b], at = at, at+k
	}
	l.keys = resizeSlice(l.keys, n)
	down, z := l.box.cells[2], &l.clusters.axes[2]
	for i, b := range l.bins {
		k := clusterKey[T]{z.wrap(from[2][i]), int32(i), int32(i)}
		if ids != nil {
			k.id = ids[i]
		}
		if b/down&1 != 0 {
			k.along = -k.along
		}
		l.keys[l.next[b]] = k
		l.next[b]++
	}
	runRows(pool, len(l.next), l.sortBody)
	l.order = resizeSlice(l.order, n)
	chunks := (n + clusterChunk - 1) / clusterChunk
	if pool == nil {
		l.splitChunks(0, chunks)
	} else if err := pool.Range(chunks, 0, l.splitBody); err != nil {
		panic(err) // a fault of a body, because no argument can cause one
	}
	return l.order
}

// sortBins sorts the points of each bin.
func (l *clusterLayout[T]) sortBins(lo, hi int) {
	first := int32(0)
	if lo > 0 {
		first = l.next[lo-1]
	}
	for _, end := range l.next[lo:hi] {
		sortKeys(l.keys[first:end])
		first = end
	}
}

// splitChunks sorts the points of each chunk, and writes their order and positions.
func (l *clusterLayout[T]) splitChunks(lo, hi int) {
	c, to := l.clusters, min(hi*clusterChunk, len(l.keys))
	for at := lo * clusterChunk; at < to; at += clusterChunk {
		l.split(c, l.from, l.keys[at:min(at+clusterChunk, to)])
	}
	lo *= clusterChunk
	order := l.order[lo:to]
	for i := range order {
		order[i] = l.keys[lo+i].point
	}
	for a := range c.spare {
		axis, x, wrapped := &c.axes[a], l.from[a], c.spare[a][lo:to]
		for i, k := range order {
			wrapped[i] = axis.wrap(x[k])
		}
	}
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

// bins returns the number of bins. A bin is a cell of a column.
func (b *clusterBox[T]) bins() int { return int(b.cells[0]) * int(b.cells[1]) * int(b.cells[2]) }

// assignBins computes the bins of points.
func (l *clusterLayout[T]) assignBins(lo, hi int) {
	box, axes := &l.box, &l.clusters.axes
	across, down := box.cells[1], box.cells[2]
	for i := lo; i < hi; i++ {
		x, y := box.cell(0, axes[0].wrap(l.from[0][i])), box.cell(1, axes[1].wrap(l.from[1][i]))
		z := box.cell(2, axes[2].wrap(l.from[2][i]))
		if x&1 != 0 {
			y = across - 1 - y
		}
		column := x*across + y
		if column&1 != 0 {
			z = down - 1 - z
		}
		l.bins[i] = column*down + z
	}
}
