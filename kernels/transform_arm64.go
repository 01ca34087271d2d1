//go:build !purego

package kernels

func vec4Transform32(v *Vec4s[float32], m *Mat4s[float32], x *Vec4s[float32]) {
	switch path {
	case neon:
		vec4TransformF32NEON(v, m, x)
	default:
		vec4TransformGeneric(v, m, x)
	}
}

func vec4Transform64(v *Vec4s[float64], m *Mat4s[float64], x *Vec4s[float64]) {
	switch path {
	case neon:
		vec4TransformF64NEON(v, m, x)
	default:
		vec4TransformGeneric(v, m, x)
	}
}

func vec4TransformBy32(v *Vec4s[float32], m *[16]float32, x *Vec4s[float32]) {
	switch path {
	case neon:
		vec4TransformByF32NEON(v, m, x)
	default:
		vec4TransformByGeneric(v, m, x)
	}
}

func vec4TransformBy64(v *Vec4s[float64], m *[16]float64, x *Vec4s[float64]) {
	switch path {
	case neon:
		vec4TransformByF64NEON(v, m, x)
	default:
		vec4TransformByGeneric(v, m, x)
	}
}

//go:noescape
func vec4TransformF32NEON(v *Vec4s[float32], m *Mat4s[float32], x *Vec4s[float32])

//go:noescape
func vec4TransformF64NEON(v *Vec4s[float64], m *Mat4s[float64], x *Vec4s[float64])

//go:noescape
func vec4TransformByF32NEON(v *Vec4s[float32], m *[16]float32, x *Vec4s[float32])

//go:noescape
func vec4TransformByF64NEON(v *Vec4s[float64], m *[16]float64, x *Vec4s[float64])
