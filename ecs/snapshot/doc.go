// Package snapshot saves images of worlds to files and streams, and loads these images. A loaded
// world continues exactly as the saved world would have continued: ids, free ids, the order of rows
// and the capacities of buffers are the same.
//
//	m, err := ecs.Capture(w, nil)
//	err = snapshot.Save("game.sav", m)
//
//	err = snapshot.Load(w, "game.sav") // w is as it was
//
// [Write] and [Read] are for streams, [Save] and [Open] for files. Reading returns an [ecs.Image],
// from which [ecs.Fork] creates a world. [Load] and [LoadFrom] read into an existing world. [Delta]
// writes only the changes from an earlier image to a later one.
//
// # Promises
//
// The bytes are canonical: equal images produce equal bytes on every machine and for any number of
// workers. If a file was truncated, damaged or forged, reading returns an error that says where,
// and nothing changes. The memory that a reader uses is proportional to the bytes that have
// arrived. The page docs/format.md documents every byte of the format. Later releases can read it.
//
// # Design
//
// A file consists of a magic number and of frames. Each frame contains its length and a checksum. A
// column is stored lane by lane, as little-endian numbers without padding. Change versions are
// stored as ages. The newest version has age 1, and age 0 means that there is no version. Ages are
// used because equal worlds may have different absolute versions. A frame of rows begins with the
// heads of its chunks. Therefore one goroutine can create the chunks in order. All workers can then
// fill the chunks directly in the memory of the image, or of the world that the image is for: see
// [ecs.ImageBuilder.AddState]. The reader decodes several frames at a time, while it reads the
// heads of the next frames.
//
// Package internal/format reads the outline of a file: the first bytes, the frames, and the totals
// in the last frame. Package untyped uses it, too. A new section of the file needs a new kind of
// frame, in package format and in docs/format.md. Version increases only if a reader that skips the
// section would create another world. This package does not compress. To compress a snapshot, pass
// an io.Writer or io.Reader that compresses or decompresses.
package snapshot
