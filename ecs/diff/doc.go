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
// A side is an image or a file. Rows are matched by place first, for most of them are where they were: the ids of a
// chunk are compared with those of the chunk in its place. Rows that are elsewhere, strays, are matched by entity. Columns of matched rows are
// compared as bytes, which is several times as fast as hashing them, and only rows whose bytes differ number by number.
package diff
