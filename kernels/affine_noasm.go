//go:build purego || !(amd64 || arm64)

package kernels

// Inlined into generic functions, these would make their operands escape.

//go:noinline
func vec3TransformAffine32(v *Vec3s[float32], m *Mat3x4s[float32], x *Vec3s[float32], points bool) {
	vec3TransformAffineGeneric(v, m, x, points)
}

//go:noinline
func vec3TransformAffine64(v *Vec3s[float64], m *Mat3x4s[float64], x *Vec3s[float64], points bool) {
	vec3TransformAffineGeneric(v, m, x, points)
}
