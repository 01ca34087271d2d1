//go:build !purego

package opinion

var (
	texts32 = []texts[float32]{{"neon", quatMulF32NEON, vec3RotateF32NEON, vec3RotateByF32NEON}}
	texts64 = []texts[float64]{{"neon", quatMulF64NEON, vec3RotateF64NEON, vec3RotateByF64NEON}}
)
