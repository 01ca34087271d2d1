package ecs

import (
	"math"
	"reflect"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

// buffer tells that Buffer is a container, and of what.
func (Buffer[T]) buffer() reflect.Type { return reflect.TypeFor[T]() }

// storage is one buffer of a chunk.
type storage struct {
	rec *record
	col *column
	row int
}

func bufferAt(r *record, c *column, row int) storage { return storage{r, c, row} }

// head returns the length and the extra capacity.
func (s storage) head() *bufferHead {
	l := s.col.lanes[0]
	return table.At[bufferHead](&s.rec.Place, l.Index, s.row)
}

// capacity returns how many elements there is room for.
func (s storage) capacity() int { return s.col.comp.buffer.inline + int(s.head()[1]) }

// room shows the memory for elements: all of the capacity, as bytes.
func (s storage) room() []byte {
	n := s.capacity() * s.col.comp.buffer.size
	if s.head()[1] > 0 {
		return wordBytes(s.rec.spills[s.col.spill].rows[s.row])[:n]
	}
	if n == 0 {
		return nil
	}
	l := s.col.lanes[1]
	return s.rec.Bytes(l, s.row, 1)[:n]
}

// bytes shows the elements.
func (s storage) bytes() []byte {
	return s.room()[:int(s.head()[0])*s.col.comp.buffer.size]
}

// maxElements is the most that a buffer has room for.
const maxElements = math.MaxInt32 / 2

// minHeap is the smallest capacity that growing gives.
const minHeap = 8

// reserve makes room for n elements, and for more than that if they do not fit,
// so that appending one at a time costs little.
func (s storage) reserve(n int) {
	old := s.capacity()
	if n <= old {
		return
	}
	if n > maxElements {
		panic(fault(ErrArgument, "Buffer", "%d elements are more than a buffer holds", n))
	}
	s.setCapacity(max(minHeap, 2*old, n))
}

// setCapacity makes room for exactly n elements, which must not be fewer than
// there are.
func (s storage) setCapacity(n int) {
	b := &s.col.comp.buffer
	if n == s.capacity() {
		return
	}
	old := s.bytes()
	list := &s.rec.spills[s.col.spill]
	spilled := s.head()[1] > 0
	if n > b.inline {
		block := make([]uint64, (int64(n)*int64(b.size)+7)/8) // panics where that is more than an int counts
		copy(wordBytes(block), old)
		if list.rows == nil {
			list.rows = make([][]uint64, s.rec.Rows())
		}
		list.rows[s.row] = block
		s.head()[1] = int32(n - b.inline)
		return
	}
	s.head()[1] = int32(n - b.inline)
	if spilled {
		copy(s.room(), old)
		list.rows[s.row] = nil
	}
}

// fill keeps the first elements and makes those behind equal to n elements given
// as bytes.
func (s storage) fill(keep int, values []byte, n int) {
	s.reserve(keep + n)
	s.head()[0] = int32(keep + n)
	copy(s.bytes()[keep*s.col.comp.buffer.size:], values)
}

// set makes the elements equal to n elements given as bytes.
func (s storage) set(values []byte, n int) { s.fill(0, values, n) }

// copyFrom takes over the heap blocks of rows that move here; there is nothing
// to copy.
func (l *spill) copyFrom(dst span, from *spill, src span) {
	if from.rows == nil {
		return
	}
	if l.rows == nil {
		l.rows = make([][]uint64, dst.rec.Rows())
	}
	copy(l.rows[dst.first:dst.first+dst.n], from.rows[src.first:])
}

// clone gives a row heap blocks of its own, equal to those of another row.
func (l *spill) clone(dst *record, row int, from *spill, other int) {
	if from.rows == nil || from.rows[other] == nil {
		return
	}
	if l.rows == nil {
		l.rows = make([][]uint64, dst.Rows())
	}
	l.rows[row] = append([]uint64(nil), from.rows[other]...)
}
