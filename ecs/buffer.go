package ecs

import (
	"math"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs/internal/table"
	"github.com/lanewise/lanewise/soa"
)

// Buffer is a component that holds a growing list of elements of type T for each entity, as a
// dynamic buffer of Unity does. T must not hold Go pointers. The first elements are in the chunk:
// as many as T's method InlineCapacity returns, or as fit 128 bytes. When a buffer gets longer, all
// its elements move to one block of the Go heap. If T embeds Cleanup, the buffer is a cleanup
// component.
//
// A Buffer value is a handle to the buffer of one entity. [Buffers.At] returns the handle for a row
// of a chunk, [GetBuffer] and [Get] the one for an entity. A handle is valid until the next
// structural change; a later use panics with an *Error of category ErrDisposed. A slice of the
// elements is plain memory: a call that changes the length or the capacity may move the elements,
// and the slice then shows the old ones.
//
// [BufferOf] returns a Buffer value that belongs to no entity. Spawn, Add and Set copy its
// elements.
type Buffer[T any] struct {
	_    [0]*T // prevents a conversion between Buffers with different elements
	own  *[]T  // the elements of a value that belongs to no entity
	home bufferPlace
}

// bufferPlace is the place of the buffer that a handle refers to.
type bufferPlace struct {
	world  *World
	rec    *record
	stamp  uint32 // structural version at the time of the handle's creation
	row    int32
	column int32
	write  bool
}

// BufferOf returns a Buffer value with a copy of the given elements. The value belongs to no
// entity: pass it to Spawn, Add or Set.
func BufferOf[T any](values ...T) Buffer[T] {
	own := append(make([]T, 0, len(values)), values...)
	return Buffer[T]{own: &own}
}

// Len returns the number of elements. It is 0 for the zero Buffer.
func (b Buffer[T]) Len() int {
	if b.own != nil {
		return len(*b.own)
	}
	if b.home.rec == nil {
		return 0
	}
	return int(b.find("Buffer.Len", false).head()[0])
}

// Cap returns the number of elements that fit without a new heap block.
func (b Buffer[T]) Cap() int {
	if b.own != nil {
		return cap(*b.own)
	}
	if b.home.rec == nil {
		return 0
	}
	return b.find("Buffer.Cap", false).capacity()
}

// Slice returns the elements, without a copy. The caller may write them only if it has write access
// to the buffer. The capacity of the slice is its length, so that append copies it and never writes
// into the spare room of the buffer.
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

// Append adds values at the end. The values may be a part of the same buffer. It allocates if they
// exceed Cap, and panics with an *Error of category ErrArgument if the buffer would have more than
// 1<<30 - 1 elements.
func (b Buffer[T]) Append(values ...T) {
	n := b.Len()
	copy(b.resize("Buffer.Append", n+len(values))[n:], values)
}

// Insert puts values before element i, where 0 ≤ i ≤ Len. The values may be a part of the same
// buffer. It allocates if they exceed Cap, and panics with an *Error of category ErrRange if i is
// out of range.
func (b Buffer[T]) Insert(i int, values ...T) {
	const op = "Buffer.Insert"
	n := b.Len()
	b.check(op, i, n)
	list := b.resize(op, n+len(values))
	_ = slices.Insert(list[:n], i, values...) // in place: resize has made the room
}

// Remove removes the elements [i, j) and keeps the order of the others. It copies all elements
// after j; see RemoveSwap. It panics with an *Error of category ErrRange unless 0 ≤ i ≤ j ≤
// Len.
func (b Buffer[T]) Remove(i, j int) {
	const op = "Buffer.Remove"
	list := b.span(op, i, j)
	b.resize(op, i+copy(list[i:], list[j:]))
}

// RemoveSwap removes the elements [i, j) and fills the gap with the last elements. So it copies at
// most j-i elements, but does not keep the order. It panics as Remove does.
func (b Buffer[T]) RemoveSwap(i, j int) {
	const op = "Buffer.RemoveSwap"
	list := b.span(op, i, j)
	copy(list[i:j], list[max(j, len(list)-(j-i)):])
	b.resize(op, len(list)-(j-i))
}

// Clear removes all elements. The capacity stays.
func (b Buffer[T]) Clear() { b.resize("Buffer.Clear", 0) }

// Resize sets the length to n. New elements are zero. It allocates if n exceeds Cap, and panics
// with an *Error of category ErrRange if n is negative.
func (b Buffer[T]) Resize(n int) {
	const op = "Buffer.Resize"
	old := b.Len()
	b.check(op, n, math.MaxInt32)
	if list := b.resize(op, n); n > old {
		clear(list[old:])
	}
}

// CopyFrom replaces the elements by a copy of values, which may be a part of the same buffer. It
// panics with an *Error if values is nil, because that is probably a mistake; Clear empties a
// buffer.
func (b Buffer[T]) CopyFrom(values []T) {
	const op = "Buffer.CopyFrom"
	if values == nil {
		panic(b.fault(ErrArgument, op, "the source is nil: use Clear"))
	}
	copy(b.resize(op, len(values)), values)
}

// Reserve makes Cap at least n, so that the next n-Len appended elements do not allocate.
func (b Buffer[T]) Reserve(n int) {
	const op = "Buffer.Reserve"
	b.check(op, n, math.MaxInt32)
	if b.own != nil {
		*b.own = slices.Grow(*b.own, max(0, n-len(*b.own)))
		return
	}
	b.find(op, true).reserve(n)
}

// SetCap makes Cap exactly n. The elements move into the chunk if n elements fit there, or else to
// a heap block of this size. It panics with an *Error if n is negative or less than Len.
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

// Trim frees unused capacity. The elements move into the chunk if they fit there, or else to a heap
// block of exactly their size.
func (b Buffer[T]) Trim() {
	if b.own != nil {
		*b.own = slices.Clip(*b.own)
		return
	}
	s := b.find("Buffer.Trim", true)
	s.setCapacity(max(int(s.head()[0]), s.col.comp.buffer.inline))
}

// Reinterpret returns a handle to the same buffer with elements of another type of the same size.
// For example, a Buffer[int32] can be read as a Buffer of a named int32 type. It panics with an
// *Error if the sizes differ, if U is no valid element type, or if BufferOf made b.
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

// resize sets the length to n and returns the elements. New elements have arbitrary values, because
// every caller overwrites them.
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

// span returns all elements, after a check that [i, j) is a range of them.
func (b Buffer[T]) span(op string, i, j int) []T {
	list := b.Slice()
	if i < 0 || j < i || j > len(list) {
		panic(b.fault(ErrRange, op, "elements [%d, %d) of %d", i, j, len(list)))
	}
	return list
}

// check panics with a range error if i is not in [0, n].
func (b Buffer[T]) check(op string, i, n int) {
	if i < 0 || i > n {
		panic(b.fault(ErrRange, op, "%d is not in [0, %d]", i, n))
	}
}

// find returns the storage of the buffer. It panics if the handle is stale, or if it is read-only
// and write is set.
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

// Buffers is the view of a column of buffers: the type that [Column] returns for a Buffer
// component. It is valid as long as the chunk's other views.
type Buffers[T any] struct {
	_     [0]*T
	chunk *cursor
	n     int
	bind  int // index among the chunk's bound columns
}

// Column names the view of a column of buffers. Programs do not call it; see [Column].
func (Buffer[T]) Column() (c Buffers[T]) { return }

// Len returns the number of buffers in the column, which is the number of rows in the chunk.
func (v *Buffers[T]) Len() int { return v.n }

// At returns a handle to the buffer of row i. It does not allocate. It panics with an *Error of
// category ErrRange if i is out of range, and ErrDisposed after a structural change.
func (v *Buffers[T]) At(i int) Buffer[T] {
	if uint(i) >= uint(v.n) {
		panic(fault(ErrRange, "Buffers.At", "row %d of %d", i, v.n))
	}
	c := v.chunk
	c.check("Buffers.At")
	b := &c.binds[v.bind]
	return Buffer[T]{home: bufferPlace{c.world, c.rec, c.structural, int32(c.first + i), int32(b.column), b.write}}
}

// buffer implements container: it returns the element type.
func (Buffer[T]) buffer() reflect.Type { return reflect.TypeFor[T]() }

// storage is the memory of one entity's buffer.
type storage struct {
	rec *record
	col *column
	row int
}

func bufferAt(r *record, c *column, row int) storage { return storage{r, c, row} }

// head returns the buffer's length and its capacity beyond the inline elements.
func (s storage) head() *bufferHead {
	l := s.col.lanes[0]
	return table.At[bufferHead](&s.rec.Place, l.Index, s.row)
}

// capacity returns the number of elements that fit.
func (s storage) capacity() int { return s.col.comp.buffer.inline + int(s.head()[1]) }

// room returns the memory for all elements that fit, as bytes.
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

// bytes returns the memory of the elements.
func (s storage) bytes() []byte {
	return s.room()[:int(s.head()[0])*s.col.comp.buffer.size]
}

// maxElements is the largest capacity of a buffer. Growing doubles the capacity, and twice this
// number still fits the int32 in the head.
const maxElements = math.MaxInt32 / 2

// minHeap is the smallest capacity that reserve sets.
const minHeap = 8

// reserve makes the capacity at least n. If it must grow, it at least doubles, so that n single
// appends copy O(n) elements.
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

// setCapacity makes the capacity exactly n, which must not be less than the length.
func (s storage) setCapacity(n int) {
	b := &s.col.comp.buffer
	if n == s.capacity() {
		return
	}
	old := s.bytes()
	list := &s.rec.spills[s.col.spill]
	spilled := s.head()[1] > 0
	if n > b.inline {
		block := make([]uint64, (int64(n)*int64(b.size)+7)/8) // panics if the size in bytes exceeds an int
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

// fill keeps the first keep elements and writes n elements, given as bytes, after them.
func (s storage) fill(keep int, values []byte, n int) {
	s.reserve(keep + n)
	s.head()[0] = int32(keep + n)
	copy(s.bytes()[keep*s.col.comp.buffer.size:], values)
}

// set replaces the elements by n elements, given as bytes.
func (s storage) set(values []byte, n int) { s.fill(0, values, n) }

// copyFrom takes the heap blocks of rows that move here. It copies only the slice headers, because
// the old rows are removed.
func (l *spill) copyFrom(dst span, from *spill, src span) {
	if from.rows == nil {
		return
	}
	if l.rows == nil {
		l.rows = make([][]uint64, dst.rec.Rows())
	}
	copy(l.rows[dst.first:dst.first+dst.n], from.rows[src.first:])
}

// clone gives a row its own copy of the heap block of another row.
func (l *spill) clone(dst *record, row int, from *spill, other int) {
	if from.rows == nil || from.rows[other] == nil {
		return
	}
	if l.rows == nil {
		l.rows = make([][]uint64, dst.Rows())
	}
	l.rows[row] = append([]uint64(nil), from.rows[other]...)
}

// spill holds the heap blocks of one buffer column of a chunk. rows stays nil until a buffer
// exceeds its inline capacity, because most chunks never need it.
type spill struct{ rows [][]uint64 }

// fit changes the number of rows, and keeps the first live ones.
func (l *spill) fit(live, rows int) {
	if l.rows != nil && len(l.rows) != rows {
		l.rows = append(make([][]uint64, 0, rows), l.rows[:live]...)[:rows]
	}
}

// copyWithin moves the heap blocks of n rows inside the chunk.
func (l *spill) copyWithin(to, from, n int) {
	if l.rows != nil {
		copy(l.rows[to:], l.rows[from:from+n])
	}
}

// clear drops the heap blocks of n rows.
func (l *spill) clear(first, n int) {
	if l.rows != nil {
		clear(l.rows[first : first+n])
	}
}
