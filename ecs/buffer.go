package ecs

import (
	"math"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs/internal/table"
	"github.com/lanewise/lanewise/soa"
)

// Buffer is a component that is a growing array of T; T must not hold Go
// pointers. The first elements lie in the chunk, as many as T's method
// InlineCapacity says, or as fit 128 bytes; when there are more, all of them
// move to the Go heap. A T that embeds Cleanup makes the buffer a cleanup
// component.
//
// A Buffer value is a handle to the buffer of one entity: Column and At give it
// in a chunk, GetBuffer and Get by entity. It is good until the next structural
// change; using it later panics with an *Error of category ErrDisposed. Slices
// of it are plain memory: what changes length or capacity may move the elements.
//
// BufferOf makes a Buffer value that belongs to no entity yet, to be given to
// Spawn, Add or Set, which copy its elements.
type Buffer[T any] struct {
	_    [0]*T // Buffers of different elements do not convert
	own  *[]T  // of no entity: the elements
	home bufferPlace
}

// bufferPlace says which buffer a handle is for.
type bufferPlace struct {
	world  *World
	rec    *record
	stamp  uint32 // structural version when the handle was made
	row    int32
	column int32
	write  bool
}

// BufferOf returns a Buffer value with the given elements. It copies them: a slice
// that is given remains the caller's.
func BufferOf[T any](values ...T) Buffer[T] {
	own := append(make([]T, 0, len(values)), values...)
	return Buffer[T]{own: &own}
}

// Len returns the number of elements.
func (b Buffer[T]) Len() int {
	if b.own != nil {
		return len(*b.own)
	}
	if b.home.rec == nil {
		return 0
	}
	return int(b.find("Buffer.Len", false).head()[0])
}

// Cap returns how many elements there is room for.
func (b Buffer[T]) Cap() int {
	if b.own != nil {
		return cap(*b.own)
	}
	if b.home.rec == nil {
		return 0
	}
	return b.find("Buffer.Cap", false).capacity()
}

// Slice shows the elements. They may be written if the buffer may. Appending to the
// slice makes another one, as the room behind it is the buffer's.
func (b Buffer[T]) Slice() []T {
	if b.own != nil {
		return slices.Clip(*b.own)
	}
	if b.home.rec == nil {
		return nil
	}
	s := b.find("Buffer.Slice", false)
	return elements[T](s.bytes())
}

// Append adds values, which may be a part of the buffer, at the end.
func (b Buffer[T]) Append(values ...T) {
	n := b.Len()
	copy(b.resize("Buffer.Append", n+len(values))[n:], values)
}

// Insert puts values, which may be a part of the buffer, before element i; i may be
// Len.
func (b Buffer[T]) Insert(i int, values ...T) {
	const op = "Buffer.Insert"
	n := b.Len()
	b.check(op, i, n)
	list := b.resize(op, n+len(values))
	_ = slices.Insert(list[:n], i, values...) // in place: there is room
}

// Remove takes out the elements [i, j); those behind move up.
func (b Buffer[T]) Remove(i, j int) {
	const op = "Buffer.Remove"
	list := b.span(op, i, j)
	b.resize(op, i+copy(list[i:], list[j:]))
}

// RemoveSwap takes out the elements [i, j); the last ones fill the hole.
func (b Buffer[T]) RemoveSwap(i, j int) {
	const op = "Buffer.RemoveSwap"
	list := b.span(op, i, j)
	copy(list[i:j], list[max(j, len(list)-(j-i)):])
	b.resize(op, len(list)-(j-i))
}

// Clear takes out all elements; the capacity stays.
func (b Buffer[T]) Clear() { b.resize("Buffer.Clear", 0) }

// Resize makes the length n; new elements are zero.
func (b Buffer[T]) Resize(n int) {
	const op = "Buffer.Resize"
	old := b.Len()
	b.check(op, n, math.MaxInt32)
	if list := b.resize(op, n); n > old {
		clear(list[old:])
	}
}

// CopyFrom makes the elements equal to values, which may be a part of the
// buffer. It panics with an *Error if values is nil.
func (b Buffer[T]) CopyFrom(values []T) {
	const op = "Buffer.CopyFrom"
	if values == nil {
		panic(b.fault(ErrArgument, op, "the source is nil: use Clear"))
	}
	copy(b.resize(op, len(values)), values)
}

// Reserve makes room for n elements at least.
func (b Buffer[T]) Reserve(n int) {
	const op = "Buffer.Reserve"
	b.check(op, n, math.MaxInt32)
	if b.own != nil {
		*b.own = slices.Grow(*b.own, max(0, n-len(*b.own)))
		return
	}
	b.find(op, true).reserve(n)
}

// SetCap makes room for exactly n elements, in the chunk if they fit there. It
// panics with an *Error if the buffer has more.
func (b Buffer[T]) SetCap(n int) {
	const op = "Buffer.SetCap"
	b.check(op, n, math.MaxInt32)
	if n < b.Len() {
		panic(b.fault(ErrState, op, "the capacity is %d and the length %d: Resize it first", n, b.Len()))
	}
	if b.own != nil {
		*b.own = append(make([]T, 0, n), *b.own...)
		return
	}
	b.find(op, true).setCapacity(n)
}

// Trim gives back what room is not needed: the elements move into the chunk if
// they fit, or else to a heap block of their size.
func (b Buffer[T]) Trim() {
	if b.own != nil {
		*b.own = slices.Clip(*b.own)
		return
	}
	s := b.find("Buffer.Trim", true)
	s.setCapacity(max(int(s.head()[0]), s.col.comp.buffer.inline))
}

// Reinterpret shows the buffer as one of other elements of the same size. It
// panics with an *Error if sizes differ, or the elements could not be elements
// of a buffer.
func Reinterpret[U, T any](b Buffer[T]) Buffer[U] {
	const op = "Reinterpret"
	from, to := reflect.TypeFor[T](), reflect.TypeFor[U]()
	if from.Size() != to.Size() {
		panic(b.fault(ErrState, op, "%v has %d bytes and %v has %d", from, from.Size(), to, to.Size()))
	}
	if _, err := soa.Lanes(to); err != nil {
		panic(b.fault(ErrArgument, op, "%v cannot be an element", to).because(err))
	}
	if b.own != nil {
		panic(b.fault(ErrState, op, "the buffer belongs to no entity"))
	}
	return Buffer[U]{home: b.home}
}

// resize makes the length n and shows the elements, of which new ones are not
// zeroed.
func (b Buffer[T]) resize(op string, n int) []T {
	if b.own != nil {
		*b.own = slices.Grow(*b.own, max(0, n-len(*b.own)))[:n]
		return *b.own
	}
	s := b.find(op, true)
	s.reserve(n)
	s.head()[0] = int32(n)
	return elements[T](s.room())[:n]
}

// span checks that [i, j) lies in the buffer, and shows all elements.
func (b Buffer[T]) span(op string, i, j int) []T {
	list := b.Slice()
	if i < 0 || j < i || j > len(list) {
		panic(b.fault(ErrRange, op, "elements [%d, %d) of %d", i, j, len(list)))
	}
	return list
}

// check panics if i is not in [0, n].
func (b Buffer[T]) check(op string, i, n int) {
	if i < 0 || i > n {
		panic(b.fault(ErrRange, op, "%d is not in [0, %d]", i, n))
	}
}

// find returns the storage behind the handle, if it is still good for that.
func (b *Buffer[T]) find(op string, write bool) storage {
	p := &b.home
	switch {
	case p.rec == nil:
		panic(b.fault(ErrState, op, "the zero Buffer belongs to no entity: get one with GetBuffer, or make one with BufferOf"))
	case p.stamp != p.world.gate.structural:
		panic(b.fault(ErrDisposed, op, "a structural change has ended the life of this handle: get it again"))
	case write && !p.write:
		panic(b.fault(ErrState, op, "the buffer may only be read: get it with GetBuffer, or ask for it with Write"))
	}
	return storage{p.rec, &p.rec.arch.columns[p.column], int(p.row)}
}

func (b *Buffer[T]) fault(category error, op, text string, args ...any) *Error {
	e := fault(category, op, text, args...)
	e.Component = fullName(reflect.TypeFor[Buffer[T]]())
	if w := b.home.world; w != nil {
		e.World, e.System = w.gate.name, w.gate.callingSystem()
	}
	return e
}

// Buffers is a column of buffers.
type Buffers[T any] struct {
	_     [0]*T
	chunk *cursor
	n     int
	bind  int // its place among the chunk's columns
}

// Column names the view of a column of buffers.
func (Buffer[T]) Column() (c Buffers[T]) { return }

// Len returns the number of buffers in the column: the chunk's rows.
func (v *Buffers[T]) Len() int { return v.n }

// At returns the buffer of row i. It panics with an *Error if i is out of range.
func (v *Buffers[T]) At(i int) Buffer[T] {
	if uint(i) >= uint(v.n) {
		panic(fault(ErrRange, "Buffers.At", "row %d of %d", i, v.n))
	}
	c := v.chunk
	c.check("Buffers.At")
	b := &c.binds[v.bind]
	return Buffer[T]{home: bufferPlace{c.world, c.rec, c.structural, int32(c.first + i), int32(b.column), b.write}}
}

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

// spill is the heap blocks of one buffer column of a chunk. The rows are made
// when the first of them is needed.
type spill struct{ rows [][]uint64 }

// fit makes room for so many rows, of which some live.
func (l *spill) fit(live, rows int) {
	if l.rows != nil && len(l.rows) != rows {
		l.rows = append(make([][]uint64, 0, rows), l.rows[:live]...)[:rows]
	}
}

// copyWithin moves the heap blocks of n rows from one place to another.
func (l *spill) copyWithin(to, from, n int) {
	if l.rows != nil {
		copy(l.rows[to:], l.rows[from:from+n])
	}
}

// clear forgets the heap blocks of n rows.
func (l *spill) clear(first, n int) {
	if l.rows != nil {
		clear(l.rows[first : first+n])
	}
}
