package render

import (
	"math"
	"math/bits"
	"slices"

	"github.com/lanewise/lanewise/jobs"
)

// rowBits is how many bits of a key are the row in its part.
const rowBits = 8

// key puts what is farther away first; of what is equally far, what comes first by part
// and row. What is no number is nearest.
func key(distance float32, part, row int) uint64 {
	b := uint32(math.MaxUint32)
	if distance == distance {
		b = math.Float32bits(distance + 0) // -0 is no other distance than 0
		if b>>31 != 0 {
			b = ^b
		} else {
			b |= 1 << 31
		}
		b = ^b
	}
	return uint64(b)<<32 | uint64(part)<<rowBits | uint64(row)
}

// layer adds batches of what is seen of looks, which are those of a layer that are not
// opaque, in the order of the camera, or, if that is not wanted, of a look with labels.
//
// Its invariant: a key names a row by its part, and parts stand in the order of slots, which is that of a world's
// chunks; so the order of rows that are equally far depends neither on looks nor on workers.
func (e *eye) layer(ranked []int32, far bool) error {
	s, v := &e.batches.sorted, &e.view
	s.flat, s.first = !far, len(s.matrices)
	n, written := e.collect(ranked)
	if n == 0 {
		return nil
	}
	s.keys, s.spare = grow(s.keys, n), grow(s.spare, n)
	if err := e.scene.run((*keying)(e), len(s.parts), 0); err != nil {
		return err
	}
	s.radix()
	s.places = s.places[:0]
	total := s.first + n
	if written {
		total = s.first + e.spell(n)
	}
	s.matrices, s.entities, s.tints, s.cells = grow(s.matrices, total), grow(s.entities, total), grow(s.tints, total), grow(s.cells, total)
	s.copies.eye = e
	if err := e.scene.run(&s.copies, n, 1024); err != nil {
		return err
	}
	before := v.Seen
	v.Seen += total - s.first
	e.runs(before)
	return nil
}

// collect makes parts of what is seen of looks, and returns how many keys their rows are, and whether one
// of the looks has labels.
func (e *eye) collect(ranked []int32) (n int, written bool) {
	l, s := &e.scene.looks, &e.batches.sorted
	s.parts, s.starts = s.parts[:0], s.starts[:0]
	used := 0
	for _, k := range ranked {
		before := len(s.parts)
		for _, i := range l.list[k].chunks {
			e.view.Culled += int(e.scene.slots.list[i].count - e.counts[i])
			if e.counts[i] > 0 {
				s.parts = append(s.parts, i)
			}
		}
		if len(s.parts) > before {
			used++
			written = written || l.list[k].written
		}
	}
	if used > 1 {
		slices.Sort(s.parts)
	}
	for _, i := range s.parts {
		s.starts = append(s.starts, int32(n))
		n += int(e.counts[i])
	}
	return n, written
}

// runs adds a batch for each run of rows of the same look among the sorted ones, which come after so many
// rows of the view.
func (e *eye) runs(before int) {
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
		look, lo, hi := &e.scene.looks.list[last], s.place(from), s.place(j)
		from, last = j, next
		if lo == hi {
			continue // labels without a character
		}
		v.Batches = append(v.Batches, Batch{Look: look.Look, Shape: look.shape, Material: look.material, First: before + lo, Count: hi - lo, view: v,
			index: int32(len(v.Batches)), first: int32(s.first + lo), last: int32(s.first + hi), sorted: true})
	}
}

// spell finds where the rows of each of n keys go, and returns how many there are.
func (e *eye) spell(n int) int {
	s, sum := &e.batches.sorted, int32(0)
	s.places = grow(s.places, n+1)
	for j, k := range s.keys {
		s.places[j] = sum
		i, row := s.parts[uint32(k)>>rowBits], int(k&(1<<rowBits-1))
		if e.scene.slots.list[i].label {
			sum += e.scene.slots.lanes[i].labels.quads(row)
		} else {
			sum++
		}
	}
	s.places[n] = sum
	return int(sum)
}

// lookOf returns the look of the row of a key.
func (e *eye) lookOf(key uint64) int32 {
	return e.scene.slots.list[e.batches.sorted.parts[uint32(key)>>rowBits]].look
}

// keying is an eye that makes keys.
type keying eye

// RunRange makes the keys of some parts.
func (k *keying) RunRange(_ *jobs.Task, lo, hi int) {
	s, a := &k.batches.sorted, k.along
	for p := lo; p < hi; p++ {
		i := int(s.parts[p])
		slot, matrices, at := &k.scene.slots.list[i], k.scene.slots.lanes[i].matrices, int(s.starts[p])
		for w, word := range slot.mask(k.masks) {
			for ; word != 0; word &= word - 1 {
				row := 64*w + bits.TrailingZeros64(word)
				m := &matrices[row]
				if s.flat {
					s.keys[at] = key(0, p, row)
					at++
					continue
				}
				s.keys[at] = key(((float32(a[0]*m[12])+float32(a[1]*m[13]))+float32(a[2]*m[14]))+a[3], p, row)
				at++
			}
		}
	}
}

// RunRange copies the rows of some keys.
func (c *copies) RunRange(_ *jobs.Task, lo, hi int) {
	s := &c.eye.batches.sorted
	for j := lo; j < hi; j++ {
		k := uint32(s.keys[j])
		i := s.parts[k>>rowBits]
		l, row, at := &c.eye.scene.slots.lanes[i], int(k&(1<<rowBits-1)), s.first+s.place(j)
		if slot := &c.eye.scene.slots.list[i]; slot.label {
			s.write(l, row, at, &c.eye.scene.looks.list[slot.look])
			continue
		}
		s.take(l, row, at)
		s.cells[at] = 0
		if cells := c.eye.scene.flipbooks.of(i); cells != nil {
			s.cells[at] = cells[row]
		}
	}
}
