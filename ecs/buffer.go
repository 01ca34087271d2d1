package ecs

import (
	"math"
	"reflect"
	"slices"

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
	world  *tables
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
	case p.stamp != p.world.structural:
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
		e.World, e.System = w.name, w.callingSystem()
	}
	return e
}
