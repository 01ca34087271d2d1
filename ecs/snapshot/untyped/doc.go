// Package untyped reads snapshots without knowing their component types. Tools use it to show,
// compare and export snapshots of any program.
//
//	f, err := untyped.Open("game.sav")
//	for _, c := range f.Components {
//		fmt.Println(c.Name, c.Kind)
//	}
//
// A file has the names, kinds and lane shapes of components. It does not say how a codec encodes
// managed and shared values, so these are bytes here, and it has no names of fields inside a lane.
// Read checks the checksums, counts and ids. It does not check that the hash belongs to the
// contents, because that needs the types; see [github.com/lanewise/lanewise/ecs/snapshot.Read].
//
// # Promises
//
// No size or count in a file is trusted, and memory grows only with the bytes that arrive. The
// format is documented in docs/format.md.
//
// # Design
//
// A component has lanes, as the file says. A chunk has a column for each component of its
// archetype, and each lane of it is bytes. Chunks with the same shared values are a group. Frames
// are read in the order of the file. Each is verified before it is decoded, and a number in it is
// compared with the number of things that it counts. An unknown kind of frame is verified and
// skipped, so that a new section in package snapshot needs no change here unless tools are to show
// it.
package untyped
