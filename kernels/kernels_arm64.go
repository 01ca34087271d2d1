//go:build !purego

package kernels

// available returns the paths of this CPU. NEON is part of every arm64.
func available() []pathID { return []pathID{generic, neon} }

//go:noescape
func fillF32NEON(dst []float32, s float32)

//go:noescape
func fillF64NEON(dst []float64, s float64)

func fill32(dst []float32, s float32) {
	switch path {
	case neon:
		fillF32NEON(dst, s)
	default:
		fillGeneric(dst, s)
	}
}

func fill64(dst []float64, s float64) {
	switch path {
	case neon:
		fillF64NEON(dst, s)
	default:
		fillGeneric(dst, s)
	}
}

//go:noescape
func vec3AddScaledF32NEON(v, x, y *Vec3s[float32], s float32)

//go:noescape
func vec3AddScaledF64NEON(v, x, y *Vec3s[float64], s float64)

func vec3AddScaled32(v, x, y *Vec3s[float32], s float32) {
	switch path {
	case neon:
		vec3AddScaledF32NEON(v, x, y, s)
	default:
		vec3AddScaledGeneric(v, x, y, s)
	}
}

func vec3AddScaled64(v, x, y *Vec3s[float64], s float64) {
	switch path {
	case neon:
		vec3AddScaledF64NEON(v, x, y, s)
	default:
		vec3AddScaledGeneric(v, x, y, s)
	}
}

//go:noescape
func quatMulF32NEON(q, a, b *Quats[float32])

//go:noescape
func quatMulF64NEON(q, a, b *Quats[float64])

func quatMul32(q, a, b *Quats[float32]) {
	switch path {
	case neon:
		quatMulF32NEON(q, a, b)
	default:
		quatMulGeneric(q, a, b)
	}
}

func quatMul64(q, a, b *Quats[float64]) {
	switch path {
	case neon:
		quatMulF64NEON(q, a, b)
	default:
		quatMulGeneric(q, a, b)
	}
}

//go:noescape
func quatNormalizeF32NEON(q, p *Quats[float32])

//go:noescape
func quatNormalizeF64NEON(q, p *Quats[float64])

func quatNormalize32(q, p *Quats[float32]) {
	switch path {
	case neon:
		quatNormalizeF32NEON(q, p)
	default:
		quatNormalizeGeneric(q, p)
	}
}

func quatNormalize64(q, p *Quats[float64]) {
	switch path {
	case neon:
		quatNormalizeF64NEON(q, p)
	default:
		quatNormalizeGeneric(q, p)
	}
}

//go:noescape
func quatIntegrateF32NEON(q, p *Quats[float32], w *Vec3s[float32], half float32)

//go:noescape
func quatIntegrateF64NEON(q, p *Quats[float64], w *Vec3s[float64], half float64)

func quatIntegrate32(q, p *Quats[float32], w *Vec3s[float32], half float32) {
	switch path {
	case neon:
		quatIntegrateF32NEON(q, p, w, half)
	default:
		quatIntegrateGeneric(q, p, w, half)
	}
}

func quatIntegrate64(q, p *Quats[float64], w *Vec3s[float64], half float64) {
	switch path {
	case neon:
		quatIntegrateF64NEON(q, p, w, half)
	default:
		quatIntegrateGeneric(q, p, w, half)
	}
}

//go:noescape
func quatSpinF32NEON(q, p *Quats[float32], axis *[3]float32, speed []float32, half float32) int

//go:noescape
func quatSpinF64NEON(q, p *Quats[float64], axis *[3]float64, speed []float64, half float64) int

func quatSpin32(q, p *Quats[float32], axis *[3]float32, speed []float32, half float32) int {
	switch path {
	case neon:
		return quatSpinF32NEON(q, p, axis, speed, half)
	default:
		quatSpinGeneric(q, p, axis, speed, half)
		return len(speed)
	}
}

func quatSpin64(q, p *Quats[float64], axis *[3]float64, speed []float64, half float64) int {
	switch path {
	case neon:
		return quatSpinF64NEON(q, p, axis, speed, half)
	default:
		quatSpinGeneric(q, p, axis, speed, half)
		return len(speed)
	}
}

//go:noescape
func vec3RotateF32NEON(v *Vec3s[float32], q *Quats[float32], x *Vec3s[float32])

//go:noescape
func vec3RotateF64NEON(v *Vec3s[float64], q *Quats[float64], x *Vec3s[float64])

func vec3Rotate32(v *Vec3s[float32], q *Quats[float32], x *Vec3s[float32]) {
	switch path {
	case neon:
		vec3RotateF32NEON(v, q, x)
	default:
		vec3RotateGeneric(v, q, x)
	}
}

func vec3Rotate64(v *Vec3s[float64], q *Quats[float64], x *Vec3s[float64]) {
	switch path {
	case neon:
		vec3RotateF64NEON(v, q, x)
	default:
		vec3RotateGeneric(v, q, x)
	}
}

//go:noescape
func vec3RotateByF32NEON(v *Vec3s[float32], q *[4]float32, x *Vec3s[float32])

//go:noescape
func vec3RotateByF64NEON(v *Vec3s[float64], q *[4]float64, x *Vec3s[float64])

func vec3RotateBy32(v *Vec3s[float32], q *[4]float32, x *Vec3s[float32]) {
	switch path {
	case neon:
		vec3RotateByF32NEON(v, q, x)
	default:
		vec3RotateByGeneric(v, q, x)
	}
}

func vec3RotateBy64(v *Vec3s[float64], q *[4]float64, x *Vec3s[float64]) {
	switch path {
	case neon:
		vec3RotateByF64NEON(v, q, x)
	default:
		vec3RotateByGeneric(v, q, x)
	}
}

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

//go:noescape
func mat4MulF32NEON(m, parent, local *Mat4s[float32])

//go:noescape
func mat4MulF64NEON(m, parent, local *Mat4s[float64])

func mat4Mul32(m, parent, local *Mat4s[float32]) {
	switch path {
	case neon:
		mat4MulF32NEON(m, parent, local)
	default:
		mat4MulGeneric(m, parent, local)
	}
}

func mat4Mul64(m, parent, local *Mat4s[float64]) {
	switch path {
	case neon:
		mat4MulF64NEON(m, parent, local)
	default:
		mat4MulGeneric(m, parent, local)
	}
}

//go:noescape
func mat4MulByParentF32NEON(m, parent *Mat4s[float32], index []int32, local *Mat4s[float32]) int

//go:noescape
func mat4MulByParentF64NEON(m, parent *Mat4s[float64], index []int32, local *Mat4s[float64]) int

func mat4MulByParent32(m, parent *Mat4s[float32], index []int32, local *Mat4s[float32]) int {
	switch path {
	case neon:
		return mat4MulByParentF32NEON(m, parent, index, local)
	default:
		return mat4MulByParentGeneric(m, parent, index, local)
	}
}

func mat4MulByParent64(m, parent *Mat4s[float64], index []int32, local *Mat4s[float64]) int {
	switch path {
	case neon:
		return mat4MulByParentF64NEON(m, parent, index, local)
	default:
		return mat4MulByParentGeneric(m, parent, index, local)
	}
}
