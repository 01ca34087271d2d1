package render

import "image/color"

func (s *sorted) reset() {
	s.matrices, s.entities, s.tints, s.cells = s.matrices[:0], s.entities[:0], s.tints[:0], s.cells[:0]
}

// place is where the rows of the j-th key begin.
func (s *sorted) place(j int) int {
	if len(s.places) == 0 {
		return j
	}
	return int(s.places[j])
}

// radix sorts the keys by their upper halves, a byte at a time, and keeps the order of
// those that are equal.
func (s *sorted) radix() {
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
			continue // all have the same byte
		}
		sum := int32(0)
		for i, n := range at {
			at[i] = sum
			sum += n
		}
		for _, k := range s.keys {
			p := &at[k>>shift&255]
			s.spare[*p] = k
			*p++
		}
		s.keys, s.spare = s.spare, s.keys
	}
}

// take copies a row, except for its cell.
func (s *sorted) take(l *lanes, row, at int) {
	s.matrices[at], s.entities[at], s.tints[at] = l.matrices[row], l.entities[row], white
	if l.tints != nil {
		s.tints[at] = l.tints[row]
	}
}

// gather copies the rows of a batch.
func (s *sorted) gather(b *Batch, dst [][16]float32, tints []color.NRGBA, cells []int32) {
	copy(dst, s.matrices[b.first:b.last])
	copy(cells, s.cells[b.first:b.last])
	if tints != nil {
		copy(tints, s.tints[b.first:b.last])
	}
}

// part shows rows [lo, hi).
func (s *sorted) part(p *Part, lo, hi int, ones *[]uint64) {
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
