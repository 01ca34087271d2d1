//go:build purego || !(amd64 || arm64)

package kernels

// Inlined into generic functions, these would make their operands escape.

//go:noinline
func vectors32(op vecOp, v, x, y [][]float32, s float32) {
	vectorsGeneric(op, v, x, y, s)
}

//go:noinline
func vectors64(op vecOp, v, x, y [][]float64, s float64) {
	vectorsGeneric(op, v, x, y, s)
}

//go:noinline
func vec3Transform32(v *Vec3s[float32], m *Mat4s[float32], x *Vec3s[float32], points bool) {
	vec3TransformGeneric(v, m, x, points)
}

//go:noinline
func vec3Transform64(v *Vec3s[float64], m *Mat4s[float64], x *Vec3s[float64], points bool) {
	vec3TransformGeneric(v, m, x, points)
}

//go:noinline
func vec3TransformBy32(v *Vec3s[float32], m *[16]float32, x *Vec3s[float32], points bool) {
	vec3TransformByGeneric(v, m, x, points)
}

//go:noinline
func vec3TransformBy64(v *Vec3s[float64], m *[16]float64, x *Vec3s[float64], points bool) {
	vec3TransformByGeneric(v, m, x, points)
}
