package kernels

import "fmt"

// Spheres is a column of spheres. Sphere i has its centre at (X[i], Y[i], Z[i])
// and the radius R[i].
type Spheres[T Float] struct{ X, Y, Z, R []T }

// Len returns the number of rows: the length of X. Kernels require the same
// length of every lane.
func (s *Spheres[T]) Len() int { return len(s.X) }

// Slice returns the rows from lo up to, but not including, hi. The rows share memory with s.
// As for any slice, the limit of hi is the capacity, which may be larger than Len.
func (s *Spheres[T]) Slice(lo, hi int) Spheres[T] {
	return Spheres[T]{s.X[lo:hi], s.Y[lo:hi], s.Z[lo:hi], s.R[lo:hi]}
}

func spheresLanes[T Float](s *Spheres[T]) [][]T { return as[[4][]T](s)[:] }

func spheresSpans[T Float](s *Spheres[T], name string) []span {
	return boxSpans(name, spheresLanes(s), sphereLanes[:])
}

// Plane is a plane with an inner side, which is the set of points with X*x + Y*y + Z*z + D >=
// 0. Its normal (X, Y, Z) need not have length 1.
type Plane[T Float] struct{ X, Y, Z, D T }

// MaxPlanes is the largest number of planes of one call of InPlanes.
const MaxPlanes = 8

// InPlanes sets bit i of mask if and only if box i reaches into the inner side of every plane. It
// clears the bits beyond the last row.
//
//	d = ((p.X*x + p.Y*y) + p.Z*z) + p.D
//	r = (|p.X|*hx + |p.Y|*hy) + |p.Z|*hz
//	inside if and only if d + r >= 0, for each plane p
//
// A box that touches a plane is inside, and a box with a NaN is not. Without planes every box is
// inside. Note that for the six planes of a frustum, some boxes near the edges of the frustum are
// inside by this rule although they do not reach into it. Half sizes below 0 make the box smaller.
// InPlanes does not check whether a box is empty; [AtLeast] of HX and 0 does.
//
// Shape: all lanes of b have the same length, len(mask) is MaskLen of it; at most MaxPlanes
// planes; any alignment.
// Alias: mask must not overlap b or planes.
// Values: exact, in the order written.
// It panics if the lengths differ or there are too many planes. It does not allocate.
func (b *Boxes[T]) InPlanes(mask []uint64, planes []Plane[T]) {
	boxesInPlanesFront(single[T](), address(b), mask, address(&planes))
}

//kernelgen:front
func boxesInPlanes[T Float](b *Boxes[T], mask []uint64, planes []Plane[T]) {
	n := b.Len()
	if !boxesHas(b, n) {
		panic(lengths("Boxes.InPlanes", boxesSpans(b, "b")))
	}
	if checkPlanes("Boxes.InPlanes", "b.X", mask, n, planes); checked {
		inspect("Boxes.InPlanes", lane("mask", mask), boxesSpans(b, "b"), lane("planes", planes))
	}
	var walls [MaxPlanes]wall[T]
	switch {
	case !makeWalls(&walls, planes, mask, n):
	case n > piece:
		for lo := 0; lo < n; lo += piece {
			rows := b.Slice(lo, min(lo+piece, n))
			boxesInPlanesRows(&rows, maskRows(mask, lo, rows.Len()), &walls, len(planes))
		}
	case single[T]():
		boxesInPlanes32(maskRows(mask, 0, n), as[Boxes[float32]](b), as[walls32](&walls), len(planes))
	default:
		boxesInPlanes64(maskRows(mask, 0, n), as[Boxes[float64]](b), as[walls64](&walls), len(planes))
	}
}

//go:noinline
func boxesInPlanesRows[T Float](b *Boxes[T], mask []uint64, walls *[MaxPlanes]wall[T], planes int) {
	if single[T]() {
		boxesInPlanes32(mask, as[Boxes[float32]](b), as[walls32](walls), planes)
	} else {
		boxesInPlanes64(mask, as[Boxes[float64]](b), as[walls64](walls), planes)
	}
}

// InPlanes sets bit i of mask if and only if sphere i reaches into the inner side of every plane.
// It clears the bits beyond the last row.
//
//	n = √((p.X*p.X + p.Y*p.Y) + p.Z*p.Z)
//	d = ((p.X*x + p.Y*y) + p.Z*z) + p.D
//	inside if and only if d + n*r >= 0, for each plane p
//
// A sphere that touches a plane is inside, and a sphere with a NaN is not. Without planes every
// sphere is inside.
//
// Shape: all lanes of s have the same length, len(mask) is MaskLen of it; at most MaxPlanes
// planes; any alignment.
// Alias: mask must not overlap s or planes.
// Values: exact, in the order written.
// It panics if the lengths differ or there are too many planes. It does not allocate.
func (s *Spheres[T]) InPlanes(mask []uint64, planes []Plane[T]) {
	spheresInPlanesFront(single[T](), address(s), mask, address(&planes))
}

//kernelgen:front
func spheresInPlanes[T Float](s *Spheres[T], mask []uint64, planes []Plane[T]) {
	n := s.Len()
	if !haveRows(spheresLanes(s), n) {
		panic(lengths("Spheres.InPlanes", spheresSpans(s, "s")))
	}
	if checkPlanes("Spheres.InPlanes", "s.X", mask, n, planes); checked {
		inspect("Spheres.InPlanes", lane("mask", mask), spheresSpans(s, "s"), lane("planes", planes))
	}
	var walls [MaxPlanes]wall[T]
	switch {
	case !makeWalls(&walls, planes, mask, n):
	case n > piece:
		for lo := 0; lo < n; lo += piece {
			rows := s.Slice(lo, min(lo+piece, n))
			spheresInPlanesRows(&rows, maskRows(mask, lo, rows.Len()), &walls, len(planes))
		}
	case single[T]():
		spheresInPlanes32(maskRows(mask, 0, n), as[Spheres[float32]](s), as[walls32](&walls), len(planes))
	default:
		spheresInPlanes64(maskRows(mask, 0, n), as[Spheres[float64]](s), as[walls64](&walls), len(planes))
	}
}

//go:noinline
func spheresInPlanesRows[T Float](s *Spheres[T], mask []uint64, walls *[MaxPlanes]wall[T], planes int) {
	if single[T]() {
		spheresInPlanes32(mask, as[Spheres[float32]](s), as[walls32](walls), planes)
	} else {
		spheresInPlanes64(mask, as[Spheres[float64]](s), as[walls64](walls), planes)
	}
}

// checkPlanes checks the mask and the planes of a kernel with the given name.
func checkPlanes[T Float](kernel, lane string, mask []uint64, n int, planes []Plane[T]) {
	if len(mask) != MaskLen(n) {
		panic(maskLength(kernel, len(mask), lane, n))
	}
	if len(planes) > MaxPlanes {
		panic(fmt.Sprintf("kernels: %s: len(planes) is %d, there may be %d: call it once for each %d and combine the masks with &",
			kernel, len(planes), MaxPlanes, MaxPlanes))
	}
}

// fillMask sets the first n bits of a mask.
func fillMask(mask []uint64, n int) {
	for w := range mask {
		mask[w] = ^uint64(0)
	}
	if n%64 != 0 {
		mask[len(mask)-1] = 1<<(n%64) - 1
	}
}

// A wall is a plane together with the absolute values and the length of its normal.
type wall[T Float] struct{ X, Y, Z, D, AX, AY, AZ, L T }

type (
	walls32 = [MaxPlanes]wall[float32]
	walls64 = [MaxPlanes]wall[float64]
)

// makeWalls computes the walls of the planes, for n rows. If there are no rows or no planes, it
// fills the mask and returns false.
func makeWalls[T Float](walls *[MaxPlanes]wall[T], planes []Plane[T], mask []uint64, n int) bool {
	if n == 0 || len(planes) == 0 {
		fillMask(mask, n)
		return false
	}
	for k := range planes {
		p := planes[k]
		walls[k] = wall[T]{p.X, p.Y, p.Z, p.D, magnitude(p.X), magnitude(p.Y), magnitude(p.Z),
			root((T(p.X*p.X) + T(p.Y*p.Y)) + T(p.Z*p.Z))}
	}
	return true
}

// maskRows returns the words of a mask for n rows, beginning with row lo. It clears the
// last word, because a body writes only the bits that have rows.
func maskRows(mask []uint64, lo, n int) []uint64 {
	bits := mask[lo/64:][:MaskLen(n)]
	bits[len(bits)-1] = 0
	return bits
}

func boxesInPlanesGeneric[T Float](mask []uint64, b *Boxes[T], walls *[MaxPlanes]wall[T], planes int) {
	n := len(b.X)
	x, y, z, hx, hy, hz := b.X[:n], b.Y[:n], b.Z[:n], b.HX[:n], b.HY[:n], b.HZ[:n]
	for w := range mask {
		bits, first := uint64(0), 64*w
		for i := first; i < min(first+64, n); i++ {
			in := true
			for k := range walls[:planes] {
				p := &walls[k]
				d := ((T(p.X*x[i]) + T(p.Y*y[i])) + T(p.Z*z[i])) + p.D
				r := (T(p.AX*hx[i]) + T(p.AY*hy[i])) + T(p.AZ*hz[i])
				in = in && d+r >= 0
			}
			bits |= bit(in) << (i - first)
		}
		mask[w] = bits
	}
}

func spheresInPlanesGeneric[T Float](mask []uint64, s *Spheres[T], walls *[MaxPlanes]wall[T], planes int) {
	n := len(s.X)
	x, y, z, r := s.X[:n], s.Y[:n], s.Z[:n], s.R[:n]
	for w := range mask {
		bits, first := uint64(0), 64*w
		for i := first; i < min(first+64, n); i++ {
			in := true
			for k := range walls[:planes] {
				p := &walls[k]
				d := ((T(p.X*x[i]) + T(p.Y*y[i])) + T(p.Z*z[i])) + p.D
				in = in && d+T(p.L*r[i]) >= 0
			}
			bits |= bit(in) << (i - first)
		}
		mask[w] = bits
	}
}
