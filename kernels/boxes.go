package kernels

import "math"

// Boxes is a column of axis-aligned boxes. Box i has its centre at (X[i], Y[i], Z[i]). HX[i],
// HY[i] and HZ[i] are half of its size along each axis. For example, the box extends from
// X[i]-HX[i] to X[i]+HX[i] along the x axis. A half size below 0 makes a box empty.
type Boxes[T Float] struct{ X, Y, Z, HX, HY, HZ []T }

// Box is one axis-aligned box, a row of [Boxes].
type Box[T Float] struct{ X, Y, Z, HX, HY, HZ T }

// Len returns the number of rows: the length of X. Kernels require the same
// length of every lane.
func (b *Boxes[T]) Len() int { return len(b.X) }

// Slice returns the rows from lo up to, but not including, hi. The rows share memory with b.
// hi may be larger than Len, up to the capacity, as for any slice.
func (b *Boxes[T]) Slice(lo, hi int) Boxes[T] {
	return Boxes[T]{b.X[lo:hi], b.Y[lo:hi], b.Z[lo:hi], b.HX[lo:hi], b.HY[lo:hi], b.HZ[lo:hi]}
}

func boxesLanes[T Float](b *Boxes[T]) [][]T { return as[[6][]T](b)[:] }

// boxesHas reports whether every lane has n rows.
func boxesHas[T Float](b *Boxes[T], n int) bool {
	return len(b.X) == n && len(b.Y) == n && len(b.Z) == n && len(b.HX) == n && len(b.HY) == n && len(b.HZ) == n
}

func boxesSpans[T Float](b *Boxes[T], name string) []span {
	return boxSpans(name, boxesLanes(b), boxLanes[:])
}

var (
	boxLanes    = [...]string{"X", "Y", "Z", "HX", "HY", "HZ"}
	sphereLanes = [...]string{"X", "Y", "Z", "R"}
)

func boxSpans[T Float](name string, lanes [][]T, names []string) []span {
	spans := make([]span, len(lanes))
	for k, l := range lanes {
		spans[k] = spanOf(name+"."+names[k], l)
	}
	return spans
}

// Transform moves the box local[i] by the affine matrix m[i], sets b[i] to the smallest
// axis-aligned box around the result, and returns b. The bottom row of m is not read.
//
//	x = ((m0*l.x + m4*l.y) + m8*l.z) + m12           y with m1, m5, m9, m13, z with m2, m6, m10, m14
//	h = (|m0|*l.hx + |m4|*l.hy) + |m8|*l.hz
//
// A box whose half sizes are all below 0 is empty and stays empty, unless a row of m is
// zero.
//
// Shape: m and all lanes of b and local have the same length; any length, any alignment.
// Alias: b may be local; a partial overlap is not supported.
// Values: exact, in the order written; because of rounding, the transformed corners of
// local may be slightly outside the box.
// It panics if the lengths differ. It does not allocate.
// Source: J. Arvo, Transforming Axis-Aligned Bounding Boxes, Graphics Gems, 1990.
func (b *Boxes[T]) Transform(m *Mat4s[T], local *Boxes[T]) *Boxes[T] {
	boxesTransformFront(single[T](), address(b), address(m), address(local))
	return b
}

//kernelgen:front
func boxesTransform[T Float](b *Boxes[T], m *Mat4s[T], local *Boxes[T]) {
	n := b.Len()
	if !boxesHas(b, n) || m.Len() != n || !boxesHas(local, n) {
		panic(lengths("Boxes.Transform", boxesSpans(b, "b"), mat4Spans(m, "m"), boxesSpans(local, "local")))
	}
	if checked {
		inspect("Boxes.Transform", boxesSpans(b, "b"), mat4Spans(m, "m"), boxesSpans(local, "local"))
	}
	if n <= piece {
		boxesTransformRows(b, m, local)
		return
	}
	for lo := 0; lo < n; lo += piece {
		hi := min(lo+piece, n)
		bs, ms, ls := b.Slice(lo, hi), m.Slice(lo, hi), local.Slice(lo, hi)
		boxesTransformRows(&bs, &ms, &ls)
	}
}

//go:noinline
func boxesTransformRows[T Float](b *Boxes[T], m *Mat4s[T], local *Boxes[T]) {
	if single[T]() {
		type view = Boxes[float32]
		boxesTransform32(as[view](b), as[Mat4s[float32]](m), as[view](local))
	} else {
		type view = Boxes[float64]
		boxesTransform64(as[view](b), as[Mat4s[float64]](m), as[view](local))
	}
}

func boxesTransformGeneric[T Float](b *Boxes[T], m *Mat4s[T], local *Boxes[T]) {
	boxesTransformFrom(0, b, m, local)
}

// boxesTransformFrom transforms the rows from row first to the end.
func boxesTransformFrom[T Float](first int, b *Boxes[T], m *Mat4s[T], local *Boxes[T]) {
	n := len(b.X)
	x, y, z, hx, hy, hz := b.X[:n], b.Y[:n], b.Z[:n], b.HX[:n], b.HY[:n], b.HZ[:n]
	lx, ly, lz := local.X[:n], local.Y[:n], local.Z[:n]
	lhx, lhy, lhz := local.HX[:n], local.HY[:n], local.HZ[:n]
	for i := first; i < n; i++ {
		a := &m.M[i]
		u, v, w, hu, hv, hw := lx[i], ly[i], lz[i], lhx[i], lhy[i], lhz[i]
		x[i] = ((T(a[0]*u) + T(a[4]*v)) + T(a[8]*w)) + a[12]
		y[i] = ((T(a[1]*u) + T(a[5]*v)) + T(a[9]*w)) + a[13]
		z[i] = ((T(a[2]*u) + T(a[6]*v)) + T(a[10]*w)) + a[14]
		hx[i] = (T(magnitude(a[0])*hu) + T(magnitude(a[4])*hv)) + T(magnitude(a[8])*hw)
		hy[i] = (T(magnitude(a[1])*hu) + T(magnitude(a[5])*hv)) + T(magnitude(a[9])*hw)
		hz[i] = (T(magnitude(a[2])*hu) + T(magnitude(a[6])*hv)) + T(magnitude(a[10])*hw)
	}
}

// Union returns the box around the rows of b that are not empty and whose bit in mask is
// set. If mask is nil, it uses all rows that are not empty. It does not read the bits of
// mask beyond the last row. If no row is used, the result is empty: its half sizes are
// -1.
//
//	lo = the smallest x - hx, hi = the largest x + hx       and so on for y and z; a NaN counts as none
//	X  = (lo/2 + hi/2) + 0
//	d  = hi - X > X - lo ? hi - X : X - lo
//	HX = (d + 4ε*d) + ε*(|lo| > |hi| ? |lo| : |hi|)         ε = 2⁻²³, for float64 2⁻⁵²
//
// A margin is added last to make up for all rounding, so that the result contains every box in the
// union. If lo or hi is infinite, X is 0 and HX is infinite.
//
// Shape: all lanes of b have the same length, len(mask) is MaskLen of it or mask is nil.
// Values: exact, in the order written.
// It panics if the lengths differ. It does not allocate.
func (b *Boxes[T]) Union(mask []uint64) Box[T] {
	var box Box[T]
	boxesUnionFront(single[T](), address(&box), address(b), mask)
	return box
}

//kernelgen:front
func boxesUnion[T Float](box *Box[T], b *Boxes[T], mask []uint64) {
	n := b.Len()
	if !boxesHas(b, n) {
		panic(lengths("Boxes.Union", boxesSpans(b, "b")))
	}
	if mask != nil && len(mask) != MaskLen(n) {
		panic(maskLength("Boxes.Union", len(mask), "b.X", n))
	}
	if checked {
		inspect("Boxes.Union", nil, boxesSpans(b, "b"), lane("mask", mask))
	}
	ends := emptyEnds[T]()
	for lo := 0; lo < n; lo += piece {
		hi := min(lo+piece, n)
		rows, bits := b.Slice(lo, hi), mask
		if mask != nil {
			bits = mask[lo/64:][:MaskLen(hi-lo)]
		}
		boxesExtend(&rows, &ends, bits)
	}
	*box = ends.box()
}

//go:noinline
func boxesExtend[T Float](b *Boxes[T], ends *ends[T], mask []uint64) {
	if single[T]() {
		boxesUnion32(as[ends32](ends), as[Boxes[float32]](b), mask)
	} else {
		boxesUnion64(as[ends64](ends), as[Boxes[float64]](b), mask)
	}
}

// ends holds the lowest and the highest coordinates of boxes on each axis.
type ends[T Float] struct{ lo, hi [3]T }

type (
	ends32 = ends[float32]
	ends64 = ends[float64]
)

// fill sets v to the lowest coordinate on axis k, or, if k ≥ 3, to the highest on axis k-3. A
// body keeps one accumulator for each lane of a vector, so v has one number for each of them.
// fold merges these accumulators again.
func (e *ends[T]) fill(k int, v []T) {
	x := e.lo[k%3]
	if k >= 3 {
		x = e.hi[k-3]
	}
	for i := range v {
		v[i] = x
	}
}

func (e *ends[T]) fold(k int, v []T) {
	for _, x := range v {
		if k < 3 {
			e.lo[k] = lesser(x, e.lo[k])
		} else {
			e.hi[k-3] = greater(x, e.hi[k-3])
		}
	}
}

func emptyEnds[T Float]() (e ends[T]) {
	for k := range e.lo {
		e.lo[k], e.hi[k] = T(math.Inf(1)), T(math.Inf(-1))
	}
	return e
}

// box returns the box from lo to hi, enlarged by the rounding errors.
func (e *ends[T]) box() (b Box[T]) {
	b.X, b.HX = middle(e.lo[0], e.hi[0])
	b.Y, b.HY = middle(e.lo[1], e.hi[1])
	b.Z, b.HZ = middle(e.lo[2], e.hi[2])
	if b.HX < 0 || b.HY < 0 || b.HZ < 0 { // an axis with no values but NaN
		return Box[T]{HX: -1, HY: -1, HZ: -1}
	}
	return b
}

func middle[T Float](lo, hi T) (x, half T) {
	switch far := greater(magnitude(lo), magnitude(hi)); {
	case lo > hi:
		return 0, -1
	case math.IsInf(float64(far), 1):
		return 0, far
	default:
		e := T(0x1p-52)
		if single[T]() {
			e = 0x1p-23
		}
		x = (T(lo/2) + T(hi/2)) + 0 // zeros lose their sign, because it depends on the order of rows
		d := greater(hi-x, x-lo)
		return x, (d + T(T(4*e)*d)) + T(e*far)
	}
}

// boxesUnionFrom extends e by the rows from row first to the end.
func boxesUnionFrom[T Float](first int, e *ends[T], b *Boxes[T], mask []uint64) {
	n := len(b.X)
	x, y, z, hx, hy, hz := b.X[:n], b.Y[:n], b.Z[:n], b.HX[:n], b.HY[:n], b.HZ[:n]
	for i := first; i < n; i++ {
		if mask != nil && mask[i/64]>>(i%64)&1 == 0 || !(hx[i] >= 0 && hy[i] >= 0 && hz[i] >= 0) {
			continue
		}
		e.lo[0], e.hi[0] = lesser(x[i]-hx[i], e.lo[0]), greater(x[i]+hx[i], e.hi[0])
		e.lo[1], e.hi[1] = lesser(y[i]-hy[i], e.lo[1]), greater(y[i]+hy[i], e.hi[1])
		e.lo[2], e.hi[2] = lesser(z[i]-hz[i], e.lo[2]), greater(z[i]+hz[i], e.hi[2])
	}
}
