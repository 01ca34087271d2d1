// Package untyped reads snapshots whose component types the program does not know: what tools show, compare and export.
//
// Names, kinds and the shapes of lanes are in the file. What is not: what managed values and shared ones
// mean, which codecs wrote, so that these are bytes; names of fields within a lane. Checksums, counts and ids are checked, and
// that the hash is that of the contents is not: that takes the types, see [github.com/lanewise/lanewise/ecs/snapshot.Read].
//
// The format is in docs/format.md. Nothing of a file is trusted, and memory grows with the bytes that arrive.
//
// Words: a component has lanes, as the file says; a chunk has a column for each component of its archetype, of which each lane is bytes; chunks with the same shared values are
// a group. Frames are read in the order of the file, each verified before anything in it is looked at, and a number in it is compared with the number of things that it counts. A kind of frame that
// is not known is verified and left out, so that a section that is new in package snapshot needs nothing here, unless tools are to see it.
package untyped
