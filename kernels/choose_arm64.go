//go:build !purego

package kernels

import (
	"math"
	"math/bits"
)

// The functions that choose a path for these kernels are hand-written. For all other kernels,
// internal/kernelgen generates them.

// availablePaths returns the paths of this CPU. NEON is part of every arm64.
func availablePaths() []pathID { return []pathID{generic, neon} }

//go:noescape
func mat4ComposeF32NEON(m *Mat4s[float32], pos *Vec3s[float32], rot *Quats[float32], scale *Vec3s[float32])

//go:noescape
func mat4ComposeF64NEON(m *Mat4s[float64], pos *Vec3s[float64], rot *Quats[float64], scale *Vec3s[float64])

func mat4Compose32(m *Mat4s[float32], pos *Vec3s[float32], rot *Quats[float32], scale *Vec3s[float32], _ bool) {
	switch path {
	case neon:
		mat4ComposeF32NEON(m, pos, rot, scale)
	default:
		mat4ComposeGeneric(m, pos, rot, scale)
	}
}

func mat4Compose64(m *Mat4s[float64], pos *Vec3s[float64], rot *Quats[float64], scale *Vec3s[float64], _ bool) {
	switch path {
	case neon:
		mat4ComposeF64NEON(m, pos, rot, scale)
	default:
		mat4ComposeGeneric(m, pos, rot, scale)
	}
}

// A compressTable holds two things for each mask of four float32: the index of the source byte for
// each byte of a register, and the number of rows in the mask.
type compressTable struct {
	order [16][16]byte
	count [16]byte
}

var keep4 = func() (p compressTable) {
	for mask := range p.order {
		fillCompressOrder(p.order[mask][:], uint8(mask), 4)
		p.count[mask] = byte(bits.OnesCount8(uint8(mask)))
	}
	return p
}()

//go:noescape
func compressF32NEON(dst, x []float32, mask []uint64, keep *compressTable)

func compress32(dst, x []float32, mask []uint64) {
	switch path {
	case neon:
		compressF32NEON(dst, x, mask, &keep4)
	default:
		compressGeneric(dst, x, mask)
	}
}

//go:noescape
func compressF64NEON(dst, x []float64, mask []uint64)

func compress64(dst, x []float64, mask []uint64) {
	switch path {
	case neon:
		compressF64NEON(dst, x, mask)
	default:
		compressGeneric(dst, x, mask)
	}
}

//go:noescape
func widenNEON(dst []float64, x []float32)

func widen(dst []float64, x []float32) {
	switch path {
	case neon:
		widenNEON(dst, x)
	default:
		convertGeneric(dst, x)
	}
}

//go:noescape
func narrowNEON(dst []float32, x []float64)

func narrow(dst []float32, x []float64) {
	switch path {
	case neon:
		narrowNEON(dst, x)
	default:
		convertGeneric(dst, x)
	}
}

//go:noescape
func indexOfF32NEON(x []float32, bits uint32) int

func indexOf32(x []float32, bits uint32) int {
	switch path {
	case neon:
		return indexOfF32NEON(x, bits)
	default:
		return indexOfGeneric(x, math.Float32frombits(bits))
	}
}

//go:noescape
func indexOfF64NEON(x []float64, bits uint64) int

func indexOf64(x []float64, bits uint64) int {
	switch path {
	case neon:
		return indexOfF64NEON(x, bits)
	default:
		return indexOfGeneric(x, math.Float64frombits(bits))
	}
}

func mat3x4Compose32(m *Mat3x4s[float32], pos *Vec3s[float32], rot *Quats[float32], scale *Vec3s[float32]) {
	if path != neon {
		mat3x4ComposeGeneric(m, pos, rot, scale)
		return
	}
	p := parts(pos, rot, scale)
	mat3x4ComposeF32NEON(mat3x4Lanes(m), p[:])
}

func mat3x4Compose64(m *Mat3x4s[float64], pos *Vec3s[float64], rot *Quats[float64], scale *Vec3s[float64]) {
	if path != neon {
		mat3x4ComposeGeneric(m, pos, rot, scale)
		return
	}
	p := parts(pos, rot, scale)
	mat3x4ComposeF64NEON(mat3x4Lanes(m), p[:])
}

func deinterleave32(lanes [][]float32, m [][16]float32) {
	if path != neon || len(m) < 4 {
		deinterleaveFrom(0, lanes, m)
		return
	}
	deinterleaveF32NEON(lanes, m)
}

func interleave32(m [][16]float32, lanes [][]float32) {
	if path != neon || len(m) < 4 {
		interleaveFrom(0, m, lanes)
		return
	}
	interleaveF32NEON(m, lanes)
}

func deinterleave64(lanes [][]float64, m [][16]float64) {
	if path != neon || len(m) < 2 {
		deinterleaveFrom(0, lanes, m)
		return
	}
	deinterleaveF64NEON(lanes, m)
}

func interleave64(m [][16]float64, lanes [][]float64) {
	if path != neon || len(m) < 2 {
		interleaveFrom(0, m, lanes)
		return
	}
	interleaveF64NEON(m, lanes)
}

//go:noescape
func mat3x4ComposeF32NEON(m, parts [][]float32)

//go:noescape
func mat3x4ComposeF64NEON(m, parts [][]float64)

func boxesTransform32(b *Boxes[float32], m *Mat4s[float32], local *Boxes[float32]) {
	first := 0
	if path == neon {
		boxesTransformF32NEON(b, m, local)
		first = b.Len() &^ 3
	}
	boxesTransformFrom(first, b, m, local)
}

func boxesUnion32(e *ends[float32], b *Boxes[float32], mask []uint64) {
	first := 0
	if path == neon {
		var v [6][4]float32
		for k := range 6 {
			e.fill(k, v[k][:])
		}
		boxesUnionF32NEON(&v, b, mask)
		for k := range 6 {
			e.fold(k, v[k][:])
		}
		first = b.Len() &^ 7
	}
	boxesUnionFrom(first, e, b, mask)
}

func boxesTransform64(b *Boxes[float64], m *Mat4s[float64], local *Boxes[float64]) {
	first := 0
	if path == neon {
		boxesTransformF64NEON(b, m, local)
		first = b.Len() &^ 1
	}
	boxesTransformFrom(first, b, m, local)
}

func boxesUnion64(e *ends[float64], b *Boxes[float64], mask []uint64) {
	first := 0
	if path == neon {
		var v [6][2]float64
		for k := range 6 {
			e.fill(k, v[k][:])
		}
		boxesUnionF64NEON(&v, b, mask)
		for k := range 6 {
			e.fold(k, v[k][:])
		}
		first = b.Len() &^ 7
	}
	boxesUnionFrom(first, e, b, mask)
}

// boxesTransformF32NEON transforms the rows that fill whole vectors.
//
//go:noescape
func boxesTransformF32NEON(b *Boxes[float32], m *Mat4s[float32], local *Boxes[float32])

// boxesUnionF32NEON extends the box e so that it contains the rows of all complete
// groups of eight. E has the least x, y and z, then the greatest.
//
//go:noescape
func boxesUnionF32NEON(e *[6][4]float32, b *Boxes[float32], mask []uint64)

// boxesTransformF64NEON transforms the rows that fill whole vectors.
//
//go:noescape
func boxesTransformF64NEON(b *Boxes[float64], m *Mat4s[float64], local *Boxes[float64])

// boxesUnionF64NEON extends the box e so that it contains the rows of all complete
// groups of eight. E has the least x, y and z, then the greatest.
//
//go:noescape
func boxesUnionF64NEON(e *[6][2]float64, b *Boxes[float64], mask []uint64)

//go:noescape
func sumF32NEON(t *partials[float32], x []float32, last *partials[float32]) float32

func sum32(t *partials[float32], x []float32) float32 {
	switch path {
	case neon:
		whole := len(x) &^ (64 - 1)
		if whole == len(x) {
			return sumF32NEON(t, x, nil)
		}
		var last partials[float32]
		copy(last[:], x[whole:])
		return sumF32NEON(t, x[:whole], &last)
	default:
		return sumGeneric(t, x)
	}
}

//go:noescape
func dotLanesF32NEON(t *partials[float32], x, y []float32, lastX, lastY *partials[float32]) float32

func dotLanes32(t *partials[float32], x, y []float32) float32 {
	switch path {
	case neon:
		whole := len(x) &^ (64 - 1)
		if whole == len(x) {
			return dotLanesF32NEON(t, x, y, nil, nil)
		}
		var lastX, lastY partials[float32]
		copy(lastX[:], x[whole:])
		copy(lastY[:], y[whole:])
		return dotLanesF32NEON(t, x[:whole], y[:whole], &lastX, &lastY)
	default:
		return dotLanesGeneric(t, x, y)
	}
}

//go:noescape
func sumF64NEON(t *partials[float64], x []float64, last *partials[float64]) float64

func sum64(t *partials[float64], x []float64) float64 {
	switch path {
	case neon:
		whole := len(x) &^ (32 - 1)
		if whole == len(x) {
			return sumF64NEON(t, x, nil)
		}
		var last partials[float64]
		copy(last[:], x[whole:])
		return sumF64NEON(t, x[:whole], &last)
	default:
		return sumGeneric(t, x)
	}
}

//go:noescape
func dotLanesF64NEON(t *partials[float64], x, y []float64, lastX, lastY *partials[float64]) float64

func dotLanes64(t *partials[float64], x, y []float64) float64 {
	switch path {
	case neon:
		whole := len(x) &^ (32 - 1)
		if whole == len(x) {
			return dotLanesF64NEON(t, x, y, nil, nil)
		}
		var lastX, lastY partials[float64]
		copy(lastX[:], x[whole:])
		copy(lastY[:], y[whole:])
		return dotLanesF64NEON(t, x[:whole], y[:whole], &lastX, &lastY)
	default:
		return dotLanesGeneric(t, x, y)
	}
}
