// Package kernels computes with lanes of numbers: element-wise arithmetic,
// functions, reductions, masks, vectors, quaternions and matrices. It has SIMD
// implementations for AVX2, AVX-512 and NEON, and the results are exactly the same
// on every CPU.
//
//	x := make([]float32, 1000)
//	y := make([]float32, 1000)
//	kernels.AddScaled(x, x, y, 0.5)  // x[i] = x[i] + 0.5*y[i]
//	pos.AddScaled(pos, vel, dt)      // the same for three lanes at once
//	rot.Mul(spin, rot)               // quaternion products
//	world.Compose(pos, rot, scale)   // one 4×4 matrix for each row
//	pos.Length(dst)                  // one number for each row
//
// # Words
//
// A lane is a slice of float32 or float64. A view is a struct of lanes. Vec2s, Vec3s and Vec4s hold
// vectors; Quats holds quaternions. Mat4s holds matrices: the sixteen elements of a row are
// together. Mat3x4s holds affine matrices lane by lane. Boxes and Spheres hold bounding volumes. A
// mask is a slice of words with one bit for each row.
//
// Kernels on plain slices are functions. Kernels on views are methods of their
// destination, as in package math/big. Some kernels turn one view into numbers, a mask or several
// views: Dot, Length, Distance, InPlanes and Decompose. Such kernels are
// methods of their source.
//
// # Conventions
//
// Units are metres, radians and seconds. A quaternion is (X, Y, Z, W), where W is the real part.
// Products are Hamilton's, and a quaternion that represents a rotation has length 1.
// Matrices are stored column by column and act on column vectors: world =
// parent × local.
//
// Rotations and matrices are three-dimensional: quaternions turn Vec3s, affine
// matrices transform Vec3s, full 4×4 matrices transform Vec4s. Vec2s and Vec4s have no Rotate, and
// Vec2s has no Transform, because a Vec3s can do the work: Vec3s[T]{v.X, v.Y, v.Z} is a view of
// three lanes of a Vec4s, and the two lanes of a Vec2s with a third lane form a Vec3s.
//
// # Lanes in memory
//
// Allocate lanes with [github.com/lanewise/lanewise/soa.Make]. The builtin function make places each
// large slice at the start of a page of memory. Therefore the elements of one row have the same offset
// in their pages, in all lanes. A cache chooses the set of a line by this offset. So a loop over ten such
// lanes needs ten lines of one set, and many first-level caches have only eight. A CPU also delays a load
// that follows a store at the same offset. For these reasons, soa.Make places the lanes of a view at
// different offsets. For a loop over several views, allocate one view that contains all lanes.
//
// # Promises
//
//   - Exact: a kernel's result is exactly the same on every path, at every length and alignment.
//     The comment of a kernel gives its formula with all parentheses. Every operation in the
//     formula is rounded once, and no two operations are fused.
//     Only the sign and the payload of a NaN may differ.
//   - Whole: lengths are checked before the first row is written. Wrong lengths
//     are a mistake of the caller, so the kernel panics. The message has the kernel's name, the
//     operand and the numbers. Empty and nil slices are allowed. A nil view is not allowed, unless
//     the kernel gives it a meaning. The kernel panics before it writes a row, with Go's runtime
//     error for a nil pointer.
//   - Quiet: no kernel allocates.
//   - Polite: a kernel reads and writes only its operands. It lets the
//     scheduler stop the goroutine after every 65,536 rows, because assembly
//     cannot be preempted.
//
// The destination may be the same rows of the same lanes as an operand, if the comment of the
// kernel says so. A partial overlap is not supported, because a kernel processes several rows at
// once. Builds with -race or with the tag lanewise_guard panic on an overlap. The race detector
// sees the reads and writes of kernels.
//
// Goroutines may call kernels concurrently if no goroutine uses a lane
// that another goroutine writes.
//
// # Design
//
// A kernel has up to five implementations, which are called its paths: generic, in Go; avx2 and
// avx512 on amd64; neon on arm64; simd on WebAssembly, if Go 1.27 or newer compiles the program with
// GOEXPERIMENT=simd. The generic path is the specification, and tests compare all
// other paths with it bit by bit. The conversion around each product, as in T(a*b), forbids the
// compiler to fuse the product with an addition: a fused operation is rounded once instead of
// twice.
//
// A sum has a fixed number of partial sums on every path (see [Sum]), because
// floating-point addition is not associative. If the number depended on the vector length, results
// would differ between paths.
//
// The fastest path is chosen when the program starts. [Paths] lists all paths
// and [Use] selects another one. The environment variable LANEWISE_KERNELS
// also selects a path. If it names a path that this CPU or build does not have, the program prints
// one line and exits with status 2. The build tag purego leaves out all assembly. The choice of
// the path changes only the time.
//
// A call of a kernel on views, for example Quats.Spin, goes through these functions:
//
//	Quats.Spin        the method: checks nothing, passes addresses of its operands
//	quatSpinFront     not generic, so that users' packages do not compile it again:
//	                  float32 or float64 (fronts_gen.go)
//	quatSpin          compares lengths, and calls the next one for pieces of rows
//	quatSpin32        switches on the path (…_amd64_gen.go, …_arm64_gen.go)
//	quatSpinF32AVX2   the assembly: by hand in kernels_amd64.s and kernels_arm64.s,
//	                  or compiled from the Go body, in files …_lanec_amd64.s
//
// A function on slices, for example [AddScaled], begins with the check of lengths. The switch calls
// each body directly and not through a function variable. The compiler cannot see through such a
// variable, so operands would escape to the heap. internal/kernelgen generates the fronts and the
// switches, in files whose names end in _gen.go. For the steps of adding a kernel see
// CONTRIBUTING.md.
package kernels
