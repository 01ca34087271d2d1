package ecs

import (
	"math"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs/internal/table"
	"github.com/lanewise/lanewise/soa"
)

// Buffer is a component that holds a growing list of elements of type T for each entity, as a
// dynamic buffer of Unity does. T must not hold Go pointers. The first elements are in the chunk.
// T's method InlineCapacity returns the number of elements that a chunk stores. Without this
// method, it is the number that fits in 128 bytes. When a buffer gets longer, all its elements
// move to one block of the Go heap. If T embeds Cleanup, the buffer is a cleanup component.
//
// A Buffer value is a handle to the buffer of one entity. [Buffers.At] returns the handle for a row
// of a chunk, and [GetBuffer] and [Get] return the handle for an entity. A handle is valid until
// the next structural change. A later use panics with an *Error of category ErrDisposed. A slice of
// the elements is plain memory. A call that changes the length or the capacity may move the
// elements, and then the slice still shows the old ones.
//
// [BufferOf] returns a Buffer value that belongs to no entity. Spawn, Add and Set copy its
// elements.
type Buffer[T any] struct {
	_           [0]*T // prevents a conversion between Buffers with different elements
	ownElements *[]T  // the elements of a value that belongs to no entity
	place       bufferPlace
}

// bufferPlace identifies the buffer to which a handle refers.
type bufferPlace struct {
	world             *World
	chunk             *chunkData
	structuralVersion uint32 // structural version at the time of the handle's creation
	row               int32
	column            int32
	writable          bool
}

// BufferOf returns a Buffer value with a copy of the given elements. The value belongs to no
// entity: pass it to Spawn, Add or Set.
func BufferOf[T any](values ...T) Buffer[T] {
	own := append(make([]T, 0, len(values)), values...)
	return Buffer[T]{ownElements: &own}
}

// Len returns the number of elements. The number is 0 for the zero Buffer.
func (b Buffer[T]) Len() int {
	if b.ownElements != nil {
		return len(*b.ownElements)
	}
	if b.place.chunk == nil {
		return 0
	}
	return int(b.mustStorage("Buffer.Len", false).head()[0])
}

// Cap returns the number of elements that fit without a new heap block.
func (b Buffer[T]) Cap() int {
	if b.ownElements != nil {
		return cap(*b.ownElements)
	}
	if b.place.chunk == nil {
		return 0
	}
	return b.mustStorage("Buffer.Cap", false).capacity()
}

// Slice returns the elements, without a copy. The caller may write them only if it has write access
// to the buffer. The capacity of the slice equals its length, so append copies the slice and never
// writes into the unused capacity of the buffer.
func (b Buffer[T]) Slice() []T {
	if b.ownElements != nil {
		return slices.Clip(*b.ownElements)
	}
	if b.place.chunk == nil {
		return nil
	}
	s := b.mustStorage("Buffer.Slice", false)
	return bufferElements[T](s.elementBytes())
}

// Append adds values to the end of the buffer. The values may be a part of the same buffer. It
// allocates memory if the elements exceed Cap. It panics with an *Error of category ErrArgument
// if the buffer would have more than 1<<30 - 1 elements.
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
	b.checkIndex(op, i, n)
	list := b.resize(op, n+len(values))
	_ = slices.Insert(list[:n], i, values...) // in place: resize has made the room
}

// Remove removes the elements [i, j) and keeps the order of the others. It copies all elements
// after j; see RemoveSwap. It panics with an *Error of category ErrRange unless 0 ≤ i ≤ j ≤
// Len.
func (b Buffer[T]) Remove(i, j int) {
	const op = "Buffer.Remove"
	list := b.checkedElements(op, i, j)
	b.resize(op, i+copy(list[i:], list[j:]))
}

// RemoveSwap removes the elements [i, j) and fills the gap with the last elements. So it copies at
// most j-i elements, but does not keep the order. It panics as Remove does.
func (b Buffer[T]) RemoveSwap(i, j int) {
	const op = "Buffer.RemoveSwap"
	list := b.checkedElements(op, i, j)
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
	b.checkIndex(op, n, math.MaxInt32)
	if list := b.resize(op, n); n > old {
		clear(list[old:])
	}
}

// CopyFrom replaces the elements by a copy of values, which may be a part of the same buffer.
// CopyFrom panics with an *Error if values is nil, because passing nil is probably a mistake. To
// empty a buffer, call Clear.
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
	b.checkIndex(op, n, math.MaxInt32)
	if b.ownElements != nil {
		*b.ownElements = slices.Grow(*b.ownElements, max(0, n-len(*b.ownElements)))
		return
	}
	b.mustStorage(op, true).reserve(n)
}

// SetCap makes Cap exactly n. If n elements fit in the chunk, the elements move into the chunk.
// Otherwise they move to a heap block for n elements. It panics with an *Error if n is negative or
// less than Len.
func (b Buffer[T]) SetCap(n int) {
	const op = "Buffer.SetCap"
	b.checkIndex(op, n, math.MaxInt32)
	if n < b.Len() {
		panic(b.fault(ErrState, op, "the capacity is %d and the length %d: Resize it first", n, b.Len()))
	}
	if b.ownElements != nil {
		*b.ownElements = append(make([]T, 0, n), *b.ownElements...)
		return
	}
	b.mustStorage(op, true).setCapacity(n)
}

// Trim frees unused capacity. If the elements fit in the chunk, they move into the chunk.
// Otherwise they move to a heap block of exactly their size.
func (b Buffer[T]) Trim() {
	if b.ownElements != nil {
		*b.ownElements = slices.Clip(*b.ownElements)
		return
	}
	s := b.mustStorage("Buffer.Trim", true)
	s.setCapacity(max(int(s.head()[0]), s.column.comp.buffer.inlineCount))
}

// Reinterpret returns a handle to the same buffer with elements of another type of the same size.
// For example, a Buffer[int32] can be read as a Buffer of a named int32 type. It panics with an
// *Error if the sizes differ, if U is not a valid element type, or if BufferOf created b.
func Reinterpret[U, T any](b Buffer[T]) Buffer[U] {
	const op = "Reinterpret"
	from, to := reflect.TypeFor[T](), reflect.TypeFor[U]()
	if from.Size() != to.Size() {
		panic(b.fault(ErrState, op, "%v has %d bytes and %v has %d", from, from.Size(), to, to.Size()))
	}
	if _, err := soa.Lanes(to); err != nil {
		panic(b.fault(ErrArgument, op, "%v cannot be an element", to).withCause(err))
	}
	if b.ownElements != nil {
		panic(b.fault(ErrState, op, "the buffer belongs to no entity"))
	}
	return Buffer[U]{place: b.place}
}

// resize sets the length to n and returns the elements. The values of new elements are arbitrary,
// because every caller overwrites them.
func (b Buffer[T]) resize(op string, n int) []T {
	if b.ownElements != nil {
		*b.ownElements = slices.Grow(*b.ownElements, max(0, n-len(*b.ownElements)))[:n]
		return *b.ownElements
	}
	s := b.mustStorage(op, true)
	s.reserve(n)
	s.head()[0] = int32(n)
	return bufferElements[T](s.capacityBytes())[:n]
}

// checkedElements returns all elements. checkedElements first checks that [i, j) is a range of
// them.
func (b Buffer[T]) checkedElements(op string, i, j int) []T {
	list := b.Slice()
	if i < 0 || j < i || j > len(list) {
		panic(b.fault(ErrRange, op, "elements [%d, %d) of %d", i, j, len(list)))
	}
	return list
}

// checkIndex panics with a range error if i is not in [0, n].
func (b Buffer[T]) checkIndex(op string, i, n int) {
	if i < 0 || i > n {
		panic(b.fault(ErrRange, op, "%d is not in [0, %d]", i, n))
	}
}

// mustStorage returns the storage of the buffer. mustStorage panics if the handle is stale, or if it is
// read-only and write is set.
func (b *Buffer[T]) mustStorage(op string, write bool) bufferStorage {
	p := &b.place
	switch {
	case p.chunk == nil:
		panic(b.fault(ErrState, op, "the zero Buffer belongs to no entity: get one with GetBuffer, or make one with BufferOf"))
	case p.structuralVersion != p.world.gate.structuralVersion:
		panic(b.fault(ErrDisposed, op, "a structural change has ended the life of this handle: get it again"))
	case write && !p.writable:
		panic(b.fault(ErrState, op, "the buffer may only be read: get it with GetBuffer, or ask for it with Write"))
	}
	return bufferStorage{p.chunk, &p.chunk.arch.columns[p.column], int(p.row)}
}

func (b *Buffer[T]) fault(category error, op, text string, args ...any) *Error {
	e := fault(category, op, text, args...)
	e.Component = fullName(reflect.TypeFor[Buffer[T]]())
	if w := b.place.world; w != nil {
		e.World, e.System = w.gate.name, w.gate.callingSystem()
	}
	return e
}

// Buffers is the view of a column of buffers. [Column] returns it for a Buffer component. A Buffers
// is valid as long as the chunk's other views.
type Buffers[T any] struct {
	_            [0]*T
	cursor       *cursor
	length       int
	bindingIndex int // index among the chunk's bound columns
}

// Column determines the view of a column of buffers. Programs do not call it; see [Column].
func (Buffer[T]) Column() (c Buffers[T]) { return }

// Len returns the number of buffers in the column, which is the number of rows in the chunk.
func (v *Buffers[T]) Len() int { return v.length }

// At returns a handle to the buffer of row i. It does not allocate. It panics with an *Error of
// category ErrRange if i is out of range. It panics with an *Error of category ErrDisposed if a
// structural change has made the view stale.
func (v *Buffers[T]) At(i int) Buffer[T] {
	if uint(i) >= uint(v.length) {
		panic(fault(ErrRange, "Buffers.At", "row %d of %d", i, v.length))
	}
	c := v.cursor
	c.mustBeShown("Buffers.At")
	b := c.bindings
	for range v.bindingIndex {
		b = b.next
	}
	return Buffer[T]{place: bufferPlace{c.world, c.chunk, c.structuralVersion, int32(c.firstRow + i), int32(b.column), b.write}}
}

// buffer implements bufferMarker: it returns the element type.
func (Buffer[T]) buffer() reflect.Type { return reflect.TypeFor[T]() }

// bufferStorage is the memory of one entity's buffer.
type bufferStorage struct {
	chunk  *chunkData
	column *column
	row    int
}

func bufferAt(r *chunkData, c *column, row int) bufferStorage { return bufferStorage{r, c, row} }

// head returns the buffer's length and its capacity beyond the inline elements.
func (s bufferStorage) head() *bufferHead {
	l := s.column.lanes[0]
	return table.At[bufferHead](&s.chunk.Place, l.Index, s.row)
}

// capacity returns the number of elements that fit.
func (s bufferStorage) capacity() int { return s.column.comp.buffer.inlineCount + int(s.head()[1]) }

// capacityBytes returns the memory for all elements that fit, as bytes.
func (s bufferStorage) capacityBytes() []byte {
	n := s.capacity() * s.column.comp.buffer.elemSize
	if s.head()[1] > 0 {
		return wordBytes(s.chunk.bufferHeaps[s.column.bufferIndex].rowBlocks[s.row])[:n]
	}
	if n == 0 {
		return nil
	}
	l := s.column.lanes[1]
	return s.chunk.Bytes(l, s.row, 1)[:n]
}

// elementBytes returns the memory of the elements.
func (s bufferStorage) elementBytes() []byte {
	return s.capacityBytes()[:int(s.head()[0])*s.column.comp.buffer.elemSize]
}

// maxBufferElements is the largest capacity of a buffer. Growing doubles the capacity, and twice this
// number still fits in the int32 of the head.
const maxBufferElements = math.MaxInt32 / 2

// minHeapCapacity is the smallest capacity that reserve sets.
const minHeapCapacity = 8

// reserve makes the capacity at least n. If the capacity must grow, it at least doubles, so that n
// single appends copy O(n) elements.
func (s bufferStorage) reserve(n int) {
	old := s.capacity()
	if n <= old {
		return
	}
	if n > maxBufferElements {
		panic(fault(ErrArgument, "Buffer", "%d elements are more than a buffer holds", n))
	}
	s.setCapacity(max(minHeapCapacity, 2*old, n))
}

// setCapacity makes the capacity exactly n, which must not be less than the length.
func (s bufferStorage) setCapacity(n int) {
	b := &s.column.comp.buffer
	if n == s.capacity() {
		return
	}
	old := s.elementBytes()
	list := &s.chunk.bufferHeaps[s.column.bufferIndex]
	spilled := s.head()[1] > 0
	if n > b.inlineCount {
		block := make([]uint64, (int64(n)*int64(b.elemSize)+7)/8) // panics if the size in bytes exceeds an int
		copy(wordBytes(block), old)
		if list.rowBlocks == nil {
			list.rowBlocks = make([][]uint64, s.chunk.RowCapacity())
		}
		list.rowBlocks[s.row] = block
		s.head()[1] = int32(n - b.inlineCount)
		return
	}
	s.head()[1] = int32(n - b.inlineCount)
	if spilled {
		copy(s.capacityBytes(), old)
		list.rowBlocks[s.row] = nil
	}
}

// replaceTail keeps the first keep elements and writes n elements, given as bytes, after them.
func (s bufferStorage) replaceTail(keep int, values []byte, n int) {
	s.reserve(keep + n)
	s.head()[0] = int32(keep + n)
	copy(s.elementBytes()[keep*s.column.comp.buffer.elemSize:], values)
}

// replaceAll replaces the elements by n elements, given as bytes.
func (s bufferStorage) replaceAll(values []byte, n int) { s.replaceTail(0, values, n) }

// moveBlocksFrom takes over the heap blocks of rows that move to this column from another chunk. It
// copies only the slice headers, because the old rows are removed.
func (l *bufferHeap) moveBlocksFrom(dst rowRange, from *bufferHeap, src rowRange) {
	if from.rowBlocks == nil {
		return
	}
	if l.rowBlocks == nil {
		l.rowBlocks = make([][]uint64, dst.chunk.RowCapacity())
	}
	copy(l.rowBlocks[dst.first:dst.first+dst.count], from.rowBlocks[src.first:])
}

// cloneRow copies the heap block of one row, as the block of another row.
func (l *bufferHeap) cloneRow(dst *chunkData, row int, from *bufferHeap, other int) {
	if from.rowBlocks == nil || from.rowBlocks[other] == nil {
		return
	}
	if l.rowBlocks == nil {
		l.rowBlocks = make([][]uint64, dst.RowCapacity())
	}
	l.rowBlocks[row] = append([]uint64(nil), from.rowBlocks[other]...)
}

// bufferHeap holds the heap blocks of one buffer column of a chunk. rowBlocks stays nil until a
// buffer exceeds its inline capacity, because most chunks never need it.
type bufferHeap struct{ rowBlocks [][]uint64 }

// resize changes the number of rows. It keeps the first live rows.
func (l *bufferHeap) resize(live, rows int) {
	if l.rowBlocks != nil && len(l.rowBlocks) != rows {
		l.rowBlocks = append(make([][]uint64, 0, rows), l.rowBlocks[:live]...)[:rows]
	}
}

// moveBlocksWithin moves the heap blocks of n rows inside the chunk.
func (l *bufferHeap) moveBlocksWithin(to, from, n int) {
	if l.rowBlocks != nil {
		copy(l.rowBlocks[to:], l.rowBlocks[from:from+n])
	}
}

// dropBlocks drops the heap blocks of n rows.
func (l *bufferHeap) dropBlocks(first, n int) {
	if l.rowBlocks != nil {
		clear(l.rowBlocks[first : first+n])
	}
}
