// Package untyped reads snapshots without knowing their component types. Tools use it to show,
// compare and export snapshots of any program.
//
//	f, err := untyped.Open("game.sav")
//	for _, c := range f.Components {
//		fmt.Println(c.Name, c.Kind)
//	}
//
// A file contains the names, the kinds and the lane shapes of components. The file does not say
// how a codec encodes managed and shared values, so these are bytes here. The file does not
// contain the names of fields inside a lane, either. Read checks the checksums, counts and ids.
// Read does not check that the hash belongs to the contents, because this check needs the
// types; see [github.com/lanewise/lanewise/ecs/snapshot.Read].
//
// # Promises
//
// Read trusts no size or count in a file, and its memory grows only with the bytes that arrive. The
// format is documented in docs/format.md.
//
// # Design
//
// A component has the lanes that the file describes. A chunk has a column for each component of its
// archetype. Each lane of a column is a slice of bytes. Chunks with the same shared values form a
// group. Frames are read in the order of the file. Each frame is verified before it is decoded.
// Each count in a frame is compared with the number of things that were counted. A frame of an
// unknown kind is verified and skipped. Therefore, when package snapshot adds a section, this
// package changes only if tools must show the section.
package untyped
