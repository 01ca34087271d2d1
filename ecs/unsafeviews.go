package ecs

import (
	"unsafe"

	"github.com/lanewise/lanewise/ecs/internal/table"
	"github.com/lanewise/lanewise/soa"
)

// header returns the slice header of n rows of a lane, from the first row of the view on.
func (c *cursor) header(l table.Lane, n int) soa.Header {
	// SAFETY: the chunk has the lane and the rows, and memory for the scratch rows after them; lanes are
	// free of Go pointers; the pointer keeps the memory alive.
	return soa.Header{Data: c.base.Row(l, c.firstRow), Len: n, Cap: n}
}

// firstBinding returns the first of the bindings, or nil if there are none.
func firstBinding(binds []columnBinding) *columnBinding {
	// SAFETY: a slice of bindings is nil or has some: see match.linkBindings.
	return unsafe.SliceData(binds)
}

// versionAt returns the change version of a column.
func versionAt(versions []uint32, column int16) *uint32 {
	// SAFETY: a binding that is found by its key has a column of the archetype, and a
	// chunk has a version for each of them.
	return (*uint32)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(versions)), int(column)*int(unsafe.Sizeof(uint32(0)))))
}

// headerAt returns the first slice header of a view.
func headerAt(views []soa.Header, view int32) *soa.Header {
	// SAFETY: a query reserves the headers of all its bindings for each Chunk.
	return (*soa.Header)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(views)), int(view)*int(unsafe.Sizeof(soa.Header{}))))
}

// viewAt returns the slice headers from first on as the view V.
func viewAt[V any](first *soa.Header) *V {
	// SAFETY: V is the view that the component's Column method names. At registration soa.Bind checked
	// that it is this number of slices; when the query was made the same number of headers was reserved
	// from first on.
	return (*V)(unsafe.Pointer(first))
}

// threeHeaders returns the slice headers from first on as those of a view of three lanes.
func threeHeaders(first *soa.Header) *[3]soa.Header {
	// SAFETY: as for viewAt; the caller has a component with three lanes.
	return (*[3]soa.Header)(unsafe.Pointer(first))
}

// fourHeaders returns the slice headers from first on as those of a view of four lanes.
func fourHeaders(first *soa.Header) *[4]soa.Header {
	// SAFETY: as for viewAt; the caller has a component with four lanes.
	return (*[4]soa.Header)(unsafe.Pointer(first))
}

// buffersHeader returns the header of a view that is a Buffers.
func buffersHeader(c *cursor, n int, b *columnBinding) soa.Header {
	// SAFETY: Buffers is a pointer and two ints, as a slice header is.
	return soa.Header{Data: unsafe.Pointer(c), Len: n, Cap: int(b.index)}
}
