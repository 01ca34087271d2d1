//go:build !purego

package kernels

func boxesTransform32(b *Boxes[float32], m *Mat4s[float32], local *Boxes[float32]) {
	switch path {
	case avx512, avx2:
		boxesTransformF32AVX2(b, m, local)
	default:
		boxesTransformGeneric(b, m, local)
	}
}

func boxesUnion32(e *ends[float32], b *Boxes[float32], mask []uint64) {
	first := 0
	switch path {
	case avx512:
		var v [6][16]float32
		for k := range 6 {
			e.fill(k, v[k][:])
		}
		boxesUnionF32AVX512(&v, b, mask)
		for k := range 6 {
			e.fold(k, v[k][:])
		}
		first = b.Len() &^ 15
	case avx2:
		var v [6][8]float32
		for k := range 6 {
			e.fill(k, v[k][:])
		}
		boxesUnionF32AVX2(&v, b, mask)
		for k := range 6 {
			e.fold(k, v[k][:])
		}
		first = b.Len() &^ 7
	}
	boxesUnionFrom(first, e, b, mask)
}

func boxesInPlanes32(mask []uint64, b *Boxes[float32], walls *walls32, planes int) {
	switch path {
	case avx512:
		boxesInPlanesF32AVX512(mask, b, walls, planes)
	case avx2:
		boxesInPlanesF32AVX2(mask, b, walls, planes)
	default:
		boxesInPlanesGeneric(mask, b, walls, planes)
	}
}

func spheresInPlanes32(mask []uint64, s *Spheres[float32], walls *walls32, planes int) {
	switch path {
	case avx512:
		spheresInPlanesF32AVX512(mask, s, walls, planes)
	case avx2:
		spheresInPlanesF32AVX2(mask, s, walls, planes)
	default:
		spheresInPlanesGeneric(mask, s, walls, planes)
	}
}

func boxesTransform64(b *Boxes[float64], m *Mat4s[float64], local *Boxes[float64]) {
	switch path {
	case avx512, avx2:
		boxesTransformF64AVX2(b, m, local)
	default:
		boxesTransformGeneric(b, m, local)
	}
}

func boxesUnion64(e *ends[float64], b *Boxes[float64], mask []uint64) {
	first := 0
	switch path {
	case avx512:
		var v [6][8]float64
		for k := range 6 {
			e.fill(k, v[k][:])
		}
		boxesUnionF64AVX512(&v, b, mask)
		for k := range 6 {
			e.fold(k, v[k][:])
		}
		first = b.Len() &^ 7
	case avx2:
		var v [6][4]float64
		for k := range 6 {
			e.fill(k, v[k][:])
		}
		boxesUnionF64AVX2(&v, b, mask)
		for k := range 6 {
			e.fold(k, v[k][:])
		}
		first = b.Len() &^ 7
	}
	boxesUnionFrom(first, e, b, mask)
}

func boxesInPlanes64(mask []uint64, b *Boxes[float64], walls *walls64, planes int) {
	switch path {
	case avx512:
		boxesInPlanesF64AVX512(mask, b, walls, planes)
	case avx2:
		boxesInPlanesF64AVX2(mask, b, walls, planes)
	default:
		boxesInPlanesGeneric(mask, b, walls, planes)
	}
}

func spheresInPlanes64(mask []uint64, s *Spheres[float64], walls *walls64, planes int) {
	switch path {
	case avx512:
		spheresInPlanesF64AVX512(mask, s, walls, planes)
	case avx2:
		spheresInPlanesF64AVX2(mask, s, walls, planes)
	default:
		spheresInPlanesGeneric(mask, s, walls, planes)
	}
}

//go:noescape
func boxesTransformF32AVX2(b *Boxes[float32], m *Mat4s[float32], local *Boxes[float32])

// boxesUnionF32AVX512 does the rows that fill vectors, from what e holds: the lowest
// places of x, y and z, then the highest. boxesUnionF32AVX2 does those that fill eight.
//
//go:noescape
func boxesUnionF32AVX512(e *[6][16]float32, b *Boxes[float32], mask []uint64)

//go:noescape
func boxesUnionF32AVX2(e *[6][8]float32, b *Boxes[float32], mask []uint64)

//go:noescape
func boxesInPlanesF32AVX512(mask []uint64, b *Boxes[float32], walls *walls32, planes int)

//go:noescape
func spheresInPlanesF32AVX512(mask []uint64, s *Spheres[float32], walls *walls32, planes int)

//go:noescape
func boxesInPlanesF32AVX2(mask []uint64, b *Boxes[float32], walls *walls32, planes int)

//go:noescape
func spheresInPlanesF32AVX2(mask []uint64, s *Spheres[float32], walls *walls32, planes int)

//go:noescape
func boxesTransformF64AVX2(b *Boxes[float64], m *Mat4s[float64], local *Boxes[float64])

// boxesUnionF64AVX512 does the rows that fill vectors, from what e holds: the lowest
// places of x, y and z, then the highest. boxesUnionF64AVX2 does those that fill eight.
//
//go:noescape
func boxesUnionF64AVX512(e *[6][8]float64, b *Boxes[float64], mask []uint64)

//go:noescape
func boxesUnionF64AVX2(e *[6][4]float64, b *Boxes[float64], mask []uint64)

//go:noescape
func boxesInPlanesF64AVX512(mask []uint64, b *Boxes[float64], walls *walls64, planes int)

//go:noescape
func spheresInPlanesF64AVX512(mask []uint64, s *Spheres[float64], walls *walls64, planes int)

//go:noescape
func boxesInPlanesF64AVX2(mask []uint64, b *Boxes[float64], walls *walls64, planes int)

//go:noescape
func spheresInPlanesF64AVX2(mask []uint64, s *Spheres[float64], walls *walls64, planes int)
