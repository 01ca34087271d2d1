package transform

import (
	"sync/atomic"

	"github.com/lanewise/lanewise/chunk"
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// matrixInputs are the rows from which matrices are computed. For a system, the rows are those of
// a chunk. For [ComputeLocalToWorld], there is only one row, that of an entity. Because both use
// this type, each formula is written only once. An entity is handled as a chunk of one row. The
// result is exact, because kernels compute the same bits for a row in a column of any length.
type matrixInputs struct {
	chunk  *ecs.Chunk
	entity *entityReader // the entity; nil if there is a chunk
}

// matrixInput is a component from which a matrix is composed. A matrixInput can convert itself to a
// column of one row.
type matrixInput[V any] interface {
	ecs.Columned[V]
	row() V
}

// hasPart reports whether the rows have a component.
func hasPart[C any](in matrixInputs) bool {
	if in.chunk != nil {
		return ecs.HasColumn[C](in.chunk)
	}
	return ecs.Has[C](in.entity.world, in.entity.entity)
}

// columnOf returns the column of a component. The rows must have the component.
func columnOf[C matrixInput[V], V any](in matrixInputs) *V {
	if in.chunk != nil {
		return ecs.Column[C](in.chunk)
	}
	c, _ := readComponent[C](in.entity)
	v := c.row()
	return &v
}

func (t TranslationOf[T]) row() kernels.Vec3s[T]         { return vectorColumn(t.X, t.Y, t.Z) }
func (r RotationOf[T]) row() kernels.Quats[T]            { return rotationColumn(r.X, r.Y, r.Z, r.W) }
func (s ScaleOf[T]) row() []T                            { return []T{s.Value} }
func (s NonUniformScaleOf[T]) row() kernels.Vec3s[T]     { return vectorColumn(s.X, s.Y, s.Z) }
func (p PostTransformMatrixOf[T]) row() kernels.Mat4s[T] { return matrixColumn(p.M) }

func (l LocalTransformOf[T]) row() LocalTransforms[T] {
	s := []T{l.X, l.Y, l.Z, l.Scale, l.QX, l.QY, l.QZ, l.QW}
	return LocalTransforms[T]{s[:1:1], s[1:2:2], s[2:3:3], s[3:4:4], s[4:5:5], s[5:6:6], s[6:7:7], s[7:]}
}

// vectorColumn returns a column of one row. rotationColumn and matrixColumn do the same for their
// types.
func vectorColumn[T kernels.Float](x, y, z T) kernels.Vec3s[T] {
	l := []T{x, y, z}
	return kernels.Vec3s[T]{X: l[:1:1], Y: l[1:2:2], Z: l[2:]}
}

func rotationColumn[T kernels.Float](x, y, z, w T) kernels.Quats[T] {
	l := []T{x, y, z, w}
	return kernels.Quats[T]{X: l[:1:1], Y: l[1:2:2], Z: l[2:3:3], W: l[3:]}
}

func matrixColumn[T kernels.Float](m [16]T) kernels.Mat4s[T] { return kernels.Mat4s[T]{M: [][16]T{m}} }

// partSet is the set of components from which the matrices of an archetype are composed.
type partSet uint8

const (
	hasTranslation partSet = 1 << iota
	hasRotation            // has Rotation
	hasScale               // has NonUniformScale or Scale
	hasChildren            // not a part of a matrix: children will read the matrix soon, so it must stay in the caches
)

// partsOf returns the set of parts that the rows have.
func partsOf[T kernels.Float](in matrixInputs) (has partSet) {
	if hasPart[TranslationOf[T]](in) {
		has |= hasTranslation
	}
	if hasPart[RotationOf[T]](in) {
		has |= hasRotation
	}
	if hasPart[NonUniformScaleOf[T]](in) || hasPart[ScaleOf[T]](in) {
		has |= hasScale
	}
	if hasPart[Children](in) {
		has |= hasChildren
	}
	return has
}

// partsCache caches the parts of the first archetypes for which they are requested. A look-up here
// is faster than asking a chunk five times, and few worlds have more than four such archetypes.
// Jobs read and write the slots concurrently. Each job stores only into an empty slot, by
// compare-and-swap, and a full slot never changes. If all slots are full, the parts of any other
// archetype are computed each time.
type partsCache[T kernels.Float] [4]atomic.Pointer[archetypeParts]

// archetypeParts holds the parts of one archetype. It is immutable.
type archetypeParts struct {
	archetype ecs.Archetype
	parts     partSet
}

// partsOf returns the parts of the chunk's archetype. It is safe for concurrent use by workers.
func (k *partsCache[T]) partsOf(c *ecs.Chunk) partSet {
	a := c.Archetype()
	for i := range k {
		known := k[i].Load()
		if known == nil {
			known = &archetypeParts{a, partsOf[T](matrixInputs{chunk: c})}
			if !k[i].CompareAndSwap(nil, known) {
				return known.parts // another worker has stored the parts first
			}
		}
		if known.archetype == a {
			return known.parts
		}
	}
	return partsOf[T](matrixInputs{chunk: c})
}

// compose sets m to translation × rotation × scale of the rows. compose uses the parts that the rows have. If
// stream is set, it writes past the caches. Lanes of zeros and ones replace missing parts, because with a
// missing operand the kernel Compose is slower.
func compose[T kernels.Float](m *kernels.Mat4s[T], in matrixInputs, has partSet, stream bool) {
	n := m.Len()
	var origin, even kernels.Vec3s[T]
	var still kernels.Quats[T]
	pos, rot, scale := &origin, &still, &even
	if has&hasTranslation != 0 {
		pos = columnOf[TranslationOf[T]](in)
	} else {
		zero := zeros[T]()[:n]
		origin = kernels.Vec3s[T]{X: zero, Y: zero, Z: zero}
	}
	if has&hasRotation != 0 {
		rot = columnOf[RotationOf[T]](in)
	} else {
		zero := zeros[T]()[:n]
		still = kernels.Quats[T]{X: zero, Y: zero, Z: zero, W: ones[T]()[:n]}
	}
	switch {
	case has&hasScale == 0:
		one := ones[T]()[:n]
		even = kernels.Vec3s[T]{X: one, Y: one, Z: one}
	case hasPart[NonUniformScaleOf[T]](in):
		scale = columnOf[NonUniformScaleOf[T]](in)
	default:
		s := *columnOf[ScaleOf[T]](in)
		even = kernels.Vec3s[T]{X: s, Y: s, Z: s}
	}
	if stream {
		m.ComposeStream(pos, rot, scale)
	} else {
		m.Compose(pos, rot, scale)
	}
}

// postColumnOf returns the column of PostTransformMatrix, or nil if the rows have none.
func postColumnOf[T kernels.Float](in matrixInputs) *kernels.Mat4s[T] {
	if !hasPart[PostTransformMatrixOf[T]](in) {
		return nil
	}
	return columnOf[PostTransformMatrixOf[T]](in)
}

// maxMatrixRows is the largest number of rows of a chunk if each row has an id and a matrix of
// float32.
const maxMatrixRows = chunk.Size / (8 + 64)

// zeroLanes and oneLanes are the lanes that replace missing parts, for both widths.
var (
	zeroLanes = [...]any{filledLane[float32](0), filledLane[float64](0)}
	oneLanes  = [...]any{filledLane[float32](1), filledLane[float64](1)}
)

// filledLane returns a lane in which each element is v. The lane is as long as the largest chunk of
// matrices.
func filledLane[T kernels.Float](v T) []T {
	l := make([]T, maxMatrixRows)
	kernels.Fill(l, v)
	return l
}

// zeros and ones return a lane of zeros and a lane of ones.
func zeros[T kernels.Float]() []T { return laneOf[T](&zeroLanes) }

func ones[T kernels.Float]() []T { return laneOf[T](&oneLanes) }

func laneOf[T kernels.Float](lanes *[2]any) []T {
	if l, ok := lanes[0].([]T); ok {
		return l
	}
	return lanes[1].([]T)
}
