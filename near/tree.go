package near

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// Tree finds neighbours among points that are dense in some places and sparse
// in others, so that no cell width suits a [Grid]. It is a static kd-tree with
// a bounding box for each node. A search takes about as long in dense places as
// in sparse places, and longer at a point that is far from all points of the tree. Building a tree takes about fifty times
// as long as building a grid, and uses one worker. So a grid is better for evenly distributed points, and for a few searches among
// moving points. The space is unlimited.
//
// The rules for distances, and for points that are not finite, are exactly the same as for a grid.
// The order of rows differs from a grid's, but is the same on every machine. The zero value is a
// tree without points. A tree keeps its memory for the next Build. Several goroutines may search at
// once.
type Tree[T kernels.Float] struct {
	dims         int
	finitePoints int // number of finite points
	coords       [3][]T
	ids          []int32
	boxes        []box[T]   // of nodes: the children of node k are 2k+1 and 2k+2
	splits       []split[T] // of inner nodes
	innerNodes   int        // nodes with children
}

// box is the bounding box of a node's points.
type box[T any] struct{ low, high [3]T }

// A split says how a node is divided: along this axis, no point of the left child is above low, and no point of the right
// child is below high.
type split[T any] struct {
	low, high T
	axis      uint32
}

// leafRows is the largest number of points of a leaf.
const leafRows = 8

// Build replaces all points by the points of three lanes. In a plane, z is nil. Build copies the
// points.
//
// Build panics if the lengths differ, or if there are more than 2^31-1 points.
func (t *Tree[T]) Build(x, y, z []T) {
	if len(y) != len(x) || z != nil && len(z) != len(x) {
		panic(fmt.Sprintf("near: Tree.Build: len(x) is %d, len(y) is %d, len(z) is %d; in a plane z is nil", len(x), len(y), len(z)))
	}
	if int64(len(x)) > maxPoints {
		panic(fmt.Sprintf("near: Tree.Build: there are %d points, the most is %d", len(x), maxPoints))
	}
	t.dims = 3
	if z == nil {
		t.dims = 2
	}
	t.copyPoints([3][]T{x, y, z})
	t.innerNodes = 0
	for rows := t.finitePoints; rows > leafRows; rows = (rows + 1) / 2 {
		t.innerNodes = 2*t.innerNodes + 1
	}
	t.boxes, t.splits = resizeSlice(t.boxes, 2*t.innerNodes+1), resizeSlice(t.splits, t.innerNodes)
	if t.finitePoints > 0 {
		t.buildNode(0, 0, t.finitePoints)
	}
}

// copyPoints copies the finite points in their order. The ids of the other points follow, also in
// order.
func (t *Tree[T]) copyPoints(from [3][]T) {
	x, y, z := from[0], from[1], from[2]
	n := len(x)
	for a := range t.dims { // new memory if a lane is one of At
		if kernels.Overlap(t.coords[a][:cap(t.coords[a])], x) || kernels.Overlap(t.coords[a][:cap(t.coords[a])], y) || kernels.Overlap(t.coords[a][:cap(t.coords[a])], z) {
			t.coords[a] = nil
		}
		t.coords[a] = resizeSlice(t.coords[a], n)
	}
	t.ids = resizeSlice(t.ids, n)
	t.finitePoints = 0
	point := func(i int) Point[T] {
		p := Point[T]{X: x[i], Y: y[i]}
		if z != nil {
			p.Z = z[i]
		}
		return p
	}
	for i := range x {
		if p := point(i); !p.finite() {
			continue
		}
		for a := range t.dims {
			t.coords[a][t.finitePoints] = from[a][i]
		}
		t.ids[t.finitePoints] = int32(i)
		t.finitePoints++
	}
	nowhere := n
	for i := n - 1; i >= 0; i-- {
		if p := point(i); !p.finite() {
			nowhere--
			t.ids[nowhere] = int32(i)
		}
	}
}

// buildNode builds node k of the rows from lo to hi. It divides the rows into two halves of equal size by their order
// along the longest side of the box. Rows with equal coordinates are ordered by id.
func (t *Tree[T]) buildNode(k, lo, hi int) {
	b, long, length := &t.boxes[k], 0, T(-1)
	for a := range t.dims {
		lane := t.coords[a][lo:hi]
		least, great := lane[0], lane[0]
		for _, x := range lane[1:] {
			least, great = min(least, x), max(great, x)
		}
		b.low[a], b.high[a] = least, great
		if side := great - least; side > length {
			long, length = a, side
		}
	}
	if k >= t.innerNodes {
		for i := lo + 1; i < hi; i++ {
			for j := i; j > lo && t.ids[j] < t.ids[j-1]; j-- {
				t.swapRows(j, j-1)
			}
		}
		return
	}
	middle := lo + (hi-lo+1)/2
	t.selectNth(t.coords[long], lo, hi, middle)
	t.buildNode(2*k+1, lo, middle)
	t.buildNode(2*k+2, middle, hi)
	t.splits[k] = split[T]{t.boxes[2*k+1].high[long], t.boxes[2*k+2].low[long], uint32(long)}
}

// selectNth moves rows so that all rows before the middle are less than all rows after the middle
// (quickselect). The pivot is the median of nine. If the pivots are bad too often, a heap sort finishes the
// work.
func (t *Tree[T]) selectNth(lane []T, lo, hi, middle int) {
	less := func(i, j int) bool { return lane[i] < lane[j] || lane[i] == lane[j] && t.ids[i] < t.ids[j] }
	for turns := 4 * (hi - lo); hi-lo > 1; {
		if turns -= hi - lo; turns < 0 {
			t.heapSort(less, lo, hi)
			return
		}
		t.swapRows(lo, pivot(less, lo, hi))
		switch j := t.partition(lane, lo, hi); {
		case j == middle:
			return
		case j < middle:
			lo = j + 1
		default:
			hi = j
		}
	}
}

// pivot returns the median of nine rows from lo to hi, or the row in the middle if there are few
// rows.
func pivot(less func(i, j int) bool, lo, hi int) int {
	if hi-lo <= 40 {
		return lo + (hi-lo)/2
	}
	median := func(i, j, k int) int {
		if less(j, i) {
			i, j = j, i
		}
		if less(k, j) {
			if j = k; less(j, i) {
				j = i
			}
		}
		return j
	}
	step := (hi - lo) / 9
	c := func(k int) int { return lo + k*step }
	return median(median(c(0), c(1), c(2)), median(c(3), c(4), c(5)), median(c(6), c(7), c(8)))
}

// partition moves the rows that are less than row lo before it and the greater rows after it, and returns the new
// position of this row.
func (t *Tree[T]) partition(lane []T, lo, hi int) int {
	value, id := lane[lo], t.ids[lo]
	i, j := lo+1, hi-1
	for {
		for i <= j && (lane[i] < value || lane[i] == value && t.ids[i] < id) {
			i++
		}
		for i <= j && (lane[j] > value || lane[j] == value && t.ids[j] > id) {
			j--
		}
		if i >= j {
			break
		}
		t.swapRows(i, j)
		i, j = i+1, j-1
	}
	t.swapRows(lo, j)
	return j
}

// heapSort sorts rows.
func (t *Tree[T]) heapSort(less func(i, j int) bool, lo, hi int) {
	sink := func(i, n int) {
		for down := 2*i + 1; down < n; down = 2*i + 1 {
			if down+1 < n && less(lo+down, lo+down+1) {
				down++
			}
			if !less(lo+i, lo+down) {
				return
			}
			t.swapRows(lo+i, lo+down)
			i = down
		}
	}
	for i := (hi-lo)/2 - 1; i >= 0; i-- {
		sink(i, hi-lo)
	}
	for n := hi - lo - 1; n > 0; n-- {
		t.swapRows(lo, lo+n)
		sink(0, n)
	}
}

func (t *Tree[T]) swapRows(i, j int) {
	t.ids[i], t.ids[j] = t.ids[j], t.ids[i]
	for a := range t.dims {
		t.coords[a][i], t.coords[a][j] = t.coords[a][j], t.coords[a][i]
	}
}

// Len returns the number of points, including those that are not finite.
func (t *Tree[T]) Len() int { return len(t.ids) }

// At returns the positions of the finite points, by row. The caller must not change them. In a
// plane there is no Z.
func (t *Tree[T]) At() kernels.Vec3s[T] {
	v := kernels.Vec3s[T]{X: t.coords[0][:t.finitePoints], Y: t.coords[1][:t.finitePoints]}
	if t.dims == 3 {
		v.Z = t.coords[2][:t.finitePoints]
	}
	return v
}

// IDs returns the ids of the points of At, by row.
func (t *Tree[T]) IDs() []int32 { return t.ids[:t.finitePoints] }

// Nowhere returns the ids, in ascending order, of the points that no search
// finds because a coordinate is not finite.
func (t *Tree[T]) Nowhere() []int32 { return t.ids[t.finitePoints:] }

// squaredDistance returns the square of the distance from a row to a point.
func (t *Tree[T]) squaredDistance(row int, p *[3]T) T {
	dx, dy := t.coords[0][row]-p[0], t.coords[1][row]-p[1]
	square := T(dx*dx) + T(dy*dy)
	if t.dims == 3 {
		dz := t.coords[2][row] - p[2]
		square += T(dz * dz)
	}
	return square
}

// boxDistance returns the square of the distance to the box of a node. The result is never greater than
// squaredDistance for a point in the box. The reason: the operations are the same, the operands are not
// larger, and rounding is monotonic.
func (t *Tree[T]) boxDistance(k int, p *[3]T) T {
	b := &t.boxes[k]
	dx := max(b.low[0]-p[0], p[0]-b.high[0], 0)
	dy := max(b.low[1]-p[1], p[1]-b.high[1], 0)
	square := T(dx*dx) + T(dy*dy)
	if t.dims == 3 {
		dz := max(b.low[2]-p[2], p[2]-b.high[2], 0)
		square += T(dz * dz)
	}
	return square
}

// queryPoint returns the coordinates of a point. It returns false if a coordinate is
// not finite or the tree has no rows, because then no search can find anything.
func (t *Tree[T]) queryPoint(p Point[T]) ([3]T, bool) {
	if t.dims == 2 {
		p.Z = 0
	}
	return coords(p), t.finitePoints > 0 && p.finite()
}

// A node is the number of a node of the tree, and its rows.
type node struct{ index, lo, hi int }

// children returns the two child nodes.
func (n node) children() (left, right node) {
	middle := n.lo + (n.hi-n.lo+1)/2
	return node{2*n.index + 1, n.lo, middle}, node{2*n.index + 2, middle, n.hi}
}

// AppendWithin appends the points within r of p to found, in the order of rows.
//
// AppendWithin panics if r is negative or NaN.
func (t *Tree[T]) AppendWithin(found []Found[T], p Point[T], r T) []Found[T] {
	checkRadius("Tree.AppendWithin", r)
	t.eachWithin(p, r, func(f Found[T]) bool {
		found = append(found, f)
		return true
	})
	return found
}

// Any returns the first point within r of p, in the order of rows, and whether
// there is one.
//
// Any panics if r is negative or NaN.
func (t *Tree[T]) Any(p Point[T], r T) (first Found[T], ok bool) {
	checkRadius("Tree.Any", r)
	t.eachWithin(p, r, func(f Found[T]) bool {
		first, ok = f, true
		return false
	})
	return first, ok
}

// eachWithin calls yield for each point within r of p, until yield returns false.
func (t *Tree[T]) eachWithin(p Point[T], r T, yield func(Found[T]) bool) {
	q, ok := t.queryPoint(p)
	if !ok {
		return
	}
	limit := r * r
	var room [64]node
	stack := append(room[:0], node{hi: t.finitePoints})
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if t.boxDistance(n.index, &q) > limit {
			continue
		}
		if n.index < t.innerNodes {
			left, right := n.children()
			stack = append(stack, right, left)
			continue
		}
		for row := n.lo; row < n.hi; row++ {
			if square := t.squaredDistance(row, &q); square <= limit && !yield(Found[T]{t.ids[row], int32(row), square}) {
				return
			}
		}
	}
}

// AppendNearest appends the k points that are nearest to p, or all points if
// there are fewer. The nearest point comes first; of equally near points, the point with
// the lower id comes first.
//
// AppendNearest panics if k is negative.
func (t *Tree[T]) AppendNearest(found []Found[T], p Point[T], k int) []Found[T] {
	if k < 0 {
		panic(fmt.Sprintf("near: Tree.AppendNearest: k is %d: not below 0", k))
	}
	q, ok := t.queryPoint(p)
	if k = min(k, t.finitePoints); k == 0 || !ok {
		return found
	}
	s := nearestSearch[T]{tree: t, point: q, found: found, first: len(found), k: k, limit: T(math.Inf(1))}
	s.run()
	return s.found
}

// A nearestSearch searches for the k nearest points. squares holds, for each axis, the square of a distance that
// no point of the visited node is below.
type nearestSearch[T kernels.Float] struct {
	tree           *Tree[T]
	point, squares [3]T
	found          []Found[T]
	first, k       int
	limit          T
	leaves         int // visited leaves
}

// run searches the tree. k is at least 1 and at most the number of points.
func (s *nearestSearch[T]) run() {
	root := &s.tree.boxes[0]
	for a := range s.tree.dims {
		d := max(root.low[a]-s.point[a], s.point[a]-root.high[a], 0)
		s.squares[a] = T(d * d)
	}
	s.visit(node{hi: s.tree.finitePoints})
	sortNearest(s.found[s.first:], s.k)
}

// visit searches a node. It searches the child on the side of the point first. On the way to the first leaf, it searches the
// child with the nearer box first, so that the first points are near even if the point is far from all points.
func (s *nearestSearch[T]) visit(n node) {
	if n.index >= s.tree.innerNodes {
		s.visitLeaf(n)
		return
	}
	c := &s.tree.splits[n.index]
	axis := c.axis % 3 // without a check of bounds
	above, below := s.point[axis]-c.low, c.high-s.point[axis]
	nearer, farther := n.children()
	distance := below
	if above > below {
		nearer, farther, distance = farther, nearer, above
	}
	if len(s.found) == s.first {
		if d := s.tree.boxDistance(nearer.index, &s.point); d > 0 && s.tree.boxDistance(farther.index, &s.point) < d {
			s.visitFarther(farther, axis, distance)
			if d <= s.limit {
				s.visit(nearer)
			}
			return
		}
	}
	s.visit(nearer)
	s.visitFarther(farther, axis, distance)
}

// visitFarther searches a node on the other side of a plane, at a distance from the point along an axis. The distance to
// the plane takes less time than the distance to the box, and is often enough to skip the node. A leaf is searched without
// its box, because its points take hardly longer.
func (s *nearestSearch[T]) visitFarther(n node, axis uint32, distance T) {
	was := s.squares[axis]
	s.squares[axis] = T(distance * distance)
	if s.squared() <= s.limit && (n.index >= s.tree.innerNodes || s.tree.boxDistance(n.index, &s.point) <= s.limit) {
		s.visit(n)
	}
	s.squares[axis] = was
}

// squared returns the square of a distance that no point of the node is below. It adds in the order of squaredDistance, so
// that this also holds for rounded numbers.
func (s *nearestSearch[T]) squared() T { return s.squares[0] + s.squares[1] + s.squares[2] }

// visitLeaf searches the points of a leaf.
func (s *nearestSearch[T]) visitLeaf(n node) {
	s.leaves++
	for row := n.lo; row < n.hi; row++ {
		if square := s.tree.squaredDistance(row, &s.point); square <= s.limit {
			s.found = pushNearest(s.found, s.first, s.k, Found[T]{s.tree.ids[row], int32(row), square})
			s.limit = farthest(s.found[s.first:], s.k)
		}
	}
}
