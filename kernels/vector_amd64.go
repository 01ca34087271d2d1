//go:build !purego

package kernels

func vectors32(op vecOp, v, x, y [][]float32, s float32) {
	switch path {
	case avx512:
		vectorsF32AVX512(op, v, x, y, s)
	case avx2:
		vectorsF32AVX2(op, v, x, y, s)
	default:
		vectorsGeneric(op, v, x, y, s)
	}
}

func vectors64(op vecOp, v, x, y [][]float64, s float64) {
	switch path {
	case avx512:
		vectorsF64AVX512(op, v, x, y, s)
	case avx2:
		vectorsF64AVX2(op, v, x, y, s)
	default:
		vectorsGeneric(op, v, x, y, s)
	}
}

func vectorsF32AVX512(op vecOp, v, x, y [][]float32, s float32) {
	switch op {
	case opAdd:
		lanesAddF32AVX512(v, x, y, s)
	case opSub:
		lanesSubF32AVX512(v, x, y, s)
	case opScale:
		lanesScaleF32AVX512(v, x, y, s)
	case opAddScaled:
		lanesAddScaledF32AVX512(v, x, y, s)
	case opLerp:
		lanesLerpF32AVX512(v, x, y, s)
	case opDot:
		vecDotF32AVX512(v, x, y, s)
	case opLength:
		vecLengthF32AVX2(v, x, y, s)
	case opDistance:
		vecDistanceF32AVX512(v, x, y, s)
	case opNormalize:
		vecNormalizeF32AVX2(v, x, y, s)
	case opReflect:
		vecReflectF32AVX512(v, x, y, s)
	case opCross:
		vecCrossF32AVX512(v, x, y, s)
	}
}

func vectorsF64AVX512(op vecOp, v, x, y [][]float64, s float64) {
	switch op {
	case opAdd:
		lanesAddF64AVX512(v, x, y, s)
	case opSub:
		lanesSubF64AVX512(v, x, y, s)
	case opScale:
		lanesScaleF64AVX512(v, x, y, s)
	case opAddScaled:
		lanesAddScaledF64AVX512(v, x, y, s)
	case opLerp:
		lanesLerpF64AVX512(v, x, y, s)
	case opDot:
		vecDotF64AVX512(v, x, y, s)
	case opLength:
		vecLengthF64AVX2(v, x, y, s)
	case opDistance:
		vecDistanceF64AVX2(v, x, y, s)
	case opNormalize:
		vecNormalizeF64AVX2(v, x, y, s)
	case opReflect:
		vecReflectF64AVX512(v, x, y, s)
	case opCross:
		vecCrossF64AVX512(v, x, y, s)
	}
}

func vectorsF32AVX2(op vecOp, v, x, y [][]float32, s float32) {
	switch op {
	case opAdd:
		lanesAddF32AVX2(v, x, y, s)
	case opSub:
		lanesSubF32AVX2(v, x, y, s)
	case opScale:
		lanesScaleF32AVX2(v, x, y, s)
	case opAddScaled:
		lanesAddScaledF32AVX2(v, x, y, s)
	case opLerp:
		lanesLerpF32AVX2(v, x, y, s)
	case opDot:
		vecDotF32AVX2(v, x, y, s)
	case opLength:
		vecLengthF32AVX2(v, x, y, s)
	case opDistance:
		vecDistanceF32AVX2(v, x, y, s)
	case opNormalize:
		vecNormalizeF32AVX2(v, x, y, s)
	case opReflect:
		vecReflectF32AVX2(v, x, y, s)
	case opCross:
		vecCrossF32AVX2(v, x, y, s)
	}
}

func vectorsF64AVX2(op vecOp, v, x, y [][]float64, s float64) {
	switch op {
	case opAdd:
		lanesAddF64AVX2(v, x, y, s)
	case opSub:
		lanesSubF64AVX2(v, x, y, s)
	case opScale:
		lanesScaleF64AVX2(v, x, y, s)
	case opAddScaled:
		lanesAddScaledF64AVX2(v, x, y, s)
	case opLerp:
		lanesLerpF64AVX2(v, x, y, s)
	case opDot:
		vecDotF64AVX2(v, x, y, s)
	case opLength:
		vecLengthF64AVX2(v, x, y, s)
	case opDistance:
		vecDistanceF64AVX2(v, x, y, s)
	case opNormalize:
		vecNormalizeF64AVX2(v, x, y, s)
	case opReflect:
		vecReflectF64AVX2(v, x, y, s)
	case opCross:
		vecCrossF64AVX2(v, x, y, s)
	}
}

func vec3Transform32(v *Vec3s[float32], m *Mat4s[float32], x *Vec3s[float32], points bool) {
	switch path {
	case avx512, avx2: // four rows at a time fill 128 or 256 bits, whatever the CPU has
		vec3TransformF32AVX2(v, m, x, points)
	default:
		vec3TransformGeneric(v, m, x, points)
	}
}

func vec3TransformBy32(v *Vec3s[float32], m *[16]float32, x *Vec3s[float32], points bool) {
	switch path {
	case avx512:
		vec3TransformByF32AVX512(v, m, x, points)
	case avx2:
		vec3TransformByF32AVX2(v, m, x, points)
	default:
		vec3TransformByGeneric(v, m, x, points)
	}
}

func vec3Transform64(v *Vec3s[float64], m *Mat4s[float64], x *Vec3s[float64], points bool) {
	switch path {
	case avx512, avx2: // four rows at a time fill 128 or 256 bits, whatever the CPU has
		vec3TransformF64AVX2(v, m, x, points)
	default:
		vec3TransformGeneric(v, m, x, points)
	}
}

func vec3TransformBy64(v *Vec3s[float64], m *[16]float64, x *Vec3s[float64], points bool) {
	switch path {
	case avx512:
		vec3TransformByF64AVX512(v, m, x, points)
	case avx2:
		vec3TransformByF64AVX2(v, m, x, points)
	default:
		vec3TransformByGeneric(v, m, x, points)
	}
}

//go:noescape
func lanesAddF32AVX2(v, x, y [][]float32, s float32)

//go:noescape
func lanesSubF32AVX2(v, x, y [][]float32, s float32)

//go:noescape
func lanesScaleF32AVX2(v, x, y [][]float32, s float32)

//go:noescape
func lanesAddScaledF32AVX2(v, x, y [][]float32, s float32)

//go:noescape
func lanesLerpF32AVX2(v, x, y [][]float32, s float32)

//go:noescape
func vecDotF32AVX2(v, x, y [][]float32, s float32)

//go:noescape
func vecLengthF32AVX2(v, x, y [][]float32, s float32)

//go:noescape
func vecDistanceF32AVX2(v, x, y [][]float32, s float32)

//go:noescape
func vecNormalizeF32AVX2(v, x, y [][]float32, s float32)

//go:noescape
func vecReflectF32AVX2(v, x, y [][]float32, s float32)

//go:noescape
func vecCrossF32AVX2(v, x, y [][]float32, s float32)

//go:noescape
func vec3TransformF32AVX2(v *Vec3s[float32], m *Mat4s[float32], x *Vec3s[float32], points bool)

//go:noescape
func vec3TransformByF32AVX2(v *Vec3s[float32], m *[16]float32, x *Vec3s[float32], points bool)

//go:noescape
func lanesAddF32AVX512(v, x, y [][]float32, s float32)

//go:noescape
func lanesSubF32AVX512(v, x, y [][]float32, s float32)

//go:noescape
func lanesScaleF32AVX512(v, x, y [][]float32, s float32)

//go:noescape
func lanesAddScaledF32AVX512(v, x, y [][]float32, s float32)

//go:noescape
func lanesLerpF32AVX512(v, x, y [][]float32, s float32)

//go:noescape
func vecDotF32AVX512(v, x, y [][]float32, s float32)

//go:noescape
func vecDistanceF32AVX512(v, x, y [][]float32, s float32)

//go:noescape
func vecReflectF32AVX512(v, x, y [][]float32, s float32)

//go:noescape
func vecCrossF32AVX512(v, x, y [][]float32, s float32)

//go:noescape
func vec3TransformByF32AVX512(v *Vec3s[float32], m *[16]float32, x *Vec3s[float32], points bool)

//go:noescape
func lanesAddF64AVX2(v, x, y [][]float64, s float64)

//go:noescape
func lanesSubF64AVX2(v, x, y [][]float64, s float64)

//go:noescape
func lanesScaleF64AVX2(v, x, y [][]float64, s float64)

//go:noescape
func lanesAddScaledF64AVX2(v, x, y [][]float64, s float64)

//go:noescape
func lanesLerpF64AVX2(v, x, y [][]float64, s float64)

//go:noescape
func vecDotF64AVX2(v, x, y [][]float64, s float64)

//go:noescape
func vecLengthF64AVX2(v, x, y [][]float64, s float64)

//go:noescape
func vecDistanceF64AVX2(v, x, y [][]float64, s float64)

//go:noescape
func vecNormalizeF64AVX2(v, x, y [][]float64, s float64)

//go:noescape
func vecReflectF64AVX2(v, x, y [][]float64, s float64)

//go:noescape
func vecCrossF64AVX2(v, x, y [][]float64, s float64)

//go:noescape
func vec3TransformF64AVX2(v *Vec3s[float64], m *Mat4s[float64], x *Vec3s[float64], points bool)

//go:noescape
func vec3TransformByF64AVX2(v *Vec3s[float64], m *[16]float64, x *Vec3s[float64], points bool)

//go:noescape
func lanesAddF64AVX512(v, x, y [][]float64, s float64)

//go:noescape
func lanesSubF64AVX512(v, x, y [][]float64, s float64)

//go:noescape
func lanesScaleF64AVX512(v, x, y [][]float64, s float64)

//go:noescape
func lanesAddScaledF64AVX512(v, x, y [][]float64, s float64)

//go:noescape
func lanesLerpF64AVX512(v, x, y [][]float64, s float64)

//go:noescape
func vecDotF64AVX512(v, x, y [][]float64, s float64)

//go:noescape
func vecReflectF64AVX512(v, x, y [][]float64, s float64)

//go:noescape
func vecCrossF64AVX512(v, x, y [][]float64, s float64)

//go:noescape
func vec3TransformByF64AVX512(v *Vec3s[float64], m *[16]float64, x *Vec3s[float64], points bool)

func vec3DistanceSquared32(dst []float32, v *Vec3s[float32], p *[3]float32) {
	switch path {
	case avx512:
		vec3DistanceSquaredF32AVX512(dst, v, p)
	case avx2:
		vec3DistanceSquaredF32AVX2(dst, v, p)
	default:
		vec3DistanceSquaredGeneric(dst, v, p)
	}
}

//go:noescape
func vec3DistanceSquaredF32AVX512(v []float32, x *Vec3s[float32], p *[3]float32)

//go:noescape
func vec3DistanceSquaredF32AVX2(v []float32, x *Vec3s[float32], p *[3]float32)

func vec3DistanceSquared64(dst []float64, v *Vec3s[float64], p *[3]float64) {
	switch path {
	case avx512:
		vec3DistanceSquaredF64AVX512(dst, v, p)
	case avx2:
		vec3DistanceSquaredF64AVX2(dst, v, p)
	default:
		vec3DistanceSquaredGeneric(dst, v, p)
	}
}

//go:noescape
func vec3DistanceSquaredF64AVX512(v []float64, x *Vec3s[float64], p *[3]float64)

//go:noescape
func vec3DistanceSquaredF64AVX2(v []float64, x *Vec3s[float64], p *[3]float64)
