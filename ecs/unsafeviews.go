package ecs

import (
	"unsafe"

	"github.com/lanewise/lanewise/ecs/internal/table"
	"github.com/lanewise/lanewise/soa"
)

// header returns the slice header of n rows of a lane, beginning with the first row of the view.
func (c *cursor) header(l table.Lane, n int) soa.Header {
	// SAFETY: the chunk has the lane and the rows, and memory for the scratch rows after them. Lanes
	// contain no Go pointers. The pointer keeps the memory alive.
	return soa.Header{Data: c.base.Row(l, c.firstRow), Len: n, Cap: n}
}

// firstBinding returns the first of the bindings, or nil if there are none.
func firstBinding(binds []columnBinding) *columnBinding {
	// SAFETY: a slice of bindings is nil or not empty: see match.linkBindings.
	return unsafe.SliceData(binds)
}

// firstVersion returns the first of the change versions of a chunk's columns.
func firstVersion(versions []uint32) *uint32 {
	// SAFETY: the pointer is read only by versionAt.
	return unsafe.SliceData(versions)
}

// versionAt returns the change version of a column. first is the version of the first column.
func versionAt(first *uint32, column int16) *uint32 {
	// SAFETY: a binding that is found by its key has a column of the archetype, and a
	// chunk has a version for each column, next to each other.
	return (*uint32)(unsafe.Add(unsafe.Pointer(first), int(column)*int(unsafe.Sizeof(uint32(0)))))
}

// headerAt returns the first slice header of a view.
func headerAt(views []soa.Header, view int32) *soa.Header {
	// SAFETY: a query reserves the headers of all its bindings for each Chunk.
	return (*soa.Header)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(views)), int(view)*int(unsafe.Sizeof(soa.Header{}))))
}

// viewAt returns the slice headers, beginning with first, as the view V.
func viewAt[V any](first *soa.Header) *V {
	// SAFETY: V is the view that the component's Column method returns. At registration, soa.Bind
	// checked that V consists of this number of slices. When the query was created, the same number of
	// headers was reserved, beginning with first.
	return (*V)(unsafe.Pointer(first))
}

// threeHeaders returns the slice headers, beginning with first, as the headers of a view of three
// lanes.
func threeHeaders(first *soa.Header) *[3]soa.Header {
	// SAFETY: see viewAt. The caller's component has three lanes.
	return (*[3]soa.Header)(unsafe.Pointer(first))
}

// fourHeaders returns the slice headers, beginning with first, as the headers of a view of four
// lanes.
func fourHeaders(first *soa.Header) *[4]soa.Header {
	// SAFETY: see viewAt. The caller's component has four lanes.
	return (*[4]soa.Header)(unsafe.Pointer(first))
}

// buffersHeader returns the header of a view that is a Buffers.
func buffersHeader(c *cursor, n int, b *columnBinding) soa.Header {
	// SAFETY: Buffers consists of a pointer and two ints, as a slice header does.
	return soa.Header{Data: unsafe.Pointer(c), Len: n, Cap: int(b.index)}
}
