package transform

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// compose sets m to the matrices of the chunk's translations, rotations and
// scales, with the inverse of the parents' scales, if there is one, behind the
// translation; past the caches, if that is wanted and there is one step only.
func compose[T kernels.Float](m, inverse *kernels.Mat4s[T], c *ecs.Chunk, has parts, stream bool) {
	var pos, scale *kernels.Vec3s[T]
	var even kernels.Vec3s[T]
	var rot *kernels.Quats[T]
	if has&translated != 0 {
		pos = ecs.Column[TranslationOf[T]](c)
	} else {
		pos = nowhere[T](m.Len())
	}
	if has&rotated != 0 {
		rot = ecs.Column[RotationOf[T]](c)
	}
	if has&stretched != 0 {
		scale = ecs.Column[NonUniformScaleOf[T]](c)
	} else if has&scaled != 0 {
		s := *ecs.Column[ScaleOf[T]](c)
		even = kernels.Vec3s[T]{X: s, Y: s, Z: s}
		scale = &even
	}
	if has&(pivoted|pivotScaled) == 0 && inverse == nil {
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
		m.MulAffine(ecs.Column[CompositeRotationOf[T]](c), ecs.Column[CompositeScaleOf[T]](c))
	case pivoted:
		m.MulAffine(ecs.Column[CompositeRotationOf[T]](c), m.Compose(nowhere[T](m.Len()), nil, scale))
	case pivotScaled:
		m.MulAffine(m.Compose(nowhere[T](m.Len()), rot, nil), ecs.Column[CompositeScaleOf[T]](c))
	default:
		m.Compose(nowhere[T](m.Len()), rot, scale)
	}
	if inverse != nil {
		m.MulAffine(inverse, m)
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

// scales returns the chunk's scales along each axis, or nil if it has none. A
// scale that is even is shown in the caller's view: one made here would escape.
func scales[T kernels.Float](c *ecs.Chunk, even *kernels.Vec3s[T]) *kernels.Vec3s[T] {
	switch {
	case ecs.Has[NonUniformScaleOf[T]](c):
		return ecs.Column[NonUniformScaleOf[T]](c)
	case ecs.Has[ScaleOf[T]](c):
		s := *ecs.Column[ScaleOf[T]](c)
		*even = kernels.Vec3s[T]{X: s, Y: s, Z: s}
		return even
	}
	return nil
}

// nowhere returns n translations by nothing.
func nowhere[T kernels.Float](n int) *kernels.Vec3s[T] {
	zero := zeros[T]()[:n]
	return &kernels.Vec3s[T]{X: zero, Y: zero, Z: zero}
}

// matrixRows is how many rows a chunk can have at most in which each has a
// matrix of float32 beside its id.
const matrixRows = 16384 / (8 + 64)

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
