//go:build purego || !(amd64 || arm64 || (wasm && goexperiment.simd && go1.27))

package kernels

// available returns the paths of a build without vectors.
func available() []pathID { return []pathID{generic} }

//go:noinline
func mat4Compose32(m *Mat4s[float32], pos *Vec3s[float32], rot *Quats[float32], scale *Vec3s[float32], _ bool) {
	mat4ComposeGeneric(m, pos, rot, scale)
}

//go:noinline
func mat4Compose64(m *Mat4s[float64], pos *Vec3s[float64], rot *Quats[float64], scale *Vec3s[float64], _ bool) {
	mat4ComposeGeneric(m, pos, rot, scale)
}
