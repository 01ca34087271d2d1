// Package snapshot saves images of worlds to files and streams, and loads them. A loaded world
// continues exactly as the saved one would have: ids, free ids, the order of rows and the
// capacities of buffers are the same.
//
//	m, err := ecs.Capture(w, nil)
//	err = snapshot.Save("game.sav", m)
//
//	err = snapshot.Load(w, "game.sav") // w is as it was
//
// [Write] and [Read] are for streams, [Save] and [Open] for files. Reading makes an [ecs.Image],
// from which [ecs.Fork] makes a world. [Load] and [LoadFrom] read into an existing world. [Delta]
// writes only the changes since an earlier image.
//
// # Promises
//
// The bytes are canonical: equal images have equal bytes on every machine and for any number of
// workers. A file that was cut short, damaged or forged is refused with an error that names the
// place, and nothing changes. The memory that a reader takes is proportional to the bytes that have
// arrived. The format is documented byte by byte in docs/format.md, and later releases read it.
//
// # Design
//
// A file is a magic number and frames, each with its length and a checksum. A column is stored lane
// by lane, as little-endian numbers without padding. Change versions are stored as ages: the newest
// is 1, and 0 means none, because absolute versions would make equal worlds differ. A frame of rows
// begins with the heads of its chunks. Therefore one goroutine can create the chunks in order, and
// all workers can then fill them directly in the memory of the image, or of the world that it is
// for: see [ecs.ImageBuilder.AddState]. Some frames are decoded at a time, while the heads of the
// next ones are read.
//
// Package internal/format reads the outline of a file: its first bytes, the frames, and the totals
// in the last one; package untyped uses it too. A new section of the file is a new kind of frame
// there and in docs/format.md. Version increases only if a reader without the section would make
// another world. This package does not compress, because any io.Writer and io.Reader that
// compresses can be used.
package snapshot
