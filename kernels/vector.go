package kernels

import (
	"fmt"
	"math"
)

// Vec2s is a column of vectors of two components. Row i is (X[i], Y[i]).
type Vec2s[T Float] struct{ X, Y []T }

// Vec4s is a column of vectors of four components. Row i is (X[i], Y[i], Z[i], W[i]).
type Vec4s[T Float] struct{ X, Y, Z, W []T }

// Len returns the number of rows: the length of X. Kernels require the same
// length of every lane.
func (v *Vec2s[T]) Len() int { return len(v.X) }

// Len returns the number of rows: the length of X. Kernels require the same
// length of every lane.
func (v *Vec4s[T]) Len() int { return len(v.X) }

// Slice returns the rows from lo up to, but not including, hi. The rows share memory with v.
// hi may be larger than Len, up to the capacity, as for any slice.
func (v *Vec2s[T]) Slice(lo, hi int) Vec2s[T] { return Vec2s[T]{v.X[lo:hi], v.Y[lo:hi]} }

// Slice returns the rows from lo up to, but not including, hi. The rows share memory with v.
// hi may be larger than Len, up to the capacity, as for any slice.
func (v *Vec4s[T]) Slice(lo, hi int) Vec4s[T] {
	return Vec4s[T]{v.X[lo:hi], v.Y[lo:hi], v.Z[lo:hi], v.W[lo:hi]}
}

// The kernels of this file treat a column of vectors as a list of its lanes. There are two, three
// or four lanes, or one for a plain slice. This works because a view is
// laid out as an array of its lanes.

func vec2Lanes[T Float](v *Vec2s[T]) [][]T { return as[[2][]T](v)[:] }
func vec3Lanes[T Float](v *Vec3s[T]) [][]T { return as[[3][]T](v)[:] }
func vec4Lanes[T Float](v *Vec4s[T]) [][]T { return as[[4][]T](v)[:] }

// A vecOp is a kernel on columns of vectors. Its operands are v, x, y and a scalar s, but not every
// kernel uses all of them. If the result is one number for each row, v has one lane.
type vecOp uint8

const (
	opAdd       vecOp = iota // v = x + y
	opSub                    // v = x - y
	opScale                  // v = s*x
	opAddScaled              // v = x + s*y
	opLerp                   // v = x + s*(y - x)
	opDot                    // v = x·y
	opLength                 // v = |x|
	opDistance               // v = |x - y|
	opNormalize              // v = x/|x|
	opReflect                // v = x - 2*(x·y)*y
	opCross                  // v = x × y, three lanes
)

// vecOps holds the names of the kernels and of their operands, for messages. Each operand is
// one letter: v, x, y and n are columns of vectors, and d is dst.
var vecOps = [...]struct{ name, operands string }{
	opAdd:       {"Add", "vxy"},
	opSub:       {"Sub", "vxy"},
	opScale:     {"Scale", "vxx"},
	opAddScaled: {"AddScaled", "vxy"},
	opLerp:      {"Lerp", "vxy"},
	opDot:       {"Dot", "dvy"},
	opLength:    {"Length", "dvv"},
	opDistance:  {"Distance", "dvy"},
	opNormalize: {"Normalize", "vxx"},
	opReflect:   {"Reflect", "vxn"},
	opCross:     {"Cross", "vxy"},
}

// A kernel with one operand gets it twice, so that all kernels have the same parameters. Each of
// these functions first checks the lengths directly, because with few rows the general check in
// vectors, of a list of lanes, takes longer than the kernel.

//kernelgen:front
func vec2Vectors[T Float](op vecOp, v, x, y *Vec2s[T], s T) {
	if n := v.Len(); n <= piece && !checked && vec2Has(v, n) && vec2Has(x, n) && vec2Has(y, n) {
		vectorRows(op, vec2Lanes(v), vec2Lanes(x), vec2Lanes(y), s)
		return
	}
	vectors(op, vec2Lanes(v), vec2Lanes(x), vec2Lanes(y), s)
}

//kernelgen:front
func vec3Vectors[T Float](op vecOp, v, x, y *Vec3s[T], s T) {
	if n := v.Len(); n <= piece && !checked && vec3Has(v, n) && vec3Has(x, n) && vec3Has(y, n) {
		vectorRows(op, vec3Lanes(v), vec3Lanes(x), vec3Lanes(y), s)
		return
	}
	vectors(op, vec3Lanes(v), vec3Lanes(x), vec3Lanes(y), s)
}

// vec3Arith does the work of vec3Vectors for opAdd, opSub, opScale and opLerp, and is faster for
// few rows.
//
//kernelgen:front
func vec3Arith[T Float](op vecOp, v, x, y *Vec3s[T], s T) {
	if n := v.Len(); n <= vec3Rows && !checked && vec3Has(v, n) && vec3Has(x, n) && vec3Has(y, n) {
		vec3AtOnce(op, v, x, y, s)
		return
	}
	vectors(op, vec3Lanes(v), vec3Lanes(x), vec3Lanes(y), s)
}

// vec3Rows is the largest number of rows for which one loop over all lanes is faster than one loop
// for each lane, because the start of a loop takes time. With more rows, a loop for each lane is
// faster, because it uses the caches better.
const vec3Rows = 1024

// vec3AtOnce does opAdd, opSub, opScale or opLerp in one loop over all lanes.
func vec3AtOnce[T Float](op vecOp, v, x, y *Vec3s[T], s T) {
	switch op { // a product with 1 or -1 is exact
	case opAdd:
		op, s = opAddScaled, 1
	case opSub:
		op, s = opAddScaled, -1
	}
	if single[T]() {
		type view = Vec3s[float32]
		v, x, y, s := as[view](v), as[view](x), as[view](y), float32(s)
		switch op {
		case opScale:
			vec3Scale32(v, x, s)
		case opLerp:
			vec3Lerp32(v, x, y, s)
		default:
			vec3AddScaled32(v, x, y, s)
		}
	} else {
		type view = Vec3s[float64]
		v, x, y, s := as[view](v), as[view](x), as[view](y), float64(s)
		switch op {
		case opScale:
			vec3Scale64(v, x, s)
		case opLerp:
			vec3Lerp64(v, x, y, s)
		default:
			vec3AddScaled64(v, x, y, s)
		}
	}
}

func vec3ScaleGeneric[T Float](v, x *Vec3s[T], s T) {
	n := len(v.X)
	vx, vy, vz := v.X[:n], v.Y[:n], v.Z[:n]
	xx, xy, xz := x.X[:n], x.Y[:n], x.Z[:n]
	for i := range n {
		vx[i] = T(s * xx[i])
		vy[i] = T(s * xy[i])
		vz[i] = T(s * xz[i])
	}
}

func vec3LerpGeneric[T Float](v, x, y *Vec3s[T], s T) {
	n := len(v.X)
	vx, vy, vz := v.X[:n], v.Y[:n], v.Z[:n]
	xx, xy, xz := x.X[:n], x.Y[:n], x.Z[:n]
	yx, yy, yz := y.X[:n], y.Y[:n], y.Z[:n]
	for i := range n {
		vx[i] = xx[i] + T(s*(yx[i]-xx[i]))
		vy[i] = xy[i] + T(s*(yy[i]-xy[i]))
		vz[i] = xz[i] + T(s*(yz[i]-xz[i]))
	}
}

//kernelgen:front
func vec4Vectors[T Float](op vecOp, v, x, y *Vec4s[T], s T) {
	if n := v.Len(); n <= piece && !checked && vec4Has(v, n) && vec4Has(x, n) && vec4Has(y, n) {
		vectorRows(op, vec4Lanes(v), vec4Lanes(x), vec4Lanes(y), s)
		return
	}
	vectors(op, vec4Lanes(v), vec4Lanes(x), vec4Lanes(y), s)
}

//kernelgen:front
func vec2Numbers[T Float](op vecOp, dst []T, x, y *Vec2s[T]) {
	if n := len(dst); n <= piece && !checked && vec2Has(x, n) && vec2Has(y, n) {
		vectorRows(op, [][]T{dst}, vec2Lanes(x), vec2Lanes(y), 0)
		return
	}
	vectors(op, [][]T{dst}, vec2Lanes(x), vec2Lanes(y), 0)
}

//kernelgen:front
func vec3Numbers[T Float](op vecOp, dst []T, x, y *Vec3s[T]) {
	if n := len(dst); n <= piece && !checked && vec3Has(x, n) && vec3Has(y, n) {
		vectorRows(op, [][]T{dst}, vec3Lanes(x), vec3Lanes(y), 0)
		return
	}
	vectors(op, [][]T{dst}, vec3Lanes(x), vec3Lanes(y), 0)
}

//kernelgen:front
func vec4Numbers[T Float](op vecOp, dst []T, x, y *Vec4s[T]) {
	if n := len(dst); n <= piece && !checked && vec4Has(x, n) && vec4Has(y, n) {
		vectorRows(op, [][]T{dst}, vec4Lanes(x), vec4Lanes(y), 0)
		return
	}
	vectors(op, [][]T{dst}, vec4Lanes(x), vec4Lanes(y), 0)
}

// vectors checks the operands and computes all rows.
//
//go:noinline
func vectors[T Float](op vecOp, v, x, y [][]T, s T) {
	n := len(v[0])
	if !haveRows(v, n) || !haveRows(x, n) || &y[0] != &x[0] && !haveRows(y, n) {
		kernel, spans := vecOperands(op, v, x, y)
		panic(lengths(kernel, spans[0], spans[1:]...))
	}
	if checked {
		kernel, spans := vecOperands(op, v, x, y)
		inspect(kernel, spans[0], spans[1:]...)
	}
	if n <= piece {
		vectorRows(op, v, x, y, s)
		return
	}
	var vs, xs, ys [4][]T
	for lo := 0; lo < n; lo += piece {
		hi := min(lo+piece, n)
		vectorRows(op, cut(&vs, v, lo, hi), cut(&xs, x, lo, hi), cut(&ys, y, lo, hi), s)
	}
}

// vecOperands returns the name of a kernel and the memory of its operands.
func vecOperands[T Float](op vecOp, v, x, y [][]T) (kernel string, spans [][]span) {
	names := vecOps[op].operands
	spans = [][]span{spansOf(names[0:1], v), spansOf(names[1:2], x)}
	if names[2] != names[1] {
		spans = append(spans, spansOf(names[2:3], y))
	}
	return fmt.Sprintf("Vec%ds.%s", len(x), vecOps[op].name), spans
}

// haveRows reports whether every lane has n rows.
func haveRows[T Float](lanes [][]T, n int) bool {
	for _, l := range lanes {
		if len(l) != n {
			return false
		}
	}
	return true
}

// cut returns the rows from lo to hi of all lanes.
func cut[T Float](into *[4][]T, lanes [][]T, lo, hi int) [][]T {
	for k, l := range lanes {
		into[k] = l[lo:hi]
	}
	return into[:len(lanes)]
}

// spansOf returns the memory of an operand. The operand is a view, such as v or x, or dst, which is
// a plain slice.
func spansOf[T Float](name string, lanes [][]T) []span {
	if name == "d" {
		return lane("dst", lanes[0])
	}
	spans := make([]span, len(lanes))
	for k, l := range lanes {
		spans[k] = spanOf(name+"."+"XYZW"[k:k+1], l)
	}
	return spans
}

func vectorRows[T Float](op vecOp, v, x, y [][]T, s T) {
	if single[T]() {
		type lanes = [][]float32
		vectors32(op, *as[lanes](&v), *as[lanes](&x), *as[lanes](&y), float32(s))
	} else {
		type lanes = [][]float64
		vectors64(op, *as[lanes](&v), *as[lanes](&x), *as[lanes](&y), float64(s))
	}
}

func vectorsGeneric[T Float](op vecOp, v, x, y [][]T, s T) {
	switch op {
	case opAdd:
		for k := range v {
			addGeneric(v[k], x[k], y[k])
		}
	case opSub:
		for k := range v {
			subGeneric(v[k], x[k], y[k])
		}
	case opScale:
		for k := range v {
			scaleGeneric(v[k], x[k], s)
		}
	case opAddScaled:
		for k := range v {
			addScaledGeneric(v[k], x[k], y[k], s)
		}
	case opLerp:
		for k := range v {
			lerpGeneric(v[k], x[k], y[k], s)
		}
	case opDot:
		dotGeneric(v[0], x, y)
	case opLength:
		dotGeneric(v[0], x, x)
		rootGeneric(v[0])
	case opDistance:
		distanceGeneric(v[0], x, y)
	case opNormalize:
		normalizeGeneric(v, x)
	case opReflect:
		reflectGeneric(v, x, y)
	case opCross:
		crossGeneric(v, x, y)
	}
}

func root[T Float](x T) T { return T(math.Sqrt(float64(x))) }

// dotRow returns the dot product of one row, (((x0*y0) + x1*y1) + x2*y2) + x3*y3. It
// has one term for each lane.
func dotRow[T Float](x, y [][]T, i int) T {
	sum := T(x[0][i] * y[0][i])
	for k := 1; k < len(x); k++ {
		sum += T(x[k][i] * y[k][i])
	}
	return sum
}

func dotGeneric[T Float](dst []T, x, y [][]T) {
	for i := range dst {
		dst[i] = dotRow(x, y, i)
	}
}

func rootGeneric[T Float](dst []T) {
	for i, x := range dst {
		dst[i] = root(x)
	}
}

func distanceGeneric[T Float](dst []T, x, y [][]T) {
	for i := range dst {
		d := x[0][i] - y[0][i]
		sum := T(d * d)
		for k := 1; k < len(x); k++ {
			d := x[k][i] - y[k][i]
			sum += T(d * d)
		}
		dst[i] = root(sum)
	}
}

func normalizeGeneric[T Float](v, x [][]T) {
	for i := range v[0] {
		square := dotRow(x, x, i)
		r := 1 / root(square)
		if square == 0 {
			r = 0
		}
		for k := range v {
			v[k][i] = T(x[k][i] * r)
		}
	}
}

func reflectGeneric[T Float](v, x, n [][]T) {
	for i := range v[0] {
		d := dotRow(x, n, i)
		d += d
		for k := range v {
			v[k][i] = x[k][i] - T(d*n[k][i])
		}
	}
}

func crossGeneric[T Float](v, x, y [][]T) {
	for i := range v[0] {
		ax, ay, az := x[0][i], x[1][i], x[2][i]
		bx, by, bz := y[0][i], y[1][i], y[2][i]
		v[0][i] = T(ay*bz) - T(az*by)
		v[1][i] = T(az*bx) - T(ax*bz)
		v[2][i] = T(ax*by) - T(ay*bx)
	}
}
