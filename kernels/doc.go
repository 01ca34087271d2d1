// Package kernels computes: loops over lanes of numbers, the same bits on
// every CPU.
//
// A lane is a slice of float32 or float64. A view is a struct of lanes: Vec2s,
// Vec3s and Vec4s are vectors, Quats quaternions, Mat4s matrices, Mat3x4s affine
// ones lane by lane, Boxes and Spheres bounds of things. A mask is a slice of words
// with one bit a row. Kernels on plain slices are functions, kernels on views are
// methods: of their destination, as in math/big, or, where one view becomes numbers,
// a mask or several views (Dot, Length, Distance, InPlanes, Decompose), of their source:
//
//	kernels.AddScaled(dst, x, y, s)  // dst[i] = x[i] + s*y[i]
//	pos.AddScaled(pos, vel, dt)      // the same for three lanes at once
//	rot.Mul(spin, rot)               // quaternion products
//	world.Compose(pos, rot, scale)   // one 4×4 matrix a row
//	pos.Length(dst)                  // one number a row
//
// # Conventions
//
// Metres, radians, seconds. A quaternion is (X, Y, Z, W) with W the real part;
// products are Hamilton's; one that turns has length 1. Matrices are stored
// column by column and act on column vectors: world = parent × local.
//
// Turns and matrices are those of space: quaternions turn Vec3s, affine matrices
// move them, whole ones are applied to Vec4s. Vec2s and Vec4s have no Rotate and
// Vec2s no Transform, on purpose: Vec3s[T]{v.X, v.Y, v.Z} is a view of three of the
// lanes of a Vec4s, and of the two of a Vec2s with a lane for the third.
//
// # What every kernel promises
//
//   - Exact: a result has the same bits on every path, at every length and
//     alignment. The comment of a kernel gives its formula with all parentheses;
//     every operation in it is rounded once, none is fused with the next. The
//     sign and the payload of a NaN are free.
//   - Whole: lengths are checked before the first row is written; a mistake in
//     them is the caller's and panics, with the kernel, the operand and the numbers.
//     No rows are no mistake, nor are nil slices; a nil view is one, except for operands
//     whose kernel gives it a meaning: it panics as any nil pointer does in Go, with
//     a runtime error and not one of ours, before a row is written.
//   - Quiet: nothing is allocated.
//   - Polite: no other memory than the operands is read or written, and after
//     every 65,536 rows the scheduler may stop the goroutine.
//
// The destination may be an operand, where its comment says so: the same rows of
// the same lanes. A partial overlap is not supported; builds with -race or with
// the tag lanewise_guard panic on it. The race detector sees what kernels read
// and write.
//
// # Where things are
//
//	lanes         elementwise.go and arith.go, limit.go (least, largest, magnitude, root), rounding.go, convert.go and whole.go
//	masks         compare.go makes them, mask.go and maskwords.go read and join them, select.go chooses by them, finite.go
//	functions     trig.go, sincos.go, angle.go (large angles), arcs.go, exp.go, log.go, pow.go, hyperbolic.go, erf.go, roots.go, cbrt.go, mod.go
//	sums          reduction.go, prefix.go, histogram.go; total.go in pieces; exact.go without any rounding, by way of exactly.go
//	vectors       view.go and vector.go are the views, vec3.go their methods, transform*.go by matrices, rotate.go by quaternions
//	turns         quat.go, turn.go (from axes and angles), slerp.go, spin.go, arc.go
//	matrices      matrix*.go, compose.go, decompose.go
//	shapes        boxes.go, planes.go; kepler.go is orbits
//	by index      gather.go
//	what all use  check.go and operands.go look at lengths and overlaps, dispatch.go and choose_*.go take the path; unsafe.go
//
// What ends in _gen.go is written by internal/kernelgen. For how to add a kernel see CONTRIBUTING.md.
//
// # Paths
//
// There are up to four implementations of a kernel: generic, in Go, which is the
// specification; avx2 and avx512 on amd64; neon on arm64. The fastest one is
// chosen when the program starts; [Paths] lists what there is, [Use] chooses
// another, and so does the environment variable LANEWISE_KERNELS: a name that
// this CPU or build does not have ends the program at once, with one line and
// status 2. The build tag purego leaves all assembly out. Nothing but the time
// depends on the path.
package kernels
