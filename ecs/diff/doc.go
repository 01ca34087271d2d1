// Package diff finds the differences of two images of worlds, down to the row and the lane.
//
//	for d := range diff.Images(a, b) {
//		fmt.Println(d) // entity 39547v1: game.Position.Y is 1.5 and 1.25 (archetype 2, chunk 77, row 123)
//	}
//
// [Images] compares two images, and [Files] compares two snapshots without knowing their component
// types.
//
// # Promises
//
// Images yields nothing if and only if the images have the same hash (see [ecs.World.Hash]) and
// their shared values are equal. Shared values are compared by their method Equal if the type has
// one, because two different values may have the same hash. Facts that are not part of the hash are
// not compared: versions, capacities of buffers, names and managed values. Two NaN are always
// equal. The cost is proportional to the bytes that were written between two images of one world,
// because chunks that they share are skipped. For two unrelated images it is the cost of reading
// both once.
//
// # Design
//
// A source is an image or a file. Rows are first matched by archetype, chunk and row, because most
// of them have not moved. The remaining entities are matched by id. Columns of matched rows are
// compared as bytes, which is several times as fast as hashing them, and number by number only if
// their bytes differ.
package diff
