//go:build purego || !(amd64 || arm64)

package kernels

// Inlined into generic functions, these would make their operands escape.

//go:noinline
func mat3x4Compose32(m *Mat3x4s[float32], pos *Vec3s[float32], rot *Quats[float32], scale *Vec3s[float32]) {
	mat3x4ComposeGeneric(m, pos, rot, scale)
}

//go:noinline
func mat3x4Compose64(m *Mat3x4s[float64], pos *Vec3s[float64], rot *Quats[float64], scale *Vec3s[float64]) {
	mat3x4ComposeGeneric(m, pos, rot, scale)
}

//go:noinline
func matrices32(op matrixOp, dst, x, y [][]float32) { matricesGeneric(op, dst, x, y) }

//go:noinline
func matrices64(op matrixOp, dst, x, y [][]float64) { matricesGeneric(op, dst, x, y) }

//go:noinline
func apart32(lanes [][]float32, m [][16]float32) { apartFrom(0, lanes, m) }

//go:noinline
func apart64(lanes [][]float64, m [][16]float64) { apartFrom(0, lanes, m) }

//go:noinline
func together32(m [][16]float32, lanes [][]float32) { togetherFrom(0, m, lanes) }

//go:noinline
func together64(m [][16]float64, lanes [][]float64) { togetherFrom(0, m, lanes) }

//go:noinline
func mat4MulFull32(m, parent, local *Mat4s[float32]) { mat4MulFullGeneric(m, parent, local) }

//go:noinline
func mat4MulFull64(m, parent, local *Mat4s[float64]) { mat4MulFullGeneric(m, parent, local) }

//go:noinline
func mat4MulFullByParent32(m, parent *Mat4s[float32], index []int32, local *Mat4s[float32]) int {
	return mat4MulFullByParentGeneric(m, parent, index, local)
}

//go:noinline
func mat4MulFullByParent64(m, parent *Mat4s[float64], index []int32, local *Mat4s[float64]) int {
	return mat4MulFullByParentGeneric(m, parent, index, local)
}
