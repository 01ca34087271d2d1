// Package blob holds data that many have in common and that does not change, with arrays, strings and pointers
// inside, in one piece of memory without Go pointers: components refer to it by eight bytes.
//
// # The words
//
// A blob is a root, a value of a type T, and what belongs to it. A [Ref] refers to it, from anywhere in the
// process: it knows no world. A piece is the root or the elements of one array: n values of one type. A field reference (fieldRef) is what
// an [Array], a [String] or a [Ptr] is in memory: how far from the blob's beginning the elements are, how many, and
// its home, the blob in which it stands. A layout is what there is to know of T and of all types that it refers to; it is
// found by reflection, once for each T.
//
// # What holds it together
//
// A blob is made once and then only read. So reading takes no lock: a table has an atomic pointer for each index, and a
// blob that was found is whole. A lock is taken to make and to dispose, and neither waits for a reader.
//
// A Ref is an index of that table and a version, which says how often the index was used before. Dispose takes the blob
// out, the next one there has the next version, and an index that has had all versions is not used again: an
// old Ref finds nothing, whatever came after it. Memory is the garbage collector's: a slice that is still held can be read on.
//
// Every field reference inside of a blob knows its home, and must not be moved: its own address must be within
// its home's memory. That is why a copy of one, which would lead anywhere, is refused, and why the offsets
// behind it are not checked again: they were, when the blob was assembled from what the [Builder] has
// made, or when its bytes were read, of which nothing is trusted.
//
// While a blob is built its pieces are Go slices of their own, field references have the number of a piece instead of an offset, and
// their home is the builder's serial with the index 0, which no blob has.
//
// There are two kinds of bytes. Those of [Ref.Bytes] are the memory with all homes cleared: quick, and for CPUs of one
// order of bytes and alignment, which a print of the layout tells. Those of [Any.Portable] are the numbers one after
// another, little end first, and are in files of package ecs/snapshot.
package blob
