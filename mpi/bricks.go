package mpi

import (
	"errors"
	"fmt"
	"math"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/near"
)

// ErrSplit is returned if the space cannot be divided as requested.
var ErrSplit = errors.New("the space cannot be cut so")

// The space is divided along x into slabs. Each slab is divided along y, and each part of a slab
// along z, into bricks of whole cells. The cuts inside one slab do not depend on the cuts inside
// the next slab, so that each brick can have its share of the load.

// bricks maps cells to ranks. The map is the same on all ranks.
type bricks struct {
	n        [3]int // number of bricks along each axis; the product is the number of ranks
	axes     [3]line
	periodic bool
	cuts     [3][]int32 // for the axis, each slab, each part of a slab: first cells of the bricks, and the end
	brick    [3][]int32 // the same by cell: the brick that contains it
}

// line is an axis with its cells. It computes in float64 for all coordinates. It does not use
// the grid's numbers of cells, because several cells of the grid may share one number, so
// that the numbers do not show which cells are adjacent.
type line struct {
	low, inv, reach float64
	high            float64 // low, unless the axis is periodic
	cells           int
	wide            float64 // of a cell
}

// image returns the image, inside a periodic space, of a coordinate that may be
// outside. The bits must be the same as in package near. If the bits differed, a row could be on
// one rank and its cell on another rank.
func image[T kernels.Float](l *line, x T) T {
	low, high := T(l.low), T(l.high)
	if x >= low && x < high || low == high {
		return x
	}
	side := high - low
	u := T(math.Mod(float64(x-low), float64(side)))
	if u < 0 {
		u += side
	}
	if x = u + low; !(x >= low && x < high) { // rounded up to the end, or NaN
		return low
	}
	return x
}

// cell returns the number of the cell that contains x, as if the line had no ends. It is
// monotonic in x.
func (l *line) cell(x float64) int {
	const far = 1 << 40
	c := math.Floor(float64((x - l.low) * l.inv))
	if !(c >= -far) { // NaN too
		return -far
	}
	return int(min(c, far))
}

// newBricks divides a space into a brick for each rank, with the same number of
// cells as far as possible.
func newBricks[T kernels.Float](s near.Space[T], reach T, want [3]int, ranks int) (*bricks, error) {
	if s.Border == near.Endless {
		return nil, fmt.Errorf("%w: it is endless: give it walls, outside of which rows may be as well", ErrSplit)
	}
	if s.Dims != 2 && s.Dims != 3 {
		return nil, fmt.Errorf("%w: it has %d dimensions: 2 or 3", ErrSplit, s.Dims)
	}
	if !(reach >= 0) || math.IsInf(float64(reach), 0) {
		return nil, fmt.Errorf("%w: Reach is %v: a length", ErrSplit, reach)
	}
	b := &bricks{periodic: s.Border == near.Periodic}
	low, high := [3]T{s.Low.X, s.Low.Y, s.Low.Z}, [3]T{s.High.X, s.High.Y, s.High.Z}
	for a := range b.axes {
		b.axes[a] = line{inv: 1, cells: 1, wide: math.Inf(1)}
		if a >= s.Dims {
			continue
		}
		side := float64(high[a]) - float64(low[a])
		n := math.Max(1, math.Floor(float64((high[a]-low[a])/s.Cell)))
		if !(side > 0) || !(s.Cell > 0) || n > 1<<27 {
			return nil, fmt.Errorf("%w: from %v to %v along %s in cells of %v", ErrSplit, low[a], high[a], "xyz"[a:a+1], s.Cell)
		}
		// Add a little to Reach, because differences and cells were rounded.
		far := float64(reach) + float64(float64(reach)*0x1p-20) + float64(side*0x1p-20)
		b.axes[a] = line{low: float64(low[a]), high: float64(low[a]), inv: n / side, reach: far, cells: int(n), wide: side / n}
		if b.periodic {
			b.axes[a].high = float64(high[a])
		}
	}
	var err error
	if b.n, err = b.choose(want, ranks, s.Dims); err != nil {
		return nil, err
	}
	b.setEven()
	return b, nil
}

// choose returns the number of bricks along each axis. This is the requested
// number. If none is requested, choose selects numbers for which as few cells
// as possible are next to a cut.
func (b *bricks) choose(want [3]int, ranks, dims int) (best [3]int, err error) {
	c := [3]int{b.axes[0].cells, b.axes[1].cells, b.axes[2].cells}
	least := math.Inf(1)
	for x := 1; x <= ranks; x++ {
		for y := 1; y <= ranks/x; y++ {
			n := [3]int{x, y, ranks / x / y}
			if n[0]*n[1]*n[2] != ranks {
				continue
			}
			if at, fits := b.cellsAtCuts(n, want, dims); fits && at < least {
				best, least = n, at
			}
		}
	}
	if math.IsInf(least, 1) {
		return best, fmt.Errorf("%w: %d ranks for %d×%d×%d cells in %v bricks (0: any number): a rank needs a cell along each axis, so start fewer ranks, make cells smaller or leave Bricks zero", ErrSplit, ranks, c[0], c[1], c[2], want)
	}
	return best, nil
}

// cellsAtCuts returns how many cells are next to a cut if the axes are divided into n[0], n[1] and
// n[2] bricks. It also reports whether these numbers are allowed: an axis may have at most one
// brick for each cell, and exactly want[a] bricks if want[a] is not zero.
func (b *bricks) cellsAtCuts(n, want [3]int, dims int) (at float64, fits bool) {
	fits = true
	for a, k := range n {
		fits = fits && k <= b.axes[a].cells && (want[a] == 0 || want[a] == k) && (a < dims || k == 1)
		if k > 1 {
			cuts := float64(k - 1)
			if b.periodic {
				cuts++
			}
			at += float64(cuts * float64(b.axes[(a+1)%3].cells) * float64(b.axes[(a+2)%3].cells))
		}
	}
	return at, fits
}

// setEven places the cuts so that all parts of an axis are equal.
func (b *bricks) setEven() {
	slabs := 1
	for a, n := range b.n {
		b.cuts[a] = b.cuts[a][:0]
		for range slabs {
			for k := range n + 1 {
				b.cuts[a] = append(b.cuts[a], int32(k*b.axes[a].cells/n))
			}
		}
		slabs *= n
	}
	b.index()
}

// index stores, for each cell, the brick that contains the cell.
func (b *bricks) index() {
	slabs := 1
	for a, n := range b.n {
		b.brick[a] = b.brick[a][:0]
		for s := range slabs {
			cuts := b.cuts[a][s*(n+1):][:n+1]
			for k := range n {
				for range cuts[k+1] - cuts[k] {
					b.brick[a] = append(b.brick[a], int32(k))
				}
			}
		}
		slabs *= n
	}
}

// place returns the cell in the space for a cell number that may be outside. In a periodic space
// the number wraps around; otherwise it is limited to the boundary.
func (b *bricks) place(a, c int) int {
	n := b.axes[a].cells
	if c >= 0 && c < n {
		return c
	}
	if !b.periodic {
		return min(max(c, 0), n-1)
	}
	if c %= n; c < 0 {
		c += n
	}
	return c
}

// cellOf returns the cell of a point.
func (b *bricks) cellOf(p [3]float64) (c [3]int) {
	for a := range c {
		c[a] = b.place(a, b.axes[a].cell(p[a]))
	}
	return c
}

// owner returns the rank whose brick contains a point.
func (b *bricks) owner(p [3]float64) int { return b.ownerOf(b.cellOf(p)) }

func (b *bricks) ownerOf(c [3]int) int {
	at := 0
	for a := range b.n {
		at = at*b.n[a] + int(b.brick[a][at*b.axes[a].cells+c[a]])
	}
	return at
}

// box returns the half-open range of cells, from lo to hi, that a rank has along each axis.
func (b *bricks) box(rank int) (lo, hi [3]int) {
	slab := 0
	part := [3]int{rank / (b.n[1] * b.n[2]), rank / b.n[2] % b.n[1], rank % b.n[2]}
	for a, k := range part {
		cuts := b.cuts[a][slab*(b.n[a]+1):]
		lo[a], hi[a] = int(cuts[k]), int(cuts[k+1])
		slab = slab*b.n[a] + k
	}
	return lo, hi
}

// partOf returns the cells that may contain rows or ghosts of a rank.
func (b *bricks) partOf(rank int) (p near.Part) {
	lo, hi := b.box(rank)
	for a := range b.axes {
		l := &b.axes[a]
		// Add cells up to the distance that rows can see. Add another cell because the grid
		// rounds differently than ranks do. Add more cells along axes that have more cells than
		// a float32 can count.
		far := 2 + int(math.Ceil(l.reach/l.wide)) + l.cells>>20
		first, end := lo[a]-far, hi[a]+far
		if !b.periodic {
			first, end = max(first, 0), min(end, l.cells)
		}
		if end-first < l.cells {
			p.First[a], p.Count[a] = int32(b.place(a, first)), int32(end-first)
		}
	}
	return p
}

// span holds the cells of an axis near one cell. These cells form either one run of adjacent
// cells or two such runs.
type span struct {
	lo, hi [2]int // including hi
	n      int
}

// spanBetween returns the span of the cells from lo to hi of an axis. The span may wrap around.
func (b *bricks) spanBetween(a, lo, hi int) span {
	n := b.axes[a].cells
	if !b.periodic {
		return span{lo: [2]int{b.place(a, lo)}, hi: [2]int{b.place(a, hi)}, n: 1}
	}
	if hi-lo >= n-1 {
		return span{hi: [2]int{n - 1}, n: 1}
	}
	lo, hi = b.place(a, lo), b.place(a, hi)
	if lo <= hi {
		return span{lo: [2]int{lo}, hi: [2]int{hi}, n: 1}
	}
	return span{lo: [2]int{0, lo}, hi: [2]int{hi, n - 1}, n: 2}
}

// appendRanks appends the ranks that have cells in a box of cells, each rank once.
func (b *bricks) appendRanks(ranks []int32, lo, hi [3]int) []int32 {
	return b.appendPart(ranks, 0, 0, lo, hi)
}

func (b *bricks) appendPart(ranks []int32, a, slab int, lo, hi [3]int) []int32 {
	if a == 3 {
		return append(ranks, int32(slab))
	}
	brick := b.brick[a][slab*b.axes[a].cells:][:b.axes[a].cells]
	last := int32(-1)
	s := b.spanBetween(a, lo[a], hi[a])
	for i := range s.n {
		for k := max(brick[s.lo[i]], last+1); k <= brick[s.hi[i]]; k++ {
			ranks, last = b.appendPart(ranks, a+1, slab*b.n[a]+int(k), lo, hi), k
		}
	}
	return ranks
}

// appendPeers appends the ranks with which a rank exchanges ghosts. The
// relation is symmetric.
func (b *bricks) appendPeers(ranks []int32, rank int) []int32 {
	lo, hi := b.box(rank)
	for a := range b.axes {
		// The reach of a row covers this many cells on both sides, and one more
		// cell because of rounding.
		far := 1 + int(math.Ceil(b.axes[a].reach/b.axes[a].wide))
		lo[a], hi[a] = lo[a]-far, hi[a]-1+far
	}
	ranks = b.appendRanks(ranks, lo, hi)
	n := 0
	for _, r := range ranks {
		if int(r) != rank {
			ranks[n] = r
			n++
		}
	}
	return ranks[:n]
}
