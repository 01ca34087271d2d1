// Package snapshot writes images of worlds to files and streams, and reads them back: ids, free
// ids, the order of everything and the capacities of buffers included, so that what happens to
// a world that was read is what would have happened to the one that was written.
//
// Write and Read are for streams, Save and Open for files. What is read is an [ecs.Image], from
// which [images.Fork] makes a world. Load and LoadFrom read into a world that is there. A file that was cut short, changed or made by
// somebody else is refused with an error that names the place, and nothing comes of it.
//
// # Inside
//
// A file is a magic number and frames, each with its length and a checksum; docs/format.md has
// every byte. The bytes are canonical: equal images have equal bytes on every machine. A lane is
// its numbers, one row behind the other, little end first and without padding. Versions are ages:
// the newest is 1, and 0 is no version. A frame of rows begins with the heads of its chunks, so
// that chunks are made in order, and filled by all workers straight into the memory of the image, or
// of the world that it is for: see [images.Builder.State]. Frames are decoded some at a time, while the heads
// of the next ones are read.
//
// Where things are: write.go and read.go are what users call and the order of frames in a file, writerows.go and rows.go the rows of
// chunks; schema.go and shape.go say which types a file has and what becomes of values of others, with migrate.go; delta.go and
// patch.go write what has changed since another image and apply.go puts it in; held.go keeps chunks of a file back where the
// program's types make others of them; blobs.go and systems.go are what stands beside rows, file.go puts a file on the disk
// whole or not at all. frame.go and stream.go are frames as this package has them, over internal/frames.
// A new section is a kind of frame: its number is in frame.go, and once more in untyped/read.go, for package untyped reads what this one
// writes and shares nothing with it but frames; docs/format.md goes with it, and Version, in both
// places, if a reader that leaves the section out would have another world. Nothing in here
// compresses: Write is given an io.Writer and Read an io.Reader, which may.
package snapshot
