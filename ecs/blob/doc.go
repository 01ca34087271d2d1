// Package blob holds immutable data that many entities share, such as a navigation mesh or an
// animation curve, with arrays, strings and pointers inside. Components refer to a blob by eight
// bytes that contain no Go pointer, so these references can be stored in chunks. In Unity, such a
// reference is a BlobAssetReference.
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
// A blob is one block of memory. The block holds a root, which is a value of type T, and then the elements of the
// root's arrays and strings. A [Ref] to a blob is valid anywhere in the process, because a blob belongs to no world. A
// piece is the root or the elements of one array: n values of one type. A field reference (fieldRef) is the content of
// an [Array], a [String] or a [Ptr]. It consists of the offset of the elements in the blob, the number of elements, and
// the owner. The owner is the id of the blob that contains the field. A layout describes T and all types that it refers
// to. Reflection computes it once for each T.
//
// # Promises
//
// Reading a blob takes no lock and does not allocate. Using a disposed blob is an error and never
// returns a wrong value. Bytes from a file are checked before they become a blob.
//
// # Design
//
// A blob is immutable after New. Therefore reading needs no lock. A table contains an atomic
// pointer for each index, and a blob is complete before it is stored in the table. New and
// Dispose take a lock, and neither waits for a reader.
//
// A Ref consists of an index of that table and a version. The version is the number of earlier uses
// of the index. Dispose removes the blob from the table, and the next blob with the same index gets
// the next version. After its last version, an index is not used again. Therefore an old Ref never
// finds a newer blob. The garbage collector owns the memory, so a slice of a disposed blob can
// still be read.
//
// A field reference must not be moved, because its offsets are relative to the blob. Each method of
// a field checks that the field's own address is inside of the owner's memory. This check detects
// a copied field, which would refer to wrong memory. The methods do not check the offsets again,
// because they were checked when the [Builder] assembled the blob or when its bytes were read.
//
// While a blob is built, its pieces are separate Go slices, and a field reference holds the number
// of a piece in place of an offset. During that time, the owner in a field reference consists of
// the builder's serial number and the index 0, which no blob has.
//
// There are two encodings of a blob. [Ref.Bytes] returns the memory with all owners cleared. This
// encoding is fast, but the CPU that loads the bytes must have the same byte order and alignment.
// Load checks this by a hash of the layout. [Any.Portable] writes the numbers one after another in
// little-endian order. The files of package ecs/snapshot contain this encoding.
package blob
