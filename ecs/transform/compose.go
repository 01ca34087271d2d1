package transform

import (
	"github.com/lanewise/lanewise/chunk"
	"github.com/lanewise/lanewise/kernels"
)

// compose sets m to the matrices that the parts of the rows say: translation × the inverse of the
// parents' scales × rotation × scale. A system leaves undoes away where there are no parents. It
// writes past the caches, if that is wanted and there is one step only.
func compose[T kernels.Float](m *kernels.Mat4s[T], in inputs, has parts, stream bool) {
	var scale *kernels.Vec3s[T]
	var even kernels.Vec3s[T]
	var rot *kernels.Quats[T]
	pos := nowhere[T](m.Len())
	if has&translated != 0 {
		pos = columnOf[TranslationOf[T]](in)
	}
	if has&rotated != 0 {
		rot = columnOf[RotationOf[T]](in)
	}
	if has&scaled != 0 {
		scale = scales(in, &even)
	}
	if has&(pivoted|pivotScaled|undoes) == 0 {
		// Compose would do the same for operands that are not there, piece by piece.
		n := m.Len()
		var still kernels.Quats[T]
		if rot == nil {
			still = kernels.Quats[T]{X: zeros[T]()[:n], Y: zeros[T]()[:n], Z: zeros[T]()[:n], W: ones[T]()[:n]}
			rot = &still
		}
		if scale == nil {
			s := ones[T]()[:n]
			even = kernels.Vec3s[T]{X: s, Y: s, Z: s}
			scale = &even
		}
		if stream {
			m.ComposeStream(pos, rot, scale)
		} else {
			m.Compose(pos, rot, scale)
		}
		return
	}
	// From the right: scale, rotation, the parents' inverse, translation.
	switch has & (pivoted | pivotScaled) {
	case pivoted | pivotScaled:
		m.MulAffine(columnOf[CompositeRotationOf[T]](in), columnOf[CompositeScaleOf[T]](in))
	case pivoted:
		m.MulAffine(columnOf[CompositeRotationOf[T]](in), m.Compose(nowhere[T](m.Len()), nil, scale))
	case pivotScaled:
		m.MulAffine(m.Compose(nowhere[T](m.Len()), rot, nil), columnOf[CompositeScaleOf[T]](in))
	default:
		m.Compose(nowhere[T](m.Len()), rot, scale)
	}
	if has&undoes != 0 {
		m.MulAffine(columnOf[ParentScaleInverseOf[T]](in), m)
	}
	moveBy(m, pos)
}

// moveBy sets m = translation × m.
func moveBy[T kernels.Float](m *kernels.Mat4s[T], by *kernels.Vec3s[T]) {
	for i := range m.M {
		o := &m.M[i]
		o[12], o[13], o[14] = o[12]+by.X[i], o[13]+by.Y[i], o[14]+by.Z[i]
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

// nowhere returns n translations by nothing.
func nowhere[T kernels.Float](n int) *kernels.Vec3s[T] {
	zero := zeros[T]()[:n]
	return &kernels.Vec3s[T]{X: zero, Y: zero, Z: zero}
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
