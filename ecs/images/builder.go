package images

import "github.com/lanewise/lanewise/ecs"

// Builder makes an [ecs.Image] of parts that come from outside: from a file, or from another
// machine. It trusts none of them. Give it the state first, then the shared values, then each
// archetype and behind that its chunks, and ask for the image:
//
//	b := images.NewBuilder()
//	b.State(state)
//	b.Shared(shared)             // each component that has values
//	b.Archetype(archetype)       // and for each of its chunks:
//	chunk, err := b.Chunk(c, rows) //   fill chunk.Entities, and the Lanes, On and Value of chunk.Parts
//	chunk.Filled()                 //   if that was the last of it: see there
//	image, err := b.Image()
//
// What it is given is what [StateOf], [SharedOf], [ArchetypesOf] and [ChunkOf]
// return. Chunks may be filled by several goroutines, each by one at a time, until Image is
// called; everything else is for one goroutine.
//
// Every error is of category ErrArgument, names the place, and ends the building: all calls
// return it from then on, and there is no image. Who gives up for another reason calls Close. Memory is taken as it is asked for, by Chunk
// for rows of one chunk and by [SetBuffer] for a capacity: whoever reads what he does not
// trust bounds these. What an image that was built before has given back by [ecs.Image.Release] is used again.
// [Fork] makes a world of the image.
type Builder struct{ of builder }

// builder is what package ecs has of it.
type builder interface {
	State(s State) error
	Shared(s Shared) error
	Archetype(a Archetype) error
	Chunk(c Chunk, rows int) (Chunk, error)
	Image() (*ecs.Image, error)
	Close()
}

// NewBuilder returns a builder of an image without anything. With [ecs.OnPool] the workers of a pool make the hash of the image; other
// options mean nothing.
func NewBuilder(opts ...ecs.Option) *Builder { return &Builder{dynamic.NewBuilder(opts...)} }

// inner is what b is about; what says that there is nothing if b was not made.
func (b *Builder) inner() builder {
	if b == nil || b.of == nil {
		return dynamic.NoBuilder()
	}
	return b.of
}

// State gives what the image has beside archetypes: once, before all else. All of it may be
// missing; a Version of 0 is 1. The lists are the builder's until Image or Close returns.
//
// With For the image is made for a world: rows are put into memory of it, and [ecs.Restore] of the image into it makes them its chunks without a
// copy, and releases the image. Everything else can be done with it as with any image. The world is what it was until then, and
// the builder and the image are for the goroutine that has it: the world refuses changes, with an error of category ErrState, until there is an image, or
// without one Close was called, and then memory.Compact until the image is restored or released. The error is of category
// ErrState, or ErrDisposed, where it cannot be changed.
func (b *Builder) State(s State) error { return b.inner().State(s) }

// Shared gives the values of one shared component, before the archetypes that have it. A
// component without a call has its default only. It calls the Hash and Equal of the values, if
// the type has these.
func (b *Builder) Shared(s Shared) error { return b.inner().Shared(s) }

// Archetype gives the next archetype: chunks that are given from now on are its own. Components
// may be in any order, Newest and the Values of groups are in theirs. What an archetype with chunk components needs comes
// before it, as in a world: that of its meta entities, and that of what is left of these. Capacity,
// Chunks and Rows are not looked at. Missing may be Newest, which is found then, List and Room of
// a group, for the order of the chunks, and Groups where there are no shared components.
func (b *Builder) Archetype(a Archetype) error { return b.inner().Archetype(a) }

// Chunk gives the last archetype another chunk of so many rows, and returns it to be filled in
// place: Entities, which are null, and of each part the Lanes, which are zero unless the caller will Overwrite all of both, those of
// buffers by [SetBuffer] only; On, where all rows are on; the elements of Value, if the component is
// managed; and Version and Through. An Order or Version of 0 is the image's. Entities and
// Parts of what is given are not looked at.
func (b *Builder) Chunk(c Chunk, rows int) (Chunk, error) { return b.inner().Chunk(c, rows) }

// Image ends the building and returns the image, in which everything is as it is in the image of a
// world: each id once, groups and chunks with room that say the same as the chunks, meta entities that
// belong to a chunk, bools that are 0 or 1, references to blobs that are there, no row on that is not there, no version from the future.
func (b *Builder) Image() (*ecs.Image, error) { return b.inner().Image() }

// Close gives up: without it, of what is wrong only Image knows when nobody reads the lists of State any more. All calls but Close
// return an error of category ErrState from then on, or the one that there was. After Image it does nothing.
func (b *Builder) Close() { b.inner().Close() }
