//go:build !purego

package kernels

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

func boxesInPlanes32(mask []uint64, b *Boxes[float32], walls *walls32, planes int) {
	switch path {
	case neon:
		boxesInPlanesF32NEON(mask, b, walls, planes)
	default:
		boxesInPlanesGeneric(mask, b, walls, planes)
	}
}

func spheresInPlanes32(mask []uint64, s *Spheres[float32], walls *walls32, planes int) {
	switch path {
	case neon:
		spheresInPlanesF32NEON(mask, s, walls, planes)
	default:
		spheresInPlanesGeneric(mask, s, walls, planes)
	}
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

func boxesInPlanes64(mask []uint64, b *Boxes[float64], walls *walls64, planes int) {
	switch path {
	case neon:
		boxesInPlanesF64NEON(mask, b, walls, planes)
	default:
		boxesInPlanesGeneric(mask, b, walls, planes)
	}
}

func spheresInPlanes64(mask []uint64, s *Spheres[float64], walls *walls64, planes int) {
	switch path {
	case neon:
		spheresInPlanesF64NEON(mask, s, walls, planes)
	default:
		spheresInPlanesGeneric(mask, s, walls, planes)
	}
}

// boxesTransformF32NEON does the rows that fill vectors.
//
//go:noescape
func boxesTransformF32NEON(b *Boxes[float32], m *Mat4s[float32], local *Boxes[float32])

// boxesUnionF32NEON does the rows that fill eight, from what e holds: the lowest places
// of x, y and z, then the highest.
//
//go:noescape
func boxesUnionF32NEON(e *[6][4]float32, b *Boxes[float32], mask []uint64)

//go:noescape
func boxesInPlanesF32NEON(mask []uint64, b *Boxes[float32], walls *walls32, planes int)

//go:noescape
func spheresInPlanesF32NEON(mask []uint64, s *Spheres[float32], walls *walls32, planes int)

// boxesTransformF64NEON does the rows that fill vectors.
//
//go:noescape
func boxesTransformF64NEON(b *Boxes[float64], m *Mat4s[float64], local *Boxes[float64])

// boxesUnionF64NEON does the rows that fill eight, from what e holds: the lowest places
// of x, y and z, then the highest.
//
//go:noescape
func boxesUnionF64NEON(e *[6][2]float64, b *Boxes[float64], mask []uint64)

//go:noescape
func boxesInPlanesF64NEON(mask []uint64, b *Boxes[float64], walls *walls64, planes int)

//go:noescape
func spheresInPlanesF64NEON(mask []uint64, s *Spheres[float64], walls *walls64, planes int)
