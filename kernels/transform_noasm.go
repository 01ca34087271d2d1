//go:build purego || !(amd64 || arm64)

package kernels

// Inlined into generic functions, these would make their operands escape.

//go:noinline
func vec4Transform32(v *Vec4s[float32], m *Mat4s[float32], x *Vec4s[float32]) {
	vec4TransformGeneric(v, m, x)
}

//go:noinline
func vec4Transform64(v *Vec4s[float64], m *Mat4s[float64], x *Vec4s[float64]) {
	vec4TransformGeneric(v, m, x)
}

//go:noinline
func vec4TransformBy32(v *Vec4s[float32], m *[16]float32, x *Vec4s[float32]) {
	vec4TransformByGeneric(v, m, x)
}

//go:noinline
func vec4TransformBy64(v *Vec4s[float64], m *[16]float64, x *Vec4s[float64]) {
	vec4TransformByGeneric(v, m, x)
}
