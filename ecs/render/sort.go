package render

import (
	"image/color"
	"math"
	"math/bits"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

// rowBits is the number of bits of a key that store the index of the row in its part.
const rowBits = 8

// sortedRows holds copies of the rows of a view that are not drawn in the order of the chunks.
// These are the rows whose looks are not opaque, layer by layer. Each row gets a key. The upper
// half of the key holds the row's distance, and the lower half holds its part and row. First the
// keys are sorted, and then the rows are copied.
type sortedRows struct {
	matrices [][16]float32
	entities []ecs.Entity
	tints    []color.NRGBA
	cells    []int32

	partSlots     []int32  // slots of the current layer, in order
	partFirstKeys []int32  // for each part, the index of its first key
	keys          []uint64 // keys of the layer: see sortKey
	keyBuffer     []uint64
	layerFirstRow int     // first row of the layer
	keyFirstRows  []int32 // for each key, its first row, because a label takes several rows; empty if each key has one row
	keepOrder     bool    // the keys are not sorted, and stay in the order of parts and rows
	copyJob       copyJob
}

// copyJob copies the rows of the current layer.
type copyJob struct{ view *cameraView }

// sortKey returns a key that orders rows from far to near. Rows at the same distance are ordered by
// part and row. NaN sorts as the nearest.
func sortKey(distance float32, part, row int) uint64 {
	b := uint32(math.MaxUint32)
	if distance == distance {
		b = math.Float32bits(distance + 0) // converts -0 to 0
		if b>>31 != 0 {
			b = ^b
		} else {
			b |= 1 << 31
		}
		b = ^b
	}
	return uint64(b)<<32 | uint64(part)<<rowBits | uint64(row)
}

// addSorted adds batches of the visible rows of the given looks. If far is set, the looks are
// those of a layer that are not opaque, and the rows are sorted in the order that the camera asks
// for. If far is not set, there is one look, which has labels.
//
// Invariant: a key identifies a row by its part. The parts are in the order of slots, which is the
// order of the world's chunks. Therefore the order of rows at the same distance depends neither on
// looks nor on workers.
func (e *cameraView) addSorted(ranked []int32, far bool) error {
	s, v := &e.batches.sorted, &e.view
	s.keepOrder, s.layerFirstRow = !far, len(s.matrices)
	n, written := e.collectSorted(ranked)
	if n == 0 {
		return nil
	}
	s.keys, s.keyBuffer = grow(s.keys, n), grow(s.keyBuffer, n)
	if err := e.scene.runJob((*keyJob)(e), len(s.partSlots), 0); err != nil {
		return err
	}
	s.radixSort()
	s.keyFirstRows = s.keyFirstRows[:0]
	total := s.layerFirstRow + n
	if written {
		total = s.layerFirstRow + e.labelRowOffsets(n)
	}
	s.matrices, s.entities, s.tints, s.cells = grow(s.matrices, total), grow(s.entities, total), grow(s.tints, total), grow(s.cells, total)
	s.copyJob.view = e
	if err := e.scene.runJob(&s.copyJob, n, 1024); err != nil {
		return err
	}
	before := v.Seen
	v.Seen += total - s.layerFirstRow
	e.addSortedBatches(before)
	return nil
}

// collectSorted creates a part for each slot that has visible rows of the looks. It returns the
// number of keys for these rows. The result written reports whether one of the looks has labels.
func (e *cameraView) collectSorted(ranked []int32) (n int, written bool) {
	l, s := &e.scene.looks, &e.batches.sorted
	s.partSlots, s.partFirstKeys = s.partSlots[:0], s.partFirstKeys[:0]
	used := 0
	for _, k := range ranked {
		before := len(s.partSlots)
		for _, i := range l.all[k].slotIndices {
			e.view.Culled += int(e.scene.slots.list[i].drawableCount - e.visibleCounts[i])
			if e.visibleCounts[i] > 0 {
				s.partSlots = append(s.partSlots, i)
			}
		}
		if len(s.partSlots) > before {
			used++
			written = written || l.all[k].hasLabels
		}
	}
	if used > 1 {
		slices.Sort(s.partSlots)
	}
	for _, i := range s.partSlots {
		s.partFirstKeys = append(s.partFirstKeys, int32(n))
		n += int(e.visibleCounts[i])
	}
	return n, written
}

// addSortedBatches adds a batch for each sequence of sorted rows with the same look. The parameter
// before is the number of rows of the view that precede them.
func (e *cameraView) addSortedBatches(before int) {
	s, v := &e.batches.sorted, &e.view
	n := len(s.keys)
	from, last := 0, e.lookOf(s.keys[0])
	for j := 1; j <= n; j++ {
		next := int32(-1)
		if j < n {
			next = e.lookOf(s.keys[j])
		}
		if next == last {
			continue
		}
		look, lo, hi := &e.scene.looks.all[last], s.firstRow(from), s.firstRow(j)
		from, last = j, next
		if lo == hi {
			continue // the labels have no characters
		}
		v.Batches = append(v.Batches, Batch{Look: look.Look, Shape: look.shape, Material: look.material, First: before + lo, Count: hi - lo, view: v,
			index: int32(len(v.Batches)), first: int32(s.layerFirstRow + lo), last: int32(s.layerFirstRow + hi), sorted: true})
	}
}

// labelRowOffsets computes the first row of each of the n keys, and returns the number of rows. A key
// may stand for several rows, because a label takes one row for each character.
func (e *cameraView) labelRowOffsets(n int) int {
	s, sum := &e.batches.sorted, int32(0)
	s.keyFirstRows = grow(s.keyFirstRows, n+1)
	for j, k := range s.keys {
		s.keyFirstRows[j] = sum
		i, row := s.partSlots[uint32(k)>>rowBits], int(k&(1<<rowBits-1))
		if e.scene.slots.list[i].hasLabel {
			sum += e.scene.slots.lanes[i].labels.drawCount(row)
		} else {
			sum++
		}
	}
	s.keyFirstRows[n] = sum
	return int(sum)
}

// lookOf returns the look of the row of a key.
func (e *cameraView) lookOf(key uint64) int32 {
	return e.scene.slots.list[e.batches.sorted.partSlots[uint32(key)>>rowBits]].lookIndex
}

// keyJob is a view that acts as a job, which computes keys.
type keyJob cameraView

// RunRange computes the keys of some parts.
func (k *keyJob) RunRange(_ *jobs.Task, lo, hi int) {
	s, a := &k.batches.sorted, k.sortAxis
	for p := lo; p < hi; p++ {
		i := int(s.partSlots[p])
		slot, matrices, at := &k.scene.slots.list[i], k.scene.slots.lanes[i].matrices, int(s.partFirstKeys[p])
		for w, word := range slot.mask(k.visibleMasks) {
			for ; word != 0; word &= word - 1 {
				row := 64*w + bits.TrailingZeros64(word)
				m := &matrices[row]
				if s.keepOrder {
					s.keys[at] = sortKey(0, p, row)
					at++
					continue
				}
				s.keys[at] = sortKey(((float32(a[0]*m[12])+float32(a[1]*m[13]))+float32(a[2]*m[14]))+a[3], p, row)
				at++
			}
		}
	}
}

// RunRange copies the rows to which the keys [lo, hi) belong.
func (c *copyJob) RunRange(_ *jobs.Task, lo, hi int) {
	s := &c.view.batches.sorted
	for j := lo; j < hi; j++ {
		k := uint32(s.keys[j])
		i := s.partSlots[k>>rowBits]
		l, row, at := &c.view.scene.slots.lanes[i], int(k&(1<<rowBits-1)), s.layerFirstRow+s.firstRow(j)
		if slot := &c.view.scene.slots.list[i]; slot.hasLabel {
			s.writeLabel(l, row, at, &c.view.scene.looks.all[slot.lookIndex])
			continue
		}
		s.copyRow(l, row, at)
		s.cells[at] = 0
		if cells := c.view.scene.flipbooks.cellsOf(i); cells != nil {
			s.cells[at] = cells[row]
		}
	}
}

func (s *sortedRows) resetRows() {
	s.matrices, s.entities, s.tints, s.cells = s.matrices[:0], s.entities[:0], s.tints[:0], s.cells[:0]
}

// firstRow returns the index of the first row of key j.
func (s *sortedRows) firstRow(j int) int {
	if len(s.keyFirstRows) == 0 {
		return j
	}
	return int(s.keyFirstRows[j])
}

// radixSort sorts the keys by their upper halves, one byte at a time. The sort is stable.
func (s *sortedRows) radixSort() {
	var counts [4][256]int32
	for _, k := range s.keys {
		counts[0][k>>32&255]++
		counts[1][k>>40&255]++
		counts[2][k>>48&255]++
		counts[3][k>>56]++
	}
	for pass := range counts {
		shift := 32 + 8*pass
		at := &counts[pass]
		if int(at[s.keys[0]>>shift&255]) == len(s.keys) {
			continue // this byte is the same in all keys
		}
		sum := int32(0)
		for i, n := range at {
			at[i] = sum
			sum += n
		}
		for _, k := range s.keys {
			p := &at[k>>shift&255]
			s.keyBuffer[*p] = k
			*p++
		}
		s.keys, s.keyBuffer = s.keyBuffer, s.keys
	}
}

// copyRow copies a row, except for its cell.
func (s *sortedRows) copyRow(l *columnLanes, row, at int) {
	s.matrices[at], s.entities[at], s.tints[at] = l.matrices[row], l.entities[row], white
	if l.tints != nil {
		s.tints[at] = l.tints[row]
	}
}

// gatherRows copies the rows of a batch.
func (s *sortedRows) gatherRows(b *Batch, dst [][16]float32, tints []color.NRGBA, cells []int32) {
	copy(dst, s.matrices[b.first:b.last])
	copy(cells, s.cells[b.first:b.last])
	if tints != nil {
		copy(tints, s.tints[b.first:b.last])
	}
}

// fillPartRows makes p the sorted rows [lo, hi).
func (s *sortedRows) fillPartRows(p *Part, lo, hi int, ones *[]uint64) {
	n := hi - lo
	*ones = grow(*ones, (n+63)/64)
	for k := range *ones {
		(*ones)[k] = ^uint64(0)
	}
	if n%64 != 0 {
		(*ones)[n/64] = 1<<(n%64) - 1
	}
	p.Entities, p.Matrices, p.Tints, p.Mask, p.Count = s.entities[lo:hi], s.matrices[lo:hi], s.tints[lo:hi], *ones, n
	p.Cells = s.cells[lo:hi]
}
