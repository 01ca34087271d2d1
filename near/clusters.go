package near

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// Errors of Clusters. A returned error names the point and its position, and wraps one of these.
var (
	ErrNotFinite = errors.New("a coordinate is not finite: take shorter steps, or look for two points in one place")
	ErrOutside   = errors.New("the point is outside of the walled box: move it back, or use a space that is Periodic or Endless")
)

// clusterChunk is the largest width of a cluster. Rows are ordered so that each aligned group of 4, 8 or 16 of them is compact.
const clusterChunk = 16

// Clusters is a cluster pair list: a Verlet list with a skin, for kernels
// whose vectors hold several rows. A cluster consists of Width consecutive rows. It has
// one list of the rows that are near any of its rows. So a kernel loads one neighbour
// and uses it for all rows of a vector.
//
// It owns the positions. Build sorts them, so that consecutive rows are close
// to each other. The program moves the points of At. Move makes a new list
// when the old list may have become incomplete. In a periodic space, All
// contains first the rows and then the images (ghost atoms), which are copies
// of the points near a boundary. So a kernel needs no minimum image, and the
// box may be narrower than the cutoff.
//
// For row i, the rows of All that may be within the cutoff are
// list[start[i/width]:start[i/width+1]]. List returns start and list, and width
// is ListWidth. The row itself is one of them.
//
// The order of the rows, and the order of the neighbours of one row, do not
// depend on Width or on Pool. So a sum over the neighbours within the cutoff has the
// same bits for every Width and every Pool.
type Clusters[T kernels.Float] struct {
	// Pool builds lists on its workers; with nil the caller does all the work.
	// The result is the same.
	Pool *jobs.Pool
	// Width is the number of rows of a cluster: 1, 2, 4, 8 or 16. With 0, Build
	// takes the number of rows in a vector of the current path, and at least 4.
	// A wider cluster has fewer, but longer lists.
	Width int

	space        Space[T]
	axes         [3]axis[T] // of the space, for wrapping
	cutoff, skin T
	reach        T // the radius of the list, with a margin for rounding
	rows, width  int
	all          [3][]T // the rows, then the images
	ids          []int32
	order        []int32
	source       []int32 // the row of each image
	shift        [3][]T  // the displacement of each image from its row
	listed       [3][]T  // positions of the rows when the list was made
	moved        []T     // distances of the rows from there
	list         clusterBuilder[T]
	layout       clusterLayout[T]
	next         clusterRows[T] // of the list that is being made
	spare        [3][]T
	spareIDs     []int32
	moveBody     func(lo, hi int)
	followBody   func(lo, hi int)
}

// NewClusters returns a list without points, for pairs that are at most cutoff
// apart. The list has all pairs up to cutoff+skin, so it remains complete until
// a point has moved by half of the skin. A wide skin makes lists longer, and
// Move makes them less often.
//
// The space has three dimensions. In a periodic space, a point that has left the box is
// moved to its image inside the box when a list is made. In a walled space, a point
// outside is an error. Cell and Part are not used.
//
// It panics in four cases: Dims is not 3, a box has no volume, cutoff is not a length above 0, or
// skin is negative or not finite.
func NewClusters[T kernels.Float](space Space[T], cutoff, skin T) *Clusters[T] {
	space.Cell = cutoff
	switch {
	case space.Dims != 3:
		panic(fmt.Sprintf("near: NewClusters: Dims is %d, and clusters are for 3", space.Dims))
	case space.Part != Part{}:
		panic("near: NewClusters: Part is for a Grid: a list of clusters has all points of the space")
	case !(cutoff > 0) || !finite(cutoff):
		panic(fmt.Sprintf("near: NewClusters: cutoff is %v: it must be a length above 0", cutoff))
	case !(skin >= 0) || !finite(skin):
		panic(fmt.Sprintf("near: NewClusters: skin is %v: a length, or 0 for a list that is made in each step", skin))
	}
	if low, high := coords(space.Low), coords(space.High); space.Border != Endless {
		for a := range 3 {
			if side := high[a] - low[a]; !(side > 0) || !finite(side+T(4*(cutoff+skin))) {
				panic(fmt.Sprintf("near: NewClusters: the box reaches from %v to %v along %s: High is to be above Low, and their distance a number", low[a], high[a], "XYZ"[a:a+1]))
			}
			space.Cell = max(space.Cell, T((high[a]-low[a])/64))
		}
	}
	space.check()
	c := &Clusters[T]{space: space, axes: space.axes(), cutoff: cutoff, skin: skin}
	far := T(0) // images are rounded to the coordinates that they have
	for a := range c.axes {
		far = max(far, c.axes[a].period+max(c.axes[a].high, -c.axes[a].low))
	}
	c.reach = (&axis[T]{period: far}).searchRadius(cutoff + skin)
	c.moveBody, c.followBody = c.measure, c.follow
	c.layout.init(c)
	c.list.clusters, c.list.grid = c, &Grid[T]{dims: 3, boundary: Walled, axes: c.axes}
	c.list.body, c.list.limit = c.list.fillBlocks, maxPoints
	c.list.joinBody = c.list.joinBlocks
	if space.Border == Endless {
		c.list.grid.boundary = Endless
	}
	c.width = c.chooseWidth()
	c.list.start = append(c.list.start, 0)
	return c
}

// Build replaces all points by those of three lanes, orders them, and makes
// their list. A point's id is its index in the lanes. The lanes are copied.
//
// It returns an error with ErrNotFinite or ErrOutside if a point has no position in the
// space, and an error with ErrTooMany if the list or the images would have more than
// 2^31-1 numbers. If it returns an error, it does not change the list. It panics if the
// lengths differ, or if Width is not 0, 1, 2, 4, 8 or 16.
func (c *Clusters[T]) Build(x, y, z []T) error {
	if len(y) != len(x) || len(z) != len(x) {
		panic(fmt.Sprintf("near: Clusters.Build: len(x) is %d, len(y) is %d, len(z) is %d", len(x), len(y), len(z)))
	}
	return c.build("Clusters.Build", [3][]T{x, y, z}, nil)
}

// Move continues after the program has changed the positions of At. It measures how far
// each row is from its position when the list was made. If no row has moved by more
// than half of the skin, Move only updates the positions of the images; the rows and
// the list do not change. Otherwise it orders the rows again, makes a new list, and
// returns true for rebuilt. In this case, bring the other columns into the new order
// with Reorder or Order. Rows keep their ids.
//
// It returns the same errors as Build. If it returns an error, it does not change the
// rows, the list or the ids.
func (c *Clusters[T]) Move() (rebuilt bool, err error) {
	runRows(c.Pool, c.rows, c.moveBody)
	if c.rows == 0 || kernels.Max(c.moved) <= c.skin/2 && kernels.AllFinite(c.moved) {
		runRows(c.Pool, len(c.source), c.followBody)
		return false, nil
	}
	x := [3][]T{c.all[0][:c.rows], c.all[1][:c.rows], c.all[2][:c.rows]}
	if err := c.build("Clusters.Move", x, c.ids); err != nil {
		return false, err
	}
	return true, nil
}

// Len returns the number of points, which is the number of rows.
func (c *Clusters[T]) Len() int { return c.rows }

// At returns the positions of the points, by row. A program changes them, and
// calls Move. The lanes are valid until Build or Move makes a new list.
func (c *Clusters[T]) At() kernels.Vec3s[T] { return c.lanes(c.rows) }

// All returns the positions of the rows and then the positions of the
// images. The numbers of a list are indices of this result. The lanes are
// valid until Build or Move makes a new list.
func (c *Clusters[T]) All() kernels.Vec3s[T] { return c.lanes(c.rows + len(c.source)) }

func (c *Clusters[T]) lanes(n int) kernels.Vec3s[T] {
	return kernels.Vec3s[T]{X: c.all[0][:n:n], Y: c.all[1][:n:n], Z: c.all[2][:n:n]}
}

// List returns the list of all clusters. The rows of All that are near cluster
// i, which has the rows from i*ListWidth() on, are list[start[i]:start[i+1]].
// The slices are valid until Build or Move makes a new list.
func (c *Clusters[T]) List() (start, list []int32) { return c.list.start, c.list.row }

// ListWidth returns the number of rows of a cluster of the list.
func (c *Clusters[T]) ListWidth() int { return c.width }

// Cutoff returns the distance up to which the list has all pairs.
func (c *Clusters[T]) Cutoff() T { return c.cutoff }

// IDs returns the id of each row: its index in the lanes that Build got.
func (c *Clusters[T]) IDs() []int32 { return c.ids }

// Images returns, for each image in All, the row of which it is a copy.
func (c *Clusters[T]) Images() []int32 { return c.source }

// Order returns, for each row, the row that the same point had before the last list was
// made. After Build, this is the index of the point in the lanes of Build. So
// kernels.Gather with this order brings a column into the order of rows.
func (c *Clusters[T]) Order() []int32 { return c.order }

// Reorder brings other columns of the points, for example velocities, into the
// order of rows, after Build or after a Move that returned true.
//
// It panics if a lane does not have one element for each row.
func (c *Clusters[T]) Reorder(lanes ...[]T) {
	for _, lane := range lanes {
		if len(lane) != c.rows {
			panic(fmt.Sprintf("near: Clusters.Reorder: a lane has %d elements, and there are %d rows", len(lane), c.rows))
		}
		c.spare[0] = resizeSlice(c.spare[0], c.rows)
		kernels.Gather(c.spare[0], lane, c.order)
		copy(lane, c.spare[0])
	}
}

// Range calls body for parts of the rows: each begins with the first row of a
// cluster. With a Pool, its workers call it at the same time. All parts are
// done first. If several parts fail, Range returns the error of the part with the
// lowest rows. It can also return an error of the pool.
func (c *Clusters[T]) Range(body func(lo, hi int) error) error {
	if c.Pool == nil {
		return body(0, c.rows)
	}
	var failed struct {
		sync.Mutex
		lo  int
		err error
	}
	err := c.Pool.RangeFor(body, len(c.list.start)-1, 0, func(lo, hi int) {
		if err := body(lo*c.width, min(hi*c.width, c.rows)); err != nil {
			failed.Lock()
			defer failed.Unlock()
			if failed.err == nil || lo < failed.lo {
				failed.lo, failed.err = lo, err
			}
		}
	})
	if failed.err != nil {
		return failed.err
	}
	return err
}

// build orders points and makes their list. ids holds the ids of the points; it is nil if they are
// 0, 1, 2 …
func (c *Clusters[T]) build(name string, from [3][]T, ids []int32) error {
	width := c.chooseWidth()
	n := len(from[0])
	if int64(n) > maxPoints {
		return fmt.Errorf("near: %s: there are %d points: %w", name, n, ErrTooMany)
	}
	if err := c.check(name, from, ids); err != nil {
		return err
	}
	for a := range c.spare { // memory that is free until the new rows are complete
		c.spare[a] = resizeSlice(c.spare[a], n)
	}
	next := &c.next
	next.order, next.all = c.layout.sort(from, ids), c.spare
	if err := next.addImages(c); err != nil {
		return fmt.Errorf("near: %s: the box is %v wide, and the list has pairs up to %v: the images: %w", name, c.side(), c.reach, err)
	}
	if err := c.list.build(next, width); err != nil {
		return fmt.Errorf("near: %s: cutoff and skin are %v and %v: %w", name, c.cutoff, c.skin, err)
	}
	c.commit(next, ids, width)
	return nil
}

// clusterRows are the rows of a list that is being made.
type clusterRows[T kernels.Float] struct {
	order  []int32
	all    [3][]T
	source []int32
	shift  [3][]T
	found  []int32 // of addImages: the rows and images to copy
}

// commit replaces the rows and the list by the new rows, after their list is complete.
func (c *Clusters[T]) commit(next *clusterRows[T], ids []int32, width int) {
	n := len(next.order)
	c.spareIDs = resizeSlice(c.spareIDs, n)
	if ids == nil {
		copy(c.spareIDs, next.order)
	} else {
		kernels.Gather(c.spareIDs, ids, next.order)
	}
	c.ids, c.spareIDs = c.spareIDs, c.ids
	c.order, c.layout.order = next.order, c.order
	c.source, c.layout.source = next.source, c.source
	for a := range c.all {
		c.all[a], c.spare[a] = next.all[a], c.all[a]
		c.shift[a], c.layout.shift[a] = next.shift[a], c.shift[a]
		c.listed[a] = append(c.listed[a][:0], c.all[a][:n]...)
	}
	c.moved = resizeSlice(c.moved, n)
	c.rows, c.width = n, width
	c.list.swap()
}

// chooseWidth returns the number of rows of a cluster.
func (c *Clusters[T]) chooseWidth() int {
	switch c.Width {
	case 0:
		bytes := 4
		if isFloat64[T]() {
			bytes = 8
		}
		return min(max(4, kernels.VectorBytes()/bytes), clusterChunk)
	case 1, 2, 4, 8, 16:
		return c.Width
	}
	panic(fmt.Sprintf("near: Clusters: Width is %d: 0, 1, 2, 4, 8 or 16", c.Width))
}

// check returns an error if a point has no position in the space.
func (c *Clusters[T]) check(name string, from [3][]T, ids []int32) error {
	for a := range from {
		axis := &c.axes[a]
		for i, x := range from[a] {
			if !finite(x) || c.space.Border == Walled && !(x >= axis.low && x <= axis.high) {
				return c.misplaced(name, from, ids, i)
			}
		}
	}
	return nil
}

// misplaced returns the error for a point.
func (c *Clusters[T]) misplaced(name string, from [3][]T, ids []int32, i int) error {
	err, id := ErrOutside, int32(i)
	p := Point[T]{from[0][i], from[1][i], from[2][i]}
	if !p.finite() {
		err = ErrNotFinite
	}
	if ids != nil {
		id = ids[i]
	}
	return fmt.Errorf("near: %s: the point with id %d is at (%v, %v, %v): %w", name, id, p.X, p.Y, p.Z, err)
}

// side returns the shortest side of a periodic box.
func (c *Clusters[T]) side() T { return min(c.axes[0].period, c.axes[1].period, c.axes[2].period) }

// addImages adds the images of a periodic space. Along each axis, it copies the rows near a boundary. It also
// copies the images near a boundary that it has made along the axes before. So a point in a corner gets seven
// images.
func (r *clusterRows[T]) addImages(c *Clusters[T]) error {
	r.source = c.layout.source[:0]
	for a := range r.shift {
		r.shift[a] = c.layout.shift[a][:0]
	}
	n := len(r.all[0])
	if n == 0 {
		return nil
	}
	about := float64(n) // rows and images
	for a := range c.axes {
		if side := c.axes[a].period; side > 0 {
			about *= 1 + float64(2*float64(c.reach)/float64(side))
		}
	}
	if !(about <= maxPoints) {
		return ErrTooMany
	}
	for a := range c.axes {
		axis := &c.axes[a]
		if axis.period == 0 {
			continue
		}
		end, turns := len(r.all[0]), int(math.Ceil(float64(c.reach/axis.period)))
		for k := -turns; k <= turns; k++ {
			shift := T(T(k) * axis.period)
			if k == 0 {
				continue
			}
			r.found = r.found[:0]
			for i, x := range r.all[a][:end] {
				if x += shift; x >= axis.low-c.reach && x <= axis.high+c.reach {
					r.found = append(r.found, int32(i))
				}
			}
			if len(r.all[0])+len(r.found) > maxPoints {
				return ErrTooMany
			}
			r.copyFound(n, a, shift)
		}
	}
	return nil
}

// copyFound adds copies of the rows found, displaced along an axis. Rows from n on are images.
func (r *clusterRows[T]) copyFound(n, a int, shift T) {
	first, more := len(r.source), len(r.found)
	r.source = slices.Grow(r.source, more)[:first+more]
	for k, i := range r.found {
		if int(i) >= n {
			i = r.source[int(i)-n]
		}
		r.source[first+k] = i
	}
	for b := range r.all {
		r.shift[b] = slices.Grow(r.shift[b], more)[:first+more]
		r.all[b] = slices.Grow(r.all[b], more)[:n+first+more]
		for k, i := range r.found {
			by := T(0)
			if int(i) >= n {
				by = r.shift[b][int(i)-n]
			}
			if b == a {
				by += shift
			}
			r.shift[b][first+k] = by
			r.all[b][n+first+k] = r.all[b][r.source[first+k]] + by
		}
	}
}

// measure computes how far rows have moved since the list was made.
func (c *Clusters[T]) measure(lo, hi int) {
	now := kernels.Vec3s[T]{X: c.all[0][lo:hi], Y: c.all[1][lo:hi], Z: c.all[2][lo:hi]}
	then := kernels.Vec3s[T]{X: c.listed[0][lo:hi], Y: c.listed[1][lo:hi], Z: c.listed[2][lo:hi]}
	now.Distance(c.moved[lo:hi], &then)
	if c.space.Border != Walled || lo == hi {
		return
	}
	for a, x := range [3][]T{now.X, now.Y, now.Z} {
		if least, great := minMax(x); !(least >= c.axes[a].low && great <= c.axes[a].high) {
			c.moved[lo] = T(math.Inf(1)) // so that Move makes a new list, and finds the point that is outside
		}
	}
}

// follow updates the positions of images after their rows have moved.
func (c *Clusters[T]) follow(lo, hi int) {
	source := c.source[lo:hi]
	for a := range c.all {
		rows, images, shift := c.all[a][:c.rows], c.all[a][c.rows+lo:c.rows+hi], c.shift[a][lo:hi]
		images, shift = images[:len(source)], shift[:len(source)]
		for i, k := range source {
			images[i] = rows[k] + shift[i]
		}
	}
}

// runRows runs a body for rows, in parallel if there are many.
func runRows(pool *jobs.Pool, n int, body func(lo, hi int)) {
	if pool == nil || n < minParallel {
		body(0, n)
		return
	}
	if err := pool.Range(n, 0, body); err != nil {
		panic(err) // a fault of a body, because no argument can cause one
	}
}
