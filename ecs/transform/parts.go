package transform

import (
	"sync/atomic"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// parts says of what the matrices of an archetype are composed.
type parts uint8

const (
	translated parts = 1 << iota
	rotated          // by Rotation
	scaled           // by NonUniformScale or Scale
	leads            // has children
)

// partsOf returns the parts that the rows have.
func partsOf[T kernels.Float](in inputs) (has parts) {
	if hasPart[TranslationOf[T]](in) {
		has |= translated
	}
	if hasPart[RotationOf[T]](in) {
		has |= rotated
	}
	if hasPart[NonUniformScaleOf[T]](in) || hasPart[ScaleOf[T]](in) {
		has |= scaled
	}
	if hasPart[Children](in) {
		has |= leads
	}
	return has
}

// partsKnown remembers the parts of the first archetypes that it is asked about. Jobs read and
// write the places: each stores into one that is empty, by compare and swap, what is there never
// changes, and an archetype that finds no place is asked again each time. To look here is faster
// than to ask a chunk five times, and few worlds have more.
type partsKnown[T kernels.Float] [4]atomic.Pointer[knownParts]

// knownParts are those of one archetype. They do not change.
type knownParts struct {
	of  ecs.Archetype
	has parts
}

// of returns the parts of the chunk's archetype. Workers may ask concurrently.
func (k *partsKnown[T]) of(c *ecs.Chunk) parts {
	a := c.Archetype()
	for i := range k {
		known := k[i].Load()
		if known == nil {
			known = &knownParts{a, partsOf[T](inputs{chunk: c})}
			if !k[i].CompareAndSwap(nil, known) {
				return known.has // another worker was faster
			}
		}
		if known.of == a {
			return known.has
		}
	}
	return partsOf[T](inputs{chunk: c})
}
