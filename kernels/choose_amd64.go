//go:build !purego

package kernels

import (
	"math"

	"github.com/klauspost/cpuid/v2"
)

// The functions that choose a path for these kernels are hand-written. For all other kernels,
// internal/kernelgen generates them.

// availablePaths returns the paths of this CPU, the fastest last.
func availablePaths() []pathID {
	ids := []pathID{generic}
	if cpuid.CPU.Supports(cpuid.AVX2) {
		ids = append(ids, avx2)
		if cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512VL, cpuid.AVX512DQ, cpuid.AVX512BW, cpuid.BMI2) {
			ids = append(ids, avx512)
		}
	}
	return ids
}

func mat4Compose32(m *Mat4s[float32], pos *Vec3s[float32], rot *Quats[float32], scale *Vec3s[float32], past bool) {
	past = past && aligned(m.M)
	switch n := len(m.M); { // fewer rows than fill a register are faster in Go
	case path == avx512 && n >= 16:
		mat4ComposeF32AVX512(m, pos, rot, scale, past)
	case path != generic && n >= 8:
		mat4ComposeF32AVX2(m, pos, rot, scale, past)
	default:
		mat4ComposeGeneric(m, pos, rot, scale)
	}
}

func mat4Compose64(m *Mat4s[float64], pos *Vec3s[float64], rot *Quats[float64], scale *Vec3s[float64], past bool) {
	past = past && aligned(m.M)
	if path != generic && len(m.M) >= 4 {
		mat4ComposeF64AVX2(m, pos, rot, scale, past)
	} else {
		mat4ComposeGeneric(m, pos, rot, scale)
	}
}

//go:noescape
func mat4ComposeF32AVX2(m *Mat4s[float32], pos *Vec3s[float32], rot *Quats[float32], scale *Vec3s[float32], past bool)

//go:noescape
func mat4ComposeF32AVX512(m *Mat4s[float32], pos *Vec3s[float32], rot *Quats[float32], scale *Vec3s[float32], past bool)

//go:noescape
func mat4ComposeF64AVX2(m *Mat4s[float64], pos *Vec3s[float64], rot *Quats[float64], scale *Vec3s[float64], past bool)

// keep8 and keep4 are the permutations that compress uses. The tables contain an entry for each
// mask of eight float32 or four float64. For each of the eight words of a register, the entry
// contains the index of the source word.
var (
	keep8 = func() (t [256][8]byte) {
		for mask := range t {
			fillCompressOrder(t[mask][:], uint8(mask), 1)
		}
		return t
	}()
	keep4 = func() (t [16][8]byte) {
		for mask := range t {
			fillCompressOrder(t[mask][:], uint8(mask), 2)
		}
		return t
	}()
)

//go:noescape
func compressF32AVX512(dst, x []float32, mask []uint64)

//go:noescape
func compressF32AVX2(dst, x []float32, mask []uint64, keep *[256][8]byte)

func compress32(dst, x []float32, mask []uint64) {
	switch path {
	case avx512:
		compressF32AVX512(dst, x, mask)
	case avx2:
		compressF32AVX2(dst, x, mask, &keep8)
	default:
		compressGeneric(dst, x, mask)
	}
}

//go:noescape
func compressF64AVX512(dst, x []float64, mask []uint64)

//go:noescape
func compressF64AVX2(dst, x []float64, mask []uint64, keep *[16][8]byte)

func compress64(dst, x []float64, mask []uint64) {
	switch path {
	case avx512:
		compressF64AVX512(dst, x, mask)
	case avx2:
		compressF64AVX2(dst, x, mask, &keep4)
	default:
		compressGeneric(dst, x, mask)
	}
}

//go:noescape
func widenAVX512(dst []float64, x []float32)

//go:noescape
func widenAVX2(dst []float64, x []float32)

func widen(dst []float64, x []float32) {
	switch n := len(dst); {
	case path == avx512 && n > 4:
		widenAVX512(dst, x)
	case path != generic && n >= 2:
		widenAVX2(dst, x)
	default:
		convertGeneric(dst, x)
	}
}

//go:noescape
func narrowAVX512(dst []float32, x []float64)

//go:noescape
func narrowAVX2(dst []float32, x []float64)

func narrow(dst []float32, x []float64) {
	switch n := len(dst); {
	case path == avx512 && n > 4:
		narrowAVX512(dst, x)
	case path != generic && n >= 2:
		narrowAVX2(dst, x)
	default:
		convertGeneric(dst, x)
	}
}

//go:noescape
func indexOfF32AVX2(x []float32, bits uint32) int

func indexOf32(x []float32, bits uint32) int {
	switch path {
	case avx512, avx2:
		return indexOfF32AVX2(x, bits)
	default:
		return indexOfGeneric(x, math.Float32frombits(bits))
	}
}

//go:noescape
func indexOfF64AVX2(x []float64, bits uint64) int

func indexOf64(x []float64, bits uint64) int {
	switch path {
	case avx512, avx2:
		return indexOfF64AVX2(x, bits)
	default:
		return indexOfGeneric(x, math.Float64frombits(bits))
	}
}

func deinterleave32(lanes [][]float32, m [][16]float32) {
	switch n := len(m); {
	case path == avx512 && n >= 16:
		deinterleaveF32AVX512(lanes, m)
	case path != generic && n >= 8:
		deinterleaveF32AVX2(lanes, m)
	default:
		deinterleaveFrom(0, lanes, m)
	}
}

func interleave32(m [][16]float32, lanes [][]float32) {
	switch n := len(m); {
	case path == avx512 && n >= 16:
		interleaveF32AVX512(m, lanes)
	case path != generic && n >= 4:
		interleaveF32AVX2(m, lanes)
	default:
		interleaveFrom(0, m, lanes)
	}
}

func deinterleave64(lanes [][]float64, m [][16]float64) {
	switch n := len(m); {
	case path == avx512 && n >= 8:
		deinterleaveF64AVX512(lanes, m)
	case path != generic && n >= 4:
		deinterleaveF64AVX2(lanes, m)
	default:
		deinterleaveFrom(0, lanes, m)
	}
}

func interleave64(m [][16]float64, lanes [][]float64) {
	switch n := len(m); {
	case path == avx512 && n >= 8:
		interleaveF64AVX512(m, lanes)
	case path != generic && n >= 4:
		interleaveF64AVX2(m, lanes)
	default:
		interleaveFrom(0, m, lanes)
	}
}

// If there are few rows, Boxes.Union is faster without vectors, because a vector body must first fill and later merge one accumulator
// for each lane of a vector. The limits, in rows, at which the next body is chosen are close to the numbers of rows for which both
// bodies take the same time. BenchmarkUnion measures both sides. On a Xeon of Sapphire Rapids with Go 1.26.8, 24 rows of float32 take
// 132 ns with AVX2 and 142 ns in Go. With AVX-512 and AVX2, 304 rows take 249 and 232 ns, and 400 rows take 266 and 275 ns. For
// float64, 20 rows take 110 ns with AVX2 and 128 ns in Go, and 96 rows take 141 ns with AVX-512 and 153 ns with AVX2.

func boxesUnion32(e *ends[float32], b *Boxes[float32], mask []uint64) {
	first := 0
	switch n := b.Len(); {
	case path == avx512 && n >= 300:
		var v [6][16]float32
		for k := range 6 {
			e.fill(k, v[k][:])
		}
		boxesUnionF32AVX512(&v, b, mask)
		for k := range 6 {
			e.fold(k, v[k][:])
		}
		first = n &^ 15
	case path != generic && n >= 24:
		var v [6][8]float32
		for k := range 6 {
			e.fill(k, v[k][:])
		}
		boxesUnionF32AVX2(&v, b, mask)
		for k := range 6 {
			e.fold(k, v[k][:])
		}
		first = n &^ 7
	}
	boxesUnionFrom(first, e, b, mask)
}

func boxesUnion64(e *ends[float64], b *Boxes[float64], mask []uint64) {
	first := 0
	switch n := b.Len(); {
	case path == avx512 && n >= 96:
		var v [6][8]float64
		for k := range 6 {
			e.fill(k, v[k][:])
		}
		boxesUnionF64AVX512(&v, b, mask)
		for k := range 6 {
			e.fold(k, v[k][:])
		}
		first = n &^ 7
	case path != generic && n >= 20:
		var v [6][4]float64
		for k := range 6 {
			e.fill(k, v[k][:])
		}
		boxesUnionF64AVX2(&v, b, mask)
		for k := range 6 {
			e.fold(k, v[k][:])
		}
		first = n &^ 7
	}
	boxesUnionFrom(first, e, b, mask)
}

// boxesUnionF32AVX512 extends e by the rows that fill whole vectors. e
// contains the lowest coordinates of x, y and z and then the highest.
// boxesUnionF32AVX2 extends e by the rows that fill groups of eight.
//
//go:noescape
func boxesUnionF32AVX512(e *[6][16]float32, b *Boxes[float32], mask []uint64)

//go:noescape
func boxesUnionF32AVX2(e *[6][8]float32, b *Boxes[float32], mask []uint64)

// boxesUnionF64AVX512 extends e by the rows that fill whole vectors. e
// contains the lowest coordinates of x, y and z and then the highest.
// boxesUnionF64AVX2 extends e by the rows that fill groups of eight.
//
//go:noescape
func boxesUnionF64AVX512(e *[6][8]float64, b *Boxes[float64], mask []uint64)

//go:noescape
func boxesUnionF64AVX2(e *[6][4]float64, b *Boxes[float64], mask []uint64)
