package images

import (
	"iter"
	"reflect"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/sister"
)

// Chunk is one chunk of an archetype.
type Chunk = struct {
	Group    int          // of the archetype
	Order    uint32       // version of the world when rows came or went last
	Meta     ecs.Entity   // holds the chunk components; the null entity without any
	Entities []ecs.Entity // of the rows
	Parts    []Part       // the columns, in the order of components

	Overwrite bool // to Builder.Chunk: Entities and Lanes may come as anything, for the caller writes every byte of them

	// Filled, of what Builder.Chunk has returned, says that the chunk is filled, and that nothing will write to its Entities, Lanes, On and
	// Value any more. To call it is optional, for the goroutine that has filled it: what Builder.Image would look at and Image.Hash would hash
	// is read now, while it is in the caches. When the image is made, or the builder closed, it does nothing.
	Filled func()
}

// Part is one column of one chunk of an image. It is to be read, and good as long as the
// image is not released.
type Part = struct {
	Archetype int          // in the order of creation
	Chunk     int          // of the archetype
	Entities  []ecs.Entity // of the rows
	Component reflect.Type // of the column
	Lanes     [][]byte     // what the rows have of each lane of the component, in memory's order; none of tags, shared and managed ones
	On        []uint64     // of an enableable component: the bits of rows that are on, row i in bit i mod 64
	Value     any          // of a shared component: what the rows have together; of a managed one: a []T with an element for each row
	Version   uint32       // of the world when the column was written last
	Through   uint32       // the same, of columns of meta entities: by way of their chunks

	Of sister.Hidden // what HashOf, BufferOf and SetBuffer look at
}

// ChunkOf returns one chunk of an archetype of m, both by their places. It panics with an *ecs.Error of category ecs.ErrRange if there is
// no such chunk.
func ChunkOf(m *ecs.Image, archetype, chunk int) Chunk { return dynamic.ChunkOf(m, archetype, chunk) }

// Parts yields the columns of all chunks of m, in the order of archetypes, chunks and components.
// Chunks of archetypes without components are not among them.
func Parts(m *ecs.Image) iter.Seq[Part] { return dynamic.Parts(m) }

// SharesChunk reports whether two images have one chunk at a place together, for nothing was
// written to it between them: then there is nothing to compare.
func SharesChunk(m, with *ecs.Image, archetype, chunk int) bool {
	return dynamic.SharesChunk(m, with, archetype, chunk)
}

// HashOf returns the hash of the column, as [ecs.World.Hash] makes it: of what a chunk has of a component, or of
// its shared value. Managed values have no part in it. It panics with an *ecs.Error if the part is of no image.
func HashOf(p *Part) uint64 { return dynamic.HashOf(p) }

// BufferOf shows the elements of the buffer in a row, and returns how many it has room for. It
// panics with an *ecs.Error if the column is not one of buffers, or has no such row.
func BufferOf(p *Part, row int) (elements []byte, capacity int) { return dynamic.BufferOf(p, row) }

// SetBuffer sets the elements of the buffer in a row of a chunk that a [Builder] makes, which
// are values in the order of memory, and how many it has room for. Without it the buffer is empty. The error is of category
// ErrArgument if the bytes are no whole number of elements, or more than there is room for. It panics as
// [BufferOf] does, and with an *ecs.Error of category ecs.ErrState, for a copy of the part too, if the image is made already, the builder
// is closed, or the chunk's Filled was called.
func SetBuffer(p *Part, row int, elements []byte, capacity int) error {
	return dynamic.SetBuffer(p, row, elements, capacity)
}
