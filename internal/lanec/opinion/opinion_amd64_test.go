//go:build !purego

package opinion

var (
	texts32 = []texts[float32]{
		{"avx2", quatMulF32AVX2, vec3RotateF32AVX2, vec3RotateByF32AVX2},
		{"avx512", quatMulF32AVX512, vec3RotateF32AVX512, vec3RotateByF32AVX512},
	}
	texts64 = []texts[float64]{
		{"avx2", quatMulF64AVX2, vec3RotateF64AVX2, vec3RotateByF64AVX2},
		{"avx512", quatMulF64AVX512, vec3RotateF64AVX512, vec3RotateByF64AVX512},
	}
)
