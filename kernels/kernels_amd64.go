//go:build !purego

package kernels

import "github.com/klauspost/cpuid/v2"

// available returns the paths of this CPU, the fastest last.
func available() []pathID {
	ids := []pathID{generic}
	if cpuid.CPU.Supports(cpuid.AVX2) {
		ids = append(ids, avx2)
		if cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512VL, cpuid.AVX512DQ, cpuid.AVX512BW) {
			ids = append(ids, avx512)
		}
	}
	return ids
}

func fill32(dst []float32, s float32) {
	switch path {
	case avx512:
		fillF32AVX512(dst, s)
	case avx2:
		fillF32AVX2(dst, s)
	default:
		fillGeneric(dst, s)
	}
}

func fill64(dst []float64, s float64) {
	switch path {
	case avx512:
		fillF64AVX512(dst, s)
	case avx2:
		fillF64AVX2(dst, s)
	default:
		fillGeneric(dst, s)
	}
}

func vec3AddScaled32(v, x, y *Vec3s[float32], s float32) {
	switch path {
	case avx512:
		vec3AddScaledF32AVX512(v, x, y, s)
	case avx2:
		vec3AddScaledF32AVX2(v, x, y, s)
	default:
		vec3AddScaledGeneric(v, x, y, s)
	}
}

func vec3AddScaled64(v, x, y *Vec3s[float64], s float64) {
	switch path {
	case avx512:
		vec3AddScaledF64AVX512(v, x, y, s)
	case avx2:
		vec3AddScaledF64AVX2(v, x, y, s)
	default:
		vec3AddScaledGeneric(v, x, y, s)
	}
}

func quatMul32(q, a, b *Quats[float32]) {
	switch path {
	case avx512:
		quatMulF32AVX512(q, a, b)
	case avx2:
		quatMulF32AVX2(q, a, b)
	default:
		quatMulGeneric(q, a, b)
	}
}

func quatMul64(q, a, b *Quats[float64]) {
	switch path {
	case avx512:
		quatMulF64AVX512(q, a, b)
	case avx2:
		quatMulF64AVX2(q, a, b)
	default:
		quatMulGeneric(q, a, b)
	}
}

func quatNormalize32(q, p *Quats[float32]) {
	switch path {
	case avx512, avx2: // as fast: docs/performance.md
		quatNormalizeF32AVX2(q, p)
	default:
		quatNormalizeGeneric(q, p)
	}
}

func quatNormalize64(q, p *Quats[float64]) {
	switch path {
	case avx512, avx2: // as fast: docs/performance.md
		quatNormalizeF64AVX2(q, p)
	default:
		quatNormalizeGeneric(q, p)
	}
}

func quatIntegrate32(q, p *Quats[float32], w *Vec3s[float32], half float32) {
	switch path {
	case avx512:
		quatIntegrateF32AVX512(q, p, w, half)
	case avx2:
		quatIntegrateF32AVX2(q, p, w, half)
	default:
		quatIntegrateGeneric(q, p, w, half)
	}
}

func quatIntegrate64(q, p *Quats[float64], w *Vec3s[float64], half float64) {
	switch path {
	case avx512:
		quatIntegrateF64AVX512(q, p, w, half)
	case avx2:
		quatIntegrateF64AVX2(q, p, w, half)
	default:
		quatIntegrateGeneric(q, p, w, half)
	}
}

func quatSpin32(q, p *Quats[float32], axis *[3]float32, speed []float32, half float32) int {
	switch path {
	case avx512:
		return quatSpinF32AVX512(q, p, axis, speed, half)
	case avx2:
		return quatSpinF32AVX2(q, p, axis, speed, half)
	default:
		quatSpinGeneric(q, p, axis, speed, half)
		return len(speed)
	}
}

func quatSpin64(q, p *Quats[float64], axis *[3]float64, speed []float64, half float64) int {
	switch path {
	case avx512:
		return quatSpinF64AVX512(q, p, axis, speed, half)
	case avx2:
		return quatSpinF64AVX2(q, p, axis, speed, half)
	default:
		quatSpinGeneric(q, p, axis, speed, half)
		return len(speed)
	}
}

func vec3Rotate32(v *Vec3s[float32], q *Quats[float32], x *Vec3s[float32]) {
	switch path {
	case avx512:
		vec3RotateF32AVX512(v, q, x)
	case avx2:
		vec3RotateF32AVX2(v, q, x)
	default:
		vec3RotateGeneric(v, q, x)
	}
}

func vec3Rotate64(v *Vec3s[float64], q *Quats[float64], x *Vec3s[float64]) {
	switch path {
	case avx512:
		vec3RotateF64AVX512(v, q, x)
	case avx2:
		vec3RotateF64AVX2(v, q, x)
	default:
		vec3RotateGeneric(v, q, x)
	}
}

func vec3RotateBy32(v *Vec3s[float32], q *[4]float32, x *Vec3s[float32]) {
	switch path {
	case avx512:
		vec3RotateByF32AVX512(v, q, x)
	case avx2:
		vec3RotateByF32AVX2(v, q, x)
	default:
		vec3RotateByGeneric(v, q, x)
	}
}

func vec3RotateBy64(v *Vec3s[float64], q *[4]float64, x *Vec3s[float64]) {
	switch path {
	case avx512:
		vec3RotateByF64AVX512(v, q, x)
	case avx2:
		vec3RotateByF64AVX2(v, q, x)
	default:
		vec3RotateByGeneric(v, q, x)
	}
}

func mat4Compose32(m *Mat4s[float32], pos *Vec3s[float32], rot *Quats[float32], scale *Vec3s[float32], past bool) {
	past = past && aligned(m.M)
	switch path {
	case avx512:
		if len(m.M) >= 16 {
			mat4ComposeF32AVX512(m, pos, rot, scale, past)
			return
		}
		fallthrough
	case avx2:
		mat4ComposeF32AVX2(m, pos, rot, scale, past)
	default:
		mat4ComposeGeneric(m, pos, rot, scale)
	}
}

func mat4Compose64(m *Mat4s[float64], pos *Vec3s[float64], rot *Quats[float64], scale *Vec3s[float64], past bool) {
	past = past && aligned(m.M)
	switch path {
	case avx512, avx2:
		mat4ComposeF64AVX2(m, pos, rot, scale, past)
	default:
		mat4ComposeGeneric(m, pos, rot, scale)
	}
}

func mat4Mul32(m, parent, local *Mat4s[float32]) {
	switch path {
	case avx512:
		mat4MulF32AVX512(m, parent, local)
	case avx2:
		mat4MulF32AVX2(m, parent, local)
	default:
		mat4MulGeneric(m, parent, local)
	}
}

func mat4Mul64(m, parent, local *Mat4s[float64]) {
	switch path {
	case avx512, avx2:
		mat4MulF64AVX2(m, parent, local)
	default:
		mat4MulGeneric(m, parent, local)
	}
}

func mat4MulByParent32(m, parent *Mat4s[float32], index []int32, local *Mat4s[float32]) int {
	switch path {
	case avx512:
		return mat4MulByParentF32AVX512(m, parent, index, local)
	case avx2:
		return mat4MulByParentF32AVX2(m, parent, index, local)
	default:
		return mat4MulByParentGeneric(m, parent, index, local)
	}
}

func mat4MulByParent64(m, parent *Mat4s[float64], index []int32, local *Mat4s[float64]) int {
	switch path {
	case avx512, avx2:
		return mat4MulByParentF64AVX2(m, parent, index, local)
	default:
		return mat4MulByParentGeneric(m, parent, index, local)
	}
}

//go:noescape
func fillF32AVX2(dst []float32, s float32)

//go:noescape
func fillF32AVX512(dst []float32, s float32)

//go:noescape
func fillF64AVX2(dst []float64, s float64)

//go:noescape
func fillF64AVX512(dst []float64, s float64)

//go:noescape
func vec3AddScaledF32AVX2(v, x, y *Vec3s[float32], s float32)

//go:noescape
func vec3AddScaledF32AVX512(v, x, y *Vec3s[float32], s float32)

//go:noescape
func vec3AddScaledF64AVX2(v, x, y *Vec3s[float64], s float64)

//go:noescape
func vec3AddScaledF64AVX512(v, x, y *Vec3s[float64], s float64)

//go:noescape
func quatMulF32AVX2(q, a, b *Quats[float32])

//go:noescape
func quatMulF32AVX512(q, a, b *Quats[float32])

//go:noescape
func quatMulF64AVX2(q, a, b *Quats[float64])

//go:noescape
func quatMulF64AVX512(q, a, b *Quats[float64])

//go:noescape
func quatNormalizeF32AVX2(q, p *Quats[float32])

//go:noescape
func quatNormalizeF64AVX2(q, p *Quats[float64])

//go:noescape
func quatIntegrateF32AVX2(q, p *Quats[float32], w *Vec3s[float32], half float32)

//go:noescape
func quatIntegrateF32AVX512(q, p *Quats[float32], w *Vec3s[float32], half float32)

//go:noescape
func quatIntegrateF64AVX2(q, p *Quats[float64], w *Vec3s[float64], half float64)

//go:noescape
func quatIntegrateF64AVX512(q, p *Quats[float64], w *Vec3s[float64], half float64)

//go:noescape
func quatSpinF32AVX2(q, p *Quats[float32], axis *[3]float32, speed []float32, half float32) int

//go:noescape
func quatSpinF32AVX512(q, p *Quats[float32], axis *[3]float32, speed []float32, half float32) int

//go:noescape
func quatSpinF64AVX2(q, p *Quats[float64], axis *[3]float64, speed []float64, half float64) int

//go:noescape
func quatSpinF64AVX512(q, p *Quats[float64], axis *[3]float64, speed []float64, half float64) int

//go:noescape
func vec3RotateF32AVX2(v *Vec3s[float32], q *Quats[float32], x *Vec3s[float32])

//go:noescape
func vec3RotateF32AVX512(v *Vec3s[float32], q *Quats[float32], x *Vec3s[float32])

//go:noescape
func vec3RotateF64AVX2(v *Vec3s[float64], q *Quats[float64], x *Vec3s[float64])

//go:noescape
func vec3RotateF64AVX512(v *Vec3s[float64], q *Quats[float64], x *Vec3s[float64])

//go:noescape
func vec3RotateByF32AVX2(v *Vec3s[float32], q *[4]float32, x *Vec3s[float32])

//go:noescape
func vec3RotateByF32AVX512(v *Vec3s[float32], q *[4]float32, x *Vec3s[float32])

//go:noescape
func vec3RotateByF64AVX2(v *Vec3s[float64], q *[4]float64, x *Vec3s[float64])

//go:noescape
func vec3RotateByF64AVX512(v *Vec3s[float64], q *[4]float64, x *Vec3s[float64])

//go:noescape
func mat4ComposeF32AVX2(m *Mat4s[float32], pos *Vec3s[float32], rot *Quats[float32], scale *Vec3s[float32], past bool)

//go:noescape
func mat4ComposeF32AVX512(m *Mat4s[float32], pos *Vec3s[float32], rot *Quats[float32], scale *Vec3s[float32], past bool)

//go:noescape
func mat4ComposeF64AVX2(m *Mat4s[float64], pos *Vec3s[float64], rot *Quats[float64], scale *Vec3s[float64], past bool)

//go:noescape
func mat4MulF32AVX2(m, parent, local *Mat4s[float32])

//go:noescape
func mat4MulF32AVX512(m, parent, local *Mat4s[float32])

//go:noescape
func mat4MulF64AVX2(m, parent, local *Mat4s[float64])

//go:noescape
func mat4MulByParentF32AVX2(m, parent *Mat4s[float32], index []int32, local *Mat4s[float32]) int

//go:noescape
func mat4MulByParentF32AVX512(m, parent *Mat4s[float32], index []int32, local *Mat4s[float32]) int

//go:noescape
func mat4MulByParentF64AVX2(m, parent *Mat4s[float64], index []int32, local *Mat4s[float64]) int
