//go:build !purego

package kernels

func vec4Transform32(v *Vec4s[float32], m *Mat4s[float32], x *Vec4s[float32]) {
	switch path {
	case avx512, avx2: // wider vectors gain nothing: it is loads that take the time
		vec4TransformF32AVX2(v, m, x)
	default:
		vec4TransformGeneric(v, m, x)
	}
}

func vec4Transform64(v *Vec4s[float64], m *Mat4s[float64], x *Vec4s[float64]) {
	switch path {
	case avx512, avx2: // wider vectors gain nothing: it is loads that take the time
		vec4TransformF64AVX2(v, m, x)
	default:
		vec4TransformGeneric(v, m, x)
	}
}

func vec4TransformBy32(v *Vec4s[float32], m *[16]float32, x *Vec4s[float32]) {
	switch path {
	case avx512:
		vec4TransformByF32AVX512(v, m, x)
	case avx2:
		vec4TransformByF32AVX2(v, m, x)
	default:
		vec4TransformByGeneric(v, m, x)
	}
}

func vec4TransformBy64(v *Vec4s[float64], m *[16]float64, x *Vec4s[float64]) {
	switch path {
	case avx512:
		vec4TransformByF64AVX512(v, m, x)
	case avx2:
		vec4TransformByF64AVX2(v, m, x)
	default:
		vec4TransformByGeneric(v, m, x)
	}
}

//go:noescape
func vec4TransformF32AVX2(v *Vec4s[float32], m *Mat4s[float32], x *Vec4s[float32])

//go:noescape
func vec4TransformF64AVX2(v *Vec4s[float64], m *Mat4s[float64], x *Vec4s[float64])

//go:noescape
func vec4TransformByF32AVX512(v *Vec4s[float32], m *[16]float32, x *Vec4s[float32])

//go:noescape
func vec4TransformByF32AVX2(v *Vec4s[float32], m *[16]float32, x *Vec4s[float32])

//go:noescape
func vec4TransformByF64AVX512(v *Vec4s[float64], m *[16]float64, x *Vec4s[float64])

//go:noescape
func vec4TransformByF64AVX2(v *Vec4s[float64], m *[16]float64, x *Vec4s[float64])
