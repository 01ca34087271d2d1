package forces

import (
	"fmt"
	"slices"

	"github.com/lanewise/lanewise/kernels"
)

// Exclusions are pairs of rows on which the potentials of pairs do not act, because other terms describe them: usually the
// atoms that a bond connects (1-2 pairs), and the ends of an angle (1-3 pairs). The lists of near.Clusters contain these pairs.
// From removes them from a list:
//
//	excluded := forces.Exclude(bonds.Net, 2)
//	…
//	excluded.Reorder(list.Order()) // after each new list, as for bonds and angles
//	pairs = excluded.From(pairs, list.Images())
//	err := lj.AddTo(&force, energy, virial, pairs)
//
// The pairs that From returns work for every potential of this package. With a Quantum, sums over them do not depend on the
// order of their terms either.
type Exclusions[T kernels.Float] struct {
	start, partner []int32 // row i is excluded from partner[start[i]:start[i+1]]

	row                       []int32 // of Reorder, as the next two
	spareStart, sparePartners []int32
	lists                     dividedLists
}

// dividedLists has the lists that From makes, and memory for making them.
type dividedLists struct {
	body              []int32 // of each partner: its position, or the image that is nearest to the row
	firstImage, image []int32 // the images of row i are image[firstImage[i]:firstImage[i+1]]
	mark              []int32 // of each body: the last group that has it as a row or a partner, or -1
	candidates        []int32 // of a cluster: the bodies with the mark of its group
	start, list       []int32
	restStart, rest   []int32
}

// exclusionGroup is the largest width of a cluster of near.Clusters. From divides the lists of all rows of an aligned group of 16
// in the same way, so that the order of the terms of a row does not depend on the width of the clusters.
const exclusionGroup = 16

// Exclude returns the exclusions of all pairs of rows that at most a number of bonds connect. With 1, these are the pairs of the net. With
// 2, they are also the pairs that have a bonded row in common, as the ends of an angle do; with 3, also the ends of
// a dihedral. The net is that of Bonds, or any other net of Tie. It allocates the exclusions.
//
// It panics if bonds is less than 1.
func Exclude[T kernels.Float](net Net[T], bonds int) Exclusions[T] {
	rows := len(net.Start) - 1
	if bonds < 1 || rows < 0 {
		panic(fmt.Sprintf("forces: Exclude: bonds is %d and len(net.Start) is %d: bonds must be at least 1, and the net is from Tie", bonds, len(net.Start)))
	}
	e := Exclusions[T]{start: make([]int32, rows+1)}
	for i := range rows {
		first := len(e.partner)
		e.partner = append(e.partner, int32(i)) // the search must not return to the row
		from := first
		for range bonds {
			end := len(e.partner)
			for _, row := range e.partner[from:end] {
				for _, k := range net.To[net.Start[row]:net.Start[row+1]] {
					if !slices.Contains(e.partner[first:], k) {
						e.partner = append(e.partner, k)
					}
				}
			}
			from = end
		}
		e.partner = slices.Delete(e.partner, first, first+1)
		e.start[i+1] = int32(len(e.partner))
	}
	return e
}

// Reorder follows the rows into a new order, as [Bonds.Reorder] does.
func (e *Exclusions[T]) Reorder(order []int32) {
	e.row = inverse("Exclusions.Reorder", e.row, order, len(e.start)-1)
	start, partner := resized(e.spareStart, len(e.start)), resized(e.sparePartners, len(e.partner))
	n := int32(0)
	for i, old := range order {
		start[i] = n
		for _, k := range e.partner[e.start[old]:e.start[old+1]] {
			partner[n] = e.row[k]
			n++
		}
	}
	start[len(order)] = n
	e.start, e.partner, e.spareStart, e.sparePartners = start, partner, e.start, e.partner
}

// From returns pairs without the excluded pairs. Call it after each new list, and after Reorder. images has the row of each
// image, as near.Clusters.Images returns it; it is nil if there are no images. In a periodic space, From excludes one body for each
// partner: the partner or that image of it which is nearest to the row. The row still meets the others. So the sides of a
// periodic box must be longer than twice the distance of an excluded pair, as for [Bonds].
//
// The result has the lanes of pairs, and lists of its own. It is valid until the next call of From or the next new
// list. It has Kinds and Charges of pairs, so set these before. From allocates only if the lists have grown.
//
// Without a Quantum, a row adds first the pairs with bodies that are neither in its aligned group of 16 rows nor excluded from a
// row of this group, in the order of the list. Then it adds the other pairs, and adds this sum to the first.
//
// It panics if pairs or images do not have the rows of the exclusions, if pairs.Width is not a power of two, if pairs is a part from Rows or
// the result of From, or if a row is not in its own list.
func (e *Exclusions[T]) From(pairs Pairs[T], images []int32) Pairs[T] {
	n, width := len(e.start)-1, pairs.Width
	if len(pairs.At.X) != n || len(pairs.All.X) != n+len(images) || pairs.first != 0 || pairs.divided() {
		panic(fmt.Sprintf("forces: Exclusions.From: len(pairs.At.X) is %d, len(pairs.All.X) is %d, len(images) is %d, and the exclusions have %d rows: take all pairs of a list, and its images", len(pairs.At.X), len(pairs.All.X), len(images), n))
	}
	if !pairs.hasParts(n) || width&(width-1) != 0 {
		panic(fmt.Sprintf("forces: Exclusions.From: pairs.Width is %d and len(pairs.Start) is %d, and there are %d rows: each group of Width rows, a power of two, has a part of the list", width, len(pairs.Start), n))
	}
	l := &e.lists
	l.findImages(n, images)
	e.findBodies(&pairs)
	l.mark = resized(l.mark, len(pairs.All.X))
	for k := range l.mark {
		l.mark[k] = -1
	}
	l.start, l.restStart = append(l.start[:0], 0), append(l.restStart[:0], 0)
	l.list, l.rest = l.list[:0], l.rest[:0]
	group := max(exclusionGroup, width)
	for first := 0; first < n; first += group {
		for i := first; i < min(first+group, n); i++ {
			l.mark[i] = int32(first)
			for _, k := range l.body[e.start[i]:e.start[i+1]] {
				l.mark[k] = int32(first)
			}
		}
		for lo := first; lo < min(first+group, n); lo += width {
			e.divide(pairs.List[pairs.Start[lo/width]:pairs.Start[lo/width+1]], first, lo, min(lo+width, n))
		}
	}
	pairs.Start, pairs.List, pairs.restStart, pairs.rest = l.start, l.list, l.restStart, l.rest
	pairs.noSelf = true
	return pairs
}

// findImages sorts the images by their rows.
func (l *dividedLists) findImages(rows int, images []int32) {
	l.firstImage, l.image = resized(l.firstImage, rows+1), resized(l.image, len(images))
	clear(l.firstImage)
	for k, row := range images {
		if row < 0 || int(row) >= rows {
			panic(fmt.Sprintf("forces: Exclusions.From: images[%d] is %d, and there are %d rows", k, row, rows))
		}
		l.firstImage[row]++
	}
	sum := int32(0)
	for row, count := range l.firstImage {
		sum += count
		l.firstImage[row] = sum
	}
	for k := len(images) - 1; k >= 0; k-- {
		row := images[k]
		l.firstImage[row]--
		l.image[l.firstImage[row]] = int32(rows + k)
	}
}

// findBodies finds the nearest body of each partner.
func (e *Exclusions[T]) findBodies(pairs *Pairs[T]) {
	l, at, all := &e.lists, &pairs.At, &pairs.All
	l.body = resized(l.body, len(e.partner))
	for i := range at.X {
		square := func(k int32) T {
			dx, dy, dz := at.X[i]-all.X[k], at.Y[i]-all.Y[k], at.Z[i]-all.Z[k]
			return (T(dx*dx) + T(dy*dy)) + T(dz*dz)
		}
		for j := e.start[i]; j < e.start[i+1]; j++ {
			row := e.partner[j]
			nearest := row
			for _, k := range l.image[l.firstImage[row]:l.firstImage[row+1]] {
				if square(k) < square(nearest) {
					nearest = k
				}
			}
			l.body[j] = nearest
		}
	}
}

// divide divides the list of the cluster of the rows from lo to hi. The rows share the bodies without the mark.
func (e *Exclusions[T]) divide(list []int32, mark, lo, hi int) {
	l := &e.lists
	l.candidates = l.candidates[:0]
	for _, k := range list {
		if l.mark[k] == int32(mark) {
			l.candidates = append(l.candidates, k)
		} else {
			l.list = append(l.list, k)
		}
	}
	l.start = append(l.start, int32(len(l.list)))
	for i := lo; i < hi; i++ {
		itself, bodies := false, l.body[e.start[i]:e.start[i+1]]
		for _, k := range l.candidates {
			if int(k) == i {
				itself = true
			} else if !slices.Contains(bodies, k) {
				l.rest = append(l.rest, k)
			}
		}
		if !itself {
			panic(fmt.Sprintf("forces: Exclusions.From: the list of row %d does not contain the row itself: make the list anew after the rows have changed", i))
		}
		l.restStart = append(l.restStart, int32(len(l.rest)))
	}
}
