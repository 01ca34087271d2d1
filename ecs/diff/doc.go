// Package diff finds the differences of two images of worlds, down to the row and the lane.
//
//	for d := range diff.Images(a, b) {
//		fmt.Println(d) // entity 39547:1: game.Position.Y is 1.5 and 1.25 (archetype 2, chunk 77, row 123)
//	}
//
// [Images] compares two images, and [Files] compares two snapshots without knowing their component
// types.
//
// # Promises
//
// Images yields no difference if and only if the images have the same hash (see [ecs.World.Hash])
// and their shared values are equal. Shared values are compared by their method Equal if the type
// has one, because two different values may have the same hash. Facts that are not part of the hash
// are not compared: versions, capacities of buffers, names, managed values and references to blobs. Two NaN are always
// equal to each other. If both images are of one world, the cost is proportional to the bytes that
// were written between them, because chunks that the images share are skipped. For two unrelated
// images, the cost is that of reading both images once.
//
// # Design
//
// In this package, a source is an image or a file. Rows are first matched by archetype, chunk and
// row, because most of them have not moved. The remaining entities are matched by id. Columns of
// matched rows are first compared as bytes, which is several times as fast as hashing them. Only if
// the bytes differ are the columns compared number by number.
package diff
