// Package blob holds immutable data that many entities share, such as a navigation mesh or an
// animation curve, with arrays, strings and pointers inside. Components refer to it by eight bytes
// that contain no Go pointer, so they can be in chunks (BlobAssetReference in Unity).
//
//	type Track struct {
//		Name   blob.String
//		Points blob.Array[[3]float32]
//	}
//
//	ref := blob.New(func(b *blob.Builder, t *Track) {
//		t.Name.Set(b, "north loop")
//		t.Points.Set(b, [3]float32{1, 2, 3})
//	})
//	first := ref.Get().Points.Slice()[0]
//
// # Concepts
//
// A blob is one block of memory. It holds a root, which is a value of type T, and after it the
// elements of the root's arrays and strings. A [Ref] refers to it from anywhere in the process; it belongs to no world. A
// piece is the root or the elements of one array: n values of one type. A field reference
// (fieldRef) is the memory of an [Array], a [String] or a [Ptr]: the offset of the elements in the
// blob, their number, and its owner, which is the id of the blob that contains it. A layout
// describes T and all types that it refers to. Reflection computes it once for each T.
//
// # Promises
//
// Reading takes no lock and does not allocate. Using a disposed blob is an error and never a wrong
// value. Bytes from a file are checked before a blob is made from them.
//
// # Design
//
// A blob is immutable after New. Therefore reading needs no lock: a table has an atomic pointer for
// each index, and a blob that is found there is complete. New and Dispose take a lock, and neither
// waits for a reader.
//
// A Ref is an index in that table and a version, which counts the earlier uses of the index.
// Dispose removes the blob, and the next blob with the same index has the next version. An index
// that has had all versions is not used again. Therefore an old Ref never finds a newer blob. The
// memory belongs to the garbage collector, so a slice of a disposed blob can still be read.
//
// A field reference knows its owner and must not be moved, because its offsets are relative to the
// blob. Each use checks that its own address is inside of the owner's memory. This refuses copies,
// which would refer to wrong memory. The offsets are not checked again, because they were checked
// when the blob was assembled from the pieces of a [Builder], or when its bytes were read.
//
// While a blob is built, its pieces are separate Go slices, and field references have the number of
// a piece in place of an offset. Their owner is the builder's serial with index 0, which no blob
// has.
//
// There are two formats of bytes. [Ref.Bytes] is the memory with all owners cleared: it is fast, and
// for CPUs with one byte order and alignment, which a hash of the layout checks. [Any.Portable]
// writes the numbers one after another, little-endian; files of package ecs/snapshot have this
// format.
package blob
