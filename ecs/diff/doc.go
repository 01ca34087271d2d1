// Package diff shows where two images of worlds differ, down to the row and the lane.
//
// [Images] compares two images, and says nothing if and only if they have the same hash, see [ecs.World.Hash], and their shared values are equal by Equal
// where a type has it, because two of them may have one hash:
// what the hash does not see is not compared, which is versions, capacities of
// buffers, names and managed values, and any NaN is any other. What two images of one world share is not looked at, so that
// the cost is that of what was written between them; where they share nothing it is that of reading both once.
//
// [Files] compares two snapshots whose component types the program does not know.
//
// # Inside
//
// A source is an image or a file. Rows are matched by archetype, chunk and row first, because most of them are where they were. Entities that
// this does not match are matched by id. Columns of matched rows are
// compared as bytes, which is several times as fast as hashing them, and number by number only where bytes differ.
package diff
