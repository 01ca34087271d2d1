//go:build !purego

package kernels

func vec3TransformAffine32(v *Vec3s[float32], m *Mat3x4s[float32], x *Vec3s[float32], points bool) {
	switch path {
	case avx512:
		vec3TransformAffineF32AVX512(v, m, x, points)
	case avx2:
		vec3TransformAffineF32AVX2(v, m, x, points)
	default:
		vec3TransformAffineGeneric(v, m, x, points)
	}
}

func vec3TransformAffine64(v *Vec3s[float64], m *Mat3x4s[float64], x *Vec3s[float64], points bool) {
	switch path {
	case avx512:
		vec3TransformAffineF64AVX512(v, m, x, points)
	case avx2:
		vec3TransformAffineF64AVX2(v, m, x, points)
	default:
		vec3TransformAffineGeneric(v, m, x, points)
	}
}

//go:noescape
func vec3TransformAffineF32AVX2(v *Vec3s[float32], m *Mat3x4s[float32], x *Vec3s[float32], points bool)

//go:noescape
func vec3TransformAffineF64AVX2(v *Vec3s[float64], m *Mat3x4s[float64], x *Vec3s[float64], points bool)

//go:noescape
func vec3TransformAffineF32AVX512(v *Vec3s[float32], m *Mat3x4s[float32], x *Vec3s[float32], points bool)

//go:noescape
func vec3TransformAffineF64AVX512(v *Vec3s[float64], m *Mat3x4s[float64], x *Vec3s[float64], points bool)
