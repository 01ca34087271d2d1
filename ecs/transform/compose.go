package transform

import (
	"github.com/lanewise/lanewise/chunk"
	"github.com/lanewise/lanewise/kernels"
)

// compose sets m to translation × rotation × scale of the rows, by the parts that they have. With
// stream it writes past the caches. Compose would do the same for operands that are not there,
// piece by piece.
func compose[T kernels.Float](m *kernels.Mat4s[T], in inputs, has parts, stream bool) {
	n := m.Len()
	zero, one := zeros[T]()[:n], ones[T]()[:n]
	pos := &kernels.Vec3s[T]{X: zero, Y: zero, Z: zero}
	rot := &kernels.Quats[T]{X: zero, Y: zero, Z: zero, W: one}
	even := kernels.Vec3s[T]{X: one, Y: one, Z: one}
	scale := &even
	if has&translated != 0 {
		pos = columnOf[TranslationOf[T]](in)
	}
	if has&rotated != 0 {
		rot = columnOf[RotationOf[T]](in)
	}
	if has&scaled != 0 {
		scale = scales(in, &even)
	}
	if stream {
		m.ComposeStream(pos, rot, scale)
	} else {
		m.Compose(pos, rot, scale)
	}
}

// scales returns the scales of the rows along each axis, or nil if they have none. A
// scale that is even is shown in the caller's view: one made here would escape.
func scales[T kernels.Float](in inputs, even *kernels.Vec3s[T]) *kernels.Vec3s[T] {
	switch {
	case hasPart[NonUniformScaleOf[T]](in):
		return columnOf[NonUniformScaleOf[T]](in)
	case hasPart[ScaleOf[T]](in):
		s := *columnOf[ScaleOf[T]](in)
		*even = kernels.Vec3s[T]{X: s, Y: s, Z: s}
		return even
	}
	return nil
}

// postOf returns what comes after the local transforms of the rows, or nil.
func postOf[T kernels.Float](in inputs) *kernels.Mat4s[T] {
	if !hasPart[PostTransformMatrixOf[T]](in) {
		return nil
	}
	return columnOf[PostTransformMatrixOf[T]](in)
}

// matrixRows is how many rows a chunk can have at most in which each has a
// matrix of float32 beside its id.
const matrixRows = chunk.Size / (8 + 64)

// zeroLanes and oneLanes stand in for what is not there, in both widths.
var (
	zeroLanes = [...]any{lane[float32](0), lane[float64](0)}
	oneLanes  = [...]any{lane[float32](1), lane[float64](1)}
)

// lane returns as many rows of v as a chunk of matrices can have.
func lane[T kernels.Float](v T) []T {
	l := make([]T, matrixRows)
	kernels.Fill(l, v)
	return l
}

// zeros and ones return such a lane.
func zeros[T kernels.Float]() []T { return laneOf[T](&zeroLanes) }

func ones[T kernels.Float]() []T { return laneOf[T](&oneLanes) }

func laneOf[T kernels.Float](lanes *[2]any) []T {
	if l, ok := lanes[0].([]T); ok {
		return l
	}
	return lanes[1].([]T)
}
