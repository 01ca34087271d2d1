// Package snapshot writes images of worlds to files and streams, and reads them back: ids, free
// ids, the order of everything and the capacities of buffers included, so that what happens to
// a world that was read is what would have happened to the one that was written.
//
// Write and Read are for streams, Save and Open for files. What is read is an [ecs.Image], from
// which [ecs.Fork] makes a world. Load and LoadFrom read into a world that is there. A file that was cut short, changed or made by
// somebody else is refused with an error that names the place, and nothing comes of it.
//
// # Inside
//
// A file is a magic number and frames, each with its length and a checksum; docs/format.md has
// every byte. The bytes are canonical: equal images have equal bytes on every machine. A lane is
// its numbers, one row behind the other, little end first and without padding. Versions are ages:
// the newest is 1, and 0 is no version. A frame of rows begins with the heads of its chunks, so
// that chunks are made in order, and filled by all workers straight into the memory of the image, or
// of the world that it is for: see [ecs.ImageBuilder.AddState]. Frames are decoded some at a time, while the heads
// of the next ones are read.
//
// Package internal/format has the outline of a file: its first bytes, the kinds of frames, and the totals in the last one. Package
// untyped reads by it too. A new section is a new kind of frame there and in docs/format.md; Version increases if a
// reader that leaves the section out would have another world. This package
// does not compress: Write is given an io.Writer and Read an io.Reader, which may.
package snapshot
