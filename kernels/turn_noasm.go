//go:build purego || !(amd64 || arm64)

package kernels

// Inlined into generic functions, these would make their operands escape.

//go:noinline
func quatConjugate32(q, p *Quats[float32]) {
	quatConjugateGeneric(q, p)
}

//go:noinline
func quatConjugate64(q, p *Quats[float64]) {
	quatConjugateGeneric(q, p)
}

//go:noinline
func quatFromAxisAngle32(q *Quats[float32], axis *Vec3s[float32], angle []float32) int {
	quatFromAxisAngleGeneric(q, axis, angle)
	return len(angle)
}

//go:noinline
func quatFromAxisAngle64(q *Quats[float64], axis *Vec3s[float64], angle []float64) int {
	quatFromAxisAngleGeneric(q, axis, angle)
	return len(angle)
}

//go:noinline
func quatFromEuler32(q *Quats[float32], angles *Vec3s[float32], signs *[4]float32) int {
	quatFromEulerGeneric(q, angles, signs)
	return len(q.X)
}

//go:noinline
func quatFromEuler64(q *Quats[float64], angles *Vec3s[float64], signs *[4]float64) int {
	quatFromEulerGeneric(q, angles, signs)
	return len(q.X)
}

//go:noinline
func quatBetween32(q *Quats[float32], x, y *Vec3s[float32]) {
	quatBetweenGeneric(q, x, y)
}

//go:noinline
func quatBetween64(q *Quats[float64], x, y *Vec3s[float64]) {
	quatBetweenGeneric(q, x, y)
}

//go:noinline
func quatNlerp32(q, a, b *Quats[float32], t float32) {
	quatNlerpGeneric(q, a, b, t)
}

//go:noinline
func quatNlerp64(q, a, b *Quats[float64], t float64) {
	quatNlerpGeneric(q, a, b, t)
}

//go:noinline
func quatSlerp32(q, a, b *Quats[float32], t float32) {
	quatSlerpGeneric(q, a, b, t)
}

//go:noinline
func quatSlerp64(q, a, b *Quats[float64], t float64) {
	quatSlerpGeneric(q, a, b, t)
}
