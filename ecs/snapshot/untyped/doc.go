// Package untyped reads snapshots whose component types the program does not know: what tools show, compare and export.
//
// Names, kinds and the shapes of lanes are in the file. What is not: what managed values and shared ones
// mean, which codecs wrote, so that these are bytes; names of fields within a lane. Checksums, counts and ids are checked, and
// that the hash is that of the contents is not: that takes the types, see [github.com/lanewise/lanewise/ecs/snapshot.Read].
//
// The format is in docs/format.md. Nothing of a file is trusted, and memory grows with the bytes that arrive.
package untyped
