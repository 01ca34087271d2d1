package transform

import (
	"sync/atomic"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// parts says of what the matrices of an archetype are composed.
type parts uint8

const (
	translated  parts = 1 << iota
	rotated           // by Rotation
	scaled            // by Scale
	stretched         // by NonUniformScale
	pivoted           // rotated by CompositeRotation
	pivotScaled       // scaled by CompositeScale
	undoes            // the parent's scale
	leads             // has children
)

// partsOf asks the chunk.
func partsOf[T kernels.Float](c *ecs.Chunk) (has parts) {
	if ecs.Has[TranslationOf[T]](c) {
		has |= translated
	}
	switch {
	case ecs.Has[CompositeRotationOf[T]](c):
		has |= pivoted
	case ecs.Has[RotationOf[T]](c):
		has |= rotated
	}
	switch {
	case ecs.Has[CompositeScaleOf[T]](c):
		has |= pivotScaled
	case ecs.Has[NonUniformScaleOf[T]](c):
		has |= stretched
	case ecs.Has[ScaleOf[T]](c):
		has |= scaled
	}
	if ecs.Has[ParentScaleInverseOf[T]](c) {
		has |= undoes
	}
	if ecs.Has[Children](c) {
		has |= leads
	}
	return has
}

// partsKnown remembers the parts of the first archetypes that it is asked about, by jobs: each stores into a place that is empty, what is there never changes, and one that is lost is found again.
// To look here is faster than to ask a chunk eight times, and few
// worlds have more.
type partsKnown[T kernels.Float] [4]atomic.Pointer[knownParts]

// knownParts are those of one archetype. They do not change.
type knownParts struct {
	of  ecs.Archetype
	has parts
}

// of returns the parts of the chunk's archetype. Workers may ask at a time.
func (k *partsKnown[T]) of(c *ecs.Chunk) parts {
	a := c.Archetype()
	for i := range k {
		known := k[i].Load()
		if known == nil {
			known = &knownParts{a, partsOf[T](c)}
			if !k[i].CompareAndSwap(nil, known) {
				return known.has // another worker was faster
			}
		}
		if known.of == a {
			return known.has
		}
	}
	return partsOf[T](c)
}
