//go:build !purego

package kernels

func quatConjugate32(q, p *Quats[float32]) {
	switch path {
	case neon:
		quatConjugateF32NEON(q, p)
	default:
		quatConjugateGeneric(q, p)
	}
}

func quatConjugate64(q, p *Quats[float64]) {
	switch path {
	case neon:
		quatConjugateF64NEON(q, p)
	default:
		quatConjugateGeneric(q, p)
	}
}

func quatFromAxisAngle32(q *Quats[float32], axis *Vec3s[float32], angle []float32) int {
	switch path {
	case neon:
		return quatFromAxisAngleF32NEON(q, axis, angle)
	default:
		quatFromAxisAngleGeneric(q, axis, angle)
		return len(angle)
	}
}

func quatFromAxisAngle64(q *Quats[float64], axis *Vec3s[float64], angle []float64) int {
	switch path {
	case neon:
		return quatFromAxisAngleF64NEON(q, axis, angle)
	default:
		quatFromAxisAngleGeneric(q, axis, angle)
		return len(angle)
	}
}

func quatFromEuler32(q *Quats[float32], angles *Vec3s[float32], signs *[4]float32) int {
	switch path {
	case neon:
		return quatFromEulerF32NEON(q, angles, signs)
	default:
		quatFromEulerGeneric(q, angles, signs)
		return len(q.X)
	}
}

func quatFromEuler64(q *Quats[float64], angles *Vec3s[float64], signs *[4]float64) int {
	switch path {
	case neon:
		return quatFromEulerF64NEON(q, angles, signs)
	default:
		quatFromEulerGeneric(q, angles, signs)
		return len(q.X)
	}
}

func quatBetween32(q *Quats[float32], x, y *Vec3s[float32]) {
	switch path {
	case neon:
		quatBetweenF32NEON(q, x, y)
	default:
		quatBetweenGeneric(q, x, y)
	}
}

func quatBetween64(q *Quats[float64], x, y *Vec3s[float64]) {
	switch path {
	case neon:
		quatBetweenF64NEON(q, x, y)
	default:
		quatBetweenGeneric(q, x, y)
	}
}

func quatNlerp32(q, a, b *Quats[float32], t float32) {
	switch path {
	case neon:
		quatNlerpF32NEON(q, a, b, t)
	default:
		quatNlerpGeneric(q, a, b, t)
	}
}

func quatNlerp64(q, a, b *Quats[float64], t float64) {
	switch path {
	case neon:
		quatNlerpF64NEON(q, a, b, t)
	default:
		quatNlerpGeneric(q, a, b, t)
	}
}

func quatSlerp32(q, a, b *Quats[float32], t float32) {
	switch {
	case path == neon && ordinaryTurn(t):
		quatSlerpF32NEON(q, a, b, t)
	default:
		quatSlerpGeneric(q, a, b, t)
	}
}

func quatSlerp64(q, a, b *Quats[float64], t float64) {
	switch {
	case path == neon && ordinaryTurn(t):
		quatSlerpF64NEON(q, a, b, t)
	default:
		quatSlerpGeneric(q, a, b, t)
	}
}

//go:noescape
func quatConjugateF32NEON(q, p *Quats[float32])

//go:noescape
func quatFromAxisAngleF32NEON(q *Quats[float32], axis *Vec3s[float32], angle []float32) int

//go:noescape
func quatFromEulerF32NEON(q *Quats[float32], angles *Vec3s[float32], signs *[4]float32) int

//go:noescape
func quatBetweenF32NEON(q *Quats[float32], x, y *Vec3s[float32])

//go:noescape
func quatNlerpF32NEON(q, a, b *Quats[float32], t float32)

//go:noescape
func quatSlerpF32NEON(q, a, b *Quats[float32], t float32)

//go:noescape
func quatConjugateF64NEON(q, p *Quats[float64])

//go:noescape
func quatFromAxisAngleF64NEON(q *Quats[float64], axis *Vec3s[float64], angle []float64) int

//go:noescape
func quatFromEulerF64NEON(q *Quats[float64], angles *Vec3s[float64], signs *[4]float64) int

//go:noescape
func quatBetweenF64NEON(q *Quats[float64], x, y *Vec3s[float64])

//go:noescape
func quatNlerpF64NEON(q, a, b *Quats[float64], t float64)

//go:noescape
func quatSlerpF64NEON(q, a, b *Quats[float64], t float64)
