//go:build goexperiment.simd && go1.27 && !purego

package kernels

// available returns the paths of a build with the vectors of package simd/archsimd. Every engine that runs
// such a program has these vectors, because it checks the whole program before it starts.
func available() []pathID { return []pathID{generic, simd} }

//go:noinline
func mat4Compose32(m *Mat4s[float32], pos *Vec3s[float32], rot *Quats[float32], scale *Vec3s[float32], _ bool) {
	mat4ComposeGeneric(m, pos, rot, scale)
}

//go:noinline
func mat4Compose64(m *Mat4s[float64], pos *Vec3s[float64], rot *Quats[float64], scale *Vec3s[float64], _ bool) {
	mat4ComposeGeneric(m, pos, rot, scale)
}

// allOnes returns an element of a mask.
func allOnes[T uint32 | uint64](b bool) T {
	if b {
		return ^T(0)
	}
	return 0
}
