package golden

import (
	"testing"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// kernelsRow runs kernels of every family on a few lanes. The tests of package kernels have a hash of
// each kernel.
func kernelsRow(_ *testing.T, _ *jobs.Pool) uint64 {
	s := newSum()
	for _, n := range []int{1, 15, 16, 157, 1000} {
		throughKernels[float32](s, n)
		throughKernels[float64](s, n)
	}
	return s.Sum64()
}

func throughKernels[T kernels.Float](s sum, n int) {
	d := draw(n)
	vecs := func() *kernels.Vec3s[T] {
		return &kernels.Vec3s[T]{X: lane[T](&d, n), Y: lane[T](&d, n), Z: lane[T](&d, n)}
	}
	quats := func() *kernels.Quats[T] {
		return &kernels.Quats[T]{X: lane[T](&d, n), Y: lane[T](&d, n), Z: lane[T](&d, n), W: lane[T](&d, n)}
	}
	pos, vel, scale, rot, to := vecs(), vecs(), vecs(), quats(), quats()
	pos.AddScaled(pos, vel, 0.1)
	rot.Normalize(rot)
	to.Normalize(to)
	rot.Integrate(rot, vel, 0.1)
	rot.Spin(rot, 0, 0.6, 0.8, vel.X, 0.1)
	rot.Mul(rot, to)
	rot.Slerp(rot, to, 0.25)
	to.FromEuler(scale, kernels.OrderZXY)
	pos.Rotate(to, pos)
	vel.Cross(vel, pos)

	local, world := &kernels.Mat4s[T]{M: make([][16]T, n)}, &kernels.Mat4s[T]{M: make([][16]T, n)}
	local.Compose(pos, rot, scale)
	parents := make([]int32, n)
	for i := range parents {
		parents[i] = int32(d.intBelow(n))
	}
	world.MulAffineByParent(local, parents, local)
	for i := range world.M {
		addFloats(s, world.M[i][:])
	}
	world.Inverse(local)
	world.Decompose(pos, rot, scale)

	x, y, sin, cos, e := lane[T](&d, n), lane[T](&d, n), make([]T, n), make([]T, n), make([]T, n)
	kernels.Scale(e, x, 0.24)
	kernels.Abs(e, e)
	kernels.Kepler(y, x, e)
	kernels.Sincos(sin, cos, y)
	mask := make([]uint64, kernels.MaskLen(n))
	kernels.Less(mask, sin, cos)
	kernels.Select(x, mask, sin, y)
	kernels.PrefixSum(e, x)
	kept := kernels.Compress(y, e, mask)
	addFloats(s, pos.X, pos.Y, pos.Z, rot.X, rot.Y, rot.Z, rot.W, scale.X, scale.Y, scale.Z, vel.X, vel.Y, vel.Z, sin, cos, x, e, y[:kept])
	addFloats(s, []T{kernels.Sum(x), kernels.Dot(x, e), kernels.Norm(sin), kernels.Min(x), kernels.Max(x)})
	s.add(mask...)
	s.add(uint64(kept), uint64(kernels.ArgMin(x)), uint64(kernels.ArgMax(x)))
}
