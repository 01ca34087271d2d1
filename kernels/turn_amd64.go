//go:build !purego

package kernels

func quatConjugate32(q, p *Quats[float32]) {
	switch path {
	case avx512:
		quatConjugateF32AVX512(q, p)
	case avx2:
		quatConjugateF32AVX2(q, p)
	default:
		quatConjugateGeneric(q, p)
	}
}

func quatConjugate64(q, p *Quats[float64]) {
	switch path {
	case avx512:
		quatConjugateF64AVX512(q, p)
	case avx2:
		quatConjugateF64AVX2(q, p)
	default:
		quatConjugateGeneric(q, p)
	}
}

func quatFromAxisAngle32(q *Quats[float32], axis *Vec3s[float32], angle []float32) int {
	switch path {
	case avx512:
		return quatFromAxisAngleF32AVX512(q, axis, angle)
	case avx2:
		return quatFromAxisAngleF32AVX2(q, axis, angle)
	default:
		quatFromAxisAngleGeneric(q, axis, angle)
		return len(angle)
	}
}

func quatFromAxisAngle64(q *Quats[float64], axis *Vec3s[float64], angle []float64) int {
	switch path {
	case avx512:
		return quatFromAxisAngleF64AVX512(q, axis, angle)
	case avx2:
		return quatFromAxisAngleF64AVX2(q, axis, angle)
	default:
		quatFromAxisAngleGeneric(q, axis, angle)
		return len(angle)
	}
}

func quatFromEuler32(q *Quats[float32], angles *Vec3s[float32], signs *[4]float32) int {
	switch path {
	case avx512:
		return quatFromEulerF32AVX512(q, angles, signs)
	case avx2:
		return quatFromEulerF32AVX2(q, angles, signs)
	default:
		quatFromEulerGeneric(q, angles, signs)
		return len(q.X)
	}
}

func quatFromEuler64(q *Quats[float64], angles *Vec3s[float64], signs *[4]float64) int {
	switch path {
	case avx512:
		return quatFromEulerF64AVX512(q, angles, signs)
	case avx2:
		return quatFromEulerF64AVX2(q, angles, signs)
	default:
		quatFromEulerGeneric(q, angles, signs)
		return len(q.X)
	}
}

func quatBetween32(q *Quats[float32], x, y *Vec3s[float32]) {
	switch path {
	case avx512:
		quatBetweenF32AVX512(q, x, y)
	case avx2:
		quatBetweenF32AVX2(q, x, y)
	default:
		quatBetweenGeneric(q, x, y)
	}
}

func quatBetween64(q *Quats[float64], x, y *Vec3s[float64]) {
	switch path {
	case avx512:
		quatBetweenF64AVX512(q, x, y)
	case avx2:
		quatBetweenF64AVX2(q, x, y)
	default:
		quatBetweenGeneric(q, x, y)
	}
}

func quatNlerp32(q, a, b *Quats[float32], t float32) {
	switch path {
	case avx512:
		quatNlerpF32AVX512(q, a, b, t)
	case avx2:
		quatNlerpF32AVX2(q, a, b, t)
	default:
		quatNlerpGeneric(q, a, b, t)
	}
}

func quatNlerp64(q, a, b *Quats[float64], t float64) {
	switch path {
	case avx512:
		quatNlerpF64AVX512(q, a, b, t)
	case avx2:
		quatNlerpF64AVX2(q, a, b, t)
	default:
		quatNlerpGeneric(q, a, b, t)
	}
}

func quatSlerp32(q, a, b *Quats[float32], t float32) {
	switch {
	case path == avx512 && ordinaryTurn(t):
		quatSlerpF32AVX512(q, a, b, t)
	case path == avx2 && ordinaryTurn(t):
		quatSlerpF32AVX2(q, a, b, t)
	default:
		quatSlerpGeneric(q, a, b, t)
	}
}

func quatSlerp64(q, a, b *Quats[float64], t float64) {
	switch {
	case path == avx512 && ordinaryTurn(t):
		quatSlerpF64AVX512(q, a, b, t)
	case path == avx2 && ordinaryTurn(t):
		quatSlerpF64AVX2(q, a, b, t)
	default:
		quatSlerpGeneric(q, a, b, t)
	}
}

//go:noescape
func quatConjugateF32AVX2(q, p *Quats[float32])

//go:noescape
func quatFromAxisAngleF32AVX2(q *Quats[float32], axis *Vec3s[float32], angle []float32) int

//go:noescape
func quatFromEulerF32AVX2(q *Quats[float32], angles *Vec3s[float32], signs *[4]float32) int

//go:noescape
func quatBetweenF32AVX2(q *Quats[float32], x, y *Vec3s[float32])

//go:noescape
func quatNlerpF32AVX2(q, a, b *Quats[float32], t float32)

//go:noescape
func quatSlerpF32AVX2(q, a, b *Quats[float32], t float32)

//go:noescape
func quatConjugateF32AVX512(q, p *Quats[float32])

//go:noescape
func quatFromAxisAngleF32AVX512(q *Quats[float32], axis *Vec3s[float32], angle []float32) int

//go:noescape
func quatFromEulerF32AVX512(q *Quats[float32], angles *Vec3s[float32], signs *[4]float32) int

//go:noescape
func quatBetweenF32AVX512(q *Quats[float32], x, y *Vec3s[float32])

//go:noescape
func quatNlerpF32AVX512(q, a, b *Quats[float32], t float32)

//go:noescape
func quatSlerpF32AVX512(q, a, b *Quats[float32], t float32)

//go:noescape
func quatConjugateF64AVX2(q, p *Quats[float64])

//go:noescape
func quatFromAxisAngleF64AVX2(q *Quats[float64], axis *Vec3s[float64], angle []float64) int

//go:noescape
func quatFromEulerF64AVX2(q *Quats[float64], angles *Vec3s[float64], signs *[4]float64) int

//go:noescape
func quatBetweenF64AVX2(q *Quats[float64], x, y *Vec3s[float64])

//go:noescape
func quatNlerpF64AVX2(q, a, b *Quats[float64], t float64)

//go:noescape
func quatNlerpF64AVX512(q, a, b *Quats[float64], t float64)

//go:noescape
func quatSlerpF64AVX2(q, a, b *Quats[float64], t float64)

//go:noescape
func quatConjugateF64AVX512(q, p *Quats[float64])

//go:noescape
func quatFromAxisAngleF64AVX512(q *Quats[float64], axis *Vec3s[float64], angle []float64) int

//go:noescape
func quatFromEulerF64AVX512(q *Quats[float64], angles *Vec3s[float64], signs *[4]float64) int

//go:noescape
func quatBetweenF64AVX512(q *Quats[float64], x, y *Vec3s[float64])

//go:noescape
func quatSlerpF64AVX512(q, a, b *Quats[float64], t float64)
