package transform

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// inputs are what rows are computed from: the columns of a chunk, for a system, or one
// entity, for [ComputeLocalToWorld]. What computes a matrix asks inputs and so does it once
// for both: an entity is a chunk of one row, and kernels give a row the same bits in a
// column of any length.
type inputs struct {
	chunk  *ecs.Chunk
	entity *reader // if there is no chunk
}

// input is a component that a matrix is made of: it shows itself as a column of one row.
type input[V any] interface {
	ecs.Columned[V]
	row() V
}

// hasPart reports whether the rows have a component.
func hasPart[C any](in inputs) bool {
	if in.chunk != nil {
		return ecs.Has[C](in.chunk)
	}
	return ecs.HasComponent[C](in.entity.w, in.entity.e)
}

// columnOf returns the column of a component that the rows have.
func columnOf[C input[V], V any](in inputs) *V {
	if in.chunk != nil {
		return ecs.Column[C](in.chunk)
	}
	c, _ := have[C](in.entity)
	v := c.row()
	return &v
}

// Columns of one row.
func oneVector[T kernels.Float](x, y, z T) kernels.Vec3s[T] {
	l := []T{x, y, z}
	return kernels.Vec3s[T]{X: l[:1:1], Y: l[1:2:2], Z: l[2:]}
}

func oneRotation[T kernels.Float](x, y, z, w T) kernels.Quats[T] {
	l := []T{x, y, z, w}
	return kernels.Quats[T]{X: l[:1:1], Y: l[1:2:2], Z: l[2:3:3], W: l[3:]}
}

func oneMatrix[T kernels.Float](m [16]T) kernels.Mat4s[T] { return kernels.Mat4s[T]{M: [][16]T{m}} }

func (t TranslationOf[T]) row() kernels.Vec3s[T]         { return oneVector(t.X, t.Y, t.Z) }
func (r RotationOf[T]) row() kernels.Quats[T]            { return oneRotation(r.X, r.Y, r.Z, r.W) }
func (s ScaleOf[T]) row() []T                            { return []T{s.Value} }
func (s NonUniformScaleOf[T]) row() kernels.Vec3s[T]     { return oneVector(s.X, s.Y, s.Z) }
func (p PostTransformMatrixOf[T]) row() kernels.Mat4s[T] { return oneMatrix(p.M) }

func (l LocalTransformOf[T]) row() LocalTransforms[T] {
	s := []T{l.X, l.Y, l.Z, l.Scale, l.QX, l.QY, l.QZ, l.QW}
	return LocalTransforms[T]{s[:1:1], s[1:2:2], s[2:3:3], s[3:4:4], s[4:5:5], s[5:6:6], s[6:7:7], s[7:]}
}
